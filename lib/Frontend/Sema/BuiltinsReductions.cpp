//===- BuiltinsReductions.cpp - sum, mean, max, argmax … ------------------===//

#include "BuiltinArguments.h"
#include "Frontend/Typed/Reductions.h"
#include <cmath>

using namespace tdc;
using namespace tdc::sema;
using ast::BinaryOp;

namespace {
/// `dim=` and `keepdim=` of a reduction.
struct Along {
  llvm::SmallVector<unsigned, 4> dims;
  bool keep = false;
  bool all = false; ///< no dim was named
};
} // namespace

static bool isSequence(const Val &val) {
  return val.is(ValKind::List) || val.is(ValKind::Tuple);
}

static std::optional<Along> along(Checker &c, const Bound &args,
                                  const TensorType &type) {
  Along result;
  const Val *dim = args.find("dim");
  if (dim && dim->isError())
    return std::nullopt;
  // No dims are all dims, as in PyTorch.
  if (!dim || dim->is(ValKind::None) ||
      (isSequence(*dim) && elementsOf(*dim).empty())) {
    result.all = true;
    for (unsigned i = 0; i != type.dims.size(); ++i)
      result.dims.push_back(i);
  } else {
    Vals list{*dim};
    if (isSequence(*dim))
      list.assign(elementsOf(*dim).begin(), elementsOf(*dim).end());
    for (const Val &one : list) {
      auto index = c.tensors.takeDim(one, type, args.range());
      if (!index)
        return std::nullopt;
      if (llvm::is_contained(result.dims, *index)) {
        c.error(DiagCode::TD403, dim->range, "a dim is named twice");
        return std::nullopt;
      }
      result.dims.push_back(*index);
    }
  }
  if (const Val *keep = args.find("keepdim")) {
    auto flag = c.host.requireBool(*keep, "`keepdim`");
    if (!flag)
      return std::nullopt;
    result.keep = *flag;
  }
  return result;
}

/// Computes a function of `input`, in f32 for a narrow float, and rounds once,
/// however many ops the function has.
template <Val (*compute)(Checker &, const Bound &, const Val &input)>
static Val roundedOnce(Checker &c, const Bound &args) {
  const Val &input = args["input"];
  Val result = compute(c, args, c.tensors.widened(input));
  return result.isError() ? result
                          : c.tensors.rounded(result, typeOf(input).dtype);
}

/// The number of elements that are combined, as a host value.
static Val countOf(const TensorType &type, const Along &a) {
  Size count = 1;
  for (unsigned dim : a.dims)
    count = count * type.dims[dim];
  return makeInt(count);
}

static Val sumAlong(Checker &c, const Val &input, const Along &a) {
  // bool and small integers add up in i64.
  Val wide = isFloat(typeOf(input).dtype) ? input
                                          : c.tensors.castTo(input, DType::I64);
  return c.tensors.reduceOf(td::ReduceKind::Sum, wide, a.dims, a.keep);
}

static bool ready(Checker &c, const Bound &args, llvm::StringRef what,
                  std::optional<Along> &a) {
  const Val &input = args["input"];
  if (!c.tensors.isTensor(input, args.range(), what))
    return false;
  a = along(c, args, typeOf(input));
  return bool(a);
}

static bool isFloating(Checker &c, const Val &input, SourceRange range,
                       llvm::StringRef what) {
  return c.tensors.accepts(OpKind::Exp, typeOf(input).dtype, range, what,
                           input);
}

/// Python's `sum` of a list.
static Val sumOfList(Checker &c, const Val &list, Val total,
                     SourceRange range) {
  if (!c.tensors.isNumeric(total, range, "`sum`"))
    return c.fail();
  for (const Val &element : elementsOf(list)) {
    if (!c.tensors.isNumeric(element, range, "`sum`"))
      return c.fail();
    total = c.binary(ast::BinaryOp::Add, total, element, range);
    if (total.isError())
      return total;
  }
  return total;
}

static bool isNamed(const Bound &args, llvm::StringRef name) {
  return llvm::any_of(args.call.keywords, [&](const auto &keyword) {
    return keyword.name.text == name;
  });
}

static Val sum(Checker &c, const Bound &args) {
  const Val &input = args["input"];
  if (isSequence(input) && !args.has("keepdim") && !isNamed(args, "dim")) {
    // Its second argument is where it starts.
    const Val *start = args.find("start");
    if (!start)
      start = args.find("dim");
    return sumOfList(c, input, start ? *start : makeInt(0), args.range());
  }
  if (const Val *start = args.find("start")) {
    c.error(DiagCode::TD205, start->range, "`start` is for the sum of a list");
    return c.fail();
  }
  std::optional<Along> a;
  if (!ready(c, args, "`sum`", a))
    return c.fail();
  return sumAlong(c, args["input"], *a);
}

