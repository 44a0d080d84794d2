//===- KernelToCPU.cpp - td.kernel -> function + td.launch ----------------===//
//
// Every kernel becomes an llvm.func whose body is loops, vectors and loads. Two
// kernels that come out alike are one function: flat nests take their size as
// an argument, so that an optimizer's step is one function for all parameters.
//
//===----------------------------------------------------------------------===//

#include "Conversion/KernelToCPU.h"
#include "Conversion/KernelBody/KernelOutlining.h"
#include "NestEmitter.h"
#include "NestSchedule.h"
#include "ScanEmitter.h"
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

class KernelOutliner {
public:
  KernelOutliner(ModuleOp module, int64_t vectorBits, int64_t vectorRegisters)
      : module(module), builder(module.getContext()), vectorBits(vectorBits),
        vectorRegisters(vectorRegisters) {}

  LogicalResult outline(KernelOp kernel);

  bool anyReports = false; ///< whether a kernel so far may report a bad index

private:
  ModuleOp module;
  OpBuilder builder;
  int64_t vectorBits, vectorRegisters;
  KernelLibrary library;
};

/// Pairs (input, result) that may share a buffer: nothing of the input is read
/// but the element that the result will stand on, and never after that was
/// stored.
SmallVector<int64_t> findInPlace(KernelOp kernel, const LoopNest &nest,
                                 const KernelFunction &function) {
  SmallVector<int64_t> pairs;
  LoopSet reduced = 0;
  for (const Reduction &reduction : nest.getReductions())
    reduced |= reduction.parallel;
  for (auto [i, root] : llvm::enumerate(nest.getRoots())) {
    // A loop that the root lacks would come back to its elements, unless a
    // register tile holds that loop in full.
    LoopSet missing =
        nest.getRootLoops() & ~nest.getLoopsOf(root.tensor, *root.at);
    if (missing & ~reduced)
      continue;
    for (BlockArgument argument : kernel.getBody().front().getArguments())
      if (mayStandOn(function, nest, argument, i))
        pairs.append({int64_t(argument.getArgNumber()), int64_t(i)});
  }
  return pairs;
}

/// The same for an update: its own input is overwritten where it lies, if what
/// is written there does not read it too.
SmallVector<int64_t> findInPlace(UpdateOp update) {
  auto input = dyn_cast_if_present<BlockArgument>(update.getBase());
  if (!input || !input.hasOneUse())
    return {};
  return {int64_t(input.getArgNumber()), 0};
}

} // namespace

LogicalResult KernelOutliner::outline(KernelOp kernel) {
  Block &body = kernel.getBody().front();
  SmallVector<Value> roots(body.getTerminator()->getOperands());
  KernelFunction function(builder, kernel);
  function.vectorBits = vectorBits;
  function.vectorRegisters = vectorRegisters;

  auto update = roots.front().getDefiningOp<UpdateOp>();
  auto scan = roots.front().getDefiningOp<ScanOp>();
  FailureOr<LoopNest> nest = failure();
  if (!update && !scan) {
    nest = LoopNest::getOfKernel(roots);
    if (failed(nest))
      return kernel.emitError("no loops compute this kernel");
  }
  bool isFlat = succeeded(nest) && isFlatNest(*nest, function);
  KernelSignature signature;
  signature.isFlat = isFlat;
  LLVM::LLVMFuncOp func = function.create(
      module, "kernel_" + std::to_string(library.size()), signature);
  if (isFlat)
    emitFlatNest(function, *nest);
  else if (succeeded(nest))
    emitNest(function, *nest);
  else if (failed(scan ? emitScan(function, scan)
                       : emitUpdate(function, update)))
    return failure();
  LLVM::ReturnOp::create(builder, kernel.getLoc(), ValueRange());

  SmallVector<int64_t> inPlace;
  if (succeeded(nest))
    inPlace = findInPlace(kernel, *nest, function);
  else if (update)
    inPlace = findInPlace(update);

  OpBuilder host(kernel);
  SmallVector<Value> inputs(kernel.getInputs());
  if (isFlat)
    inputs.push_back(getElementCount(host, kernel.getResult(0)));
  func = library.share(func, function.reports);
  anyReports |= function.reports;
  auto launch =
      LaunchOp::create(host, kernel.getLoc(), kernel.getResultTypes(),
                       func.getSymName(), inputs, kernel.getSizes(),
                       /*blocks=*/Value(), inPlace, /*starts_as=*/nullptr);
  kernel.replaceAllUsesWith(launch.getResults());
  kernel.erase();
  return success();
}

namespace {
struct KernelToCPUPass : impl::KernelToCPUPassBase<KernelToCPUPass> {
  using KernelToCPUPassBase::KernelToCPUPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    KernelOutliner outliner(module, vectorBits, vectorRegisters);
    SmallVector<KernelOp> kernels;
    module.walk([&](KernelOp kernel) {
      if (!kernel.isOnGPU())
        kernels.push_back(kernel);
    });
    for (KernelOp kernel : kernels)
      if (failed(outliner.outline(kernel)))
        return signalPassFailure();
    if (outliner.anyReports && !module.lookupSymbol(kReportIndex))
      declareReport(module);
  }

  void declareReport(ModuleOp module) {
    OpBuilder b = OpBuilder::atBlockBegin(module.getBody());
    Type pointer = LLVM::LLVMPointerType::get(&getContext());
    Type i64 = b.getI64Type(), i32 = b.getI32Type();
    LLVM::LLVMFuncOp::create(
        b, module.getLoc(), kReportIndex,
        LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(&getContext()),
                                    {pointer, i64, i64, i32}));
  }
};
} // namespace
} // namespace tdc
