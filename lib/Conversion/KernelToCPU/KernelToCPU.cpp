//===- KernelToCPU.cpp - td.kernel -> function + td.launch ----------------===//
//
// Every kernel becomes an llvm.func of loops, vectors and loads. Equal
// functions are shared: flat nests take their size as an argument, so that an
// optimizer's step is one function for all parameters.
//
//===----------------------------------------------------------------------===//

#include "Conversion/KernelToCPU.h"
#include "BorderedNest.h"
#include "Dialect/TD/Analysis/Sizes.h"
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

/// Bytes of the slots on the CPU.
int64_t countStateBytes(ModuleOp module) {
  int64_t bytes = 0;
  for (auto slot : module.getOps<SlotOp>())
    if (auto type = dyn_cast<RankedTensorType>(slot.getType());
        type && getPlace(type).kind != Place::Kind::Cuda)
      bytes = llvm::SaturatingAdd<uint64_t>(bytes, estimateBytes(type));
  return bytes;
}

class CPUOutliner final : public KernelOutliner {
public:
  CPUOutliner(ModuleOp module, const KernelToCPUPassOptions &options)
      : KernelOutliner(module, cpuStrategies), options(options),
        stateBytes(countStateBytes(module)) {}

  using KernelOutliner::outline;

private:
  void prepare(KernelFunction &function) override {
    function.vectorBits = options.vectorBits;
    function.vectorRegisters = options.vectorRegisters;
    function.multipliesAndAdds = options.multipliesAndAdds;
    function.multipliesBF16Pairs = options.multipliesBF16Pairs;
    function.alwaysPanels = options.alwaysPanels;
    function.alwaysThreads = options.alwaysThreads;
    function.stateBytes = stateBytes;
  }
  ModuleOp getCode() override { return module; }
  std::string getName(KernelOp) override {
    return "kernel_" + std::to_string(library.size());
  }
  KernelSignature getSignature() override { return {}; }
  void finish(LLVM::LLVMFuncOp, const LaunchShape &) override {}
  void declare(LLVM::LLVMFuncOp, const LaunchShape &,
               KernelReports reports) override;

  const KernelToCPUPassOptions options;
  const int64_t stateBytes;
};

} // namespace

/// Declares the functions of the runtime that the kernel calls.
void CPUOutliner::declare(LLVM::LLVMFuncOp, const LaunchShape &,
                          KernelReports reports) {
  OpBuilder b = OpBuilder::atBlockBegin(module.getBody());
  auto declareOnce = [&](const auto &function) {
    if (!module.lookupSymbol(function.name))
      LLVM::LLVMFuncOp::create(b, module.getLoc(), function.name,
                               runtime::getType(b.getContext(), function));
  };
  if (reports.indices)
    declareOnce(kReportIndex);
  if (reports.values)
    declareOnce(kReportValue);
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
