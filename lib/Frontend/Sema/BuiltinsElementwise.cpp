//===- BuiltinsElementwise.cpp - one element in, one element out ----------===//

#include "BuiltinArguments.h"
#include "Frontend/Typed/Reductions.h"
#include <cmath>

using namespace tdc;
using namespace tdc::sema;

/// The op of the table that programs call by this name.
static const OpInfo *findFunction(llvm::StringRef name) {
  return llvm::find_if(getOpTable(), [&](const OpInfo &info) {
    return info.isFunction() && info.spelling == name;
  });
}

/// An op of the table, called by its name. At least one operand is a tensor.
static Val ofTable(Checker &c, const Bound &args) {
  const OpInfo *op = findFunction(args.name);
  Vals operands{args["input"]};
  if (op->operands == 2)
    operands.push_back(args["other"]);
  bool hasTensor = llvm::any_of(
      operands, [](const Val &val) { return val.is(ValKind::Tensor); });
  if (!hasTensor &&
      !c.tensors.isTensor(operands.back(), args.range(), args.what()))
    return c.fail();
  return c.tensors.elementwise(op->kind, operands, args.range(), args.what());
}

/// The same, or its meaning for a host number.
template <HostOp host> static Val unary(Checker &c, const Bound &args) {
  const Val &input = args["input"];
  return input.isHostScalar() ? c.host.math(host, input) : ofTable(c, args);
}

/// An op of the table. Integers and bools are f32 first, as in PyTorch.
static Val ofFloats(Checker &c, const Bound &args) {
  Val input = args["input"];
  if (!c.tensors.isTensor(input, args.range(), args.what()))
    return c.fail();
  if (!isFloat(typeOf(input).dtype))
    input = c.tensors.castTo(input, DType::F32);
  const OpInfo *op = findFunction(args.name);
  return c.tensors.elementwise(op->kind, {input}, args.range(), args.what());
}

static Val tangent(Checker &c, const Bound &args) {
  const Val &input = args["input"];
  if (!input.isHostScalar())
    return ofFloats(c, args);
  return c.binary(ast::BinaryOp::Div, c.host.math(HostOp::Sin, input),
                  c.host.math(HostOp::Cos, input), args.range());
}

/// Python's `round(x, 2)` of a host number.
static Val roundNumber(Checker &c, const Val &number, const Val &digits,
                       SourceRange range) {
  auto count = c.host.requireInt(digits, "the digits of `round`");
  if (!count)
    return c.fail();
  // Powers of 10 are exact up to 10^22.
  if (number.is(ValKind::Float) && std::abs(*count) > 22) {
    c.error(DiagCode::TD222, digits.range.isValid() ? digits.range : range,
            "`round` takes up to 22 digits, not " + llvm::Twine(*count));
    return c.fail();
  }
  CallArgs args;
  args.range = args.calleeRange = range;
  args.positional = {number.is(ValKind::Bool) ? c.host.toInt(number) : number,
                     makeInt(*count)};
  return c.calls.callPrelude(
      number.is(ValKind::Float) ? "round_float" : "round_int", std::move(args));
}

static Val round(Checker &c, const Bound &args) {
  const Val &input = args["input"];
  if (const Val *digits = args.find("ndigits");
      digits && !digits->is(ValKind::None)) {
    if (input.isHostScalar() && !args.has("decimals"))
      return roundNumber(c, input, *digits, args.range());
    Diagnostic &report = c.error(DiagCode::TD205, args.range(),
                                 "`round` takes 1 positional argument of a "
                                 "tensor, 2 are given");
    if (digits->range.isValid() &&
        c.text(digits->range.finish().to(args.range().finish())) == ")")
      report.fix(FixIt::Safe, "`decimals=`",
                 {{digits->range.start(), "decimals="}});
    return c.fail();
  }
  if (const Val *given = args.find("decimals")) {
    if (!c.tensors.isTensor(input, args.range(), args.what()))
      return c.fail();
    // As PyTorch: the scaled number is rounded and scaled back.
    auto decimals = c.host.requireInt(*given, "`decimals`");
    if (!decimals)
      return c.fail();
    Val scale = makeFloat(std::pow(10.0, std::abs(*decimals)));
    bool isFine = *decimals >= 0;
    Val scaled = c.binary(isFine ? ast::BinaryOp::Mul : ast::BinaryOp::Div,
                          input, scale, args.range());
    if (scaled.isError())
      return scaled;
    scaled = c.tensors.elementwise(OpKind::Round, {scaled}, args.range(),
                                   args.what());
    return c.binary(isFine ? ast::BinaryOp::Div : ast::BinaryOp::Mul, scaled,
                    scale, args.range());
  }
  if (input.isHostScalar())
    return c.host.toInt(c.host.math(HostOp::Round, input));
  return ofTable(c, args);
}

