//===- BuiltinsConvolution.cpp - conv1d, conv_transpose2d … ---------------===//

#include "BuiltinArguments.h"
#include "Frontend/Typed/Convolutions.h"
#include "llvm/ADT/StringExtras.h"
#include <numeric>

using namespace tdc;
using namespace tdc::sema;

/// `padding="same"`: the output has as many elements as the input. If an odd
/// number of elements is added, the end gets one more.
static bool padSame(Checker &c, const Bound &args, llvm::ArrayRef<Val> kernel,
                    llvm::MutableArrayRef<typed::WindowDim> dims) {
  for (auto [size, dim] : llvm::zip_equal(kernel, dims)) {
    auto taps = takeInt(c, size, "the size of the kernel");
    if (!taps)
      return false;
    if (dim.stride != 1) {
      c.error(DiagCode::TD222, args.range(),
              "`padding=\"same\"` takes no stride");
      return false;
    }
    int64_t total = dim.dilation * (*taps - 1);
    dim.padding = {total / 2, total - total / 2};
  }
  return true;
}

/// Stride, dilation and padding of windows of this kernel.
static std::optional<llvm::SmallVector<typed::WindowDim>>
takeWindowDims(Checker &c, const Bound &args, llvm::ArrayRef<Val> kernel) {
  size_t count = kernel.size();
  auto strides = takeInts(c, args.find("stride"), 1, count, "`stride`");
  auto dilations = takeInts(c, args.find("dilation"), 1, count, "`dilation`");
  if (!strides || !dilations)
    return std::nullopt;
  llvm::SmallVector<typed::WindowDim> dims;
  for (auto [stride, dilation] : llvm::zip(*strides, *dilations))
    dims.push_back({stride, dilation, {}});
  const Val *padding = args.find("padding");
  if (padding && padding->is(ValKind::Str)) {
    auto text = c.host.requireStr(*padding, "`padding`");
    if (!text || (*text == "same" && !padSame(c, args, kernel, dims)))
      return std::nullopt;
    if (*text == "same" || *text == "valid")
      return dims;
    c.error(DiagCode::TD222, args.range(),
            "`padding` is a number, \"same\" or \"valid\", not \"" + *text +
                "\"");
    return std::nullopt;
  }
  auto each = takeInts(c, padding, 0, count, "`padding`");
  if (!each)
    return std::nullopt;
  for (auto [dim, size] : llvm::zip(dims, *each))
    dim.padding = {size, size};
  return dims;
}

/// The narrow dtype of the input, the weight and the bias; nullopt if they do
/// not have one in common.
static std::optional<DType> findNarrow(llvm::ArrayRef<Val> both,
                                       const Val &bias) {
  if (!bias.is(ValKind::Tensor))
    return std::nullopt;
  DType dtype = typeOf(bias).dtype;
  bool isCommon = llvm::all_of(
      both, [&](const Val &val) { return typeOf(val).dtype == dtype; });
  return isCommon && isNarrowFloat(dtype) ? std::optional(dtype) : std::nullopt;
}

/// `.permute(0, 3, 1, 2)` for images whose channels are last, as most libraries
/// for images have them.
static void offerChannelsFirst(Checker &c, Diagnostic &report, const Val &input,
                               const Size &channels, size_t count) {
  const Dims &dims = typeOf(input).dims;
  bool hasBatch = dims.size() == count + 2;
  if ((!hasBatch && dims.size() != count + 1) || dims.back() != channels ||
      !c.isWritten(input.range))
    return;
  std::vector<int> order(dims.size());
  std::iota(order.begin(), order.end(), 0);
  std::rotate(order.begin() + hasBatch, order.end() - 1, order.end());
  std::string text =
      ".permute(" +
      llvm::join(
          llvm::map_range(order, [](int dim) { return std::to_string(dim); }),
          ", ") +
      ")";
  report.note("a convolution takes the channels before the other sizes");
  c.offerSuffix(report, input.range, text);
}

