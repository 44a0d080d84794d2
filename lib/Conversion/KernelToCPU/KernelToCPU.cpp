//===- KernelToCPU.cpp - td.kernel -> function + td.launch ----------------===//
//
// Every kernel becomes an llvm.func of loops, vectors and loads. Equal
// functions are shared: flat nests take their size as an argument, so that an
// optimizer's step is one function for all parameters.
//
//===----------------------------------------------------------------------===//

#include "Conversion/KernelToCPU.h"
#include "BorderedNest.h"
#include "NestEmitter.h"
#include "ScanEmitter.h"
#include "StagedKernel.h"
#include "UpdateEmitter.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tdc::td;

namespace tdc {
#define GEN_PASS_DEF_KERNELTOCPUPASS
#include "Conversion/Passes.h.inc"

namespace {

constexpr Strategy cpuStrategies[] = {matchStages, matchBordered, matchUpdate,
                                      matchScan,   matchFlatNest, matchNest};

class CPUOutliner final : public KernelOutliner {
public:
  CPUOutliner(ModuleOp module, const KernelToCPUPassOptions &options)
      : KernelOutliner(module, cpuStrategies), options(options) {}

  using KernelOutliner::outline;

private:
  void prepare(KernelFunction &function) override {
    function.vectorBits = options.vectorBits;
    function.vectorRegisters = options.vectorRegisters;
    function.multipliesAndAdds = options.multipliesAndAdds;
    function.multipliesBF16Pairs = options.multipliesBF16Pairs;
    function.alwaysPanels = options.alwaysPanels;
    function.alwaysThreads = options.alwaysThreads;
  }
  ModuleOp getCode() override { return module; }
  std::string getName(KernelOp) override {
    return "kernel_" + std::to_string(library.size());
  }
  KernelSignature getSignature() override { return {}; }
  void finish(LLVM::LLVMFuncOp, const LaunchShape &) override {}
  void declare(LLVM::LLVMFuncOp, const LaunchShape &, bool reports) override;

  const KernelToCPUPassOptions options;
};

} // namespace

/// Declares the runtime's function for bad indexes, if the kernel calls it.
void CPUOutliner::declare(LLVM::LLVMFuncOp, const LaunchShape &, bool reports) {
  if (!reports || module.lookupSymbol(kReportIndex.name))
    return;
  OpBuilder b = OpBuilder::atBlockBegin(module.getBody());
  LLVM::LLVMFuncOp::create(b, module.getLoc(), kReportIndex.name,
                           runtime::getType(b.getContext(), kReportIndex));
}

namespace {
struct KernelToCPUPass : impl::KernelToCPUPassBase<KernelToCPUPass> {
  using KernelToCPUPassBase::KernelToCPUPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    CPUOutliner outliner(module,
                         {vectorBits, vectorRegisters, multipliesAndAdds,
                          multipliesBF16Pairs, alwaysPanels, alwaysThreads});
    SmallVector<KernelOp> kernels;
    module.walk([&](KernelOp kernel) {
      if (!kernel.isOnGPU())
        kernels.push_back(kernel);
    });
    for (KernelOp kernel : kernels)
      if (failed(outliner.outline(kernel)))
        return signalPassFailure();
  }
};
} // namespace
} // namespace tdc
