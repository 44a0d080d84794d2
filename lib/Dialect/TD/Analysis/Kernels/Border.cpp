//===- Border.cpp - tensors within a border -------------------------------===//

#include "Dialect/TD/Analysis/Kernels/Border.h"
#include "Dialect/TD/Analysis/Sizes.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace tdc::td {

/// The distance of the positions along dim `dim` of the result from those of
/// the part; nullopt if it is not the same everywhere, or not known.
static std::optional<int64_t> getLow(UpdateOp update, const UpdatePart &part,
                                     unsigned dim) {
  MLIRContext *context = update->getContext();
  SmallVector<AffineExpr> symbols;
  for (auto [i, symbol] : llvm::enumerate(part.position.symbols)) {
    std::optional<int64_t> known;
    if (symbol.kind == AccessSymbol::Scalar)
      known = getConstantIntValue(update->getOperand(symbol.operand));
    symbols.push_back(known ? getAffineConstantExpr(*known, context)
                            : getAffineSymbolExpr(i, context));
  }
  AffineExpr position =
      part.position.map.getResult(dim).replaceSymbols(symbols);
  auto low = dyn_cast<AffineConstantExpr>(simplifyAffineExpr(
      position - getAffineDimExpr(dim, context), part.position.map.getNumDims(),
      part.position.map.getNumSymbols()));
  return low ? std::optional(low.getValue()) : std::nullopt;
}

std::optional<Border> Border::find(UpdateOp update) {
  SmallVector<UpdatePart> parts = update.getParts();
  Value base = update.getBase();
  auto made = base ? base.getDefiningOp<ComputeOp>() : ComputeOp();
  if (!made || !made.getElement() || parts.size() != 1 || parts[0].combine)
    return std::nullopt;
  Border border = {base, update->getOperand(parts[0].operand), {}};
  auto whole = cast<RankedTensorType>(base.getType()),
       own = cast<RankedTensorType>(border.inner.getType());
  if (own.getRank() != whole.getRank())
    return std::nullopt;
  for (unsigned dim = 0; dim < whole.getRank(); ++dim) {
    std::optional<int64_t> low = getLow(update, parts[0], dim);
    if (!low)
      return std::nullopt;
    if (*low == 0 && haveEqualSize({base, dim}, {border.inner, dim}))
      continue;
    if (whole.isDynamicDim(dim) || own.isDynamicDim(dim))
      return std::nullopt;
    int64_t end = *low + own.getDimSize(dim);
    if (*low > 0)
      border.sides.push_back({dim, 0, *low});
    if (int64_t rest = whole.getDimSize(dim) - end; rest > 0)
      border.sides.push_back({dim, end, rest});
  }
  return border;
}

} // namespace tdc::td
