//===- BuiltinsRearrange.cpp - pad, flip, roll, repeat … ------------------===//

#include "BuiltinArguments.h"
#include "Frontend/Typed/Movement.h"
#include "Frontend/Typed/Windows.h"
#include "tdc_text.h"
#include "llvm/ADT/StringSwitch.h"

using namespace tdc;
using namespace tdc::sema;

/// The input as the builder takes it, or nothing after a report.
static std::optional<Typed> takeInput(Checker &c, const Bound &args) {
  if (!c.tensors.isTensor(args["input"], args.range(), args.what()))
    return std::nullopt;
  return typedOf(args["input"]);
}

static Val result(Checker &c, const Bound &args, const MaybeTyped &typed) {
  return typed ? c.tensors.fromTyped(*typed, args["input"])
               : c.tensors.reportFailure(args.range(), args.what(),
                                         args["input"]);
}

/// Dims by number, each once.
static std::optional<llvm::SmallVector<unsigned>>
takeDims(Checker &c, const Bound &args, llvm::ArrayRef<Val> dims) {
  llvm::SmallVector<unsigned> taken;
  for (const Val &dim : dims) {
    auto index = c.tensors.takeDim(dim, typeOf(args["input"]), args.range());
    if (!index)
      return std::nullopt;
    if (llvm::is_contained(taken, *index)) {
      c.error(DiagCode::TD403, args.range(),
              "dim " + llvm::Twine(*index) + " is named twice");
      return std::nullopt;
    }
    taken.push_back(*index);
  }
  return taken;
}

static std::optional<typed::PaddingMode> takeMode(Checker &c,
                                                  const Bound &args) {
  const Val *mode = args.find("mode");
  if (!mode)
    return typed::PaddingMode::Constant;
  auto text = c.host.requireStr(*mode, "`mode`");
  if (!text)
    return std::nullopt;
  auto known = llvm::StringSwitch<std::optional<typed::PaddingMode>>(*text)
                   .Case("constant", typed::PaddingMode::Constant)
                   .Case("reflect", typed::PaddingMode::Reflect)
                   .Case("replicate", typed::PaddingMode::Replicate)
                   .Case("circular", typed::PaddingMode::Circular)
                   .Default(std::nullopt);
  if (!known)
    c.error(DiagCode::TD222, args.range(),
            "`mode` is constant, reflect, replicate or circular, not \"" +
                *text + "\"");
  return known;
}

/// Pairs of numbers, those of the last dim first.
/// Numbers that only the run knows: concatenated with what is in between.
static Val padAtRunTime(Checker &c, const Bound &args) {
  CallArgs call;
  call.range = args.range();
  call.calleeRange = args.call.calleeRange;
  call.positional = {args["input"], args["pad"]};
  const Val *value = args.find("value");
  call.positional.push_back(value && !value->is(ValKind::None) ? *value
                                                               : makeInt(0));
  return c.calls.callPrelude("pad_at_run_time", call);
}

static Val pad(Checker &c, const Bound &args) {
  auto input = takeInput(c, args);
  auto mode = takeMode(c, args);
  if (!input || !mode)
    return c.fail();
  const Val &list = args["pad"];
  size_t rank = input->type.dims.size();
  bool isList = list.is(ValKind::Tuple) || list.is(ValKind::List);
  if (!isList || elementsOf(list).size() % 2 ||
      elementsOf(list).size() > 2 * rank) {
    c.error(DiagCode::TD222, args.range(),
            "`pad` is a list of two numbers for each dim, from the last one on")
        .label("the input has " + countOf(rank, "dim"));
    return c.fail();
  }
  bool isKnown = llvm::all_of(elementsOf(list), [&](const Val &number) {
    return !number.is(ValKind::Int) || c.host.constantInt(number);
  });
  if (!isKnown && *mode == typed::PaddingMode::Constant)
    return padAtRunTime(c, args);
  llvm::SmallVector<typed::Padding> padding(rank);
  for (auto [i, val] : llvm::enumerate(elementsOf(list))) {
    auto number = takeInt(c, val, "`pad`");
    if (!number)
      return c.fail();
    typed::Padding &one = padding[rank - 1 - i / 2];
    (i % 2 ? one.high : one.low) = *number;
  }
  double fill = 0;
  if (const Val *value = args.find("value");
      value && !value->is(ValKind::None)) {
    if (*mode != typed::PaddingMode::Constant) {
      c.error(DiagCode::TD222, args.range(),
              "`value` is for `mode=\"constant\"` only");
      return c.fail();
    }
    if (isFloat(input->type.dtype)) {
      auto number = c.host.requireFloat(*value, "`value`");
      if (!number)
        return c.fail();
      fill = *number;
    } else {
      auto number = takeInt(c, *value, "`value`");
      if (!number)
        return c.fail();
      c.tensors.checkFits(*value, input->type.dtype);
      fill = static_cast<double>(*number);
    }
  }
  return result(c, args,
                typed::pad(c.tensors.builder, *input, padding, *mode, fill));
}

