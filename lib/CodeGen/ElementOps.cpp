//===- ElementOps.cpp - td arithmetic on scalars and vectors --------------===//

#include "CodeGen/ElementOps.h"
#include "CodeGen/NarrowFloats.h"
#include "CodeGen/VectorMath.h"
#include "Dialect/TD/OpTable/OpTable.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tdc::td;

namespace tdc {

Type getRegisterType(Type element) {
  if (element.isUnsignedInteger())
    return IntegerType::get(element.getContext(),
                            element.getIntOrFloatBitWidth());
  return td::isNarrowFloat(element) ? Float32Type::get(element.getContext())
                                    : element;
}

Type getMemoryType(Type element) {
  MLIRContext *context = element.getContext();
  if (element.isInteger(1))
    return IntegerType::get(context, 8);
  return td::isNarrowFloat(element) ? IntegerType::get(context, 16)
                                    : getRegisterType(element);
}

Type getTypeLike(Type type, Value like) {
  if (auto vector = dyn_cast<VectorType>(like.getType()))
    return VectorType::get(vector.getShape(), type);
  return type;
}

static Value makeSplat(OpBuilder &builder, Location loc, Type type,
                       TypedAttr scalar) {
  if (auto vector = dyn_cast<VectorType>(type))
    scalar = DenseElementsAttr::get(vector, Attribute(scalar));
  return arith::ConstantOp::create(builder, loc, scalar);
}

Value makeConstant(OpBuilder &builder, Location loc, Type type, double value) {
  Type element = getElementTypeOrSelf(type);
  APFloat number(value);
  bool losesInfo;
  number.convert(cast<FloatType>(element).getFloatSemantics(),
                 APFloat::rmNearestTiesToEven, &losesInfo);
  return makeSplat(builder, loc, type, FloatAttr::get(element, number));
}

Value makeIntConstant(OpBuilder &builder, Location loc, Type type,
                      int64_t value) {
  Type element = getElementTypeOrSelf(type);
  APInt number(64, value, /*isSigned=*/true);
  return makeSplat(
      builder, loc, type,
      IntegerAttr::get(element, number.trunc(element.getIntOrFloatBitWidth())));
}

Value emitFromMemory(OpBuilder &builder, Location loc, Value value,
                     Type element) {
  if (element.isInteger(1))
    return arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::ne, value,
        makeIntConstant(builder, loc, value.getType(), 0));
  if (!td::isNarrowFloat(element))
    return value;
  value = arith::BitcastOp::create(builder, loc, getTypeLike(element, value),
                                   value);
  return arith::ExtFOp::create(
      builder, loc, getTypeLike(getRegisterType(element), value), value);
}

Value emitToMemory(OpBuilder &builder, Location loc, Value value,
                   Type element) {
  Type type = getTypeLike(getMemoryType(element), value);
  if (element.isInteger(1))
    return arith::ExtUIOp::create(builder, loc, type, value);
  if (!td::isNarrowFloat(element))
    return value;
  Type narrow = getTypeLike(element, value);
  auto widening = value.getDefiningOp<arith::ExtFOp>();
  if (!widening || widening.getIn().getType() != narrow) {
    value = arith::TruncFOp::create(builder, loc, narrow, value);
    return arith::BitcastOp::create(builder, loc, type, value);
  }
  // A value that was loaded or rounded has its 16 bits already. They are taken
  // at their definition: LLVM miscompiles a bf16 that is live from one block to
  // another (docs/llvm/bf16-between-blocks.ll).
  value = widening.getIn();
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointAfterValue(value);
  return arith::BitcastOp::create(builder, loc, type, value);
}

//===----------------------------------------------------------------------===//
// Casts
//===----------------------------------------------------------------------===//

namespace {

/// Emits arith ops on values of one shape.
class Arith {
public:
  Arith(OpBuilder &builder, Location loc) : b(builder), loc(loc) {}

