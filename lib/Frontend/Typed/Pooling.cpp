//===- Pooling.cpp - pooling over windows ---------------------------------===//

#include "Frontend/Typed/Pooling.h"
#include "Frontend/Typed/Constructors.h"
#include "Frontend/Typed/Elementwise.h"
#include "Frontend/Typed/Indexing.h"
#include "Frontend/Typed/Movement.h"
#include "Frontend/Typed/Reductions.h"
#include "llvm/ADT/STLExtras.h"
#include <limits>

namespace tdc::typed {

static Typed binary(TypedBuilder &b, OpKind kind, const Typed &lhs,
                    const Typed &rhs) {
  return b.make(kind, {lhs.value, rhs.value}, {}, lhs.type);
}

/// The value of borders: none of their elements is the largest.
static double lowestValue(DType dtype) {
  if (isFloat(dtype))
    return -std::numeric_limits<double>::infinity();
  return isUnsigned(dtype)
             ? 0
             : static_cast<double>(INT64_MIN >> (64 - 8 * byteSize(dtype)));
}

/// Sums and counts of narrow floats are f32; the result is rounded.
static Typed average(TypedBuilder &b, const Typed &sum, double count,
                     DType dtype) {
  return cast(b, binary(b, OpKind::Div, sum, fill(b, count, sum.type)), dtype);
}

/// The number of windows along each dim; `padding` gets the borders that keep
/// them within the padded input.
static std::optional<Dims>
countPoolWindows(TypedBuilder &b, const Typed &input,
                 llvm::ArrayRef<int64_t> kernel, llvm::ArrayRef<WindowDim> dims,
                 bool ceil, llvm::SmallVectorImpl<Padding> &padding) {
  if (!checkWindow(b, input, kernel, dims))
    return std::nullopt;
  padding.assign(2, {});
  Dims positions;
  for (auto [i, dim] : llvm::enumerate(dims)) {
    int64_t reach = dim.dilation * (kernel[i] - 1) + 1, low = dim.padding.low;
    if (2 * low > reach)
      return b.fail(DiagCode::TD222, "padding is at most half of the kernel");
    Size last = lastStart(input.type.dims[2 + i], Size(kernel[i]), dim);
    if (ceil)
      last = input.type.dims[2 + i] +
             Size(low - 1 + std::min<int64_t>(low - reach + dim.stride, 0));
    if (!b.require(last, "the kernel is larger than dim " + llvm::Twine(2 + i) +
                             " of the input"))
      return std::nullopt;
    positions.push_back(Size::floorDiv(last, Size(dim.stride)) + Size(1));
    padding.push_back({low, low + (ceil ? dim.stride - 1 : 0)});
  }
  return positions;
}

static double elementsOf(llvm::ArrayRef<int64_t> sizes) {
  double count = 1;
  for (int64_t size : sizes)
    count *= static_cast<double>(size);
  return count;
}

static llvm::SmallVector<unsigned> lastDims(const Typed &tensor, size_t count) {
  llvm::SmallVector<unsigned> dims;
  for (size_t i = tensor.type.dims.size() - count; i < tensor.type.dims.size();
       ++i)
    dims.push_back(i);
  return dims;
}

MaybeTyped maxPool(TypedBuilder &b, const Typed &input,
                   llvm::ArrayRef<int64_t> kernel,
                   llvm::ArrayRef<WindowDim> dims, bool ceil) {
  llvm::SmallVector<Padding> padding;
  std::optional<Dims> positions =
      countPoolWindows(b, input, kernel, dims, ceil, padding);
  if (!positions)
    return std::nullopt;
  MaybeTyped padded = pad(b, input, padding, PaddingMode::Constant,
                          lowestValue(input.type.dtype));
  if (!padded)
    return std::nullopt;
  Typed windows = window(b, *padded, kernel, dims, *positions);
  return reduce(b, td::ReduceKind::Max, windows, lastDims(windows, dims.size()),
                /*keepDims=*/false, /*first=*/true);
}

/// How many elements each window has along a dim: [positions] of the dtype of
/// `like`.
static Typed countElements(TypedBuilder &b, const Size &size,
                           const Size &positions, int64_t kernel,
                           const WindowDim &dim, bool countsPadding,
                           const TensorType &like) {
  TensorType type{DType::I64, {positions}, like.place};
  auto all = [&](const Size &number) {
    return b.make(OpKind::Fill, b.valueOf(number), {}, type);
  };
  int64_t low = dim.padding.low;
  Typed begin = b.make(
      OpKind::Iota,
      {b.emit().constantInt(-low), b.emit().constantInt(dim.stride)}, {}, type);
  Typed end = binary(b, OpKind::Min, binary(b, OpKind::Add, begin, all(kernel)),
                     all(countsPadding ? size + Size(low) : size));
  if (!countsPadding)
    begin = binary(b, OpKind::Max, begin, all(0));
  return cast(b, binary(b, OpKind::Sub, end, begin), like.dtype);
}

MaybeTyped averagePool(TypedBuilder &b, const Typed &input,
                       llvm::ArrayRef<int64_t> kernel,
                       llvm::ArrayRef<WindowDim> dims, bool ceil,
                       bool countsPadding, std::optional<int64_t> divisor) {
  llvm::SmallVector<Padding> padding;
  std::optional<Dims> positions =
      countPoolWindows(b, input, kernel, dims, ceil, padding);
  if (!positions)
    return std::nullopt;
  MaybeTyped padded = pad(b, input, padding, PaddingMode::Constant);
  if (!padded)
    return std::nullopt;
  Typed windows = widen(b, window(b, *padded, kernel, dims, *positions));
  Typed sum =
      reduce(b, td::ReduceKind::Sum, windows, lastDims(windows, dims.size()));
  bool isPadded = llvm::any_of(
      dims, [](const WindowDim &dim) { return dim.padding.low != 0; });
  bool allCountAlike = !ceil && (countsPadding || !isPadded);
  if (divisor || allCountAlike)
    return average(b, sum, divisor ? double(*divisor) : elementsOf(kernel),
                   input.type.dtype);
  std::optional<Typed> count;
  for (auto [i, dim] : llvm::enumerate(dims)) {
    Typed own = countElements(b, input.type.dims[2 + i], (*positions)[i],
                              kernel[i], dim, countsPadding, sum.type);
    Dims aligned(dims.size() - i, Size(1));
    aligned.front() = (*positions)[i];
    own = broadcast(b, reshape(b, own, aligned), sum.type.dims);
    count = count ? binary(b, OpKind::Mul, *count, own) : own;
  }
  return cast(b, binary(b, OpKind::Div, sum, *count), input.type.dtype);
}

/// One dim of `adaptivePool`, into `count` windows of different lengths.
/// Windows are laid out in a table that has as many elements per window as the
/// longest one. A shorter window repeats its last element, which counts once.
static MaybeTyped adaptDim(TypedBuilder &b, const Typed &input, unsigned dim,
                           int64_t size, int64_t count, bool isMax) {
  auto begin = [&](int64_t place) { return place * size / count; };
  auto end = [&](int64_t place) {
    return ((place + 1) * size + count - 1) / count;
  };
  int64_t longest = size / count + 2; // at most
  if (count > kLargestTable || count * longest > kLargestTable)
    return b.fail(DiagCode::TD222,
                  llvm::Twine(count) + " windows of " + llvm::Twine(size) +
                      " elements are more than the compiler supports");
  longest = 0;
  for (int64_t place = 0; place < count; ++place)
    longest = std::max(longest, end(place) - begin(place));
  std::vector<int64_t> indices;
  std::vector<char> isOwn;
  for (int64_t place = 0; place < count; ++place)
    for (int64_t tap = 0; tap < longest; ++tap) {
      indices.push_back(std::min(begin(place) + tap, end(place) - 1));
      isOwn.push_back(begin(place) + tap < end(place));
    }
  const Dims table{Size(count), Size(longest)};
  Typed windows = gather(b, input, dim, indices, table);
  unsigned along = dim + 1;
  if (isMax)
    return reduce(b, td::ReduceKind::Max, windows, along, /*keepDims=*/false,
                  /*first=*/true);

  const TensorType &type = windows.type;
  Typed own = constant(b, isOwn, {DType::Bool, table, input.type.place});
  Typed lengths = reduce(b, td::ReduceKind::Sum, cast(b, own, type.dtype), 1);
  // Over the dims from `dim` on.
  auto expand = [&](const Typed &tensor, DimsRef dims) {
    Dims aligned(dims.size() - dim, Size(1));
    llvm::copy(tensor.type.dims, aligned.begin());
    return broadcast(b, reshape(b, tensor, aligned), dims);
  };
  own = expand(own, type.dims);
  windows =
      b.make(OpKind::Select, {own.value, windows.value, fill(b, 0, type).value},
             {}, type);
  Typed sum = reduce(b, td::ReduceKind::Sum, windows, along);
  return binary(b, OpKind::Div, sum, expand(lengths, sum.type.dims));
}

MaybeTyped adaptivePool(TypedBuilder &b, const Typed &input,
                        llvm::ArrayRef<int64_t> output, bool isMax) {
  unsigned before = input.type.dims.size() - output.size();
  llvm::SmallVector<int64_t> kernel;
  llvm::SmallVector<WindowDim> dims;
  Dims positions;
  for (auto [i, count] : llvm::enumerate(output)) {
    std::optional<int64_t> size =
        b.sizes.constantOf(input.type.dims[before + i]);
    if (!size)
      return b.fail(
          DiagCode::TD401,
          "the sizes that adaptive pooling divides must be known when "
          "the program is compiled",
          "these are " + spelling(input.type.dims));
    if (count < 1 || *size < 1)
      return b.fail(DiagCode::TD222, "adaptive pooling needs at least 1 input "
                                     "and 1 output element in each dim");
    kernel.push_back(*size);
    positions.push_back(Size(count));
  }
  bool dividesEvenly = llvm::all_of(llvm::zip(kernel, output), [](auto pair) {
    return std::get<0>(pair) % std::get<1>(pair) == 0;
  });
  if (dividesEvenly) {
    for (auto [size, count] : llvm::zip(kernel, output)) {
      size /= count;
      dims.push_back({/*stride=*/size, /*dilation=*/1, {}});
    }
    Typed windows = window(b, input, kernel, dims, positions);
    llvm::SmallVector<unsigned> along = lastDims(windows, dims.size());
    if (isMax)
      return reduce(b, td::ReduceKind::Max, windows, along, /*keepDims=*/false,
                    /*first=*/true);
    return average(b, reduce(b, td::ReduceKind::Sum, widen(b, windows), along),
                   elementsOf(kernel), input.type.dtype);
  }
  // The last dim first. Of equal elements, the first one in row-major order is
  // then the first one of its row.
  Typed result = isMax ? input : widen(b, input);
  for (unsigned i = output.size(); i-- > 0;) {
    MaybeTyped next =
        adaptDim(b, result, before + i, kernel[i], output[i], isMax);
    if (!next)
      return std::nullopt;
    result = *next;
  }
  return cast(b, result, input.type.dtype);
}

} // namespace tdc::typed
