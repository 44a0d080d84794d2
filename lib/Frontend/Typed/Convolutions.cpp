//===- Convolutions.cpp - convolutions as contractions over windows -------===//
//
// With groups the channels of both are two dims, of which the first one is
// kept.
//
//===----------------------------------------------------------------------===//

#include "CoordinateMap.h"
#include "llvm/ADT/STLExtras.h"

namespace tdc {

bool TypedBuilder::checkConvolution(const Typed &input, const Typed &weight,
                                    llvm::ArrayRef<WindowDim> dims,
                                    int64_t groups, bool isTransposed) {
  const Dims &x = input.type.dims, &w = weight.type.dims;
  size_t rank = dims.size() + 2;
  auto problem = [&](const llvm::Twine &title, const llvm::Twine &label) {
    fail(DiagCode::TD401, title, label);
    return false;
  };
  if (x.size() != rank || w.size() != rank)
    return problem("a convolution over " + std::to_string(dims.size()) +
                       " dims takes tensors of " + std::to_string(rank) +
                       " dims",
                   "these are " + spelling(x) + " and " + spelling(w));
  if (input.type.dtype != weight.type.dtype) {
    fail(DiagCode::TD301, "no implicit conversion between " +
                              spelling(input.type.dtype) + " and " +
                              spelling(weight.type.dtype));
    return false;
  }
  for (const WindowDim &dim : dims)
    if (dim.stride < 1 || dim.dilation < 1 || dim.padding.low < 0 ||
        dim.padding.high < 0) {
      fail(DiagCode::TD222,
           "stride and dilation are at least 1, padding at least 0");
      return false;
    }
  for (const Size &kernel : DimsRef(w).drop_front(2))
    if (!require(kernel - Size(1), "a kernel has at least one element"))
      return false;
  ShapeAnswer whole;
  if (groups >= 1)
    whole = sameShape(
        {w[0]}, {Size::floorDiv(w[0], Size(groups)) * Size(groups)}, "groups");
  if (groups < 1 || !whole || !sizes.prove(whole, emit())) {
    fail(DiagCode::TD222,
         std::to_string(groups) + " groups do not divide the " +
             (isTransposed ? "input" : "output") + " channels",
         "the weight is " + spelling(w));
    return false;
  }
  Size channels = isTransposed ? w[0] : w[1] * Size(groups);
  ShapeAnswer answer = sameShape({x[1]}, {channels}, "channels");
  if (!answer || !sizes.prove(answer, emit()))
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

MaybeTyped TypedBuilder::convolve(const Typed &input, const Typed &weight,
                                  llvm::ArrayRef<WindowDim> dims,
                                  int64_t groups) {
  if (!checkConvolution(input, weight, dims, groups, /*isTransposed=*/false))
    return std::nullopt;
  const Dims &w = weight.type.dims;
  Dims result{input.type.dims[0], w[0]};
  llvm::SmallVector<Padding> padding(2);
  for (auto [i, dim] : llvm::enumerate(dims)) {
    const Size &size = input.type.dims[2 + i], &kernel = w[2 + i];
    Size last = lastStart(size, kernel, dim);
    if (!require(last, "the kernel is larger than dim " +
                           std::to_string(2 + i) + " of the input"))
      return std::nullopt;
    result.push_back(Size::floorDiv(last, Size(dim.stride)) + Size(1));
    padding.push_back(dim.padding);
  }
  MaybeTyped padded = pad(input, padding, PaddingMode::Constant);
  if (!padded)
    return std::nullopt;

  // Dims: N, G, O, one of the result and one of the kernel for each, and C.
  unsigned grouped = groups > 1, count = dims.size();
  unsigned out = 1 + grouped, places = out + 1, channel = places + count,
           kernel = channel + 1, all = kernel + count;
  Typed x = *padded, k = weight;
  if (grouped) {
    x = reshape(x, splitChannels(x.type.dims, 1, groups));
    k = reshape(k, splitChannels(k.type.dims, 0, groups));
  }
  CoordinateMap left(all), right(all);
  left.add(0);
  if (grouped) {
    left.add(1);
    right.add(1);
  }
  left.add(channel);
  right.add(out);
  right.add(channel);
  for (auto [i, dim] : llvm::enumerate(dims)) {
    left.add({{places + i, dim.stride}, {kernel + i, dim.dilation}}, 0);
    right.add(kernel + i);
  }
  Dims whole = grouped ? splitChannels(result, 1, groups) : result;
  return reshape(contract(x, k, left, right, whole), result);
}

MaybeTyped TypedBuilder::convolveTransposed(
    const Typed &input, const Typed &weight, llvm::ArrayRef<WindowDim> dims,
    llvm::ArrayRef<int64_t> outputPadding, int64_t groups) {
  if (!checkConvolution(input, weight, dims, groups, /*isTransposed=*/true))
    return std::nullopt;
  const Dims &w = weight.type.dims;
  unsigned grouped = groups > 1, count = dims.size();
  unsigned out = 1 + grouped, places = out + 1, channel = places + count,
           kernel = channel + 1, all = kernel + count;
  Dims result{input.type.dims[0], w[1] * Size(groups)};
  TensorType apart = input.type;
  llvm::SmallVector<Value> operands{Value(), input.value, emit().constantInt(0),
                                    emit().constantInt(0)};
  llvm::SmallVector<int64_t> steps(2, 1);
  CoordinateMap left(all), right(all);
  left.add(0);
  if (grouped) {
    left.add(1);
    right.add(1);
  }
  left.add(channel);
  right.add(channel);
  right.add(out);
  for (auto [i, dim] : llvm::enumerate(dims)) {
    std::optional<int64_t> taps = sizes.constantOf(w[2 + i]);
    if (!taps)
      return fail(DiagCode::TD401,
                  "the size of the kernel must be known when the program is "
                  "compiled",
                  "the weight is " + spelling(w));
    int64_t reach = dim.dilation * (*taps - 1);
    if (outputPadding[i] < 0 ||
        outputPadding[i] >= std::max(dim.stride, dim.dilation))
      return fail(DiagCode::TD222, "an output padding is at least 0 and less "
                                   "than the stride or the dilation");
    // y[o] = Σ x[(o + padding - k * dilation) / stride] w[k], over the elements
    // that there are: they stand `stride` apart among zeros.
    Size span = (input.type.dims[2 + i] - Size(1)) * Size(dim.stride);
    Size size = span - Size(dim.padding.low + dim.padding.high) +
                Size(reach + outputPadding[i] + 1);
    if (!require(size - Size(1),
                 "the padding leaves nothing of dim " + std::to_string(2 + i)))
      return std::nullopt;
    int64_t low = std::max<int64_t>(reach - dim.padding.low, 0);
    int64_t shift = low + dim.padding.low;
    // What comes after the last window is not read.
    int64_t unread =
        std::max<int64_t>(dim.padding.high - outputPadding[i] - reach, 0);
    apart.dims[2 + i] = size + Size(shift + unread);
    operands.push_back(emit().constantInt(low));
    steps.push_back(dim.stride);
    left.add({{places + i, 1}, {kernel + i, -dim.dilation}}, shift);
    right.add(kernel + i);
    result.push_back(size);
  }
  operands.front() = fill(0, apart).value;
  Typed x = make(OpKind::Inset, operands,
                 {{"step", llvm::ArrayRef<int64_t>(steps)}}, std::move(apart),
                 /*takesSizes=*/false);
  Typed k = weight;
  if (grouped) {
    x = reshape(x, splitChannels(x.type.dims, 1, groups));
    k = reshape(k, splitChannels(k.type.dims, 0, groups));
  }
  Dims whole = grouped ? splitChannels(result, 1, groups) : result;
  return reshape(contract(x, k, left, right, whole), result);
}

Typed TypedBuilder::contract(const Typed &lhs, const Typed &rhs,
                             CoordinateMap &left, CoordinateMap &right,
                             DimsRef dims) {
  TensorType type = lhs.type;
  type.dims.assign(dims.begin(), dims.end());
  return make(OpKind::Contract, {lhs.value, rhs.value},
              {{"lhs_map", left.get()}, {"rhs_map", right.get()}},
              std::move(type));
}

} // namespace tdc
