//===- Control.cpp - branches, ends, barriers and fences ------------------===//
//
// PTX ISA 9.7.12 "Control Flow Instructions" and 9.7.13 "Parallel
// Synchronization and Communication Instructions".
//
//===----------------------------------------------------------------------===//

#include "execute/Warp.h"
#include "ptx/Forms.h"

namespace tdc::sim {

namespace {

void doNothing(Warp &, const Instruction &) {}

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

enum class Arrival : uint8_t { Sync, Arrive, CountTrue, AllTrue, AnyTrue };

bool isReduction(Arrival arrival) { return arrival >= Arrival::CountTrue; }

/// Form::parameter of a barrier.
constexpr uint32_t describe(Arrival arrival, bool hasCount) {
  return uint32_t(arrival) << 1 | uint32_t(hasCount);
}
Arrival arrivalOf(const Instruction &instruction) {
  return Arrival(instruction.parameter >> 1);
}

/// The value of an operand that must be the same for the whole warp.
uint32_t uniform(Warp &warp, const Instruction &instruction, unsigned index,
                 const char *what) {
  const uint32_t *values = warp.at<uint32_t>(instruction.operands[index]);
  uint32_t value = values[firstLane(warp.active)];
  for (unsigned lane = 0; lane < kLanes; ++lane)
    if (warp.active >> lane & 1 && values[lane] != value)
      faultAt(warp, instruction, lane, CUDA_ERROR_LAUNCH_FAILED,
              std::string("has another ") + what + " than its warp");
  return value;
}

void writeReduction(Warp &warp, const BarrierState &barrier) {
  Slot result = warp.barrier->operands[0];
  switch (arrivalOf(*warp.barrier)) {
  case Arrival::CountTrue: {
    uint32_t counts[kLanes];
    std::fill_n(counts, kLanes, barrier.count);
    return warp.set(result, counts);
  }
  case Arrival::AllTrue:
    return warp.setPredicate(result, barrier.all ? ~0u : 0);
  case Arrival::AnyTrue:
    return warp.setPredicate(result, barrier.any ? ~0u : 0);
  case Arrival::Sync:
  case Arrival::Arrive:
    return;
  }
}

/// All expected warps have arrived: the waiting ones continue.
void complete(Block &block, BarrierState &barrier) {
  uint32_t segment = block.state.nextSegment(&block);
  bool hasAcquired = false, hasFence = false;
  for (const Warp &warp : block.warps)
    if (barrier.arrived >> warp.index & 1) {
      hasAcquired |= warp.hasAcquired;
      hasFence |= warp.hasFence;
    }
  for (Warp &warp : block.warps) {
    if (!(barrier.waiting >> warp.index & 1))
      continue;
    writeReduction(warp, barrier);
    warp.barrier = nullptr;
    warp.hasAcquired = hasAcquired;
    warp.hasFence = hasFence;
    block.ordering.enter(warp.index, segment);
    block.ordering.pass(warp.index, barrier.clock);
  }
  barrier = {};
}

void arrive(Warp &warp, const Instruction &instruction) {
  Block &block = warp.block;
  auto refuse = [&](const std::string &what) {
    faultAt(warp, instruction, firstLane(warp.active), CUDA_ERROR_LAUNCH_FAILED,
            what);
  };
  Arrival arrival = arrivalOf(instruction);
  unsigned next = isReduction(arrival) ? 1 : 0;
  uint32_t id = uniform(warp, instruction, next++, "barrier");
  if (id >= block.barriers.size())
    refuse("uses barrier " + std::to_string(id) + " of 16");
  unsigned expected = block.numWarps;
  if (instruction.parameter & 1) {
    uint32_t threads = uniform(warp, instruction, next++, "count of threads");
    if (!threads || threads % kLanes || threads / kLanes > block.numWarps)
      refuse("waits for " + std::to_string(threads) +
             " threads: expected a multiple of 32 up to those of the block");
    expected = threads / kLanes;
  }

  BarrierState &barrier = block.barriers[id];
  if (barrier.expected && barrier.expected != expected)
    refuse("waits at barrier " + std::to_string(id) + " for " +
           std::to_string(expected * kLanes) + " threads, others for " +
           std::to_string(barrier.expected * kLanes));
  if (barrier.arrived >> warp.index & 1)
    refuse("arrives twice at barrier " + std::to_string(id));
  barrier.expected = expected;
  barrier.arrived |= 1u << warp.index;
  if (isReduction(arrival)) {
    uint32_t holds =
        warp.getPredicate(instruction.operands[next]) & warp.active;
    barrier.count += countLanes(holds);
    barrier.all &= holds == warp.active;
    barrier.any |= holds != 0;
  }
  block.ordering.arrive(warp.index, barrier.clock);
  if (arrival == Arrival::Arrive) {
    // Later accesses of the warp are not before the barrier.
    block.ordering.enter(warp.index, block.state.nextSegment(&block));
  } else {
    barrier.waiting |= 1u << warp.index;
    warp.barrier = &instruction;
  }
  if (countLanes(barrier.arrived) == expected)
    complete(block, barrier);
}

/// bar.warp.sync: the warp enters a new segment.
void synchroniseWarp(Warp &warp, const Instruction &) {
  Block &block = warp.block;
  block.ordering.enter(warp.index, block.state.nextSegment(&block));
}

void addBarriers(FormTable &table) {
  using Kind = OperandForm::Kind;
  const OperandForm number{Kind::Source, Width::Bits32};
  const OperandForm condition{Kind::Source, Width::Predicate};
  auto add = [&](std::initializer_list<std::string_view> parts, Arrival arrival,
                 bool hasCount, std::vector<OperandForm> operands) {
    Form form;
    form.execute = arrive;
    form.operands = std::move(operands);
    form.control = Control::Barrier;
    form.members = Members::Live;
    form.parameter = describe(arrival, hasCount);
    table.add(parts, form);
  };
  for (const std::string_view base :
       {"bar", "bar.cta", "barrier", "barrier.cta"}) {
    bool canBeUnaligned = base.rfind("barrier", 0) == 0;
    for (const std::string_view aligned : {"", ".aligned"}) {
      if (!aligned.empty() && !canBeUnaligned)
        continue;
      add({base, ".sync", aligned}, Arrival::Sync, false, {number});
      add({base, ".sync", aligned}, Arrival::Sync, true, {number, number});
      add({base, ".arrive", aligned}, Arrival::Arrive, true, {number, number});
      struct {
        const char *name, *type;
        Arrival arrival;
        OperandForm result;
      } reductions[] = {
          {".popc", ".u32", Arrival::CountTrue, {Kind::Result, Width::Bits32}},
          {".and", ".pred", Arrival::AllTrue, {Kind::Result, Width::Predicate}},
          {".or", ".pred", Arrival::AnyTrue, {Kind::Result, Width::Predicate}}};
      for (const auto &[name, type, arrival, result] : reductions) {
        add({base, ".red", name, aligned, type}, arrival, false,
            {result, number, condition});
        add({base, ".red", name, aligned, type}, arrival, true,
            {result, number, number, condition});
      }
    }
  }
}

//===----------------------------------------------------------------------===//
// Fences
//===----------------------------------------------------------------------===//

/// Memory is in order here without fences. The fence is only noted, as blocks
/// may communicate only through fences.
void fence(Warp &warp, const Instruction &) {
  warp.hasFence = true;
  warp.hasAcquired |= warp.hasAtomic;
}

void addFences(FormTable &table) {
  Form orders, ordersBlock;
  orders.execute = fence;
  ordersBlock.execute = doNothing;
  for (const char *opcode : {"membar.gl", "membar.sys"})
    table.add(opcode, orders);
  table.add("membar.cta", ordersBlock);
  for (const char *kind : {"fence", "fence.sc", "fence.acq_rel"}) {
    for (const char *scope : {".gpu", ".sys"})
      table.add(std::string(kind) + scope, orders);
    table.add(std::string(kind) + ".cta", ordersBlock);
  }
}

} // namespace

void addControlForms(FormTable &table) {
  using Kind = OperandForm::Kind;
  Form branch;
  branch.execute = doNothing;
  branch.control = Control::Branch;
  branch.operands = {{Kind::Label}};
  table.add("bra", branch);
  table.add("bra.uni", branch);

  Form indexed = branch;
  indexed.control = Control::IndexedBranch;
  indexed.operands = {{Kind::Source, Width::Bits32}, {Kind::BranchTable}};
  table.add("brx.idx", indexed);
  table.add("brx.idx.uni", indexed);

  Form exit;
  exit.execute = doNothing;
  exit.control = Control::Exit;
  for (const char *opcode : {"ret", "ret.uni", "exit"})
    table.add(opcode, exit);
  Form trap;
  trap.execute = doNothing;
  trap.control = Control::Trap;
  table.add("trap", trap);

  Form synchronise;
  synchronise.execute = synchroniseWarp;
  synchronise.members = Members::Operand;
  synchronise.operands = {{Kind::Source, Width::Bits32}};
  table.add("bar.warp.sync", synchronise);

  addBarriers(table);
  addFences(table);
}

} // namespace tdc::sim
