//===- Contraction.cpp - nests that sum products --------------------------===//

#include "Dialect/TD/Analysis/Kernels/Contraction.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tdc::td {

// Estimates for the tiles of a GPU.

/// A contraction with fewer rows, columns or terms is not tiled. For narrow
/// floats, 8 rows and columns are enough: tensor cores pay off even if most of
/// a tile is empty.
constexpr int64_t kFewestElements = 32, kFewestNarrow = 8, kFewestTerms = 16;
/// A tile takes in another loop while more than 1 in kWasted of the positions
/// of its tiles would lie past the end.
constexpr int64_t kTileExtent = 64, kWasted = 16;

/// The access to the narrow floats that a factor of f32 widens; its tensor is
/// null if there are none.
static Access findNarrow(const LoopNest &nest, const Access &factor) {
  Access moved = nest.getMoved(factor.tensor, *factor.at);
  Value narrow = getWidened(moved.tensor);
  Operation *cast = moved.tensor.getDefiningOp();
  if (!narrow || !nest.isInside(cast) ||
      !getElementTypeOrSelf(moved.tensor.getType()).isF32())
    return {};
  return {narrow, &nest.operandAt(cast, 0, *moved.at)};
}

std::optional<Contraction> Contraction::get(const LoopNest &nest) {
  if (nest.getReductions().size() != 1)
    return std::nullopt;
  const Reduction &reduction = nest.getReductions().front();
  if (!reduction.isContraction() || reduction.loops.empty() ||
      reduction.parallel != nest.getRootLoops())
    return std::nullopt;
  for (const Access &root : nest.getRoots())
    if (td::getLoops(*root.at) != nest.getRootLoops())
      return std::nullopt;
  // Roots must read the sums at their own coordinates, not at positions
  // computed from these.
  for (Coordinate coordinate : *reduction.at)
    if (td::getLoop(coordinate) < 0 && coordinate != 0)
      return std::nullopt;

  Contraction contraction;
  contraction.reduction = &reduction;
  contraction.terms.assign(reduction.loops.begin(), reduction.loops.end());
  contraction.left = nest.getOperand(reduction, 0);
  contraction.right = nest.getOperand(reduction, 1);
  // The loops of the access, before any broadcast, and not the loops that the
  // value depends on: a td.fill depends on none, but has rows and columns.
  auto loopsOf = [&](const Access &factor) {
    return td::getLoops(*nest.getMoved(factor.tensor, *factor.at).at);
  };
  LoopSet ofLeft = loopsOf(contraction.left),
          ofRight = loopsOf(contraction.right);
  for (unsigned loop = 0; loop < nest.getLoops().size(); ++loop)
    if (contains(reduction.parallel, loop)) {
      bool isLeft = contains(ofLeft, loop), isRight = contains(ofRight, loop);
      auto &list = isLeft == isRight ? contraction.batch
                   : isLeft          ? contraction.rows
                                     : contraction.columns;
      list.push_back(loop);
    }

  Access left = findNarrow(nest, contraction.left),
         right = findNarrow(nest, contraction.right);
  if (left.tensor && right.tensor &&
      getElementTypeOrSelf(left.tensor.getType()) ==
          getElementTypeOrSelf(right.tensor.getType())) {
    contraction.left = left;
    contraction.right = right;
  }
  return contraction;
}

/// The innermost loops, only as many as are known to fill tiles: each further
/// one costs a division at the start of a thread.
static ArrayRef<unsigned> takeInnermost(const LoopNest &nest,
                                        ArrayRef<unsigned> loops) {
  int64_t positions = 1;
  for (size_t taken = 1; taken < loops.size(); ++taken) {
    int64_t extent = nest.getLoops()[loops[loops.size() - taken]].extent;
    if (ShapedType::isDynamic(extent))
      return loops;
    positions *= extent;
    int64_t inTiles = llvm::alignTo(positions, kTileExtent);
    if ((inTiles - positions) * kWasted <= inTiles)
      return loops.take_back(taken);
  }
  return loops;
}

std::optional<ContractionTiles>
Contraction::findTiles(const LoopNest &nest) const {
  auto hasMany = [&](ArrayRef<unsigned> loops, int64_t fewest) {
    return !loops.empty() && nest.estimatePositions(loops) >= fewest;
  };
  int64_t fewest =
      isNarrowFloat(getFactorType()) ? kFewestNarrow : kFewestElements;
  if (!hasMany(rows, fewest) || !hasMany(columns, fewest) ||
      !hasMany(terms, kFewestTerms))
    return std::nullopt;
  ContractionTiles tiles;
  tiles.rows.assign(takeInnermost(nest, rows));
  tiles.columns.assign(takeInnermost(nest, columns));
  for (unsigned loop = 0; loop < nest.getLoops().size(); ++loop)
    if (contains(nest.getRootLoops(), loop) &&
        !llvm::is_contained(tiles.rows, loop) &&
        !llvm::is_contained(tiles.columns, loop))
      tiles.around.push_back(loop);
  return tiles;
}

} // namespace tdc::td