  Value constant(Value like, double value) {
    return makeConstant(b, loc, like.getType(), value);
  }
  Value intConstant(Value like, int64_t value) {
    return makeIntConstant(b, loc, like.getType(), value);
  }
  Value compare(arith::CmpFPredicate predicate, Value x, Value y) {
    return arith::CmpFOp::create(b, loc, predicate, x, y);
  }
  Value compare(arith::CmpIPredicate predicate, Value x, Value y) {
    return arith::CmpIOp::create(b, loc, predicate, x, y);
  }
  Value select(Value condition, Value x, Value y) {
    return arith::SelectOp::create(b, loc, condition, x, y);
  }

  OpBuilder &b;
  Location loc;
};

} // namespace

/// Rounds towards zero and saturates; NaN gives 0. A number that does not fit
/// converts to poison, which no select picks. The selects are on integers: LLVM
/// 22 loses NaN in selects on floats that look like a max (docs/LLVM.md).
static Value floatToInt(Arith &a, Value value, Type to, bool isSigned) {
  unsigned bits = to.getIntOrFloatBitWidth();
  Type f64 = getTypeLike(Float64Type::get(to.getContext()), value);
  if (value.getType() != f64 && bits > 16)
    value = arith::ExtFOp::create(a.b, a.loc, f64, value);
  Type result = getTypeLike(to, value);
  Value converted =
      isSigned ? Value(arith::FPToSIOp::create(a.b, a.loc, result, value))
               : Value(arith::FPToUIOp::create(a.b, a.loc, result, value));
  auto replace = [&](arith::CmpFPredicate predicate, Value end,
                     const APInt &by) {
    Value chosen = makeIntConstant(a.b, a.loc, result, by.getSExtValue());
    converted = a.select(a.compare(predicate, value, end), chosen, converted);
  };
  double low = isSigned ? -std::ldexp(1.0, bits - 1) : 0.0;
  double beyond = std::ldexp(1.0, isSigned ? bits - 1 : bits);
  replace(arith::CmpFPredicate::OLE, a.constant(value, low),
          isSigned ? APInt::getSignedMinValue(bits) : APInt(bits, 0));
  replace(arith::CmpFPredicate::OGE, a.constant(value, beyond),
          isSigned ? APInt::getSignedMaxValue(bits) : APInt::getMaxValue(bits));
  replace(arith::CmpFPredicate::UNO, value, APInt(bits, 0));
  return converted;
}

/// Converts to f16 or bf16 with one rounding.
static Value toNarrowFloat(Arith &a, Value value, Type from, Type to) {
  Type f32 = Float32Type::get(to.getContext());
  if (from.isInteger(64)) {
    value = emitHalfway(a.b, a.loc, value, from.isUnsignedInteger());
  } else if (!isa<FloatType>(from)) {
    // f32 represents all 16-bit integers, f64 all 32-bit integers.
    Type exact = from.getIntOrFloatBitWidth() <= 16
                     ? f32
                     : Float64Type::get(to.getContext());
    value = emitCast(a.b, a.loc, value, from, exact);
  }
  if (getElementTypeOrSelf(value.getType()) != f32)
    value = emitHalfway(a.b, a.loc, value);
  return emitRounded(a.b, a.loc, value, to);
}

Value emitCast(OpBuilder &builder, Location loc, Value value, Type from,
               Type to) {
  if (from == to)
    return value;
  Arith a(builder, loc);
  if (td::isNarrowFloat(to))
    return toNarrowFloat(a, value, from, to);
  from = td::isNarrowFloat(from) ? getRegisterType(from) : from;
  Type target = getRegisterType(to), result = getTypeLike(target, value);
  bool fromFloat = isa<FloatType>(from), toFloat = isa<FloatType>(to);
  bool fromUnsigned = from.isUnsignedInteger() || from.isInteger(1);

  if (to.isInteger(1)) {
    if (fromFloat)
      return a.compare(arith::CmpFPredicate::UNE, value, a.constant(value, 0));
    return a.compare(arith::CmpIPredicate::ne, value, a.intConstant(value, 0));
  }
  if (fromFloat && toFloat) {
    if (from == to)
      return value;
    if (to.getIntOrFloatBitWidth() > from.getIntOrFloatBitWidth())
      return arith::ExtFOp::create(builder, loc, result, value);
    return arith::TruncFOp::create(builder, loc, result, value);
  }
  if (fromFloat)
    return floatToInt(a, value, target, !to.isUnsignedInteger());
  if (toFloat) {
    if (fromUnsigned)
      return arith::UIToFPOp::create(builder, loc, result, value);
    return arith::SIToFPOp::create(builder, loc, result, value);
  }
  unsigned fromBits = from.getIntOrFloatBitWidth(),
           toBits = to.getIntOrFloatBitWidth();
  if (toBits < fromBits)
    return arith::TruncIOp::create(builder, loc, result, value);
  if (toBits == fromBits)
    return value;
  if (fromUnsigned)
    return arith::ExtUIOp::create(builder, loc, result, value);
  return arith::ExtSIOp::create(builder, loc, result, value);
}

