//===- MatrixProduct.cpp - nests that are one matrix product --------------===//

#include "Dialect/TD/Analysis/MatrixProduct.h"

using namespace mlir;

namespace tdc::td {

/// Products with fewer rows, columns or terms have no use for tiles.
constexpr int64_t kFewestElements = 32, kFewestTerms = 16;

/// The narrow floats that a factor of f32 is the widening of, if it is.
static Access findNarrow(const LoopNest &nest, const Access &factor) {
  Access moved = nest.getMoved(factor.tensor, *factor.at);
  Value narrow = getWidened(moved.tensor);
  if (!narrow || !nest.isInside(moved.tensor.getDefiningOp()) ||
      !getElementTypeOrSelf(moved.tensor.getType()).isF32())
    return {};
  return {narrow, &nest.operandAt(moved.tensor.getDefiningOp(), 0, *moved.at)};
}

std::optional<MatrixProduct> MatrixProduct::getTiled(const LoopNest &nest) {
  if (nest.getReductions().size() != 1)
    return std::nullopt;
  const Reduction &reduction = nest.getReductions().front();
  if (!reduction.isContraction() || reduction.loops.size() != 1)
    return std::nullopt;
  int row = getLoop(reduction.at->end()[-2]),
      column = getLoop(reduction.at->end()[-1]);
  if (row < 0 || column < 0 || row == column)
    return std::nullopt;
  LoopSet around = 0;
  for (Coordinate coordinate : ArrayRef(*reduction.at).drop_back(2))
    around |= td::getLoops(coordinate);
  LoopSet own = LoopSet(1) << row | LoopSet(1) << column;
  if (around & own || (around | own) != nest.getRootLoops())
    return std::nullopt;
  for (const Access &root : nest.getRoots())
    if (td::getLoops(*root.at) != nest.getRootLoops())
      return std::nullopt;
  MatrixProduct product;
  product.reduction = &reduction;
  product.rows = row;
  product.columns = column;
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
