//===- TileEvaluator.cpp - values of a nest at the loops' position --------===//

#include "CodeGen/TileEvaluator.h"
#include "CodeGen/BF16Pairs.h"
#include "CodeGen/Constructors.h"
#include "CodeGen/ElementOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace tdc::td;

namespace tdc {

//===----------------------------------------------------------------------===//
// Scopes
//===----------------------------------------------------------------------===//

TileEvaluator::TileEvaluator(KernelFunction &function, const LoopNest &nest,
                             int64_t lanes)
    : positions(nest.getLoops().size()), steps(nest.getLoops().size(), 1),
      function(function), b(function.builder), nest(nest), lanes(lanes),
      isFlat(function.flatSize != nullptr) {
  scopes.push_back({/*loops=*/0, /*entry=*/nullptr, {}});
}

void TileEvaluator::pushScope(unsigned loop, Operation *entry) {
  scopes.push_back({scopes.back().loops | toLoopSet(loop), entry, {}});
  depth = scopes.size();
}

void TileEvaluator::pushBranch(Operation *branch) {
  scopes.push_back({scopes.back().loops, branch, {}});
  depth = scopes.size();
}

void TileEvaluator::popScope() {
  scopes.pop_back();
  depth = scopes.size();
}

TileEvaluator::Key TileEvaluator::makeKey(const void *what, const void *at,
                                          LoopSet loops,
                                          const Tile &tile) const {
  llvm::SmallVector<int64_t> offsets;
  for (unsigned loop = 0; loop < tile.size(); ++loop)
    if (contains(loops, loop))
      offsets.push_back(tile[loop]);
  // Distinguishes a vector from the scalar of its first lane.
  if (laneLoop >= 0 && contains(loops, laneLoop))
    offsets.push_back(laneLoop);
  return {what, at, std::move(offsets)};
}

Value TileEvaluator::lookup(const Key &key) const {
  for (size_t i = depth; i-- > 0;)
    if (auto known = scopes[i].values.find(key);
        known != scopes[i].values.end())
      return known->second;
  return Value();
}

Value TileEvaluator::emitOutside(Value value, const Coordinates &at,
                                 const Key &key,
                                 llvm::function_ref<Value()> make) {
  LoopSet loops = nest.getLoopsOf(value, at);
  size_t outer = nest.needsReduction(value, at) ? resultDepth : 1;
  while (outer < depth && (loops & ~scopes[outer - 1].loops))
    ++outer;
  OpBuilder::InsertionGuard guard(b);
  for (size_t i = outer; i < depth; ++i)
    if (scopes[i].entry) {
      b.setInsertionPoint(scopes[i].entry);
      break;
    }
  size_t inner = std::exchange(depth, outer);
  Value result = make();
  depth = inner;
  return scopes[outer - 1].values[key] = result;
}

void TileEvaluator::setResult(Value of, const Reduction &reduction,
                              const Tile &tile, Value result) {
  resultDepth = scopes.size();
  scopes.back().values[makeKey(of.getAsOpaquePointer(), reduction.at,
                               reduction.parallel, tile)] = result;
}

bool TileEvaluator::dependsOnLane(Value value, const Coordinates &at) const {
  LoopSet loops = nest.getLoopsOf(value, at);
  return laneLoop >= 0 && (isFlat ? loops != 0 : contains(loops, laneLoop));
}

Value TileEvaluator::toVector(Value value) {
  if (isa<VectorType>(value.getType()))
    return value;
  Key key{value.getAsOpaquePointer(), this, {width}};
  if (Value known = lookup(key))
    return known;
  return scopes[depth - 1].values[key] = vector::BroadcastOp::create(
             b, function.loc, VectorType::get({width}, value.getType()), value);
}

Value TileEvaluator::toVector(Value value, const Tile &tile) {
  llvm::SaveAndRestore<int64_t> own(width, getWidth(tile));
  return toVector(value);
}

Value TileEvaluator::getMask(const Tile &tile) const {
  auto known = masks.find(tile[laneLoop]);
  return known == masks.end() ? Value() : known->second;
}

int64_t TileEvaluator::getWidth(const Tile &tile) const {
  Value mask = laneLoop >= 0 ? getMask(tile) : Value();
  return mask ? cast<VectorType>(mask.getType()).getNumElements() : lanes;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Value TileEvaluator::evaluate(Value value, const Coordinates &at,
                              const Tile &tile) {
  Key key = makeKey(value.getAsOpaquePointer(), &at, nest.getLoopsOf(value, at),
                    tile);
  if (Value known = lookup(key))
    return known;
  llvm::SaveAndRestore<int64_t> own(width, getWidth(tile));
  return emitOutside(value, at, key, [&]() -> Value {
    if (panel.holds(value, at))
      return LLVM::LoadOp::create(
          b, function.loc, VectorType::get({width}, panel.getElementType()),
          getAddress(panel, tile));
    if (value == kept.of.tensor && &at == kept.of.at)
      return load(kept.in->tensor, kept.in->pointer, at, kept.in->layout, tile);
    Operation *op = value.getDefiningOp();
    return op && nest.isInside(op)
               ? compute(op, at, tile)
               : load(value, function.pointers.lookup(value), at,
                      function.getLayout(value), tile);
  });
}

Value TileEvaluator::evaluatePairs(const Access &value, const Tile &tile,
                                   unsigned loop, bool hasSecond) {
  const Coordinates &at = *value.at;
  if (panel.holds(value.tensor, at))
    return evaluate(value.tensor, at, tile);
  Key key = makeKey(value.tensor.getAsOpaquePointer(), &at,
                    nest.getLoopsOf(value.tensor, at), tile);
  std::get<2>(key).push_back(hasSecond ? -2 : -1); // no offset of a loop
  if (Value known = lookup(key))
    return known;
  Value first = evaluate(value.tensor, at, tile), second;
  if (hasSecond) {
    Tile next(tile);
    ++next[loop];
    second = evaluate(value.tensor, at, next);
  } else {
    second = arith::ConstantOp::create(b, function.loc,
                                       b.getZeroAttr(first.getType()));
  }
  return scopes[depth - 1].values[key] =
             emitBF16Pairs(b, function.loc, first, second);
}

Value TileEvaluator::compute(Operation *op, const Coordinates &at,
                             const Tile &tile) {
  OpFamily family = cast<ComputeOp>(op).getInfo().family;
  if (family == OpFamily::Constructor)
    return construct(op, at, tile);
  if (family == OpFamily::Movement) {
    // The index is checked even if all elements are equal and it is not needed.
    const Coordinates &from = nest.operandAt(op, 0, at);
    for (Coordinate coordinate : from)
      if (const NestSymbol *picked = nest.findPicked(coordinate);
          picked && picked->picker == op)
        getPicked(*picked, tile);
    return evaluate(op->getOperand(0), from, tile);
  }
  assert(op->hasTrait<ElementwiseOp>() &&
         "a reduction is evaluated before it is asked for");
  SmallVector<Value> operands;
  for (unsigned i = 0; i < op->getNumOperands(); ++i)
    operands.push_back(
        evaluate(op->getOperand(i), nest.operandAt(op, i, at), tile));
  if (llvm::any_of(operands,
                   [](Value v) { return isa<VectorType>(v.getType()); }))
    for (Value &value : operands)
      value = toVector(value);
  if (isa<WatchOp>(op)) {
    reportNotFinite(op, operands.front(), tile);
    return operands.front();
  }
  return emitElementOp(b, op, operands);
}

/// Reports an element of the operand of a td.watch if it is NaN or infinite; of
/// a vector the sum of such lanes.
void TileEvaluator::reportNotFinite(Operation *watch, Value value,
                                    const Tile &tile) {
  Location loc = watch->getLoc();
  Value isBad = arith::CmpFOp::create(
      b, loc, arith::CmpFPredicate::UGE, math::AbsFOp::create(b, loc, value),
      makeConstant(b, loc, value.getType(),
                   std::numeric_limits<double>::infinity()));
  bool isVector = isa<VectorType>(value.getType());
  Value some = isBad;
  if (isVector) {
    if (Value mask = getMask(tile))
      isBad = arith::AndIOp::create(b, loc, isBad, mask);
    some =
        vector::ReductionOp::create(b, loc, vector::CombiningKind::OR, isBad);
  }
  scf::IfOp::create(b, loc, some, [&](OpBuilder &inner, Location) {
    Value offender = value;
    if (isVector)
      offender = vector::ReductionOp::create(
          inner, loc, vector::CombiningKind::ADD,
          arith::SelectOp::create(
              inner, loc, isBad, value,
              makeConstant(inner, loc, value.getType(), 0)));
    if (!offender.getType().isF64())
      offender =
          arith::ExtFOp::create(inner, loc, inner.getF64Type(), offender);
    function.reportValue(inner, watch, offender);
    scf::YieldOp::create(inner, loc);
  });
}

Value TileEvaluator::construct(Operation *op, const Coordinates &at,
                               const Tile &tile) {
  Value number;
  if (!cast<ComputeOp>(op).getElement())
    number = getNumber(op->getResult(0), at, tile);
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    Value scalar = function.scalars.lookup(operand);
    bool isVector = scalar && number && isa<VectorType>(number.getType());
    operands.push_back(isVector ? toVector(scalar) : scalar);
  }
  return emitConstructor(b, op, operands, number);
}

//===----------------------------------------------------------------------===//
// Coordinates and addresses
//===----------------------------------------------------------------------===//

Value TileEvaluator::getLaneIndices(const Tile &tile) {
  Key key = makeKey(&masks, nullptr, toLoopSet(laneLoop), tile);
  if (Value known = lookup(key))
    return known;
  Location loc = function.loc;
  llvm::SaveAndRestore<int64_t> own(width, getWidth(tile));
  auto type = VectorType::get({width}, b.getIntegerType(function.indexBits));
  SmallVector<Attribute> steps;
  for (int64_t lane = 0; lane < width; ++lane)
    steps.push_back(
        b.getIntegerAttr(type.getElementType(), tile[laneLoop] + lane));
  Value numbers =
      arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, steps));
  return scopes[depth - 1].values[key] = arith::AddIOp::create(
             b, loc, toVector(positions[laneLoop]), numbers);
}

