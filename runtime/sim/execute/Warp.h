//===- Warp.h - a warp, its block and the launch they belong to -----------===//
//
// The 32 lanes of a warp execute together where they can. Where a branch splits
// them, the lanes are kept in groups, one for each pc at which some of them
// are. The group with the lowest pc runs, so that lanes that took the longer
// path catch up and are merged (divergence by minimal PC). A group that
// executes an instruction for more lanes than it has waits for them.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_SIM_EXECUTE_WARP_H
#define TDC_SIM_EXECUTE_WARP_H

#include "execute/Execute.h"
#include "execute/Races.h"
#include "ptx/Program.h"
#include <cstring>
#include <memory>
#include <unordered_map>

namespace tdc::sim {

struct Block;

inline constexpr uint32_t kFullWarp = ~0u;

/// State shared by all blocks of a launch.
struct LaunchState {
  LaunchState(const Launch &launch, Surroundings &surroundings)
      : launch(launch), kernel(launch.kernel), surroundings(surroundings) {}

  const Launch &launch;
  const Kernel &kernel;
  Surroundings &surroundings;
  Work work;
  /// Allocations that were accessed recently, and found to be accessible: few,
  /// as a kernel has few buffers.
  struct Recent {
    const Allocation *allocation = nullptr;
    Shadow *shadow = nullptr;
  };
  std::array<Recent, 8> recent;
  unsigned nextRecent = 0;
  struct Touched {
    const Allocation *allocation;
    std::unique_ptr<Shadow> shadow;
  };
  /// By serial number of the allocation.
  std::unordered_map<uint64_t, Touched> shadows;

  /// The blocks so far, to find the block of a mark.
  struct Past {
    uint32_t firstSegment;
    uint64_t block;  ///< in the grid, x fastest
    bool isReleased; ///< by a fence and then an atomic
  };
  std::vector<Past> past;
  uint32_t segment = 0;

  /// The entry of an allocation that contains these bytes; null if it was not
  /// accessed recently.
  const Recent *findRecent(uint64_t address, uint64_t bytes) const {
    for (const Recent &entry : recent)
      if (entry.allocation &&
          address - entry.allocation->address < entry.allocation->bytes &&
          entry.allocation->bytes - (address - entry.allocation->address) >=
              bytes)
        return &entry;
    return nullptr;
  }
  const Recent &remember(const Allocation &allocation);
  /// Adds the accesses since the shadows were cleared to `work`.
  void noteAccesses();
  /// A segment that no warp has used, for a block that begins or for warps of
  /// `running` after a barrier.
  uint32_t nextSegment(Block *running);
};

/// An asynchronous copy that no wait has completed (PTX ISA 9.7.9.25).
struct PendingCopy {
  const Instruction *instruction; ///< the instruction that issued it
  unsigned lane;
  uint32_t to; ///< in shared memory
  uint64_t from;
  uint8_t bytes, sourceBytes;
  bool isRead; ///< `data` has the source; otherwise it is read at the wait
  std::array<std::byte, 16> data;
};

struct Group {
  uint32_t pc;
  uint32_t lanes;
  bool waits; ///< for lanes that must execute an instruction with it
};

/// Why a warp stopped.
enum class Stop : uint8_t { Budget, Barrier, End };

struct Warp {
  Block &block;
  unsigned index; ///< in the block
  std::byte *registers;
  /// Lanes that execute the current instruction: `lanes` where its guard holds.
  uint32_t active = 0;
  uint32_t pc = 0, lanes = 0;
  uint32_t live = 0; ///< lanes that have not ended
  std::vector<Group> others;
  uint64_t executed = 0; ///< instructions of the warp
  uint32_t carry = 0;    ///< CC.CF of each lane (PTX ISA 9.7.2)

  /// The barrier at which the warp waits; null if none.
  const Instruction *barrier = nullptr;
  bool hasEnded = false;
  /// State for the order of blocks: see Races.h.
  bool hasFence = false, hasAtomic = false;
  bool hasAcquired = false; ///< by an atomic and then a fence

  std::vector<PendingCopy> uncommitted;
  std::vector<std::vector<PendingCopy>> groupsOfCopies; ///< oldest first

  template <typename T> T *at(Slot slot) {
    return reinterpret_cast<T *>(registers + slot);
  }
  uint32_t getPredicate(Slot slot) {
    uint32_t value = *at<uint32_t>(slot & ~kNegated);
    return slot & kNegated ? ~value : value;
  }
  void setPredicate(Slot slot, uint32_t value) {
    uint32_t &mask = *at<uint32_t>(slot);
    mask = (mask & ~active) | (value & active);
  }
  /// Writes `values` of the active lanes to a register.
  template <typename T> void set(Slot slot, const T *values) {
    T *to = at<T>(slot);
    if (active == kFullWarp) {
      memcpy(to, values, kLanes * sizeof(T));
      return;
    }
    for (unsigned lane = 0; lane < kLanes; ++lane)
      to[lane] = active >> lane & 1 ? values[lane] : to[lane];
  }

  /// Executes until something stops the warp, at most `budget` instructions.
  /// With `yields`, a memory access may stop it as well.
  Stop run(uint64_t budget, bool yields);

  Warp(Block &block, unsigned index, std::byte *registers)
      : block(block), index(index), registers(registers) {}

private:
  void resume(const Group &group);
  void regroup();
  bool goOn();
  void part(uint32_t stay, uint32_t stayPc, uint32_t go, uint32_t goPc);
  void branchIndexed(const Instruction &instruction);
  uint32_t membersOf(const Instruction &instruction) const;
  bool gather(const Instruction &instruction);
  void end(uint32_t lanes);
  /// The lowest pc of another group: at or after it, regroup.
  uint32_t attention = ~0u;
};

/// One of the sixteen barriers of a block (PTX ISA 9.7.13.1, "bar").
struct BarrierState {
  uint32_t arrived = 0, waiting = 0; ///< warps
  Ordering::Clock clock = {};        ///< the accesses before it
  unsigned expected = 0;             ///< warps; 0: no warp has arrived
  /// For bar.red: of the predicates so far.
  unsigned count = 0;
  bool all = true, any = false;
};

struct Block {
  LaunchState &state;
  uint64_t number; ///< in the grid, x fastest
  Dim3 position;
  unsigned numThreads, numWarps;

  std::vector<std::byte> &shared;
  /// Per byte: 0 never written, 1 written, 2 to be filled by a copy that no
  /// wait has completed.
  std::vector<uint8_t> &sharedWritten;
  Shadow &sharedShadow;
  std::vector<std::byte> &local; ///< one thread's after the other's
  std::vector<uint8_t> &localWritten;

  Ordering ordering = {};
  std::array<BarrierState, 16> barriers = {};
  std::vector<Warp> warps = {};

  const Kernel &kernel() const { return state.kernel; }
  /// Runs to its end.
  void run();

private:
  void checkStuck();
};

/// Values in Block::sharedWritten.
enum : uint8_t { kNeverWritten = 0, kWritten = 1, kInFlight = 2 };

/// Throws a Fault that names kernel, line, thread and block; `what` follows
/// "thread (3,0,0) of block (7,0,0) " in its message.
[[noreturn]] void faultAt(const Warp &warp, const Instruction &instruction,
                          unsigned lane, CUresult code,
                          const std::string &what);

inline unsigned countLanes(uint32_t mask) {
  return unsigned(__builtin_popcount(mask));
}
inline unsigned firstLane(uint32_t mask) {
  return unsigned(__builtin_ctz(mask));
}

} // namespace tdc::sim

#endif // TDC_SIM_EXECUTE_WARP_H
