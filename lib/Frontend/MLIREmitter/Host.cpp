//===- Host.cpp - host scalars --------------------------------------------===//
//
// int is i64 and wraps, float is f64, bool is i1. Cases that arith leaves
// undefined (division by zero, conversions out of range) are written out here,
// so that the IR means what docs/Language.md says.
//
//===----------------------------------------------------------------------===//

#include "MLIREmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tdc {

Value MLIREmitter::host(HostOp op, llvm::ArrayRef<Value> operands) {
  llvm::SmallVector<mlir::Value> values = unwrap(operands);
  switch (op) {
  case HostOp::IntToFloat:
  case HostOp::FloatToInt:
  case HostOp::BoolToInt:
    return wrap(convertScalar(op, values[0]));
  default:
    break;
  }
  Type type = values[0].getType();
  if (isa<td::StrType>(type)) {
    mlir::Value equal = create<td::StrEqualOp>(getHostType(HostType::Bool),
                                               values[0], values[1]);
    return op == HostOp::Eq ? wrap(equal) : wrap(hostBool(HostOp::Not, equal));
  }
  if (type.isF64())
    return wrap(hostFloat(op, values));
  if (type.isInteger(1))
    return wrap(hostBool(op, values));
  if (op == HostOp::Div) {
    for (mlir::Value &value : values)
      value = convertScalar(HostOp::IntToFloat, value);
    return wrap(hostFloat(op, values));
  }
  return wrap(hostInt(op, values));
}

mlir::Value MLIREmitter::hostInt(HostOp op, ValueRange operands) {
  mlir::Value lhs = operands.front(), rhs = operands.back();
  auto compare = [&](arith::CmpIPredicate predicate) {
    return create<arith::CmpIOp>(predicate, lhs, rhs);
  };
  switch (op) {
  case HostOp::Add:
    return create<arith::AddIOp>(lhs, rhs);
  case HostOp::Sub:
    return create<arith::SubIOp>(lhs, rhs);
  case HostOp::Mul:
    return create<arith::MulIOp>(lhs, rhs);
  case HostOp::FloorDiv:
  case HostOp::Mod:
    return floorDivide(op, lhs, rhs);
  case HostOp::Pow:
    return integerPower(lhs, rhs);
  case HostOp::ShiftLeft:
  case HostOp::ShiftRight:
    return shift(op, lhs, rhs);
  case HostOp::Neg:
    return create<arith::SubIOp>(unwrap(constantInt(0)), lhs);
  case HostOp::Min:
    return create<arith::MinSIOp>(lhs, rhs);
  case HostOp::Max:
    return create<arith::MaxSIOp>(lhs, rhs);
  case HostOp::Abs:
    return create<math::AbsIOp>(lhs);
  case HostOp::Eq:
    return compare(arith::CmpIPredicate::eq);
  case HostOp::Ne:
    return compare(arith::CmpIPredicate::ne);
  case HostOp::Lt:
    return compare(arith::CmpIPredicate::slt);
  case HostOp::Le:
    return compare(arith::CmpIPredicate::sle);
  case HostOp::Gt:
    return compare(arith::CmpIPredicate::sgt);
  case HostOp::Ge:
    return compare(arith::CmpIPredicate::sge);
  default:
    llvm_unreachable("the checker gives this op no ints");
  }
}

