//===- SplitReads.cpp - td-split-reads: row-major copies ------------------===//

#include "Conversion/TDToRuntime.h"
#include "MemoryPlan.h"

using namespace mlir;

namespace tdc {

#define GEN_PASS_DEF_TDSPLITREADSPASS
#include "Conversion/Passes.h.inc"

namespace {

struct TDSplitReads : impl::TDSplitReadsPassBase<TDSplitReads> {
  void runOnOperation() override {
    SlotTable slots(getOperation());
    llvm::SmallVector<td::ReadOp> reads;
    getOperation().walk([&](td::ReadOp read) {
      if (slots.isPlanned(read.getSlotAttr()) &&
          slots.get(read.getSlotAttr()).layout && !read->hasAttr(kRowMajorAttr))
        reads.push_back(read);
    });
    for (td::ReadOp read : reads)
      split(read);
  }

  static void split(td::ReadOp read) {
    auto isOther = [](OpOperand &use) {
      return !isa<td::LaunchOp>(use.getOwner());
    };
    if (llvm::none_of(read->getUses(), isOther))
      return;
    OpBuilder builder(read->getContext());
    builder.setInsertionPointAfter(read);
    Operation *copy = builder.clone(*read);
    copy->setAttr(kRowMajorAttr, builder.getUnitAttr());
    read.getResult().replaceUsesWithIf(copy->getResult(0), isOther);
  }
};

} // namespace
} // namespace tdc
