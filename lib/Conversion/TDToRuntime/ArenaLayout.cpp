//===- ArenaLayout.cpp - offsets of buffers, by their live ranges ---------===//

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

namespace {
/// The live ranges of a buffer, and their span, which decides most pairs.
class Lifetime {
public:
  explicit Lifetime(llvm::ArrayRef<LiveRange> ranges)
      : span(ranges.front()), ranges(ranges) {
    for (LiveRange range : ranges.drop_front()) {
      span.first = std::min(span.first, range.first);
      span.last = std::max(span.last, range.last);
    }
  }

  bool meets(const Lifetime &other) const {
    return span.first <= other.span.last && other.span.first <= span.last &&
           (ranges.size() + other.ranges.size() == 2 ||
            overlaps(ranges, other.ranges));
  }

private:
  LiveRange span;
  llvm::ArrayRef<LiveRange> ranges;
};

/// A buffer with an offset.
struct Placed {
  int64_t begin, end;
  Lifetime lifetime;
};
} // namespace

/// Returns the offset of the smallest gap of at least `bytes` between the
/// buffers of `placed` with lifetimes that overlap `lifetime`; the end of the
/// last of them if there is none. `placed` is sorted by offset.
static int64_t findGap(llvm::ArrayRef<Placed> placed, int64_t bytes,
                       const Lifetime &lifetime, int64_t start) {
  int64_t best = -1, bestSize = INT64_MAX, end = start;
  for (const Placed &other : placed) {
    if (!other.lifetime.meets(lifetime))
      continue;
    int64_t gap = other.begin - end;
    if (gap >= bytes && gap < bestSize) {
      best = end;
      bestSize = gap;
    }
    end = std::max(end, other.end);
  }
  return best >= 0 ? best : end;
}

int64_t layOutArena(llvm::ArrayRef<PlannedBuffer *> buffers, int64_t start) {
  llvm::SmallVector<PlannedBuffer *> bySize(buffers);
  // The buffers are in one array, so breaking ties by address is deterministic.
  llvm::sort(bySize, [](const PlannedBuffer *a, const PlannedBuffer *b) {
    return std::make_tuple(-a->bytes, a->ranges.front().first, a) <
           std::make_tuple(-b->bytes, b->ranges.front().first, b);
  });
  int64_t end = start;
  std::vector<Placed> placed; // sorted by offset
  for (PlannedBuffer *buffer : bySize) {
    Lifetime lifetime(buffer->ranges);
    buffer->offset = findGap(placed, buffer->bytes, lifetime, start);
    int64_t bufferEnd =
        llvm::alignTo(buffer->offset + buffer->bytes, kAlignment);
    end = std::max(end, bufferEnd);
    auto at = llvm::upper_bound(placed, buffer->offset,
                                [](int64_t offset, const Placed &other) {
                                  return offset < other.begin;
                                });
    placed.insert(at, {buffer->offset, bufferEnd, lifetime});
  }
  return end;
}

} // namespace tdc
