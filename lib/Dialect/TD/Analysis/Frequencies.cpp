//===- Frequencies.cpp - how often a block runs ---------------------------===//

#include "Dialect/TD/Analysis/Frequencies.h"
#include "Dialect/TD/IR/CarryingLoop.h"
#include "Dialect/TD/IR/TD.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tdc::td {

static constexpr double kDefaultIterations = 10, kDefaultTaken = 0.5;

static std::optional<int64_t> getConstant(Value value) {
  APInt constant;
  if (!matchPattern(value, m_ConstantInt(&constant)))
    return std::nullopt;
  return constant.getSExtValue();
}

uint64_t countIterations(int64_t lower, int64_t upper, int64_t step) {
  if (step <= 0 || lower >= upper)
    return 0;
  // The difference of any two int64_t fits a uint64_t.
  uint64_t distance = static_cast<uint64_t>(upper) - lower;
  return (distance - 1) / step + 1;
}

std::optional<int64_t> getTripCount(Operation *op) {
  if (op->hasAttr(kCountedAttr)) {
    std::optional<int64_t> iterations =
        getConstant(CarryingLoop(op).getInits()[2].get());
    return iterations ? std::max<int64_t>(*iterations, 0) : iterations;
  }
  auto loop = dyn_cast<scf::ForOp>(op);
  if (!loop)
    return std::nullopt;
  auto lower = getConstant(loop.getLowerBound()),
       upper = getConstant(loop.getUpperBound()),
       step = getConstant(loop.getStep());
  if (!lower || !upper || !step || *step <= 0)
    return std::nullopt;
  return int64_t(
      std::min(countIterations(*lower, *upper, *step), uint64_t(INT64_MAX)));
}

/// The divisor k of a remainder that the language rounds down: `r = a rem k`,
/// and `r + (r < 0 ? k : 0)`. Nullopt for other values.
static std::optional<int64_t> getModulus(Value value) {
  if (auto sum = value.getDefiningOp<arith::AddIOp>())
    value = sum.getLhs();
  auto remainder = value.getDefiningOp<arith::RemSIOp>();
  return remainder ? getConstant(remainder.getRhs()) : std::nullopt;
}

/// The estimated probability that a condition holds.
static double getLikelihood(Value condition) {
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  if (!compare)
    return kDefaultTaken;
  auto modulus = getModulus(compare.getLhs());
  if (!modulus)
    modulus = getModulus(compare.getRhs());
  if (!modulus || *modulus < 1)
    return kDefaultTaken;
  double one = 1.0 / static_cast<double>(*modulus);
  return compare.getPredicate() == arith::CmpIPredicate::eq   ? one
         : compare.getPredicate() == arith::CmpIPredicate::ne ? 1 - one
                                                              : kDefaultTaken;
}

double getRunsOfRegion(Operation *op, unsigned region) {
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    double taken = getLikelihood(branch.getCondition());
    return region == 0 ? taken : 1 - taken;
  }
  if (isa<scf::ForOp, scf::WhileOp>(op)) {
    std::optional<int64_t> iterations = getTripCount(op);
    return iterations ? static_cast<double>(*iterations) : kDefaultIterations;
  }
  return 1;
}

} // namespace tdc::td
