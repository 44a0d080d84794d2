//===- BuiltinsElementwise.cpp - one element in, one element out ----------===//

#include "Checker.h"
#include "Frontend/Typed/Reductions.h"

using namespace tdc;
using namespace tdc::sema;

/// An op of the table, called by its name. At least one operand is a tensor.
static Val ofTable(Checker &c, const Bound &args) {
  const OpInfo *op = llvm::find_if(getOpTable(), [&](const OpInfo &info) {
    return info.isFunction() && info.spelling == args.name;
  });
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

static Val round(Checker &c, const Bound &args) {
  const Val &input = args["input"];
  if (args.has("decimals"))
    return c.unsupported(args["decimals"].range, "`decimals=`");
  if (input.isHostScalar())
    return c.host.toInt(c.host.math(HostOp::Round, input));
  return ofTable(c, args);
}

template <ast::BinaryOp op>
static Val viaOperator(Checker &c, const Bound &args) {
  return c.binary(op, args["input"], args["other"], args.range());
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

static Val clamp(Checker &c, const Bound &args) {
  Val result = args["input"];
  const Val *low = args.find("min"), *high = args.find("max");
  if (!c.tensors.isTensor(result, args.range(), "`clamp`"))
    return c.fail();
  if (low && !low->is(ValKind::None))
    result = clampAt(c, result, *low, true, args.range());
  if (high && !high->is(ValKind::None) && !result.isError())
    result = clampAt(c, result, *high, false, args.range());
  return result;
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
      {"tanh", "input", unary<HostOp::Tanh>},
      {"floor", "input", unary<HostOp::Floor>},
      {"ceil", "input", unary<HostOp::Ceil>},
      {"round", "input, decimals=", round},
      {"neg", "input", negative},
      {"square", "input", square},
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