mlir::Value MLIREmitter::hostFloat(HostOp op, ValueRange operands) {
  mlir::Value lhs = operands.front(), rhs = operands.back();
  auto compare = [&](arith::CmpFPredicate predicate) {
    return create<arith::CmpFOp>(predicate, lhs, rhs);
  };
  switch (op) {
  case HostOp::Add:
    return create<arith::AddFOp>(lhs, rhs);
  case HostOp::Sub:
    return create<arith::SubFOp>(lhs, rhs);
  case HostOp::Mul:
    return create<arith::MulFOp>(lhs, rhs);
  case HostOp::Div:
    checkDivisor(rhs);
    return create<arith::DivFOp>(lhs, rhs);
  case HostOp::FloorDiv:
  case HostOp::Mod: {
    // As in Dialect/TD/OpTable/Floor.h; a remainder of 0 has the divisor's
    // sign, as in Python.
    checkDivisor(rhs);
    mlir::Value remainder = create<arith::RemFOp>(lhs, rhs);
    mlir::Value zero = unwrap(constantFloat(0));
    mlir::Value isInexact =
        create<arith::CmpFOp>(arith::CmpFPredicate::UNE, remainder, zero);
    mlir::Value signsDiffer = create<arith::XOrIOp>(
        create<arith::CmpFOp>(arith::CmpFPredicate::OLT, remainder, zero),
        create<arith::CmpFOp>(arith::CmpFPredicate::OLT, rhs, zero));
    mlir::Value adjust = create<arith::AndIOp>(isInexact, signsDiffer);
    if (op == HostOp::Mod)
      return create<math::CopySignOp>(
          create<arith::SelectOp>(adjust, create<arith::AddFOp>(remainder, rhs),
                                  remainder),
          rhs);
    mlir::Value quotient =
        create<arith::DivFOp>(create<arith::SubFOp>(lhs, remainder), rhs);
    mlir::Value lower =
        create<arith::SubFOp>(quotient, unwrap(constantFloat(1)));
    mlir::Value whole = create<math::RoundEvenOp>(
        create<arith::SelectOp>(adjust, lower, quotient));
    return create<math::CopySignOp>(whole, create<arith::DivFOp>(lhs, rhs));
  }
  case HostOp::Pow:
    checkPower(lhs, rhs);
    return create<math::PowFOp>(lhs, rhs);
  case HostOp::Neg:
    return create<arith::NegFOp>(lhs);
  // As in Python: the first one, unless the second is less or greater.
  case HostOp::Min:
    return create<arith::SelectOp>(
        create<arith::CmpFOp>(arith::CmpFPredicate::OLT, rhs, lhs), rhs, lhs);
  case HostOp::Max:
    return create<arith::SelectOp>(
        create<arith::CmpFOp>(arith::CmpFPredicate::OGT, rhs, lhs), rhs, lhs);
  case HostOp::Abs:
    return create<math::AbsFOp>(lhs);
  case HostOp::Eq:
    return compare(arith::CmpFPredicate::OEQ);
  case HostOp::Ne:
    return compare(arith::CmpFPredicate::UNE);
  case HostOp::Lt:
    return compare(arith::CmpFPredicate::OLT);
  case HostOp::Le:
    return compare(arith::CmpFPredicate::OLE);
  case HostOp::Gt:
    return compare(arith::CmpFPredicate::OGT);
  case HostOp::Ge:
    return compare(arith::CmpFPredicate::OGE);
  case HostOp::Sqrt:
    return create<math::SqrtOp>(lhs);
  case HostOp::Exp:
    return create<math::ExpOp>(lhs);
  case HostOp::Log:
    return create<math::LogOp>(lhs);
  case HostOp::Sin:
    return create<math::SinOp>(lhs);
  case HostOp::Cos:
    return create<math::CosOp>(lhs);
  case HostOp::Tanh:
    return create<math::TanhOp>(lhs);
  case HostOp::Floor:
    return create<math::FloorOp>(lhs);
  case HostOp::Ceil:
    return create<math::CeilOp>(lhs);
  case HostOp::Round:
    return create<math::RoundEvenOp>(lhs);
  default:
    llvm_unreachable("the checker gives this op no floats");
  }
}

mlir::Value MLIREmitter::hostBool(HostOp op, ValueRange operands) {
  mlir::Value lhs = operands.front(), rhs = operands.back();
  switch (op) {
  case HostOp::And:
    return create<arith::AndIOp>(lhs, rhs);
  case HostOp::Or:
    return create<arith::OrIOp>(lhs, rhs);
  case HostOp::Not:
    return create<arith::XOrIOp>(lhs, unwrap(constantBool(true)));
  case HostOp::Eq:
    return create<arith::CmpIOp>(arith::CmpIPredicate::eq, lhs, rhs);
  case HostOp::Ne:
    return create<arith::CmpIOp>(arith::CmpIPredicate::ne, lhs, rhs);
  default:
    llvm_unreachable("the checker gives this op no bools");
  }
}

