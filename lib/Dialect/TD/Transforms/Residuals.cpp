//===- Residuals.cpp - forward values that the backward pass needs --------===//
//
// Ops without effects are computed again if they cost no more than reading
// their result back and their operands are available; reads of slots, if the
// slot has not changed.
//
//===----------------------------------------------------------------------===//

#include "Residuals.h"
#include "Dialect/TD/Analysis/Sizes.h"
#include "Dialect/TD/IR/CarryingLoop.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tdc::td {

//===----------------------------------------------------------------------===//
// Uses across regions
//===----------------------------------------------------------------------===//

static bool isInside(Region &region, Value value) {
  return region.isAncestor(value.getParentRegion());
}

static void replaceIn(Region &region, Value value, Value by) {
  value.replaceUsesWithIf(by, [&](OpOperand &use) {
    return region.isAncestor(use.getOwner()->getParentRegion());
  });
}

/// Moves td.dim of forward values into the forward region: a size is a number,
/// which takes far less memory to keep than the tensor.
static void takeSizesForward(Region &forward, Region &backward) {
  SmallVector<DimOp> dims;
  backward.walk([&](DimOp dim) {
    if (isInside(forward, dim.getInput()))
      dims.push_back(dim);
  });
  for (DimOp dim : dims) {
    OpBuilder builder(dim.getContext());
    builder.setInsertionPointAfterValue(dim.getInput());
    dim.replaceAllUsesWith(builder.clone(*dim)->getResult(0));
    dim.erase();
  }
}

/// Values of `forward` that `backward` uses, in order of their first use.
static llvm::SetVector<Value> findResiduals(Region &forward, Region &backward) {
  llvm::SetVector<Value> residuals;
  backward.walk<WalkOrder::PreOrder>([&](Operation *op) {
    for (Value operand : op->getOperands())
      if (isInside(forward, operand))
        residuals.insert(operand);
  });
  return residuals;
}

namespace {
/// Computes forward values again at the start of a backward region.
class Recompute {
public:
  Recompute(Region &forward, OpBuilder &builder, CanReadAgain canReadAgain)
      : forward(forward), builder(builder), canReadAgain(canReadAgain) {}

  void provide(Value value, Value again) { mapping.map(value, again); }

  /// Returns the value, computed again; null if that is not cheap.
  Value get(Value value) {
    if (!isInside(forward, value))
      return value;
    if (Value known = mapping.lookupOrNull(value))
      return known;
    Operation *op = value.getDefiningOp();
    if (!op || !isCheap(op))
      return {};
    for (Value operand : op->getOperands()) {
      Value again = get(operand);
      if (!again)
        return {};
      mapping.map(operand, again);
    }
    builder.clone(*op, mapping);
    return mapping.lookup(value);
  }

private:
  bool isCheap(Operation *op) const {
    if (isa<ReadOp>(op))
      return canReadAgain(op);
    if (op->getNumRegions() || !isPure(op))
      return false;
    auto compute = dyn_cast<ComputeOp>(op);
    return !compute || compute.isRepeatable();
  }

  Region &forward;
  OpBuilder &builder;
  CanReadAgain canReadAgain;
  IRMapping mapping;
};
} // namespace

//===----------------------------------------------------------------------===//
// scf.if
//===----------------------------------------------------------------------===//

/// A value of `type` for the side that was not taken; it is never read.
static Value placeholder(TensorBuilder b, OpBuilder &builder, Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return b.make<arith::ConstantOp>(builder.getZeroAttr(type));
  SmallVector<Value> sizes(tensor.getNumDynamicDims());
  for (Value &size : sizes)
    size = b.constantInt(0);
  return b.full(0.0, tensor, sizes);
}

