//===- Expansion.cpp - what kernels want written out ----------------------===//

#include "Expansion.h"
#include "Dialect/TD/Analysis/Sizes.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>

using namespace mlir;

namespace tdc::td {

/// Writes softmax as the reductions and elementwise ops it consists of, which
/// fuse with what stands around it. Narrow floats are rounded in the end only.
static void decomposeSoftmax(Operation *op, Value input, int64_t dim,
                             bool isLogarithm) {
  OpBuilder builder(op);
  Location loc = op->getLoc();
  auto type = cast<RankedTensorType>(input.getType());
  if (isNarrowFloat(type.getElementType())) {
    type = type.clone(builder.getF32Type());
    input = CastOp::create(builder, loc, type, input);
  }
  SmallVector<int64_t> kept(type.getShape()), reduced(type.getShape());
  kept[dim] = 1;
  reduced.erase(reduced.begin() + dim);
  auto keptType = type.clone(kept), reducedType = type.clone(reduced);

  auto alongDim = [&](ReduceKind kind, Value value) -> Value {
    Value result = ReduceOp::create(builder, loc, reducedType, kind, value,
                                    ArrayRef<int64_t>{dim});
    SmallVector<Value> keptSizes = getRunTimeSizes(builder, loc, result);
    return ReshapeOp::create(builder, loc, keptType, result, keptSizes);
  };
  auto spread = [&](Value value) -> Value {
    return BroadcastOp::create(builder, loc, type, value,
                               getRunTimeSizes(builder, loc, input));
  };
  Value shifted = SubOp::create(builder, loc, input,
                                spread(alongDim(ReduceKind::Max, input)));
  Value powers = ExpOp::create(builder, loc, shifted);
  Value sum = alongDim(ReduceKind::Sum, powers);
  Value result;
  if (isLogarithm)
    result = SubOp::create(builder, loc, shifted,
                           spread(LogOp::create(builder, loc, sum)));
  else
    result = DivOp::create(builder, loc, powers, spread(sum));
  if (Type wanted = op->getResult(0).getType(); wanted != result.getType())
    result = CastOp::create(builder, loc, wanted, result);
  op->getResult(0).replaceAllUsesWith(result);
  op->erase();
}

/// Sums of narrow floats are f32 inside, and rounded in the end only.
static void widenScatter(Operation *scatter) {
  auto type = cast<RankedTensorType>(scatter->getResult(0).getType());
  if (!isNarrowFloat(type.getElementType()))
    return;
  OpBuilder builder(scatter);
  for (unsigned i : {0, 2}) { // not the indices
    Value operand = scatter->getOperand(i);
    auto own = cast<RankedTensorType>(operand.getType());
    scatter->setOperand(i, CastOp::create(builder, scatter->getLoc(),
                                          own.clone(builder.getF32Type()),
                                          operand));
  }
  Value result = scatter->getResult(0);
  result.setType(type.clone(builder.getF32Type()));
  builder.setInsertionPointAfter(scatter);
  auto rounded = CastOp::create(builder, scatter->getLoc(), type, result);
  result.replaceAllUsesExcept(rounded, rounded);
}

/// Uniform f32 without the bits that a narrow float has not: rounded to the
/// nearest instead, some would be 1.
static Value cutUniform(OpBuilder &builder, RandomOp random, FloatType narrow) {
  Location loc = random.getLoc();
  auto scale = [&](Value value, int exponent) -> Value {
    Value factor = arith::ConstantOp::create(
        builder, loc, builder.getF64FloatAttr(std::ldexp(1.0, exponent)));
    Value factors = FillOp::create(builder, loc, random.getType(), factor,
                                   random.getSizes());
    return MulOp::create(builder, loc, value, factors);
  };
  int bits = narrow.getFPMantissaWidth();
  Value whole = FloorOp::create(builder, loc, scale(random, bits));
  return scale(whole, -bits);
}

/// Whether the bounds fit is asked of the dtype that the program sees: what is
/// made may be wider.
static void checkBounds(RandomOp random) {
  OpBuilder builder(random);
  CheckRandIntOp::create(builder, random.getLoc(), random.getBounds()[0],
                         random.getBounds()[1],
                         getElementTypeOrSelf(random.getType()));
}

/// Random numbers are made with 32 and 64 bits; narrower ones are cast from
/// them.
static void widenRandom(RandomOp random) {
  auto type = cast<RankedTensorType>(random.getType());
  bool isNarrow = type.getElementTypeBitWidth() < 32;
  // On the cpu the runtime makes them, and looks at the bounds.
  if (random.getDistribution() == Distribution::RandInt &&
      (isNarrow || getPlace(type).kind == Place::Kind::Cuda))
    checkBounds(random);
  if (!isNarrow)
    return;
  OpBuilder builder(random);
  auto narrowFloat = dyn_cast<FloatType>(type.getElementType());
  Type wide =
      narrowFloat ? Type(builder.getF32Type()) : Type(builder.getI32Type());
  auto made = cast<RandomOp>(builder.clone(*random));
  made.getResult().setType(
      RankedTensorType::get(type.getShape(), wide, type.getEncoding()));
  Value numbers = random.getDistribution() == Distribution::Uniform
                      ? cutUniform(builder, made, narrowFloat)
                      : made.getResult();
  Value narrow = CastOp::create(builder, random.getLoc(), type, numbers);
  random.getResult().replaceAllUsesWith(narrow);
  random.erase();
}

/// Brings the start of a slice into range, for its kernel may run in front of
/// the check of it. `part` is as long as the slice.
template <typename Slice> static void clampStart(Slice slice, Value part) {
  OpBuilder builder(slice);
  Location loc = slice.getLoc();
  Value whole = slice.getInput(), start = slice.getStart();
  int64_t dim = slice.getDim(), step = slice.getStep();
  auto sizeOf = [&](Value tensor) {
    return cast<RankedTensorType>(tensor.getType()).getDimSize(dim);
  };
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIntOp::create(builder, loc, value, 64);
  };
  auto lastOf = [&](Value tensor) -> Value {
    Value size = getSize(builder, loc, tensor, dim);
    return arith::SubIOp::create(builder, loc, size, constant(1));
  };
  Value last;
  if (!ShapedType::isDynamic(sizeOf(whole)) &&
      !ShapedType::isDynamic(sizeOf(part))) {
    int64_t top = sizeOf(whole) - 1 - (sizeOf(part) - 1) * step;
    std::optional<int64_t> known = getConstantIntValue(start);
    if (known && *known >= 0 && *known <= top)
      return;
    last = constant(top);
  } else if (matchPattern(start, m_Zero())) {
    return;
  } else {
    Value span = lastOf(part);
    span = arith::MulIOp::create(builder, loc, span, constant(step));
    last = arith::SubIOp::create(builder, loc, lastOf(whole), span);
  }
  start = arith::MinSIOp::create(builder, loc, start, last);
  slice.getStartMutable().assign(
      arith::MaxSIOp::create(builder, loc, start, constant(0)));
}

void expandForKernels(Operation *root) {
  // By a list: what they become stands before them.
  SmallVector<Operation *> ops;
  root->walk([&](Operation *op) {
    if (isa<LogSoftmaxOp, RandomOp, ScatterAddAlongOp, ScatterAddOp, SliceOp,
            SoftmaxOp, UpdateSliceOp>(op))
      ops.push_back(op);
  });
  for (Operation *op : ops)
    llvm::TypeSwitch<Operation *>(op)
        .Case([](SoftmaxOp softmax) {
          decomposeSoftmax(softmax, softmax.getInput(), softmax.getDim(),
                           /*isLogarithm=*/false);
        })
        .Case([](LogSoftmaxOp softmax) {
          decomposeSoftmax(softmax, softmax.getInput(), softmax.getDim(),
                           /*isLogarithm=*/true);
        })
        .Case([](RandomOp random) { widenRandom(random); })
        .Case([](SliceOp slice) { clampStart(slice, slice.getResult()); })
        .Case([](UpdateSliceOp update) {
          clampStart(update, update.getUpdate());
        })
        .Default([](Operation *scatter) { widenScatter(scatter); });
}

} // namespace tdc::td
