//===- FlatLoops.cpp - several loops of a nest as one ---------------------===//

#include "FlatLoops.h"

using namespace mlir;
using namespace tdc::td;

namespace tdc {

SmallVector<Value> splitNumber(OpBuilder &b, Location loc, Value number,
                               ArrayRef<Value> sizes) {
  SmallVector<Value> positions(sizes.size());
  for (size_t dim = sizes.size(); dim-- > 1;) {
    positions[dim] = arith::RemUIOp::create(b, loc, number, sizes[dim]);
    number = arith::DivUIOp::create(b, loc, number, sizes[dim]);
  }
  if (!positions.empty())
    positions.front() = number;
  return positions;
}

Value FlatLoops::count() const {
  Value count;
  for (unsigned loop : loops) {
    Value extent = function.getExtent(nest.getLoops()[loop]);
    count = count ? Value(arith::MulIOp::create(function.builder, function.loc,
                                                count, extent))
                  : extent;
  }
  return count;
}

bool FlatLoops::isMultipleOf(int64_t number) const {
  int64_t count = 1;
  for (unsigned loop : loops) {
    int64_t extent = nest.getLoops()[loop].extent;
    if (ShapedType::isDynamic(extent))
      return false;
    count *= extent;
  }
  return count % number == 0;
}

Value FlatLoops::requireInside(Value condition, Value position) const {
  Value isInside =
      arith::CmpIOp::create(function.builder, function.loc,
                            arith::CmpIPredicate::ult, position, count());
  return condition ? Value(arith::AndIOp::create(function.builder, function.loc,
                                                 condition, isInside))
                   : isInside;
}

void FlatLoops::setPosition(TileEvaluator &evaluator, Tile &tile, Value first,
                            int64_t offset) const {
  if (isOne()) {
    evaluator.positions[loops.front()] = first;
    tile[loops.front()] = offset;
    return;
  }
  OpBuilder &b = function.builder;
  if (offset)
    first =
        arith::AddIOp::create(b, function.loc, first, function.index(offset));
  auto extents = llvm::map_to_vector(loops, [&](unsigned loop) {
    return function.getExtent(nest.getLoops()[loop]);
  });
  for (auto [loop, position] :
       llvm::zip(loops, splitNumber(b, function.loc, first, extents)))
    evaluator.positions[loop] = position;
}

void FlatLoops::pushScopes(TileEvaluator &evaluator, Operation *entry) const {
  for (unsigned loop : loops)
    evaluator.pushScope(loop, std::exchange(entry, nullptr));
}

void FlatLoops::popScopes(TileEvaluator &evaluator) const {
  for (size_t i = 0; i < loops.size(); ++i)
    evaluator.popScope();
}

} // namespace tdc
