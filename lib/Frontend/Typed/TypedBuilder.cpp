//===- TypedBuilder.cpp - making ops, and what they need of sizes ---------===//

#include "Frontend/Typed/TypedBuilder.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

namespace tdc {

std::string placeText(const Place &place) {
  return place.kind == Place::Kind::Free ? "cpu" : spelling(place);
}

std::string typeText(const TensorType &type) {
  std::string text = (spelling(type.dtype) + spelling(type.dims)).str();
  if (type.place.kind != Place::Kind::Free)
    text += " @" + spelling(type.place);
  return text;
}

Place sharedPlace(llvm::ArrayRef<Typed> tensors) {
  for (const Typed &tensor : tensors)
    if (tensor.type.place.kind != Place::Kind::Free)
      return tensor.type.place;
  return Place();
}

/// No process can address more. Products of sizes below it fit in 64 bits.
static constexpr int64_t kMaxTensorBytes = int64_t(1) << 47;

/// Whether the known sizes multiply to more bytes than there can be. Zeros do
/// not count, because strides are products without them, and sizes known only
/// at run time are checked where the tensor is allocated.
static bool isTooLarge(const TensorShape &shape) {
  int64_t bytes = byteSize(shape.dtype);
  return llvm::any_of(shape.dims, [&](int64_t size) {
    return size > 1 &&
           (llvm::MulOverflow(bytes, size, bytes) || bytes > kMaxTensorBytes);
  });
}

TensorShape TypedBuilder::shapeOf(const TensorType &type) {
  TensorShape shape;
  shape.dtype = type.dtype;
  for (const Size &size : type.dims)
    shape.dims.push_back(sizes.constantOf(size).value_or(kRunTimeSize));
  if (isTooLarge(shape))
    report({DiagCode::TD412, /*title=*/"", "this would be " + typeText(type),
            std::nullopt});
  shape.place = getPlace ? getPlace(type.place) : type.place;
  return shape;
}

llvm::SmallVector<Value> TypedBuilder::runTimeSizes(DimsRef dims) {
  llvm::SmallVector<Value> values;
  for (const Size &size : dims)
    if (!sizes.constantOf(size))
      values.push_back(valueOf(size));
  return values;
}

Typed TypedBuilder::make(OpKind kind, llvm::ArrayRef<Value> operands,
                         llvm::ArrayRef<OpAttribute> attributes,
                         TensorType type) {
  llvm::SmallVector<Value> values(operands);
  if (getOpInfo(kind).takesSizes)
    llvm::append_range(values, runTimeSizes(type.dims));
  Value value = emit().op(kind, values, attributes, shapeOf(type));
  if (noGrad && isFloat(type.dtype))
    value = emit().detach(value);
  return {value, std::move(type)};
}

std::nullopt_t TypedBuilder::fail(DiagCode code, const llvm::Twine &title,
                                  const llvm::Twine &label) {
  failure = {code, title.str(), label.str(), std::nullopt};
  return std::nullopt;
}

bool TypedBuilder::require(const Size &size, const llvm::Twine &problem) {
  auto message = [&](Value) { return emit().constantString(problem.str()); };
  if (sizes.requireNotNegative(size, emit(), message))
    return true;
  fail(DiagCode::TD401, problem);
  return false;
}

bool TypedBuilder::allowsRank(size_t rank) {
  if (rank > kMaxRank)
    fail(DiagCode::TD411,
         "a tensor has at most " + llvm::Twine(kMaxRank) + " dims");
  return rank <= kMaxRank;
}

} // namespace tdc
