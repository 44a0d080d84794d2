//===- Elementwise.cpp - the meaning of elementwise ops -------------------===//
//
// Floats are computed in f64 and rounded once to the dtype, which gives the
// correctly rounded result for + - * / and sqrt of narrower dtypes. Integers
// are computed in 64 bits and wrap.
//
//===----------------------------------------------------------------------===//

#include "Dialect/TD/OpTable/Floor.h"
#include "Machine.h"
#include <cmath>

using namespace mlir;
using namespace tdc::td;

namespace tdc {

//===----------------------------------------------------------------------===//
// Integers that wrap
//===----------------------------------------------------------------------===//

static int64_t add(int64_t a, int64_t b) { return uint64_t(a) + uint64_t(b); }
static int64_t sub(int64_t a, int64_t b) { return uint64_t(a) - uint64_t(b); }
static int64_t mul(int64_t a, int64_t b) { return uint64_t(a) * uint64_t(b); }

static int64_t floorDiv(int64_t a, int64_t b) {
  if (b == 0)
    return 0;
  if (b == -1)
    return sub(0, a);
  return a / b - (a % b != 0 && (a % b < 0) != (b < 0));
}

static int64_t divide(DType dtype, int64_t a, int64_t b) {
  if (dtype == DType::U64)
    return b == 0 ? 0 : uint64_t(a) / uint64_t(b);
  return floorDiv(a, b);
}

static int64_t mod(DType dtype, int64_t a, int64_t b) {
  return b == 0 ? 0 : sub(a, mul(b, divide(dtype, a, b)));
}

static int64_t power(DType dtype, int64_t a, int64_t b) {
  if (b < 0 && dtype != DType::U64)
    return a == 1 ? 1 : a == -1 ? (b % 2 ? -1 : 1) : 0;
  int64_t result = 1;
  for (uint64_t left = b; left > 0; left >>= 1, a = mul(a, a))
    if (left & 1)
      result = mul(result, a);
  return result;
}

/// Whether a shift by `count` leaves a bit of an element.
static bool isCount(DType dtype, int64_t count) {
  return count >= 0 && count < 8 * int64_t(byteSize(dtype));
}

static int64_t shiftLeft(DType dtype, int64_t a, int64_t count) {
  return isCount(dtype, count) ? uint64_t(a) << count : 0;
}

static int64_t shiftRight(DType dtype, int64_t a, int64_t count) {
  if (dtype == DType::U64)
    return isCount(dtype, count) ? uint64_t(a) >> count : 0;
  if (!isCount(dtype, count))
    return a < 0 ? -1 : 0;
  return a >> count;
}

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

static double sign(double x) { return x > 0 ? 1 : x < 0 ? -1 : x + 0.0; }
static double relu(double x) { return x <= 0 ? 0 : x; }

static double sigmoid(double x) {
  return x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x));
}

