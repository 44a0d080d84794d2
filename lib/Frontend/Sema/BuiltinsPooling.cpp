//===- BuiltinsPooling.cpp - max_pool2d, avg_pool2d, unfold … -------------===//

#include "BuiltinArguments.h"
#include "Frontend/Typed/Movement.h"
#include "Frontend/Typed/Pooling.h"

using namespace tdc;
using namespace tdc::sema;

namespace {
struct Windows {
  llvm::SmallVector<int64_t> kernel;
  llvm::SmallVector<typed::WindowDim> dims;
};
/// An input of [N, C, L…]; one of [C, L…] has become a batch of one.
struct Batch {
  Typed input;
  bool hasBatchDim;
};
} // namespace

static std::optional<Windows> takeWindows(Checker &c, const Bound &args,
                                          size_t count, bool strideIsKernel) {
  auto kernel =
      takeInts(c, args.find("kernel_size"), 1, count, "`kernel_size`");
  auto padding = takeInts(c, args.find("padding"), 0, count, "`padding`");
  auto dilation = takeInts(c, args.find("dilation"), 1, count, "`dilation`");
  auto stride = takeInts(c, args.find("stride"), 1, count, "`stride`");
  if (!kernel || !padding || !dilation || !stride)
    return std::nullopt;
  const Val *given = args.find("stride");
  if (strideIsKernel && (!given || given->is(ValKind::None)))
    stride = kernel;
  Windows windows{*kernel, {}};
  for (size_t i = 0; i < count; ++i)
    windows.dims.push_back(
        {(*stride)[i], (*dilation)[i], {(*padding)[i], (*padding)[i]}});
  return windows;
}

/// `rank` counts the batch dim.
static std::optional<Batch> takeBatch(Checker &c, const Bound &args,
                                      size_t rank, OpKind op) {
  if (!c.tensors.isTensor(args["input"], args.range(), args.what()) ||
      !c.tensors.accepts(op, typeOf(args["input"]).dtype, args.range(),
                         args.what(), args["input"]))
    return std::nullopt;
  Typed input = typedOf(args["input"]);
  bool hasBatchDim = input.type.dims.size() != rank - 1;
  return Batch{hasBatchDim ? input : addBatch(c, input), hasBatchDim};
}

static Val finish(Checker &c, const Bound &args, const MaybeTyped &result,
                  bool hasBatchDim) {
  if (!result)
    return c.tensors.reportFailure(args.range(), args.what(), args["input"]);
  return c.tensors.fromTyped(hasBatchDim ? *result : dropBatch(c, *result),
                             args["input"]);
}

static std::optional<bool> takeBool(Checker &c, const Bound &args,
                                    llvm::StringRef name, bool missing) {
  const Val *given = args.find(name);
  return given ? c.host.requireBool(*given, "`" + name.str() + "`") : missing;
}

/// What the function of the prelude gives that finds indices, too, if they are
/// asked for; nothing if not.
static std::optional<Val> takeWithIndices(Checker &c, const Bound &args) {
  auto wanted = takeBool(c, args, "return_indices", false);
  if (!wanted)
    return c.fail();
  if (!*wanted)
    return std::nullopt;
  return c.calls.callPrelude((args.name + "_with_indices").str(), args.call);
}

template <size_t count> static Val maxPool(Checker &c, const Bound &args) {
  if (auto both = takeWithIndices(c, args))
    return *both;
  auto batch = takeBatch(c, args, count + 2, OpKind::Max);
  auto windows = takeWindows(c, args, count, /*strideIsKernel=*/true);
  auto ceil = takeBool(c, args, "ceil_mode", false);
  if (!batch || !windows || !ceil)
    return c.fail();
  return finish(c, args,
                typed::maxPool(c.tensors.builder, batch->input, windows->kernel,
                               windows->dims, *ceil),
                batch->hasBatchDim);
}

template <size_t count> static Val averagePool(Checker &c, const Bound &args) {
  auto batch = takeBatch(c, args, count + 2, OpKind::Div);
  auto windows = takeWindows(c, args, count, /*strideIsKernel=*/true);
  auto ceil = takeBool(c, args, "ceil_mode", false);
  auto counts = takeBool(c, args, "count_include_pad", true);
  if (!batch || !windows || !ceil || !counts)
    return c.fail();
  std::optional<int64_t> divisor;
  if (const Val *given = args.find("divisor_override");
      given && !given->is(ValKind::None)) {
    divisor = takeInt(c, *given, "`divisor_override`");
    if (!divisor)
      return c.fail();
    if (*divisor == 0) {
      c.error(DiagCode::TD222, args.range(), "`divisor_override` is not 0");
      return c.fail();
    }
  }
  return finish(c, args,
                typed::averagePool(c.tensors.builder, batch->input,
                                   windows->kernel, windows->dims, *ceil,
                                   *counts, divisor),
                batch->hasBatchDim);
}

/// The mean of the last `count` dims, of any size.
static Val poolWhole(Checker &c, const Bound &args, size_t count) {
  const Val &input = args["input"];
  size_t rank = typeOf(input).dims.size();
  Vals dims;
  for (size_t i = rank - count; i != rank; ++i)
    dims.push_back(makeInt(static_cast<int64_t>(i)));
  CallArgs mean;
  mean.range = args.call.range;
  mean.calleeRange = args.call.calleeRange;
  mean.positional = {input, makeSequence(ValKind::Tuple, std::move(dims)),
                     makeBool(true)};
  return c.calls.call(*c.scopes.findGlobal("mean"), mean);
}

