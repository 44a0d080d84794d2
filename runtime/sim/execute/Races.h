//===- Races.h - accesses that nothing orders -----------------------------===//
//
// Two accesses of one byte race if they are of different threads, one of them
// writes, not both are atomic, and no barrier stands between them (PTX ISA 8,
// "Memory Consistency Model"). The lanes of a warp are threads like others:
// only a barrier, of the block or bar.warp.sync, orders them.
//
// Time is cut into segments: a warp begins one with its block and after each
// barrier. For each word of memory a shadow keeps who wrote it last and the
// last two warps that read it, by segment and warp; an Ordering knows which
// segments of the other warps lie before the present of each warp (a vector
// clock). Of the last writer and the last reader it keeps the lane too, for
// each byte.
//
// Approximations, towards silence: a word of which two warps write different
// bytes remembers only the second; of more than two warps that read since a
// barrier, only the last two are remembered, and the lanes of the last; of a
// word that a warp accesses before and after a barrier of its own, only the
// bytes of the later segment; of a write and an atomic of one lane, only the
// atomic; bar.warp.sync and bar.arrive order all lanes of their warp. Blocks
// count as ordered where one has passed a fence and then an atomic, and the
// other one an atomic and then a fence.
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

/// Who touched a word: bits 10-31 the segment, 5-9 the warp, 1-4 which of its
/// bytes, 0 whether atomically. Zero: nobody. In one word so that a row of them
/// is checked as vectors.
using Mark = uint32_t;
inline constexpr unsigned kSegmentShift = 10, kWarpShift = 5;
inline constexpr Mark kWarpBits = 31u << kWarpShift;
inline constexpr Mark kAllBytes = 15u << 1;
inline constexpr Mark kAtomic = 1;
inline constexpr uint32_t kMaxSegment = (1u << (32 - kSegmentShift)) - 2;

/// A lane for each byte of a word.
using Lanes = uint32_t;
/// In Lanes, of a byte that several lanes have accessed.
inline constexpr unsigned kSeveral = 0xff;

/// An access that another one races with.
struct Conflict {
  Mark mark = 0; ///< 0: there is none
  bool isRead = false;
  unsigned lane = 0; ///< of the same warp, or kSeveral
};

inline unsigned warpOf(Mark mark) { return (mark >> kWarpShift) & 31; }
inline uint32_t segmentOf(Mark mark) { return mark >> kSegmentShift; }

/// What is ordered before what, among the warps of a running block.
class Ordering {
public:
  /// All warps are in segment `first`, which no block was in before.
  void begin(unsigned numWarps, uint32_t first);

  /// For each warp the last segment of it that lies before something.
  using Clock = std::array<uint32_t, kMaxWarps>;

  /// A warp arrives at a barrier: `clock`, of the barrier, gets what it has
  /// done and what lies before that.
  void arrive(unsigned warp, Clock &clock) const;
  /// What was done before all arrived at a barrier lies before what the warp
  /// does from now on.
  void pass(unsigned warp, const Clock &clock);
  /// A warp is in `segment` from now on.
  void enter(unsigned warp, uint32_t segment) { segments[warp] = segment; }

  /// The present of a warp, without bytes.
  Mark present(unsigned warp) const {
    return segments[warp] << kSegmentShift | warp << kWarpShift;
  }
  /// Of marks below this one all of the block lie before the warp's present.
  Mark settled(unsigned warp) const {
    return settledSegments[warp] << kSegmentShift;
  }
  /// Marks below this one are of earlier blocks.
  Mark first() const { return firstSegment << kSegmentShift; }

  /// Whether what a warp of this block did lies before the present of `warp`.
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

/// Who touched what, of one allocation or of the shared memory of a block.
class Shadow {
public:
  /// Whether accesses of earlier blocks count: not those of shared memory,
  /// which each block has anew.
  enum class Scope : uint8_t { Device, Block };

  Shadow(uint64_t bytes, Scope scope)
      : chunks(bytes / kChunkBytes + 1), scope(scope) {}
  ~Shadow();

  /// Notes the access of a lane and returns what it races with.
  Conflict note(uint64_t offset, unsigned bytes, Access access,
                const Ordering &ordering, unsigned warp, unsigned lane);

  /// The same for all lanes of a warp, faster: each reads or writes
  /// `laneBytes`, at most 16, one after the other. False if it has to be done
  /// by `note`.
  bool noteRow(uint64_t offset, unsigned laneBytes, Access access,
               const Ordering &ordering, unsigned warp);

  /// Adds the words that were touched, as addresses of an allocation at `base`.
  void getAccesses(uint64_t base, std::vector<ByteAccess> &accesses) const;

  /// Forgets everything.
  void clear();

private:
  static constexpr unsigned kChunkBytes = 4096, kChunkWords = kChunkBytes / 4;

  struct Chunk {
    Mark writers[kChunkWords] = {};
    Mark readers[2][kChunkWords] = {};
    /// Of `writers` and of `readers[0]`, for their bytes.
    Lanes writerLanes[kChunkWords] = {}, readerLanes[kChunkWords] = {};
  };

  Chunk &chunkAt(uint64_t offset);
  bool races(Mark old, Mark now, const Ordering &ordering, unsigned warp) const;

  std::vector<std::unique_ptr<Chunk>> chunks;
  Scope scope;
};

} // namespace tdc::sim

#endif // TDC_SIM_EXECUTE_RACES_H
