//===- Rows.cpp - rows of a batch go straight to their GPU ----------------===//
//
// A program may bring the whole batch to the first GPU, as for the loss there:
// the rows for other GPUs are copied from where the batch was before. If
// nothing else is read from the copy but the first GPU's rows, it gets only
// these. A batch that a loop uses again and again is copied once, as the
// program says.
//
//===----------------------------------------------------------------------===//

#include "DataParallel.h"
#include "Dialect/TD/IR/Views.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

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

static bool areInOneLoop(Operation *a, Operation *b) {
  return a->getParentOfType<LoopLikeOpInterface>() ==
         b->getParentOfType<LoopLikeOpInterface>();
}

/// Whether the slices are equal, and can be the rows of the first GPU.
static bool areFirstRows(ArrayRef<SliceOp> slices) {
  return llvm::all_of(slices, [&](SliceOp slice) {
    return slice.getDim() == 0 && slice.getStep() == 1 &&
           matchPattern(slice.getStart(), m_Zero()) &&
           slice.getType() == SliceOp(slices[0]).getType();
  });
}

void copyRowsDirectly(ModuleOp module) {
  llvm::SetVector<Operation *> batches;
  module->walk([&](ToDeviceOp copy) {
    auto slice = copy.getInput().getDefiningOp<SliceOp>();
    if (copy.getRole() != CopyRole::Rows || !slice)
      return;
    auto batch = slice.getInput().getDefiningOp<ToDeviceOp>();
    if (batch && areInOneLoop(batch, slice))
      batches.insert(batch);
  });
  for (Operation *batch : batches) {
    bool isWhole = false; // something else reads it
    llvm::SmallVector<SliceOp> own, others;
    for (Operation *user : batch->getUsers()) {
      auto slice = dyn_cast<SliceOp>(user);
      if (!slice || !areInOneLoop(batch, slice)) {
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
    if (!isWhole && areFirstRows(own))
      for (SliceOp slice : own)
        sliceBeforeCopy(slice);
  }
}

} // namespace tdc::td
