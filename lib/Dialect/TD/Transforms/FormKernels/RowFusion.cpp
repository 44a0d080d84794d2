//===- RowFusion.cpp - stages of a row in one GPU kernel ------------------===//
//
// Softmax computes the maximum of a row, then a sum over the row that needs the
// maximum, then a row that needs both. On a GPU the threads that share a row
// can read it several times: it comes from the cache then, and the reduced
// values stay in registers. Kernels that feed each other in this way are
// merged; values between them are recomputed rather than stored.
//
//===----------------------------------------------------------------------===//

#include "FusionGraph.h"
#include "Target/TargetInfo.h"

using namespace mlir;

namespace tdc::td {

/// The most elements that one group of threads may process when all elements
/// are reduced to one result, so that there are no rows to distribute.
constexpr int64_t kSmallTensor = 1 << 13;
/// The least number of elements of a long row. A few long rows leave most of a
/// GPU idle: each stage stays a kernel of its own then, and the backend cuts
/// its reductions into sections.
constexpr int64_t kLongRow = 1 << 18;

/// Whether all reductions are over rows of one kind, and every root has a row
/// or one element for each of them.
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
  /// The number of positions of `loops`, or `unknown` if it is known only at
  /// run time.
  auto count = [&](LoopSet loops, int64_t unknown) {
    int64_t positions = 1;
    for (unsigned loop = 0; loop < nest.getLoops().size(); ++loop)
      if (contains(loops, loop)) {
        int64_t extent = nest.getLoops()[loop].extent;
        if (ShapedType::isDynamic(extent))
          return unknown;
        positions *= extent;
      }
    return positions;
  };
  if (!rows)
    return count(row, kSmallTensor + 1) <= kSmallTensor;
  LoopSet terms = toLoopSet(reductions.front().loops);
  return count(rows, gpu::kBusyRows) >= gpu::kBusyRows ||
         count(terms, 0) < kLongRow;
}

bool FusionGraph::mergeRow(Node &a, Node &b) {
  if (llvm::any_of(a.body, isNeverFused) ||
      llvm::any_of(b.body, isNeverFused) || isStep(a) || isStep(b) ||
      reaches(a, b) || reaches(b, a))
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
