//===- ScratchSums.h - sums of a product in scratch -----------------------===//
//
// A product whose loops of terms are not innermost cannot keep its sums in
// registers from the first term to the last: they are in the function's scratch
// in the meantime.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_LIB_CONVERSION_KERNELTOCPU_SCRATCHSUMS_H
#define TDC_LIB_CONVERSION_KERNELTOCPU_SCRATCHSUMS_H

#include "NestLoops.h"
#include <functional>

namespace tdc {

/// The sums of the nest's only reduction, a product.
class ScratchSums {
public:
  /// Returns the index in scratch of the sums of a tile's vector.
  using GetIndex = std::function<mlir::Value(const Tile &tile)>;

  ScratchSums(NestLoops &loops, GetIndex getIndex);

  /// The scratch for `count` sums.
  static mlir::RankedTensorType getType(const td::LoopNest &nest,
                                        int64_t count);

  /// The vectors of the open block.
  llvm::SmallVector<Tile> getTiles() const;
  /// Sets those of the open block to zero.
  void setToZero();
  /// A vector of zeros for the tile.
  mlir::Value getZero(const Tile &tile);
  /// `sum` plus the product of the factors in the tile.
  mlir::Value addProduct(mlir::Value sum, const Tile &tile);
  /// Adds a vector to that of the tile in scratch.
  void add(mlir::Value sum, const Tile &tile);
  /// Passes those of the open block to the evaluator.
  void take();

private:
  mlir::Value getAddress(const Tile &tile);

  NestLoops &loops;
  mlir::OpBuilder &b;
  mlir::Location loc;
  const td::Reduction &product;
  const GetIndex getIndex;
};

} // namespace tdc

#endif // TDC_LIB_CONVERSION_KERNELTOCPU_SCRATCHSUMS_H
