//===- NarrowFloats.cpp - f16 and bf16, computed in f32 -------------------===//

#include "CodeGen/NarrowFloats.h"
#include "CodeGen/MathBuilder.h"

using namespace mlir;

namespace tdc {

Value emitRounded(OpBuilder &builder, Location loc, Value value, Type element) {
  Value rounded =
      arith::TruncFOp::create(builder, loc, getTypeLike(element, value), value);
  return arith::ExtFOp::create(builder, loc, value.getType(), rounded);
}

/// Rounds to odd: of the two neighbouring numbers with zeros in the bits of
/// `mask`, takes the one with a 1 in the bit above the mask, unless `bits` is
/// one of the two already. The result lies on the same side of every coarser
/// number as `bits` (S. Boldo and G. Melquiond, "Emulation of FMA and Correctly
/// Rounded Sums", 2008).
static Value roundToOdd(OpBuilder &b, Location loc, Value bits, int64_t mask) {
  auto constant = [&](int64_t value) {
    return makeIntConstant(b, loc, bits.getType(), value);
  };
  // Any 1 in the part that is removed carries into the bit above it.
  Value low = arith::AndIOp::create(b, loc, bits, constant(mask));
  Value carried = arith::AddIOp::create(b, loc, low, constant(mask));
  Value odd = arith::OrIOp::create(b, loc, bits, carried);
  return arith::AndIOp::create(b, loc, odd, constant(~mask));
}

static Value halfwayOfF64(OpBuilder &b, Location loc, Value value) {
  MathBuilder m(b, loc, value);
  // The bits of an f64's mantissa that f32 does not have.
  int64_t mask = (int64_t(1) << (52 - 23)) - 1;
  return m.truncate(m.fromBits(roundToOdd(b, loc, m.toBits(value), mask)));
}

static Value halfwayOfI64(OpBuilder &b, Location loc, Value value,
                          bool isUnsigned) {
  Type type = getTypeLike(b.getF64Type(), value);
  auto constant = [&](int64_t number) {
    return makeIntConstant(b, loc, value.getType(), number);
  };
  // f64 represents all integers from -2^53 to 2^53; outside, the last 11 of 64
  // bits are rounded off.
  int64_t below = isUnsigned ? 0 : int64_t(1) << 53;
  Value shifted = arith::AddIOp::create(b, loc, value, constant(below));
  Value isExact =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ule, shifted,
                            constant(below + (int64_t(1) << 53)));
  Value odd = roundToOdd(b, loc, value, (1 << 11) - 1);
  Value chosen = arith::SelectOp::create(b, loc, isExact, value, odd);
  if (isUnsigned)
    return arith::UIToFPOp::create(b, loc, type, chosen);
  return arith::SIToFPOp::create(b, loc, type, chosen);
}

Value emitHalfway(OpBuilder &builder, Location loc, Value value,
                  bool isUnsigned) {
  return isa<FloatType>(getElementTypeOrSelf(value.getType()))
             ? halfwayOfF64(builder, loc, value)
             : halfwayOfI64(builder, loc, value, isUnsigned);
}

} // namespace tdc
