//===- Windows.cpp - borders around tensors, and windows over them --------===//

#include "Frontend/Typed/Windows.h"
#include "CoordinateMap.h"
#include "Frontend/Typed/Movement.h"
#include "Frontend/Typed/Reductions.h"
#include "llvm/ADT/STLExtras.h"

namespace tdc::typed {

//===----------------------------------------------------------------------===//
// Borders
//===----------------------------------------------------------------------===//

/// Adds borders before and after one dim, made of elements of the tensor.
static Typed padDim(TypedBuilder &b, const Typed &input, unsigned dim,
                    Padding padding, PaddingMode mode) {
  const Size &size = input.type.dims[dim];
  auto border = [&](int64_t length, bool isLow) {
    Size count(length);
    switch (mode) {
    case PaddingMode::Reflect: {
      Size start = isLow ? Size(1) : size - count - Size(1);
      return flip(b, slice(b, input, dim, start, count), dim);
    }
    case PaddingMode::Replicate: {
      Size start = isLow ? Size(0) : size - Size(1);
      Dims dims = input.type.dims;
      dims[dim] = count;
      return broadcast(b, slice(b, input, dim, start, Size(1)), dims);
    }
    default:
      return slice(b, input, dim, isLow ? size - count : Size(0), count);
    }
  };
  llvm::SmallVector<Typed> parts;
  if (padding.low > 0)
    parts.push_back(border(padding.low, /*isLow=*/true));
  parts.push_back(input);
  if (padding.high > 0)
    parts.push_back(border(padding.high, /*isLow=*/false));
  return parts.size() == 1 ? input : *concat(b, parts, dim);
}

MaybeTyped pad(TypedBuilder &b, const Typed &input,
               llvm::ArrayRef<Padding> padding, PaddingMode mode,
               double fillNumber) {
  Typed result = input;
  // Cuts off the elements of a negative padding.
  for (auto [i, one] : llvm::enumerate(padding)) {
    int64_t low = std::max<int64_t>(-one.low, 0);
    int64_t cut = low + std::max<int64_t>(-one.high, 0);
    Size left = result.type.dims[i] - Size(cut);
    if (cut == 0)
      continue;
    if (!b.require(left,
                   "padding cuts off more than dim " + llvm::Twine(i) + " has"))
      return std::nullopt;
    result = slice(b, result, i, Size(low), left);
  }
  if (mode != PaddingMode::Constant) {
    for (auto [i, one] : llvm::enumerate(padding)) {
      int64_t most = std::max({one.low, one.high, int64_t(0)});
      if (most == 0)
        continue;
      // A border reaches at most to the other end; reflection leaves out the
      // element at its own.
      const Size &size = result.type.dims[i];
      Size needed = mode == PaddingMode::Replicate ? Size(1)
                    : mode == PaddingMode::Reflect ? Size(most + 1)
                                                   : Size(most);
      if (!b.require(size - needed,
                     "dim " + llvm::Twine(i) + " of size " + size.str() +
                         " is too small for padding of " + llvm::Twine(most)))
        return std::nullopt;
      result = padDim(b, result, i, one, mode);
    }
    return result;
  }
  TensorType type = result.type;
  llvm::SmallVector<int64_t> lows, steps(type.dims.size(), 1);
  bool isPadded = false;
  for (auto [size, one] : llvm::zip(type.dims, padding)) {
    lows.push_back(std::max<int64_t>(one.low, 0));
    int64_t more = lows.back() + std::max<int64_t>(one.high, 0);
    size = size + Size(more);
    isPadded |= more > 0;
  }
  return isPadded ? inset(b, fillNumber, std::move(type), result, lows, steps)
                  : result;
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

bool checkDims(TypedBuilder &b, llvm::ArrayRef<WindowDim> dims) {
  bool isDefined = llvm::all_of(dims, [](const WindowDim &dim) {
    return dim.stride >= 1 && dim.dilation >= 1 && dim.padding.low >= 0 &&
           dim.padding.high >= 0;
  });
  if (!isDefined)
    b.fail(DiagCode::TD222,
           "stride and dilation are at least 1, padding at least 0");
  return isDefined;
}

bool checkWindow(TypedBuilder &b, const Typed &input,
                 llvm::ArrayRef<int64_t> kernel,
                 llvm::ArrayRef<WindowDim> dims) {
  size_t rank = input.type.dims.size();
  if (rank != dims.size() + 2) {
    b.fail(DiagCode::TD401,
           "the input has " + llvm::Twine(dims.size() + 2) + " dims, or " +
               llvm::Twine(dims.size() + 1) + " without a batch",
           "this one is " + spelling(input.type.dims));
    return false;
  }
  if (llvm::any_of(kernel, [](int64_t size) { return size < 1; })) {
    b.fail(DiagCode::TD222, "a kernel has at least one element");
    return false;
  }
  return checkDims(b, dims);
}

Typed window(TypedBuilder &b, const Typed &input,
             llvm::ArrayRef<int64_t> kernel, llvm::ArrayRef<WindowDim> dims,
             DimsRef positions) {
  TensorType type = input.type;
  unsigned before = type.dims.size() - dims.size(), count = dims.size();
  CoordinateMap map(before + 2 * count);
  for (unsigned dim = 0; dim < before; ++dim)
    map.add(dim);
  type.dims.truncate(before);
  llvm::append_range(type.dims, positions);
  for (auto [i, dim] : llvm::enumerate(dims)) {
    map.add({{before + i, dim.stride}, {before + count + i, dim.dilation}}, 0);
    type.dims.push_back(Size(kernel[i]));
  }
  return b.make(OpKind::Window, input.value, {{"map", map.get()}},
                std::move(type));
}

Size lastStart(const Size &size, const Size &kernel, const WindowDim &dim) {
  return size + Size(dim.padding.low + dim.padding.high) -
         Size(dim.dilation) * (kernel - Size(1)) - Size(1);
}

std::optional<Size> countWindows(TypedBuilder &b, const Size &size,
                                 const Size &kernel, const WindowDim &dim,
                                 const llvm::Twine &what) {
  Size last = lastStart(size, kernel, dim);
  if (!b.require(last, "the kernel is larger than " + what))
    return std::nullopt;
  return Size::floorDiv(last, Size(dim.stride)) + Size(1);
}

MaybeTyped unfold(TypedBuilder &b, const Typed &input,
                  llvm::ArrayRef<int64_t> kernel,
                  llvm::ArrayRef<WindowDim> dims) {
  if (!checkWindow(b, input, kernel, dims))
    return std::nullopt;
  llvm::SmallVector<Padding> padding(2);
  Dims positions;
  for (auto [i, dim] : llvm::enumerate(dims)) {
    std::optional<Size> along =
        countWindows(b, input.type.dims[2 + i], Size(kernel[i]), dim,
                     "dim " + llvm::Twine(2 + i) + " of the input");
    if (!along)
      return std::nullopt;
    positions.push_back(*along);
    padding.push_back(dim.padding);
  }
  MaybeTyped padded = pad(b, input, padding, PaddingMode::Constant);
  if (!padded)
    return std::nullopt;
  Typed windows = window(b, *padded, kernel, dims, positions);
  // The dims of a window's elements precede the dims of the positions.
  unsigned count = dims.size();
  llvm::SmallVector<int64_t> order{0, 1};
  for (unsigned i = 0; i < count; ++i)
    order.push_back(2 + count + i);
  for (unsigned i = 0; i < count; ++i)
    order.push_back(2 + i);
  Size elements = input.type.dims[1];
  for (int64_t size : kernel)
    elements = elements * Size(size);
  return reshape(b, permute(b, windows, order),
                 {input.type.dims[0], elements, numElements(positions)});
}

MaybeTyped unfoldDim(TypedBuilder &b, const Typed &input, unsigned dim,
                     int64_t size, int64_t step) {
  if (size < 0 || step < 1)
    return b.fail(DiagCode::TD222, "a size is at least 0, a step at least 1");
  if (!b.allowsRank(input.type.dims.size() + 1))
    return std::nullopt;
  Size last = input.type.dims[dim] - Size(size);
  if (!b.require(last, "windows of " + llvm::Twine(size) +
                           " elements are larger than dim " + llvm::Twine(dim)))
    return std::nullopt;
  // The dim becomes the last one, and its windows take its place.
  llvm::SmallVector<int64_t> order, back;
  int64_t rank = static_cast<int64_t>(input.type.dims.size());
  for (int64_t i = 0; i < rank; ++i) {
    if (i != dim)
      order.push_back(i);
    back.push_back(i < dim ? i : i == dim ? rank - 1 : i - 1);
  }
  order.push_back(dim);
  back.push_back(rank);
  return permute(b,
                 window(b, permute(b, input, order), size,
                        WindowDim{step, 1, {}},
                        Size::floorDiv(last, Size(step)) + Size(1)),
                 back);
}

MaybeTyped fold(TypedBuilder &b, const Typed &input,
                llvm::ArrayRef<int64_t> output, llvm::ArrayRef<int64_t> kernel,
                llvm::ArrayRef<WindowDim> dims) {
  unsigned count = dims.size();
  if (input.type.dims.size() != 3)
    return b.fail(DiagCode::TD401, "the input has 3 dims, or 2 without a batch",
                  "this one is " + spelling(input.type.dims));
  if (!checkDims(b, dims))
    return std::nullopt;
  int64_t taps = 1;
  for (auto [size, length] : llvm::zip(kernel, output)) {
    if (size < 1 || length < 1)
      return b.fail(DiagCode::TD222,
                    "the sizes of the kernel and of the output are at least 1");
    taps *= size;
  }
  Size channels = Size::floorDiv(input.type.dims[1], Size(taps));
  Dims split{input.type.dims[0], channels}, positions;
  for (int64_t size : kernel)
    split.push_back(Size(size));
  for (auto [i, dim] : llvm::enumerate(dims)) {
    std::optional<Size> along =
        countWindows(b, Size(output[i]), Size(kernel[i]), dim,
                     "dim " + llvm::Twine(i) + " of the output");
    if (!along)
      return std::nullopt;
    positions.push_back(*along);
    split.push_back(*along);
  }
  ShapeAnswer answer =
      sameShape(DimsRef(input.type.dims).drop_front(),
                {channels * Size(taps), numElements(positions)}, "columns");
  if (!b.prove(answer))
    return b.fail(DiagCode::TD401,
                  "a kernel of " + llvm::Twine(taps) + " elements at " +
                      numElements(positions).str() + " places does not give " +
                      spelling(input.type.dims));
  Typed columns = reshape(b, input, split);
  // An element is the sum of its copies in the windows around it, which start
  // at every `stride`-th place.
  TensorType zeroInserted = columns.type;
  llvm::SmallVector<int64_t> lows(2 + count, 0), steps(2 + count, 1);
  CoordinateMap map(2 + 2 * count);
  map.add(0);
  map.add(1);
  for (unsigned i = 0; i < count; ++i)
    map.add(2 + count + i);
  TensorType type = input.type;
  type.dims = {split[0], channels};
  for (auto [i, dim] : llvm::enumerate(dims)) {
    int64_t reach = dim.dilation * (kernel[i] - 1);
    int64_t whole = output[i] + dim.padding.low + dim.padding.high;
    zeroInserted.dims[2 + count + i] = Size(whole + reach);
    lows.push_back(reach);
    steps.push_back(dim.stride);
    map.add({{2 + i, 1}, {2 + count + i, -dim.dilation}},
            reach + dim.padding.low);
    type.dims.push_back(Size(output[i]));
  }
  for (int64_t size : kernel)
    type.dims.push_back(Size(size));
  Typed spread = inset(b, 0, std::move(zeroInserted), columns, lows, steps);
  Typed windows = b.make(OpKind::Window, spread.value, {{"map", map.get()}},
                         std::move(type));
  llvm::SmallVector<unsigned> summed;
  for (unsigned i = 0; i < count; ++i)
    summed.push_back(2 + count + i);
  return reduce(b, td::ReduceKind::Sum, windows, summed);
}

} // namespace tdc::typed
