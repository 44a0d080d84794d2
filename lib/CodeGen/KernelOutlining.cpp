//===- KernelOutlining.cpp - td.kernel ops become launches ----------------===//

#include "CodeGen/KernelOutlining.h"
#include "Dialect/TD/Analysis/Sizes.h"
#include "mlir/IR/OperationSupport.h"

using namespace mlir;
using namespace tdc::td;

namespace tdc {

LLVM::LLVMFuncOp KernelLibrary::share(LLVM::LLVMFuncOp function, bool reports) {
  auto flags = reports ? OperationEquivalence::None
                       : OperationEquivalence::IgnoreLocations;
  for (LLVM::LLVMFuncOp known : functions)
    if (known.getFunctionType() == function.getFunctionType() &&
        known->getDiscardableAttrDictionary() ==
            function->getDiscardableAttrDictionary() &&
        OperationEquivalence::isRegionEquivalentTo(
            &known.getBody(), &function.getBody(), flags)) {
      function.erase();
      return known;
    }
  functions.push_back(function);
  return function;
}

std::optional<KernelPlan> KernelOutliner::match(KernelCandidate &kernel) {
  for (Strategy strategy : strategies)
    if (std::optional<KernelPlan> plan = strategy(kernel))
      return plan;
  return std::nullopt;
}

LogicalResult KernelOutliner::outline(KernelOp kernel, int64_t sections) {
  KernelFunction function(builder, kernel);
  prepare(function);
  KernelCandidate candidate{function, std::nullopt, sections};
  SmallVector<Value> roots(
      kernel.getBody().front().getTerminator()->getOperands());
  if (FailureOr<LoopNest> nest = LoopNest::getOfKernel(roots); succeeded(nest))
    candidate.nest = std::move(*nest);
  std::optional<KernelPlan> plan = match(candidate);
  if (!plan)
    return kernel.emitError("no loops compute this kernel");

  KernelSignature signature = getSignature();
  signature.isFlat = plan->isFlat;
  signature.hasScratch = bool(plan->scratch);
  LLVM::LLVMFuncOp code =
      function.create(getCode(), getName(kernel), signature);
  FailureOr<LaunchShape> shape = plan->emit(function);
  if (failed(shape))
    return failure();
  LLVM::ReturnOp::create(builder, kernel.getLoc(), ValueRange());
  finish(code, *shape);

  OpBuilder host(kernel);
  SmallVector<Value> inputs(kernel.getInputs());
  if (plan->isFlat)
    inputs.push_back(getElementCount(host, kernel.getResult(0)));
  LLVM::LLVMFuncOp shared = library.share(code, function.reports);
  if (shared == code)
    declare(code, *shape, function.reports);
  SmallVector<Type> results(kernel.getResultTypes());
  if (plan->scratch)
    results.push_back(plan->scratch);
  auto launch = LaunchOp::create(
      host, kernel.getLoc(), results, shared.getSymName(), inputs,
      kernel.getSizes(), makeBlocks(host, kernel, *shape), plan->inPlace,
      plan->startsAsInput ? host.getDenseI64ArrayAttr(plan->inPlace)
                          : DenseI64ArrayAttr());
  kernel.replaceAllUsesWith(
      launch.getResults().take_front(kernel.getNumResults()));
  kernel.erase();
  return success();
}

Value getElementCount(OpBuilder &builder, Value tensor) {
  Location loc = tensor.getLoc();
  auto type = cast<RankedTensorType>(tensor.getType());
  int64_t known = 1;
  for (int64_t extent : type.getShape())
    known *= ShapedType::isDynamic(extent) ? 1 : extent;
  Value count = arith::ConstantIntOp::create(builder, loc, known, 64);
  for (Value size : td::getRunTimeSizes(builder, loc, tensor))
    count = arith::MulIOp::create(builder, loc, count, size);
  return count;
}

bool mayReplace(const KernelFunction &function, const LoopNest &nest,
                BlockArgument input, unsigned root) {
  const Access &result = nest.getRoots()[root];
  return result.tensor.getType() == input.getType() &&
         function.resultLayouts[root] == function.getLayout(input) &&
         llvm::all_of(nest.getInputs(), [&](const Access &access) {
           return access.tensor != input || *access.at == *result.at;
         });
}

} // namespace tdc