static Val meanAlong(Checker &c, const Val &input, const Along &a,
                     SourceRange range) {
  Val total = c.tensors.reduceOf(td::ReduceKind::Sum, input, a.dims, a.keep);
  Val count = countOf(typeOf(input), a);
  if (c.host.constantInt(count) == std::optional<int64_t>(1))
    return total;
  return c.tensors.elementwise(OpKind::Div, {total, c.host.toFloat(count)},
                               range, "`mean`");
}

static Val mean(Checker &c, const Bound &args, const Val &input) {
  std::optional<Along> a;
  if (!ready(c, args, "`mean`", a) ||
      !isFloating(c, input, args.range(), "`mean`"))
    return c.fail();
  return meanAlong(c, input, *a, args.range());
}

/// The larger or smaller one of two host numbers.
template <td::ReduceKind kind>
static Val extremeOf(Checker &c, const Val &lhs, const Val &rhs,
                     SourceRange range) {
  constexpr bool isMax = kind == td::ReduceKind::Max;
  bool floats = lhs.is(ValKind::Float) || rhs.is(ValKind::Float);
  Val a = floats ? c.host.toFloat(lhs) : c.host.toInt(lhs);
  Val b = floats ? c.host.toFloat(rhs) : c.host.toInt(rhs);
  // As in Python: the first one, unless the second is greater or less.
  Val isSecond = c.host.compare(isMax ? ast::CompareOp::Gt : ast::CompareOp::Lt,
                                b, a, range);
  if (isSecond.known)
    return isSecond.truth ? b : a;
  Value value = c.emit().host(isMax ? HostOp::Max : HostOp::Min,
                              {c.host.materialize(a), c.host.materialize(b)});
  return floats ? makeRunTime(ValKind::Float, value)
                : c.host.runTimeInt(value, "int");
}

static bool areNumbers(llvm::ArrayRef<Val> vals) {
  return llvm::all_of(vals, [](const Val &val) { return val.isHostScalar(); });
}

template <td::ReduceKind kind>
static Val extremeOfAll(Checker &c, llvm::ArrayRef<Val> numbers,
                        SourceRange range) {
  Val result = numbers.front();
  for (const Val &number : numbers.drop_front())
    result = extremeOf<kind>(c, result, number, range);
  return result;
}

/// Bessel's correction unless `correction=0` or `unbiased=false`.
static Val variance(Checker &c, const Bound &given, const Val &input) {
  // As in PyTorch, `var(x, false)` is `var(x, unbiased=false)`.
  Bound args = given;
  for (auto &[name, val] : args.named)
    if (name == "dim" && val.is(ValKind::Bool) && !given.has("unbiased"))
      name = "unbiased";
  std::optional<Along> a;
  if (!ready(c, args, "`var`", a) ||
      !isFloating(c, input, args.range(), "`var`"))
    return c.fail();
  Val correction = makeInt(1);
  if (const Val *less = args.find("correction");
      less && !less->is(ValKind::None)) {
    auto number = c.host.requireFloat(*less, "`correction`");
    if (!number)
      return c.fail();
    correction = makeFloat(*number);
  }
  if (const Val *unbiased = args.find("unbiased")) {
    auto flag = c.host.requireBool(*unbiased, "`unbiased`");
    if (!flag)
      return c.fail();
    correction = makeInt(*flag);
  }
  Along kept = *a;
  kept.keep = true;
  SourceRange range = args.range();
  Val centre = meanAlong(c, input, kept, range);
  Val d = c.tensors.elementwise(OpKind::Sub, {input, centre}, range, "`var`");
  Val square = c.tensors.elementwise(OpKind::Mul, {d, d}, range, "`var`");
  if (square.isError())
    return c.fail();
  Val total = c.tensors.reduceOf(td::ReduceKind::Sum, square, a->dims, a->keep);
  // At least 0, so that no elements have the variance 0 / 0 rather than 0 / -1.
  Val count = countOf(typeOf(input), *a);
  count = extremeOf<td::ReduceKind::Max>(
      c,
      c.host.binary(BinaryOp::Sub, c.host.toFloat(count),
                    c.host.toFloat(correction), range),
      makeFloat(0), range);
  return c.tensors.elementwise(OpKind::Div, {total, c.host.toFloat(count)},
                               range, "`var`");
}

