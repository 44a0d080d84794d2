//===- GroupMerger.cpp - a group becomes one kernel or two ----------------===//

#include "GroupMerger.h"
#include "Dialect/TD/Analysis/Sizes.h"
#include "KernelGroup.h"
#include "MergedKernel.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace tdc::td {

namespace {

/// Merges a group of which no kernel waits for others than those of the group.
class GroupMerger {
public:
  explicit GroupMerger(ArrayRef<KernelOp> group) : readers(group) {
    if (readers.late.empty() && isPureBetween(group.front(), group.back()))
      merged.emplace(group);
  }

  bool savesTraffic() const { return merged && merged->getSaved() > 0; }
  void run() {
    KernelOp last = merged->getParts().back();
    for (Operation *reader : llvm::reverse(readers.others))
      reader->moveAfter(last);
    merged->stageFactors();
    merged->replaceParts();
  }

private:
  GroupReaders readers;
  std::optional<MergedKernel> merged;
};

} // namespace

/// Merges the whole group into one kernel.
static bool mergeOnce(ArrayRef<KernelOp> group) {
  GroupMerger merger(group);
  if (!merger.savesTraffic())
    return false;
  merger.run();
  return true;
}

/// Kernels of `group` whose large results those in `late` read, and those that
/// they are computed from, in the order of the block.
static SmallVector<KernelOp> findComputation(ArrayRef<KernelOp> group,
                                             ArrayRef<KernelOp> late) {
  llvm::SetVector<KernelOp> found;
  auto addProducers = [&](KernelOp reader) {
    for (Value input : reader.getInputs()) {
      auto made = input.getDefiningOp<KernelOp>();
      if (made && llvm::is_contained(group, made) &&
          !llvm::is_contained(late, made) && isPassedOn(input, group.front()))
        found.insert(made);
    }
  };
  llvm::for_each(late, addProducers);
  for (size_t i = 0; i < found.size(); ++i)
    addProducers(found[i]);
  return takeInOrder(found);
}

/// Whether copies of `kernels` before `late` read much less memory than what
/// `late` reads of them takes, and the same values.
static bool isWorthCopies(ArrayRef<KernelOp> kernels, ArrayRef<KernelOp> late) {
  // Computing scores again takes about as long as storing and loading them.
  constexpr int64_t kTimesLess = 4;
  int64_t kept = 0, stored = 0;
  llvm::SmallPtrSet<Value, 8> inputs;
  for (KernelOp kernel : kernels) {
    for (Value result : kernel.getResults())
      if (llvm::any_of(result.getUsers(), [&](Operation *user) {
            return llvm::is_contained(late, dyn_cast<KernelOp>(user));
          }))
        stored += estimateBytes(cast<RankedTensorType>(result.getType()));
    for (Value input : kernel.getInputs()) {
      auto type = dyn_cast<RankedTensorType>(input.getType());
      Operation *made = input.getDefiningOp();
      if (!type || !inputs.insert(input).second ||
          llvm::is_contained(kernels, dyn_cast_if_present<KernelOp>(made)))
        continue;
      kept += estimateBytes(type);
      if (isa_and_present<ReadOp>(made) && !isPureBetween(kernel, late.front()))
        return false;
    }
  }
  return stored >= kTimesLess * kept;
}

/// Merges early and late kernels, each on their own.
static bool mergeTwice(ArrayRef<KernelOp> group) {
  SmallVector<KernelOp> early, late = GroupReaders(group).late;
  for (KernelOp kernel : group)
    if (!llvm::is_contained(late, kernel))
      early.push_back(kernel);
  SmallVector<KernelOp> originals = findComputation(group, late), copies;
  // A merged kernel is where its last part is, and what reads it comes after:
  // the late kernels may read what follows the early ones.
  if (originals.empty() || !early.back()->isBeforeInBlock(late.front()) ||
      !isWorthCopies(originals, late))
    return false;
  OpBuilder b(late.front());
  IRMapping mapping;
  for (KernelOp kernel : originals) {
    copies.push_back(cast<KernelOp>(b.clone(*kernel, mapping)));
    for (auto [result, copy] :
         llvm::zip(kernel.getResults(), copies.back().getResults()))
      result.replaceUsesWithIf(copy, [&](OpOperand &use) {
        return llvm::is_contained(late, dyn_cast<KernelOp>(use.getOwner()));
      });
  }
  late.insert(late.begin(), copies.begin(), copies.end());
  {
    GroupMerger first(early), second(late);
    if (first.savesTraffic() && second.savesTraffic()) {
      first.run();
      second.run();
      return true;
    }
  }
  for (auto [original, copy] : llvm::reverse(llvm::zip(originals, copies))) {
    copy->replaceAllUsesWith(original);
    copy.erase();
  }
  return false;
}

bool mergeGroup(ArrayRef<KernelOp> group) {
  return mergeOnce(group) || mergeTwice(group);
}

} // namespace tdc::td
