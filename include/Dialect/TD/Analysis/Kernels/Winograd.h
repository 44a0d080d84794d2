//===- Winograd.h - convolutions that need fewer multiplications ----------===//
//
// A convolution of stride 1 with windows of 3x3 can compute tiles of 2x2
// results with 16 multiplications for each channel and filter, where the sum of
// products takes 36 (Lavin and Gray, Fast Algorithms for Convolutional Neural
// Networks, CVPR 2016; F(2x2, 3x3)):
//
//   Y = A' [ sum over channels of (G g G') * (B' d B) ] A
//
// g is a window of weights, d are the 4x4 elements of the image that a tile
// reads, and the product in brackets is one of elements.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_DIALECT_TD_ANALYSIS_KERNELS_WINOGRAD_H
#define TDC_DIALECT_TD_ANALYSIS_KERNELS_WINOGRAD_H

#include "Dialect/TD/Analysis/Kernels/Contraction.h"
#include "Dialect/TD/Analysis/Kernels/Vectorization.h"

namespace tdc::td {

/// The loops of such a convolution.
struct WinogradLoops {
  unsigned image; ///< operand of the product; the other one has the weights
  unsigned rows, columns;             ///< root loops over the pixels
  unsigned windowRows, windowColumns; ///< term loops over a window
  /// Whether windows are turned: their last element meets the first pixel.
  bool isTurned;
  unsigned channels, filters;
  llvm::SmallVector<unsigned, 1> images; ///< the other root loops

  /// The time, as a part of that of the sum of products: measured on a Xeon
  /// with AVX-512, for 64 to 256 channels.
  static constexpr double kCost = 0.6;

  /// The loops of the contraction; nullopt if it is no such convolution of f32,
  /// has so few pixels, channels or filters that the sum of products takes less
  /// time, or so many channels that its sums would lose digits, or if vectors
  /// of `lanes` channels of the image are not contiguous.
  static std::optional<WinogradLoops> find(const LoopNest &nest,
                                           const Contraction &contraction,
                                           LayoutFunction layoutOf,
                                           int64_t lanes);

  /// The position in the window loops of the element that meets pixel `pixel`
  /// of 3.
  int64_t getInWindow(int64_t pixel) const {
    return isTurned ? 2 - pixel : pixel;
  }
  /// The tiles of so many rows of results.
  int64_t countTiles(const LoopNest &nest, int64_t ofRows) const;
};

} // namespace tdc::td

#endif // TDC_DIALECT_TD_ANALYSIS_KERNELS_WINOGRAD_H
