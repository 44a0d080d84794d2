//===- KernelFunction.cpp - the function that a kernel becomes ------------===//

#include "CodeGen/KernelFunction.h"
#include "CodeGen/ElementOps.h"
#include "Dialect/TD/Analysis/Sizes.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace tdc::td;

namespace tdc {

//===----------------------------------------------------------------------===//
// The signature
//===----------------------------------------------------------------------===//

KernelFunction::KernelFunction(OpBuilder &builder, KernelOp kernel)
    : builder(builder), loc(kernel.getLoc()), kernel(kernel) {
  Block &body = kernel.getBody().front();
  unsigned index = 0;
  for (BlockArgument argument : body.getArguments()) {
    if (isa<RankedTensorType>(argument.getType()))
      layouts[argument] = td::getLayout(kernel, index);
    ++index;
  }
  for (size_t i = 0; i < kernel.getNumResults(); ++i)
    resultLayouts.push_back(td::getLayout(kernel, index++));
}

LLVM::LLVMFuncOp KernelFunction::create(ModuleOp module, llvm::StringRef name,
                                        KernelSignature signature) {
  MLIRContext *context = module.getContext();
  auto pointer = LLVM::LLVMPointerType::get(context);
  Type i64Type = builder.getI64Type();
  Block &body = kernel.getBody().front();
  ValueRange results = body.getTerminator()->getOperands();

  SmallVector<Type> types = {pointer};
  for (Value argument : body.getArguments()) {
    Type type = argument.getType();
    if (isa<RankedTensorType>(type))
      type = pointer;
    else if (signature.passesWords && !type.isF64())
      type = i64Type;
    types.push_back(type);
  }
  if (signature.isFlat)
    types.push_back(i64Type);
  types.append(results.size() + signature.hasScratch, pointer);
  auto countSizes = [](ValueRange values) {
    int64_t count = 0;
    for (Value value : values)
      if (auto type = dyn_cast<RankedTensorType>(value.getType()))
        count += type.getNumDynamicDims();
    return count;
  };
  types.append(countSizes(body.getArguments()) + countSizes(results), i64Type);
  types.append(signature.hasBlocks ? 2 : 0, i64Type);

  builder.setInsertionPointToEnd(module.getBody());
  auto type =
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context), types);
  code = LLVM::LLVMFuncOp::create(builder, loc, name, type,
                                  LLVM::Linkage::Internal);
  Block *entry = code.addEntryBlock(builder);
  builder.setInsertionPointToStart(entry);

  unsigned next = 0;
  this->context = entry->getArgument(next++);
  for (Value argument : body.getArguments()) {
    Value own = entry->getArgument(next++);
    if (isa<RankedTensorType>(argument.getType()))
      pointers[argument] = own;
    else if (own.getType() != argument.getType())
      scalars[argument] =
          arith::TruncIOp::create(builder, loc, argument.getType(), own);
    else
      scalars[argument] = own;
  }
  if (signature.isFlat)
    flatSize = entry->getArgument(next++);
  for (size_t i = 0; i < results.size(); ++i)
    resultPointers.push_back(entry->getArgument(next++));
  if (signature.hasScratch)
    scratch = entry->getArgument(next++);
  auto takeSizes = [&](ValueRange values) {
    for (Value value : values)
      if (auto tensor = dyn_cast<RankedTensorType>(value.getType()))
        for (unsigned dim = 0; dim < tensor.getRank(); ++dim)
          if (tensor.isDynamicDim(dim))
            sizes.try_emplace({value, dim}, entry->getArgument(next++));
  };
  takeSizes(body.getArguments());
  takeSizes(results);
  if (signature.hasBlocks) {
    firstBlock = entry->getArgument(next++);
    endBlock = entry->getArgument(next++);
  }
  for (Operation &op : body)
    if (auto constant = dyn_cast<arith::ConstantOp>(op))
      scalars[constant.getResult()] = builder.clone(op)->getResult(0);
  return code;
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

Value KernelFunction::i64(int64_t value) {
  return arith::ConstantIntOp::create(builder, loc, value, 64);
}

Value KernelFunction::index(int64_t value) {
  return arith::ConstantIntOp::create(builder, loc, value, indexBits);
}

Value KernelFunction::toIndex(Value value) {
  unsigned bits = getElementTypeOrSelf(value.getType()).getIntOrFloatBitWidth();
  Type index = getTypeLike(builder.getIntegerType(indexBits), value);
  if (bits < indexBits)
    return arith::ExtUIOp::create(builder, loc, index, value);
  if (bits > indexBits)
    return arith::TruncIOp::create(builder, loc, index, value);
  return value;
}

Value KernelFunction::toI64(Value index) {
  if (indexBits == 64)
    return index;
  return arith::ExtSIOp::create(
      builder, loc, getTypeLike(builder.getI64Type(), index), index);
}

