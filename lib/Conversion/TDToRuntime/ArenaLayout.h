//===- ArenaLayout.h - offsets for buffers that live at different times ---===//
//
// Numbers only: sizes and live ranges in, offsets out.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_LIB_CONVERSION_TDTORUNTIME_ARENALAYOUT_H
#define TDC_LIB_CONVERSION_TDTORUNTIME_ARENALAYOUT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>

namespace tdc {

/// From position `first` to `last`, both included.
struct LiveRange {
  unsigned first = 0;
  unsigned last = 0;
};

struct PlannedBuffer {
  int64_t bytes = 0;
  llvm::SmallVector<LiveRange, 2> ranges;
  int64_t offset = 0; ///< the answer
};

bool overlaps(llvm::ArrayRef<LiveRange> a, llvm::ArrayRef<LiveRange> b);

/// Places the buffers at or after `start`, so that two that are alive at one
/// position do not share a byte. Largest first, each in the smallest gap that
/// holds it (greedy by size; within a few percent of the best in practice).
/// Gives the end of the last buffer, aligned.
int64_t layOutArena(llvm::ArrayRef<PlannedBuffer *> buffers, int64_t start);

} // namespace tdc

#endif // TDC_LIB_CONVERSION_TDTORUNTIME_ARENALAYOUT_H