scf::IfOp exportResiduals(scf::IfOp forward, scf::IfOp backward,
                          CanReadAgain canReadAgain) {
  llvm::SetVector<Value> exported[2];
  for (unsigned side : {0, 1}) {
    Region &from = forward->getRegion(side), &to = backward->getRegion(side);
    takeSizesForward(from, to);
    OpBuilder builder = OpBuilder::atBlockBegin(&to.front());
    Recompute recompute(from, builder, canReadAgain);
    for (Value value : findResiduals(from, to)) {
      if (Value again = recompute.get(value))
        replaceIn(to, value, again);
      else
        exported[side].insert(value);
    }
  }
  if (exported[0].empty() && exported[1].empty())
    return forward;

  SmallVector<Type> types(forward.getResultTypes());
  for (auto &values : exported)
    for (Value value : values)
      types.push_back(value.getType());
  OpBuilder builder(forward);
  auto extended =
      scf::IfOp::create(builder, forward.getLoc(), types,
                        forward.getCondition(), /*addThenBlock=*/false,
                        /*addElseBlock=*/false);
  extended->setDiscardableAttrs(forward->getDiscardableAttrDictionary());
  unsigned next = forward.getNumResults();
  for (unsigned side : {0, 1}) {
    for (Value value : exported[side])
      replaceIn(backward->getRegion(side), value, extended.getResult(next++));
    extended->getRegion(side).takeBody(forward->getRegion(side));
    Operation *yield = extended->getRegion(side).front().getTerminator();
    builder.setInsertionPoint(yield);
    TensorBuilder b(builder, forward.getLoc());
    SmallVector<Value> values(yield->getOperands());
    for (unsigned from : {0, 1})
      for (Value value : exported[from])
        values.push_back(
            from == side ? value : placeholder(b, builder, value.getType()));
    yield->setOperands(values);
  }
  forward.replaceAllUsesWith(
      extended.getResults().take_front(forward.getNumResults()));
  forward.erase();
  return extended;
}

//===----------------------------------------------------------------------===//
// scf.for
//===----------------------------------------------------------------------===//

LoopTrip::LoopTrip(scf::ForOp loop)
    : lower(loop.getLowerBound()), step(loop.getStep()),
      staticCount(ShapedType::kDynamic) {
  OpBuilder builder(loop);
  TensorBuilder b(builder, loop.getLoc());
  APInt from, to, by;
  if (matchPattern(lower, m_ConstantInt(&from)) &&
      matchPattern(loop.getUpperBound(), m_ConstantInt(&to)) &&
      matchPattern(step, m_ConstantInt(&by))) {
    int64_t distance = to.getSExtValue() - from.getSExtValue();
    int64_t stride = by.getSExtValue();
    staticCount = distance <= 0 ? 0 : (distance + stride - 1) / stride;
    count = b.constantInt(staticCount);
    return;
  }
  Value distance = b.make<arith::SubIOp>(loop.getUpperBound(), lower);
  count = b.make<arith::MaxSIOp>(b.make<arith::CeilDivSIOp>(distance, step),
                                 b.constantInt(0));
}

Value LoopTrip::numberOf(Value induction, TensorBuilder b) const {
  return b.make<arith::DivSIOp>(b.make<arith::SubIOp>(induction, lower), step);
}

Value LoopTrip::inductionOf(Value number, TensorBuilder b) const {
  return b.make<arith::AddIOp>(lower, b.make<arith::MulIOp>(number, step));
}

/// The type of a value as one row of a stack: `1 x` its shape. Null if values
/// of this type cannot be stacked.
static RankedTensorType getRowType(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return type.isIntOrFloat() ? RankedTensorType::get({1}, type)
                               : RankedTensorType();
  if (!tensor.hasStaticShape())
    return {};
  SmallVector<int64_t> shape{1};
  llvm::append_range(shape, tensor.getShape());
  return withShape(tensor, shape);
}

static RankedTensorType getStackType(RankedTensorType row, int64_t count) {
  SmallVector<int64_t> shape(row.getShape());
  shape[0] = count;
  return withShape(row, shape);
}

/// Makes `loop` return, for each of `values`, a stack of all iterations' values
/// as an additional result.
static scf::ForOp addStacks(scf::ForOp loop, ArrayRef<Value> values,
                            const LoopTrip &trip) {
  Location loc = loop.getLoc();
  OpBuilder builder(loop);
  TensorBuilder b(builder, loc);
  SmallVector<Value> initial(loop.getInitArgs());
  for (Value value : values) {
    auto type =
        getStackType(getRowType(value.getType()), trip.getStaticCount());
    SmallVector<Value> sizes;
    if (!type.hasStaticShape())
      sizes.push_back(trip.getCount());
    initial.push_back(b.full(0.0, type, sizes));
  }
  auto extended =
      scf::ForOp::create(builder, loc, loop.getLowerBound(),
                         loop.getUpperBound(), loop.getStep(), initial);
  extended->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  extended.getRegion().takeBody(loop.getRegion());

  Block *body = extended.getBody();
  Operation *yield = body->getTerminator();
  builder.setInsertionPoint(yield);
  SmallVector<Value> yielded(yield->getOperands());
  Value number = trip.numberOf(extended.getInductionVar(), b);
  for (auto [value, init] :
       llvm::zip_equal(values, ArrayRef(initial).take_back(values.size()))) {
    Value stack = body->addArgument(init.getType(), loc);
    RankedTensorType rowType = getRowType(value.getType());
    Value row = isa<RankedTensorType>(value.getType())
                    ? b.make<ReshapeOp>(rowType, value, ValueRange())
                    : b.make<FillOp>(rowType, value, ValueRange());
    yielded.push_back(b.make<UpdateSliceOp>(stack, row, number,
                                            /*dim=*/0, /*step=*/1));
  }
  yield->setOperands(yielded);
  loop.replaceAllUsesWith(
      extended.getResults().take_front(loop.getNumResults()));
  loop.erase();
  return extended;
}

