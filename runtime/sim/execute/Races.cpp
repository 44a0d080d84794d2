//===- Races.cpp - accesses that nothing orders ---------------------------===//

#include "execute/Races.h"
#include <algorithm>
#include <optional>

namespace tdc::sim {

void Ordering::begin(unsigned warps, uint32_t first) {
  numWarps = warps;
  firstSegment = first;
  segments.fill(first);
  settledSegments.fill(first);
  // Nothing of the block precedes its beginning.
  for (auto &row : known)
    row.fill(first - 1);
}

void Ordering::arrive(unsigned warp, Clock &clock) const {
  for (unsigned other = 0; other < numWarps; ++other)
    clock[other] = std::max(clock[other], known[warp][other]);
  clock[warp] = std::max(clock[warp], segments[warp]);
}

void Ordering::pass(unsigned warp, const Clock &clock) {
  uint32_t settled = segments[warp];
  for (unsigned other = 0; other < numWarps; ++other) {
    known[warp][other] = std::max(known[warp][other], clock[other]);
    if (other != warp)
      settled = std::min(settled, known[warp][other] + 1);
  }
  settledSegments[warp] = settled;
}

namespace {

/// Chunks that finished launches leave for the next one: allocating them each
/// time costs more than clearing them.
template <typename Chunk> std::vector<std::unique_ptr<Chunk>> &spareChunks() {
  thread_local std::vector<std::unique_ptr<Chunk>> spare;
  return spare;
}
constexpr size_t kMaxSpare = 4096;

/// The checks of a mark that one warp can make quickly.
struct Glance {
  Mark first, low, settled, self;

  Glance(const Ordering &ordering, unsigned warp, bool ignoresEarlier)
      : first(ordering.first()), low(ignoresEarlier ? 0 : first),
        settled(ordering.settled(warp)), self(warp << kWarpShift) {}

  bool isMine(Mark mark) const {
    return (mark & kWarpBits) == self && mark >= first;
  }
  /// Without branches, so that loops over rows become vector code. False does
  /// not mean that there is a race.
  bool isOrdered(Mark mark) const {
    return (mark == 0) | (mark - low < settled - low) | isMine(mark);
  }
};

/// Whether two accesses were made by the same warp in the same segment.
bool isSameTime(Mark old, Mark now) {
  return ((old ^ now) & ~(kAllBytes | kAtomic)) == 0;
}

/// Access to the bytes of Lanes.
class LaneBytes {
public:
  explicit LaneBytes(Lanes &lanes) : lanes(lanes) {}

  /// A lane other than `lane` among the lanes of the bytes of a mark. `lane`
  /// may be kSeveral, which always includes another lane.
  std::optional<unsigned> findOther(Mark bytes, unsigned lane) const {
    for (unsigned byte = 0; byte < 4; ++byte)
      if (bytes >> (1 + byte) & 1 && (get(byte) != lane || lane == kSeveral))
        return get(byte);
    return std::nullopt;
  }
  /// Notes that a lane accesses the bytes of `now`; the bytes of `old` were
  /// accessed before in the same segment.
  void add(Mark now, Mark old, unsigned lane) {
    for (unsigned byte = 0; byte < 4; ++byte) {
      if (!(now >> (1 + byte) & 1))
        continue;
      bool isOther = old >> (1 + byte) & 1 && get(byte) != lane;
      lanes &= ~(0xffu << 8 * byte);
      lanes |= (isOther ? kSeveral : lane) << 8 * byte;
    }
  }

private:
  unsigned get(unsigned byte) const { return lanes >> 8 * byte & 0xff; }

