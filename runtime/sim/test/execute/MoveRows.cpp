//===- MoveRows.cpp - references of moves ---------------------------------===//

#include "OpcodeRows.h"
#include "ptx/Decoder.h"

namespace tdc::sim {

namespace {

template <typename T>
void addMoves(OpcodeRows &rows, std::initializer_list<const char *> types) {
  for (const std::string type : types)
    rows.push_back(row("mov" + type, +[](T a) { return a; }));
}

/// Converts an offset in the window of a space to a generic address and back.
void addWindow(OpcodeRows &rows, const std::string &space, uint64_t window) {
  const std::string there = "cvta." + space + ".u64",
                    back = "cvta.to." + space + ".u64";
  auto add = [&](const std::string &opcode, uint64_t distance) {
    LaneCheck check{
        opcode + " OUT, A;",
        ValueKind::Int64,
        {ValueKind::Int64},
        [distance](const uint64_t *bits) { return bits[0] + distance; }};
    rows.push_back({opcode, [check] { check.run(); }});
  };
  add(there, window);
  add(back, -window);
}

void addSpaceTest(OpcodeRows &rows, const std::string &space, uint64_t window) {
  const std::string opcode = "isspacep." + space;
  // For an offset in that window, and for one in the next window.
  for (uint64_t other : {uint64_t(0), uint64_t(1) << 56}) {
    LaneCheck check{"cvt.u64.u32 T64, A; add.u64 T64, T64, " +
                        std::to_string(window + other) + "; " + opcode +
                        " OUT, T64;",
                    ValueKind::Predicate,
                    {ValueKind::Int32},
                    [other](const uint64_t *) -> uint64_t { return !other; }};
    for (size_t at; (at = check.code.find("T64")) != std::string::npos;)
      check.code.replace(at, 3, "%d25");
    rows.push_back({opcode, [check] { check.run(); }});
  }
}

} // namespace

OpcodeRows moveRows() {
  OpcodeRows rows;
  addMoves<uint16_t>(rows, {".b16", ".u16", ".s16"});
  addMoves<uint32_t>(rows, {".b32", ".u32", ".s32", ".f32"});
  addMoves<uint64_t>(rows, {".b64", ".u64", ".s64", ".f64"});
  rows.push_back(row("mov.pred", +[](bool a) { return a; }));
  rows.push_back(row(
      "mov.b32", +[](uint16_t a, uint16_t b) { return uint32_t(b) << 16 | a; },
      {}, "mov.b32 OUT, {A, B};"));
  rows.push_back(row(
      "mov.b64", +[](uint32_t a, uint32_t b) { return uint64_t(b) << 32 | a; },
      {}, "mov.b64 OUT, {A, B};"));
  rows.push_back(row(
      "mov.b64",
      +[](uint16_t a, uint16_t b, uint16_t c, uint16_t d) {
        return uint64_t(d) << 48 | uint64_t(c) << 32 | uint64_t(b) << 16 | a;
      },
      {}, "mov.b64 OUT, {A, B, C, D};"));
  rows.push_back(row(
      "mov.b32", +[](uint32_t a) { return uint16_t(a >> 16); }, {},
      "mov.b32 {T, OUT}, A;"));
  rows.push_back(row(
      "mov.b32", +[](uint32_t a) { return uint16_t(a); }, {},
      "mov.b32 {OUT, _}, A;"));
  rows.push_back(row(
      "mov.b64", +[](uint64_t a) { return uint32_t(a >> 32); }, {},
      "mov.b64 {T, OUT}, A;"));
  rows.push_back(row(
      "mov.b64", +[](uint64_t a) { return uint16_t(a >> 32); }, {},
      "mov.b64 {T, U, OUT, _}, A;"));

  addWindow(rows, "global", 0);
  addWindow(rows, "const", 0);
  addWindow(rows, "shared", kSharedWindow);
  addWindow(rows, "local", kLocalWindow);
  addWindow(rows, "param", kParamWindow);
  addSpaceTest(rows, "shared", kSharedWindow);
  addSpaceTest(rows, "local", kLocalWindow);
  addSpaceTest(rows, "param", kParamWindow);
  rows.push_back(row(
      "isspacep.global", +[](uint32_t) { return true; }, {},
      "mul.wide.u32 %d25, A, 16; isspacep.global OUT, %d25;"));
  return rows;
}

} // namespace tdc::sim