template <ast::BinaryOp op>
static Val viaOperator(Checker &c, const Bound &args) {
  return c.binary(op, args["input"], args["other"], args.range());
}

/// `input + alpha * other`, or minus.
template <ast::BinaryOp op> static Val scaled(Checker &c, const Bound &args) {
  Val other = args["other"];
  if (const Val *alpha = args.find("alpha"))
    other = c.binary(ast::BinaryOp::Mul, other, *alpha, args.range());
  return other.isError() ? other
                         : c.binary(op, args["input"], other, args.range());
}

/// The quotient of integers without its digits.
static Val truncatedQuotient(Checker &c, const Val &lhs, const Val &rhs,
                             SourceRange range) {
  Val down = c.binary(ast::BinaryOp::FloorDiv, lhs, rhs, range);
  Val rest = c.binary(ast::BinaryOp::Mod, lhs, rhs, range);
  if (down.isError() || rest.isError())
    return c.fail();
  // A negative quotient with a remainder was rounded away from zero.
  Val isNegative = c.tensors.tensorCompare(td::ComparePredicate::LT, down,
                                           makeInt(0), range, "`div`");
  Val hasRest = c.tensors.tensorCompare(td::ComparePredicate::NE, rest,
                                        makeInt(0), range, "`div`");
  Val one =
      c.tensors.elementwise(OpKind::And, {isNegative, hasRest}, range, "`div`");
  return c.binary(ast::BinaryOp::Add, down,
                  c.tensors.castTo(one, typeOf(down).dtype), range);
}

static Val divide(Checker &c, const Bound &args) {
  const Val &input = args["input"], &other = args["other"];
  SourceRange range = args.range();
  const Val *mode = args.find("rounding_mode");
  if (!mode || mode->is(ValKind::None))
    return c.binary(ast::BinaryOp::Div, input, other, range);
  auto name = c.host.requireStr(*mode, "`rounding_mode`");
  if (!name)
    return c.fail();
  if (*name != "trunc" && *name != "floor") {
    c.error(DiagCode::TD222, mode->range,
            "`rounding_mode` is \"trunc\" or \"floor\"");
    return c.fail();
  }
  if (*name == "floor")
    return c.binary(ast::BinaryOp::FloorDiv, input, other, range);
  if (!c.tensors.isTensor(input.is(ValKind::Tensor) ? input : other, range,
                          "`div`"))
    return c.fail();
  auto isOfFloats = [](const Val &val) {
    return val.is(ValKind::Float) ||
           (val.is(ValKind::Tensor) && isFloat(typeOf(val).dtype));
  };
  if (!isOfFloats(input) && !isOfFloats(other))
    return truncatedQuotient(c, input, other, range);
  Val quotient = c.binary(ast::BinaryOp::Div, input, other, range);
  return quotient.isError()
             ? quotient
             : c.tensors.elementwise(OpKind::Trunc, {quotient}, range, "`div`");
}

/// Logical ops test numbers for not being 0.
template <OpKind op> static Val logical(Checker &c, const Bound &args) {
  std::string what = ("`logical_" + getOpInfo(op).mnemonic + "`").str();
  Vals operands;
  for (auto &[name, val] : args.named) {
    if (!c.tensors.isTensor(val, args.range(), what))
      return c.fail();
    operands.push_back(c.tensors.castTo(val, DType::Bool));
  }
  return c.tensors.elementwise(op, operands, args.range(), what);
}

