//===- VerifyGrad.cpp - td-verify-grad: no gradient op is left ------------===//

#include "Dialect/TD/Transforms/Passes.h"

namespace tdc::td {
#define GEN_PASS_DEF_TDVERIFYGRADPASS
#include "Dialect/TD/Transforms/Passes.h.inc"
} // namespace tdc::td

using namespace mlir;

namespace tdc::td {
namespace {
struct VerifyGradPass : public impl::TDVerifyGradPassBase<VerifyGradPass> {
  void runOnOperation() override {
    WalkResult result = getOperation()->walk([](Operation *op) {
      if (!op->hasTrait<ForGradientOp>())
        return WalkResult::advance();
      op->emitOpError("expected none after td-grad");
      return WalkResult::interrupt();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
} // namespace tdc::td
