//===- HostScalars.cpp - ints, floats, bools and strs of a program --------===//

#include "HostScalars.h"
#include "Dialect/TD/OpTable/Floor.h"
#include <cmath>

using namespace tdc;
using namespace tdc::sema;
using ast::BinaryOp;
using ast::CompareOp;

//===----------------------------------------------------------------------===//
// Sizes and their values
//===----------------------------------------------------------------------===//

Val HostScalars::runTimeInt(Value value, llvm::StringRef name,
                            std::optional<int64_t> known) {
  return makeInt(sizes.add(name, value, known), value);
}

std::optional<int64_t> HostScalars::constantInt(const Val &val) const {
  return val.is(ValKind::Int) ? constantOf(val.size) : std::nullopt;
}

Value HostScalars::materialize(const Val &val) {
  switch (val.kind) {
  case ValKind::Int:
    return val.value && !constantOf(val.size) ? val.value : sizeValue(val.size);
  case ValKind::Float:
    return val.known ? c.emit().constantFloat(val.number) : val.value;
  case ValKind::Bool:
    return val.known ? c.emit().constantBool(val.truth) : val.value;
  case ValKind::Str:
    if (val.known)
      return c.emit().constantString(textOf(val));
    return val.value ? val.value
                     : c.emit().format(textOf(val), val.as<Text>().values);
  default:
    return val.value;
  }
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

Val HostScalars::toInt(const Val &val) {
  if (val.is(ValKind::Int))
    return val;
  if (val.known && val.is(ValKind::Bool))
    return makeInt(val.truth ? 1 : 0);
  if (val.known && val.is(ValKind::Float)) {
    double whole = std::trunc(val.number);
    if (std::isnan(whole))
      return makeInt(0);
    if (whole >= 9223372036854775808.0)
      return makeInt(INT64_MAX);
    if (whole < -9223372036854775808.0)
      return makeInt(INT64_MIN);
    return makeInt(static_cast<int64_t>(whole));
  }
  HostOp op = val.is(ValKind::Bool) ? HostOp::BoolToInt : HostOp::FloatToInt;
  return runTimeInt(c.emit().host(op, {val.value}), "int");
}

Val HostScalars::toFloat(const Val &val) {
  if (val.is(ValKind::Float))
    return val;
  Val number = toInt(val);
  if (auto constant = constantInt(number))
    return makeFloat(static_cast<double>(*constant));
  return makeRunTime(ValKind::Float,
                     c.emit().host(HostOp::IntToFloat, {materialize(number)}));
}

Val HostScalars::boolNot(const Val &val) {
  if (val.known)
    return makeBool(!val.truth);
  Val result =
      makeRunTime(ValKind::Bool, c.emit().host(HostOp::Not, {val.value}));
  if (val.onThisMachine)
    result.onThisMachine = !*val.onThisMachine;
  return result;
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

static int64_t powInt(int64_t base, int64_t exponent) {
  uint64_t result = 1, factor = static_cast<uint64_t>(base);
  for (uint64_t e = static_cast<uint64_t>(exponent); e; e >>= 1) {
    if (e & 1)
      result *= factor;
    factor *= factor;
  }
  return static_cast<int64_t>(result);
}

static double floatArithmetic(BinaryOp op, double a, double b) {
  switch (op) {
  case BinaryOp::Add:
    return a + b;
  case BinaryOp::Sub:
    return a - b;
  case BinaryOp::Mul:
    return a * b;
  case BinaryOp::Div:
    return a / b;
  case BinaryOp::FloorDiv:
    return floorQuotient(a, b);
  case BinaryOp::Mod:
    return std::copysign(floorRemainder(a, b), b); // also a remainder of 0
  default:
    return std::pow(a, b);
  }
}

static std::optional<HostOp> hostOp(BinaryOp op) {
  switch (op) {
  case BinaryOp::Add:
    return HostOp::Add;
  case BinaryOp::Sub:
    return HostOp::Sub;
  case BinaryOp::Mul:
    return HostOp::Mul;
  case BinaryOp::Div:
    return HostOp::Div;
  case BinaryOp::FloorDiv:
    return HostOp::FloorDiv;
  case BinaryOp::Mod:
    return HostOp::Mod;
  case BinaryOp::Pow:
    return HostOp::Pow;
  default:
    return std::nullopt;
  }
}

/// Whether a polynomial is so large that a new variable replaces it.
static bool isLarge(const Size &size) {
  return size.getTerms().size() > 24 || size.getWeight() > 64;
}

Val HostScalars::binary(BinaryOp op, const Val &lhs, const Val &rhs,
                        SourceRange range) {
  std::optional<HostOp> hop = hostOp(op);
  bool floats = lhs.is(ValKind::Float) || rhs.is(ValKind::Float);
  bool isShift = op == BinaryOp::ShiftLeft || op == BinaryOp::ShiftRight;
  if (isShift && !floats)
    return shift(op, lhs, rhs, range);
  if (!hop) {
    c.error(DiagCode::TD304, range,
            "`" + ast::getSpelling(op) + "` is not defined for " +
                describe(lhs) + " and " + describe(rhs));
    return c.fail();
  }
  auto number = [&](const Val &val) -> std::optional<double> {
    if (val.is(ValKind::Int))
      return constantInt(val);
    if (!val.known)
      return std::nullopt;
    return val.is(ValKind::Bool) ? val.truth : val.number;
  };
  std::optional<double> left = number(lhs), right = number(rhs);
  bool divides =
      op == BinaryOp::Div || op == BinaryOp::FloorDiv || op == BinaryOp::Mod;
  bool impossible =
      divides ? right == 0
              : op == BinaryOp::Pow && left == 0 && right.value_or(0) < 0;
  // Code under a condition may never run: there it is an error of the running
  // program.
  if (impossible && c.conditionDepth == 0) {
    c.error(DiagCode::TD307, range,
            divides ? "division by zero" : "0 to a negative power");
    return c.fail();
  }
  // As in Python, an int to a negative power is a float. If the exponent is
  // known only when the program runs, the type is int, and a negative exponent
  // fails a check.
  if (op == BinaryOp::Pow && !floats)
    floats = right.value_or(0) < 0;
  if (floats || op == BinaryOp::Div) {
    Val a = toFloat(lhs), b = toFloat(rhs);
    if (a.known && b.known && !impossible)
      return makeFloat(floatArithmetic(op, a.number, b.number));
    return makeRunTime(ValKind::Float,
                       c.emit().host(*hop, {materialize(a), materialize(b)}));
  }
  Val a = toInt(lhs), b = toInt(rhs);
  auto x = constantInt(a), y = constantInt(b);
  if (impossible)
    return runTimeInt(c.emit().host(*hop, {materialize(a), materialize(b)}),
                      "int");
  Size result;
  bool closed = true;
  switch (op) {
  case BinaryOp::Add:
    result = a.size + b.size;
    break;
  case BinaryOp::Sub:
    result = a.size - b.size;
    break;
  case BinaryOp::Mul:
    closed = a.size.getTerms().size() * b.size.getTerms().size() < 64;
    if (closed)
      result = a.size * b.size;
    break;
  case BinaryOp::FloorDiv:
    result = Size::floorDiv(a.size, b.size);
    break;
  case BinaryOp::Mod:
    result = a.size - b.size * Size::floorDiv(a.size, b.size);
    // From 0 to below a positive divisor, so that `xs[i % n]` needs no check.
    if (sizes.isNeverNegative(b.size - Size(1)) &&
        !sizes.isNeverNegative(result)) {
      sizes.proveNotNegative(result);
      sizes.proveNotNegative(b.size - Size(1) - result);
    }
    break;
  default:
    closed = x && y;
    if (closed)
      result = Size(powInt(*x, *y));
  }
  closed = closed && !isLarge(result);
  // `n // n` is 1, but n must be checked.
  bool isChecked = divides && !y;
  if (closed && !isChecked && constantOf(result))
    return makeInt(result);
  if (closed && !isChecked && result == a.size)
    return a;
  Value value = c.emit().host(*hop, {materialize(a), materialize(b)});
  return closed ? makeInt(result, value) : runTimeInt(value, "int");
}

/// Bits past the end are lost, as ints wrap. A count of all bits or more leaves
/// none, or the sign.
Val HostScalars::shift(BinaryOp op, const Val &lhs, const Val &rhs,
                       SourceRange range) {
  bool isLeft = op == BinaryOp::ShiftLeft;
  Val number = toInt(lhs), count = toInt(rhs);
  std::optional<int64_t> x = constantInt(number), n = constantInt(count);
  if (n && *n < 0 && c.conditionDepth == 0) {
    c.error(DiagCode::TD307, range, "negative shift count");
    return c.fail();
  }
  // A factor keeps sizes known: `n >> 1` is `n // 2`.
  if (n && *n >= 0 && *n < 63)
    return binary(isLeft ? BinaryOp::Mul : BinaryOp::FloorDiv, number,
                  makeInt(int64_t(1) << *n), range);
  if (x && n && *n >= 63)
    return makeInt(!isLeft   ? (*x < 0 ? -1 : 0)
                   : *n > 63 ? 0
                             : static_cast<int64_t>(uint64_t(*x) << 63));
  HostOp op64 = isLeft ? HostOp::ShiftLeft : HostOp::ShiftRight;
  return runTimeInt(
      c.emit().host(op64, {materialize(number), materialize(count)}), "int");
}

Val HostScalars::compare(CompareOp op, const Val &lhs, const Val &rhs,
                         SourceRange range) {
  static const HostOp ops[] = {HostOp::Eq, HostOp::Ne, HostOp::Lt,
                               HostOp::Le, HostOp::Gt, HostOp::Ge};
  auto decide = [&](int order) {
    switch (op) {
    case CompareOp::Eq:
      return order == 0;
    case CompareOp::Ne:
      return order != 0;
    case CompareOp::Lt:
      return order < 0;
    case CompareOp::Le:
      return order <= 0;
    case CompareOp::Gt:
      return order > 0;
    case CompareOp::Ge:
      return order >= 0;
    }
    return false;
  };
  HostOp hop = ops[static_cast<unsigned>(op)];
  auto emitted = [&](const Val &a, const Val &b) {
    return makeRunTime(ValKind::Bool,
                       c.emit().host(hop, {materialize(a), materialize(b)}));
  };
  if (lhs.is(ValKind::Float) || rhs.is(ValKind::Float)) {
    Val a = toFloat(lhs), b = toFloat(rhs);
    if (!a.known || !b.known)
      return emitted(a, b);
    if (std::isnan(a.number) || std::isnan(b.number))
      return makeBool(op == CompareOp::Ne);
    return makeBool(decide(a.number < b.number ? -1 : a.number > b.number));
  }
  if (lhs.is(ValKind::Str)) {
    // A text from outside is known to `tdc run` and not to `tdc build`, so a
    // comparison without code is refused whether the text is known or not.
    if (op != CompareOp::Eq && op != CompareOp::Ne) {
      c.error(DiagCode::TD304, range,
              "`" + ast::getSpelling(op) + "` is not defined for two strs")
          .label("strs are compared with `==` and `!=`");
      return c.fail();
    }
    if (lhs.known && rhs.known)
      return makeBool(decide(textOf(lhs).compare(textOf(rhs))));
    return emitted(lhs, rhs);
  }
  Val a = toInt(lhs), b = toInt(rhs);
  auto x = constantInt(a), y = constantInt(b);
  if (x && y)
    return makeBool(decide(*x < *y ? -1 : *x > *y));
  if (a.size == b.size)
    return makeBool(decide(0));
  Val result = emitted(a, b);
  x = sizes.onThisMachine(a.size);
  y = sizes.onThisMachine(b.size);
  if (x && y)
    result.onThisMachine = decide(*x < *y ? -1 : *x > *y);
  return result;
}

Val HostScalars::math(HostOp op, const Val &operand) {
  if (op == HostOp::Neg || op == HostOp::Abs) {
    if (!operand.is(ValKind::Float)) {
      Val number = toInt(operand);
      if (op == HostOp::Neg)
        return binary(BinaryOp::Sub, makeInt(0), number, c.here);
      if (auto constant = constantInt(number))
        return makeInt(*constant < 0 ? Size(0) - Size(*constant)
                                     : Size(*constant));
      return runTimeInt(c.emit().host(op, {materialize(number)}), "int");
    }
  }
  Val number = toFloat(operand);
  if (!number.known)
    return makeRunTime(ValKind::Float, c.emit().host(op, {number.value}));
  double x = number.number;
  switch (op) {
  case HostOp::Neg:
    return makeFloat(-x);
  case HostOp::Abs:
    return makeFloat(std::fabs(x));
  case HostOp::Sqrt:
    return makeFloat(std::sqrt(x));
  case HostOp::Exp:
    return makeFloat(std::exp(x));
  case HostOp::Log:
    return makeFloat(std::log(x));
  case HostOp::Sin:
    return makeFloat(std::sin(x));
  case HostOp::Cos:
    return makeFloat(std::cos(x));
  case HostOp::Tanh:
    return makeFloat(std::tanh(x));
  case HostOp::Floor:
    return makeFloat(std::floor(x));
  case HostOp::Ceil:
    return makeFloat(std::ceil(x));
  default:
    return makeFloat(std::nearbyint(x));
  }
}

//===----------------------------------------------------------------------===//
// Values that must be known now
//===----------------------------------------------------------------------===//

Diagnostic &HostScalars::reportNotKnown(const Val &val, llvm::StringRef what) {
  if (c.isWalkedAside())
    c.mute();
  return c
      .error(DiagCode::TD208, val.range.isValid() ? val.range : c.here,
             what + " must be known when the program is compiled")
      .note("a value of an `arg` is known to `tdc run`; `--set name=value` "
            "gives it to other commands");
}

std::optional<int64_t> HostScalars::requireInt(const Val &val,
                                               llvm::StringRef what) {
  if (val.isError())
    return std::nullopt;
  if (!val.is(ValKind::Int)) {
    c.error(DiagCode::TD303, val.range.isValid() ? val.range : c.here,
            what + " must be an int, not " + describe(val));
    return std::nullopt;
  }
  std::optional<int64_t> constant = constantInt(val);
  if (!constant)
    reportNotKnown(val, what);
  return constant;
}

std::optional<double> HostScalars::requireFloat(const Val &val,
                                                llvm::StringRef what) {
  if (val.isError())
    return std::nullopt;
  if (!val.isHostScalar()) {
    c.error(DiagCode::TD303, val.range.isValid() ? val.range : c.here,
            what + " must be a number, not " + describe(val));
    return std::nullopt;
  }
  Val number = toFloat(val);
  if (!number.known) {
    reportNotKnown(val, what);
    return std::nullopt;
  }
  return number.number;
}

std::optional<bool> HostScalars::requireBool(const Val &val,
                                             llvm::StringRef what) {
  if (val.isError())
    return std::nullopt;
  if (!val.is(ValKind::Bool)) {
    c.error(DiagCode::TD303, val.range.isValid() ? val.range : c.here,
            what + " must be a bool, not " + describe(val));
    return std::nullopt;
  }
  if (!val.known) {
    reportNotKnown(val, what);
    return std::nullopt;
  }
  return val.truth;
}

std::optional<llvm::StringRef> HostScalars::requireStr(const Val &val,
                                                       llvm::StringRef what) {
  if (val.isError())
    return std::nullopt;
  if (!val.is(ValKind::Str)) {
    c.error(DiagCode::TD303, val.range.isValid() ? val.range : c.here,
            what + " must be a str, not " + describe(val));
    return std::nullopt;
  }
  if (!val.known) {
    reportNotKnown(val, what);
    return std::nullopt;
  }
  return textOf(val);
}
