//===- PrintNests.cpp - td-print-nests: loop nests of kernels as text -----===//

#include "Dialect/TD/Analysis/Kernels/Contraction.h"
#include "Dialect/TD/Transforms/Passes.h"
#include "mlir/IR/AsmState.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace tdc::td {
#define GEN_PASS_DEF_TDPRINTNESTSPASS
#include "Dialect/TD/Transforms/Passes.h.inc"

namespace {

struct PrintNestsPass : public impl::TDPrintNestsPassBase<PrintNestsPass> {
  void runOnOperation() override {
    AsmState names(getOperation());
    llvm::raw_ostream &os = llvm::outs();
    getOperation()->walk([&](KernelOp kernel) {
      auto yield = cast<YieldOp>(kernel.getBody().front().getTerminator());
      SmallVector<Value> roots(yield->getOperands());
      os << "kernel of ";
      llvm::interleaveComma(kernel->getResults(), os, [&](Value result) {
        result.printAsOperand(os, names);
      });
      FailureOr<LoopNest> nest = LoopNest::getOfKernel(roots);
      if (failed(nest)) {
        os << ": no nest\n";
        return;
      }
      os << "\n";
      nest->print(os, names);
      if (auto contraction = Contraction::get(*nest))
        contraction->print(*nest, os, names);
    });
  }
};

} // namespace
} // namespace tdc::td
