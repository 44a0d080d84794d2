//===- WatchValues.cpp - td-watch-values: report where nan arises ---------===//
//
// The first report of a run is the one that is shown, and ops run after their
// operands: it names the op in which a number first became infinite or nan.
//
//===----------------------------------------------------------------------===//

#include "Dialect/TD/Analysis/Reporting/UserNames.h"
#include "Dialect/TD/Gradients/TensorBuilder.h"
#include "Dialect/TD/Transforms/Passes.h"
#include <limits>

namespace tdc::td {
#define GEN_PASS_DEF_TDWATCHVALUESPASS
#include "Dialect/TD/Transforms/Passes.h.inc"
} // namespace tdc::td

using namespace mlir;

namespace tdc::td {
namespace {
/// Whether finite operands can have a result that is not finite. A cast can:
/// f16 has no numbers above 65504.
bool mayOverflow(ComputeOp op) {
  const OpInfo &info = op.getInfo();
  return isFloatTensor(op->getResult(0)) &&
         (info.tolerance != Tolerance::Exact || info.family == OpFamily::Cast);
}

/// Which elements have finite operands, as bools; null if that is not asked: of
/// an op whose elements are read from other positions.
Value areFinite(ComputeOp op, TensorBuilder &b) {
  Value all;
  if (!op->hasTrait<ElementwiseOp>())
    return all;
  for (Value operand : op->getOperands()) {
    if (!isFloatTensor(operand))
      continue;
    Value one =
        b.compare(ComparePredicate::LT, b.make<AbsOp>(operand),
                  b.full(std::numeric_limits<double>::infinity(), operand));
    all = all ? b.make<AndOp>(all, one) : one;
  }
  return all;
}

void watch(ComputeOp op) {
  OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  TensorBuilder b(builder, op.getLoc());
  Value result = op->getResult(0);
  SmallVector<OpOperand *> uses(llvm::make_pointer_range(result.getUses()));
  Value finite = areFinite(op, b);
  Value seen = finite ? b.select(finite, result, b.zeros(result)) : result;
  std::string words = getUserName(op) +
                      (isOfGradient(op.getLoc()) ? " of a gradient" : "") +
                      " gives {value}";
  auto watched = WatchOp::create(builder, withWords(op.getLoc(), words), seen);
  Value passed = watched;
  if (finite)
    passed = b.select(finite, watched, result);
  for (OpOperand *use : uses)
    use->set(passed);
}

struct WatchValuesPass : public impl::TDWatchValuesPassBase<WatchValuesPass> {
  void runOnOperation() override {
    if (!getOperation()->removeAttr(kCheckNumericsAttr))
      return;
    SmallVector<ComputeOp> ops;
    getOperation()->walk([&](ComputeOp op) {
      if (mayOverflow(op))
        ops.push_back(op);
    });
    for (ComputeOp op : ops)
      watch(op);
  }
};
} // namespace
} // namespace tdc::td