//===----------------------------------------------------------------------===//
// Elementwise ops
//===----------------------------------------------------------------------===//

/// Floor division and its remainder on integers; a divisor of 0 gives 0.
static Value emitIntDivision(Arith &a, Value x, Value y, bool isUnsigned,
                             bool wantRemainder) {
  Value zero = a.intConstant(x, 0), one = a.intConstant(x, 1);
  Value byZero = a.compare(arith::CmpIPredicate::eq, y, zero);
  Value divisor = a.select(byZero, one, y);
  Value result;
  if (isUnsigned) {
    result = wantRemainder
                 ? Value(arith::RemUIOp::create(a.b, a.loc, x, divisor))
                 : Value(arith::DivUIOp::create(a.b, a.loc, x, divisor));
    return a.select(byZero, zero, result);
  }
  // MIN / -1 overflows in hardware; it must give -MIN, which wraps to MIN.
  Value byMinusOne =
      a.compare(arith::CmpIPredicate::eq, y, a.intConstant(y, -1));
  divisor = a.select(byMinusOne, one, divisor);
  Value quotient = arith::DivSIOp::create(a.b, a.loc, x, divisor);
  Value remainder = arith::RemSIOp::create(a.b, a.loc, x, divisor);
  Value isInexact = a.compare(arith::CmpIPredicate::ne, remainder, zero);
  Value differ = a.compare(arith::CmpIPredicate::slt,
                           arith::XOrIOp::create(a.b, a.loc, x, divisor), zero);
  Value adjust = arith::AndIOp::create(a.b, a.loc, isInexact, differ);
  if (wantRemainder) {
    result =
        a.select(adjust, arith::AddIOp::create(a.b, a.loc, remainder, divisor),
                 remainder);
    result = a.select(byMinusOne, zero, result);
  } else {
    result = a.select(adjust, arith::SubIOp::create(a.b, a.loc, quotient, one),
                      quotient);
    result = a.select(byMinusOne, arith::SubIOp::create(a.b, a.loc, zero, x),
                      result);
  }
  return a.select(byZero, zero, result);
}

// Floor division and remainder of floats, on all lanes, as in
// Dialect/TD/OpTable/Floor.h.

static Value leavesWrongSign(Arith &a, Value remainder, Value divisor) {
  Value zero = a.constant(remainder, 0);
  Value isInexact = a.compare(arith::CmpFPredicate::UNE, remainder, zero);
  Value differ = arith::XOrIOp::create(
      a.b, a.loc, a.compare(arith::CmpFPredicate::OLT, remainder, zero),
      a.compare(arith::CmpFPredicate::OLT, divisor, zero));
  return arith::AndIOp::create(a.b, a.loc, isInexact, differ);
}

static Value emitFloatMod(Arith &a, Value x, Value y) {
  Value remainder = arith::RemFOp::create(a.b, a.loc, x, y);
  return a.select(leavesWrongSign(a, remainder, y),
                  arith::AddFOp::create(a.b, a.loc, remainder, y), remainder);
}

static Value emitFloatFloorDiv(Arith &a, Value x, Value y) {
  Value remainder = arith::RemFOp::create(a.b, a.loc, x, y);
  Value exact = arith::DivFOp::create(
      a.b, a.loc, arith::SubFOp::create(a.b, a.loc, x, remainder), y);
  Value lower = arith::SubFOp::create(a.b, a.loc, exact, a.constant(x, 1));
  Value quotient = math::RoundEvenOp::create(
      a.b, a.loc, a.select(leavesWrongSign(a, remainder, y), lower, exact));
  Value ratio = arith::DivFOp::create(a.b, a.loc, x, y);
  return a.select(a.compare(arith::CmpFPredicate::OEQ, y, a.constant(x, 0)),
                  ratio, math::CopySignOp::create(a.b, a.loc, quotient, ratio));
}

