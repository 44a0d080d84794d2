//===- HostNumbers.cpp - integers of the host -----------------------------===//

#include "Dialect/TD/Analysis/Reporting/HostNumbers.h"
#include "Dialect/TD/IR/Locations.h"
#include "Dialect/TD/IR/TD.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tdc::td {

/// Wraps around, as the arithmetic of the host does.
static int64_t wrap(uint64_t value) { return static_cast<int64_t>(value); }

static std::optional<int64_t> computeBinary(Operation *op, int64_t a,
                                            int64_t b) {
  auto ua = static_cast<uint64_t>(a), ub = static_cast<uint64_t>(b);
  bool divides = b != 0 && (a != INT64_MIN || b != -1);
  using Result = std::optional<int64_t>;
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case([&](arith::AddIOp) { return wrap(ua + ub); })
      .Case([&](arith::SubIOp) { return wrap(ua - ub); })
      .Case([&](arith::MulIOp) { return wrap(ua * ub); })
      .Case([&](arith::DivSIOp) { return divides ? Result(a / b) : Result(); })
      .Case([&](arith::RemSIOp) { return divides ? Result(a % b) : Result(); })
      .Case([&](arith::AndIOp) { return a & b; })
      .Case([&](arith::OrIOp) { return a | b; })
      .Case([&](arith::XOrIOp) { return a ^ b; })
      .Case([&](arith::ShLIOp) { return int64_t(ua << (ub & 63)); })
      .Case([&](arith::ShRSIOp) { return a >> (ub & 63); })
      .Case([&](arith::MaxSIOp) { return std::max(a, b); })
      .Case([&](arith::MinSIOp) { return std::min(a, b); })
      .Case([&](arith::CmpIOp compare) {
        return arith::applyCmpPredicate(compare.getPredicate(), APInt(64, ua),
                                        APInt(64, ub));
      })
      .Default([](Operation *) { return Result(); });
}

std::optional<HostNumber>
computeNumber(Value result, llvm::function_ref<HostNumber(Value)> operand) {
  Operation *op = result.getDefiningOp();
  APInt constant;
  if (matchPattern(result, m_ConstantInt(&constant)))
    return HostNumber{constant.getBitWidth() == 1
                          ? int64_t(constant.getZExtValue())
                          : constant.getSExtValue(),
                      true};
  if (!result.getType().isInteger())
    return std::nullopt;
  if (auto choice = dyn_cast<arith::SelectOp>(op)) {
    HostNumber condition = operand(choice.getCondition());
    HostNumber taken = operand(condition.value ? choice.getTrueValue()
                                               : choice.getFalseValue());
    return HostNumber{taken.value, taken.isKnown && condition.isKnown};
  }
  if (op->getNumOperands() != 2 || !op->getOperand(0).getType().isInteger())
    return std::nullopt;
  HostNumber a = operand(op->getOperand(0)), b = operand(op->getOperand(1));
  std::optional<int64_t> value = computeBinary(op, a.value, b.value);
  if (!value)
    return std::nullopt;
  bool isKnown = a.isKnown && b.isKnown;
  // One side is enough if it decides: `false and x`, `true or x`.
  auto decides = [&](int64_t side) {
    return (a.isKnown && a.value == side) || (b.isKnown && b.value == side);
  };
  if (result.getType().isInteger(1) &&
      ((isa<arith::AndIOp>(op) && decides(0)) ||
       (isa<arith::OrIOp>(op) && decides(1))))
    isKnown = true;
  return HostNumber{*value, isKnown};
}

HostNumber assumeNumber(Value value, unsigned time) {
  if (!value.getType().isInteger(1))
    // A resumed program has iterations left: `for epoch in range(start, 4)`.
    return {value.getDefiningOp<RestoreScalarOp>() ? 1 : 4, false};
  FileLineColLoc location = getUserLocation(value.getLoc());
  uint64_t seed = time;
  if (location)
    seed +=
        uint64_t(location.getLine()) * 1000003 + location.getColumn() * 8191;
  seed = (seed ^ (seed >> 15)) * 0x9E3779B97F4A7C15u;
  return {(seed >> 40) % 4 != 0, false};
}

} // namespace tdc::td
