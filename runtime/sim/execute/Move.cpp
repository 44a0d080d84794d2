//===- Move.cpp - registers to registers ----------------------------------===//
//
// PTX ISA 9.7.9: mov, its packing and unpacking forms, cvta and isspacep.
//
//===----------------------------------------------------------------------===//

#include "execute/Access.h"
#include "execute/Lanes.h"
#include "ptx/Decoder.h"

namespace tdc::sim {

namespace {

template <typename T> T move(T a) { return a; }

void movePredicate(Warp &warp, const Instruction &instruction) {
  warp.setPredicate(instruction.operands[0],
                    warp.getPredicate(instruction.operands[1]));
}

/// mov.b32 r, {a, b}: packs the first part into the lowest bits.
template <typename Whole, typename Part>
void pack(Warp &warp, const Instruction &instruction) {
  constexpr unsigned kParts = sizeof(Whole) / sizeof(Part);
  Whole results[kLanes] = {};
  for (unsigned i = 0; i < kParts; ++i) {
    const Part *part = warp.at<Part>(instruction.operands[i + 1]);
    for (unsigned lane = 0; lane < kLanes; ++lane)
      results[lane] |= Whole(part[lane]) << (8 * sizeof(Part) * i);
  }
  warp.set(instruction.operands[0], results);
}

template <typename Whole, typename Part>
void unpack(Warp &warp, const Instruction &instruction) {
  constexpr unsigned kParts = sizeof(Whole) / sizeof(Part);
  // Copied first: the whole's register may be one of the parts.
  Whole whole[kLanes];
  memcpy(whole, warp.at<Whole>(instruction.operands[kParts]), sizeof whole);
  for (unsigned i = 0; i < kParts; ++i) {
    Part results[kLanes];
    for (unsigned lane = 0; lane < kLanes; ++lane)
      results[lane] = Part(whole[lane] >> (8 * sizeof(Part) * i));
    warp.set(instruction.operands[i], results);
  }
}

template <typename Whole, typename Part>
void addPacking(FormTable &table, const std::string &opcode) {
  using Kind = OperandForm::Kind;
  constexpr unsigned kParts = sizeof(Whole) / sizeof(Part);
  Form form;
  form.execute = pack<Whole, Part>;
  form.operands = {{Kind::Result, widthOf<Whole>()},
                   {Kind::Source, widthOf<Part>(), kParts}};
  table.add(opcode, form);
  form.execute = unpack<Whole, Part>;
  form.operands = {{Kind::Result, widthOf<Part>(), kParts},
                   {Kind::Source, widthOf<Whole>()}};
  table.add(opcode, form);
}

/// cvta.shared: converts an offset in the window to a generic address, or back.
template <uint64_t Window> uint64_t toGeneric(uint64_t a) { return a + Window; }
template <uint64_t Window> uint64_t fromGeneric(uint64_t a) {
  return a - Window;
}

template <uint64_t Window>
void addWindow(FormTable &table, const std::string &space) {
  table.add("cvta." + space + ".u64", lanewise<toGeneric<Window>>());
  table.add("cvta.to." + space + ".u64", lanewise<fromGeneric<Window>>());
}

template <Space S> bool isInSpace(uint64_t address) {
  return resolveGeneric(address).first == S;
}

} // namespace

void addMoveForms(FormTable &table) {
  for (const char *type : {".b16", ".u16", ".s16"})
    table.add(std::string("mov") + type, lanewise<move<uint16_t>>());
  for (const char *type : {".b32", ".u32", ".s32", ".f32"})
    table.add(std::string("mov") + type, lanewise<move<uint32_t>>());
  for (const char *type : {".b64", ".u64", ".s64", ".f64"})
    table.add(std::string("mov") + type, lanewise<move<uint64_t>>());
  addPacking<uint32_t, uint16_t>(table, "mov.b32");
  addPacking<uint64_t, uint32_t>(table, "mov.b64");
  addPacking<uint64_t, uint16_t>(table, "mov.b64");

  Form predicate;
  predicate.execute = movePredicate;
  predicate.operands = {{OperandForm::Kind::Result, Width::Predicate},
                        {OperandForm::Kind::Source, Width::Predicate}};
  table.add("mov.pred", predicate);

  addWindow<0>(table, "global");
  addWindow<0>(table, "const");
  addWindow<kSharedWindow>(table, "shared");
  addWindow<kLocalWindow>(table, "local");
  addWindow<kParamWindow>(table, "param");
  // Constants lie in global memory here, so both instructions report both
  // spaces.
  table.add("isspacep.global", lanewise<isInSpace<Space::Global>>());
  table.add("isspacep.shared", lanewise<isInSpace<Space::Shared>>());
  table.add("isspacep.local", lanewise<isInSpace<Space::Local>>());
  table.add("isspacep.param", lanewise<isInSpace<Space::Param>>());
}

} // namespace tdc::sim
