//===- Winograd.cpp - convolutions that need fewer multiplications --------===//

#include "Dialect/TD/Analysis/Kernels/Winograd.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tdc::td {

/// With fewer tiles, the weights are transformed for too few products.
constexpr int64_t kFewestTiles = 32;
/// The same for weights whose filters are not contiguous: each vector of them
/// is gathered.
constexpr int64_t kFewestOfGathered = 128;
/// With fewer channels or filters, the transformations of the image cost more
/// than the products save.
constexpr int64_t kFewestChannels = 32;
/// The most tiles in a row times channels: of longer rows, which are
/// transformed as a whole, the caches would not hold enough.
constexpr int64_t kMostInRow = 1 << 17;
/// A sum of more channels would need partial sums.
constexpr int64_t kMostChannels = 1024;

/// Finds the loops along which the windows of the image move, rows first.
static bool findWindows(const LoopNest &nest, const Contraction &contraction,
                        ArrayRef<unsigned> positions, WinogradLoops &loops) {
  struct Window {
    unsigned position, window;
    int64_t step;
  };
  Access image = nest.getOperand(*contraction.reduction, loops.image);
  SmallVector<Window, 2> windows;
  for (Coordinate at : *image.at) {
    CoordinateSum sum(at);
    for (unsigned position : positions)
      for (unsigned window : contraction.terms)
        if (int64_t step = sum.getFactor(window);
            sum.parts.size() == 2 && sum.getFactor(position) == 1 &&
            std::abs(step) == 1 && nest.getExtent(window) == 3)
          windows.push_back({position, window, step});
  }
  if (windows.size() != 2 || windows[0].step != windows[1].step)
    return false;
  loops.rows = windows[0].position;
  loops.windowRows = windows[0].window;
  loops.columns = windows[1].position;
  loops.windowColumns = windows[1].window;
  loops.isTurned = windows[0].step < 0;
  return loops.rows != loops.columns && loops.windowRows != loops.windowColumns;
}

/// Whether the elements of the factor along the loop are contiguous.
static bool isContiguous(const LoopNest &nest, const Access &factor,
                         unsigned loop, LayoutFunction layoutOf) {
  LoopSet ofFactor = nest.getLoopsOf(factor.tensor, *factor.at);
  return llvm::all_of(nest.getInputs(), [&](const Access &input) {
    LoopSet loops = nest.getLoopsOf(input.tensor, *input.at);
    return !contains(loops, loop) || (loops & ~ofFactor) ||
           getLaneStride(nest, input, loop, layoutOf(input.tensor)) == 1;
  });
}

std::optional<WinogradLoops> WinogradLoops::find(const LoopNest &nest,
                                                 const Contraction &contraction,
                                                 LayoutFunction layoutOf,
                                                 int64_t lanes) {
  const Reduction &product = *contraction.reduction;
  if (!getElementTypeOrSelf(product.op->getResult(0).getType()).isF32() ||
      !contraction.getFactorType().isF32() || !contraction.batch.empty() ||
      contraction.terms.size() != 3)
    return std::nullopt;
  WinogradLoops loops;
  loops.image = contraction.columns.size() == 1 ? 0 : 1;
  ArrayRef<unsigned> positions(contraction.rows), filters(contraction.columns);
  if (loops.image == 1)
    std::swap(positions, filters);
  if (filters.size() != 1 || !findWindows(nest, contraction, positions, loops))
    return std::nullopt;
  loops.filters = filters.front();
  for (unsigned term : contraction.terms)
    if (term != loops.windowRows && term != loops.windowColumns)
      loops.channels = term;
  for (unsigned position : positions)
    if (position != loops.rows && position != loops.columns)
      loops.images.push_back(position);

  unsigned known[] = {loops.rows, loops.columns, loops.channels, loops.filters};
  if (llvm::any_of(known, [&](unsigned loop) {
        return ShapedType::isDynamic(nest.getExtent(loop));
      }))
    return std::nullopt;
  int64_t channels = nest.getExtent(loops.channels),
          count = nest.getExtent(loops.filters),
          tiles = loops.countTiles(nest, nest.getExtent(loops.rows)) *
                  nest.estimatePositions(loops.images);
  bool isGathered = !isContiguous(
      nest, nest.getOperand(product, 1 - loops.image), loops.filters, layoutOf);
  if (channels % lanes != 0 || count % lanes != 0 ||
      channels < kFewestChannels || count < kFewestChannels ||
      channels > kMostChannels ||
      loops.countTiles(nest, /*ofRows=*/1) * channels > kMostInRow ||
      tiles < (isGathered ? kFewestOfGathered : kFewestTiles) ||
      !isContiguous(nest, nest.getOperand(product, loops.image), loops.channels,
                    layoutOf))
    return std::nullopt;
  return loops;
}

int64_t WinogradLoops::countTiles(const LoopNest &nest, int64_t ofRows) const {
  return llvm::divideCeil(ofRows, 2) *
         llvm::divideCeil(nest.getExtent(columns), 2);
}

} // namespace tdc::td
