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

/// The most kernels of a chain, and of a group, that are merged.
constexpr size_t kMostStages = 6, kMostOfGroup = 12;

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

/// Whether nothing is written between the two, which are in one block.
bool isPureBetween(Operation *first, Operation *last) {
  for (Operation *op = first->getNextNode(); op != last; op = op->getNextNode())
    if (!isa<KernelOp, ReadOp>(op) &&
        (op->getNumRegions() || !isMemoryEffectFree(op)))
      return false;
  return true;
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

/// All kernels that pass on values as large as the result of `head`, from there
/// on: the products and the softmax of an attention's gradient. Empty if there
/// is none but a chain, or if a reader of such a value cannot be merged.
SmallVector<KernelOp> findGroup(KernelOp head) {
  auto countElements = [](Value value) {
    return cast<RankedTensorType>(value.getType()).getNumElements();
  };
  llvm::SetVector<KernelOp> group;
  group.insert(head);
  for (size_t i = 0; i < group.size(); ++i) {
    KernelOp kernel = group[i];
    Value result = kernel.getResult(0);
    if (group.size() > kMostOfGroup || kernel.getNumResults() != 1 ||
        !cast<RankedTensorType>(result.getType()).hasStaticShape())
      return {};
    // What is half as large is a result of the group.
    if (2 * countElements(result) <= countElements(head.getResult(0)))
      continue;
    for (Operation *user : result.getUsers()) {
      auto reader = dyn_cast<KernelOp>(user);
      if (!reader || reader->getBlock() != head->getBlock() ||
          reader.isOnGPU() || !readsAtLoops(reader))
        return {};
      group.insert(reader);
    }
  }
  SmallVector<KernelOp> kernels = group.takeVector();
  llvm::sort(kernels,
             [](KernelOp a, KernelOp b) { return a->isBeforeInBlock(b); });
  if (kernels.front() != head || !isPureBetween(head, kernels.back()))
    return {};
  return kernels;
}

/// The ops between kernels of the group that read their results, themselves or
/// through others; nullopt if a kernel of the group reads theirs.
std::optional<SmallVector<Operation *>>
findReadersBetween(ArrayRef<KernelOp> group) {
  llvm::SetVector<Operation *> readers;
  KernelOp head = group.front(), last = group.back();
  for (Operation *op = head->getNextNode();; op = op->getNextNode()) {
    bool isPart = llvm::is_contained(group, dyn_cast<KernelOp>(op));
    for (Value operand : op->getOperands()) {
      Operation *made = operand.getDefiningOp();
      if (readers.contains(made) && isPart)
        return std::nullopt;
      if (!isPart &&
          (readers.contains(made) ||
           llvm::is_contained(group, dyn_cast_if_present<KernelOp>(made))))
        readers.insert(op);
    }
    if (op == last)
      return readers.takeVector();
  }
}

/// Makes one kernel of those in `parts`, before the last of them, and the
/// results that others read. It does not replace them yet.
KernelOp merge(ArrayRef<KernelOp> parts, SmallVectorImpl<Value> &results) {
  KernelOp last = parts.back();
  OpBuilder b(last);
  llvm::SetVector<Value> inputs;
  SmallVector<Attribute> layouts;
  auto isPart = [&](Operation *op) {
    return llvm::is_contained(parts, dyn_cast_if_present<KernelOp>(op));
  };
  auto addLayout = [&](KernelOp kernel, unsigned index, Value value) {
    Layout layout;
    if (isa<RankedTensorType>(value.getType()))
      layout = getLayout(kernel, index);
    layouts.push_back(b.getDenseI64ArrayAttr(layout.toAttribute()));
  };
  for (KernelOp kernel : parts)
    for (auto [i, input] : llvm::enumerate(kernel.getInputs()))
      if (!isPart(input.getDefiningOp()) && inputs.insert(input))
        addLayout(kernel, i, input);
  for (KernelOp kernel : parts)
    for (auto [i, result] : llvm::enumerate(kernel.getResults()))
      if (kernel == last || !llvm::all_of(result.getUsers(), isPart)) {
        results.push_back(result);
        addLayout(kernel, kernel.getInputs().size() + i, result);
      }

  auto merged =
      KernelOp::create(b, last.getLoc(), ValueRange(results).getTypes(),
                       inputs.getArrayRef(), last.getSizes());
  if (llvm::any_of(parts,
                   [](KernelOp kernel) { return kernel->hasAttr("layouts"); }))
    merged->setAttr("layouts", b.getArrayAttr(layouts));
  Block &body = merged.getBody().emplaceBlock();
  llvm::DenseMap<Value, Value> inner;
  for (Value input : inputs)
    inner[input] = body.addArgument(input.getType(), input.getLoc());
  b.setInsertionPointToEnd(&body);
  for (KernelOp kernel : parts) {
    Block &own = kernel.getBody().front();
    IRMapping mapping;
    for (auto [input, argument] :
         llvm::zip(kernel.getInputs(), own.getArguments()))
      mapping.map(argument, inner.at(input));
    for (Operation &op : own.without_terminator())
      b.clone(op, mapping);
    for (auto [i, result] : llvm::enumerate(kernel.getResults())) {
      Value value = mapping.lookup(own.getTerminator()->getOperand(i));
      if (kernel != last) {
        Layout layout = getLayout(kernel, kernel.getInputs().size() + i);
        DenseI64ArrayAttr other;
        if (layout != getRowMajor(result))
          other = b.getDenseI64ArrayAttr(layout.toAttribute());
        value = StageOp::create(b, kernel.getLoc(), value, other);
      }
      inner[result] = value;
    }
  }
  auto yielded = llvm::map_to_vector(
      results, [&](Value result) { return inner.at(result); });
  YieldOp::create(b, last.getLoc(), yielded);
  return merged;
}

/// Puts the merged kernel in the place of those in `parts`.
void replace(ArrayRef<KernelOp> parts, ArrayRef<Value> results,
             KernelOp merged) {
  for (auto [old, result] : llvm::zip(results, merged.getResults()))
    Value(old).replaceUsesWithIf(result, [&](OpOperand &use) {
      return !llvm::is_contained(parts, dyn_cast<KernelOp>(use.getOwner()));
    });
  for (KernelOp kernel : llvm::reverse(parts))
    kernel.erase();
}

/// The bytes of memory traffic that the stages save. What is passed on is
/// written and read; what is read again comes from a cache, which takes about a
/// quarter of the time.
int64_t getSaved(KernelOp merged) {
  std::optional<Stages> stages = Stages::find(merged, cpu::kStageBytes);
  return stages ? 2 * stages->getBytesPassed() - stages->getBytesReadAgain() / 4
                : 0;
}

/// Merges the group if that saves traffic.
bool mergeGroup(ArrayRef<KernelOp> group) {
  std::optional<SmallVector<Operation *>> readers;
  if (group.size() > 1)
    readers = findReadersBetween(group);
  if (!readers)
    return false;
  SmallVector<Value> results;
  KernelOp merged = merge(group, results);
  if (getSaved(merged) <= 0) {
    merged.erase();
    return false;
  }
  KernelOp last = group.back();
  for (Operation *reader : llvm::reverse(*readers))
    reader->moveAfter(last);
  replace(group, results, merged);
  return true;
}

/// Merges the part of the chain that saves most. Returns the number of kernels
/// up to its end; 0 if there is none.
size_t mergeBest(ArrayRef<KernelOp> chain) {
  KernelOp best;
  int64_t most = 0;
  ArrayRef<KernelOp> part;
  SmallVector<Value> results;
  for (size_t begin = 0; begin < chain.size(); ++begin)
    for (size_t end = begin + 2;
         end <= std::min(chain.size(), begin + kMostStages); ++end) {
      ArrayRef<KernelOp> candidate = chain.slice(begin, end - begin);
      SmallVector<Value> own;
      KernelOp merged = merge(candidate, own);
      if (int64_t saved = getSaved(merged); saved > most) {
        std::swap(best, merged);
        std::swap(results, own);
        most = saved;
        part = candidate;
      }
      if (merged)
        merged.erase();
    }
  if (!best)
    return 0;
  replace(part, results, best);
  return size_t(part.end() - chain.begin());
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
      SmallVector<KernelOp> group = findGroup(head);
      if (mergeGroup(group)) {
        seen.insert(group.begin(), group.end());
        continue;
      }
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
