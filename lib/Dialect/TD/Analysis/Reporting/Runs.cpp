//===- Runs.cpp - how often an op runs, and why ---------------------------===//

#include "Dialect/TD/Analysis/Reporting/Runs.h"
#include "Dialect/TD/Analysis/Frequencies.h"
#include "Dialect/TD/Analysis/Reporting/HostNumbers.h"
#include "Dialect/TD/IR/CarryingLoop.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;

namespace tdc::td {

/// Whether td-normalize has put the branch around a loop: both have one
/// location.
static bool isGuard(scf::IfOp op) {
  return llvm::any_of(*op.thenBlock(), [&](Operation &inner) {
    return CarryingLoop(&inner) && inner.getLoc() == op.getLoc();
  });
}

namespace {

/// Evaluates numbers that depend only on the index of a loop and constants, in
/// one iteration.
class Iteration {
public:
  Iteration(scf::ForOp loop, int64_t index) {
    numbers[loop.getInductionVar()] = {index, true};
  }

  HostNumber evaluate(Value value) {
    if (auto known = numbers.find(value); known != numbers.end())
      return known->second;
    HostNumber number;
    if (value.getDefiningOp()) {
      auto operand = [&](Value one) { return evaluate(one); };
      number = computeNumber(value, operand).value_or(HostNumber());
    }
    return numbers[value] = number;
  }

private:
  llvm::DenseMap<Value, HostNumber> numbers;
};

} // namespace

/// The number of iterations of the surrounding loop in which a branch takes its
/// first region; nullopt unless the index of the loop decides it.
static std::optional<int64_t> countTaken(scf::IfOp op) {
  constexpr int64_t mostIterations = 1 << 16;
  auto loop = dyn_cast<scf::ForOp>(op->getParentOp());
  std::optional<int64_t> iterations = loop ? getTripCount(loop) : std::nullopt;
  if (!iterations || *iterations > mostIterations)
    return std::nullopt;
  Iteration before(loop, 0);
  int64_t index = before.evaluate(loop.getLowerBound()).value;
  int64_t step = before.evaluate(loop.getStep()).value;
  int64_t taken = 0;
  for (int64_t iteration = 0; iteration != *iterations;
       ++iteration, index += step) {
    HostNumber condition = Iteration(loop, index).evaluate(op.getCondition());
    if (!condition.isKnown)
      return std::nullopt;
    taken += condition.value != 0;
  }
  return taken;
}

static RunFactor getFactor(Block *block, const DryRun &run) {
  Operation *op = block->getParentOp();
  RunFactor factor;
  factor.op = op;
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    factor.kind = isGuard(branch) ? RunFactor::Guard : RunFactor::Branch;
    factor.isElse = block->getParent()->getRegionNumber() == 1;
  } else if (isa<func::FuncOp>(op)) {
    factor.kind = RunFactor::Calls;
    return factor;
  } else {
    factor.most = getTripCount(op);
  }
  factor.isKnown = run.isComplete() && run.isKnown(block);
  factor.inner = run.getRuns(block);
  factor.outer = run.getControl(op).runs;
  if (factor.isKnown)
    return factor;
  // If the runs of the surrounding loops are not known, the runs in one
  // iteration still may be.
  if (isa<scf::ForOp>(op) && factor.most) {
    factor.isKnown = true;
    factor.inner = *factor.most, factor.outer = 1;
  } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
    std::optional<int64_t> taken = countTaken(branch);
    factor.isKnown = taken.has_value();
    factor.outer = taken ? *getTripCount(op->getParentOp()) : 0;
    factor.inner =
        factor.isElse ? factor.outer - taken.value_or(0) : taken.value_or(0);
  }
  return factor;
}

SmallVector<RunFactor> getRunFactors(Block *block, const DryRun &run) {
  SmallVector<RunFactor> factors;
  while (block) {
    Operation *op = block->getParentOp();
    bool isMain =
        isa<func::FuncOp>(op) && cast<func::FuncOp>(op).getSymName() == "main";
    if (!isMain) {
      RunFactor factor = getFactor(block, run);
      factor.isOfNext = factor.kind == RunFactor::Guard && !factors.empty() &&
                        factors.back().kind == RunFactor::Loop;
      factors.push_back(factor);
    }
    block = isa<func::FuncOp>(op) ? nullptr : op->getBlock();
  }
  std::reverse(factors.begin(), factors.end());
  return factors;
}

bool isProduct(ArrayRef<RunFactor> factors) {
  return llvm::all_of(factors, [](const RunFactor &factor) {
    bool isOpen = factor.kind == RunFactor::Calls ||
                  (factor.kind == RunFactor::Loop && !factor.most);
    return factor.isKnown || factor.isOfNext || isOpen;
  });
}

std::optional<int64_t> getMostRuns(Block *block, const DryRun &run) {
  Operation *op = block->getParentOp();
  if (isa<func::FuncOp>(op))
    return 1;
  if (run.isKnown(block))
    return run.getRuns(block);
  std::optional<int64_t> outer = getMostRuns(op->getBlock(), run);
  if (!outer)
    return outer;
  if (isa<scf::IfOp>(op)) {
    RunFactor factor = getFactor(block, run);
    // `outer` contains the iterations of the loop around the branch.
    return factor.isKnown && factor.outer ? *outer / factor.outer * factor.inner
                                          : *outer;
  }
  DryRun::Control control = run.getControl(op);
  std::optional<int64_t> iterations = getTripCount(op);
  if (!iterations && run.isComplete() && control.isKnown && control.runs)
    iterations = control.most;
  return iterations ? llvm::checkedMul(*outer, *iterations) : iterations;
}

} // namespace tdc::td
