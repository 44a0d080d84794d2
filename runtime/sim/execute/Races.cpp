//===- Races.cpp - accesses that nothing orders ---------------------------===//

#include "execute/Races.h"
#include <algorithm>

namespace tdc::sim {

void Ordering::begin(unsigned warps, uint32_t first) {
  numWarps = warps;
  firstSegment = first;
  segments.fill(first);
  settledSegments.fill(first);
  // Nothing of the block lies before its beginning.
  for (auto &row : known)
    row.fill(first - 1);
}

void Ordering::join(uint32_t arrived, uint32_t waiting, uint32_t segment) {
  std::array<uint32_t, kMaxWarps> latest{};
  for (unsigned w = 0; w < numWarps; ++w) {
    if (!(arrived >> w & 1))
      continue;
    for (unsigned v = 0; v < numWarps; ++v)
      latest[v] = std::max(latest[v], known[w][v]);
    latest[w] = std::max(latest[w], segments[w]);
  }
  uint32_t all = numWarps == 32 ? ~0u : (1u << numWarps) - 1;
  for (unsigned w = 0; w < numWarps; ++w) {
    if (arrived >> w & 1)
      segments[w] = segment;
    if (!(waiting >> w & 1))
      continue;
    known[w] = latest;
    if (arrived == all)
      settledSegments[w] = segment;
  }
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
                      const Ordering &ordering, unsigned warp) {
  uint64_t end = offset + bytes;
  for (uint64_t word = offset / 4; word * 4 < end; ++word) {
    Chunk &chunk = chunkAt(word * 4);
    unsigned index = word % kChunkWords;
    Mark now =
        ordering.present(warp) | (access == Access::Atomic ? kAtomic : 0);
    for (unsigned byte = 0; byte < 4; ++byte)
      if (word * 4 + byte >= offset && word * 4 + byte < end)
        now |= 2u << byte;

    Mark &writer = chunk.writers[index];
    Mark &last = chunk.readers[0][index], &other = chunk.readers[1][index];
    if (races(writer, now, ordering, warp))
      return {writer, false};
    if (access == Access::Read) {
      if (((last ^ now) & ~kAllBytes) == 0) {
        last |= now;
        continue;
      }
      // Of a warp the last read is enough.
      if (warpOf(last) != warp || last < ordering.first())
        other = last;
      last = now;
      continue;
    }
    for (Mark reader : {last, other})
      if (races(reader, now, ordering, warp))
        return {reader, true};
    bool isSame = ((writer ^ now) & ~kAllBytes) == 0;
    writer = isSame ? writer | now : now;
  }
  return {};
}

bool Shadow::noteRow(uint64_t offset, unsigned bytes, Access access,
                     const Ordering &ordering, unsigned warp) {
  if (offset % 4 || bytes % 4 ||
      offset / kChunkBytes != (offset + bytes - 1) / kChunkBytes)
    return false;
  Chunk &chunk = chunkAt(offset);
  unsigned begin = offset % kChunkBytes / 4, count = bytes / 4;
  Mark *writers = chunk.writers + begin;
  Mark *last = chunk.readers[0] + begin, *other = chunk.readers[1] + begin;

  const Mark first = ordering.first(), settled = ordering.settled(warp);
  const Mark low = scope == Scope::Device ? first : 0;
  const Mark self = warp << kWarpShift;
  const Mark now = ordering.present(warp) | kAllBytes |
                   (access == Access::Atomic ? kAtomic : 0);
  auto isMine = [&](Mark mark) {
    return (mark & kWarpBits) == self && mark >= first;
  };
  // Without branches, so that the loops below become vector code.
  auto isOrdered = [&](Mark mark) {
    return (mark == 0) | (mark - low < settled - low) | isMine(mark);
  };

  bool ok = true;
  for (unsigned i = 0; i < count; ++i)
    ok &= isOrdered(writers[i]);
  if (access == Access::Read) {
    if (!ok)
      return false;
    for (unsigned i = 0; i < count; ++i) {
      other[i] = isMine(last[i]) ? other[i] : last[i];
      last[i] = now;
    }
    return true;
  }
  for (unsigned i = 0; i < count; ++i)
    ok &= isOrdered(last[i]) & isOrdered(other[i]);
  if (!ok)
    return false;
  std::fill_n(writers, count, now);
  return true;
}

} // namespace tdc::sim
