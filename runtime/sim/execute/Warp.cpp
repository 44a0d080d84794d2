//===- Warp.cpp - control flow of a warp ----------------------------------===//

#include "execute/Warp.h"
#include <algorithm>

namespace tdc::sim {

void faultAt(const Warp &warp, const Instruction &instruction, unsigned lane,
             CUresult code, const std::string &what) {
  const Block &block = warp.block;
  const Kernel &kernel = block.kernel();
  std::string where = "kernel '" + kernel.info.name + "', line " +
                      std::to_string(instruction.line) + " of its PTX";
  if (auto file = kernel.files.find(instruction.source.file);
      file != kernel.files.end() && instruction.source.line)
    where += " (" + file->second + ":" +
             std::to_string(instruction.source.line) + ")";

  auto triple = [](unsigned x, unsigned y, unsigned z) {
    return "(" + std::to_string(x) + "," + std::to_string(y) + "," +
           std::to_string(z) + ")";
  };
  const Dim3 &size = block.state.launch.block;
  unsigned thread = warp.index * kLanes + lane;
  fault(code, where + ": thread " +
                  triple(thread % size.x, thread / size.x % size.y,
                         thread / (size.x * size.y)) +
                  " of block " +
                  triple(block.position.x, block.position.y, block.position.z) +
                  " " + what);
}

void Warp::resume(const Group &group) {
  pc = group.pc;
  lanes = group.lanes;
}

/// Merges groups of lanes at the same place, and switches to the group with the
/// lowest pc. Called when either may be possible.
void Warp::regroup() {
  for (size_t i = 0; i < others.size();) {
    if (others[i].pc != pc) {
      ++i;
      continue;
    }
    lanes |= others[i].lanes;
    others[i] = others.back();
    others.pop_back();
  }
  auto lowest = others.end();
  for (auto other = others.begin(); other != others.end(); ++other)
    if (!other->waits && other->pc < pc &&
        (lowest == others.end() || other->pc < lowest->pc))
      lowest = other;
  if (lowest != others.end()) {
    Group next = *lowest;
    *lowest = {pc, lanes, false};
    resume(next);
  }
  attention = ~0u;
  for (const Group &other : others)
    attention = std::min(attention, other.pc);
}

/// Splits the lanes: `stay` of them continue at `stayPc`, and `go` at `goPc`.
void Warp::part(uint32_t stay, uint32_t stayPc, uint32_t go, uint32_t goPc) {
  pc = stayPc;
  lanes = stay;
  others.push_back({goPc, go, false});
  regroup();
}

uint32_t Warp::membersOf(const Instruction &instruction) const {
  switch (instruction.members) {
  case Members::Any:
    return 0;
  case Members::Operand: {
    Slot slot = instruction.operands[instruction.numOperands - 1];
    const auto *masks = reinterpret_cast<const uint32_t *>(registers + slot);
    uint32_t members = masks[firstLane(active)];
    for (unsigned lane = 0; lane < kLanes; ++lane)
      if (active >> lane & 1 && masks[lane] != members)
        faultAt(*this, instruction, lane, CUDA_ERROR_LAUNCH_FAILED,
                "has another member mask than the rest of its warp");
    return members;
  }
  case Members::Live:
    return live;
  case Members::All:
    return kFullWarp;
  }
  __builtin_unreachable();
}

/// Whether all lanes that must execute the instruction together are here; if
/// not, the present ones wait, and others run.
bool Warp::gather(const Instruction &instruction) {
  uint32_t members = membersOf(instruction);
  if ((members & active) == members) {
    uint32_t strangers = active & ~members;
    if (strangers)
      faultAt(*this, instruction, firstLane(strangers),
              CUDA_ERROR_LAUNCH_FAILED,
              "executes an instruction with a member mask that it is not in");
    return true;
  }
  uint32_t skipping = lanes & ~active;
  if (skipping)
    others.push_back({pc + 1, skipping, false});
  uint32_t missing = members & ~active;
  uint32_t here = active;
  others.push_back({pc, here, true});

  // The group with the lowest pc that can run.
  auto next = others.end();
  for (auto other = others.begin(); other != others.end(); ++other)
    if (!other->waits && (next == others.end() || other->pc < next->pc))
      next = other;
  if (next == others.end())
    faultAt(
        *this, instruction, firstLane(here), CUDA_ERROR_LAUNCH_FAILED,
        "waits for lane " + std::to_string(firstLane(missing)) +
            " of its warp to execute the same instruction, which " +
            (live >> firstLane(missing) & 1 ? "waits elsewhere" : "has ended"));
  Group group = *next;
  *next = others.back();
  others.pop_back();
  resume(group);
  regroup();
  return false;
}

/// The lanes end. Groups that wait for all live lanes may run now.
void Warp::end(uint32_t ending) {
  live &= ~ending;
  lanes &= ~ending;
  for (Group &other : others)
    other.waits = false;
}

/// Whether there are lanes to run, after some have ended.
bool Warp::goOn() {
  if (lanes)
    return true;
  if (others.empty())
    return false;
  Group next = others.back();
  others.pop_back();
  resume(next);
  regroup();
  return true;
}

/// Each lane jumps to the entry of a table that its operand selects.
void Warp::branchIndexed(const Instruction &instruction) {
  const auto &table = block.kernel().branchTables[instruction.target];
  const uint32_t *index = at<uint32_t>(instruction.operands[0]);
  if (uint32_t skipping = lanes & ~active)
    others.push_back({pc + 1, skipping, false});
  for (uint32_t left = active; left;) {
    unsigned lane = firstLane(left);
    if (index[lane] >= table.size())
      faultAt(*this, instruction, lane, CUDA_ERROR_LAUNCH_FAILED,
              "branches to entry " + std::to_string(index[lane]) +
                  " of a table of " + std::to_string(table.size()));
    uint32_t same = 0;
    for (unsigned other = lane; other < kLanes; ++other)
      if (left >> other & 1 && index[other] == index[lane])
        same |= 1u << other;
    left &= ~same;
    others.push_back({table[index[lane]], same, false});
  }
  lanes = 0;
  goOn();
}

Stop Warp::run(uint64_t budget, bool yields) {
  const Kernel &kernel = block.kernel();
  const Instruction *code = kernel.code.data();
  Work &work = block.state.work;
  std::mt19937_64 &random = block.state.surroundings.random;
  for (; budget; --budget) {
    if (pc >= attention)
      regroup();
    const Instruction &instruction = code[pc];
    active = lanes;
    if (instruction.guard != kNoSlot)
      active &= getPredicate(instruction.guard);
    ++executed;
    if (active && instruction.members != Members::Any && !gather(instruction))
      continue;
    work.instructions += countLanes(lanes);
    if (!active) {
      ++pc;
      continue;
    }
    uint64_t operations = uint64_t(instruction.operations) * countLanes(active);
    work.operations += operations;
    if (instruction.isMatrix)
      work.matrixOperations += operations;

    switch (instruction.control) {
    case Control::None:
      instruction.execute(*this, instruction);
      ++pc;
      if (instruction.isAccess && yields && random() % 4 == 0)
        return Stop::Budget;
      break;
    case Control::Branch:
      if (active == lanes)
        pc = instruction.target;
      else
        part(lanes & ~active, pc + 1, active, instruction.target);
      break;
    case Control::IndexedBranch:
      branchIndexed(instruction);
      break;
    case Control::Exit:
      end(active);
      ++pc;
      if (!goOn()) {
        hasEnded = true;
        return Stop::End;
      }
      break;
    case Control::Barrier:
      instruction.execute(*this, instruction);
      ++pc;
      if (barrier)
        return Stop::Barrier;
      break;
    case Control::Trap:
      faultAt(*this, instruction, firstLane(active), CUDA_ERROR_LAUNCH_FAILED,
              "executes a trap");
    }
  }
  return Stop::Budget;
}

} // namespace tdc::sim
