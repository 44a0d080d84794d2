//===- GridNest.h - one loop nest of a kernel on a grid -------------------===//

#ifndef TDC_CONVERSION_KERNELTOGPU_GRIDNEST_H
#define TDC_CONVERSION_KERNELTOGPU_GRIDNEST_H

#include "GridLoops.h"

namespace tdc {

/// How a kernel is to be launched.
struct LaunchShape {
  int64_t threads = 0;     ///< of a block
  int64_t sharedBytes = 0; ///< of a block
  /// Blocks, or none if their number comes from the number of elements of a
  /// flat nest, of which each block does `elements`, or does not matter.
  std::optional<int64_t> blocks;
  int64_t elements = 0;
  /// Whether a result starts as an input: the only pair of in_place.
  bool startsAsInput = false;
};

/// Root i goes to result i of the kernel. If there are several sections, the
/// results have one dim more, the first: what each section gives.
LaunchShape emitGridNest(KernelFunction &function, const td::LoopNest &nest,
                         int64_t sections);
/// The parts of an update (see UpdateParts.h) go on top of what its result
/// starts as.
mlir::FailureOr<LaunchShape> emitGridUpdate(KernelFunction &function,
                                            mlir::Operation *update);

} // namespace tdc

#endif // TDC_CONVERSION_KERNELTOGPU_GRIDNEST_H