/// A picked index, checked. An index out of range is reported with the line of
/// the op that picks, and 0 is read instead. Kernels that pick from an empty
/// dim do not get here (EmptyPickers.h).
Value TileEvaluator::getPicked(const NestSymbol &picked, const Tile &tile) {
  Key key = makeKey(picked.picker, picked.at,
                    nest.getLoopsOf(picked.value, *picked.at), tile);
  if (Value known = lookup(key))
    return known;
  return emitOutside(picked.value, *picked.at, key, [&] {
    Value index = evaluate(picked.value, *picked.at, tile);
    if (isa<VectorType>(index.getType()))
      if (Value mask = getMask(tile))
        index = arith::SelectOp::create(
            b, function.loc, mask, index,
            makeIntConstant(b, function.loc, index.getType(), 0));
    return checkIndex(picked.picker, index);
  });
}

Value TileEvaluator::checkIndex(Operation *picker, Value index) {
  Location loc = picker->getLoc();
  Value size = function.getPickedSize(picker);
  bool isVector = isa<VectorType>(index.getType());
  Value limit = isVector ? toVector(size) : size;
  Value zero = makeIntConstant(b, loc, index.getType(), 0), position = index;
  if (cast<Picker>(picker).countsFromEnd()) {
    Value isNegative =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, index, zero);
    position = arith::SelectOp::create(
        b, loc, isNegative, arith::AddIOp::create(b, loc, index, limit), index);
  }
  Value isBad =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::uge, position, limit);
  Value some = isBad, offender = index;
  if (isVector) {
    some =
        vector::ReductionOp::create(b, loc, vector::CombiningKind::OR, isBad);
    offender = vector::ReductionOp::create(
        b, loc, vector::CombiningKind::MAXSI,
        arith::SelectOp::create(
            b, loc, isBad, index,
            makeIntConstant(b, loc, index.getType(), INT64_MIN)));
  }
  scf::IfOp::create(b, loc, some, [&](OpBuilder &inner, Location) {
    function.reportIndex(inner, picker, offender);
    scf::YieldOp::create(inner, loc);
  });
  return arith::SelectOp::create(b, loc, isBad, zero, position);
}