template <ast::CompareOp op>
static Val viaComparison(Checker &c, const Bound &args) {
  return c.compareVals(op, args["input"], args["other"], args.range());
}

/// Clamps to one bound. At a bound that is a number the gradient is 0, as in
/// PyTorch; a tensor of bounds shares the gradient where the two are equal.
static Val clampAt(Checker &c, const Val &input, const Val &bound, bool isLow,
                   SourceRange range) {
  if (bound.is(ValKind::Tensor) || !isFloat(typeOf(input).dtype))
    return c.tensors.elementwise(isLow ? OpKind::Max : OpKind::Min,
                                 {input, bound}, range, "`clamp`");
  Val reached = c.tensors.tensorCompare(isLow ? td::ComparePredicate::LE
                                              : td::ComparePredicate::GE,
                                        input, bound, range, "`clamp`");
  return reached.isError()
             ? reached
             : c.tensors.selectTensors(reached, bound, input, range);
}

/// `result`, and `input` where it equals both bounds: there it has the whole
/// gradient, as in PyTorch.
static Val clampedBetween(Checker &c, const Val &input, const Val &low,
                          const Val &high, const Val &result,
                          SourceRange range) {
  Val isLow = c.tensors.tensorCompare(td::ComparePredicate::EQ, input, low,
                                      range, "`clamp`");
  Val isHigh = c.tensors.tensorCompare(td::ComparePredicate::EQ, input, high,
                                       range, "`clamp`");
  Val isBoth =
      c.tensors.elementwise(OpKind::And, {isLow, isHigh}, range, "`clamp`");
  return c.tensors.selectTensors(isBoth, input, result, range);
}

static Val clamp(Checker &c, const Bound &args) {
  Val result = args["input"];
  const Val *low = args.find("min"), *high = args.find("max");
  if (!c.tensors.isTensor(result, args.range(), "`clamp`"))
    return c.fail();
  if (low && !low->is(ValKind::None))
    result = clampAt(c, result, *low, true, args.range());
  if (high && !high->is(ValKind::None) && !result.isError())
    result = clampAt(c, result, *high, false, args.range());
  bool areTensors = low && low->is(ValKind::Tensor) && high &&
                    high->is(ValKind::Tensor) && !result.isError();
  return areTensors && isFloat(typeOf(result).dtype)
             ? clampedBetween(c, args["input"], *low, *high, result,
                              args.range())
             : result;
}

static Val where(Checker &c, const Bound &args) {
  return c.tensors.selectTensors(args["condition"], args["input"],
                                 args["other"], args.range());
}

static Val maskedFill(Checker &c, const Bound &args) {
  const Val &input = args["input"];
  if (!c.tensors.isTensor(input, args.range(), "`masked_fill`"))
    return c.fail();
  return c.tensors.selectTensors(args["mask"], args["value"], input,
                                 args.range());
}

static Val square(Checker &c, const Bound &args) {
  const Val &input = args["input"];
  return c.binary(ast::BinaryOp::Mul, input, input, args.range());
}

static Val bitwiseNot(Checker &c, const Bound &args) {
  if (!c.tensors.isTensor(args["input"], args.range(), args.what()))
    return c.fail();
  return c.tensors.elementwise(OpKind::Not, {args["input"]}, args.range(),
                               args.what());
}

static Val negative(Checker &c, const Bound &args) {
  return c.negate(args["input"], args.range());
}

template <bool logarithm> static Val softmax(Checker &c, const Bound &args) {
  const Val &input = args["input"];
  std::string what = logarithm ? "`log_softmax`" : "`softmax`";
  if (!c.tensors.isTensor(input, args.range(), what))
    return c.fail();
  const TensorType &type = typeOf(input);
  auto index = c.tensors.takeDim(args["dim"], type, args.range());
  if (!index || !c.tensors.accepts(OpKind::Softmax, type.dtype, args.range(),
                                   what, input))
    return c.fail();
  return c.tensors.fromTyped(
      typed::softmax(c.tensors.builder, typedOf(input), *index, logarithm),
      input);
}

