//===- FuseStages.cpp - kernels that pass on large values -----------------===//
//
// An attention passes the scores of all queries from a product to the softmax,
// and from there to the next product. Each of these kernels has its own
// schedule, which one nest of all could not have; but they can run one after
// the other for a few queries, so that the scores stay in the cache and take no
// memory for all queries.
//
//===----------------------------------------------------------------------===//

#include "Dialect/TD/Analysis/Kernels/Stages.h"
#include "Dialect/TD/Analysis/Kernels/Vectorization.h"
#include "Dialect/TD/Analysis/Sizes.h"
#include "Dialect/TD/Transforms/Passes.h"
#include "Target/TargetInfo.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tdc::td {
#define GEN_PASS_DEF_FUSESTAGESPASS
#include "Dialect/TD/Transforms/Passes.h.inc"

namespace {

/// The most kernels that are merged.
constexpr size_t kMostStages = 6;

/// Whether the kernel has one result, which is large.
bool mayPassOn(KernelOp kernel) {
  if (kernel.isOnGPU() || kernel.getNumResults() != 1)
    return false;
  Value result = kernel.getResult(0);
  return cast<RankedTensorType>(result.getType()).hasStaticShape() &&
         estimateBytes(cast<RankedTensorType>(result.getType())) >=
             cpu::kStageBytes;
}

/// Whether the kernel reads its inputs at loops alone: no windows, and no
/// positions that are picked.
bool readsAtLoops(KernelOp kernel) {
  SmallVector<Value> roots(
      kernel.getBody().front().getTerminator()->getOperands());
  FailureOr<LoopNest> nest = LoopNest::getOfKernel(roots);
  return succeeded(nest) &&
         llvm::all_of(nest->getInputs(), [](const Access &input) {
           return llvm::all_of(*input.at, [](Coordinate at) {
             return getLoop(at) >= 0 || isa<AffineConstantExpr>(at);
           });
         });
}

/// The kernel that alone reads the result of `kernel`, in the same block and
/// with nothing written between them; null if there is none.
KernelOp findReader(KernelOp kernel) {
  auto users = kernel.getResult(0).getUsers();
  if (users.empty() || !llvm::all_equal(users))
    return {};
  auto next = dyn_cast<KernelOp>(*users.begin());
  if (!next || next->getBlock() != kernel->getBlock() || next.isOnGPU())
    return {};
  for (Operation *op = kernel->getNextNode(); op != next;
       op = op->getNextNode())
    if (!isa<KernelOp, ReadOp>(op) &&
        (op->getNumRegions() || !isMemoryEffectFree(op)))
      return {};
  return next;
}

/// Makes one kernel of the chain, before its last kernel, which it does not
/// replace yet.
KernelOp merge(ArrayRef<KernelOp> chain) {
  KernelOp last = chain.back();
  OpBuilder b(last);
  llvm::SetVector<Value> inputs;
  SmallVector<Attribute> layouts;
  auto isPassedOn = [&](Value value) {
    return llvm::is_contained(chain, value.getDefiningOp());
  };
  auto addLayout = [&](KernelOp kernel, unsigned index, Value value) {
    Layout layout;
    if (isa<RankedTensorType>(value.getType()))
      layout = getLayout(kernel, index);
    layouts.push_back(b.getDenseI64ArrayAttr(layout.toAttribute()));
  };
  for (KernelOp kernel : chain)
    for (auto [i, input] : llvm::enumerate(kernel.getInputs()))
      if (!isPassedOn(input) && inputs.insert(input))
        addLayout(kernel, i, input);
  for (auto [i, result] : llvm::enumerate(last.getResults()))
    addLayout(last, last.getInputs().size() + i, result);

  auto merged = KernelOp::create(b, last.getLoc(), last.getResultTypes(),
                                 inputs.getArrayRef(), last.getSizes());
  if (llvm::any_of(chain,
                   [](KernelOp kernel) { return kernel->hasAttr("layouts"); }))
    merged->setAttr("layouts", b.getArrayAttr(layouts));
  Block &body = merged.getBody().emplaceBlock();
  llvm::DenseMap<Value, Value> inner;
  for (Value input : inputs)
    inner[input] = body.addArgument(input.getType(), input.getLoc());
  b.setInsertionPointToEnd(&body);
  for (KernelOp kernel : chain) {
    Block &own = kernel.getBody().front();
    IRMapping mapping;
    for (auto [input, argument] :
         llvm::zip(kernel.getInputs(), own.getArguments()))
      mapping.map(argument, inner.at(input));
    for (Operation &op : own.without_terminator())
      b.clone(op, mapping);
    if (kernel == last) {
      b.clone(*own.getTerminator(), mapping);
      continue;
    }
    Layout layout = getLayout(kernel, kernel.getInputs().size());
    DenseI64ArrayAttr other;
    if (layout != getRowMajor(kernel.getResult(0)))
      other = b.getDenseI64ArrayAttr(layout.toAttribute());
    inner[kernel.getResult(0)] = StageOp::create(
        b, kernel.getLoc(), mapping.lookup(own.getTerminator()->getOperand(0)),
        other);
  }
  return merged;
}

/// The bytes of memory traffic that the stages save. What is passed on is
/// written and read; what is read again comes from a cache, which takes about a
/// quarter of the time.
int64_t getSaved(KernelOp merged) {
  std::optional<Stages> stages = Stages::find(merged, cpu::kStageBytes);
  return stages ? 2 * stages->getBytesPassed() - stages->getBytesReadAgain() / 4
                : 0;
}

/// Merges the part of the chain that saves most. Returns the number of kernels
/// up to its end; 0 if there is none.
size_t mergeBest(ArrayRef<KernelOp> chain) {
  KernelOp best;
  int64_t most = 0;
  ArrayRef<KernelOp> part;
  for (size_t begin = 0; begin < chain.size(); ++begin)
    for (size_t end = begin + 2;
         end <= std::min(chain.size(), begin + kMostStages); ++end) {
      ArrayRef<KernelOp> candidate = chain.slice(begin, end - begin);
      KernelOp merged = merge(candidate);
      if (int64_t saved = getSaved(merged); saved > most) {
        std::swap(best, merged);
        most = saved;
        part = candidate;
      }
      if (merged)
        merged.erase();
    }
  if (!best)
    return 0;
  KernelOp last = part.back();
  last.replaceAllUsesWith(best.getResults());
  size_t end = part.end() - chain.begin();
  for (KernelOp kernel : llvm::reverse(part))
    kernel.erase();
  return end;
}

struct FuseStagesPass : impl::FuseStagesPassBase<FuseStagesPass> {
  using FuseStagesPassBase::FuseStagesPassBase;

  void runOnOperation() override {
    SmallVector<KernelOp> kernels;
    getOperation()->walk([&](KernelOp kernel) { kernels.push_back(kernel); });
    llvm::DenseSet<Operation *> seen;
    for (KernelOp head : kernels) {
      if (!seen.insert(head).second || !mayPassOn(head) || !readsAtLoops(head))
        continue;
      SmallVector<KernelOp> chain = {head};
      while (mayPassOn(chain.back())) {
        KernelOp next = findReader(chain.back());
        if (!next || !readsAtLoops(next) || !seen.insert(next).second)
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
