//===- Accumulation.cpp - one step of a reduction -------------------------===//

#include "CodeGen/Accumulation.h"
#include "CodeGen/ElementOps.h"
#include "CodeGen/NarrowFloats.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace tdc::td;

namespace tdc {

Partial takePartial(const Reduction &reduction, ValueRange &carried) {
  auto takeOne = [&] {
    Value value = carried.front();
    carried = carried.drop_front();
    return value;
  };
  Partial partial;
  partial.value = takeOne();
  if (reduction.givesIndex())
    partial.index = takeOne();
  return partial;
}

void putPartial(Partial partial, SmallVectorImpl<Value> &carried) {
  carried.push_back(partial.value);
  if (partial.index)
    carried.push_back(partial.index);
}

/// The elements of the reduction's result in a tile.
static int64_t countInTile(const Reduction &reduction,
                           ArrayRef<int64_t> factors) {
  int64_t count = 1;
  for (auto [loop, factor] : llvm::enumerate(factors))
    if (contains(reduction.parallel, loop))
      count *= factor;
  return count;
}

int64_t countChains(ArrayRef<Reduction> reductions, ArrayRef<int64_t> factors) {
  int64_t count = 0;
  for (const Reduction &reduction : reductions)
    count += countInTile(reduction, factors);
  return count;
}

int64_t countAccumulators(ArrayRef<Reduction> reductions,
                          ArrayRef<int64_t> factors) {
  int64_t count = 0;
  for (const Reduction &reduction : reductions)
    count += countInTile(reduction, factors) * (reduction.givesIndex() ? 2 : 1);
  return count;
}

/// Whether `value` replaces `best`: it is better, or it is the first NaN.
static Value isBetter(OpBuilder &b, Location loc, ReduceKind kind, Value value,
                      Value best, Type element) {
  if (!isa<FloatType>(element)) {
    bool isMax = kind == ReduceKind::Max,
         isUnsigned = element.isUnsignedInteger();
    auto predicate = isMax ? (isUnsigned ? arith::CmpIPredicate::ugt
                                         : arith::CmpIPredicate::sgt)
                           : (isUnsigned ? arith::CmpIPredicate::ult
                                         : arith::CmpIPredicate::slt);
    return arith::CmpIOp::create(b, loc, predicate, value, best);
  }
  auto predicate = kind == ReduceKind::Max ? arith::CmpFPredicate::OGT
                                           : arith::CmpFPredicate::OLT;
  auto isNaN = [&](Value x) -> Value {
    return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, x, x);
  };
  Value better = arith::CmpFOp::create(b, loc, predicate, value, best);
  Value one = makeIntConstant(b, loc, better.getType(), -1);
  Value firstNaN = arith::AndIOp::create(
      b, loc, isNaN(value), arith::XOrIOp::create(b, loc, isNaN(best), one));
  return arith::OrIOp::create(b, loc, better, firstNaN);
}

/// The same for (value, index) pairs; of equal values the smaller index is
/// better.
static Value isBetterOrFirst(OpBuilder &b, Location loc, ReduceKind kind,
                             std::pair<Value, Value> candidate,
                             std::pair<Value, Value> best, Type element) {
  Value better = isBetter(b, loc, kind, candidate.first, best.first, element);
  Value worse = isBetter(b, loc, kind, best.first, candidate.first, element);
  Value isEarlier = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt,
                                          candidate.second, best.second);
  Value no = makeIntConstant(b, loc, worse.getType(), 0);
  return arith::OrIOp::create(
      b, loc, better, arith::SelectOp::create(b, loc, worse, no, isEarlier));
}

Type getElement(const Reduction &reduction) {
  return getElementTypeOrSelf(reduction.op->getOperand(0).getType());
}

bool isFloatSum(const Reduction &reduction) {
  return reduction.getCombination() == ReduceKind::Sum &&
         isa<FloatType>(getElement(reduction));
}

Partial makeNeutral(OpBuilder &b, Location loc, const Reduction &reduction,
                    int64_t lanes) {
  auto typeOf = [&](Type scalar) -> Type {
    return lanes ? Type(VectorType::get({lanes}, scalar)) : scalar;
  };
  Type element = getElement(reduction);
  Partial none;
  none.value = emitNeutral(b, loc, reduction.getCombination(), element,
                           typeOf(getRegisterType(element)));
  if (reduction.givesIndex())
    none.index = makeIntConstant(b, loc, typeOf(b.getI64Type()), 0);
  return none;
}

Partial accumulate(OpBuilder &b, Location loc, const Reduction &reduction,
                   Partial before, ValueRange operands, Value position) {
  Type element = getElement(reduction);
  ReduceKind kind = reduction.getCombination();
  Value x = operands[0];
  if (reduction.isContraction()) {
    Value y = operands[1];
    // `contract`: the product may be rounded first
    // (lib/Target/MultiplyAdd.cpp).
    if (isa<FloatType>(element))
      return {math::FmaOp::create(b, loc, x, y, before.value,
                                  arith::FastMathFlags::contract),
              {}};
    Value product = arith::MulIOp::create(b, loc, x, y);
    return {arith::AddIOp::create(b, loc, before.value, product), {}};
  }
  if (!before.index)
    return {emitCombine(b, loc, kind, element, before.value, x), {}};
  // Positions increase along one loop, but not in every order of several loops.
  Value better = reduction.loops.size() > 1
                     ? isBetterOrFirst(b, loc, kind, {x, position},
                                       {before.value, before.index}, element)
                     : isBetter(b, loc, kind, x, before.value, element);
  return {arith::SelectOp::create(b, loc, better, x, before.value),
          arith::SelectOp::create(b, loc, better, position, before.index)};
}

Partial combine(OpBuilder &b, Location loc, const Reduction &reduction,
                Partial one, Partial other) {
  Type element = getElement(reduction);
  ReduceKind kind = reduction.getCombination();
  if (!one.index)
    return {emitCombine(b, loc, kind, element, one.value, other.value), {}};
  Value better = isBetterOrFirst(b, loc, kind, {other.value, other.index},
                                 {one.value, one.index}, element);
  return {arith::SelectOp::create(b, loc, better, other.value, one.value),
          arith::SelectOp::create(b, loc, better, other.index, one.index)};
}

Value roundResult(OpBuilder &b, Location loc, const Reduction &reduction,
                  Operation *op, Value result) {
  Type element = getElementTypeOrSelf(op->getResult(0).getType());
  ReduceKind kind = reduction.getCombination();
  bool isExact = kind == ReduceKind::Max || kind == ReduceKind::Min;
  return td::isNarrowFloat(element) && !isExact
             ? emitRounded(b, loc, result, element)
             : result;
}

} // namespace tdc