/// Returns the names of the `arg`s that determine the run-time sizes of
/// `value`; none if anything else has a part in them. Creates ops that compute
/// the sizes.
static llvm::SetVector<llvm::StringRef> findSizeArgs(Value value) {
  OpBuilder builder(value.getContext());
  llvm::SetVector<llvm::StringRef> names;
  llvm::SetVector<Value> sizes;
  builder.setInsertionPointAfterValue(value);
  sizes.insert_range(getRunTimeSizes(builder, value.getLoc(), value));
  for (size_t i = 0; i < sizes.size(); ++i) {
    Operation *op = sizes[i].getDefiningOp();
    if (auto arg = dyn_cast_or_null<ArgOp>(op)) {
      names.insert(arg.getArgName());
    } else if (auto dim = dyn_cast_or_null<DimOp>(op)) {
      // The size is the same in each iteration if this one passes it on to the
      // next.
      auto loop = CarryingLoop::ofArgument(dim.getInput());
      if (!loop)
        return {};
      unsigned index = loop.getIndex(dim.getInput());
      Operation *yield = loop.getYield();
      builder.setInsertionPoint(yield);
      Value next = getSize(builder, value.getLoc(), yield->getOperand(index),
                           dim.getIndex());
      auto same = next.getDefiningOp<DimOp>();
      if (!same || same.getInput() != dim.getInput() ||
          same.getIndex() != dim.getIndex())
        return {};
      builder.setInsertionPoint(loop.getOperation());
      sizes.insert(getSize(builder, value.getLoc(),
                           loop.getInits()[index].get(), dim.getIndex()));
    } else if (op && op->getNumRegions() == 0 &&
               isa<arith::ArithDialect>(op->getDialect())) {
      sizes.insert_range(op->getOperands());
    } else {
      return {};
    }
  }
  return names;
}

FailureOr<scf::ForOp> stackResiduals(scf::ForOp forward, scf::ForOp backward,
                                     const LoopTrip &trip,
                                     CanReadAgain canReadAgain) {
  Region &from = forward.getRegion(), &to = backward.getRegion();
  takeSizesForward(from, to);
  llvm::SetVector<Value> residuals = findResiduals(from, to);

  OpBuilder builder = OpBuilder::atBlockBegin(&to.front());
  TensorBuilder b(builder, forward.getLoc());
  Value last = b.make<arith::SubIOp>(trip.getCount(), b.constantInt(1));
  Value number = b.make<arith::SubIOp>(last, backward.getInductionVar());
  Recompute recompute(from, builder, canReadAgain);
  recompute.provide(forward.getInductionVar(), trip.inductionOf(number, b));
  SmallVector<Value> stacked;
  for (Value value : residuals) {
    if (Value again = recompute.get(value)) {
      replaceIn(to, value, again);
    } else if (getRowType(value.getType())) {
      stacked.push_back(value);
    } else {
      auto error = forward.emitError(
          "TD900: gradient through this loop is not built yet");
      error.attachNote(value.getLoc())
          << "the backward pass needs this value of every iteration, and its "
             "size is known only at run time";
      if (auto names = findSizeArgs(value); !names.empty()) {
        auto &note = error.attachNote(value.getLoc()) << "`";
        llvm::interleave(
            names, note,
            [&](llvm::StringRef name) { note << "--set " << name << "=…"; },
            " ");
        note << "` makes the size known";
      }
      return failure();
    }
  }
  if (stacked.empty())
    return forward;

  scf::ForOp extended = addStacks(forward, stacked, trip);
  for (auto [value, stack] : llvm::zip_equal(
           stacked, extended.getResults().take_back(stacked.size()))) {
    Value row = b.make<SliceOp>(getRowType(value.getType()), stack, number,
                                /*dim=*/0, /*step=*/1, ValueRange());
    Value again = isa<RankedTensorType>(value.getType())
                      ? b.make<ReshapeOp>(value.getType(), row, ValueRange())
                      : b.make<ItemOp>(value.getType(), row);
    replaceIn(to, value, again);
  }
  return extended;
}

} // namespace tdc::td
