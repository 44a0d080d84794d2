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
#include "mlir/IR/Dominance.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/CSE.h"
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

/// Takes the kernels, which are in one block, in its order.
SmallVector<KernelOp> takeInOrder(llvm::SetVector<KernelOp> &set) {
  SmallVector<KernelOp> kernels = set.takeVector();
  llvm::sort(kernels,
             [](KernelOp a, KernelOp b) { return a->isBeforeInBlock(b); });
  return kernels;
}

/// Whether a group that begins with `head` passes the value on. Values with at
/// most half as many elements as the result of `head` are results of the group.
bool isPassedOn(Value value, KernelOp head) {
  auto countElements = [](Value value) {
    return cast<RankedTensorType>(value.getType()).getNumElements();
  };
  return isa<RankedTensorType>(value.getType()) &&
         2 * countElements(value) > countElements(head.getResult(0));
}

/// All kernels that pass on values as large as the result of `head`, from there
/// on: the products and the softmax of an attention's gradient. Empty if there
/// is no other, or if a reader of such a value cannot be merged.
SmallVector<KernelOp> findGroup(KernelOp head) {
  llvm::SetVector<KernelOp> group;
  group.insert(head);
  for (size_t i = 0; i < group.size(); ++i) {
    if (group.size() > kMostOfGroup)
      return {};
    for (Value result : KernelOp(group[i]).getResults()) {
      if (!cast<RankedTensorType>(result.getType()).hasStaticShape())
        return {};
      if (!isPassedOn(result, head))
        continue;
      for (Operation *user : result.getUsers()) {
        auto reader = dyn_cast<KernelOp>(user);
        if (!reader || reader->getBlock() != head->getBlock() ||
            reader.isOnGPU() || !readsAtLoops(reader))
          return {};
        group.insert(reader);
      }
    }
  }
  SmallVector<KernelOp> kernels = takeInOrder(group);
  if (kernels.size() == 1 || kernels.front() != head)
    return {};
  return kernels;
}

/// The ops between kernels of a group that need its results, and the kernels
/// that need theirs.
struct Readers {
  llvm::SetVector<Operation *> others;
  SmallVector<KernelOp> late;

  explicit Readers(ArrayRef<KernelOp> group);
};

Readers::Readers(ArrayRef<KernelOp> group) {
  auto contains = [](ArrayRef<KernelOp> kernels, Operation *op) {
    return llvm::is_contained(kernels, dyn_cast_if_present<KernelOp>(op));
  };
  KernelOp head = group.front(), last = group.back();
  for (Operation *op = head->getNextNode();; op = op->getNextNode()) {
    bool isPart = contains(group, op);
    bool isReader = false;
    op->walk([&](Operation *nested) {
      for (Value operand : nested->getOperands()) {
        Operation *made = operand.getDefiningOp();
        isReader |= others.contains(made) ||
                    contains(isPart ? ArrayRef<KernelOp>(late) : group, made);
      }
    });
    if (isReader && isPart)
      late.push_back(cast<KernelOp>(op));
    else if (isReader)
      others.insert(op);
    if (op == last)
      return;
  }
}

/// A td.stage of the kernel's results, which `values` are.
StageOp createStage(OpBuilder &b, KernelOp kernel, ValueRange values) {
  bool areRowMajor = true;
  SmallVector<Attribute> layouts;
  for (auto [i, result] : llvm::enumerate(kernel.getResults())) {
    Layout layout = getLayout(kernel, unsigned(kernel.getInputs().size() + i));
    areRowMajor &= layout == getRowMajor(result);
    layouts.push_back(b.getDenseI64ArrayAttr(layout.toAttribute()));
  }
  return StageOp::create(b, kernel.getLoc(), values,
                         areRowMajor ? ArrayAttr() : b.getArrayAttr(layouts));
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
    auto values =
        llvm::map_to_vector(own.getTerminator()->getOperands(),
                            [&](Value value) { return mapping.lookup(value); });
    if (kernel != last)
      values = SmallVector<Value>(createStage(b, kernel, values).getResults());
    for (auto [result, value] : llvm::zip(kernel.getResults(), values))
      inner[result] = value;
  }
  auto yielded = llvm::map_to_vector(
      results, [&](Value result) { return inner.at(result); });
  YieldOp::create(b, last.getLoc(), yielded);
  return merged;
}

