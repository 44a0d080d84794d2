//===- KernelOutlining.cpp - a td.kernel leaves a td.launch ---------------===//

#include "Conversion/KernelBody/KernelOutlining.h"
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

bool mayStandOn(const KernelFunction &function, const LoopNest &nest,
                BlockArgument input, unsigned root) {
  const Access &result = nest.getRoots()[root];
  return result.tensor.getType() == input.getType() &&
         function.resultLayouts[root] == function.getLayout(input) &&
         llvm::all_of(nest.getInputs(), [&](const Access &access) {
           return access.tensor != input || *access.at == *result.at;
         });
}

} // namespace tdc
