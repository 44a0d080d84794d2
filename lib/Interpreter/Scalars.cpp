//===- Scalars.cpp - the meaning of host arithmetic -----------------------===//
//
// The ops of arith and math that code generation uses, on i64, f64, i1 and
// index. Cases that arith leaves undefined (division by 0, conversions out of
// range) must not occur: code generation guards them.
//
//===----------------------------------------------------------------------===//

#include "Machine.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <cmath>

using namespace mlir;

namespace tdc {

static int64_t wrap(Value like, int64_t value) {
  return like.getType().isInteger(1) ? value & 1 : value;
}

template <typename OpTy>
static void ints(Machine &machine, int64_t (*meaning)(int64_t, int64_t)) {
  machine.on<OpTy>([=](Machine &m, OpTy op) {
    return m.set(op.getResult(),
                 wrap(op.getResult(),
                      meaning(m.integer(op.getLhs()), m.integer(op.getRhs()))));
  });
}

template <typename OpTy>
static void floats(Machine &machine, double (*meaning)(double, double)) {
  machine.on<OpTy>([=](Machine &m, OpTy op) {
    return m.set(op.getResult(),
                 meaning(m.number(op.getLhs()), m.number(op.getRhs())));
  });
}

template <typename OpTy>
static void floats(Machine &machine, double (*meaning)(double)) {
  machine.on<OpTy>([=](Machine &m, OpTy op) {
    return m.set(op.getResult(), meaning(m.number(op.getOperand())));
  });
}

/// Registers a division. Fails if it has no result.
template <typename OpTy>
static void divisions(Machine &machine, int64_t (*meaning)(int64_t, int64_t)) {
  machine.on<OpTy>([=](Machine &m, OpTy op) -> LogicalResult {
    int64_t lhs = m.integer(op.getLhs()), rhs = m.integer(op.getRhs());
    if (rhs == 0 || (rhs == -1 && lhs == INT64_MIN))
      return op.emitOpError("divides ") << lhs << " by " << rhs;
    return m.set(op.getResult(), meaning(lhs, rhs));
  });
}

//===----------------------------------------------------------------------===//
// Comparison
//===----------------------------------------------------------------------===//

static bool compareInts(arith::CmpIPredicate predicate, int64_t a, int64_t b) {
  using P = arith::CmpIPredicate;
  switch (predicate) {
  case P::eq:
    return a == b;
  case P::ne:
    return a != b;
  case P::slt:
    return a < b;
  case P::sle:
    return a <= b;
  case P::sgt:
    return a > b;
  case P::sge:
    return a >= b;
  case P::ult:
    return uint64_t(a) < uint64_t(b);
  case P::ule:
    return uint64_t(a) <= uint64_t(b);
  case P::ugt:
    return uint64_t(a) > uint64_t(b);
  case P::uge:
    return uint64_t(a) >= uint64_t(b);
  }
  llvm_unreachable("all predicates are above");
}

static bool compareFloats(arith::CmpFPredicate predicate, double a, double b) {
  using P = arith::CmpFPredicate;
  bool unordered = std::isnan(a) || std::isnan(b);
  switch (predicate) {
  case P::AlwaysFalse:
    return false;
  case P::AlwaysTrue:
    return true;
  case P::ORD:
    return !unordered;
  case P::UNO:
    return unordered;
  case P::OEQ:
    return a == b;
  case P::UEQ:
    return unordered || a == b;
  case P::ONE:
    return !unordered && a != b;
  case P::UNE:
    return a != b;
  case P::OLT:
    return a < b;
  case P::ULT:
    return !(a >= b);
  case P::OLE:
    return a <= b;
  case P::ULE:
    return !(a > b);
  case P::OGT:
    return a > b;
  case P::UGT:
    return !(a <= b);
  case P::OGE:
    return a >= b;
  case P::UGE:
    return !(a < b);
  }
  llvm_unreachable("all predicates are above");
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

static LogicalResult runConstant(Machine &m, arith::ConstantOp op) {
  if (auto number = dyn_cast<FloatAttr>(op.getValue()))
    return m.set(op.getResult(), number.getValueAsDouble());
  if (auto number = dyn_cast<IntegerAttr>(op.getValue()))
    return m.set(op.getResult(),
                 wrap(op.getResult(), number.getValue().getSExtValue()));
  return op.emitOpError("is no scalar");
}

static LogicalResult runFPToSI(Machine &m, arith::FPToSIOp op) {
  double value = m.number(op.getIn());
  if (!(value >= -0x1p63 && value < 0x1p63))
    return op.emitOpError("converts ") << value << ", which is out of range";
  return m.set(op.getResult(), int64_t(value));
}

/// -0 is less than +0, and a NaN operand gives NaN.
static double minimum(double a, double b) {
  if (std::isnan(a) || std::isnan(b))
    return a + b;
  return a < b || (a == b && std::signbit(a)) ? a : b;
}

static void addIntegerMeanings(Machine &machine) {
  using I = int64_t;
  using U = uint64_t;
  ints<arith::AddIOp>(machine, [](I a, I b) -> I { return U(a) + U(b); });
  ints<arith::SubIOp>(machine, [](I a, I b) -> I { return U(a) - U(b); });
  ints<arith::MulIOp>(machine, [](I a, I b) -> I { return U(a) * U(b); });
  ints<arith::AndIOp>(machine, [](I a, I b) { return a & b; });
  ints<arith::OrIOp>(machine, [](I a, I b) { return a | b; });
  ints<arith::XOrIOp>(machine, [](I a, I b) { return a ^ b; });
  ints<arith::ShLIOp>(machine, [](I a, I b) -> I { return U(a) << (b & 63); });
  ints<arith::ShRUIOp>(machine, [](I a, I b) -> I { return U(a) >> (b & 63); });
  ints<arith::ShRSIOp>(machine, [](I a, I b) { return a >> (b & 63); });
  ints<arith::MinSIOp>(machine, [](I a, I b) { return std::min(a, b); });
  ints<arith::MaxSIOp>(machine, [](I a, I b) { return std::max(a, b); });
  divisions<arith::DivSIOp>(machine, [](I a, I b) { return a / b; });
  divisions<arith::RemSIOp>(machine, [](I a, I b) { return a % b; });
  divisions<arith::FloorDivSIOp>(machine, [](I a, I b) {
    return a / b - (a % b != 0 && (a % b < 0) != (b < 0));
  });
  machine.on<math::AbsIOp>([](Machine &m, math::AbsIOp op) {
    int64_t value = m.integer(op.getOperand());
    return m.set(op.getResult(), value < 0 ? I(0 - U(value)) : value);
  });
}

static void addFloatMeanings(Machine &machine) {
  floats<arith::AddFOp>(machine, [](double a, double b) { return a + b; });
  floats<arith::SubFOp>(machine, [](double a, double b) { return a - b; });
  floats<arith::MulFOp>(machine, [](double a, double b) { return a * b; });
  floats<arith::DivFOp>(machine, [](double a, double b) { return a / b; });
  floats<arith::MinimumFOp>(machine, minimum);
  floats<arith::MaximumFOp>(
      machine, [](double a, double b) { return -minimum(-a, -b); });
  floats<arith::NegFOp>(machine, [](double a) { return -a; });
  floats<math::PowFOp>(machine, std::pow);
  floats<math::AbsFOp>(machine, std::fabs);
  floats<math::SqrtOp>(machine, std::sqrt);
  floats<math::ExpOp>(machine, std::exp);
  floats<math::LogOp>(machine, std::log);
  floats<math::SinOp>(machine, std::sin);
  floats<math::CosOp>(machine, std::cos);
  floats<math::TanhOp>(machine, std::tanh);
  floats<arith::RemFOp>(machine,
                        [](double a, double b) { return std::fmod(a, b); });
  floats<math::FloorOp>(machine, std::floor);
  floats<math::CeilOp>(machine, std::ceil);
  floats<math::RoundEvenOp>(machine, std::nearbyint);
}

void addScalarMeanings(Machine &machine) {
  addIntegerMeanings(machine);
  addFloatMeanings(machine);
  machine.on<arith::ConstantOp>(runConstant);
  machine.on<arith::CmpIOp>([](Machine &m, arith::CmpIOp op) {
    return m.set(op.getResult(),
                 int64_t(compareInts(op.getPredicate(), m.integer(op.getLhs()),
                                     m.integer(op.getRhs()))));
  });
  machine.on<arith::CmpFOp>([](Machine &m, arith::CmpFOp op) {
    return m.set(op.getResult(),
                 int64_t(compareFloats(op.getPredicate(), m.number(op.getLhs()),
                                       m.number(op.getRhs()))));
  });
  machine.on<arith::SelectOp>([](Machine &m, arith::SelectOp op) {
    Value chosen =
        m.integer(op.getCondition()) ? op.getTrueValue() : op.getFalseValue();
    return m.set(op.getResult(), Datum(m.get(chosen)));
  });
  // An i1 is stored as 0 or 1, so there is nothing to extend.
  machine.on<arith::ExtUIOp>([](Machine &m, arith::ExtUIOp op) {
    return m.set(op.getResult(), m.integer(op.getIn()));
  });
  machine.on<arith::TruncIOp>([](Machine &m, arith::TruncIOp op) {
    return m.set(op.getResult(), wrap(op.getResult(), m.integer(op.getIn())));
  });
  machine.on<arith::IndexCastOp>([](Machine &m, arith::IndexCastOp op) {
    return m.set(op.getResult(), m.integer(op.getIn()));
  });
  machine.on<arith::SIToFPOp>([](Machine &m, arith::SIToFPOp op) {
    return m.set(op.getResult(), double(m.integer(op.getIn())));
  });
  machine.on<arith::UIToFPOp>([](Machine &m, arith::UIToFPOp op) {
    return m.set(op.getResult(), double(uint64_t(m.integer(op.getIn()))));
  });
  machine.on<arith::FPToSIOp>(runFPToSI);
}

} // namespace tdc
