//===- MatrixProduct.cpp - nests that are one matrix product --------------===//

#include "Dialect/TD/Analysis/MatrixProduct.h"

using namespace mlir;

namespace tdc::td {

/// Products with fewer rows, columns or terms have no use for tiles.
constexpr int64_t kFewestElements = 32, kFewestTerms = 16;

/// The narrow floats that a factor of f32 is the widening of, if it is.
static Access findNarrow(const LoopNest &nest, const Access &factor) {
  Access moved = nest.getMoved(factor.tensor, *factor.at);
  auto cast = moved.tensor.getDefiningOp<CastOp>();
  if (!cast || !nest.isInside(cast) ||
      !getElementTypeOrSelf(cast.getType()).isF32() ||
      !isNarrowFloat(getElementTypeOrSelf(cast.getInput().getType())))
    return {};
  return {cast.getInput(), &nest.operandAt(cast, 0, *moved.at)};
}

std::optional<MatrixProduct> MatrixProduct::getTiled(const LoopNest &nest) {
  if (nest.getReductions().size() != 1)
    return std::nullopt;
  const Reduction &reduction = nest.getReductions().front();
  if (!isa<MatmulOp>(reduction.op) || reduction.loops.size() != 1)
    return std::nullopt;
  const Coordinate &row = reduction.at->end()[-2];
  const Coordinate &column = reduction.at->end()[-1];
  if (!row.isLoop() || !column.isLoop() || row.loop == column.loop)
    return std::nullopt;
  LoopSet around = 0;
  for (const Coordinate &coordinate : ArrayRef(*reduction.at).drop_back(2))
    if (coordinate.loop >= 0)
      around |= LoopSet(1) << coordinate.loop;
  LoopSet own = LoopSet(1) << row.loop | LoopSet(1) << column.loop;
  if (around & own || (around | own) != nest.getRootLoops())
    return std::nullopt;
  for (const Access &root : nest.getRoots())
    if (td::getLoops(*root.at) != nest.getRootLoops())
      return std::nullopt;
  MatrixProduct product;
  product.reduction = &reduction;
  product.rows = row.loop;
  product.columns = column.loop;
  product.terms = reduction.loops.front();
  for (unsigned loop = 0; loop < nest.getLoops().size(); ++loop)
    if (around >> loop & 1)
      product.batch.push_back(loop);
  if (nest.estimateExtent(product.rows) < kFewestElements ||
      nest.estimateExtent(product.columns) < kFewestElements ||
      nest.estimateExtent(product.terms) < kFewestTerms)
    return std::nullopt;
  auto getFactor = [&](unsigned index) -> Access {
    return {reduction.op->getOperand(index),
            &nest.operandAt(reduction.op, index, *reduction.at)};
  };
  product.left = getFactor(0);
  product.right = getFactor(1);
  Access left = findNarrow(nest, product.left),
         right = findNarrow(nest, product.right);
  if (left.tensor && right.tensor &&
      getElementTypeOrSelf(left.tensor.getType()) ==
          getElementTypeOrSelf(right.tensor.getType())) {
    product.left = left;
    product.right = right;
  }
  return product;
}

} // namespace tdc::td