/// x to the y by squaring; the exponent's bits are few enough to unroll.
static Value emitIntPow(Arith &a, Value x, Value y, bool isUnsigned) {
  unsigned bits = getElementTypeOrSelf(x.getType()).getIntOrFloatBitWidth();
  Value one = a.intConstant(x, 1), zero = a.intConstant(x, 0);
  Value result = one, square = x, left = y;
  for (unsigned i = 0; i < bits; ++i) {
    Value bit = arith::AndIOp::create(a.b, a.loc, left, one);
    Value isSet = a.compare(arith::CmpIPredicate::ne, bit, zero);
    result = a.select(isSet, arith::MulIOp::create(a.b, a.loc, result, square),
                      result);
    square = arith::MulIOp::create(a.b, a.loc, square, square);
    left = arith::ShRUIOp::create(a.b, a.loc, left, one);
  }
  if (isUnsigned)
    return result;
  Value minusOne = a.intConstant(x, -1);
  Value odd = a.compare(arith::CmpIPredicate::ne,
                        arith::AndIOp::create(a.b, a.loc, y, one), zero);
  Value inverse =
      a.select(a.compare(arith::CmpIPredicate::eq, x, one), one,
               a.select(a.compare(arith::CmpIPredicate::eq, x, minusOne),
                        a.select(odd, minusOne, one), zero));
  return a.select(a.compare(arith::CmpIPredicate::slt, y, zero), inverse,
                  result);
}

/// The count of a shift, at most the last one that leaves a bit; a negative
/// count is a large one.
static Value limitCount(Arith &a, Value y) {
  unsigned bits = getElementTypeOrSelf(y.getType()).getIntOrFloatBitWidth();
  return arith::MinUIOp::create(a.b, a.loc, y, a.intConstant(y, bits - 1));
}

/// x, or 0 if the count leaves no bit of it. The select is not on the shifted
/// number: LLVM 22 leaves such a select to PTX, which takes only the lowest 32
/// bits of a count.
static Value clearShifted(Arith &a, Value x, Value y) {
  unsigned bits = getElementTypeOrSelf(y.getType()).getIntOrFloatBitWidth();
  Value leaves =
      a.compare(arith::CmpIPredicate::ult, y, a.intConstant(y, bits));
  return a.select(leaves, x, a.intConstant(x, 0));
}

static Value emitLeftShift(Arith &a, Value x, Value y) {
  return arith::ShLIOp::create(a.b, a.loc, clearShifted(a, x, y),
                               limitCount(a, y));
}

static Value emitRightShift(Arith &a, Value x, Value y, bool isUnsigned) {
  Value count = limitCount(a, y);
  if (isUnsigned)
    return arith::ShRUIOp::create(a.b, a.loc, clearShifted(a, x, y), count);
  return arith::ShRSIOp::create(a.b, a.loc, x, count);
}

static Value emitCompare(Arith &a, CompareOp op, Value x, Value y) {
  Type element = getElementTypeOrSelf(op.getLhs().getType());
  if (isa<FloatType>(element)) {
    static constexpr arith::CmpFPredicate predicates[] = {
        arith::CmpFPredicate::OEQ, arith::CmpFPredicate::UNE,
        arith::CmpFPredicate::OLT, arith::CmpFPredicate::OLE,
        arith::CmpFPredicate::OGT, arith::CmpFPredicate::OGE};
    return a.compare(predicates[unsigned(op.getPredicate())], x, y);
  }
  using P = arith::CmpIPredicate;
  static constexpr P isSigned[] = {P::eq,  P::ne,  P::slt,
                                   P::sle, P::sgt, P::sge};
  static constexpr P isUnsigned[] = {P::eq,  P::ne,  P::ult,
                                     P::ule, P::ugt, P::uge};
  bool useUnsigned = element.isUnsignedInteger() || element.isInteger(1);
  return a.compare(
      (useUnsigned ? isUnsigned : isSigned)[unsigned(op.getPredicate())], x, y);
}