static Val flip(Checker &c, const Bound &args) {
  auto input = takeInput(c, args);
  if (!input)
    return c.fail();
  if (args.rest().empty()) {
    c.error(DiagCode::TD205, args.range(),
            "`flip` needs an argument for `dims`");
    return c.fail();
  }
  auto dims = takeDims(c, args, listOf(args.rest()));
  return dims ? result(c, args, typed::flip(c.tensors.builder, *input, *dims))
              : c.fail();
}

static Val roll(Checker &c, const Bound &args) {
  auto input = takeInput(c, args);
  if (!input)
    return c.fail();
  Vals shifts = listOf(args["shifts"]);
  const Val *given = args.find("dims");
  bool isFlat = !given || given->is(ValKind::None);
  Dims whole = input->type.dims;
  llvm::SmallVector<unsigned> dims{0};
  if (isFlat) {
    input = typed::reshape(c.tensors.builder, *input, {numElements(whole)});
  } else {
    dims.clear();
    for (const Val &dim : listOf(*given)) {
      auto index = c.tensors.takeDim(dim, input->type, args.range());
      if (!index)
        return c.fail();
      dims.push_back(*index);
    }
  }
  if (shifts.size() != dims.size()) {
    c.error(DiagCode::TD222, args.range(),
            "`shifts` has a number for each of `dims`");
    return c.fail();
  }
  MaybeTyped rolled = input;
  for (auto [dim, val] : llvm::zip(dims, shifts)) {
    auto shift = takeInt(c, val, "a shift");
    if (!shift)
      return c.fail();
    if (rolled)
      rolled = typed::roll(c.tensors.builder, *rolled, dim, *shift);
  }
  if (rolled && isFlat)
    rolled = typed::reshape(c.tensors.builder, *rolled, whole);
  return result(c, args, rolled);
}

/// Repeats a tensor along each dim. There may be more counts than dims, and for
/// `tile` fewer.
static Val repeat(Checker &c, const Bound &args) {
  auto input = takeInput(c, args);
  if (!input)
    return c.fail();
  Vals counts = listOf(args.rest());
  size_t rank = input->type.dims.size();
  if (args.name == "tile")
    while (counts.size() < rank)
      counts.insert(counts.begin(), makeInt(1));
  if (counts.size() < rank || counts.size() > kMaxRank) {
    c.error(DiagCode::TD401, args.range(),
            args.what() + " takes a number for each of " + llvm::Twine(rank) +
                " dims or more");
    return c.fail();
  }
  Dims dims(counts.size() - rank, Size(1));
  llvm::append_range(dims, input->type.dims);
  Typed repeated = typed::reshape(c.tensors.builder, *input, dims);
  for (auto [dim, count] : llvm::enumerate(counts)) {
    if (!count.is(ValKind::Int)) {
      reportSize(c, count, args.range());
      return c.fail();
    }
    MaybeTyped next =
        typed::repeat(c.tensors.builder, repeated, dim, count.size);
    if (!next)
      return c.tensors.reportFailure(args.range(), args.what(), args["input"]);
    repeated = *next;
  }
  return result(c, args, repeated);
}

