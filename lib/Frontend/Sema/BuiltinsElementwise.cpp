//===- BuiltinsElementwise.cpp - one element in, one element out ----------===//

#include "Checker.h"

using namespace tdc;
using namespace tdc::sema;

/// One op of the table, or its meaning for a host number where it has one.
template <OpKind op, HostOp host, bool onHost>
static Val unary(Checker &c, const Bound &args) {
  const Val &input = args["input"];
  if (onHost && input.isHostScalar())
    return c.hostMath(host, input);
  std::string what = ("`" + getOpInfo(op).mnemonic + "`").str();
  if (!c.isTensor(input, args.range(), what))
    return c.fail();
  return c.elementwise(op, {input}, args.range(), what);
}

template <OpKind op>
constexpr BuiltinHandler tensorOnly = unary<op, HostOp::Abs, false>;

static Val round(Checker &c, const Bound &args) {
  const Val &input = args["input"];
  if (args.has("decimals"))
    return c.unsupported(args["decimals"].range, "`decimals=`");
  if (input.isHostScalar())
    return c.toInt(c.hostMath(HostOp::Round, input));
  return unary<OpKind::Round, HostOp::Round, true>(c, args);
}

template <OpKind op> static Val pairwise(Checker &c, const Bound &args) {
  llvm::StringRef what = op == OpKind::Max ? "`maximum`" : "`minimum`";
  const Val &input = args["input"], &other = args["other"];
  if (!input.is(ValKind::Tensor) && !c.isTensor(other, args.range(), what))
    return c.fail();
  return c.elementwise(op, {input, other}, args.range(), what);
}

template <ast::BinaryOp op>
static Val viaOperator(Checker &c, const Bound &args) {
  return c.binary(op, args["input"], args["other"], args.range());
}

/// Of numbers, whether they are not 0.
template <OpKind op> static Val logical(Checker &c, const Bound &args) {
  std::string what = ("`logical_" + getOpInfo(op).mnemonic + "`").str();
  Vals operands;
  for (auto &[name, val] : args.named) {
    if (!c.isTensor(val, args.range(), what))
      return c.fail();
    operands.push_back(c.castTo(val, DType::Bool));
  }
  return c.elementwise(op, operands, args.range(), what);
}

template <ast::CompareOp op>
static Val viaComparison(Checker &c, const Bound &args) {
  return c.compareVals(op, args["input"], args["other"], args.range());
}

/// At a bound that is a number the slope is 0, as in PyTorch; a tensor of
/// bounds shares it where it is reached.
static Val clampAt(Checker &c, const Val &input, const Val &bound, bool isLow,
                   SourceRange range) {
  if (bound.is(ValKind::Tensor) || !isFloat(typeOf(input).dtype))
    return c.elementwise(isLow ? OpKind::Max : OpKind::Min, {input, bound},
                         range, "`clamp`");
  Val reached = c.tensorCompare(isLow ? td::ComparePredicate::LE
                                      : td::ComparePredicate::GE,
                                input, bound, range, "`clamp`");
  return reached.isError() ? reached
                           : c.selectTensors(reached, bound, input, range);
}

static Val clamp(Checker &c, const Bound &args) {
  Val result = args["input"];
  const Val *low = args.find("min"), *high = args.find("max");
  if (!c.isTensor(result, args.range(), "`clamp`"))
    return c.fail();
  if (low && !low->is(ValKind::None))
    result = clampAt(c, result, *low, true, args.range());
  if (high && !high->is(ValKind::None) && !result.isError())
    result = clampAt(c, result, *high, false, args.range());
  return result;
}

static Val where(Checker &c, const Bound &args) {
  return c.selectTensors(args["condition"], args["input"], args["other"],
                         args.range());
}

static Val maskedFill(Checker &c, const Bound &args) {
  const Val &input = args["input"];
  if (!c.isTensor(input, args.range(), "`masked_fill`"))
    return c.fail();
  return c.selectTensors(args["mask"], args["value"], input, args.range());
}

static Val square(Checker &c, const Bound &args) {
  const Val &input = args["input"];
  return c.binary(ast::BinaryOp::Mul, input, input, args.range());
}

static Val negative(Checker &c, const Bound &args) {
  return c.negate(args["input"], args.range());
}

template <bool logarithm> static Val softmax(Checker &c, const Bound &args) {
  const Val &input = args["input"];
  std::string what = logarithm ? "`log_softmax`" : "`softmax`";
  if (!c.isTensor(input, args.range(), what))
    return c.fail();
  const TensorType &type = typeOf(input);
  auto index = c.takeDim(args["dim"], type, args.range());
  if (!index ||
      !c.accepts(OpKind::Softmax, type.dtype, args.range(), what, input))
    return c.fail();
  Value value =
      c.emit().opLike(logarithm ? OpKind::LogSoftmax : OpKind::Softmax,
                      input.value, {{"dim", int64_t(*index)}});
  return makeTensor(type, value, input.as<TensorInfo>().placed);
}

llvm::ArrayRef<Builtin> sema::getElementwiseBuiltins() {
  using ast::BinaryOp;
  using ast::CompareOp;
  static const Builtin table[] = {
      {"relu", "input", tensorOnly<OpKind::Relu>},
      {"sigmoid", "input", tensorOnly<OpKind::Sigmoid>},
      {"erf", "input", tensorOnly<OpKind::Erf>},
      {"expm1", "input", tensorOnly<OpKind::Expm1>},
      {"log1p", "input", tensorOnly<OpKind::Log1p>},
      {"rsqrt", "input", tensorOnly<OpKind::Rsqrt>},
      {"sign", "input", tensorOnly<OpKind::Sign>},
      {"trunc", "input", tensorOnly<OpKind::Trunc>},
      {"logical_not", "input", logical<OpKind::Not>},
      {"abs", "input", unary<OpKind::Abs, HostOp::Abs, true>},
      {"exp", "input", unary<OpKind::Exp, HostOp::Exp, true>},
      {"log", "input", unary<OpKind::Log, HostOp::Log, true>},
      {"sqrt", "input", unary<OpKind::Sqrt, HostOp::Sqrt, true>},
      {"sin", "input", unary<OpKind::Sin, HostOp::Sin, true>},
      {"cos", "input", unary<OpKind::Cos, HostOp::Cos, true>},
      {"tanh", "input", unary<OpKind::Tanh, HostOp::Tanh, true>},
      {"floor", "input", unary<OpKind::Floor, HostOp::Floor, true>},
      {"ceil", "input", unary<OpKind::Ceil, HostOp::Ceil, true>},
      {"round", "input, decimals=", round},
      {"neg", "input", negative},
      {"square", "input", square},
      {"maximum", "input, other", pairwise<OpKind::Max>},
      {"minimum", "input, other", pairwise<OpKind::Min>},
      {"add", "input, other", viaOperator<BinaryOp::Add>},
      {"sub", "input, other", viaOperator<BinaryOp::Sub>},
      {"mul", "input, other", viaOperator<BinaryOp::Mul>},
      {"div", "input, other", viaOperator<BinaryOp::Div>},
      {"pow", "input, other", viaOperator<BinaryOp::Pow>},
      {"floor_divide", "input, other", viaOperator<BinaryOp::FloorDiv>},
      {"remainder", "input, other", viaOperator<BinaryOp::Mod>},
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
      {"softmax", "input, dim", softmax<false>},
      {"log_softmax", "input, dim", softmax<true>},
  };
  return table;
}