/// The root of a sum of squares. At 0 its gradient is 0, as in PyTorch; the
/// gradient of the root alone would be NaN for a row of zeros.
static Val lengthOf(Checker &c, const Val &squares, SourceRange range,
                    llvm::StringRef what) {
  if (squares.isError())
    return squares;
  Val nonzero = c.tensors.tensorCompare(td::ComparePredicate::NE, squares,
                                        makeFloat(0), range, what);
  Val safe = c.tensors.selectTensors(nonzero, squares, makeFloat(1), range);
  Val root = c.tensors.elementwise(OpKind::Sqrt, {safe}, range, what);
  return c.tensors.selectTensors(nonzero, root, makeFloat(0), range);
}

static Val deviation(Checker &c, const Bound &args, const Val &input) {
  return lengthOf(c, variance(c, args, input), args.range(), "`std`");
}

static bool hasElements(Checker &c, const Val &input,
                        llvm::ArrayRef<unsigned> dims, SourceRange range) {
  if (typed::requireElements(c.tensors.builder, typedOf(input), dims))
    return true;
  c.tensors.explainFailure(range, input);
  return false;
}

template <td::ReduceKind kind> static Val plain(Checker &c, const Bound &args) {
  std::optional<Along> a;
  if (!ready(c, args, args.what(), a))
    return c.fail();
  Val input = args["input"];
  bool logical = kind == td::ReduceKind::Any || kind == td::ReduceKind::All;
  if (logical)
    input = c.tensors.castTo(input, DType::Bool);
  else if (kind == td::ReduceKind::Prod && !isFloat(typeOf(input).dtype))
    input = c.tensors.castTo(input, DType::I64);
  if (!logical && !c.tensors.accepts(OpKind::Max, typeOf(input).dtype,
                                     args.range(), args.what(), input))
    return c.fail();
  bool isExtreme = kind == td::ReduceKind::Max || kind == td::ReduceKind::Min;
  if (isExtreme && !hasElements(c, input, a->dims, args.range()))
    return c.fail();
  return c.tensors.reduceOf(kind, input, a->dims, a->keep);
}

static Val argAlong(Checker &c, td::ReduceKind kind, const Val &input,
                    const Along &a, SourceRange range, llvm::StringRef what) {
  Val source = input;
  unsigned dim = a.dims.empty() ? 0 : a.dims[0];
  if (a.all) {
    source = c.tensors.reshapeTo(input, {numElements(typeOf(input).dims)});
    dim = 0;
  }
  if (!c.tensors.accepts(OpKind::ArgReduce, typeOf(source).dtype, range, what,
                         input) ||
      !hasElements(c, input, a.dims, range))
    return c.fail();
  Val index = c.tensors.fromTyped(typed::argReduce(c.tensors.builder, kind,
                                                   typedOf(source), dim,
                                                   a.keep && !a.all),
                                  input);
  if (!a.all || !a.keep)
    return index;
  return c.tensors.reshapeTo(index, Dims(typeOf(input).dims.size(), Size(1)));
}

template <td::ReduceKind kind> static Val argOf(Checker &c, const Bound &args) {
  std::optional<Along> a;
  if (!ready(c, args, args.what(), a))
    return c.fail();
  if (!a->all && a->dims.size() != 1) {
    c.error(DiagCode::TD403, args.range(), "`dim` must be one dim");
    return c.fail();
  }
  return argAlong(c, kind, args["input"], *a, args.range(), args.what());
}