Value KernelFunction::getSize(Value tensor, unsigned dim) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (!type.isDynamicDim(dim))
    return i64(type.getDimSize(dim));
  if (Value known = sizes.lookup({tensor, dim}))
    return known;
  // Derives the size from the ops of the body, in terms of its arguments. The
  // ops created here are in the kernel's body; `translate` copies them to the
  // function.
  OpBuilder inBody(kernel.getBody().front().getTerminator());
  Value size = td::getSize(inBody, loc, tensor, dim);
  std::function<Value(Value)> translate = [&](Value value) -> Value {
    if (Value known = scalars.lookup(value))
      return known;
    Operation *op = value.getDefiningOp();
    if (auto dimOp = dyn_cast<DimOp>(op))
      return sizes.lookup({dimOp.getInput(), unsigned(dimOp.getIndex())});
    IRMapping mapping;
    for (Value operand : op->getOperands())
      mapping.map(operand, translate(operand));
    return builder.clone(*op, mapping)->getResult(0);
  };
  return translate(size);
}

Value KernelFunction::getExtent(const Loop &loop) {
  return toIndex(getSize(loop.tensor, loop.dim));
}

Value KernelFunction::getPickedSize(Operation *picker) {
  return getSize(picker->getOperand(0), cast<Picker>(picker).getDim());
}

void KernelFunction::reportIndex(OpBuilder &at, Operation *picker,
                                 Value index) {
  reports.indices = true;
  Location pickerLoc = picker->getLoc();
  // td-to-runtime numbers the lines of cpu kernels, gpu-to-image those of GPU
  // kernels.
  Value site = arith::ConstantIntOp::create(at, pickerLoc, -1, 32);
  LLVM::CallOp::create(at, pickerLoc,
                       runtime::getType(at.getContext(), kReportIndex),
                       kReportIndex.name,
                       ValueRange{context, index, getPickedSize(picker), site});
}

void KernelFunction::reportValue(OpBuilder &at, Operation *watch, Value value) {
  reports.values = true;
  Location watchLoc = watch->getLoc();
  Value site = arith::ConstantIntOp::create(at, watchLoc, -1, 32);
  LLVM::CallOp::create(at, watchLoc,
                       runtime::getType(at.getContext(), kReportValue),
                       kReportValue.name, ValueRange{context, value, site});
}

RankedTensorType KernelFunction::getTypeInMemory(Value tensor) const {
  auto part = parts.find(tensor);
  return part != parts.end() ? part->second
                             : cast<RankedTensorType>(tensor.getType());
}

Layout KernelFunction::getLayout(Value tensor) const {
  auto known = layouts.find(tensor);
  return known != layouts.end() ? known->second : getRowMajor(tensor);
}

void numberReports(ModuleOp module,
                   llvm::function_ref<int32_t(Location)> getNumber) {
  if (!module.lookupSymbol(kReportIndex.name) &&
      !module.lookupSymbol(kReportValue.name))
    return;
  for (auto kernel : module.getOps<LLVM::LLVMFuncOp>())
    kernel.walk([&](LLVM::CallOp call) {
      if (call.getCallee() != kReportIndex.name &&
          call.getCallee() != kReportValue.name)
        return;
      OpBuilder b(call);
      Value number = LLVM::ConstantOp::create(b, call.getLoc(), b.getI32Type(),
                                              getNumber(call.getLoc()));
      call.setOperand(call.getArgOperands().size() - 1, number);
    });
}

bool isFlatNest(const LoopNest &nest, const KernelFunction &function) {
  if (!nest.getReductions().empty() || nest.getLoops().empty())
    return false;
  KernelOp kernel = function.kernel;
  // td.iota and td.random number the elements of their own result. That number
  // is the position in a flat nest only if no movement op is in the nest.
  bool isNumbered = false, isMoved = false;
  for (Operation &op : kernel.getBody().front()) {
    if (!nest.isInside(&op))
      continue;
    isNumbered |= hasFamily(&op, OpFamily::Constructor) &&
                  !cast<ComputeOp>(op).getElement();
    isMoved |= hasFamily(&op, OpFamily::Movement);
  }
  if (isNumbered && isMoved)
    return false;
  SmallVector<int> first;
  auto isAlike = [&](const Access &access, const Layout &layout) {
    auto type = cast<RankedTensorType>(access.tensor.getType());
    SmallVector<int> order;
    for (int64_t dim : layout.order) {
      Coordinate at = (*access.at)[dim];
      int loop = td::getLoop(at);
      if (loop < 0 && at != 0)
        return false;
      // A difference means that the nest skips elements of the tensor.
      if (type.getDimSize(dim) != (loop < 0 ? 1 : nest.getLoops()[loop].extent))
        return false;
      if (loop >= 0)
        order.push_back(loop);
    }
    if (order.empty())
      return true;
    if (order.size() != nest.getLoops().size() || (layout.block && isNumbered))
      return false;
    order.push_back(int(layout.block));
    if (first.empty())
      first = order;
    return order == first;
  };
  for (auto [i, root] : llvm::enumerate(nest.getRoots()))
    if (!isAlike(root, function.resultLayouts[i]))
      return false;
  for (const Access &input : nest.getInputs())
    if (!isAlike(input, function.getLayout(input.tensor)))
      return false;
  return true;
}

} // namespace tdc
