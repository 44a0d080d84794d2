//===- Slices.cpp - the start of a slice in range -------------------------===//

#include "Dialect/TD/Analysis/Sizes.h"
#include "Dialect/TD/IR/TD.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tdc::td {

/// Clamps the start of a slice, since its kernel may run before the check of
/// the start. `part` is as long as the slice.
template <typename Slice> static void clampStart(Slice slice, Value part) {
  OpBuilder builder(slice);
  Location loc = slice.getLoc();
  Value whole = slice.getInput(), start = slice.getStart();
  int64_t dim = slice.getDim(), step = slice.getStep();
  auto sizeOf = [&](Value tensor) {
    return cast<RankedTensorType>(tensor.getType()).getDimSize(dim);
  };
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIntOp::create(builder, loc, value, 64);
  };
  auto lastOf = [&](Value tensor) -> Value {
    Value size = getSize(builder, loc, tensor, dim);
    return arith::SubIOp::create(builder, loc, size, constant(1));
  };
  Value last;
  if (!ShapedType::isDynamic(sizeOf(whole)) &&
      !ShapedType::isDynamic(sizeOf(part))) {
    int64_t top = sizeOf(whole) - 1 - (sizeOf(part) - 1) * step;
    std::optional<int64_t> known = getConstantIntValue(start);
    if (known && *known >= 0 && *known <= top)
      return;
    last = constant(top);
  } else if (matchPattern(start, m_Zero())) {
    return;
  } else {
    Value span = lastOf(part);
    span = arith::MulIOp::create(builder, loc, span, constant(step));
    last = arith::SubIOp::create(builder, loc, lastOf(whole), span);
  }
  start = arith::MinSIOp::create(builder, loc, start, last);
  slice.getStartMutable().assign(
      arith::MaxSIOp::create(builder, loc, start, constant(0)));
}

void SliceOp::expand() { clampStart(*this, getResult()); }

void UpdateSliceOp::expand() { clampStart(*this, getUpdate()); }

} // namespace tdc::td
