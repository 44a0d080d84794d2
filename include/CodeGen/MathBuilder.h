//===- MathBuilder.h - arith on one float type, in short form -------------===//
//
// Lets elementary functions be written as formulas, for scalars and vectors of
// f32 and f64 alike. No fast-math flags: every step rounds as it is written.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_CODEGEN_MATHBUILDER_H
#define TDC_CODEGEN_MATHBUILDER_H

#include "CodeGen/ElementOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"

namespace tdc {

class MathBuilder {
  using Value = mlir::Value;
  template <typename Op, typename... Args> Value make(Args &&...args) {
    return Op::create(b, loc, std::forward<Args>(args)...);
  }

public:
  MathBuilder(mlir::OpBuilder &builder, mlir::Location loc, Value like)
      : isF32(mlir::getElementTypeOrSelf(like.getType()).isF32()),
        mantissaBits(isF32 ? 23 : 52), bias(isF32 ? 127 : 1023), b(builder),
        loc(loc), type(like.getType()),
        bitsType(getTypeLike(b.getIntegerType(isF32 ? 32 : 64), like)) {}

  const bool isF32;
  const int mantissaBits;
  const int bias;

  Value constant(double value) { return makeConstant(b, loc, type, value); }
  Value add(Value x, Value y) { return make<mlir::arith::AddFOp>(x, y); }
  Value sub(Value x, Value y) { return make<mlir::arith::SubFOp>(x, y); }
  Value mul(Value x, Value y) { return make<mlir::arith::MulFOp>(x, y); }
  Value div(Value x, Value y) { return make<mlir::arith::DivFOp>(x, y); }
  Value neg(Value x) { return make<mlir::arith::NegFOp>(x); }
  Value abs(Value x) { return make<mlir::math::AbsFOp>(x); }
  Value copySign(Value x, Value sign) {
    return make<mlir::math::CopySignOp>(x, sign);
  }
  /// -x where the top bit of `bits` is set.
  Value flipSign(Value x, Value bits) {
    int64_t top = isF32 ? int64_t(1) << 31 : INT64_MIN;
    return fromBits(ixor(toBits(x), iand(bits, integer(top))));
  }
  /// x * 2^n for an integral n, rounded once. |n| must be at most twice the
  /// exponent's bias less one: 253 (f32) or 2,045 (f64). lib/Target/Scaling.cpp
  /// has the code.
  Value scale(Value x, Value n) { return mul(x, make<mlir::math::Exp2Op>(n)); }
  /// x * y + z, rounded once.
  Value fma(Value x, Value y, Value z) {
    return make<mlir::math::FmaOp>(x, y, z);
  }
  Value compare(mlir::arith::CmpFPredicate predicate, Value x, Value y) {
    return make<mlir::arith::CmpFOp>(predicate, x, y);
  }
  Value select(Value condition, Value x, Value y) {
    return make<mlir::arith::SelectOp>(condition, x, y);
  }
  // Minimum and maximum; a NaN x gives NaN.
  Value min(Value x, double high) {
    return select(compare(mlir::arith::CmpFPredicate::OGT, x, constant(high)),
                  constant(high), x);
  }
  Value max(Value x, double low) {
    return select(compare(mlir::arith::CmpFPredicate::OLT, x, constant(low)),
                  constant(low), x);
  }
  Value clamp(Value x, double low, double high) {
    return min(max(x, low), high);
  }
  /// Horner's rule; coefficients from the constant term up.
  Value polynomial(Value x, mlir::ArrayRef<double> coefficients) {
    Value result = constant(coefficients.back());
    for (double coefficient : llvm::reverse(coefficients.drop_back()))
      result = fma(result, x, constant(coefficient));
    return result;
  }

  /// Extends f32 to f64; truncates f64 to f32 with rounding.
  Value extend(Value x) {
    return make<mlir::arith::ExtFOp>(getTypeLike(b.getF64Type(), x), x);
  }
  Value truncate(Value x) {
    return make<mlir::arith::TruncFOp>(getTypeLike(b.getF32Type(), x), x);
  }

  // Integer ops on the bits of a float, in an integer type of its width.
  Value toBits(Value x) { return make<mlir::arith::BitcastOp>(bitsType, x); }
  Value fromBits(Value x) { return make<mlir::arith::BitcastOp>(type, x); }
  Value integer(int64_t value) {
    return makeIntConstant(b, loc, bitsType, value);
  }
  Value iadd(Value x, Value y) { return make<mlir::arith::AddIOp>(x, y); }
  Value isub(Value x, Value y) { return make<mlir::arith::SubIOp>(x, y); }
  Value imul(Value x, Value y) { return make<mlir::arith::MulIOp>(x, y); }
  Value iand(Value x, Value y) { return make<mlir::arith::AndIOp>(x, y); }
  Value ior(Value x, Value y) { return make<mlir::arith::OrIOp>(x, y); }
  Value ixor(Value x, Value y) { return make<mlir::arith::XOrIOp>(x, y); }
  /// Shifts. The distance must be less than the width of the type.
  Value shiftLeft(Value x, Value bits) {
    return make<mlir::arith::ShLIOp>(x, bits);
  }
  Value shiftLeft(Value x, int64_t bits) { return shiftLeft(x, integer(bits)); }
  Value shiftRight(Value x, Value bits) {
    return make<mlir::arith::ShRUIOp>(x, bits);
  }
  Value shiftRight(Value x, int64_t bits) {
    return shiftRight(x, integer(bits));
  }
  Value shiftRightSigned(Value x, int64_t bits) {
    return make<mlir::arith::ShRSIOp>(x, integer(bits));
  }
  Value icompare(mlir::arith::CmpIPredicate predicate, Value x, Value y) {
    return make<mlir::arith::CmpIOp>(predicate, x, y);
  }
  // On conditions: i1, or a vector of it.
  Value both(Value x, Value y) { return make<mlir::arith::AndIOp>(x, y); }
  Value either(Value x, Value y) { return make<mlir::arith::OrIOp>(x, y); }
  Value negate(Value condition) {
    return make<mlir::arith::XOrIOp>(
        condition, makeIntConstant(b, loc, condition.getType(), 1));
  }
  Value toFloat(Value x) { return make<mlir::arith::SIToFPOp>(type, x); }

private:
  mlir::OpBuilder &b;
  mlir::Location loc;
  mlir::Type type, bitsType;
};

} // namespace tdc

#endif // TDC_CODEGEN_MATHBUILDER_H
