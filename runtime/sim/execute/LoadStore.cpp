//===- LoadStore.cpp - ld and st ------------------------------------------===//
//
// PTX ISA 9.7.9.8 "ld" to 9.7.9.11 "st". Registers may be wider than the
// element: a loaded element is extended, a stored one is truncated (9.4.1).
//
//===----------------------------------------------------------------------===//

#include "execute/Access.h"
#include "execute/Lanes.h"
#include "execute/Traffic.h"

namespace tdc::sim {

namespace {

/// Form::parameter: the space and the number of elements.
constexpr uint32_t describe(Space space, unsigned count) {
  return uint32_t(space) << 8 | count;
}
Space spaceOf(const Instruction &instruction) {
  return Space(instruction.parameter >> 8);
}

/// Calls `visit` with each lane and the place of its elements. A row of
/// contiguous elements is checked at once.
template <typename Visit>
[[gnu::always_inline]] inline void
forEachLane(Warp &warp, const Instruction &instruction,
            const uint64_t *addresses, unsigned bytes, Access kind,
            const Visit &visit) {
  Space space = spaceOf(instruction);
  countTraffic(warp, space, addresses, warp.active, bytes, kind);
  if (std::byte *row = accessRow(warp, space, addresses, bytes, kind)) {
    for (unsigned lane = 0; lane < kLanes; ++lane)
      visit(lane, row + lane * bytes);
    return;
  }
  // Neighbouring lanes often read the same place. Local memory is different for
  // each lane.
  bool canBeSame =
      kind == Access::Read && space != Space::Local && space != Space::Generic;
  std::byte *place = nullptr;
  for (uint32_t left = warp.active; left;) {
    unsigned lane = firstLane(left);
    left &= left - 1;
    bool isLast =
        !canBeSame || !left || addresses[firstLane(left)] != addresses[lane];
    if (!place)
      place = access(warp, instruction, lane, space, addresses[lane], bytes,
                     kind, /*areSeveral=*/!isLast);
    visit(lane, place);
    if (isLast)
      place = nullptr;
  }
}

template <typename Element, typename Register>
void load(Warp &warp, const Instruction &instruction) {
  unsigned count = instruction.parameter & 255;
  uint64_t addresses[kLanes];
  gatherAddresses(warp, instruction, count, 0, addresses);
  alignas(32) Register results[4][kLanes];
  forEachLane(warp, instruction, addresses, count * sizeof(Element),
              Access::Read, [&](unsigned lane, const std::byte *place) {
                for (unsigned i = 0; i < count; ++i) {
                  Element element;
                  memcpy(&element, place + i * sizeof(Element), sizeof element);
                  // Through Element: its signedness decides the extension.
                  // NOLINTNEXTLINE(bugprone-signed-char-misuse): a number
                  results[i][lane] = Register(element);
                }
              });
  for (unsigned i = 0; i < count; ++i)
    warp.set(instruction.operands[i], results[i]);
}

template <typename Element, typename Register>
void store(Warp &warp, const Instruction &instruction) {
  unsigned count = instruction.parameter & 255;
  uint64_t addresses[kLanes];
  gatherAddresses(warp, instruction, 0, 0, addresses);
  const Register *sources[4];
  for (unsigned i = 0; i < count; ++i)
    sources[i] = warp.at<Register>(instruction.operands[i + 1]);
  forEachLane(warp, instruction, addresses, count * sizeof(Element),
              Access::Write, [&](unsigned lane, std::byte *place) {
                for (unsigned i = 0; i < count; ++i) {
                  Element element = Element(sources[i][lane]);
                  memcpy(place + i * sizeof(Element), &element, sizeof element);
                }
              });
}

/// Selects the load by the width of the registers; an element type has several.
template <typename Element> struct Load {
  static void run(Warp &warp, const Instruction &instruction) {
    if constexpr (sizeof(Element) <= 2)
      if (instruction.resultBytes == 2)
        return load<Element, uint16_t>(warp, instruction);
    if constexpr (sizeof(Element) <= 4)
      if (instruction.resultBytes == 4)
        return load<Element, uint32_t>(warp, instruction);
    load<Element, uint64_t>(warp, instruction);
  }
};
template <typename Element> struct Store {
  static void run(Warp &warp, const Instruction &instruction) {
    if constexpr (sizeof(Element) <= 2)
      if (instruction.sourceBytes == 2)
        return store<Element, uint16_t>(warp, instruction);
    if constexpr (sizeof(Element) <= 4)
      if (instruction.sourceBytes == 4)
        return store<Element, uint32_t>(warp, instruction);
    store<Element, uint64_t>(warp, instruction);
  }
};

struct SpaceName {
  const char *name;
  Space space;
};
constexpr SpaceName kSpaces[] = {
    {"", Space::Generic},       {".global", Space::Global},
    {".shared", Space::Shared}, {".local", Space::Local},
    {".param", Space::Param},   {".const", Space::Const}};

template <typename Element>
void addElement(FormTable &table, const std::string &type) {
  using Kind = OperandForm::Kind;
  // The narrowest register that can hold the element.
  constexpr Width kWidth = sizeof(Element) <= 2   ? Width::Bits16
                           : sizeof(Element) == 4 ? Width::Bits32
                                                  : Width::Bits64;
  for (unsigned count : {1u, 2u, 4u}) {
    if (count * sizeof(Element) > 16)
      continue;
    std::string vector = count == 1 ? "" : ".v" + std::to_string(count);
    for (const SpaceName &space : kSpaces) {
      Form form;
      form.isAccess = space.space != Space::Param;
      form.parameter = describe(space.space, count);
      form.execute = Load<Element>::run;
      form.operands = {{Kind::AnyResult, kWidth, count}, {Kind::Address}};
      table.add({"ld", space.name, vector, type}, form);
      if (space.space == Space::Param || space.space == Space::Const)
        continue;
      form.execute = Store<Element>::run;
      form.operands = {{Kind::Address}, {Kind::AnySource, kWidth, count}};
      table.add({"st", space.name, vector, type}, form);
    }
  }
}

} // namespace

void addLoadStoreForms(FormTable &table) {
  addElement<uint8_t>(table, ".b8");
  addElement<uint8_t>(table, ".u8");
  addElement<int8_t>(table, ".s8");
  addElement<uint16_t>(table, ".b16");
  addElement<uint16_t>(table, ".u16");
  addElement<int16_t>(table, ".s16");
  addElement<uint32_t>(table, ".b32");
  addElement<uint32_t>(table, ".u32");
  addElement<int32_t>(table, ".s32");
  addElement<uint32_t>(table, ".f32");
  addElement<uint64_t>(table, ".b64");
  addElement<uint64_t>(table, ".u64");
  addElement<uint64_t>(table, ".s64");
  addElement<uint64_t>(table, ".f64");
}

} // namespace tdc::sim
