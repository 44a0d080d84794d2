//===- MergedKernel.cpp - one kernel in the place of several --------------===//

#include "MergedKernel.h"
#include "Dialect/TD/Analysis/Kernels/Stages.h"
#include "Dialect/TD/Analysis/Kernels/Vectorization.h"
#include "KernelGroup.h"
#include "Target/TargetInfo.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/CSE.h"

using namespace mlir;

namespace tdc::td {

MergedKernel::MergedKernel(ArrayRef<KernelOp> parts) : parts(parts) { merge(); }

MergedKernel::MergedKernel(MergedKernel &&other)
    : parts(std::move(other.parts)), results(std::move(other.results)),
      kernel(std::exchange(other.kernel, KernelOp())) {}

MergedKernel::~MergedKernel() {
  if (kernel)
    kernel.erase();
}

/// A td.stage of the kernel's results, which `values` are.
static StageOp createStage(OpBuilder &b, KernelOp kernel, ValueRange values) {
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

void MergedKernel::merge() {
  KernelOp last = parts.back();
  OpBuilder b(last);
  llvm::SetVector<Value> inputs;
  SmallVector<Attribute> layouts;
  auto isPart = [&](Operation *op) {
    return llvm::is_contained(parts, dyn_cast_if_present<KernelOp>(op));
  };
  auto addLayout = [&](KernelOp part, unsigned index, Value value) {
    Layout layout;
    if (isa<RankedTensorType>(value.getType()))
      layout = getLayout(part, index);
    layouts.push_back(b.getDenseI64ArrayAttr(layout.toAttribute()));
  };
  for (KernelOp part : parts)
    for (auto [i, input] : llvm::enumerate(part.getInputs()))
      if (!isPart(input.getDefiningOp()) && inputs.insert(input))
        addLayout(part, i, input);
  for (KernelOp part : parts)
    for (auto [i, result] : llvm::enumerate(part.getResults()))
      if (part == last || !llvm::all_of(result.getUsers(), isPart)) {
        results.push_back(result);
        addLayout(part, part.getInputs().size() + i, result);
      }

  kernel = KernelOp::create(b, last.getLoc(), ValueRange(results).getTypes(),
                            inputs.getArrayRef(), last.getSizes());
  if (llvm::any_of(parts,
                   [](KernelOp part) { return part->hasAttr("layouts"); }))
    kernel->setAttr("layouts", b.getArrayAttr(layouts));
  Block &body = kernel.getBody().emplaceBlock();
  llvm::DenseMap<Value, Value> inner;
  for (Value input : inputs)
    inner[input] = body.addArgument(input.getType(), input.getLoc());
  b.setInsertionPointToEnd(&body);
  for (KernelOp part : parts) {
    Block &own = part.getBody().front();
    IRMapping mapping;
    for (auto [input, argument] :
         llvm::zip(part.getInputs(), own.getArguments()))
      mapping.map(argument, inner.at(input));
    for (Operation &op : own.without_terminator())
      b.clone(op, mapping);
    auto values =
        llvm::map_to_vector(own.getTerminator()->getOperands(),
                            [&](Value value) { return mapping.lookup(value); });
    if (part != last)
      values = SmallVector<Value>(createStage(b, part, values).getResults());
    for (auto [result, value] : llvm::zip(part.getResults(), values))
      inner[result] = value;
  }
  auto yielded = llvm::map_to_vector(
      results, [&](Value result) { return inner.at(result); });
  YieldOp::create(b, last.getLoc(), yielded);
}

/// A value that is passed on is written and read; an input that is read again
/// comes from a cache, which takes about a quarter of the time.
int64_t MergedKernel::getSaved() const {
  std::optional<Stages> stages = Stages::find(kernel, cpu::kStageBytes);
  return stages ? 2 * stages->getBytesPassed() - stages->getBytesReadAgain() / 4
                : 0;
}

/// Whether an element of `value` takes several operations from what the
/// kernel's inputs and its stages hold. Sets `layouts` to the layout of a value
/// of the same type that a stage holds, if there is one.
static bool isComputed(Value value, ArrayAttr &layouts) {
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

void MergedKernel::stageFactors() {
  IRRewriter rewriter(kernel.getContext());
  DominanceInfo dominance(kernel);
  eliminateCommonSubExpressions(rewriter, dominance, kernel);
  for (Operation &op : llvm::make_early_inc_range(kernel.getBody().front())) {
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
          !isPassedOn(factor, parts.front()) || !isComputed(factor, layouts))
        continue;
      rewriter.setInsertionPointAfter(made);
      auto stage = StageOp::create(rewriter, op.getLoc(), factor, layouts);
      factor.replaceAllUsesExcept(stage.getResult(0), stage);
    }
  }
  if (!Stages::find(kernel, cpu::kStageBytes)) {
    kernel.erase();
    results.clear();
    merge();
  }
}

void MergedKernel::replaceParts() {
  for (auto [old, result] : llvm::zip(results, kernel.getResults()))
    Value(old).replaceUsesWithIf(result, [&](OpOperand &use) {
      return !llvm::is_contained(parts, dyn_cast<KernelOp>(use.getOwner()));
    });
  for (KernelOp part : llvm::reverse(parts))
    part.erase();
  kernel = {};
}

} // namespace tdc::td
