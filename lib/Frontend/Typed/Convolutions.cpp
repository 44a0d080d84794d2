//===- Convolutions.cpp - convolutions as contractions over windows -------===//
//
// With groups, channels are two dims: the group, which both operands and the
// result have, and the channels of one group.
//
//===----------------------------------------------------------------------===//

#include "Frontend/Typed/Convolutions.h"
#include "CoordinateMap.h"
#include "Frontend/Typed/Elementwise.h"
#include "Frontend/Typed/Movement.h"
#include "llvm/ADT/STLExtras.h"

namespace tdc::typed {

namespace {

/// The dims of a convolution's maps: N, the group if there are several, O, the
/// positions of the result, C, and the elements of the kernel.
struct ConvolutionDims {
  ConvolutionDims(unsigned count, int64_t groups)
      : isGrouped(groups > 1), out(1 + isGrouped), positions(out + 1),
        channel(positions + count), kernel(channel + 1), all(kernel + count) {}

  bool isGrouped;
  unsigned out, positions, channel, kernel, all;
};

} // namespace

static bool checkConvolution(TypedBuilder &b, const Typed &input,
                             const Typed &weight,
                             llvm::ArrayRef<WindowDim> dims, int64_t groups,
                             bool isTransposed) {
  const Dims &x = input.type.dims, &w = weight.type.dims;
  size_t rank = dims.size() + 2;
  auto problem = [&](const llvm::Twine &title, const llvm::Twine &label) {
    b.fail(DiagCode::TD401, title, label);
    return false;
  };
  if (x.size() != rank || w.size() != rank)
    return problem("a convolution over " + std::to_string(dims.size()) +
                       " dims takes tensors of " + std::to_string(rank) +
                       " dims",
                   "these are " + spelling(x) + " and " + spelling(w));
  if (input.type.dtype != weight.type.dtype) {
    failDTypes(b, input.type.dtype, weight.type.dtype, /*operand=*/1,
               input.type.dtype);
    return false;
  }
  if (!checkDims(b, dims))
    return false;
  for (const Size &kernel : DimsRef(w).drop_front(2))
    if (!b.require(kernel - Size(1), "a kernel has at least one element"))
      return false;
  ShapeAnswer whole;
  if (groups >= 1)
    whole = sameShape(
        {w[0]}, {Size::floorDiv(w[0], Size(groups)) * Size(groups)}, "groups");
  if (groups < 1 || !b.prove(whole)) {
    b.fail(DiagCode::TD222,
           std::to_string(groups) + " groups do not divide the " +
               (isTransposed ? "input" : "output") + " channels",
           "the weight is " + spelling(w));
    return false;
  }
  Size channels = isTransposed ? w[0] : w[1] * Size(groups);
  ShapeAnswer answer = sameShape({x[1]}, {channels}, "channels");
  if (!b.prove(answer))
    return problem("the input has " + x[1].str() + " channels, the weight " +
                       channels.str(),
                   "the input is " + spelling(x) + ", the weight " +
                       spelling(w));
  return true;
}

/// [N, C, …] as [N, G, C / G, …].
static Dims splitChannels(const Dims &dims, unsigned at, int64_t groups) {
  Dims split = dims;
  split[at] = Size::floorDiv(dims[at], Size(groups));
  split.insert(split.begin() + at, Size(groups));
  return split;
}

/// The contraction of [N, C…] with [O, C…] to [N, O…]. The maps read both
/// operands in groups.
static Typed contractGroups(TypedBuilder &b, const Typed &input,
                            const Typed &weight, CoordinateMap &left,
                            CoordinateMap &right, const Dims &result,
                            int64_t groups) {
  auto split = [&](const Typed &tensor, unsigned at) {
    return groups == 1 ? tensor
                       : reshape(b, tensor,
                                 splitChannels(tensor.type.dims, at, groups));
  };
  TensorType type = input.type;
  type.dims = groups == 1 ? result : splitChannels(result, 1, groups);
  Typed whole = b.make(
      OpKind::Contract, {split(input, 1).value, split(weight, 0).value},
      {{"lhs_map", left.get()}, {"rhs_map", right.get()}}, std::move(type));
  return reshape(b, whole, result);
}

MaybeTyped convolve(TypedBuilder &b, const Typed &input, const Typed &weight,
                    llvm::ArrayRef<WindowDim> dims, int64_t groups) {
  if (!checkConvolution(b, input, weight, dims, groups, /*isTransposed=*/false))
    return std::nullopt;
  const Dims &w = weight.type.dims;
  Dims result{input.type.dims[0], w[0]};
  llvm::SmallVector<Padding> padding(2);
  for (auto [i, dim] : llvm::enumerate(dims)) {
    std::optional<Size> positions =
        countWindows(b, input.type.dims[2 + i], w[2 + i], dim,
                     "dim " + llvm::Twine(2 + i) + " of the input");
    if (!positions)
      return std::nullopt;
    result.push_back(*positions);
    padding.push_back(dim.padding);
  }
  MaybeTyped padded = pad(b, input, padding, PaddingMode::Constant);
  if (!padded)
    return std::nullopt;

  const ConvolutionDims of(dims.size(), groups);
  CoordinateMap left(of.all), right(of.all);
  left.add(0);
  if (of.isGrouped) {
    left.add(1);
    right.add(1);
  }
  left.add(of.channel);
  right.add(of.out);
  right.add(of.channel);
  for (auto [i, dim] : llvm::enumerate(dims)) {
    left.add({{of.positions + i, dim.stride}, {of.kernel + i, dim.dilation}},
             0);
    right.add(of.kernel + i);
  }
  return contractGroups(b, *padded, weight, left, right, result, groups);
}

MaybeTyped convolveTransposed(TypedBuilder &b, const Typed &input,
                              const Typed &weight,
                              llvm::ArrayRef<WindowDim> dims,
                              llvm::ArrayRef<int64_t> outputPadding,
                              int64_t groups) {
  if (!checkConvolution(b, input, weight, dims, groups, /*isTransposed=*/true))
    return std::nullopt;
  const Dims &w = weight.type.dims;
  Dims result{input.type.dims[0], w[1] * Size(groups)};
  TensorType zeroInserted = input.type;
  llvm::SmallVector<int64_t> lows(2, 0), steps(2, 1);
  const ConvolutionDims of(dims.size(), groups);
  CoordinateMap left(of.all), right(of.all);
  left.add(0);
  if (of.isGrouped) {
    left.add(1);
    right.add(1);
  }
  left.add(of.channel);
  right.add(of.channel);
  right.add(of.out);
  for (auto [i, dim] : llvm::enumerate(dims)) {
    std::optional<int64_t> taps = b.sizes.constantOf(w[2 + i]);
    if (!taps)
      return b.fail(DiagCode::TD401,
                    "the size of the kernel must be known when the program is "
                    "compiled",
                    "the weight is " + spelling(w));
    int64_t reach = dim.dilation * (*taps - 1);
    if (outputPadding[i] < 0 ||
        outputPadding[i] >= std::max(dim.stride, dim.dilation))
      return b.fail(DiagCode::TD222, "an output padding is at least 0 and less "
                                     "than the stride or the dilation");
    // y[o] = Σ x[(o + padding - k * dilation) / stride] w[k], over the elements
    // that exist: `stride - 1` zeros lie between two of them.
    Size span = (input.type.dims[2 + i] - Size(1)) * Size(dim.stride);
    Size size = span - Size(dim.padding.low + dim.padding.high) +
                Size(reach + outputPadding[i] + 1);
    if (!b.require(size - Size(1), "the padding leaves nothing of dim " +
                                       std::to_string(2 + i)))
      return std::nullopt;
    int64_t low = std::max<int64_t>(reach - dim.padding.low, 0);
    int64_t shift = low + dim.padding.low;
    // The elements after the last window are not read.
    int64_t unread =
        std::max<int64_t>(dim.padding.high - outputPadding[i] - reach, 0);
    zeroInserted.dims[2 + i] = size + Size(shift + unread);
    lows.push_back(low);
    steps.push_back(dim.stride);
    left.add({{of.positions + i, 1}, {of.kernel + i, -dim.dilation}}, shift);
    right.add(of.kernel + i);
    result.push_back(size);
  }
  return contractGroups(
      b, inset(b, 0, std::move(zeroInserted), input, lows, steps), weight, left,
      right, result, groups);
}

MaybeTyped biasColumn(TypedBuilder &b, const Typed &bias, const Size &channels,
                      size_t count) {
  ShapeAnswer answer = sameShape(bias.type.dims, {channels}, "the bias");
  if (!b.prove(answer))
    return b.fail(DiagCode::TD401,
                  "the bias has a number for each of " + channels.str() +
                      " channels",
                  "it is " + typeText(bias.type));
  Dims dims(1 + count, Size(1));
  dims[0] = channels;
  return reshape(b, bias, dims);
}

} // namespace tdc::typed
