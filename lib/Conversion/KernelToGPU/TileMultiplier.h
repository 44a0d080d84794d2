//===- TileMultiplier.h - multiplies two tiles in a block -----------------===//

#ifndef TDC_LIB_CONVERSION_KERNELTOGPU_TILEMULTIPLIER_H
#define TDC_LIB_CONVERSION_KERNELTOGPU_TILEMULTIPLIER_H

#include "OperandTile.h"

namespace tdc {

/// Each thread accumulates some elements of the block's tile of the result in
/// registers.
class TileMultiplier {
public:
  using Values = llvm::SmallVector<mlir::Value>;

  /// An element of a thread, as offsets from its first element.
  struct Element {
    int64_t row, column;
  };

  virtual ~TileMultiplier() = default;

  /// The position of the thread's first element in the tile, as i32.
  mlir::Value row, column;
  /// The thread's elements, in accumulator order. They form pieces of `piece`
  /// adjacent columns.
  llvm::SmallVector<Element> elements;
  /// `column` is a multiple of it.
  int64_t piece = 1;

  /// Returns the accumulators with the products of the tiles at `stage` added.
  virtual Values multiply(OperandTile &left, OperandTile &right,
                          mlir::Value stage, mlir::ValueRange accumulators) = 0;
};

/// A thread multiplies its elements of a column of the left tile with its
/// elements of a row of the right one; for every dtype.
std::unique_ptr<TileMultiplier>
makeRegisterMultiplier(KernelFunction &function,
                       const ContractionSchedule &schedule,
                       DeviceBuilder &device);

/// A warp multiplies on tensor cores: f16, bf16 and tf32, accumulated in f32.
std::unique_ptr<TileMultiplier>
makeTensorCoreMultiplier(KernelFunction &function,
                         const ContractionSchedule &schedule,
                         DeviceBuilder &device);

} // namespace tdc

#endif // TDC_LIB_CONVERSION_KERNELTOGPU_TILEMULTIPLIER_H
