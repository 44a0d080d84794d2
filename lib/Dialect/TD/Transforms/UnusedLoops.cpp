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
struct UnusedLoopsPass : public impl::TDUnusedLoopsPassBase<UnusedLoopsPass> {
  void runOnOperation() override {
    for (Operation *loop : findUnusedLoops(getOperation()))
      emitWarning(loop->getLoc(), "TD606: nothing uses what this loop "
                                  "computes, so the loop is removed")
              .attachNote(UnknownLoc::get(&getContext()))
          << "to see how long it takes, or what it does, use the result: print "
             "a sum of it after the loop";
    getOperation()->walk(
        [](Operation *op) { op->removeDiscardableAttr(kReadElsewhereAttr); });
  }
};
} // namespace
} // namespace tdc::td
