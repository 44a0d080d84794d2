//===- ControlFlow.cpp - the meaning of loops, branches and kernels -------===//

#include "Machine.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tdc {

static LogicalResult runFor(Machine &m, scf::ForOp op) {
  int64_t lower = m.integer(op.getLowerBound()),
          upper = m.integer(op.getUpperBound()), step = m.integer(op.getStep());
  if (step <= 0)
    return op.emitOpError("has a step of ") << step;
  llvm::SmallVector<Datum> carried = m.get(op.getInitArgs());
  // Count the iterations, as unsigned numbers: the index after the last one may
  // overflow.
  uint64_t iterations =
      lower < upper ? (uint64_t(upper) - uint64_t(lower) - 1) / step + 1 : 0;
  for (uint64_t iteration = 0; iteration != iterations; ++iteration) {
    carried.insert(carried.begin(), int64_t(lower + iteration * step));
    llvm::SmallVector<Datum> next;
    if (failed(m.runBlock(*op.getBody(), carried, next)))
      return failure();
    carried = std::move(next);
  }
  m.ledger.addLoop(op, iterations);
  return m.set(op.getResults(), carried);
}

/// The first carried value says whether there is another iteration.
static LogicalResult runWhile(Machine &m, scf::WhileOp op) {
  llvm::SmallVector<Datum> carried = m.get(op.getInits());
  int64_t iterations = 0;
  while (std::get<int64_t>(carried.front())) {
    ++iterations;
    llvm::SmallVector<Datum> next;
    if (failed(m.runBlock(*op.getAfterBody(), carried, next)))
      return failure();
    carried = std::move(next);
  }
  m.ledger.addLoop(op, iterations);
  return m.set(op.getResults(), carried);
}

static LogicalResult runIf(Machine &m, scf::IfOp op) {
  bool isTaken = m.integer(op.getCondition());
  m.ledger.addBranch(op, isTaken);
  Region &side = isTaken ? op.getThenRegion() : op.getElseRegion();
  llvm::SmallVector<Datum> results;
  if (!side.empty() && failed(m.runBlock(side.front(), {}, results)))
    return failure();
  return m.set(op.getResults(), results);
}

static LogicalResult runKernel(Machine &m, td::KernelOp op) {
  llvm::SmallVector<Datum> results;
  if (failed(m.runBlock(op.getBody().front(), m.get(op.getInputs()), results)))
    return failure();
  // The host allocates the results with these sizes.
  ValueRange sizes = op.getSizes();
  for (auto [result, datum] : llvm::zip_equal(op.getResults(), results)) {
    unsigned count =
        cast<RankedTensorType>(result.getType()).getNumDynamicDims();
    Extents expected = m.getDims(result, sizes.take_front(count));
    sizes = sizes.drop_front(count);
    if (std::get<TensorRef>(datum)->dims != expected)
      return op.emitOpError("yields a value of other sizes than it says");
  }
  return m.set(op.getResults(), results);
}

void addControlFlowMeanings(Machine &machine) {
  machine.on<scf::ForOp>(runFor);
  machine.on<scf::WhileOp>(runWhile);
  machine.on<scf::IfOp>(runIf);
  machine.on<td::KernelOp>(runKernel);
}

} // namespace tdc
