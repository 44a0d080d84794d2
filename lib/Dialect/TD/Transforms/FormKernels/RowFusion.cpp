//===- RowFusion.cpp - stages of a row in one GPU kernel ------------------===//
//
// Softmax asks for the maximum of a row, then for a sum over the row that needs
// the maximum, then for the row that needs both. On a GPU the threads that
// share a row can go through it again and again: it comes from the cache then,
// and what they reduce stays in registers. Kernels that feed each other so
// become one; what is between them is computed again rather than stored.
//
//===----------------------------------------------------------------------===//

#include "FusionGraph.h"
#include "Target/TargetInfo.h"

using namespace mlir;

namespace tdc::td {

/// Elements that one group of threads goes through where there is no row to
/// share the work by.
constexpr int64_t kSmallTensor = 1 << 13;
/// Rows of such a length that are too few for a GPU leave most of it idle: each
/// stage is a kernel of its own then, whose reductions the backend cuts into
/// sections.
constexpr int64_t kLongRow = 1 << 18;

/// Whether all reductions are over rows of one kind, and all roots are a row or
/// one element of it.
static bool isRowNest(const LoopNest &nest) {
  ArrayRef<Reduction> reductions = nest.getReductions();
  if (reductions.empty())
    return false;
  LoopSet rows = reductions.front().parallel, row = 0;
  for (const Reduction &reduction : reductions)
    if (reduction.parallel != rows || reduction.isContraction())
      return false;
  for (const Access &root : nest.getRoots()) {
    LoopSet rest = getLoops(*root.at) & ~rows;
    if ((rest && row && rest != row) || (getLoops(*root.at) & rows) != rows)
      return false;
    row |= rest;
  }
  /// Positions of some loops, or `unknown` if only a run can tell.
  auto count = [&](LoopSet loops, int64_t unknown) {
    int64_t positions = 1;
    for (unsigned loop = 0; loop < nest.getLoops().size(); ++loop)
      if (loops >> loop & 1) {
        int64_t extent = nest.getLoops()[loop].extent;
        if (ShapedType::isDynamic(extent))
          return unknown;
        positions *= extent;
      }
    return positions;
  };
  if (!rows)
    return count(row, kSmallTensor + 1) <= kSmallTensor;
  LoopSet terms = 0;
  for (unsigned loop : reductions.front().loops)
    terms |= LoopSet(1) << loop;
  return count(rows, gpu::kBusyRows) >= gpu::kBusyRows ||
         count(terms, 0) < kLongRow;
}

bool FusionGraph::mergeRow(Node &a, Node &b) {
  if (llvm::any_of(a.body, standsAlone) || llvm::any_of(b.body, standsAlone) ||
      isStep(a) || isStep(b) || reaches(a, b) || reaches(b, a))
    return false;
  SmallVector<Operation *, 4> shared = getSharedRoots(a, &b);
  llvm::append_range(shared, getSharedRoots(b, &a));
  if (shared.size() > kMaxRoots)
    return false;
  FailureOr<LoopNest> nest = getNest(shared, {&a, &b});
  if (failed(nest) || nest->getReductions().size() > kMaxReductions ||
      !isRowNest(*nest))
    return false;
  merge(a, b);
  a.roots = shared;
  return true;
}

void FusionGraph::mergeRows() {
  bool hasChanged = true;
  while (std::exchange(hasChanged, false))
    for (auto &node : nodes) {
      Node &a = *node;
      if (!a.isKernel || a.mergedInto || !isOnGPU(a.roots.front()))
        continue;
      for (Node *b = findReader(a, 0); b; b = findReader(a, b->index + 1))
        hasChanged |= isOnGPU(b->roots.front()) && mergeRow(a, *b);
    }
}

} // namespace tdc::td
