//===- OpTable.cpp - properties of every compute op, without MLIR ---------===//

#include "Dialect/TD/OpTable/OpTable.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"

namespace tdc {

namespace {
#define GET_OpTable_IMPL
#include "Dialect/TD/IR/OpTable.inc"

constexpr bool isInOrder() {
  for (size_t i = 0; i < std::size(OpTable); ++i)
    if (OpTable[i].kind != OpKind(i))
      return false;
  return true;
}
static_assert(isInOrder());
} // namespace

llvm::ArrayRef<OpInfo> getOpTable() { return OpTable; }

const OpInfo &getOpInfo(OpKind kind) { return OpTable[unsigned(kind)]; }

llvm::StringRef spelling(OpFamily family) {
  constexpr llvm::StringRef names[] = {
      "unary",    "binary", "compare",   "select",      "cast", "constructor",
      "movement", "update", "reduction", "contraction", "scan", "softmax"};
  static_assert(std::size(names) == unsigned(OpFamily::Softmax) + 1);
  return names[unsigned(family)];
}

llvm::StringRef spelling(Tolerance tolerance) {
  constexpr llvm::StringRef names[] = {"exact", "rounded", "transcendental",
                                       "accumulating"};
  static_assert(std::size(names) == unsigned(Tolerance::Accumulating) + 1);
  return names[unsigned(tolerance)];
}

void printOpTable(llvm::raw_ostream &os) {
  llvm::json::OStream json(os, /*IndentSize=*/1);
  json.array([&] {
    for (const OpInfo &info : OpTable)
      json.object([&] {
        json.attribute("name", info.name);
        json.attribute("mnemonic", info.mnemonic);
        json.attribute("family", spelling(info.family));
        json.attribute("operands", info.operands);
        json.attributeArray("dtypes", [&] {
          for (unsigned i = 0; i < kNumDTypes; ++i)
            if (info.accepts(DType(i)))
              json.value(spelling(DType(i)));
        });
        json.attribute("gradient", info.hasGradient);
        json.attribute("tolerance", spelling(info.tolerance));
      });
  });
  os << '\n';
}

} // namespace tdc
