//===- Races.h - accesses that nothing orders -----------------------------===//
//
// Two accesses of one byte race if they are of different threads, one of them
// writes, not both are atomic, and there is no barrier between them (PTX ISA 8,
// "Memory Consistency Model"). The lanes of a warp are threads like others:
// only a barrier, of the block or bar.warp.sync, orders them.
//
// Time is cut into segments: a warp begins one with its block and after each
// barrier. A shadow keeps for each word of memory its last writer and the last
// two warps that read it, by segment and warp. An Ordering knows which segments
// of the other warps precede the present of each warp (a vector clock). For the
// last writer and the last reader the shadow keeps the lane too, for each byte.
//
// Approximations; each may miss races, none reports a false one. If two warps
// write different bytes of a word, only the second is remembered. If more than
// two warps read a word since a barrier, only the last two are remembered, and
// the lanes of the last. If a warp accesses a word before and after a barrier
// of its own, only the bytes of the later segment are. If a lane writes a word
// and updates it atomically, only the atomic is. bar.warp.sync and bar.arrive
// order all lanes of their warp. Blocks count as ordered where one has passed a
// fence and then an atomic, and the other one an atomic and then a fence.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_SIM_EXECUTE_RACES_H
#define TDC_SIM_EXECUTE_RACES_H

#include "memory/Memory.h"
#include "ptx/Program.h"
#include <array>
#include <memory>

namespace tdc::sim {

enum class Access : uint8_t { Read, Write, Atomic };

/// An access to a word: bits 10-31 are the segment, 5-9 the warp, 1-4 the
/// accessed bytes of the word, 0 is set for an atomic. Zero means no access.
/// One word, so that a row of marks is checked as vectors.
using Mark = uint32_t;
inline constexpr unsigned kSegmentShift = 10, kWarpShift = 5;
inline constexpr Mark kWarpBits = 31u << kWarpShift;
inline constexpr Mark kAllBytes = 15u << 1;
inline constexpr Mark kAtomic = 1;
inline constexpr uint32_t kMaxSegment = (1u << (32 - kSegmentShift)) - 2;

/// A lane for each byte of a word.
using Lanes = uint32_t;
/// In Lanes, for a byte that several lanes have accessed.
inline constexpr unsigned kSeveral = 0xff;

/// The earlier access that an access races with.
struct Conflict {
  Mark mark = 0; ///< 0: there is none
  bool isRead = false;
  unsigned lane = 0; ///< of the same warp, or kSeveral
};

inline unsigned warpOf(Mark mark) { return (mark >> kWarpShift) & 31; }
inline uint32_t segmentOf(Mark mark) { return mark >> kSegmentShift; }

/// The happens-before order among the warps of a running block.
class Ordering {
public:
  /// All warps are in segment `first`, which no block has used before.
  void begin(unsigned numWarps, uint32_t first);

  /// For each warp the last of its segments that precedes a point.
  using Clock = std::array<uint32_t, kMaxWarps>;

  /// A warp arrives at a barrier: adds the warp's accesses, and all that
  /// precede them, to the barrier's `clock`.
  void arrive(unsigned warp, Clock &clock) const;
  /// A warp passes a barrier: accesses before any arrival precede the warp's
  /// later accesses.
  void pass(unsigned warp, const Clock &clock);
  /// A warp is in `segment` from now on.
  void enter(unsigned warp, uint32_t segment) { segments[warp] = segment; }

  /// The mark of an access of a warp now, without bytes.
  Mark present(unsigned warp) const {
    return segments[warp] << kSegmentShift | warp << kWarpShift;
  }
  /// All marks of this block that are lower precede the warp's present.
  Mark settled(unsigned warp) const {
    return settledSegments[warp] << kSegmentShift;
  }
  /// Marks below this one are of earlier blocks.
  Mark first() const { return firstSegment << kSegmentShift; }

  /// Whether the access of a mark of this block precedes the present of `warp`.
  bool isBefore(Mark mark, unsigned warp) const {
    unsigned other = warpOf(mark);
    return other == warp || segmentOf(mark) <= known[warp][other];
  }

private:
  unsigned numWarps = 0;
  uint32_t firstSegment = 0;
  std::array<uint32_t, kMaxWarps> segments, settledSegments;
  std::array<Clock, kMaxWarps> known; ///< before the present of each warp
};

/// The accesses to one allocation or to the shared memory of a block.
class Shadow {
public:
  /// Whether accesses of earlier blocks count. They do not for shared memory,
  /// which is new for each block.
  enum class Scope : uint8_t { Device, Block };

  Shadow(uint64_t bytes, Scope scope)
      : chunks(bytes / kChunkBytes + 1), scope(scope) {}
  ~Shadow();

  /// Notes the access of a lane and returns the access that it races with.
  Conflict note(uint64_t offset, unsigned bytes, Access access,
                const Ordering &ordering, unsigned warp, unsigned lane);

  /// The same for all lanes of a warp, faster: each reads or writes
  /// `laneBytes`, at most 16, at consecutive addresses. False if the caller
  /// must use `note`.
  bool noteRow(uint64_t offset, unsigned laneBytes, Access access,
               const Ordering &ordering, unsigned warp);

  /// Adds the accessed words, as addresses of an allocation at `base`.
  void getAccesses(uint64_t base, std::vector<ByteAccess> &accesses) const;

  /// Forgets everything.
  void clear();

private:
  static constexpr unsigned kChunkBytes = 4096, kChunkWords = kChunkBytes / 4;

  struct Chunk {
    Mark writers[kChunkWords] = {};
    Mark readers[2][kChunkWords] = {};
    /// The lanes of `writers` and of `readers[0]`, per byte.
    Lanes writerLanes[kChunkWords] = {}, readerLanes[kChunkWords] = {};
  };

  Chunk &chunkAt(uint64_t offset);
  bool races(Mark old, Mark now, const Ordering &ordering, unsigned warp) const;

  std::vector<std::unique_ptr<Chunk>> chunks;
  Scope scope;
};

} // namespace tdc::sim

#endif // TDC_SIM_EXECUTE_RACES_H
