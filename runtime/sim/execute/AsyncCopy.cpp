//===- AsyncCopy.cpp - cp.async -------------------------------------------===//
//
// PTX ISA 9.7.9.25.2 "Non-bulk copy". A copy into shared memory is in flight
// until a wait: its bytes must not be read or written. The source is read at
// issue or at the wait, at random.
//
//===----------------------------------------------------------------------===//

#include "execute/Access.h"
#include "execute/Lanes.h"
#include "execute/Traffic.h"
#include "ptx/Decoder.h"
#include <algorithm>

namespace tdc::sim {

namespace {

/// Form::parameter: bit 0 says that the size of the source is an operand, bit 1
/// that a predicate says whether to ignore the source, bit 2 that it is .cg,
/// which copies 16 bytes only.
constexpr uint32_t kHasSourceSize = 1, kHasIgnore = 2, kOnly16 = 4;

/// Reads the source, which may be shorter than the destination; zeros fill the
/// rest.
void readSource(Warp &warp, const Instruction &instruction, PendingCopy &copy) {
  copy.data.fill(std::byte(0));
  copy.isRead = true;
  if (!copy.sourceBytes)
    return;
  // The address is aligned for the whole copy. A shorter source need not have a
  // power of two bytes, so it is read byte by byte.
  for (unsigned i = 0; i < copy.sourceBytes;) {
    unsigned bytes = copy.sourceBytes == copy.bytes ? copy.bytes : 1;
    memcpy(copy.data.data() + i,
           access(warp, instruction, copy.lane, Space::Global, copy.from + i,
                  bytes, Access::Read),
           bytes);
    i += bytes;
  }
}

void issue(Warp &warp, const Instruction &instruction) {
  uint64_t to[kLanes], from[kLanes];
  gatherAddresses(warp, instruction, 0, 0, to);
  gatherAddresses(warp, instruction, 1, 1, from);
  const uint32_t *sizes = warp.at<uint32_t>(instruction.operands[2]);
  bool hasSize = instruction.parameter & kHasSourceSize;
  uint32_t ignored = instruction.parameter & kHasIgnore
                         ? warp.getPredicate(instruction.operands[3])
                         : 0;
  Block &block = warp.block;
  uint32_t readers = 0;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if (!(warp.active >> lane & 1))
      continue;
    unsigned bytes = sizes[lane];
    bool isLegal = bytes == 16 || ((bytes == 4 || bytes == 8) &&
                                   !(instruction.parameter & kOnly16));
    if (!isLegal)
      faultAt(warp, instruction, lane, CUDA_ERROR_LAUNCH_FAILED,
              "copies " + std::to_string(bytes) + " bytes: expected " +
                  (instruction.parameter & kOnly16 ? "16" : "4, 8 or 16"));
    PendingCopy copy{&instruction,       lane,
                     uint32_t(to[lane]), from[lane],
                     uint8_t(bytes),     uint8_t(bytes),
                     /*isRead=*/false,   {}};
    if (hasSize) {
      uint32_t size = warp.at<uint32_t>(instruction.operands[3])[lane];
      if (size > bytes)
        faultAt(warp, instruction, lane, CUDA_ERROR_LAUNCH_FAILED,
                "copies " + std::to_string(size) + " bytes of a source into " +
                    std::to_string(bytes));
      copy.sourceBytes = uint8_t(size);
    }
    if (ignored >> lane & 1)
      copy.sourceBytes = 0;
    if (from[lane] & (bytes - 1) && copy.sourceBytes)
      access(warp, instruction, lane, Space::Global, from[lane], bytes,
             Access::Read); // says that it is not aligned
    // Checks the destination: other lanes' accesses to it must precede the
    // issue.
    access(warp, instruction, lane, Space::Shared, to[lane], bytes,
           Access::Write);
    std::fill_n(block.sharedWritten.begin() + copy.to, bytes, kInFlight);
    // The source must be readable now, even if it is read later.
    PendingCopy now = copy;
    readSource(warp, instruction, now);
    bool isEarly = block.state.surroundings.random() & 1;
    warp.uncommitted.push_back(isEarly ? now : copy);
    readers |= uint32_t(copy.sourceBytes != 0) << lane;
  }
  unsigned bytes = sizes[firstLane(warp.active)];
  countTraffic(warp, Space::Global, from, readers, bytes, Access::Read);
  countTraffic(warp, Space::Shared, to, warp.active, bytes, Access::Write);
}

void land(Warp &warp, std::vector<PendingCopy> &copies) {
  Block &block = warp.block;
  for (PendingCopy &copy : copies) {
    if (!copy.isRead)
      readSource(warp, *copy.instruction, copy);
    std::fill_n(block.sharedWritten.begin() + copy.to, copy.bytes,
                kNeverWritten);
    memcpy(access(warp, *copy.instruction, copy.lane, Space::Shared, copy.to,
                  copy.bytes, Access::Write),
           copy.data.data(), copy.bytes);
  }
  copies.clear();
}

void commit(Warp &warp, const Instruction &) {
  warp.groupsOfCopies.push_back(std::move(warp.uncommitted));
  warp.uncommitted.clear();
}

/// Waits until at most as many groups as the operand says are in flight.
void waitGroup(Warp &warp, const Instruction &instruction) {
  uint32_t allowed = warp.at<uint32_t>(instruction.operands[0])[0];
  auto &groups = warp.groupsOfCopies;
  while (groups.size() > allowed) {
    land(warp, groups.front());
    groups.erase(groups.begin());
  }
}

void waitAll(Warp &warp, const Instruction &) {
  for (auto &group : warp.groupsOfCopies)
    land(warp, group);
  warp.groupsOfCopies.clear();
  land(warp, warp.uncommitted);
}

} // namespace

void addAsyncCopyForms(FormTable &table) {
  using Kind = OperandForm::Kind;
  const OperandForm address{Kind::Address}, bytes{Kind::Immediate};
  for (const char *cache : {".ca", ".cg"}) {
    Form copy;
    copy.execute = issue;
    copy.isAccess = true;
    uint32_t only16 = std::string(cache) == ".cg" ? kOnly16 : 0;
    const std::string opcode =
        std::string("cp.async") + cache + ".shared.global";
    copy.parameter = only16;
    copy.operands = {address, address, bytes};
    table.add(opcode, copy);
    copy.parameter = only16 | kHasSourceSize;
    copy.operands = {address, address, bytes, {Kind::Source, Width::Bits32}};
    table.add(opcode, copy);
    copy.parameter = only16 | kHasIgnore;
    copy.operands.back() = {Kind::Source, Width::Predicate};
    table.add(opcode, copy);
  }
  // PTX has groups per thread; here the threads of a warp share them.
  Form form;
  form.isAccess = true;
  form.members = Members::Live;
  form.execute = commit;
  table.add("cp.async.commit_group", form);
  form.execute = waitAll;
  table.add("cp.async.wait_all", form);
  form.execute = waitGroup;
  form.operands = {{Kind::Immediate}};
  table.add("cp.async.wait_group", form);
}

} // namespace tdc::sim