static Value emitUnary(Arith &a, Operation *op, Value x, bool isFloat,
                       bool isUnsigned) {
  OpBuilder &b = a.b;
  Location loc = a.loc;
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](NegOp) -> Value {
        if (isFloat)
          return arith::NegFOp::create(b, loc, x);
        return arith::SubIOp::create(b, loc, a.intConstant(x, 0), x);
      })
      .Case([&](AbsOp) -> Value {
        if (isFloat)
          return math::AbsFOp::create(b, loc, x);
        if (isUnsigned)
          return x;
        Value negative =
            a.compare(arith::CmpIPredicate::slt, x, a.intConstant(x, 0));
        return a.select(
            negative, arith::SubIOp::create(b, loc, a.intConstant(x, 0), x), x);
      })
      .Case([&](SignOp) -> Value {
        if (isFloat) {
          Value zero = a.constant(x, 0);
          // The sum gives 0.0 for -0.0, and NaN for NaN.
          Value result = a.select(a.compare(arith::CmpFPredicate::OLT, x, zero),
                                  a.constant(x, -1),
                                  arith::AddFOp::create(b, loc, x, zero));
          return a.select(a.compare(arith::CmpFPredicate::OGT, x, zero),
                          a.constant(x, 1), result);
        }
        Value zero = a.intConstant(x, 0);
        Value result = a.select(a.compare(arith::CmpIPredicate::ne, x, zero),
                                a.intConstant(x, 1), zero);
        if (isUnsigned)
          return result;
        return a.select(a.compare(arith::CmpIPredicate::slt, x, zero),
                        a.intConstant(x, -1), result);
      })
      .Case([&](ReluOp) -> Value {
        // Not a select: LLVM 22 loses NaN in a select of a select that looks
        // like a max of a max (docs/LLVM.md). With nsz, maximum is one
        // instruction on x86, which keeps -0.0 as PyTorch does.
        if (isFloat)
          return arith::MaximumFOp::create(
              b, loc, x, a.constant(x, 0),
              arith::FastMathFlagsAttr::get(b.getContext(),
                                            arith::FastMathFlags::nsz));
        if (isUnsigned)
          return x;
        return arith::MaxSIOp::create(b, loc, x, a.intConstant(x, 0));
      })
      .Case([&](NotOp) -> Value {
        return arith::XOrIOp::create(b, loc, x, a.intConstant(x, -1));
      })
      .Case([&](ExpOp) { return emitExp(b, loc, x); })
      .Case([&](Expm1Op) { return emitExpm1(b, loc, x); })
      .Case([&](LogOp) { return emitLog(b, loc, x); })
      .Case([&](Log1pOp) { return emitLog1p(b, loc, x); })
      .Case([&](SinOp) { return emitSin(b, loc, x); })
      .Case([&](CosOp) { return emitCos(b, loc, x); })
      .Case([&](TanOp) { return emitTan(b, loc, x); })
      .Case([&](AsinOp) { return emitAsin(b, loc, x); })
      .Case([&](AcosOp) { return emitAcos(b, loc, x); })
      .Case([&](AtanOp) { return emitAtan(b, loc, x); })
      .Case([&](SinhOp) { return emitSinh(b, loc, x); })
      .Case([&](CoshOp) { return emitCosh(b, loc, x); })
      .Case([&](TanhOp) { return emitTanh(b, loc, x); })
      .Case([&](AcoshOp) { return emitAcosh(b, loc, x); })
      .Case([&](ErfOp) -> Value { return math::ErfOp::create(b, loc, x); })
      .Case([&](SigmoidOp) { return emitSigmoid(b, loc, x); })
      .Case([&](SqrtOp) { return emitSqrt(b, loc, x); })
      .Case([&](RsqrtOp) -> Value {
        return arith::DivFOp::create(b, loc, a.constant(x, 1),
                                     math::SqrtOp::create(b, loc, x));
      })
      .Case([&](FloorOp) -> Value { return math::FloorOp::create(b, loc, x); })
      .Case([&](CeilOp) -> Value { return math::CeilOp::create(b, loc, x); })
      .Case([&](TruncOp) -> Value { return math::TruncOp::create(b, loc, x); })
      .Case([&](RoundOp) -> Value {
        return math::RoundEvenOp::create(b, loc, x);
      })
      .Default([](Operation *) { return Value(); });
}

