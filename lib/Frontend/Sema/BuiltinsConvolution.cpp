//===- BuiltinsConvolution.cpp - conv1d, conv_transpose2d … ---------------===//

#include "BuiltinArguments.h"

using namespace tdc;
using namespace tdc::sema;

/// `padding="same"`: as many elements come out as go in, more are added at the
/// end where the number is odd.
static bool padSame(Checker &c, const Bound &args,
                    llvm::MutableArrayRef<WindowDim> dims) {
  const Dims &kernel = typeOf(args["weight"]).dims;
  for (auto [i, dim] : llvm::enumerate(dims)) {
    auto taps = takeInt(c, makeInt(kernel[2 + i]), "the size of the kernel");
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

static bool takePadding(Checker &c, const Bound &args,
                        llvm::MutableArrayRef<WindowDim> dims) {
  const Val *padding = args.find("padding");
  if (padding && padding->is(ValKind::Str)) {
    auto text = c.requireStr(*padding, "`padding`");
    if (!text)
      return false;
    if (*text == "same")
      return padSame(c, args, dims);
    if (*text == "valid")
      return true;
    c.error(DiagCode::TD222, args.range(),
            "`padding` is a number, \"same\" or \"valid\", not \"" + *text +
                "\"");
    return false;
  }
  auto each = takeInts(c, padding, 0, dims.size(), "`padding`");
  if (!each)
    return false;
  for (auto [dim, size] : llvm::zip(dims, *each))
    dim.padding = {size, size};
  return true;
}

template <size_t count, bool isTransposed>
static Val convolution(Checker &c, const Bound &args) {
  for (llvm::StringRef name : {"input", "weight"})
    if (!c.isTensor(args[name], args.range(), args.what()))
      return c.fail();
  if (!c.accepts(OpKind::Contract, typeOf(args["input"]).dtype, args.range(),
                 args.what(), args["input"]))
    return c.fail();
  if (typeOf(args["weight"]).dims.size() != count + 2) {
    c.error(DiagCode::TD401, args.range(),
            args.what() + " takes a weight of " + llvm::Twine(count + 2) +
                " dims")
        .label("this one is " + c.typeText(typeOf(args["weight"])));
    return c.fail();
  }
  llvm::SmallVector<WindowDim> dims(count);
  auto strides = takeInts(c, args.find("stride"), 1, count, "`stride`");
  auto dilations = takeInts(c, args.find("dilation"), 1, count, "`dilation`");
  const Val *given = args.find("groups");
  auto groups = takeInt(c, given ? *given : makeInt(1), "`groups`");
  if (!strides || !dilations || !groups)
    return c.fail();
  for (auto [i, dim] : llvm::enumerate(dims)) {
    dim.stride = (*strides)[i];
    dim.dilation = (*dilations)[i];
  }
  if (!takePadding(c, args, dims))
    return c.fail();

  Vals both{args["input"], args["weight"]};
  if (!c.samePlace(both, args.range()))
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
    result = c.typed.convolveTransposed(x, weight, dims, *extra, *groups);
  } else {
    result = c.typed.convolve(x, weight, dims, *groups);
  }
  if (!result)
    return c.reportFailure(args.range(), args.what());
  if (!hasBatchDim)
    result = dropBatch(c, *result);
  Val product = c.fromTyped(*result, both);
  const Val *bias = args.find("bias");
  if (!bias || bias->is(ValKind::None))
    return product;
  if (!c.isTensor(*bias, args.range(), args.what()))
    return c.fail();
  Size channels = result->type.dims[hasBatchDim];
  ShapeAnswer answer = sameShape(typeOf(*bias).dims, {channels}, "the bias");
  if (!answer || !c.prove(answer)) {
    c.error(DiagCode::TD401, args.range(),
            "the bias has a number for each of " + channels.str() + " channels")
        .label("it is " + c.typeText(typeOf(*bias)));
    return c.fail();
  }
  Dims dims1(1 + count, Size(1));
  dims1[0] = channels;
  return c.elementwise(OpKind::Add, {product, c.reshapeTo(*bias, dims1)},
                       args.range(), args.what());
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
  };
  return table;
}