llvm::ArrayRef<Builtin> sema::getElementwiseBuiltins() {
  using ast::BinaryOp;
  using ast::CompareOp;
  static const Builtin rows[] = {
      {"logical_not", "input", logical<OpKind::Not>},
      {"abs", "input", unary<HostOp::Abs>},
      {"exp", "input", unary<HostOp::Exp>},
      {"log", "input", unary<HostOp::Log>},
      {"sqrt", "input", unary<HostOp::Sqrt>},
      {"sin", "input", unary<HostOp::Sin>},
      {"cos", "input", unary<HostOp::Cos>},
      {"tan", "input", tangent},
      {"asin", "input", ofFloats},
      {"acos", "input", ofFloats},
      {"sinh", "input", ofFloats},
      {"cosh", "input", ofFloats},
      {"tanh", "input", unary<HostOp::Tanh>},
      {"acosh", "input", ofFloats},
      {"floor", "input", unary<HostOp::Floor>},
      {"ceil", "input", unary<HostOp::Ceil>},
      {"round", "input, ndigits=, *, decimals=", round},
      {"neg", "input", negative},
      {"square", "input", square},
      {"add", "input, other, *, alpha=", scaled<BinaryOp::Add>},
      {"sub", "input, other, *, alpha=", scaled<BinaryOp::Sub>},
      {"mul", "input, other", viaOperator<BinaryOp::Mul>},
      {"div", "input, other, *, rounding_mode=", divide},
      {"pow", "input, other", viaOperator<BinaryOp::Pow>},
      {"floor_divide", "input, other", viaOperator<BinaryOp::FloorDiv>},
      {"remainder", "input, other", viaOperator<BinaryOp::Mod>},
      {"bitwise_not", "input", bitwiseNot},
      {"bitwise_and", "input, other", viaOperator<BinaryOp::BitAnd>},
      {"bitwise_or", "input, other", viaOperator<BinaryOp::BitOr>},
      {"bitwise_xor", "input, other", viaOperator<BinaryOp::BitXor>},
      {"bitwise_left_shift", "input, other", viaOperator<BinaryOp::ShiftLeft>},
      {"bitwise_right_shift", "input, other",
       viaOperator<BinaryOp::ShiftRight>},
      {"logical_and", "input, other", logical<OpKind::And>},
      {"logical_or", "input, other", logical<OpKind::Or>},
      {"logical_xor", "input, other", logical<OpKind::Xor>},
      {"eq", "input, other", viaComparison<CompareOp::Eq>},
      {"ne", "input, other", viaComparison<CompareOp::Ne>},
      {"lt", "input, other", viaComparison<CompareOp::Lt>},
      {"le", "input, other", viaComparison<CompareOp::Le>},
      {"gt", "input, other", viaComparison<CompareOp::Gt>},
      {"ge", "input, other", viaComparison<CompareOp::Ge>},
      {"clamp", "input, min=, max=", clamp},
      {"clip", "input, min=, max=", clamp},
      {"where", "condition, input, other", where},
      {"masked_fill", "input, mask, value", maskedFill},
      {"softmax", "input, dim, *, dtype=", inDType<ofAnyRank<softmax<false>>>,
       Shares::Nothing, Takes::Values, Scale::Probability},
      {"log_softmax",
       "input, dim, *, dtype=", inDType<ofAnyRank<softmax<true>>>,
       Shares::Nothing, Takes::Values, Scale::LogProbability},
      {"sigmoid", "input", ofTable, Shares::Nothing, Takes::Values,
       Scale::Probability},
  };
  static const std::vector<Builtin> table = [] {
    std::vector<Builtin> all(std::begin(rows), std::end(rows));
    for (const OpInfo &op : getOpTable())
      if (op.isFunction() && llvm::none_of(rows, [&](const Builtin &row) {
            return row.name == op.spelling;
          }))
        all.push_back({op.spelling, op.operands == 1 ? "input" : "input, other",
                       ofTable});
    return all;
  }();
  return table;
}
