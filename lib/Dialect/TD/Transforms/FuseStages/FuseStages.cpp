//===- FuseStages.cpp - kernels that pass on large values -----------------===//
//
// An attention passes the scores of all queries from a product to the softmax,
// and from there to the next product. Each of these kernels has its own
// schedule, which one nest of all could not have; but they can run one after
// the other for a few queries, so that the scores stay in the cache and take no
// memory for all queries.
//
// KernelGroup.h finds all kernels that pass on such values, also to several
// readers, and GroupMerger.h merges them. Otherwise the pass merges chains,
// where each value has one reader.
//
//===----------------------------------------------------------------------===//

#include "Dialect/TD/Analysis/Sizes.h"
#include "Dialect/TD/Transforms/Passes.h"
#include "GroupMerger.h"
#include "KernelGroup.h"
#include "MergedKernel.h"
#include "Target/TargetInfo.h"

using namespace mlir;

namespace tdc::td {
#define GEN_PASS_DEF_FUSESTAGESPASS
#include "Dialect/TD/Transforms/Passes.h.inc"

namespace {

/// The most kernels of a chain that are merged.
constexpr size_t kMostStages = 6;

/// Whether the kernel has one result, which is large and no transposed copy: a
/// product that reads one for each row of the other factor would read that
/// factor again for each block.
bool mayPassOn(KernelOp kernel) {
  if (kernel.isOnGPU() || kernel.getNumResults() != 1 ||
      kernel.getTransposition())
    return false;
  Value result = kernel.getResult(0);
  return cast<RankedTensorType>(result.getType()).hasStaticShape() &&
         estimateBytes(cast<RankedTensorType>(result.getType())) >=
             cpu::kStageBytes;
}

/// The kernel that alone reads the result of `kernel`, in the same block and
/// with nothing written between them; null if there is none.
KernelOp findReader(KernelOp kernel) {
  auto users = kernel.getResult(0).getUsers();
  if (users.empty() || !llvm::all_equal(users))
    return {};
  auto next = dyn_cast<KernelOp>(*users.begin());
  if (!next || next->getBlock() != kernel->getBlock() || next.isOnGPU() ||
      !isPureBetween(kernel, next))
    return {};
  return next;
}

/// Merges the part of the chain that saves most. Returns the number of kernels
/// up to its end; 0 if there is none.
size_t mergeBest(ArrayRef<KernelOp> chain) {
  std::optional<MergedKernel> best;
  int64_t most = 0;
  size_t bestEnd = 0;
  for (size_t begin = 0; begin < chain.size(); ++begin)
    for (size_t end = begin + 2;
         end <= std::min(chain.size(), begin + kMostStages); ++end) {
      MergedKernel merged(chain.slice(begin, end - begin));
      if (int64_t saved = merged.getSaved(); saved > most) {
        most = saved;
        bestEnd = end;
        best.emplace(std::move(merged));
      }
    }
  if (best)
    best->replaceParts();
  return bestEnd;
}

struct FuseStagesPass : impl::FuseStagesPassBase<FuseStagesPass> {
  using FuseStagesPassBase::FuseStagesPassBase;

  void runOnOperation() override {
    SmallVector<KernelOp> kernels;
    getOperation()->walk([&](KernelOp kernel) { kernels.push_back(kernel); });
    llvm::DenseSet<Operation *> seen;
    for (KernelOp head : kernels) {
      if (!seen.insert(head).second || !mayPassOn(head) ||
          !readsAtLoops(head, head))
        continue;
      SmallVector<KernelOp> group = findGroup(head);
      if (!group.empty() && mergeGroup(group)) {
        seen.insert(group.begin(), group.end());
        continue;
      }
      SmallVector<KernelOp> chain = {head};
      while (mayPassOn(chain.back())) {
        KernelOp next = findReader(chain.back());
        if (!next || !readsAtLoops(next, head) || !seen.insert(next).second)
          break;
        chain.push_back(next);
      }
      for (ArrayRef<KernelOp> rest = chain; rest.size() > 1;) {
        size_t end = mergeBest(rest);
        if (end == 0)
          break;
        rest = rest.drop_front(end);
      }
    }
  }
};

} // namespace
} // namespace tdc::td
