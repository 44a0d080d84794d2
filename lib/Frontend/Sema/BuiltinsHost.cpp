//===- BuiltinsHost.cpp - print, len, range and other host functions ------===//

#include "Checker.h"
#include "Frontend/Characters.h"
#include "llvm/ADT/StringSwitch.h"
#include <limits>

using namespace tdc;
using namespace tdc::sema;

static Val print(Checker &c, const Bound &args) {
  std::string text;
  llvm::SmallVector<Value> values;
  Val separator = makeStr(" "), end = makeStr("\n");
  for (auto [name, out] :
       {std::make_pair("sep", &separator), std::make_pair("end", &end)})
    if (const Val *given = args.find(name)) {
      if (!given->is(ValKind::Str)) {
        c.error(DiagCode::TD303, given->range,
                llvm::Twine("`") + name + "` is a str, not " +
                    describe(*given));
        return c.fail();
      }
      *out = *given;
    }
  for (auto [i, val] : llvm::enumerate(args.rest())) {
    if (i)
      c.formatting.appendValue(text, values, separator, "", false);
    c.formatting.appendValue(text, values, val, "", false);
  }
  c.formatting.appendValue(text, values, end, "", false);
  c.emit().print(c.formatting.emitText(text, values));
  return makeVal(ValKind::None);
}

static Val len(Checker &c, const Bound &args) {
  const Val &val = args["input"];
  switch (val.kind) {
  case ValKind::Tuple:
  case ValKind::List:
    return makeInt(static_cast<int64_t>(elementsOf(val).size()));
  case ValKind::Str:
    if (auto text = c.host.requireStr(val, "a str given to `len`"))
      return makeInt(static_cast<int64_t>(charactersOf(*text).size()));
    return c.fail();
  case ValKind::Tensor:
    if (!typeOf(val).dims.empty())
      return makeInt(typeOf(val).dims[0]);
    break;
  case ValKind::Model:
    if (val.as<ModelInstance>().isList())
      return makeInt(
          static_cast<int64_t>(val.as<ModelInstance>().members.size()));
    break;
  case ValKind::Dataset:
    return makeInt(val.as<DatasetInfo>().rows);
  case ValKind::Sampler:
    return makeInt(val.as<SamplerInfo>().count);
  case ValKind::Loader: {
    auto &loader = val.as<LoaderInfo>();
    Size batch(loader.batchSize);
    Size rows = loader.dropLast ? loader.rows : loader.rows + batch - Size(1);
    return makeInt(Size::floorDiv(rows, batch));
  }
  default:
    break;
  }
  c.error(DiagCode::TD304, args.range(), describe(val) + " has no length");
  return c.fail();
}

static Val range(Checker &c, const Bound &args) {
  llvm::ArrayRef<Val> given = args.rest();
  if (given.empty() || given.size() > 3) {
    c.error(DiagCode::TD205, args.range(),
            "`range` takes (end), (start, end) or (start, end, step)");
    return c.fail();
  }
  for (const Val &val : given)
    if (!val.is(ValKind::Int)) {
      Diagnostic &report = c.error(
          DiagCode::TD303, val.range.isValid() ? val.range : args.range(),
          "`range` takes ints, not " + describe(val));
      // `range(n / size)`: a quotient is a float.
      llvm::StringRef written = c.text(val.range);
      size_t slash = written.find('/');
      if (val.is(ValKind::Float) && slash != written.npos &&
          written.count('/') == 1) {
        std::string whole =
            (written.take_front(slash) + "/" + written.drop_front(slash)).str();
        SourceRange at = {val.range.file,
                          val.range.begin + static_cast<uint32_t>(slash),
                          val.range.begin + static_cast<uint32_t>(slash)};
        report.fix(FixIt::Choice, "`" + whole + "`  (rounded down)",
                   {{at, "/"}});
      } else {
        report.note("make floats from ints: `let x = 0.5 * i`, or loop over a "
                    "tensor: `arange(0.5, 2.5)`");
      }
      return c.fail();
    }
  auto info = std::make_shared<RangeInfo>();
  info->from = given.size() > 1 ? given[0] : makeInt(0);
  info->to = given.size() > 1 ? given[1] : given[0];
  info->step = given.size() > 2 ? given[2] : makeInt(1);
  if (auto step = c.host.constantInt(info->step); step && *step == 0) {
    c.error(DiagCode::TD222, args.range(), "the step of a range must not be 0");
    return c.fail();
  }
  Val val = makeVal(ValKind::Range);
  val.data = std::move(info);
  return val;
}