Value TileEvaluator::getLoopPosition(unsigned loop, const Tile &tile) {
  if (int(loop) == laneLoop)
    return getLaneIndices(tile);
  Value position = positions[loop];
  if (!tile[loop])
    return position;
  // A loop that is held in full has no position.
  Value offset = function.index(tile[loop]);
  return position
             ? Value(arith::AddIOp::create(b, function.loc, position, offset))
             : offset;
}

Value TileEvaluator::getSymbol(const NestSymbol &symbol, const Tile &tile) {
  switch (symbol.kind) {
  case AccessSymbol::Scalar:
    return function.toIndex(function.scalars.lookup(symbol.value));
  case AccessSymbol::Element:
    return function.toIndex(getPicked(symbol, tile));
  case AccessSymbol::Size:
    return function.toIndex(function.getSize(symbol.value, symbol.dim));
  }
  llvm_unreachable("all kinds are above");
}

Value TileEvaluator::add(Value sum, Value value) {
  if (!sum)
    return value;
  if (isa<VectorType>(sum.getType()) || isa<VectorType>(value.getType())) {
    sum = toVector(sum);
    value = toVector(value);
  }
  return arith::AddIOp::create(b, function.loc, sum, value);
}

Value TileEvaluator::evaluateCoordinate(Coordinate coordinate,
                                        const Tile &tile) {
  Location loc = function.loc;
  llvm::SaveAndRestore<int64_t> own(width, getWidth(tile));
  CoordinateSum sum(coordinate);
  Value result;
  for (auto [part, factor] : sum.parts) {
    int loop = getLoop(part);
    Value value = loop >= 0 ? getLoopPosition(loop, tile)
                            : getSymbol(nest.getSymbol(part), tile);
    if (!value)
      continue;
    if (factor != 1)
      value = arith::MulIOp::create(
          b, loc, value, makeIntConstant(b, loc, value.getType(), factor));
    result = add(result, value);
  }
  if (sum.constant || !result)
    result = add(result, function.index(sum.constant));
  return result;
}

