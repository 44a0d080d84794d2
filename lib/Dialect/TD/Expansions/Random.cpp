//===- Random.cpp - random numbers of narrow dtypes -----------------------===//

#include "Dialect/TD/IR/TD.h"
#include <cmath>

using namespace mlir;

namespace tdc::td {

/// Uniform f32 without the bits that the narrow float does not have. Rounding
/// to the nearest would make some of them 1.
static Value cutUniform(OpBuilder &builder, RandomOp random, FloatType narrow) {
  Location loc = random.getLoc();
  auto scale = [&](Value value, int exponent) -> Value {
    Value factor = arith::ConstantOp::create(
        builder, loc, builder.getF64FloatAttr(std::ldexp(1.0, exponent)));
    Value factors = FillOp::create(builder, loc, random.getType(), factor,
                                   random.getSizes());
    return MulOp::create(builder, loc, value, factors);
  };
  int bits = narrow.getFPMantissaWidth();
  Value whole = FloorOp::create(builder, loc, scale(random, bits));
  return scale(whole, -bits);
}

/// Checks the bounds for the dtype that the program sees; the numbers may be
/// made in a wider one.
static void checkBounds(RandomOp random) {
  OpBuilder builder(random);
  CheckRandIntOp::create(builder, random.getLoc(), random.getBounds()[0],
                         random.getBounds()[1],
                         getElementTypeOrSelf(random.getType()));
}

/// Random numbers are made with 32 and 64 bits, integers with a sign; others
/// are cast from them.
void RandomOp::expand() {
  RankedTensorType type = getType();
  unsigned bits = type.getElementTypeBitWidth();
  bool isNarrow = bits < 32 || type.getElementType().isUnsignedInteger();
  // On the cpu the runtime makes the numbers and checks the bounds.
  if (getDistribution() == Distribution::RandInt &&
      (isNarrow || getPlace(type).kind == Place::Kind::Cuda))
    checkBounds(*this);
  if (!isNarrow)
    return;
  OpBuilder builder(*this);
  auto narrowFloat = dyn_cast<FloatType>(type.getElementType());
  Type wide = narrowFloat ? Type(builder.getF32Type())
              : bits < 32 ? Type(builder.getI32Type())
                          : Type(builder.getI64Type());
  auto made = cast<RandomOp>(builder.clone(**this));
  made.getResult().setType(
      RankedTensorType::get(type.getShape(), wide, type.getEncoding()));
  Value numbers = getDistribution() == Distribution::Uniform
                      ? cutUniform(builder, made, narrowFloat)
                      : made.getResult();
  Value narrow = CastOp::create(builder, getLoc(), type, numbers);
  getResult().replaceAllUsesWith(narrow);
  erase();
}

} // namespace tdc::td