static Val repeatInterleave(Checker &c, const Bound &args) {
  auto input = takeInput(c, args);
  if (!input)
    return c.fail();
  const Val &count = args["repeats"];
  if (!count.is(ValKind::Int)) {
    c.error(DiagCode::TD303, args.range(),
            "`repeats` is an int, not " + describe(count));
    return c.fail();
  }
  unsigned dim = 0;
  if (const Val *given = args.find("dim"); given && !given->is(ValKind::None)) {
    auto index = c.tensors.takeDim(*given, input->type, args.range());
    if (!index)
      return c.fail();
    dim = *index;
  } else {
    input = typed::reshape(c.tensors.builder, *input,
                           {numElements(input->type.dims)});
  }
  return result(
      c, args,
      typed::repeatElements(c.tensors.builder, *input, dim, count.size));
}

/// A position such as `start`, counted from the front; it must be an int.
static std::optional<Size> takePosition(Checker &c, const Bound &args,
                                        llvm::StringRef name,
                                        const Size &size) {
  const Val &position = args[name];
  if (!position.is(ValKind::Int)) {
    c.error(DiagCode::TD303, args.range(),
            "`" + name + "` is an int, not " + describe(position));
    return std::nullopt;
  }
  return c.indexing.fromTheFront(position, size).size;
}

static Val narrow(Checker &c, const Bound &args) {
  auto input = takeInput(c, args);
  if (!input)
    return c.fail();
  auto dim = c.tensors.takeDim(args["dim"], input->type, args.range());
  if (!dim)
    return c.fail();
  // A tensor of one int is a start, too.
  std::optional<Size> start;
  const Size &size = input->type.dims[*dim];
  if (const Val &given = args["start"]; given.is(ValKind::Tensor) &&
                                        typeOf(given).dims.empty() &&
                                        isInteger(typeOf(given).dtype))
    start = c.indexing.fromTheFront(c.tensors.itemOf(given), size).size;
  else
    start = takePosition(c, args, "start", size);
  if (!start)
    return c.fail();
  const Val &length = args["length"];
  if (!length.is(ValKind::Int)) {
    c.error(DiagCode::TD303, args.range(),
            "`length` is an int, not " + describe(length));
    return c.fail();
  }
  return result(
      c, args,
      typed::narrow(c.tensors.builder, *input, *dim, *start, length.size));
}

static Val select(Checker &c, const Bound &args) {
  auto input = takeInput(c, args);
  if (!input)
    return c.fail();
  auto dim = c.tensors.takeDim(args["dim"], input->type, args.range());
  if (!dim)
    return c.fail();
  auto index = takePosition(c, args, "index", input->type.dims[*dim]);
  if (!index)
    return c.fail();
  MaybeTyped one =
      typed::narrow(c.tensors.builder, *input, *dim, *index, Size(1));
  if (!one)
    return c.tensors.reportFailure(args.range(), args.what(), args["input"]);
  return result(c, args,
                typed::reshape(c.tensors.builder, *one,
                               reduceShape(one->type.dims, *dim, false).dims));
}

static Val diagonal(Checker &c, const Bound &args) {
  auto input = takeInput(c, args);
  if (!input)
    return c.fail();
  auto number = [&](llvm::StringRef name, int64_t missing) {
    const Val *given = args.find(name);
    return given ? *given : makeInt(missing);
  };
  auto offset = takeInt(c, number("offset", 0), "`offset`");
  auto dims = takeDims(c, args, {number("dim1", 0), number("dim2", 1)});
  if (!offset || !dims)
    return c.fail();
  return result(c, args,
                typed::diagonal(c.tensors.builder, *input, *offset, (*dims)[0],
                                (*dims)[1]));
}

llvm::ArrayRef<Builtin> sema::getRearrangeBuiltins() {
  static const Builtin table[] = {
      {"pad", "input, pad, mode=, value=", pad},
      {"flip", "input, *dims=", ofAnyRank<flip>},
      {"roll", "input, shifts, dims=", ofAnyRank<roll>},
      {"repeat", "input, *sizes", repeat},
      {"tile", "input, *dims=", repeat},
      {"repeat_interleave", "input, repeats, dim=", repeatInterleave},
      {"narrow", "input, dim, start, length", narrow, Shares::Input},
      {"select", "input, dim, index", select, Shares::Input},
      {"diagonal", "input, offset=, dim1=, dim2=", diagonal, Shares::Input},
  };
  return table;
}