/// A tensor of a model whose rows are taken; the elements of a list stay
/// unread.
static Val readIfTensor(Checker &c, const Val &val, SourceRange range) {
  return val.is(ValKind::Tensor) ? c.models.readAll(val, range) : val;
}

static Val enumerate(Checker &c, const Bound &args) {
  auto info = std::make_shared<EnumerateInfo>();
  info->inner = readIfTensor(c, args["iterable"], args.range());
  if (const Val *start = args.find("start")) {
    auto number = c.host.requireInt(*start, "`start`");
    if (!number)
      return c.fail();
    info->start = *number;
  }
  Val val = makeVal(ValKind::Enumerate);
  val.data = std::move(info);
  return val;
}

static Val zip(Checker &c, const Bound &args) {
  auto info = std::make_shared<ZipInfo>();
  for (const Val &one : args.rest())
    info->iterables.push_back(readIfTensor(c, one, args.range()));
  Val val = makeVal(ValKind::Zip);
  val.data = std::move(info);
  if (llvm::any_of(args.rest(),
                   [&](const Val &one) { return c.control.hasRows(one); }))
    return val;
  Vals rows;
  if (!c.control.elementsOfIterable(val, args.range(), rows))
    return c.fail();
  return makeSequence(ValKind::List, std::move(rows));
}

static Val sequence(Checker &c, const Bound &args, ValKind kind) {
  Vals elements;
  Val iterable = readIfTensor(c, args["iterable"], args.range());
  if (!c.control.elementsOfIterable(iterable, args.range(), elements))
    return c.fail();
  return makeSequence(kind, std::move(elements));
}
static Val list(Checker &c, const Bound &args) {
  return sequence(c, args, ValKind::List);
}
static Val tuple(Checker &c, const Bound &args) {
  return sequence(c, args, ValKind::Tuple);
}

/// The range that counts back; its step is known.
static Val reversedRange(Checker &c, const RangeInfo &range, int64_t step,
                         SourceRange place) {
  Size size = step > 0 ? range.to.size - range.from.size
                       : range.from.size - range.to.size;
  int64_t stride = std::abs(step);
  Val count =
      c.host.binary(ast::BinaryOp::FloorDiv, makeInt(size + Size(stride - 1)),
                    makeInt(stride), place);
  auto info = std::make_shared<RangeInfo>();
  info->from = makeInt(range.from.size + (count.size - Size(1)) * Size(step));
  info->to = makeInt(range.from.size - Size(step > 0 ? 1 : -1));
  info->step = makeInt(-step);
  Val val = makeVal(ValKind::Range);
  val.data = std::move(info);
  return val;
}

/// As in Python, but a list, and not only the elements one after another. Of a
/// tensor, PyTorch makes `flip(0)`.
static Val reversed(Checker &c, const Bound &args) {
  const Val &sequence = args["sequence"];
  if (sequence.is(ValKind::Tensor)) {
    Val tensor = c.models.readAll(sequence, args.range());
    if (typeOf(tensor).dims.empty())
      return tensor;
    CallArgs flip;
    flip.range = flip.calleeRange = args.range();
    flip.positional = {tensor, makeInt(0)};
    return c.calls.call(*c.scopes.findGlobal("flip"), flip);
  }
  if (sequence.is(ValKind::Range))
    if (auto step = c.host.constantInt(sequence.as<RangeInfo>().step))
      return reversedRange(c, sequence.as<RangeInfo>(), *step, args.range());
  if (sequence.is(ValKind::Enumerate) || sequence.is(ValKind::Zip) ||
      sequence.is(ValKind::Loader)) {
    c.error(DiagCode::TD303, args.range(),
            "`reversed` takes a list, tuple, range, str or tensor, not " +
                describe(sequence))
        .note("`list(…)` makes a list of it");
    return c.fail();
  }
  Vals elements;
  if (!c.control.elementsOfIterable(sequence, args.range(), elements))
    return c.fail();
  std::reverse(elements.begin(), elements.end());
  return makeSequence(ValKind::List, std::move(elements));
}

