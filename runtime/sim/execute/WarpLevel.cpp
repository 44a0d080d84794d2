//===- WarpLevel.cpp - exchange between the lanes of a warp ---------------===//
//
// PTX ISA 9.7.9.6 "shfl.sync", 9.7.13.9 "vote.sync", 9.7.13.10 "match.sync",
// 9.7.13.11 "activemask" and 9.7.13.12 "redux.sync".
//
//===----------------------------------------------------------------------===//

#include "execute/Lanes.h"
#include <algorithm>
#include <functional>

namespace tdc::sim {

namespace {

/// Calls `visit` with each lane of a mask.
template <typename Visit> void forEach(uint32_t mask, const Visit &visit) {
  for (; mask; mask &= mask - 1)
    visit(firstLane(mask));
}

//===----------------------------------------------------------------------===//
// shfl
//===----------------------------------------------------------------------===//

enum class Shuffle : uint8_t { Up, Down, Butterfly, Index };

/// shfl d[|p], a, b, c, members. Bits 0-4 of c limit the source lane, bits 8-12
/// are the mask that cuts the warp into segments.
template <Shuffle S> void shuffle(Warp &warp, const Instruction &instruction) {
  bool hasPredicate = instruction.parameter;
  const Slot *sources = instruction.operands + (hasPredicate ? 2 : 1);
  const uint32_t *values = warp.at<uint32_t>(sources[0]);
  const uint32_t *distances = warp.at<uint32_t>(sources[1]);
  const uint32_t *controls = warp.at<uint32_t>(sources[2]);
  uint32_t results[kLanes];
  uint32_t inRange = 0;
  forEach(warp.active, [&](unsigned lane) {
    unsigned distance = distances[lane] & 31, clamp = controls[lane] & 31;
    unsigned segment = controls[lane] >> 8 & 31;
    unsigned last = (lane & segment) | (clamp & ~segment);
    unsigned first = lane & segment;
    int from = 0;
    bool isInRange = false;
    switch (S) {
    case Shuffle::Up:
      from = int(lane) - int(distance);
      isInRange = from >= int(last);
      break;
    case Shuffle::Down:
      from = int(lane + distance);
      isInRange = from <= int(last);
      break;
    case Shuffle::Butterfly:
      from = int(lane ^ distance);
      isInRange = from <= int(last);
      break;
    case Shuffle::Index:
      from = int(first | (distance & ~segment));
      isInRange = from <= int(last);
      break;
    }
    if (!isInRange)
      from = int(lane);
    if (!(warp.active >> from & 1))
      faultAt(warp, instruction, lane, CUDA_ERROR_LAUNCH_FAILED,
              "reads from lane " + std::to_string(from) +
                  ", which does not take part");
    results[lane] = values[from];
    inRange |= uint32_t(isInRange) << lane;
  });
  warp.set(instruction.operands[0], results);
  if (hasPredicate)
    warp.setPredicate(instruction.operands[1], inRange);
}

//===----------------------------------------------------------------------===//
// vote and match
//===----------------------------------------------------------------------===//

enum class Vote : uint8_t { All, Any, Uniform, Ballot };

template <Vote V> void vote(Warp &warp, const Instruction &instruction) {
  uint32_t holds = warp.getPredicate(instruction.operands[1]) & warp.active;
  Slot result = instruction.operands[0];
  switch (V) {
  case Vote::All:
    return warp.setPredicate(result, holds == warp.active ? ~0u : 0);
  case Vote::Any:
    return warp.setPredicate(result, holds ? ~0u : 0);
  case Vote::Uniform:
    return warp.setPredicate(result, !holds || holds == warp.active ? ~0u : 0);
  case Vote::Ballot: {
    uint32_t results[kLanes];
    std::fill_n(results, kLanes, holds);
    return warp.set(result, results);
  }
  }
}

/// For each lane the mask of lanes with the same value.
template <typename T>
void findEqual(Warp &warp, const T *values, uint32_t (&equal)[kLanes]) {
  forEach(warp.active, [&](unsigned lane) {
    equal[lane] = 0;
    forEach(warp.active, [&](unsigned other) {
      equal[lane] |= uint32_t(values[other] == values[lane]) << other;
    });
  });
}
template <typename T>
void matchAny(Warp &warp, const Instruction &instruction) {
  uint32_t equal[kLanes];
  findEqual(warp, warp.at<T>(instruction.operands[1]), equal);
  warp.set(instruction.operands[0], equal);
}
/// match.all d|p: the mask if all are equal, else 0.
template <typename T>
void matchAll(Warp &warp, const Instruction &instruction) {
  bool hasPredicate = instruction.parameter;
  uint32_t equal[kLanes];
  findEqual(warp, warp.at<T>(instruction.operands[hasPredicate ? 2 : 1]),
            equal);
  bool isEqual = equal[firstLane(warp.active)] == warp.active;
  std::fill_n(equal, kLanes, isEqual ? warp.active : 0);
  warp.set(instruction.operands[0], equal);
  if (hasPredicate)
    warp.setPredicate(instruction.operands[1], isEqual ? ~0u : 0);
}

void activeMask(Warp &warp, const Instruction &instruction) {
  uint32_t results[kLanes];
  std::fill_n(results, kLanes, warp.active);
  warp.set(instruction.operands[0], results);
}

//===----------------------------------------------------------------------===//
// redux
//===----------------------------------------------------------------------===//

template <typename T> struct Minimum {
  T operator()(T a, T b) const { return std::min(a, b); }
};
template <typename T> struct Maximum {
  T operator()(T a, T b) const { return std::max(a, b); }
};

template <typename T, typename Combine>
void reduce(Warp &warp, const Instruction &instruction) {
  const T *values = warp.at<T>(instruction.operands[1]);
  unsigned first = firstLane(warp.active);
  T result = values[first];
  forEach(warp.active & (warp.active - 1),
          [&](unsigned lane) { result = Combine()(result, values[lane]); });
  T results[kLanes];
  std::fill_n(results, kLanes, result);
  warp.set(instruction.operands[0], results);
}

} // namespace

void addWarpForms(FormTable &table) {
  using Kind = OperandForm::Kind;
  const OperandForm word{Kind::Result, Width::Bits32};
  const OperandForm truth{Kind::Result, Width::Predicate};
  const OperandForm source{Kind::Source, Width::Bits32};
  const OperandForm source64{Kind::Source, Width::Bits64};
  const OperandForm condition{Kind::Source, Width::Predicate};
  auto add = [&](const std::string &opcode, Handler handler,
                 std::vector<OperandForm> operands, uint32_t parameter = 0) {
    Form form;
    form.execute = handler;
    form.operands = std::move(operands);
    form.members = Members::Operand;
    form.parameter = parameter;
    table.add(opcode, form);
  };

  const std::pair<const char *, Handler> shuffles[] = {
      {"shfl.sync.up.b32", shuffle<Shuffle::Up>},
      {"shfl.sync.down.b32", shuffle<Shuffle::Down>},
      {"shfl.sync.bfly.b32", shuffle<Shuffle::Butterfly>},
      {"shfl.sync.idx.b32", shuffle<Shuffle::Index>}};
  for (auto [opcode, handler] : shuffles) {
    add(opcode, handler, {word, source, source, source, source}, false);
    add(opcode, handler, {word, truth, source, source, source, source}, true);
  }

  add("vote.sync.all.pred", vote<Vote::All>, {truth, condition, source});
  add("vote.sync.any.pred", vote<Vote::Any>, {truth, condition, source});
  add("vote.sync.uni.pred", vote<Vote::Uniform>, {truth, condition, source});
  add("vote.sync.ballot.b32", vote<Vote::Ballot>, {word, condition, source});
  add("match.any.sync.b32", matchAny<uint32_t>, {word, source, source});
  add("match.any.sync.b64", matchAny<uint64_t>, {word, source64, source});
  for (bool hasPredicate : {false, true}) {
    std::vector<OperandForm> narrow = {word, source, source};
    std::vector<OperandForm> wide = {word, source64, source};
    if (hasPredicate) {
      narrow.insert(narrow.begin() + 1, truth);
      wide.insert(wide.begin() + 1, truth);
    }
    add("match.all.sync.b32", matchAll<uint32_t>, narrow, hasPredicate);
    add("match.all.sync.b64", matchAll<uint64_t>, wide, hasPredicate);
  }

  const std::pair<const char *, Handler> reductions[] = {
      {"redux.sync.add.u32", reduce<uint32_t, std::plus<uint32_t>>},
      // The same bits as the unsigned sum, where overflow is defined.
      {"redux.sync.add.s32", reduce<uint32_t, std::plus<uint32_t>>},
      {"redux.sync.min.u32", reduce<uint32_t, Minimum<uint32_t>>},
      {"redux.sync.min.s32", reduce<int32_t, Minimum<int32_t>>},
      {"redux.sync.max.u32", reduce<uint32_t, Maximum<uint32_t>>},
      {"redux.sync.max.s32", reduce<int32_t, Maximum<int32_t>>},
      {"redux.sync.and.b32", reduce<uint32_t, std::bit_and<uint32_t>>},
      {"redux.sync.or.b32", reduce<uint32_t, std::bit_or<uint32_t>>},
      {"redux.sync.xor.b32", reduce<uint32_t, std::bit_xor<uint32_t>>}};
  for (auto [opcode, handler] : reductions)
    add(opcode, handler, {word, source, source});

  Form mask;
  mask.execute = activeMask;
  mask.operands = {word};
  table.add("activemask.b32", mask);
}

} // namespace tdc::sim
