//===- UnusedLoops.cpp - td-unused-loops: warn about useless loops --------===//

#include "Dialect/TD/IR/CarryingLoop.h"
#include "Dialect/TD/Transforms/Passes.h"
#include "Simplify.h"

namespace tdc::td {
#define GEN_PASS_DEF_TDUNUSEDLOOPSPASS
#include "Dialect/TD/Transforms/Passes.h.inc"
} // namespace tdc::td

using namespace mlir;

namespace tdc::td {
namespace {
/// Whether the loop changes the parameters of a model.
bool trains(Operation *loop) {
  return loop
      ->walk([](WriteOp write) {
        auto slot = SymbolTable::lookupNearestSymbolFrom<SlotOp>(
            write, write.getSlotAttr());
        return slot && slot.getKind() == SlotKind::Param
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

struct UnusedLoopsPass : public impl::TDUnusedLoopsPassBase<UnusedLoopsPass> {
  void runOnOperation() override {
    for (Operation *loop : findUnusedLoops(getOperation())) {
      bool isTraining = trains(loop);
      InFlightDiagnostic report =
          emitWarning(loop->getLoc(), "TD606: ")
          << (isTraining ? "nothing reads the weights that this loop trains"
                         : "nothing uses what this loop computes")
          << ", so the loop is removed";
      report.attachNote(UnknownLoc::get(&getContext()))
          << (isTraining
                  ? "print the loss in it, or print, evaluate or save the "
                    "model after it"
                  : "to see how long it takes, or what it does, use the "
                    "result: print a sum of it after the loop");
    }
    getOperation()->walk(
        [](Operation *op) { op->removeDiscardableAttr(kReadElsewhereAttr); });
  }
};
} // namespace
} // namespace tdc::td
