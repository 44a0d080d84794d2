//===- ArenaLayout.h - offsets of buffers, by their live ranges -----------===//
//
// Independent of the IR: takes sizes and live ranges, computes offsets.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_LIB_CONVERSION_TDTORUNTIME_ARENALAYOUT_H
#define TDC_LIB_CONVERSION_TDTORUNTIME_ARENALAYOUT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>

namespace tdc {

/// The positions from `first` to `last`, both included.
struct LiveRange {
  unsigned first = 0;
  unsigned last = 0;
};

struct PlannedBuffer {
  int64_t bytes = 0;
  llvm::SmallVector<LiveRange, 2> ranges;
  int64_t offset = 0; ///< set by layOutArena
};

bool overlaps(llvm::ArrayRef<LiveRange> a, llvm::ArrayRef<LiveRange> b);

/// Sets the offset of each buffer, at or after `start`, so that two buffers
/// that are live at the same position do not share a byte. Places the largest
/// buffer first, each in the smallest gap that holds it (greedy by size; within
/// a few percent of the optimum in practice). Returns the end of the last
/// buffer, aligned.
int64_t layOutArena(llvm::ArrayRef<PlannedBuffer *> buffers, int64_t start);

} // namespace tdc

#endif // TDC_LIB_CONVERSION_TDTORUNTIME_ARENALAYOUT_H