template <size_t count, bool isMax>
static Val adaptivePool(Checker &c, const Bound &args) {
  if (isMax)
    if (auto both = takeWithIndices(c, args))
      return *both;
  if (!c.tensors.isTensor(args["input"], args.range(), args.what()) ||
      !c.tensors.accepts(isMax ? OpKind::Max : OpKind::Div,
                         typeOf(args["input"]).dtype, args.range(), args.what(),
                         args["input"]))
    return c.fail();
  Typed input = typedOf(args["input"]);
  size_t rank = input.type.dims.size();
  if (rank != count + 1 && rank != count + 2) {
    c.error(DiagCode::TD401, args.range(),
            args.what() + " takes a tensor of " + llvm::Twine(count + 1) +
                " or " + llvm::Twine(count + 2) + " dims")
        .label("this one is " + typeText(input.type));
    return c.fail();
  }
  // `none` leaves a dim as it is.
  const Val &given = args["output_size"];
  bool isList = given.is(ValKind::Tuple) || given.is(ValKind::List);
  llvm::SmallVector<int64_t> output;
  for (size_t i = 0; i < count; ++i) {
    Val one = given;
    if (isList) {
      if (elementsOf(given).size() != count) {
        reportCount(c, args.range(), "`output_size`", count,
                    elementsOf(given).size());
        return c.fail();
      }
      one = elementsOf(given)[i];
    }
    if (one.is(ValKind::None))
      one = makeInt(input.type.dims[rank - count + i]);
    auto number = takeInt(c, one, "`output_size`");
    if (!number)
      return c.fail();
    output.push_back(*number);
  }
  if (!isMax && llvm::all_of(output, [](int64_t size) { return size == 1; }))
    return poolWhole(c, args, count);
  return finish(c, args,
                typed::adaptivePool(c.tensors.builder, input, output, isMax),
                true);
}

static Val unfold(Checker &c, const Bound &args) {
  auto batch = takeBatch(c, args, 4, OpKind::Window);
  auto windows = takeWindows(c, args, 2, /*strideIsKernel=*/false);
  if (!batch || !windows)
    return c.fail();
  return finish(c, args,
                typed::unfold(c.tensors.builder, batch->input, windows->kernel,
                              windows->dims),
                batch->hasBatchDim);
}

static Val fold(Checker &c, const Bound &args) {
  auto batch = takeBatch(c, args, 3, OpKind::Add);
  auto windows = takeWindows(c, args, 2, /*strideIsKernel=*/false);
  auto output = takeInts(c, args.find("output_size"), 1, 2, "`output_size`");
  if (!batch || !windows || !output)
    return c.fail();
  return finish(c, args,
                typed::fold(c.tensors.builder, batch->input, *output,
                            windows->kernel, windows->dims),
                batch->hasBatchDim);
}

/// Tensor.unfold: windows along one dim; their elements are a new last dim.
static Val unfoldDim(Checker &c, const Bound &args) {
  if (!c.tensors.isTensor(args["input"], args.range(), args.what()))
    return c.fail();
  Typed input = typedOf(args["input"]);
  auto dim = c.tensors.takeDim(args["dimension"], input.type, args.range());
  auto size = takeInt(c, args["size"], "`size`");
  auto step = takeInt(c, args["step"], "`step`");
  if (!dim || !size || !step)
    return c.fail();
  return finish(c, args,
                typed::unfoldDim(c.tensors.builder, input, *dim, *size, *step),
                true);
}

/// A number for each of `count` dims from what `name` was given; for the
/// prelude.
static Val perDim(Checker &c, const Bound &args) {
  auto name = c.host.requireStr(args["name"], "`name`");
  auto count = takeInt(c, args["count"], "`count`");
  if (!name || !count)
    return c.fail();
  auto numbers = takeInts(c, args.find("value"), 0, static_cast<size_t>(*count),
                          "`" + name->str() + "`");
  if (!numbers)
    return c.fail();
  Vals all;
  for (int64_t number : *numbers)
    all.push_back(makeInt(number));
  return makeSequence(ValKind::Tuple, std::move(all));
}

llvm::ArrayRef<Builtin> sema::getPoolingBuiltins() {
  static const Builtin table[] = {
      {"max_pool1d",
       "input, kernel_size, stride=, padding=, dilation=, ceil_mode=, "
       "return_indices=",
       maxPool<1>},
      {"max_pool2d",
       "input, kernel_size, stride=, padding=, dilation=, ceil_mode=, "
       "return_indices=",
       maxPool<2>},
      {"avg_pool1d",
       "input, kernel_size, stride=, padding=, ceil_mode=, count_include_pad=",
       averagePool<1>},
      {"avg_pool2d",
       "input, kernel_size, stride=, padding=, ceil_mode=, count_include_pad=, "
       "divisor_override=",
       averagePool<2>},
      {"adaptive_avg_pool1d", "input, output_size", adaptivePool<1, false>},
      {"adaptive_avg_pool2d", "input, output_size", adaptivePool<2, false>},
      {"adaptive_max_pool1d",
       "input, output_size, return_indices=", adaptivePool<1, true>},
      {"adaptive_max_pool2d",
       "input, output_size, return_indices=", adaptivePool<2, true>},
      {"unfold", "input, kernel_size, dilation=, padding=, stride=", unfold},
      {"fold",
       "input, output_size, kernel_size, dilation=, padding=, stride=", fold},
      {".unfold", "input, dimension, size, step", unfoldDim, Shares::Input},
      {"per_dim", "name, value, count", perDim},
  };
  return table;
}