Value TileEvaluator::getNumber(Value tensor, const Coordinates &at,
                               const Tile &tile) {
  Location loc = function.loc;
  if (isFlat)
    return function.toI64(
        evaluateCoordinate(getAffineDimExpr(0, b.getContext()), tile));
  Value sum, stride;
  for (unsigned dim = at.size(); dim-- > 0;) {
    Value value = function.toI64(evaluateCoordinate(at[dim], tile));
    if (stride)
      value = arith::MulIOp::create(
          b, loc, value,
          isa<VectorType>(value.getType()) ? toVector(stride) : stride);
    sum = add(sum, value);
    Value size = function.getSize(tensor, dim);
    stride = stride ? Value(arith::MulIOp::create(b, loc, stride, size)) : size;
  }
  return sum ? sum : function.i64(0);
}

Value TileEvaluator::getLaneAddresses(Value tensor, Value pointer,
                                      const Coordinates &at,
                                      const Layout &layout, const Tile &tile) {
  Location loc = function.loc;
  RankedTensorType type = function.getTypeInMemory(tensor);
  Value sum = toVector(function.index(0)), stride = function.index(1);
  auto addTerm = [&](Value value) {
    value = arith::MulIOp::create(b, loc, value, toVector(stride));
    sum = arith::AddIOp::create(b, loc, sum, value);
  };
  Value block;
  for (int64_t dim : llvm::reverse(layout.order)) {
    bool isBlocked = layout.block && dim == layout.getLast();
    if (at[dim] != 0) {
      Value value = toVector(evaluateCoordinate(at[dim], tile));
      if (isBlocked) {
        Value size = toVector(function.index(layout.block));
        block = arith::DivUIOp::create(b, loc, value, size);
        value = arith::RemUIOp::create(b, loc, value, size);
      }
      addTerm(value);
    }
    Value size = isBlocked ? function.index(layout.block)
                 : type.isDynamicDim(dim)
                     ? function.toIndex(function.getSize(tensor, dim))
                     : function.index(type.getDimSize(dim));
    stride = arith::MulIOp::create(b, loc, stride, size);
  }
  if (block)
    addTerm(block);
  return LLVM::GEPOp::create(
      b, loc, VectorType::get({width}, pointer.getType()),
      getMemoryType(type.getElementType()), pointer, ValueRange{sum});
}

Value TileEvaluator::move(Value pointer, Type memory, Value elements) {
  return LLVM::GEPOp::create(b, function.loc, pointer.getType(), memory,
                             pointer, ValueRange{elements});
}