  Lanes &lanes;
};

/// The Lanes of each word of a row, by the number of bytes per lane.
constexpr unsigned kMaxLaneBytes = 16;
using Row = std::array<Lanes, kMaxLaneBytes * kLanes / 4>;
constexpr std::array<Row, kMaxLaneBytes + 1> kRows = [] {
  std::array<Row, kMaxLaneBytes + 1> rows{};
  for (unsigned laneBytes = 1; laneBytes <= kMaxLaneBytes; laneBytes *= 2)
    for (unsigned byte = 0; byte < laneBytes * kLanes; ++byte)
      rows[laneBytes][byte / 4] |= byte / laneBytes << 8 * (byte % 4);
  return rows;
}();

} // namespace

Shadow::~Shadow() { clear(); }

void Shadow::clear() {
  auto &spare = spareChunks<Chunk>();
  for (std::unique_ptr<Chunk> &chunk : chunks)
    if (chunk && spare.size() < kMaxSpare)
      spare.push_back(std::move(chunk));
    else
      chunk.reset();
}

void Shadow::getAccesses(uint64_t base,
                         std::vector<ByteAccess> &accesses) const {
  for (bool isWrite : {false, true}) {
    uint64_t end = 0; // end of the contiguous words so far
    for (size_t i = 0; i < chunks.size(); ++i) {
      const Chunk *chunk = chunks[i].get();
      for (unsigned word = 0; chunk && word < kChunkWords; ++word) {
        if (!(isWrite ? chunk->writers[word] : chunk->readers[0][word]))
          continue;
        uint64_t begin = base + i * kChunkBytes + 4 * word;
        if (begin == end)
          accesses.back().end = begin + 4;
        else
          accesses.push_back({begin, begin + 4, isWrite});
        end = begin + 4;
      }
    }
  }
}

Shadow::Chunk &Shadow::chunkAt(uint64_t offset) {
  std::unique_ptr<Chunk> &chunk = chunks[offset / kChunkBytes];
  if (chunk)
    return *chunk;
  auto &spare = spareChunks<Chunk>();
  if (spare.empty()) {
    chunk = std::make_unique<Chunk>();
  } else {
    chunk = std::move(spare.back());
    spare.pop_back();
    *chunk = {};
  }
  return *chunk;
}

bool Shadow::races(Mark old, Mark now, const Ordering &ordering,
                   unsigned warp) const {
  if (!(old & now & kAllBytes) || (old & now & kAtomic))
    return false;
  if (old < ordering.first())
    return scope == Scope::Device;
  return !ordering.isBefore(old, warp);
}

Conflict Shadow::note(uint64_t offset, unsigned bytes, Access access,
                      const Ordering &ordering, unsigned warp, unsigned lane) {
  const Glance glance(ordering, warp, scope == Scope::Block);
  const Mark present =
      ordering.present(warp) | (access == Access::Atomic ? kAtomic : 0);
  const uint64_t end = offset + bytes;
  for (uint64_t word = offset / 4; word * 4 < end; ++word) {
    Chunk &chunk = chunkAt(word * 4);
    const unsigned index = word % kChunkWords;
    Mark now = present | kAllBytes;
    for (unsigned byte = 0; bytes < 4 && byte < 4; ++byte)
      if (word * 4 + byte < offset || word * 4 + byte >= end)
        now &= ~(2u << byte);

    auto conflicts = [&](Mark old) {
      return !glance.isOrdered(old) && races(old, now, ordering, warp);
    };
    Mark &writer = chunk.writers[index];
    Mark &last = chunk.readers[0][index], &other = chunk.readers[1][index];
    LaneBytes writerLanes(chunk.writerLanes[index]);
    LaneBytes readerLanes(chunk.readerLanes[index]);
    if (conflicts(writer))
      return {writer, false};
    if (isSameTime(writer, now) && !(writer & now & kAtomic))
      if (auto racing = writerLanes.findOther(writer & now, lane))
        return {writer, false, *racing};
    if (access == Access::Read) {
      bool isAgain = isSameTime(last, now);
      readerLanes.add(now, isAgain ? last : 0, lane);
      // One read per warp is enough.
      if (!isAgain && !glance.isMine(last))
        other = last;
      last = isAgain ? last | now : now;
      continue;
    }
    for (Mark reader : {last, other})
      if (conflicts(reader))
        return {reader, true};
    if (isSameTime(last, now))
      if (auto racing = readerLanes.findOther(last & now, lane))
        return {last, true, *racing};
    bool isAgain = ((writer ^ now) & ~kAllBytes) == 0;
    writerLanes.add(now, isAgain ? writer : 0, lane);
    writer = isAgain ? writer | now : now;
  }
  return {};
}

bool Shadow::noteRow(uint64_t offset, unsigned laneBytes, Access access,
                     const Ordering &ordering, unsigned warp) {
  const unsigned bytes = laneBytes * kLanes;
  if (offset % 4 || offset / kChunkBytes != (offset + bytes - 1) / kChunkBytes)
    return false;
  Chunk &chunk = chunkAt(offset);
  unsigned begin = offset % kChunkBytes / 4, count = bytes / 4;
  Mark *writers = chunk.writers + begin;
  Mark *last = chunk.readers[0] + begin, *other = chunk.readers[1] + begin;
  Lanes *writerLanes = chunk.writerLanes + begin;
  Lanes *readerLanes = chunk.readerLanes + begin;
  const Lanes *lanes = kRows[laneBytes].data();
  const Glance glance(ordering, warp, scope == Scope::Block);
  const Mark now = ordering.present(warp) | kAllBytes;

  bool ok = true;
  for (unsigned i = 0; i < count; ++i) {
    ok &= glance.isOrdered(writers[i]);
    ok &= !isSameTime(writers[i], now) | (writerLanes[i] == lanes[i]);
  }
  for (unsigned i = 0; i < count; ++i)
    ok &= !isSameTime(last[i], now) |
          ((readerLanes[i] == lanes[i]) & (last[i] == now));
  if (access == Access::Read) {
    if (!ok)
      return false;
    for (unsigned i = 0; i < count; ++i) {
      other[i] = glance.isMine(last[i]) ? other[i] : last[i];
      last[i] = now;
    }
    std::copy_n(lanes, count, readerLanes);
    return true;
  }
  for (unsigned i = 0; i < count; ++i) {
    ok &= glance.isOrdered(last[i]);
    ok &= glance.isOrdered(other[i]);
  }
  if (!ok)
    return false;
  std::fill_n(writers, count, now);
  std::copy_n(lanes, count, writerLanes);
  return true;
}

} // namespace tdc::sim
