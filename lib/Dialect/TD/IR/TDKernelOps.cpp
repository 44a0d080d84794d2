//===- TDKernelOps.cpp - kernels and their launches -----------------------===//

#include "OpHelpers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace tdc;
using namespace tdc::td;

/// Whether the tensors that the op makes are on a GPU.
static bool makesOnGPU(Operation *op) {
  return op->getNumResults() != 0 &&
         getPlace(op->getResult(0)).kind == Place::Kind::Cuda;
}

bool KernelOp::isOnGPU() { return makesOnGPU(*this); }
bool LaunchOp::isOnGPU() { return makesOnGPU(*this); }

OperandRange LaunchOp::getSizesOf(OpResult result) {
  auto count = [](OpResult result) {
    return cast<RankedTensorType>(result.getType()).getNumDynamicDims();
  };
  int64_t before = 0;
  for (OpResult other :
       getOperation()->getResults().take_front(result.getResultNumber()))
    before += count(other);
  return getSizes().slice(before, count(result));
}

LogicalResult KernelOp::verify() {
  Block &body = getBody().front();
  // C1
  if (body.getArgumentTypes() != getInputs().getTypes())
    return emitOpError("expected block arguments of the inputs' types, ")
           << getInputs().getTypes() << ", got " << body.getArgumentTypes();
  // C2
  auto yield = dyn_cast<YieldOp>(body.back());
  if (!yield)
    return emitOpError("expected td.yield at the end, got '")
           << body.back().getName() << "'";
  if (yield.getOperandTypes() != getResultTypes())
    return (emitOpError("expected to yield the results' types, ")
            << getResultTypes() << ", got " << yield.getOperandTypes())
               .attachNote(yield.getLoc())
           << "yielded here";
  // C3
  for (Operation &op : body.without_terminator())
    if (!isa<ComputeOp, StageOp>(op) && !op.hasTrait<OpTrait::ConstantLike>())
      return (emitOpError(
                  "expected compute ops, stages and constants only, got '")
              << op.getName() << "'")
                 .attachNote(op.getLoc())
             << "this op";
  // C4
  if (failed(verifyKernelInputs(*this, getInputs().getTypes())))
    return failure();
  // C5
  return verifySizes(*this, getResultTypes(), getSizes());
}

LogicalResult StageOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                        ValueRange operands, DictionaryAttr,
                                        mlir::OpaqueProperties, RegionRange,
                                        SmallVectorImpl<Type> &types) {
  llvm::append_range(types, operands.getTypes());
  return success();
}

LogicalResult StageOp::verify() {
  // C1
  if (getLayouts() && getLayouts()->size() != getInputs().size())
    return emitOpError("expected ")
           << getInputs().size() << " layouts, got " << getLayouts()->size();
  return success();
}

LogicalResult LaunchOp::verifySymbolUses(SymbolTableCollection &symbols) {
  // C1
  Operation *callee = symbols.lookupNearestSymbolFrom(*this, getCalleeAttr());
  if (!isa_and_present<FunctionOpInterface, GPUKernelOp>(callee))
    return emitOpError("expected ")
           << getCalleeAttr() << " to be a function or a td.gpu_kernel";
  // C5
  bool isOfGPU = isa<GPUKernelOp>(callee);
  if (isOfGPU && !getBlocks())
    return emitOpError("expected blocks for a td.gpu_kernel");
  if (isOfGPU ? bool(getWork()) : bool(getWork()) != bool(getBlocks()))
    return emitOpError("expected work with the blocks of a function, and only "
                       "there");
  return success();
}

/// Bytes of a tensor of static size; none if it has a `?`.
static std::optional<int64_t> staticBytes(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  if (!tensor.hasStaticShape())
    return std::nullopt;
  return tensor.getNumElements() * byteSize(getDType(tensor.getElementType()));
}

LogicalResult LaunchOp::verify() {
  // C2
  if (failed(verifyKernelInputs(*this, getInputs().getTypes())))
    return failure();
  // C3
  if (failed(verifySizes(*this, getResultTypes(), getSizes())))
    return failure();
  // C4
  ArrayRef<int64_t> pairs = getInPlace();
  if (pairs.size() % 2 != 0)
    return emitOpError("expected pairs of an input and a result in in_place");
  for (size_t i = 0; i < pairs.size(); i += 2) {
    int64_t input = pairs[i], result = pairs[i + 1];
    if (input < 0 || input >= int64_t(getInputs().size()) || result < 0 ||
        result >= int64_t(getNumResults()))
      return emitOpError("expected in_place to name inputs and results, got ")
             << input << " and " << result;
    Type inputType = getInputs()[input].getType();
    Type resultType = getResult(result).getType();
    if (!isa<RankedTensorType>(inputType))
      return emitOpError("expected tensors in in_place, but input ")
             << input << " is " << inputType;
    std::optional<int64_t> a = staticBytes(inputType);
    std::optional<int64_t> b = staticBytes(resultType);
    if (a && b && *a != *b)
      return emitOpError("expected in_place tensors of equal size in bytes, "
                         "got ")
             << inputType << " and " << resultType;
  }
  // C6
  if (auto start = getStartsAs()) {
    bool isPair = false;
    for (size_t i = 0; i < pairs.size(); i += 2)
      isPair |= *start == pairs.slice(i, 2);
    if (!isPair)
      return emitOpError("expected starts_as to be a pair of in_place");
  }
  return success();
}