Value TileEvaluator::move(Value pointer, Type memory, int64_t elements) {
  if (elements == 0)
    return pointer;
  // A constant index has 29 bits.
  if (!llvm::isInt<29>(elements))
    return move(pointer, memory, function.index(elements));
  return LLVM::GEPOp::create(b, function.loc, pointer.getType(), memory,
                             pointer,
                             ArrayRef<LLVM::GEPArg>{int32_t(elements)});
}

BlockOffset TileEvaluator::getBlockOffset(const Coordinates &at,
                                          RankedTensorType type,
                                          const Layout &layout,
                                          const Tile &tile) const {
  BlockOffset offset;
  offset.strides.resize(type.getRank(), 1);
  int64_t stride = layout.block;
  for (int64_t dim : llvm::reverse(ArrayRef(layout.order).drop_back())) {
    offset.strides[dim] = stride;
    if (type.isDynamicDim(dim))
      offset.isStatic = false;
    else
      stride *= type.getDimSize(dim);
    for (auto [part, factor] : CoordinateSum(at[dim]).parts)
      if (int loop = getLoop(part); loop >= 0)
        offset.constant += tile[loop] * factor * offset.strides[dim];
  }
  offset.blockStride = stride;
  int loop = getLoop(at[layout.getLast()]);
  offset.isAligned = loop >= 0 && steps[loop] % layout.block == 0;
  for (Coordinate coordinate : at)
    offset.isPicked |= nest.findPicked(coordinate) != nullptr;
  if (offset.isAligned) {
    int64_t blocks = tile[loop] / layout.block;
    offset.constant += tile[loop] % layout.block;
    if (offset.isStatic)
      offset.constant += blocks * stride;
    else
      offset.blocks = blocks;
  }
  return offset;
}

Value TileEvaluator::getAddressInBlocks(Value tensor, Value pointer,
                                        const Coordinates &at,
                                        const Layout &layout,
                                        const Tile &tile) {
  Location loc = function.loc;
  RankedTensorType type = function.getTypeInMemory(tensor);
  Type memory = getMemoryType(type.getElementType());
  BlockOffset offset = getBlockOffset(at, type, layout, tile);
  // The rest of the address is the same for the whole tile.
  bool isShared = offset.isAligned && !offset.isPicked;
  Key key = makeKey(pointer.getAsOpaquePointer(), &at, 0, tile);
  Value base = isShared ? lookup(key) : Value();
  auto getBlockStride = [&]() -> Value {
    Value known = function.index(offset.blockStride);
    if (offset.isStatic)
      return known;
    Value size = function.getSize(tensor, layout.order.front());
    return arith::MulIOp::create(b, loc, known, function.toIndex(size));
  };
  if (!base) {
    Tile origin = isShared ? Tile(tile.size(), 0) : tile;
    Value sum = function.index(0);
    auto addTerm = [&](Value value, Value stride) {
      if (stride)
        value = arith::MulIOp::create(b, loc, value, stride);
      sum = arith::AddIOp::create(b, loc, sum, value);
    };
    int lane = std::exchange(laneLoop, -1); // the first lane's coordinates
    for (int64_t dim : layout.order) {
      if (at[dim] == 0)
        continue;
      Value value = evaluateCoordinate(at[dim], origin);
      if (dim != layout.getLast()) {
        addTerm(value, function.index(offset.strides[dim]));
        continue;
      }
      Value size = function.index(layout.block);
      addTerm(arith::DivUIOp::create(b, loc, value, size), getBlockStride());
      if (!isShared)
        addTerm(arith::RemUIOp::create(b, loc, value, size), /*stride=*/{});
    }
    laneLoop = lane;
    base = move(pointer, memory, sum);
    if (isShared)
      scopes[depth - 1].values[key] = base;
  }
  if (!isShared)
    return base;
  if (offset.blocks)
    base = move(base, memory,
                arith::MulIOp::create(b, loc, getBlockStride(),
                                      function.index(offset.blocks)));
  return move(base, memory, offset.constant);
}

