//===- Traffic.cpp - memory traffic of an access of a warp ----------------===//

#include "execute/Traffic.h"
#include "execute/Access.h"
#include <algorithm>

namespace tdc::sim {

namespace {

constexpr unsigned kBankBytes = 4, kWavefrontBytes = 128, kSectorBytes = 32;

/// The addresses of some lanes.
struct Addresses {
  uint64_t values[kLanes];
  unsigned count = 0;

  void push(uint64_t address) { values[count++] = address; }
};

/// Wavefronts for lanes that are served together. `lineBytes` is the size of a
/// lane's access, at least one bank's word; it is in one bank or in several
/// adjacent ones.
unsigned countWavefronts(const uint64_t *addresses, unsigned count,
                         unsigned lineBytes) {
  unsigned lines[kWavefrontBytes / kBankBytes] = {}, most = 0;
  for (unsigned i = 0; i < count; ++i) {
    uint64_t line = addresses[i] / lineBytes;
    bool isNew = true;
    for (unsigned j = 0; j < i; ++j)
      isNew &= addresses[j] / lineBytes != line;
    most = std::max(most, lines[line % (kWavefrontBytes / lineBytes)] += isNew);
  }
  return most;
}

void countShared(Work &work, const uint64_t addresses[kLanes], uint32_t lanes,
                 unsigned bytes) {
  const unsigned lineBytes = std::max(bytes, kBankBytes);
  const unsigned together = kWavefrontBytes / lineBytes;
  for (unsigned first = 0; first < kLanes; first += together) {
    Addresses active;
    for (unsigned lane = first; lane < first + together; ++lane)
      if (lanes >> lane & 1)
        active.push(addresses[lane]);
    if (!active.count)
      continue;
    unsigned wavefronts =
        countWavefronts(active.values, active.count, lineBytes);
    work.wavefronts += wavefronts;
    work.conflicts += wavefronts - 1;
  }
}

void countGlobal(Work &work, const uint64_t addresses[kLanes], uint32_t lanes,
                 Access kind) {
  Addresses sectors; // an access is aligned: it lies in one sector
  for (unsigned lane = 0; lane < kLanes; ++lane)
    if (lanes >> lane & 1)
      sectors.push(addresses[lane] / kSectorBytes);
  uint64_t *end = sectors.values + sectors.count;
  if (!std::is_sorted(sectors.values, end))
    std::sort(sectors.values, end);
  auto count = uint64_t(std::unique(sectors.values, end) - sectors.values);
  if (kind != Access::Write)
    work.bytesRead += count * kSectorBytes;
  if (kind != Access::Read)
    work.bytesWritten += count * kSectorBytes;
}

} // namespace

void countTraffic(Warp &warp, Space space, const uint64_t addresses[kLanes],
                  uint32_t lanes, unsigned bytes, Access kind) {
  Work &work = warp.block.state.work;
  uint64_t resolved[kLanes];
  if (space == Space::Generic && lanes) {
    // If the lanes of one instruction access several memories, only those in
    // the memory of the first lane count.
    space = resolveGeneric(addresses[firstLane(lanes)]).first;
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      auto [lanesSpace, offset] = resolveGeneric(addresses[lane]);
      resolved[lane] = offset;
      if (lanesSpace != space)
        lanes &= ~(1u << lane);
    }
    addresses = resolved;
  }
  if (space == Space::Shared)
    countShared(work, addresses, lanes, bytes);
  else if (space == Space::Global || space == Space::Const)
    countGlobal(work, addresses, lanes, kind);
}

} // namespace tdc::sim
