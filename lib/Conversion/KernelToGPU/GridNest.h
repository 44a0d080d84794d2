//===- GridNest.h - one loop nest of a kernel on a grid -------------------===//

#ifndef TDC_CONVERSION_KERNELTOGPU_GRIDNEST_H
#define TDC_CONVERSION_KERNELTOGPU_GRIDNEST_H

#include "GridLoops.h"

namespace tdc {

/// How a kernel is to be launched.
struct LaunchShape {
  /// Dims of the first result, counted row by row as one, of which a block has
  /// `extent` positions.
  struct TiledDims {
    llvm::SmallVector<unsigned, 2> dims;
    int64_t extent;
  };

  int64_t threads = 0;     ///< of a block
  int64_t sharedBytes = 0; ///< of a block
  /// Blocks, or none if their number follows from the size of the first result.
  std::optional<int64_t> blocks;
  /// Then each block does so many elements of it in a row …
  int64_t elements = 0;
  /// … or, where this is given, a tile.
  llvm::SmallVector<TiledDims, 3> tile;
  /// Whether threads go on in strides of the grid, so that fewer blocks do too.
  bool isStrided = false;
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
                                            td::UpdateOp update);

} // namespace tdc

#endif // TDC_CONVERSION_KERNELTOGPU_GRIDNEST_H