mlir::Value MLIREmitter::convertScalar(HostOp op, mlir::Value operand) {
  if (op == HostOp::IntToFloat)
    return create<arith::SIToFPOp>(builder.getF64Type(), operand);
  if (op == HostOp::BoolToInt)
    return create<arith::ExtUIOp>(builder.getI64Type(), operand);
  return floatToInt(operand);
}

/// Truncates and saturates; NaN gives 0.
mlir::Value MLIREmitter::floatToInt(mlir::Value value) {
  constexpr double limit = 0x1p63;
  mlir::Value low = unwrap(constantFloat(-limit));
  mlir::Value high = unwrap(constantFloat(limit));
  mlir::Value tooHigh =
      create<arith::CmpFOp>(arith::CmpFPredicate::OGE, value, high);
  mlir::Value tooLow =
      create<arith::CmpFOp>(arith::CmpFPredicate::OLT, value, low);
  mlir::Value nan =
      create<arith::CmpFOp>(arith::CmpFPredicate::UNO, value, value);
  mlir::Value outside = create<arith::OrIOp>(tooHigh, tooLow);
  outside = create<arith::OrIOp>(outside, nan);
  mlir::Value safe =
      create<arith::SelectOp>(outside, unwrap(constantFloat(0)), value);
  mlir::Value result = create<arith::FPToSIOp>(builder.getI64Type(), safe);
  result =
      create<arith::SelectOp>(tooHigh, unwrap(constantInt(INT64_MAX)), result);
  return create<arith::SelectOp>(tooLow, unwrap(constantInt(INT64_MIN)),
                                 result);
}

/// Stops the program if the divisor is 0. Emits nothing if the divisor is a
/// constant other than 0.
void MLIREmitter::checkDivisor(mlir::Value divisor) {
  bool isFloat = divisor.getType().isF64();
  if (matchPattern(divisor, m_Constant()) &&
      !matchPattern(divisor, m_AnyZeroFloat()) &&
      !matchPattern(divisor, m_Zero()))
    return;
  mlir::Value isFine;
  if (isFloat)
    isFine = create<arith::CmpFOp>(arith::CmpFPredicate::UNE, divisor,
                                   unwrap(constantFloat(0)));
  else
    isFine = create<arith::CmpIOp>(arith::CmpIPredicate::ne, divisor,
                                   unwrap(constantInt(0)));
  assertThat(wrap(isFine), constantString("division by zero"), Check::Division);
}

/// Stops the program if the base is 0 and the exponent negative, unless a
/// constant excludes it.
void MLIREmitter::checkPower(mlir::Value base, mlir::Value exponent) {
  llvm::APFloat constant(0.0);
  if ((matchPattern(base, m_ConstantFloat(&constant)) &&
       constant.isNonZero()) ||
      (matchPattern(exponent, m_ConstantFloat(&constant)) &&
       !constant.isNegative()))
    return;
  mlir::Value zero = unwrap(constantFloat(0));
  mlir::Value isFine = create<arith::OrIOp>(
      create<arith::CmpFOp>(arith::CmpFPredicate::UNE, base, zero),
      create<arith::CmpFOp>(arith::CmpFPredicate::UGE, exponent, zero));
  assertThat(wrap(isFine), constantString("0 to a negative power"),
             Check::Division);
}

/// A count of all bits or more leaves none, or the sign.
mlir::Value MLIREmitter::shift(HostOp op, mlir::Value number,
                               mlir::Value count) {
  mlir::Value zero = unwrap(constantInt(0)), last = unwrap(constantInt(63));
  llvm::APInt constant;
  if (!matchPattern(count, m_ConstantInt(&constant)) || constant.isNegative())
    assertThat(
        wrap(create<arith::CmpIOp>(arith::CmpIPredicate::sge, count, zero)),
        constantString("negative shift count"), Check::Division);
  mlir::Value within = create<arith::MinSIOp>(count, last);
  if (op == HostOp::ShiftRight)
    return create<arith::ShRSIOp>(number, within);
  mlir::Value isWithin =
      create<arith::CmpIOp>(arith::CmpIPredicate::sle, count, last);
  return create<arith::SelectOp>(isWithin,
                                 create<arith::ShLIOp>(number, within), zero);
}

