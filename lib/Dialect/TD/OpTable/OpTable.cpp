//===- OpTable.cpp - the rows of Ops.def as data --------------------------===//

#include "Dialect/TD/OpTable/OpTable.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"

namespace tdc {

namespace {
/// The words of the column GRADIENT.
enum HasGradient : bool { None = false, Gradient = true };

constexpr OpInfo kOps[] = {
#define TD_OP(NAME, MNEMONIC, SPELLING, FAMILY, OPERANDS, DTYPES, GRADIENT,    \
              TOLERANCE, COST, DEVICES)                                        \
  {OpKind::NAME,                                                               \
   #NAME,                                                                      \
   MNEMONIC,                                                                   \
   SPELLING,                                                                   \
   OpFamily::FAMILY,                                                           \
   OPERANDS,                                                                   \
   DTYPES,                                                                     \
   GRADIENT,                                                                   \
   Tolerance::TOLERANCE,                                                       \
   OpCost::COST,                                                               \
   Portability::DEVICES},
#include "Dialect/TD/OpTable/Ops.def"
};
} // namespace

llvm::ArrayRef<OpInfo> getOpTable() { return kOps; }

const OpInfo &getOpInfo(OpKind kind) { return kOps[unsigned(kind)]; }

const OpInfo *lookupOp(llvm::StringRef mnemonic) {
  const OpInfo *row = llvm::find_if(
      kOps, [&](const OpInfo &info) { return info.mnemonic == mnemonic; });
  return row == std::end(kOps) ? nullptr : row;
}

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
    for (const OpInfo &info : kOps)
      json.object([&] {
        json.attribute("name", info.name);
        json.attribute("mnemonic", info.mnemonic);
        json.attribute("family", spelling(info.family));
        json.attribute("operands", info.operands);
        json.attributeArray("dtypes", [&] {
          for (unsigned i = 0; i <= unsigned(DType::Bool); ++i)
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