/// max(x), max(x, dim) with indices, max(a, b) of tensors or host numbers,
/// max(list) of host numbers.
template <td::ReduceKind kind>
static Val extreme(Checker &c, const Bound &args) {
  constexpr bool isMax = kind == td::ReduceKind::Max;
  const char *what = isMax ? "`max`" : "`min`";
  const Val &input = args["input"];
  const Val *other = args.find("other");
  if (input.isHostScalar()) {
    Vals numbers{input};
    for (const Val *given : {other, args.find("keepdim")})
      if (given)
        numbers.push_back(*given);
    llvm::append_range(numbers, args.rest());
    if (numbers.size() < 2 || !areNumbers(numbers)) {
      c.error(DiagCode::TD205, args.range(),
              args.what() + " takes several numbers, a list or a tensor");
      return c.fail();
    }
    return extremeOfAll<kind>(c, numbers, args.range());
  }
  if (!args.rest().empty()) {
    c.error(DiagCode::TD205, args.range(),
            args.what() + " of a tensor takes a dim and `keepdim`");
    return c.fail();
  }
  if (isSequence(input) && !elementsOf(input).empty() && !other &&
      areNumbers(elementsOf(input)))
    return extremeOfAll<kind>(c, elementsOf(input), args.range());
  if (!c.tensors.isTensor(input, args.range(), what))
    return c.fail();
  if (other && other->is(ValKind::Tensor))
    return c.tensors.elementwise(isMax ? OpKind::Max : OpKind::Min,
                                 {input, *other}, args.range(), what);
  std::optional<Along> a;
  if (other) {
    // The second positional argument of a tensor's max is the dim.
    auto dim = c.tensors.takeDim(*other, typeOf(input), args.range());
    if (!dim)
      return c.fail();
    Along one;
    one.dims = {*dim};
    if (const Val *keep = args.find("keepdim")) {
      auto flag = c.host.requireBool(*keep, "`keepdim`");
      if (!flag)
        return c.fail();
      one.keep = *flag;
    }
    a = one;
  } else {
    a = along(c, args, typeOf(input));
  }
  if (!a ||
      !c.tensors.accepts(OpKind::Max, typeOf(input).dtype, args.range(), what,
                         input) ||
      !hasElements(c, input, a->dims, args.range()))
    return c.fail();
  Val values = c.tensors.reduceOf(kind, input, a->dims, a->keep);
  if (a->all)
    return values;
  return makeSequence(ValKind::Tuple, {values, argAlong(c, kind, input, *a,
                                                        args.range(), what)});
}

/// The sum of |x|^p, to the power 1 / p. As in PyTorch, elements that are 0
/// have the gradient 0, where that of a power alone would be infinite.
static Val powerNorm(Checker &c, const Val &size, double p, const Along &a,
                     SourceRange range) {
  auto powerOf = [&](const Val &base, double exponent) {
    if (base.isError())
      return base;
    Val isZero = c.tensors.tensorCompare(td::ComparePredicate::EQ, base,
                                         makeFloat(0), range, "`norm`");
    Val safe = c.tensors.selectTensors(isZero, makeFloat(1), base, range);
    Val power = c.binary(BinaryOp::Pow, safe, makeFloat(exponent), range);
    return power.isError()
               ? power
               : c.tensors.selectTensors(
                     isZero, makeFloat(std::pow(0.0, exponent)), power, range);
  };
  Val powers = powerOf(size, p);
  return powers.isError() ? powers : powerOf(sumAlong(c, powers, a), 1 / p);
}

/// The order of a norm; "fro" is that of a matrix as one vector.
static std::optional<double> takeOrder(Checker &c, const Val *p) {
  if (!p || p->is(ValKind::None))
    return 2;
  if (!p->is(ValKind::Str))
    return c.host.requireFloat(*p, "`p`");
  auto name = c.host.requireStr(*p, "`p`");
  if (!name || *name == "fro")
    return name ? std::optional(2.0) : std::nullopt;
  if (*name == "nuc")
    c.unsupported(p->range, "the nuclear norm");
  else
    c.error(DiagCode::TD222, p->range, "`p` is a number or \"fro\"");
  return std::nullopt;
}

static Val norm(Checker &c, const Bound &args, const Val &input) {
  std::optional<Along> a;
  std::optional<double> p = takeOrder(c, args.find("p"));
  SourceRange range = args.range();
  if (!p || !ready(c, args, "`norm`", a) ||
      !isFloating(c, input, range, "`norm`"))
    return c.fail();
  if (*p == 2) {
    Val square =
        c.tensors.elementwise(OpKind::Mul, {input, input}, range, "`norm`");
    return lengthOf(c, sumAlong(c, square, *a), range, "`norm`");
  }
  if (*p == 0)
    return sumAlong(c,
                    c.tensors.castTo(
                        c.tensors.tensorCompare(td::ComparePredicate::NE, input,
                                                makeFloat(0), range, "`norm`"),
                        typeOf(input).dtype),
                    *a);
  Val size = c.tensors.elementwise(OpKind::Abs, {input}, range, "`norm`");
  if (std::isinf(*p))
    return hasElements(c, input, a->dims, range)
               ? c.tensors.reduceOf(*p > 0 ? td::ReduceKind::Max
                                           : td::ReduceKind::Min,
                                    size, a->dims, a->keep)
               : c.fail();
  if (*p == 1)
    return sumAlong(c, size, *a);
  return powerNorm(c, size, *p, *a, range);
}