/// The number that `float` makes of a text, also "inf", "Infinity" and "nan" in
/// small and capital letters.
static std::optional<double> numberIn(llvm::StringRef text) {
  text = text.trim();
  double number;
  if (!text.getAsDouble(number))
    return number;
  bool isNegative = text.consume_front("-");
  if (!isNegative)
    text.consume_front("+");
  double sign = isNegative ? -1.0 : 1.0;
  if (text.equals_insensitive("inf") || text.equals_insensitive("infinity"))
    return sign * std::numeric_limits<double>::infinity();
  if (text.equals_insensitive("nan"))
    return std::numeric_limits<double>::quiet_NaN();
  return std::nullopt;
}

/// int(x), float(x), bool(x): of a host value, a text or a 0-d tensor. Not
/// every number of a u64 is an int; `wanted` is the dtype in which it is read.
static std::optional<Val> scalarOf(Checker &c, const Bound &args,
                                   DType wanted) {
  Val val = args["x"];
  if (val.is(ValKind::Tensor)) {
    auto count = c.host.constantOf(numElements(typeOf(val).dims));
    if (count && *count == 1)
      return c.tensors.itemOf(typeOf(val).dtype == DType::U64
                                  ? c.tensors.castTo(val, wanted)
                                  : val);
  }
  if (val.isHostScalar())
    return val;
  if (val.is(ValKind::Str) && val.known) {
    // As in Python, `bool` of a str asks whether it has characters.
    if (wanted == DType::Bool)
      return makeBool(!textOf(val).empty());
    int64_t whole;
    if (!textOf(val).trim().getAsInteger(10, whole))
      return makeInt(whole);
    auto number = numberIn(textOf(val));
    if (number && wanted == DType::F64)
      return makeFloat(*number);
    if (number) {
      c.error(DiagCode::TD304, args.range(),
              "`int` of a str takes the digits of an int")
          .label("`int(float(…))` truncates a float");
      return std::nullopt;
    }
  }
  if (val.is(ValKind::Str) && !val.known)
    c.error(DiagCode::TD304, args.range(),
            "cannot make a number of a str that is known only when the program "
            "runs")
        .note("an `arg` can be a number itself: `arg n: int = 1`, "
              "`arg rate: float = 0.1`");
  else
    c.error(DiagCode::TD304, args.range(),
            "cannot make a number of " + describe(val));
  return std::nullopt;
}

static Val toInt(Checker &c, const Bound &args) {
  auto val = scalarOf(c, args, DType::U64);
  return val ? c.host.toInt(*val) : c.fail();
}
static Val toFloat(Checker &c, const Bound &args) {
  auto val = scalarOf(c, args, DType::F64);
  return val ? c.host.toFloat(*val) : c.fail();
}
static Val toBool(Checker &c, const Bound &args) {
  auto val = scalarOf(c, args, DType::Bool);
  if (!val || val->is(ValKind::Bool))
    return val.value_or(Val());
  Val zero = val->is(ValKind::Float) ? makeFloat(0) : makeInt(0);
  return c.host.compare(ast::CompareOp::Ne, *val, zero, args.range());
}

static Val str(Checker &c, const Bound &args) {
  if (auto text = c.formatting.constantText(args["x"]))
    return makeStr(*text);
  std::string text;
  llvm::SmallVector<Value> values;
  c.formatting.appendValue(text, values, args["x"], "", false);
  return makeRunTime(ValKind::Str, c.formatting.emitText(text, values));
}

