//===- ProductSchedule.h - how a contraction is cut into tiles ------------===//
//
// A block computes a tile of the result. It walks along the terms; at each step
// a tile of either operand is brought to shared memory, while the threads
// multiply those of a step before.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_CONVERSION_KERNELTOGPU_PRODUCTSCHEDULE_H
#define TDC_CONVERSION_KERNELTOGPU_PRODUCTSCHEDULE_H

#include "DeviceBuilder.h"
#include "Dialect/TD/Analysis/Kernels/Contraction.h"

namespace tdc {

/// One operand of a product. Its tiles run over two lists of loops, over each
/// as over one (FlatLoops): the product's terms, and its *own*, the rows of the
/// left operand, the columns of the right one.
struct ProductOperand {
  td::Access factor;                    ///< what is multiplied
  llvm::SmallVector<unsigned, 2> loops; ///< its own
  int64_t extent = 0;                   ///< of a tile along its own loops
  /// Whether neighbours in memory are neighbours along the terms, and whether
  /// they stand so in shared memory.
  bool readAlongTerms = true, storedAlongTerms = true;
  /// Neighbours in memory that a thread moves at once.
  int64_t width = 1;
};

struct ProductSchedule {
  const td::Reduction *product;
  llvm::SmallVector<unsigned> batch; ///< loops around, the outermost first
  llvm::SmallVector<unsigned, 2> terms;
  int64_t tileTerms;
  /// Neighbours in the first root are neighbours along the right one's loops,
  /// if along one of them.
  ProductOperand left, right;
  /// Of a factor's element, and of one in shared memory.
  mlir::Type element, shared;
  bool onTensorCores = false;
  int64_t threads = 0;
  /// Pairs of tiles that are in shared memory at a time.
  int64_t stages = 2;

  /// Elements of gpu::kWidestAccess in shared memory.
  int64_t getChunk() const {
    return gpu::kWidestAccess * 8 / shared.getIntOrFloatBitWidth();
  }
};

/// The schedule of a nest that is one contraction, large enough for tiles;
/// none of any other.
std::optional<ProductSchedule> scheduleProduct(const td::LoopNest &nest);

} // namespace tdc

#endif // TDC_CONVERSION_KERNELTOGPU_PRODUCTSCHEDULE_H
