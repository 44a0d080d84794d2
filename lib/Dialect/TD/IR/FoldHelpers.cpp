//===- FoldHelpers.cpp - constants and sizes, for folders -----------------===//

#include "OpHelpers.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APSInt.h"

using namespace mlir;
using namespace tdc;
using namespace tdc::td;

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

bool td::isExactCast(DType from, DType to) {
  if (from == to || from == DType::Bool)
    return true;
  if (to == DType::Bool || (isFloat(from) && !isFloat(to)))
    return false;
  if (isFloat(from))
    // f16 and bf16 do not contain each other: one has the longer significand,
    // the other the wider range.
    return byteSize(from) < byteSize(to);
  // The sign takes a bit.
  unsigned magnitude = 8 * byteSize(from) - !isUnsigned(from);
  if (isFloat(to))
    return magnitude <= significandBits(to);
  if (isUnsigned(to) && !isUnsigned(from))
    return false;
  return magnitude <= 8 * byteSize(to) - !isUnsigned(to);
}

static APSInt toAPSInt(IntegerAttr value) {
  // i1 is bool: 0 or 1, not 0 or -1.
  Type type = value.getType();
  return APSInt(value.getValue(),
                type.isUnsignedInteger() || type.isInteger(1));
}

Attribute td::convertElement(Attribute value, Type elementType) {
  if (auto number = dyn_cast<IntegerAttr>(value)) {
    APSInt integer = toAPSInt(number);
    if (auto floatType = dyn_cast<FloatType>(elementType)) {
      APFloat result(floatType.getFloatSemantics());
      result.convertFromAPInt(integer, integer.isSigned(),
                              APFloat::rmNearestTiesToEven);
      return FloatAttr::get(elementType, result);
    }
    if (elementType.isInteger(1))
      return IntegerAttr::get(elementType, APInt(1, !integer.isZero()));
    return IntegerAttr::get(
        elementType, integer.extOrTrunc(elementType.getIntOrFloatBitWidth()));
  }
  APFloat number = cast<FloatAttr>(value).getValue();
  bool ignored;
  if (auto floatType = dyn_cast<FloatType>(elementType)) {
    number.convert(floatType.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                   &ignored);
    return FloatAttr::get(elementType, number);
  }
  if (elementType.isInteger(1))
    return IntegerAttr::get(elementType, APInt(1, !number.isZero()));
  // The conversion saturates, and gives 0 for NaN.
  APSInt result(elementType.getIntOrFloatBitWidth(),
                elementType.isUnsignedInteger());
  number.convertToInteger(result, APFloat::rmTowardZero, &ignored);
  return IntegerAttr::get(elementType, result);
}

//===----------------------------------------------------------------------===//
// Uniform tensors
//===----------------------------------------------------------------------===//

Attribute td::getUniform(Value tensor) {
  Attribute value;
  if (auto fill = tensor.getDefiningOp<FillOp>()) {
    if (!matchPattern(fill.getValue(), m_Constant(&value)))
      return {};
    return convertElement(value, fill.getType().getElementType());
  }
  if (auto constant = tensor.getDefiningOp<ConstantOp>())
    if (auto splat = dyn_cast<SplatElementsAttr>(constant.getValue()))
      return splat.getSplatValue<Attribute>();
  return {};
}

bool td::isUniform(Value tensor, int64_t value) {
  Attribute element = getUniform(tensor);
  if (auto number = dyn_cast_if_present<FloatAttr>(element))
    return number.getValueAsDouble() == double(value);
  if (auto number = dyn_cast_if_present<IntegerAttr>(element))
    return toAPSInt(number) == value;
  return false;
}

FillOp td::createFill(OpBuilder &builder, Location loc, Attribute element,
                      ValueRange sizes, RankedTensorType type) {
  Type elementType = type.getElementType();
  Type hostType = isa<FloatType>(elementType) ? Type(builder.getF64Type())
                  : elementType.isInteger(1)  ? Type(builder.getI1Type())
                                              : Type(builder.getI64Type());
  auto host = cast<TypedAttr>(convertElement(element, hostType));
  Value scalar = arith::ConstantOp::create(builder, loc, host);
  return FillOp::create(builder, loc, type, scalar, sizes);
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

bool td::isSizeOf(Value size, Value tensor, int64_t dim) {
  if (findSize(tensor, dim) == size)
    return true;
  auto ask = size.getDefiningOp<DimOp>();
  return ask && ask.getInput() == tensor && int64_t(ask.getIndex()) == dim;
}

FailureOr<Value> td::findOrMakeSize(PatternRewriter &rewriter, Operation *op,
                                    Value tensor, int64_t dim) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (!type.isDynamicDim(dim))
    return arith::ConstantOp::create(
               rewriter, op->getLoc(),
               rewriter.getI64IntegerAttr(type.getDimSize(dim)))
        .getResult();
  if (Value size = findSize(tensor, dim))
    return size;
  if (op->getParentOfType<KernelOp>())
    return rewriter.notifyMatchFailure(op, "no td.dim in a kernel");
  return rewriter.createOrFold<DimOp>(op->getLoc(), tensor, dim);
}

FailureOr<SmallVector<Value>> td::findOrMakeSizes(PatternRewriter &rewriter,
                                                  Operation *op, Value tensor) {
  SmallVector<Value> sizes;
  auto type = cast<RankedTensorType>(tensor.getType());
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    if (!type.isDynamicDim(dim))
      continue;
    FailureOr<Value> size = findOrMakeSize(rewriter, op, tensor, dim);
    if (failed(size))
      return failure();
    sizes.push_back(*size);
  }
  return sizes;
}