static Val logSumExp(Checker &c, const Bound &args) {
  const Val &input = args["input"];
  std::optional<Along> a;
  if (!ready(c, args, args.what(), a) ||
      !isFloating(c, input, args.range(), args.what()))
    return c.fail();
  return c.tensors.fromTyped(
      typed::logSumExp(c.tensors.builder, typedOf(input), a->dims, a->keep),
      input);
}

template <td::ReduceKind kind> static Val scan(Checker &c, const Bound &args) {
  const Val &input = args["input"];
  if (!c.tensors.isTensor(input, args.range(), args.what()))
    return c.fail();
  auto dim = c.tensors.takeDim(args["dim"], typeOf(input), args.range());
  return dim ? c.tensors.fromTyped(
                   typed::scan(c.tensors.builder, kind, typedOf(input), *dim),
                   input)
             : c.fail();
}

/// Python's `any` and `all` of a list.
template <bool isAll> static Val truthOfList(Checker &c, const Bound &args) {
  Val truth = makeBool(isAll);
  for (Val element : elementsOf(args["input"])) {
    if (element.is(ValKind::Tensor))
      element = c.tensors.itemOf(element);
    if (!element.isHostScalar()) {
      c.error(DiagCode::TD303, args.range(),
              args.what() + " takes bools, not " + describe(element));
      return c.fail();
    }
    if (!element.is(ValKind::Bool))
      element = c.host.compare(
          ast::CompareOp::Ne, element,
          element.is(ValKind::Int) ? makeInt(0) : makeFloat(0), args.range());
    if (element.known && element.truth != isAll)
      return makeBool(!isAll);
    if (element.known)
      continue;
    truth = truth.known
                ? element
                : makeRunTime(ValKind::Bool,
                              c.emit().host(isAll ? HostOp::And : HostOp::Or,
                                            {truth.value, element.value}));
  }
  return truth;
}

template <bool isAll> static Val truthOf(Checker &c, const Bound &args) {
  if (isSequence(args["input"]) && !args.has("dim") && !args.has("keepdim"))
    return truthOfList<isAll>(c, args);
  return ofAnyRank<plain<isAll ? td::ReduceKind::All : td::ReduceKind::Any>>(
      c, args);
}

llvm::ArrayRef<Builtin> sema::getReductionBuiltins() {
  using td::ReduceKind;
  static const Builtin table[] = {
      {"sum",
       "input, dim=, keepdim=, *, dtype=, start=", inDType<ofAnyRank<sum>>},
      {"mean", "input, dim=, keepdim=, *, dtype=",
       inDType<ofAnyRank<roundedOnce<mean>>>},
      {"var", "input, dim=, unbiased=, keepdim=, *, correction=",
       ofAnyRank<roundedOnce<variance>>},
      {"std", "input, dim=, unbiased=, keepdim=, *, correction=",
       ofAnyRank<roundedOnce<deviation>>},
      {"prod", "input, dim=, keepdim=, *, dtype=",
       inDType<ofAnyRank<plain<ReduceKind::Prod>>>},
      {"amax", "input, dim=, keepdim=", ofAnyRank<plain<ReduceKind::Max>>},
      {"amin", "input, dim=, keepdim=", ofAnyRank<plain<ReduceKind::Min>>},
      {"any", "input, dim=, keepdim=", truthOf<false>},
      {"all", "input, dim=, keepdim=", truthOf<true>},
      {"argmax", "input, dim=, keepdim=", ofAnyRank<argOf<ReduceKind::Max>>},
      {"argmin", "input, dim=, keepdim=", ofAnyRank<argOf<ReduceKind::Min>>},
      {"max", "input, other=, keepdim=, *numbers, dim=",
       ofAnyRank<extreme<ReduceKind::Max>>},
      {"min", "input, other=, keepdim=, *numbers, dim=",
       ofAnyRank<extreme<ReduceKind::Min>>},
      {"cumsum",
       "input, dim, *, dtype=", inDType<ofAnyRank<scan<ReduceKind::Sum>>>},
      {"cumprod",
       "input, dim, *, dtype=", inDType<ofAnyRank<scan<ReduceKind::Prod>>>},
      {"norm", "input, p=, dim=, keepdim=, *, dtype=",
       inDType<ofAnyRank<roundedOnce<norm>>>},
      {"logsumexp", "input, dim=, keepdim=", ofAnyRank<logSumExp>},
  };
  return table;
}
