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
  signature.hasBlocks = plan->hasBlocks;
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
  LLVM::LLVMFuncOp shared = library.share(code, function.reports.any());
  if (shared == code)
    declare(code, *shape, function.reports);
  SmallVector<Type> results(kernel.getResultTypes());
  if (plan->scratch)
    results.push_back(plan->scratch);
  auto launch = LaunchOp::create(
      host, kernel.getLoc(), results, shared.getSymName(), inputs,
      kernel.getSizes(), makeBlocks(host, kernel, *shape),
      shape->work ? host.getI64IntegerAttr(shape->work) : IntegerAttr(),
      bool(plan->scratch), plan->inPlace,
      plan->startsAsInput ? host.getDenseI64ArrayAttr(plan->inPlace)
                          : DenseI64ArrayAttr());
  kernel.replaceAllUsesWith(
      launch.getResults().take_front(kernel.getNumResults()));
  kernel.erase();
  return success();
}

Value KernelOutliner::makeBlocks(OpBuilder &host, KernelOp kernel,
                                 const LaunchShape &shape) {
  Location loc = kernel.getLoc();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIntOp::create(host, loc, value, 64);
  };
  if (shape.blocks)
    return constant(*shape.blocks);
  if (shape.tile.empty() && shape.elements == 0)
    return Value();
  // The number of blocks: `known`, times `runTime` unless that is null.
  int64_t known = shape.blocksOfTile;
  Value runTime, result = kernel.getResult(0);
  auto multiply = [&](Value a, Value b) -> Value {
    return a ? arith::MulIOp::create(host, loc, a, b).getResult() : b;
  };
  auto divide = [&](ArrayRef<unsigned> dims, int64_t extent) {
    int64_t positions = 1;
    Value others;
    for (unsigned dim : dims)
      if (auto type = cast<RankedTensorType>(result.getType());
          type.isDynamicDim(dim))
        others = multiply(others, getSize(host, loc, result, dim));
      else
        positions *= type.getDimSize(dim);
    if (!others) {
      known *= llvm::divideCeil(positions, extent);
      return;
    }
    if (positions != 1)
      others = multiply(others, constant(positions));
    if (extent != 1) {
      others = arith::AddIOp::create(host, loc, others, constant(extent - 1));
      others = arith::DivUIOp::create(host, loc, others, constant(extent));
    }
    runTime = multiply(runTime, others);
  };
  for (const LaunchShape::TiledDims &tiled : shape.tile)
    divide(tiled.dims, tiled.extent);
  if (shape.tile.empty()) {
    int64_t rank = cast<RankedTensorType>(result.getType()).getRank();
    divide(llvm::to_vector(llvm::seq<unsigned>(0, rank)), shape.elements);
  }
  Value blocks = !runTime     ? constant(known)
                 : known == 1 ? runTime
                              : multiply(runTime, constant(known));
  if (shape.mostBlocks == 0)
    return blocks;
  // At least one: a kernel without a result may have a bad index to report.
  blocks = host.createOrFold<arith::MaxUIOp>(loc, blocks, constant(1));
  return host.createOrFold<arith::MinUIOp>(loc, blocks,
                                           constant(shape.mostBlocks));
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
