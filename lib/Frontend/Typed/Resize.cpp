//===- Resize.cpp - images in other sizes ---------------------------------===//

#include "Frontend/Typed/Resize.h"
#include "Frontend/Typed/Indexing.h"
#include "Frontend/Typed/Movement.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>

namespace tdc::typed {

/// The nearest input element for each element of the result, in the arithmetic
/// of PyTorch: f32, by the inverse of the factor where one is given.
static std::vector<int64_t> findNearest(int64_t size, int64_t wanted,
                                        std::optional<double> factor) {
  float step = factor ? static_cast<float>(1.0 / *factor)
                      : static_cast<float>(size) / static_cast<float>(wanted);
  std::vector<int64_t> nearest(wanted);
  for (auto [i, from] : llvm::enumerate(nearest))
    from =
        std::min(static_cast<int64_t>(std::floor(static_cast<float>(i) * step)),
                 size - 1);
  return nearest;
}

MaybeTyped resizeNearest(TypedBuilder &b, const Typed &input,
                         llvm::ArrayRef<std::optional<int64_t>> wanted,
                         llvm::ArrayRef<std::optional<double>> factors) {
  Typed result = input;
  for (auto [i, factor] : llvm::enumerate(factors)) {
    unsigned dim = 2 + i;
    std::optional<int64_t> size = b.sizes.constantOf(input.type.dims[dim]);
    bool isWhole = factor && *factor >= 1 && *factor == std::floor(*factor);
    if (!size && !isWhole)
      return b.fail(DiagCode::TD401,
                    "a size that is not a multiple of the input's size needs "
                    "an input size that is known when the program is compiled",
                    "the input is " + spelling(input.type.dims));
    if (!size) {
      MaybeTyped repeated =
          repeatElements(b, result, dim, Size(static_cast<int64_t>(*factor)));
      if (!repeated)
        return std::nullopt;
      result = *repeated;
      continue;
    }
    double exact = wanted[i] ? static_cast<double>(*wanted[i])
                             : std::floor(static_cast<double>(*size) * *factor);
    if (!(exact <= static_cast<double>(kLargestTable)))
      return b.fail(DiagCode::TD222,
                    "the image would be too large in dim " + llvm::Twine(dim));
    auto length = static_cast<int64_t>(exact);
    if (length < 1 || *size < 1)
      return b.fail(DiagCode::TD222,
                    "an image has at least 1 element in each dim");
    std::vector<int64_t> nearest = findNearest(*size, length, factor);
    // The arithmetic of f32 may be off by one where the factor is whole.
    bool repeats = length % *size == 0;
    for (auto [at, from] : llvm::enumerate(nearest))
      repeats = repeats && from == int64_t(at) / (length / *size);
    if (repeats) {
      MaybeTyped repeated =
          repeatElements(b, result, dim, Size(length / *size));
      if (!repeated)
        return std::nullopt;
      result = *repeated;
      continue;
    }
    result = gather(b, result, dim, nearest, Dims{Size(length)});
  }
  return result;
}

} // namespace tdc::typed