/// Whether a value is of a type, as in Python.
static std::optional<bool> isOfType(Checker &c, const Val &val, const Val &type,
                                    SourceRange range) {
  if (type.is(ValKind::Tuple) || type.is(ValKind::List)) {
    for (const Val &one : elementsOf(type)) {
      auto is = isOfType(c, val, one, range);
      if (!is || *is)
        return is;
    }
    return false;
  }
  if (type.is(ValKind::Class)) {
    auto &wanted = type.as<ClassInfo>();
    if (!val.is(ValKind::Model))
      return false;
    auto &model = val.as<ModelInstance>();
    return wanted.native == NativeModel::Module ||
           (model.decl == wanted.decl && model.native == wanted.native);
  }
  if (type.is(ValKind::Builtin)) {
    auto kind = llvm::StringSwitch<std::optional<ValKind>>(
                    type.as<BuiltinInfo>().builtin->name)
                    .Case("int", ValKind::Int)
                    .Case("float", ValKind::Float)
                    .Case("bool", ValKind::Bool)
                    .Case("str", ValKind::Str)
                    .Case("list", ValKind::List)
                    .Case("tuple", ValKind::Tuple)
                    .Case("tensor", ValKind::Tensor)
                    .Default(std::nullopt);
    // In Python a bool is an int, too.
    if (kind)
      return val.is(*kind) || (*kind == ValKind::Int && val.is(ValKind::Bool));
  }
  c.error(DiagCode::TD303, type.range.isValid() ? type.range : range,
          "`isinstance` takes a type, not " + describe(type))
      .note("a model such as `Linear`, `Module` for any model, or `int`, "
            "`float`, `bool`, `str`, `list`, `tuple`, `tensor`");
  return std::nullopt;
}

static Val isInstance(Checker &c, const Bound &args) {
  auto is = isOfType(c, args["x"], args["type"], args.range());
  return is ? makeBool(*is) : c.fail();
}

static Val type(Checker &c, const Bound &args) {
  const Val &val = args["x"];
  if (val.is(ValKind::Model))
    return typeOfModel(val.as<ModelInstance>());
  c.error(DiagCode::TD303, args.range(),
          "`type` takes a model, not " + describe(val))
      .note("`isinstance(x, int)` asks for the type of another value");
  return c.fail();
}

static Val seed(Checker &c, const Bound &args) {
  const Val &value = args["seed"];
  if (!value.is(ValKind::Int)) {
    c.error(DiagCode::TD303, value.range,
            "a seed is an int, not " + describe(value));
    return c.fail();
  }
  c.emit().seed(c.host.materialize(value));
  return makeVal(ValKind::None);
}

static Val callable(Checker &, const Bound &args) {
  ValKind kind = args["object"].kind;
  return makeBool(kind == ValKind::Function || kind == ValKind::Builtin ||
                  kind == ValKind::Class || kind == ValKind::Model);
}

static Val hasAttribute(Checker &c, const Bound &args) {
  auto name = c.host.requireStr(args["name"], "a name given to `hasattr`");
  if (!name)
    return c.fail();
  return makeBool(
      llvm::is_contained(c.scopes.membersOf(args["object"]), *name));
}

llvm::ArrayRef<Builtin> sema::getHostBuiltins() {
  static const Builtin table[] = {
      {"print", "*values, sep=, end=", print},
      {"len", "input", len, Shares::Type, Takes::Names},
      {"range", "*start_end_step", range},
      {"callable", "object", callable, Shares::Type},
      {"hasattr", "object, name", hasAttribute, Shares::Type},
      {"enumerate", "iterable, start=", enumerate, Shares::Kept, Takes::Names},
      {"zip", "*iterables", zip, Shares::Kept, Takes::Names},
      {"reversed", "sequence", reversed, Shares::Kept, Takes::Names},
      {"list", "iterable", list, Shares::Kept, Takes::Names},
      {"tuple", "iterable", tuple, Shares::Kept, Takes::Names},
      {"int", "x", toInt},
      {"float", "x", toFloat},
      {"bool", "x", toBool},
      {"str", "x", str},
      {"isinstance", "x, type", isInstance, Shares::Type},
      {"type", "x", type, Shares::Type},
      {"seed", "seed", seed},
      {"manual_seed", "seed", seed},
  };
  return table;
}
