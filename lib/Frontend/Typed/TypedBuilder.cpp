//===- TypedBuilder.cpp - making ops, and what they need of sizes ---------===//

#include "Frontend/TypedBuilder.h"

namespace tdc {

llvm::SmallVector<Value> TypedBuilder::runTimeSizes(DimsRef dims) {
  llvm::SmallVector<Value> values;
  for (const Size &size : dims)
    if (!sizes.constantOf(size))
      values.push_back(valueOf(size));
  return values;
}

Typed TypedBuilder::make(OpKind kind, llvm::ArrayRef<Value> operands,
                         llvm::ArrayRef<OpAttribute> attributes,
                         TensorType type, bool takesSizes) {
  llvm::SmallVector<Value> values;
  if (takesSizes)
    values = runTimeSizes(type.dims);
  Value value = emit().op(kind, operands, attributes, values, shapeOf(type));
  return {value, std::move(type)};
}

std::nullopt_t TypedBuilder::fail(DiagCode code, const llvm::Twine &title,
                                  const llvm::Twine &label) {
  failure = {code, title.str(), label.str()};
  return std::nullopt;
}

bool TypedBuilder::require(const Size &size, const llvm::Twine &problem) {
  auto message = [&](Value) { return emit().constantString(problem.str()); };
  if (sizes.requireNotNegative(size, emit(), message))
    return true;
  fail(DiagCode::TD401, problem);
  return false;
}

} // namespace tdc
