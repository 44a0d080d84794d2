//===- Tensors.cpp - compute ops ------------------------------------------===//
//
// Each call creates one op. Result types come from the checker; an op with the
// result type of an operand takes it from the operand.
//
//===----------------------------------------------------------------------===//

#include "MLIREmitter.h"

using namespace mlir;

namespace tdc {

//===----------------------------------------------------------------------===//
// Constructors
//===----------------------------------------------------------------------===//

/// A bool is a byte in the language and a bit in MLIR's raw buffers.
Value MLIREmitter::tensorConstant(llvm::ArrayRef<char> rowMajorBytes,
                                  const TensorShape &type) {
  RankedTensorType tensor = getType(type);
  DenseElementsAttr value;
  if (type.dtype == DType::Bool) {
    llvm::SmallVector<bool> bits;
    for (char byte : rowMajorBytes)
      bits.push_back(byte != 0);
    value = DenseElementsAttr::get(tensor, bits);
  } else {
    value = DenseElementsAttr::getFromRawBuffer(tensor, rowMajorBytes);
  }
  return wrap(create<td::ConstantOp>(tensor, value));
}

RandomCall MLIREmitter::nextRandom() {
  auto next = create<td::NextRandomOp>();
  return {wrap(next.getSeed()), wrap(next.getCall())};
}

Value MLIREmitter::random(td::Distribution distribution, RandomCall call,
                          llvm::ArrayRef<Value> bounds,
                          llvm::ArrayRef<Value> sizes,
                          const TensorShape &type) {
  return wrap(create<td::RandomOp>(getType(type), distribution,
                                   unwrap(call.seed), unwrap(call.number),
                                   unwrap(bounds), unwrap(sizes)));
}

//===----------------------------------------------------------------------===//
// Arithmetic and movement
//===----------------------------------------------------------------------===//

static AffineMap getMap(const CoordinateSums &sums, MLIRContext *context) {
  SmallVector<AffineExpr> variables, coordinates;
  for (unsigned dim = 0; dim < sums.dims; ++dim)
    variables.push_back(getAffineDimExpr(dim, context));
  for (unsigned offset = 0; offset < sums.offsets; ++offset)
    variables.push_back(getAffineSymbolExpr(offset, context));
  size_t each = variables.size() + 1;
  for (llvm::ArrayRef<int64_t> rest = sums.numbers; !rest.empty();
       rest = rest.drop_front(each)) {
    AffineExpr sum = getAffineConstantExpr(0, context);
    for (auto [variable, factor] : llvm::zip(variables, rest))
      sum = sum + variable * factor;
    coordinates.push_back(sum + rest[each - 1]);
  }
  return AffineMap::get(sums.dims, sums.offsets, coordinates, context);
}

/// The attribute in MLIR; null for a bool that is false.
static Attribute getAttribute(Builder &builder, const OpAttribute &attribute) {
  MLIRContext *context = builder.getContext();
  if (auto *number = std::get_if<int64_t>(&attribute.value))
    return builder.getI64IntegerAttr(*number);
  if (auto *list = std::get_if<llvm::ArrayRef<int64_t>>(&attribute.value))
    return builder.getDenseI64ArrayAttr(*list);
  if (auto *kind = std::get_if<td::ReduceKind>(&attribute.value))
    return td::ReduceKindAttr::get(context, *kind);
  if (auto *isSet = std::get_if<bool>(&attribute.value))
    return *isSet ? builder.getUnitAttr() : Attribute();
  if (auto *sums = std::get_if<CoordinateSums>(&attribute.value))
    return AffineMapAttr::get(getMap(*sums, context));
  return td::ComparePredicateAttr::get(
      context, std::get<td::ComparePredicate>(attribute.value));
}

Value MLIREmitter::op(OpKind kind, llvm::ArrayRef<Value> operands,
                      llvm::ArrayRef<OpAttribute> attributes,
                      const TensorShape &type) {
  const OpInfo &info = getOpInfo(kind);
  OperationState state(getLocation(), ("td." + info.mnemonic).str());
  state.addTypes(getType(type));
  state.addOperands(unwrap(operands));
  for (const OpAttribute &attribute : attributes)
    if (Attribute value = getAttribute(builder, attribute))
      state.addAttribute(attribute.name, value);
  // An op with two lists: each of its tensors, the first list, and the sizes.
  if (state.name.hasTrait<OpTrait::AttrSizedOperandSegments>()) {
    SmallVector<int32_t> segments(info.operands, 1);
    int32_t sizes = info.takesSizes ? llvm::count(type.dims, kRunTimeSize) : 0;
    segments.push_back(operands.size() - segments.size() - sizes);
    segments.push_back(sizes);
    state.addAttribute("operandSegmentSizes",
                       builder.getDenseI32ArrayAttr(segments));
  }
  return wrap(builder.create(state)->getResult(0));
}

Value MLIREmitter::toDevice(Value input, const TensorShape &type,
                            Transfer transfer) {
  std::optional<td::CopyRole> role;
  if (transfer == Transfer::Rows)
    role = td::CopyRole::Rows;
  if (transfer == Transfer::Replica)
    role = td::CopyRole::Replica;
  bool isKept = transfer == Transfer::Kept ||
                (role && (*module)->hasAttr(td::kAsWrittenAttr));
  bool isImplied = transfer != Transfer::Written && transfer != Transfer::Kept;
  auto copy = create<td::ToDeviceOp>(getType(type), unwrap(input), isImplied,
                                     isKept, transfer == Transfer::Pinned,
                                     transfer == Transfer::Home);
  copy.setRole(role);
  return wrap(copy);
}

Value MLIREmitter::detach(Value input) {
  mlir::Value value = unwrap(input);
  return wrap(create<td::DetachOp>(value.getType(), value));
}

Value MLIREmitter::roundGradient(Value input, const TensorShape &narrow) {
  mlir::Value value = unwrap(input);
  return wrap(create<td::RoundGradientOp>(value.getType(), value,
                                          getType(narrow).getElementType()));
}

//===----------------------------------------------------------------------===//
// To the host
//===----------------------------------------------------------------------===//

Value MLIREmitter::dim(Value tensor, int64_t index) {
  return wrap(create<td::DimOp>(builder.getI64Type(), unwrap(tensor), index));
}

Value MLIREmitter::item(Value tensor) {
  mlir::Value value = unwrap(tensor);
  DType dtype = td::getDType(getElementTypeOrSelf(value));
  HostType type = isFloat(dtype)         ? HostType::Float
                  : dtype == DType::Bool ? HostType::Bool
                                         : HostType::Int;
  return wrap(create<td::ItemOp>(getHostType(type), value));
}

} // namespace tdc
