//===- Pooling.cpp - one element of each window ---------------------------===//

#include "Frontend/TypedBuilder.h"
#include "llvm/ADT/STLExtras.h"
#include <limits>

namespace tdc {

Typed TypedBuilder::binary(OpKind kind, const Typed &lhs, const Typed &rhs) {
  return make(kind, {lhs.value, rhs.value}, {}, lhs.type,
              /*takesSizes=*/false);
}

/// Sums and counts of narrow floats are f32, and rounded in the end.
Typed TypedBuilder::widen(const Typed &input) {
  DType dtype = input.type.dtype;
  bool isNarrow = dtype == DType::F16 || dtype == DType::BF16;
  return isNarrow ? cast(input, DType::F32) : input;
}

/// What borders are filled with, so that none of their elements is chosen.
static double lowestValue(DType dtype) {
  if (isFloat(dtype))
    return -std::numeric_limits<double>::infinity();
  return dtype == DType::U8
             ? 0
             : static_cast<double>(INT64_MIN >> (64 - 8 * byteSize(dtype)));
}

Typed TypedBuilder::average(const Typed &sum, double count, DType dtype) {
  return cast(binary(OpKind::Div, sum, fill(count, sum.type)), dtype);
}

std::optional<Dims>
TypedBuilder::placePool(const Typed &input, llvm::ArrayRef<int64_t> kernel,
                        llvm::ArrayRef<WindowDim> dims, bool ceil,
                        llvm::SmallVectorImpl<Padding> &padding) {
  if (!checkWindow(input, kernel, dims))
    return std::nullopt;
  padding.assign(2, {});
  Dims places;
  for (auto [i, dim] : llvm::enumerate(dims)) {
    int64_t reach = dim.dilation * (kernel[i] - 1) + 1, low = dim.padding.low;
    if (2 * low > reach)
      return fail(DiagCode::TD222, "padding is at most half of the kernel");
    Size last = lastStart(input.type.dims[2 + i], Size(kernel[i]), dim);
    if (ceil)
      last = input.type.dims[2 + i] +
             Size(low - 1 + std::min<int64_t>(low - reach + dim.stride, 0));
    if (!require(last, "the kernel is larger than dim " + llvm::Twine(2 + i) +
                           " of the input"))
      return std::nullopt;
    places.push_back(Size::floorDiv(last, Size(dim.stride)) + Size(1));
    padding.push_back({low, low + (ceil ? dim.stride - 1 : 0)});
  }
  return places;
}

static double elementsOf(llvm::ArrayRef<int64_t> sizes) {
  double count = 1;
  for (int64_t size : sizes)
    count *= static_cast<double>(size);
  return count;
}

static llvm::SmallVector<int64_t> lastDims(const Typed &tensor, size_t count) {
  llvm::SmallVector<int64_t> dims;
  for (size_t i = tensor.type.dims.size() - count; i < tensor.type.dims.size();
       ++i)
    dims.push_back(static_cast<int64_t>(i));
  return dims;
}

MaybeTyped TypedBuilder::maxPool(const Typed &input,
                                 llvm::ArrayRef<int64_t> kernel,
                                 llvm::ArrayRef<WindowDim> dims, bool ceil) {
  llvm::SmallVector<Padding> padding;
  std::optional<Dims> places = placePool(input, kernel, dims, ceil, padding);
  if (!places)
    return std::nullopt;
  MaybeTyped padded =
      pad(input, padding, PaddingMode::Constant, lowestValue(input.type.dtype));
  if (!padded)
    return std::nullopt;
  Typed windows = window(*padded, kernel, dims, *places);
  return reduce(td::ReduceKind::Max, windows, lastDims(windows, dims.size()),
                /*first=*/true);
}

/// How many elements each window has along a dim: [places] of the dtype of
/// `like`.
Typed TypedBuilder::countElements(const Size &size, const Size &places,
                                  int64_t kernel, const WindowDim &dim,
                                  bool countsPadding, const TensorType &like) {
  TensorType type{DType::I64, {places}, like.place};
  auto all = [&](const Size &number) {
    return make(OpKind::Fill, valueOf(number), {}, type);
  };
  int64_t low = dim.padding.low;
  Typed begin = make(OpKind::Iota,
                     {emit().constantInt(-low), emit().constantInt(dim.stride)},
                     {}, type);
  Typed end = binary(OpKind::Min, binary(OpKind::Add, begin, all(kernel)),
                     all(countsPadding ? size + Size(low) : size));
  if (!countsPadding)
    begin = binary(OpKind::Max, begin, all(0));
  return cast(binary(OpKind::Sub, end, begin), like.dtype);
}

MaybeTyped TypedBuilder::averagePool(const Typed &input,
                                     llvm::ArrayRef<int64_t> kernel,
                                     llvm::ArrayRef<WindowDim> dims, bool ceil,
                                     bool countsPadding,
                                     std::optional<int64_t> divisor) {
  llvm::SmallVector<Padding> padding;
  std::optional<Dims> places = placePool(input, kernel, dims, ceil, padding);
  if (!places)
    return std::nullopt;
  MaybeTyped padded = pad(input, padding, PaddingMode::Constant);
  if (!padded)
    return std::nullopt;
  Typed windows = widen(window(*padded, kernel, dims, *places));
  Typed sum =
      reduce(td::ReduceKind::Sum, windows, lastDims(windows, dims.size()));
  bool isPadded = llvm::any_of(
      dims, [](const WindowDim &dim) { return dim.padding.low != 0; });
  bool allCountAlike = !ceil && (countsPadding || !isPadded);
  if (divisor || allCountAlike)
    return average(sum, divisor ? double(*divisor) : elementsOf(kernel),
                   input.type.dtype);
  std::optional<Typed> count;
  for (auto [i, dim] : llvm::enumerate(dims)) {
    Typed own = countElements(input.type.dims[2 + i], (*places)[i], kernel[i],
                              dim, countsPadding, sum.type);
    Dims aligned(dims.size() - i, Size(1));
    aligned.front() = (*places)[i];
    own = broadcast(reshape(own, aligned), sum.type.dims);
    count = count ? binary(OpKind::Mul, *count, own) : own;
  }
  return cast(binary(OpKind::Div, sum, *count), input.type.dtype);
}

MaybeTyped TypedBuilder::adaptivePool(const Typed &input,
                                      llvm::ArrayRef<int64_t> output,
                                      bool isMax) {
  unsigned before = input.type.dims.size() - output.size();
  llvm::SmallVector<int64_t> kernel;
  llvm::SmallVector<WindowDim> dims;
  Dims places;
  for (auto [i, count] : llvm::enumerate(output)) {
    std::optional<int64_t> size = sizes.constantOf(input.type.dims[before + i]);
    if (!size)
      return fail(DiagCode::TD401,
                  "the sizes that adaptive pooling divides must be known when "
                  "the program is compiled",
                  "these are " + spelling(input.type.dims));
    if (count < 1 || *size < 1)
      return fail(DiagCode::TD222, "adaptive pooling makes 1 or more of 1 or "
                                   "more elements");
    kernel.push_back(*size);
    places.push_back(Size(count));
  }
  bool dividesEvenly = llvm::all_of(llvm::zip(kernel, output), [](auto pair) {
    return std::get<0>(pair) % std::get<1>(pair) == 0;
  });
  if (dividesEvenly) {
    for (auto [size, count] : llvm::zip(kernel, output)) {
      size /= count;
      dims.push_back({/*stride=*/size, /*dilation=*/1, {}});
    }
    Typed windows = window(input, kernel, dims, places);
    llvm::SmallVector<int64_t> along = lastDims(windows, dims.size());
    if (isMax)
      return reduce(td::ReduceKind::Max, windows, along, /*first=*/true);
    return average(reduce(td::ReduceKind::Sum, widen(windows), along),
                   elementsOf(kernel), input.type.dtype);
  }
  // The last dim first: of equal elements the first one row by row then is the
  // first one of its row.
  Typed result = isMax ? input : widen(input);
  for (unsigned i = output.size(); i-- > 0;) {
    MaybeTyped next = adaptDim(result, before + i, kernel[i], output[i], isMax);
    if (!next)
      return std::nullopt;
    result = *next;
  }
  return cast(result, input.type.dtype);
}

/// Windows are laid out in a table of as many elements as the longest has.
/// Where a window is shorter, its last element comes again, and counts once.
MaybeTyped TypedBuilder::adaptDim(const Typed &input, unsigned dim,
                                  int64_t size, int64_t count, bool isMax) {
  auto begin = [&](int64_t place) { return place * size / count; };
  auto end = [&](int64_t place) {
    return ((place + 1) * size + count - 1) / count;
  };
  int64_t longest = size / count + 2; // at most
  if (count > kLargestTable || count * longest > kLargestTable)
    return fail(DiagCode::TD222,
                llvm::Twine(count) + " windows of " + llvm::Twine(size) +
                    " elements are more than the compiler lays out");
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
  Typed windows = gather(input, dim, indices, table);
  int64_t along = dim + 1;
  if (isMax)
    return reduce(td::ReduceKind::Max, windows, along, /*first=*/true);

  const TensorType &type = windows.type;
  Typed own = constant(isOwn, {DType::Bool, table, input.type.place});
  Typed lengths = reduce(td::ReduceKind::Sum, cast(own, type.dtype), 1);
  // Over the dims from `dim` on.
  auto expand = [&](const Typed &tensor, DimsRef dims) {
    Dims aligned(dims.size() - dim, Size(1));
    llvm::copy(tensor.type.dims, aligned.begin());
    return broadcast(reshape(tensor, aligned), dims);
  };
  own = expand(own, type.dims);
  windows = make(OpKind::Select,
                 {own.value, windows.value, fill(0, type).value}, {}, type,
                 /*takesSizes=*/false);
  Typed sum = reduce(td::ReduceKind::Sum, windows, along);
  return binary(OpKind::Div, sum, expand(lengths, sum.type.dims));
}

} // namespace tdc