static Value emitBinary(Arith &a, Operation *op, Value x, Value y, bool isFloat,
                        bool isUnsigned) {
  OpBuilder &b = a.b;
  Location loc = a.loc;
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](AddOp) -> Value {
        if (isFloat)
          return arith::AddFOp::create(b, loc, x, y);
        return arith::AddIOp::create(b, loc, x, y);
      })
      .Case([&](SubOp) -> Value {
        if (isFloat)
          return arith::SubFOp::create(b, loc, x, y);
        return arith::SubIOp::create(b, loc, x, y);
      })
      .Case([&](MulOp) -> Value {
        // Only a sum over many products (emitCombine) takes one unrounded. A
        // value may be computed by several kernels, and while compiling: if
        // `a * b + c` was rounded once in one of them and twice in another,
        // they would disagree on `floor` of it.
        if (isFloat)
          return arith::MulFOp::create(b, loc, x, y,
                                       arith::FastMathFlags::contract);
        return arith::MulIOp::create(b, loc, x, y);
      })
      .Case([&](DivOp) -> Value { return arith::DivFOp::create(b, loc, x, y); })
      .Case([&](FloorDivOp) -> Value {
        if (isFloat)
          return emitFloatFloorDiv(a, x, y);
        return emitIntDivision(a, x, y, isUnsigned, /*wantRemainder=*/false);
      })
      .Case([&](ModOp) -> Value {
        if (isFloat)
          return emitFloatMod(a, x, y);
        return emitIntDivision(a, x, y, isUnsigned, /*wantRemainder=*/true);
      })
      .Case([&](PowOp) -> Value {
        return isFloat ? emitPow(b, loc, x, y)
                       : emitIntPow(a, x, y, isUnsigned);
      })
      .Case([&](MaxOp) -> Value {
        if (isFloat)
          return arith::MaximumFOp::create(b, loc, x, y);
        if (isUnsigned)
          return arith::MaxUIOp::create(b, loc, x, y);
        return arith::MaxSIOp::create(b, loc, x, y);
      })
      .Case([&](MinOp) -> Value {
        if (isFloat)
          return arith::MinimumFOp::create(b, loc, x, y);
        if (isUnsigned)
          return arith::MinUIOp::create(b, loc, x, y);
        return arith::MinSIOp::create(b, loc, x, y);
      })
      .Case([&](Atan2Op) { return emitAtan2(b, loc, x, y); })
      .Case([&](CopysignOp) -> Value {
        return math::CopySignOp::create(b, loc, x, y);
      })
      .Case([&](AndOp) -> Value { return arith::AndIOp::create(b, loc, x, y); })
      .Case([&](OrOp) -> Value { return arith::OrIOp::create(b, loc, x, y); })
      .Case([&](XorOp) -> Value { return arith::XOrIOp::create(b, loc, x, y); })
      .Case([&](ShlOp) { return emitLeftShift(a, x, y); })
      .Case([&](ShrOp) { return emitRightShift(a, x, y, isUnsigned); })
      .Default([](Operation *) { return Value(); });
}

static Value emitUnrounded(OpBuilder &builder, Operation *op,
                           ValueRange operands) {
  Arith a(builder, op->getLoc());
  Type element = getElementTypeOrSelf(op->getOperand(0).getType());
  bool isFloat = isa<FloatType>(element);
  bool isUnsigned = element.isUnsignedInteger() || element.isInteger(1);
  if (auto cast = dyn_cast<CastOp>(op))
    return emitCast(builder, op->getLoc(), operands[0], element,
                    getElementTypeOrSelf(cast.getType()));
  if (auto compare = dyn_cast<CompareOp>(op))
    return emitCompare(a, compare, operands[0], operands[1]);
  if (isa<SelectOp>(op))
    return a.select(operands[0], operands[1], operands[2]);
  if (operands.size() == 1)
    return emitUnary(a, op, operands[0], isFloat, isUnsigned);
  return emitBinary(a, op, operands[0], operands[1], isFloat, isUnsigned);
}