/// Floored quotient or remainder. The machine truncates: if its remainder has
/// the other sign than the divisor, the result is corrected by one step. The
/// machine traps on 0, where the program has stopped already, and on INT64_MIN
/// / -1, which is computed by dividing by 1 and negating.
mlir::Value MLIREmitter::floorDivide(HostOp op, mlir::Value lhs,
                                     mlir::Value rhs) {
  checkDivisor(rhs);
  mlir::Value zero = unwrap(constantInt(0));
  auto compare = [&](arith::CmpIPredicate predicate, mlir::Value a,
                     mlir::Value b) -> mlir::Value {
    return create<arith::CmpIOp>(predicate, a, b);
  };
  llvm::APInt constant;
  bool isPositive = matchPattern(rhs, m_ConstantInt(&constant)) &&
                    constant.isStrictlyPositive();

  mlir::Value negates, divisor = rhs;
  if (!isPositive) {
    negates = compare(arith::CmpIPredicate::eq, rhs, unwrap(constantInt(-1)));
    divisor = create<arith::SelectOp>(negates, unwrap(constantInt(1)), rhs);
  }
  mlir::Value remainder = create<arith::RemSIOp>(lhs, divisor);
  mlir::Value down;
  if (isPositive) {
    down = compare(arith::CmpIPredicate::slt, remainder, zero);
  } else {
    mlir::Value signs = create<arith::XOrIOp>(remainder, divisor);
    mlir::Value inexact = compare(arith::CmpIPredicate::ne, remainder, zero);
    down = create<arith::AndIOp>(
        inexact, compare(arith::CmpIPredicate::slt, signs, zero));
  }
  if (op == HostOp::Mod) {
    mlir::Value step = create<arith::SelectOp>(down, divisor, zero);
    return create<arith::AddIOp>(remainder, step);
  }
  mlir::Value quotient = create<arith::DivSIOp>(lhs, divisor);
  mlir::Value step = create<arith::ExtUIOp>(builder.getI64Type(), down);
  quotient = create<arith::SubIOp>(quotient, step);
  if (isPositive)
    return quotient;
  mlir::Value negated = create<arith::SubIOp>(zero, lhs);
  return create<arith::SelectOp>(negates, negated, quotient);
}

/// Power by squaring, wrapping. The type is int, so an exponent that is
/// negative at run time stops the program.
mlir::Value MLIREmitter::integerPower(mlir::Value base, mlir::Value exponent) {
  mlir::Value zero = unwrap(constantInt(0)), one = unwrap(constantInt(1));
  llvm::APInt constant;
  if (matchPattern(exponent, m_ConstantInt(&constant)) &&
      constant.isStrictlyPositive()) {
    mlir::Value result;
    for (uint64_t bits = constant.getZExtValue(); bits; bits >>= 1) {
      if (bits & 1)
        result = result ? create<arith::MulIOp>(result, base) : base;
      if (bits > 1)
        base = create<arith::MulIOp>(base, base);
    }
    return result;
  }

  mlir::Value isFine =
      create<arith::CmpIOp>(arith::CmpIPredicate::sge, exponent, zero);
  assertThat(wrap(isFine),
             wrap(create<td::FormatOp>(
                 "{} ** {} is not an int: write `float(…)` around the base",
                 ValueRange{base, exponent})),
             Check::Power);
  auto loop = create<scf::ForOp>(zero, unwrap(constantInt(64)), one,
                                 ValueRange{one, base});
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    mlir::Value result = loop.getRegionIterArg(0);
    mlir::Value square = loop.getRegionIterArg(1);
    mlir::Value bits = create<arith::ShRUIOp>(exponent, loop.getInductionVar());
    mlir::Value bit = create<arith::TruncIOp>(builder.getI1Type(), bits);
    mlir::Value factor = create<arith::SelectOp>(bit, square, one);
    result = create<arith::MulIOp>(result, factor);
    square = create<arith::MulIOp>(square, square);
    create<scf::YieldOp>(ValueRange{result, square});
  }
  return loop.getResult(0);
}

Value MLIREmitter::hostSelect(Value condition, Value onTrue, Value onFalse) {
  return wrap(create<arith::SelectOp>(unwrap(condition), unwrap(onTrue),
                                      unwrap(onFalse)));
}

} // namespace tdc
