//===- Rows.cpp - rows of a batch go straight to their GPU ----------------===//
//
// A program may bring the whole batch to the first GPU, as for the loss there:
// the rows for other GPUs are copied from where the batch was before. If
// nothing but such rows is taken from the copy, the first GPU gets only its
// own.
//
//===----------------------------------------------------------------------===//

#include "DataParallel.h"
#include "Dialect/TD/IR/Views.h"

using namespace mlir;

namespace tdc::td {

/// Slices the operand of the copy that the slice is taken from.
static void sliceBeforeCopy(SliceOp slice) {
  Value source = getContent(slice.getInput());
  OpBuilder builder(slice);
  auto rows = cast<SliceOp>(builder.clone(*slice));
  rows.getInputMutable().assign(source);
  rows.getResult().setType(withPlace(
      slice.getType(), getPlace(cast<RankedTensorType>(source.getType()))));
  slice.replaceAllUsesWith(copyTo(builder, slice.getLoc(), rows,
                                  getPlace(slice.getType()), CopyRole::Rows));
  slice.erase();
}

void copyRowsDirectly(ModuleOp module) {
  llvm::SetVector<Operation *> batches;
  module->walk([&](ToDeviceOp copy) {
    auto slice = copy.getInput().getDefiningOp<SliceOp>();
    if (copy.getRole() != CopyRole::Rows || !slice)
      return;
    if (auto batch = slice.getInput().getDefiningOp<ToDeviceOp>())
      batches.insert(batch);
  });
  for (Operation *batch : batches) {
    bool isWhole = false; // something else reads it
    llvm::SmallVector<SliceOp> own, others;
    for (Operation *user : batch->getUsers()) {
      auto slice = dyn_cast<SliceOp>(user);
      if (!slice) {
        isWhole = true;
        continue;
      }
      bool isForOther = llvm::all_of(slice->getUsers(), [](Operation *reader) {
        return hasRole(reader, CopyRole::Rows);
      });
      (isForOther ? others : own).push_back(slice);
    }
    for (SliceOp slice : others)
      sliceBeforeCopy(slice);
    if (!isWhole)
      for (SliceOp slice : own)
        sliceBeforeCopy(slice);
  }
}

} // namespace tdc::td