template <size_t count, bool isTransposed>
static Val convolution(Checker &c, const Bound &args) {
  for (llvm::StringRef name : {"input", "weight"})
    if (!c.tensors.isTensor(args[name], args.range(), args.what()))
      return c.fail();
  if (!c.tensors.accepts(OpKind::Contract, typeOf(args["input"]).dtype,
                         args.range(), args.what(), args["input"]))
    return c.fail();
  if (typeOf(args["weight"]).dims.size() != count + 2) {
    c.error(DiagCode::TD401, args.range(),
            args.what() + " takes a weight of " + llvm::Twine(count + 2) +
                " dims")
        .label("this one is " + typeText(typeOf(args["weight"])));
    return c.fail();
  }
  Vals kernel;
  for (const Size &size : DimsRef(typeOf(args["weight"]).dims).drop_front(2))
    kernel.push_back(makeInt(size));
  auto dims = takeWindowDims(c, args, kernel);
  const Val *given = args.find("groups");
  auto groups = takeInt(c, given ? *given : makeInt(1), "`groups`");
  if (!dims || !groups)
    return c.fail();

  Vals both{args["input"], args["weight"]};
  const Val *bias = args.find("bias");
  if (bias && bias->is(ValKind::None))
    bias = nullptr;
  // The sum with a bias is rounded once.
  std::optional<DType> narrow = bias ? findNarrow(both, *bias) : std::nullopt;
  if (narrow)
    for (Val &operand : both)
      operand = c.tensors.widened(operand);
  if (!c.places.samePlace(both, args.range()))
    return c.fail();
  Typed x = typedOf(both[0]), weight = typedOf(both[1]);
  bool hasBatchDim = x.type.dims.size() != count + 1;
  if (!hasBatchDim)
    x = addBatch(c, x);
  MaybeTyped result;
  if constexpr (isTransposed) {
    auto extra =
        takeInts(c, args.find("output_padding"), 0, count, "`output_padding`");
    if (!extra)
      return c.fail();
    result = typed::convolveTransposed(c.tensors.builder, x, weight, *dims,
                                       *extra, *groups);
  } else {
    result = typed::convolve(c.tensors.builder, x, weight, *dims, *groups);
  }
  if (!result) {
    Diagnostic &report =
        c.tensors.explainFailureOf(args.what(), args.range(), both);
    Size channels = isTransposed ? weight.type.dims[0]
                                 : weight.type.dims[1] * Size(*groups);
    offerChannelsFirst(c, report, args["input"], channels, count);
    return c.fail();
  }
  if (!hasBatchDim)
    result = dropBatch(c, *result);
  Val product = c.tensors.fromTyped(*result, both);
  if (!bias)
    return product;
  if (!c.tensors.isTensor(*bias, args.range(), args.what()))
    return c.fail();
  Val wide = narrow ? c.tensors.widened(*bias) : *bias;
  MaybeTyped column = typed::biasColumn(c.tensors.builder, typedOf(wide),
                                        result->type.dims[hasBatchDim], count);
  if (!column) {
    c.tensors.explainFailure(args.range(), *bias);
    return c.fail();
  }
  Val sum = c.tensors.elementwise(OpKind::Add,
                                  {product, c.tensors.like(wide, *column)},
                                  args.range(), args.what());
  return narrow && !sum.isError() ? c.tensors.rounded(sum, *narrow) : sum;
}

/// The argument of `pad` that adds the padding of a convolution; for the
/// prelude.
static Val sidesOf(Checker &c, const Bound &args) {
  auto dims = takeWindowDims(c, args, elementsOf(args["kernel_size"]));
  if (!dims)
    return c.fail();
  Vals sides;
  for (const typed::WindowDim &dim : llvm::reverse(*dims)) {
    sides.push_back(makeInt(dim.padding.low));
    sides.push_back(makeInt(dim.padding.high));
  }
  return makeSequence(ValKind::Tuple, std::move(sides));
}

llvm::ArrayRef<Builtin> sema::getConvolutionBuiltins() {
  static const Builtin table[] = {
      {"conv1d", "input, weight, bias=, stride=, padding=, dilation=, groups=",
       convolution<1, false>},
      {"conv2d", "input, weight, bias=, stride=, padding=, dilation=, groups=",
       convolution<2, false>},
      {"conv3d", "input, weight, bias=, stride=, padding=, dilation=, groups=",
       convolution<3, false>},
      {"conv_transpose1d",
       "input, weight, bias=, stride=, padding=, output_padding=, groups=, "
       "dilation=",
       convolution<1, true>},
      {"conv_transpose2d",
       "input, weight, bias=, stride=, padding=, output_padding=, groups=, "
       "dilation=",
       convolution<2, true>},
      {"conv_transpose3d",
       "input, weight, bias=, stride=, padding=, output_padding=, groups=, "
       "dilation=",
       convolution<3, true>},
      {"sides_of", "kernel_size, stride, padding, dilation", sidesOf},
  };
  return table;
}
