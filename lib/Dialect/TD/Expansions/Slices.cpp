//===- Slices.cpp - the start of a slice in range -------------------------===//

#include "Dialect/TD/Analysis/Sizes.h"
#include "Dialect/TD/IR/TD.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tdc::td {

/// The start of a slice of `whole`, as long as `part`, clamped into range: its
/// kernel may run before the check of the start.
static Value clampStart(Operation *op, Value whole, Value part, Value start,
                        int64_t dim, int64_t step) {
  OpBuilder builder(op);
  Location loc = op->getLoc();
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
      return start;
    last = constant(top);
  } else if (matchPattern(start, m_Zero())) {
    return start;
  } else {
    Value span = lastOf(part);
    span = arith::MulIOp::create(builder, loc, span, constant(step));
    last = arith::SubIOp::create(builder, loc, lastOf(whole), span);
  }
  start = arith::MinSIOp::create(builder, loc, start, last);
  return arith::MaxSIOp::create(builder, loc, start, constant(0));
}

void SliceOp::expand() {
  getStartMutable().assign(clampStart(*this, getInput(), getResult(),
                                      getStart(), getDim(), getStep()));
}

void UpdateSliceOp::expand() {
  getStartMutable().assign(clampStart(*this, getInput(), getUpdate(),
                                      getStart(), getDim(), getStep()));
}

void InsetOp::expand() {
  for (auto [dim, step] : llvm::enumerate(getStep())) {
    Value low = clampStart(*this, getInput(), getUpdate(), getLow()[dim],
                           int64_t(dim), step);
    getLowMutable()[dim].assign(low);
  }
}

} // namespace tdc::td