Value emitElementOp(OpBuilder &builder, Operation *op, ValueRange operands) {
  Value result = emitUnrounded(builder, op, operands);
  Type element = getElementTypeOrSelf(op->getResult(0).getType());
  if (!td::isNarrowFloat(element))
    return result;
  return cast<ComputeOp>(op).getInfo().tolerance == Tolerance::Exact
             ? result
             : emitRounded(builder, op->getLoc(), result, element);
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

Value emitNeutral(OpBuilder &builder, Location loc, ReduceKind kind,
                  Type element, Type type) {
  bool isFloat = isa<FloatType>(element);
  bool isUnsigned = element.isUnsignedInteger();
  unsigned bits = element.getIntOrFloatBitWidth();
  switch (kind) {
  case ReduceKind::Sum:
  case ReduceKind::Any:
    return isFloat ? makeConstant(builder, loc, type, 0)
                   : makeIntConstant(builder, loc, type, 0);
  case ReduceKind::Prod:
  case ReduceKind::All:
    return isFloat ? makeConstant(builder, loc, type, 1)
                   : makeIntConstant(builder, loc, type, 1);
  case ReduceKind::Max:
    if (isFloat)
      return makeConstant(builder, loc, type, -INFINITY);
    return makeIntConstant(
        builder, loc, type,
        isUnsigned ? 0 : APInt::getSignedMinValue(bits).getSExtValue());
  case ReduceKind::Min:
    if (isFloat)
      return makeConstant(builder, loc, type, INFINITY);
    return makeIntConstant(
        builder, loc, type,
        (isUnsigned ? APInt::getMaxValue(bits) : APInt::getSignedMaxValue(bits))
            .getSExtValue());
  }
  llvm_unreachable("all kinds are above");
}

static vector::CombiningKind getCombiningKind(ReduceKind kind, Type element) {
  bool isFloat = isa<FloatType>(element);
  bool isUnsigned = element.isUnsignedInteger();
  using K = vector::CombiningKind;
  switch (kind) {
  case ReduceKind::Sum:
    return K::ADD;
  case ReduceKind::Prod:
    return K::MUL;
  case ReduceKind::Any:
    return K::OR;
  case ReduceKind::All:
    return K::AND;
  case ReduceKind::Max:
    return isFloat ? K::MAXIMUMF : isUnsigned ? K::MAXUI : K::MAXSI;
  case ReduceKind::Min:
    return isFloat ? K::MINIMUMF : isUnsigned ? K::MINUI : K::MINSI;
  }
  llvm_unreachable("all kinds are above");
}

/// Which of 0.0 and -0.0 is the larger is not known: as in PyTorch, it depends
/// on the order of the elements. On x86, an order of them costs 2 more
/// instructions.
static arith::FastMathFlags getFastMath(ReduceKind kind, Type element) {
  bool isExtreme = kind == ReduceKind::Max || kind == ReduceKind::Min;
  return isExtreme && isa<FloatType>(element) ? arith::FastMathFlags::nsz
                                              : arith::FastMathFlags::none;
}

Value emitCombine(OpBuilder &builder, Location loc, ReduceKind kind,
                  Type element, Value accumulator, Value value) {
  if (kind == ReduceKind::Sum && isa<FloatType>(element))
    return arith::AddFOp::create(builder, loc, accumulator, value,
                                 arith::FastMathFlags::contract);
  return vector::makeArithReduction(
      builder, loc, getCombiningKind(kind, element), accumulator, value,
      arith::FastMathFlagsAttr::get(builder.getContext(),
                                    getFastMath(kind, element)));
}

Value emitLaneReduction(OpBuilder &builder, Location loc, ReduceKind kind,
                        Type element, Value vector) {
  auto flags = getFastMath(kind, element);
  // With reassociation, the reduction is a tree over the lanes, not a chain.
  if (isa<FloatType>(element))
    flags = flags | arith::FastMathFlags::reassoc;
  return vector::ReductionOp::create(
      builder, loc, getCombiningKind(kind, element), vector, flags);
}

} // namespace tdc
