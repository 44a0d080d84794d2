//===- Access.cpp - reading and writing the memories, with all checks -----===//

#include "execute/Access.h"
#include "ptx/Decoder.h"
#include <algorithm>
#include <cstdio>
#include <tuple>

namespace tdc::sim {

namespace {

std::string hex(uint64_t value) {
  char text[24];
  snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

std::string count(uint64_t bytes) {
  return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
}

/// The nearest allocation that contains or precedes an address, at most 1 MiB
/// before it; null if there is none. Allocations begin at multiples of 512
/// bytes, so the search in steps of 512 meets each.
const Allocation *findBefore(const Memory &memory, uint64_t address) {
  constexpr uint64_t kStep = 512, kFar = 1 << 20;
  uint64_t at = address & ~(kStep - 1);
  for (uint64_t distance = 0; distance <= kFar && distance <= at;
       distance += kStep)
    if (const Allocation *found = memory.find(at - distance))
      return found;
  return nullptr;
}

std::string describe(const Allocation &allocation) {
  std::string text = "allocation " + std::to_string(allocation.serial) + " (" +
                     count(allocation.bytes) + ")";
  return allocation.device == kHost
             ? "pinned " + text
             : text + " of device " + std::to_string(allocation.device);
}

/// One access of one lane, with the text of each possible fault.
struct Accessor {
  Warp &warp;
  const Instruction &instruction;
  unsigned lane;
  Space space;
  uint64_t address;
  unsigned bytes;
  Access kind;
  bool areSeveral; ///< lanes, of which `lane` is the first

  LaunchState &state() const { return warp.block.state; }

  [[noreturn]] void refuse(const std::string &why,
                           CUresult code = CUDA_ERROR_ILLEGAL_ADDRESS) const {
    const char *verb = kind == Access::Read    ? "reads "
                       : kind == Access::Write ? "writes "
                                               : "updates ";
    const char *where = space == Space::Shared  ? " of shared memory"
                        : space == Space::Local ? " of local memory"
                        : space == Space::Param ? " of the parameters"
                                                : "";
    faultAt(warp, instruction, lane, code,
            verb + count(bytes) + " at " + hex(address) + where + ": " + why);
  }

  unsigned racer() const { return areSeveral ? kSeveral : lane; }

  void checkAlignment() const {
    if (address & (bytes - 1))
      refuse("not a multiple of " + std::to_string(bytes),
             CUDA_ERROR_MISALIGNED_ADDRESS);
  }

  void checkBounds(uint64_t size) const {
    if (address <= size && bytes <= size - address)
      return;
    refuse(address < size
               ? "only " + count(size - address) + " left of " + count(size)
               : count(address - size) + " past the end of " + count(size));
  }

  /// The block, among those so far, that made a mark.
  const LaunchState::Past &blockOf(Mark mark) const {
    const auto &past = state().past;
    auto after =
        std::upper_bound(past.begin(), past.end(), segmentOf(mark),
                         [](uint32_t segment, const LaunchState::Past &block) {
                           return segment < block.firstSegment;
                         });
    return *std::prev(after);
  }

  bool isOfEarlierBlock(Mark mark) const {
    return mark < warp.block.ordering.first();
  }

  [[noreturn]] void refuseRace(const Conflict &conflict) const {
    Mark mark = conflict.mark;
    std::string verb = conflict.isRead  ? "read"
                       : mark & kAtomic ? "updated"
                                        : "written";
    std::string other;
    if (isOfEarlierBlock(mark))
      other = "block " + std::to_string(blockOf(mark).block) +
              " of the same launch, and nothing orders the two blocks";
    else if (warpOf(mark) != warp.index)
      other = "warp " + std::to_string(warpOf(mark)) +
              " of the same block, with no barrier between (this is warp " +
              std::to_string(warp.index) + ")";
    else
      other = (conflict.lane == kSeveral
                   ? "several lanes"
                   : "lane " + std::to_string(conflict.lane)) +
              " of the same warp, with no barrier between (" +
              (areSeveral ? "several lanes read it here)"
                          : "this is lane " + std::to_string(lane) + ")");
    refuse("a race: " + verb + " by " + other, CUDA_ERROR_LAUNCH_FAILED);
  }

  /// Whether fences order a block that has ended before this warp.
  bool isFenced(Mark mark) const {
    return isOfEarlierBlock(mark) && warp.hasAcquired &&
           blockOf(mark).isReleased;
  }

  //===--------------------------------------------------------------------===//
  // Global memory
  //===--------------------------------------------------------------------===//

  [[noreturn]] void refuseUnknown() const {
    if (address < 4096)
      refuse("a null pointer");
    const Allocation *before = findBefore(state().surroundings.memory, address);
    if (!before)
      refuse("no allocation of a device is there (a pointer of the host?)");
    refuse(count(address - before->address - before->bytes) +
           " past the end of " + describe(*before));
  }

  const Allocation &findAllocation() const {
    Memory &memory = state().surroundings.memory;
    const Allocation *found = memory.find(address);
    if (!found)
      refuseUnknown();
    uint64_t offset = address - found->address;
    if (found->bytes - offset < bytes)
      refuse("only " + count(found->bytes - offset) + " left of " +
             describe(*found));
    if (!found->isLive)
      refuse("in " + describe(*found) + ", which is freed");
    int device = state().launch.device;
    if (found->device != device && found->device != kHost &&
        !state().surroundings.hasPeerAccess(device, found->device))
      refuse("in " + describe(*found) + ", to which device " +
             std::to_string(device) + " has no access");
    return *found;
  }

  std::byte *global() const {
    const LaunchState::Recent *recent = state().findRecent(address, bytes);
    if (!recent)
      recent = &state().remember(findAllocation());
    const Allocation &allocation = *recent->allocation;
    checkAlignment();
    uint64_t offset = address - allocation.address;
    if (allocation.written) {
      uint8_t *written = allocation.written + offset;
      if (kind == Access::Write)
        memset(written, kWritten, bytes);
      else if (const void *hole = memchr(written, kNeverWritten, bytes))
        refuse("byte " +
               std::to_string(static_cast<const uint8_t *>(hole) -
                              allocation.written) +
               " of " + describe(allocation) + " was never written");
    }
    Conflict conflict = recent->shadow->note(
        offset, bytes, kind, warp.block.ordering, warp.index, racer());
    if (conflict.mark && !isFenced(conflict.mark))
      refuseRace(conflict);
    return allocation.data + offset;
  }

  //===--------------------------------------------------------------------===//
  // The other memories
  //===--------------------------------------------------------------------===//

  std::byte *sharedMemory() const {
    Block &block = warp.block;
    checkBounds(block.shared.size());
    checkAlignment();
    uint8_t *written = block.sharedWritten.data() + address;
    for (unsigned i = 0; i < bytes; ++i)
      if (written[i] == kInFlight)
        refuse("cp.async is to fill it and is not waited for",
               CUDA_ERROR_LAUNCH_FAILED);
    if (kind == Access::Write)
      memset(written, kWritten, bytes);
    else if (memchr(written, kNeverWritten, bytes))
      refuse("never written by this block");
    Conflict conflict = block.sharedShadow.note(
        address, bytes, kind, block.ordering, warp.index, racer());
    if (conflict.mark)
      refuseRace(conflict);
    return block.shared.data() + address;
  }

  std::byte *localMemory() const {
    Block &block = warp.block;
    uint64_t size = block.kernel().info.localBytes;
    checkBounds(size);
    checkAlignment();
    uint64_t at = (uint64_t(warp.index) * kLanes + lane) * size + address;
    uint8_t *written = block.localWritten.data() + at;
    if (kind == Access::Write)
      memset(written, kWritten, bytes);
    else if (memchr(written, kNeverWritten, bytes))
      refuse("never written by this thread");
    return block.local.data() + at;
  }

  std::byte *parameters() const {
    checkBounds(warp.block.kernel().info.parameterBytes);
    checkAlignment();
    if (kind != Access::Read)
      refuse("the parameters of a kernel cannot be changed");
    return const_cast<std::byte *>(state().launch.parameters) + address;
  }
};

} // namespace

const LaunchState::Recent &LaunchState::remember(const Allocation &allocation) {
  auto &[of, shadow] = shadows[allocation.serial];
  of = &allocation;
  if (!shadow)
    shadow = std::make_unique<Shadow>(allocation.bytes, Shadow::Scope::Device);
  Recent &entry = recent[nextRecent++ % recent.size()];
  entry = {&allocation, shadow.get()};
  return entry;
}

void gatherAddresses(Warp &warp, const Instruction &instruction, unsigned index,
                     unsigned which, uint64_t addresses[kLanes]) {
  Slot slot = instruction.operands[index];
  uint64_t displacement = uint64_t(instruction.displacement[which]);
  if (slot & kNarrow) {
    const uint32_t *base = warp.at<uint32_t>(slot & ~kNarrow);
    for (unsigned lane = 0; lane < kLanes; ++lane)
      addresses[lane] = uint32_t(base[lane] + displacement);
    return;
  }
  const uint64_t *base = warp.at<uint64_t>(slot);
  for (unsigned lane = 0; lane < kLanes; ++lane)
    addresses[lane] = base[lane] + displacement;
}

std::pair<Space, uint64_t> resolveGeneric(uint64_t address) {
  uint64_t offset = address & 0xffffffff;
  switch (address >> 32 << 32) {
  case kSharedWindow:
    return {Space::Shared, offset};
  case kLocalWindow:
    return {Space::Local, offset};
  case kParamWindow:
    return {Space::Param, offset};
  default:
    return {Space::Global, address};
  }
}

std::byte *access(Warp &warp, const Instruction &instruction, unsigned lane,
                  Space space, uint64_t address, unsigned bytes, Access kind,
                  bool areSeveral) {
  if (space == Space::Generic)
    std::tie(space, address) = resolveGeneric(address);
  Accessor accessor{warp,    instruction, lane, space,
                    address, bytes,       kind, areSeveral};
  switch (space) {
  case Space::Shared:
    return accessor.sharedMemory();
  case Space::Local:
    return accessor.localMemory();
  case Space::Param:
    return accessor.parameters();
  case Space::Generic:
  case Space::Global:
  case Space::Const:
    return accessor.global();
  }
  __builtin_unreachable();
}

std::byte *accessRow(Warp &warp, Space space, const uint64_t addresses[kLanes],
                     unsigned bytes, Access kind) {
  uint64_t address = addresses[0];
  bool isRow = warp.active == kFullWarp && !(address & (bytes - 1));
  for (unsigned lane = 1; lane < kLanes; ++lane)
    isRow &= addresses[lane] == address + uint64_t(lane) * bytes;
  if (!isRow)
    return nullptr;
  if (space == Space::Generic)
    std::tie(space, address) = resolveGeneric(address);
  const uint64_t rowBytes = uint64_t(kLanes) * bytes;
  Block &block = warp.block;
  LaunchState &state = block.state;

  std::byte *data = nullptr;
  uint8_t *written = nullptr;
  Shadow *shadow = nullptr;
  uint64_t offset = address;
  if (space == Space::Shared) {
    if (address > block.shared.size() ||
        rowBytes > block.shared.size() - address)
      return nullptr;
    data = block.shared.data() + offset;
    written = block.sharedWritten.data() + offset;
    shadow = &block.sharedShadow;
  } else if (space == Space::Global || space == Space::Const) {
    const LaunchState::Recent *recent = state.findRecent(address, rowBytes);
    if (!recent)
      return nullptr;
    const Allocation &allocation = *recent->allocation;
    offset -= allocation.address;
    data = allocation.data + offset;
    written = allocation.written ? allocation.written + offset : nullptr;
    shadow = recent->shadow;
  } else {
    return nullptr;
  }

  if (written) {
    bool isWritten = true, isInFlight = false;
    for (unsigned i = 0; i < rowBytes; ++i) {
      // kFilled counts as written, too.
      isWritten &= (written[i] & kWritten) != 0;
      isInFlight |= written[i] == kInFlight;
    }
    if (kind == Access::Write ? isInFlight : !isWritten)
      return nullptr;
  }
  if (!shadow->noteRow(offset, bytes, kind, block.ordering, warp.index))
    return nullptr;
  if (written && kind == Access::Write)
    memset(written, kWritten, rowBytes);
  return data;
}

} // namespace tdc::sim