Value TileEvaluator::getAddress(Value tensor, Value pointer,
                                const Coordinates &at, const Layout &layout,
                                const Tile &tile) {
  Location loc = function.loc;
  RankedTensorType type = function.getTypeInMemory(tensor);
  Type memory = getMemoryType(type.getElementType());
  if (isFlat) {
    if (!getLoops(at))
      return pointer;
    Key key{pointer.getAsOpaquePointer(), this, {}};
    Value base = lookup(key);
    if (!base)
      base = scopes[depth - 1].values[key] =
          move(pointer, memory, positions[0]);
    return move(base, memory, tile[0]);
  }
  if (layout.block)
    return getAddressInBlocks(tensor, pointer, at, layout, tile);

  // Offsets in the tile are constants if the strides are; the rest of the
  // address is the same for the whole tile and computed once.
  int64_t constant = 0, staticStride = 1;
  bool hasDynamicStride = false;
  Tile origin(tile);
  for (int64_t dim : llvm::reverse(layout.order)) {
    if (!hasDynamicStride)
      for (auto [part, factor] : CoordinateSum(at[dim]).parts)
        if (int loop = getLoop(part); loop >= 0)
          constant += tile[loop] * factor * staticStride;
    if (type.isDynamicDim(dim))
      hasDynamicStride = true;
    else
      staticStride *= type.getDimSize(dim);
  }
  bool isConstantInTile = !hasDynamicStride;
  for (Coordinate coordinate : at)
    isConstantInTile &= !nest.findPicked(coordinate);
  LoopSet varying = 0;
  if (!isConstantInTile) {
    constant = 0;
    varying = getLoops(at);
    for (Coordinate coordinate : at)
      if (const NestSymbol *picked = nest.findPicked(coordinate))
        varying |= nest.getLoopsOf(picked->value, *picked->at);
  } else {
    std::fill(origin.begin(), origin.end(), 0);
  }

  Key key = makeKey(pointer.getAsOpaquePointer(), &at, varying, tile);
  Value base = lookup(key);
  if (!base) {
    Value sum, stride;
    staticStride = 1;
    int lane = std::exchange(laneLoop, -1); // the first lane's coordinates
    for (int64_t dim : llvm::reverse(layout.order)) {
      if (at[dim] != 0) {
        Value value = evaluateCoordinate(at[dim], origin);
        if (staticStride != 1)
          value = arith::MulIOp::create(b, loc, value,
                                        function.index(staticStride));
        if (stride)
          value = arith::MulIOp::create(b, loc, value, stride);
        sum = sum ? Value(arith::AddIOp::create(b, loc, sum, value)) : value;
      }
      if (!type.isDynamicDim(dim))
        staticStride *= type.getDimSize(dim);
      else {
        Value size = function.toIndex(function.getSize(tensor, dim));
        stride =
            stride ? Value(arith::MulIOp::create(b, loc, stride, size)) : size;
      }
    }
    laneLoop = lane;
    base = scopes[depth - 1].values[key] =
        sum ? move(pointer, memory, sum) : pointer;
  }
  return move(base, memory, constant);
}

Type Panel::getElementType() const {
  Type element = getElementTypeOrSelf(of.tensor.getType());
  return hasPairs ? IntegerType::get(element.getContext(), 32)
                  : getRegisterType(element);
}

Value TileEvaluator::getAddress(const Panel &panel, const Tile &tile) {
  Location loc = function.loc;
  Value number;
  for (unsigned row : panel.rows) {
    if (number)
      number = arith::MulIOp::create(b, loc, number,
                                     function.getExtent(nest.getLoops()[row]));
    number = add(number, positions[row]);
    // A pair is one element of the panel.
    if (tile[row] && !panel.hasPairs)
      number = add(number, function.index(tile[row]));
  }
  int64_t width = panel.hasPairs ? panel.width / 2 : panel.width;
  Value offset = arith::MulIOp::create(b, loc, number, function.index(width));
  offset = add(offset, function.index(tile[laneLoop]));
  return LLVM::GEPOp::create(b, loc, panel.pointer.getType(),
                             panel.getElementType(), panel.pointer,
                             ValueRange{offset});
}

Value TileEvaluator::getAddress(const Access &input, const Tile &tile) {
  return getAddress(input.tensor, function.pointers.lookup(input.tensor),
                    *input.at, function.getLayout(input.tensor), tile);
}

} // namespace tdc