/// Whether an element of `value` takes several operations from what the
/// kernel's inputs and its stages hold. Sets `layouts` to the layout of a value
/// of the same type that a stage holds, if there is one.
bool isComputed(Value value, ArrayAttr &layouts) {
  int operations = 0;
  SmallVector<Value> rest = {value};
  llvm::SmallPtrSet<Operation *, 8> seen;
  while (!rest.empty()) {
    Value next = rest.pop_back_val();
    Operation *op = next.getDefiningOp();
    if (!op || !seen.insert(op).second)
      continue;
    if (auto stage = dyn_cast<StageOp>(op)) {
      auto number = cast<OpResult>(next).getResultNumber();
      if (stage.getLayouts() && next.getType() == value.getType())
        layouts =
            ArrayAttr::get(op->getContext(), (*stage.getLayouts())[number]);
      continue;
    }
    operations += op->hasTrait<ElementwiseOp>();
    llvm::append_range(rest, op->getOperands());
  }
  return operations > 1;
}

/// Makes stages of the factors of products that are computed from what other
/// stages pass on: vectors compute each element once, where a product computes
/// single elements, for every tile that reads them. `head` is the first kernel
/// of the group.
void stageFactors(KernelOp merged, KernelOp head) {
  IRRewriter rewriter(merged.getContext());
  DominanceInfo dominance(merged);
  eliminateCommonSubExpressions(rewriter, dominance, merged);
  for (Operation &op : llvm::make_early_inc_range(merged.getBody().front())) {
    if (!hasFamily(&op, OpFamily::Contraction))
      continue;
    for (Value factor : op.getOperands()) {
      while (Operation *made = factor.getDefiningOp()) {
        if (!hasFamily(made, OpFamily::Movement))
          break;
        factor = made->getOperand(0);
      }
      Operation *made = factor.getDefiningOp();
      ArrayAttr layouts;
      if (!made || !made->hasTrait<ElementwiseOp>() ||
          !isPassedOn(factor, head) || !isComputed(factor, layouts))
        continue;
      rewriter.setInsertionPointAfter(made);
      auto stage = StageOp::create(rewriter, op.getLoc(), factor, layouts);
      factor.replaceAllUsesExcept(stage.getResult(0), stage);
    }
  }
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

/// A kernel that could take the place of a group.
class Merger {
public:
  explicit Merger(ArrayRef<KernelOp> group) : group(group), readers(group) {
    if (readers.late.empty() && isPureBetween(group.front(), group.back()))
      merged = merge(group, results);
  }
  ~Merger() {
    if (merged)
      merged.erase();
  }

  bool savesTraffic() const { return merged && getSaved(merged) > 0; }
  void run() {
    KernelOp last = group.back();
    for (Operation *reader : llvm::reverse(readers.others))
      reader->moveAfter(last);
    stageFactors(merged, group.front());
    // With more stages, matrices of a head may be too large for a block.
    if (!Stages::find(merged, cpu::kStageBytes)) {
      merged.erase();
      results.clear();
      merged = merge(group, results);
    }
    replace(group, results, std::exchange(merged, KernelOp()));
  }

private:
  SmallVector<KernelOp> group;
  Readers readers;
  SmallVector<Value> results;
  KernelOp merged;
};

/// Merges the group if that saves traffic.
bool mergeGroup(ArrayRef<KernelOp> group) {
  Merger merger(group);
  if (!merger.savesTraffic())
    return false;
  merger.run();
  return true;
}

/// Kernels of `group` whose large results those in `late` read, and those that
/// they are computed from, in the order of the block.
SmallVector<KernelOp> findComputation(ArrayRef<KernelOp> group,
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
bool isWorthCopies(ArrayRef<KernelOp> kernels, ArrayRef<KernelOp> late) {
  // Computing scores again takes about as long as storing and loading them.
  constexpr int64_t kTimesLess = 4;
  int64_t kept = 0, stored = 0;
  llvm::SmallPtrSet<Value, 8> inputs;
  for (KernelOp kernel : kernels) {
    if (llvm::any_of(kernel->getUsers(), [&](Operation *user) {
          return llvm::is_contained(late, dyn_cast<KernelOp>(user));
        }))
      stored +=
          estimateBytes(cast<RankedTensorType>(kernel.getResult(0).getType()));
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

/// Merges the kernels that wait for what others of the group lead to, as the
/// gradient of an attention does, on their own. They compute the scores again,
/// which are not stored in the meantime.
bool mergeTwice(ArrayRef<KernelOp> group) {
  SmallVector<KernelOp> early, late = Readers(group).late;
  for (KernelOp kernel : group)
    if (!llvm::is_contained(late, kernel))
      early.push_back(kernel);
  SmallVector<KernelOp> originals = findComputation(group, late), copies;
  if (originals.empty() || !isWorthCopies(originals, late))
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
    Merger first(early), second(late);
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
      if (!group.empty() && (mergeGroup(group) || mergeTwice(group))) {
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
