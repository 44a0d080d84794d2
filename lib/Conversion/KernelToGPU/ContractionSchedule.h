//===- ContractionSchedule.h - the tiles of a contraction -----------------===//
//
// A block computes a tile of the result. It iterates over the terms; in each
// iteration, a tile of either operand is brought to shared memory while the
// threads multiply the tiles of an earlier iteration.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_LIB_CONVERSION_KERNELTOGPU_CONTRACTIONSCHEDULE_H
#define TDC_LIB_CONVERSION_KERNELTOGPU_CONTRACTIONSCHEDULE_H

#include "DeviceBuilder.h"
#include "Dialect/TD/Analysis/Kernels/Contraction.h"

namespace tdc {

/// One operand of a contraction. Its tiles run over two lists of loops, each
/// linearized (FlatLoops): the contraction's terms, and the operand's *own*
/// loops, which are the rows of the left operand or the columns of the right
/// one.
struct ContractionOperand {
  td::Access factor;                    ///< the multiplied value
  llvm::SmallVector<unsigned, 2> loops; ///< its own loops
  int64_t extent = 0;                   ///< of a tile along its own loops
  /// Whether neighbours in memory are neighbours along the terms, and the same
  /// for neighbours in shared memory.
  bool readAlongTerms = true, storedAlongTerms = true;
  /// Neighbours in memory that a thread moves at once.
  int64_t width = 1;
};

struct ContractionSchedule {
  const td::Reduction *reduction;
  llvm::SmallVector<unsigned> batch; ///< loops around, from the outermost
  llvm::SmallVector<unsigned, 2> terms;
  int64_t tileTerms;
  /// `right` is the operand whose innermost own loop is contiguous in the first
  /// root, if one is.
  ContractionOperand left, right;
  /// The types of a factor's element, and of an element in shared memory.
  mlir::Type element, shared;
  bool onTensorCores = false;
  int64_t threads = 0;
  /// Number of pairs of tiles in shared memory at a time.
  int64_t stages = 2;

  /// Number of elements in gpu::kWidestAccess bytes of shared memory.
  int64_t getChunk() const {
    return gpu::kWidestAccess * 8 / shared.getIntOrFloatBitWidth();
  }
};

/// The schedule of a nest that is one contraction, large enough for tiles; none
/// for other nests.
std::optional<ContractionSchedule>
scheduleContraction(const td::LoopNest &nest);

} // namespace tdc

#endif // TDC_LIB_CONVERSION_KERNELTOGPU_CONTRACTIONSCHEDULE_H
