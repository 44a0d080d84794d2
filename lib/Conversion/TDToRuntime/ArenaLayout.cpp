//===- ArenaLayout.cpp - offsets for buffers that live at different times -===//

#include "ArenaLayout.h"
#include "SlotTable.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

namespace tdc {

bool overlaps(llvm::ArrayRef<LiveRange> a, llvm::ArrayRef<LiveRange> b) {
  return llvm::any_of(a, [&](LiveRange x) {
    return llvm::any_of(
        b, [&](LiveRange y) { return x.first <= y.last && y.first <= x.last; });
  });
}

/// The smallest gap between `taken` (sorted by offset) that holds `bytes`, or
/// the end.
static int64_t findGap(llvm::ArrayRef<PlannedBuffer *> taken, int64_t bytes,
                       int64_t start) {
  int64_t best = -1, bestSize = INT64_MAX, end = start;
  for (const PlannedBuffer *buffer : taken) {
    int64_t gap = buffer->offset - end;
    if (gap >= bytes && gap < bestSize) {
      best = end;
      bestSize = gap;
    }
    end = std::max<int64_t>(
        end, llvm::alignTo(buffer->offset + buffer->bytes, kAlignment));
  }
  return best >= 0 ? best : end;
}

int64_t layOutArena(llvm::ArrayRef<PlannedBuffer *> buffers, int64_t start) {
  llvm::SmallVector<PlannedBuffer *> bySize(buffers);
  // The buffers come from one array, so their addresses break ties the same way
  // every time.
  llvm::sort(bySize, [](const PlannedBuffer *a, const PlannedBuffer *b) {
    return std::make_tuple(-a->bytes, a->ranges.front().first, a) <
           std::make_tuple(-b->bytes, b->ranges.front().first, b);
  });
  int64_t end = start;
  llvm::SmallVector<PlannedBuffer *> placed, taken;
  for (PlannedBuffer *buffer : bySize) {
    taken.clear();
    llvm::copy_if(placed, std::back_inserter(taken), [&](PlannedBuffer *other) {
      return overlaps(buffer->ranges, other->ranges);
    });
    buffer->offset = findGap(taken, buffer->bytes, start);
    end = std::max<int64_t>(
        end, llvm::alignTo(buffer->offset + buffer->bytes, kAlignment));
    // `placed` stays sorted by offset, so `taken` is too.
    auto *at = llvm::upper_bound(
        placed, buffer, [](const PlannedBuffer *a, const PlannedBuffer *b) {
          return a->offset < b->offset;
        });
    placed.insert(at, buffer);
  }
  return end;
}

} // namespace tdc