static double larger(double a, double b) {
  return std::isnan(a) || a > b ? a : b;
}
static double smaller(double a, double b) {
  return std::isnan(a) || a < b ? a : b;
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

using FloatUnary = double (*)(double);
using IntUnary = int64_t (*)(int64_t);
using FloatBinary = double (*)(double, double);
using IntBinary = int64_t (*)(int64_t, int64_t);
/// Depends on the dtype: the same bits are other numbers.
using DTypeUnary = int64_t (*)(DType, int64_t);
using DTypeBinary = int64_t (*)(DType, int64_t, int64_t);

static int64_t call(IntUnary meaning, DType, int64_t x) { return meaning(x); }
static int64_t call(DTypeUnary meaning, DType dtype, int64_t x) {
  return meaning(dtype, x);
}
static int64_t call(IntBinary meaning, DType, int64_t a, int64_t b) {
  return meaning(a, b);
}
static int64_t call(DTypeBinary meaning, DType dtype, int64_t a, int64_t b) {
  return meaning(dtype, a, b);
}

template <typename OpTy, typename OnInt = IntUnary>
static void unary(Machine &machine, FloatUnary onFloat,
                  std::common_type_t<OnInt> onInt) {
  machine.on<OpTy>([=](Machine &m, OpTy op) {
    const Tensor &x = m.tensor(op.getInput());
    Tensor result = m.makeResult(op.getResult(), x.dims);
    for (int64_t i = 0; i < x.size(); ++i) {
      if (x.isFloat())
        result.setFloat(i, onFloat(x.getFloat(i)));
      else
        result.setInt(i, call(onInt, x.dtype, x.getInt(i)));
    }
    return m.set(op.getResult(), std::move(result));
  });
}

/// Checks the sizes at run time: sizes that are `?` in the types may differ.
static LogicalResult checkSizes(Operation *op, const Tensor &x,
                                const Tensor &y) {
  if (x.dims == y.dims)
    return success();
  return op->emitOpError("has operands of different sizes");
}

template <typename OpTy, typename OnInt = IntBinary>
static void binary(Machine &machine, FloatBinary onFloat,
                   std::common_type_t<OnInt> onInt) {
  machine.on<OpTy>([=](Machine &m, OpTy op) -> LogicalResult {
    const Tensor &x = m.tensor(op.getLhs()), &y = m.tensor(op.getRhs());
    if (failed(checkSizes(op, x, y)))
      return failure();
    Tensor result = m.makeResult(op.getResult(), x.dims);
    for (int64_t i = 0; i < x.size(); ++i) {
      if (!x.isFloat())
        result.setInt(i, call(onInt, x.dtype, x.getInt(i), y.getInt(i)));
      else
        result.setFloat(i, onFloat(x.getFloat(i), y.getFloat(i)));
    }
    return m.set(op.getResult(), std::move(result));
  });
}

template <typename T>
static bool compare(ComparePredicate predicate, T x, T y) {
  switch (predicate) {
  case ComparePredicate::EQ:
    return x == y;
  case ComparePredicate::NE:
    return x != y;
  case ComparePredicate::LT:
    return x < y;
  case ComparePredicate::LE:
    return x <= y;
  case ComparePredicate::GT:
    return x > y;
  case ComparePredicate::GE:
    return x >= y;
  }
  llvm_unreachable("all predicates are above");
}

static LogicalResult runCompare(Machine &m, CompareOp op) {
  const Tensor &x = m.tensor(op.getLhs()), &y = m.tensor(op.getRhs());
  if (failed(checkSizes(op, x, y)))
    return failure();
  Tensor result = m.makeResult(op.getResult(), x.dims);
  ComparePredicate predicate = op.getPredicate();
  for (int64_t i = 0; i < x.size(); ++i) {
    if (x.isFloat())
      result.setInt(i, compare(predicate, x.getFloat(i), y.getFloat(i)));
    else if (x.dtype == DType::U64)
      result.setInt(
          i, compare(predicate, uint64_t(x.getInt(i)), uint64_t(y.getInt(i))));
    else
      result.setInt(i, compare(predicate, x.getInt(i), y.getInt(i)));
  }
  return m.set(op.getResult(), std::move(result));
}

static LogicalResult runFloorDiv(Machine &m, FloorDivOp op) {
  const Tensor &x = m.tensor(op.getLhs()), &y = m.tensor(op.getRhs());
  if (failed(checkSizes(op, x, y)))
    return failure();
  Tensor result = m.makeResult(op.getResult(), x.dims);
  for (int64_t i = 0; i < x.size(); ++i) {
    if (x.isFloat())
      result.setFloat(i, floorQuotient(x.getFloat(i), y.getFloat(i)));
    else
      result.setInt(i, divide(x.dtype, x.getInt(i), y.getInt(i)));
  }
  return m.set(op.getResult(), std::move(result));
}

static LogicalResult runSelect(Machine &m, SelectOp op) {
  const Tensor &condition = m.tensor(op.getCondition());
  const Tensor &x = m.tensor(op.getOnTrue()), &y = m.tensor(op.getOnFalse());
  if (failed(checkSizes(op, x, y)) || failed(checkSizes(op, condition, x)))
    return failure();
  Tensor result = m.makeResult(op.getResult(), x.dims);
  for (int64_t i = 0; i < x.size(); ++i)
    result.setCast(i, condition.getInt(i) ? x : y, i);
  return m.set(op.getResult(), std::move(result));
}

static LogicalResult runCast(Machine &m, CastOp op) {
  const Tensor &x = m.tensor(op.getInput());
  Tensor result = m.makeResult(op.getResult(), x.dims);
  for (int64_t i = 0; i < x.size(); ++i)
    result.setCast(i, x, i);
  return m.set(op.getResult(), std::move(result));
}

static LogicalResult runWatch(Machine &m, WatchOp op) {
  const Tensor &x = m.tensor(op.getInput());
  for (int64_t i = 0; i < x.size(); ++i)
    if (!std::isfinite(x.getFloat(i)))
      tdrt_kernel_value(m.context(), x.getFloat(i), m.site(op));
  if (failed(m.check(tdrt_poll(m.context()))))
    return failure();
  return m.set(op.getResult(), m.get(op.getInput()));
}

void addElementwiseMeanings(Machine &machine) {
  unary<NegOp>(
      machine, [](double x) { return -x; },
      [](int64_t x) { return sub(0, x); });
  unary<AbsOp, DTypeUnary>(
      machine, [](double x) { return std::fabs(x); },
      [](DType dtype, int64_t x) {
        return isLess(dtype, x, 0) ? sub(0, x) : x;
      });
  unary<SignOp, DTypeUnary>(machine, sign, [](DType dtype, int64_t x) {
    return int64_t(isLess(dtype, 0, x)) - int64_t(isLess(dtype, x, 0));
  });
  unary<ReluOp, DTypeUnary>(machine, relu, [](DType dtype, int64_t x) {
    return isLess(dtype, x, 0) ? 0 : x;
  });
  unary<ExpOp>(machine, std::exp, nullptr);
  unary<Expm1Op>(machine, std::expm1, nullptr);
  unary<LogOp>(machine, std::log, nullptr);
  unary<Log1pOp>(machine, std::log1p, nullptr);
  unary<SqrtOp>(machine, std::sqrt, nullptr);
  unary<RsqrtOp>(machine, [](double x) { return 1 / std::sqrt(x); }, nullptr);
  unary<SinOp>(machine, std::sin, nullptr);
  unary<CosOp>(machine, std::cos, nullptr);
  unary<TanOp>(machine, std::tan, nullptr);
  unary<AsinOp>(machine, std::asin, nullptr);
  unary<AcosOp>(machine, std::acos, nullptr);
  unary<AtanOp>(machine, std::atan, nullptr);
  unary<SinhOp>(machine, std::sinh, nullptr);
  unary<CoshOp>(machine, std::cosh, nullptr);
  unary<TanhOp>(machine, std::tanh, nullptr);
  unary<AcoshOp>(machine, std::acosh, nullptr);
  unary<ErfOp>(machine, std::erf, nullptr);
  unary<SigmoidOp>(machine, sigmoid, nullptr);
  unary<FloorOp>(machine, std::floor, nullptr);
  unary<CeilOp>(machine, std::ceil, nullptr);
  unary<TruncOp>(machine, std::trunc, nullptr);
  unary<RoundOp>(machine, std::nearbyint, nullptr);
  unary<NotOp>(machine, nullptr, [](int64_t x) { return ~x; });

  binary<AddOp>(machine, [](double a, double b) { return a + b; }, add);
  binary<SubOp>(machine, [](double a, double b) { return a - b; }, sub);
  binary<MulOp>(machine, [](double a, double b) { return a * b; }, mul);
  binary<DivOp>(machine, [](double a, double b) { return a / b; }, nullptr);
  binary<ModOp, DTypeBinary>(machine, floorRemainder, mod);
  binary<PowOp, DTypeBinary>(machine, std::pow, power);
  binary<MaxOp, DTypeBinary>(machine, larger,
                             [](DType dtype, int64_t a, int64_t b) {
                               return isLess(dtype, a, b) ? b : a;
                             });
  binary<MinOp, DTypeBinary>(machine, smaller,
                             [](DType dtype, int64_t a, int64_t b) {
                               return isLess(dtype, b, a) ? b : a;
                             });
  binary<CopysignOp>(machine, std::copysign, nullptr);
  binary<Atan2Op>(machine, std::atan2, nullptr);
  binary<AndOp>(machine, nullptr, [](int64_t a, int64_t b) { return a & b; });
  binary<OrOp>(machine, nullptr, [](int64_t a, int64_t b) { return a | b; });
  binary<XorOp>(machine, nullptr, [](int64_t a, int64_t b) { return a ^ b; });
  binary<ShlOp, DTypeBinary>(machine, nullptr, shiftLeft);
  binary<ShrOp, DTypeBinary>(machine, nullptr, shiftRight);

  machine.on<FloorDivOp>(runFloorDiv);
  machine.on<CompareOp>(runCompare);
  machine.on<SelectOp>(runSelect);
  machine.on<CastOp>(runCast);
  machine.on<WatchOp>(runWatch);
}

} // namespace tdc
