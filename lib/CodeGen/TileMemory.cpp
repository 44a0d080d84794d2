//===- TileMemory.cpp - the loads and stores of a TileEvaluator -----------===//

#include "CodeGen/ElementOps.h"
#include "CodeGen/TileEvaluator.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/SaveAndRestore.h"
#include <numeric>

using namespace mlir;
using namespace tdc::td;

namespace tdc {

unsigned TileEvaluator::getAlignment(Value tensor, const Coordinates &at,
                                     const Layout &layout,
                                     const Tile &tile) const {
  RankedTensorType type = function.getTypeInMemory(tensor);
  int64_t bytes =
      getMemoryType(type.getElementType()).getIntOrFloatBitWidth() / 8;
  if (function.tensorAlignment == 0)
    return bytes;
  // Every part of the offset is a multiple of `common` elements.
  int64_t common = function.tensorAlignment / bytes, stride = 1;
  auto add = [&](int64_t multiple) {
    common = std::gcd(common, multiple * stride);
  };
  if (isFlat) {
    if (getLoops(at)) {
      add(steps[0]);
      add(tile[0]);
    }
    return common * bytes;
  }
  if (layout.block) {
    BlockOffset offset = getBlockOffset(at, type, layout, tile);
    if (!offset.isAligned)
      return bytes;
    for (int64_t dim : ArrayRef(layout.order).drop_back())
      add(offset.strides[dim]);
    add(offset.blockStride);
    add(offset.constant);
    return common * bytes;
  }
  for (int64_t dim : llvm::reverse(layout.order)) {
    CoordinateSum sum(at[dim]);
    for (auto [part, factor] : sum.parts) {
      int loop = getLoop(part);
      add(loop >= 0 ? factor * steps[loop] : factor);
      if (loop >= 0)
        add(factor * tile[loop]);
    }
    add(sum.constant);
    if (!type.isDynamicDim(dim))
      stride *= type.getDimSize(dim);
  }
  return common * bytes;
}

unsigned TileEvaluator::getAlignment(const Access &input,
                                     const Tile &tile) const {
  return getAlignment(input.tensor, *input.at, function.getLayout(input.tensor),
                      tile);
}

Value TileEvaluator::getAccessMask(const Tile &tile, int stride) {
  Value mask = getMask(tile);
  if (!mask && stride < 0)
    mask = makeIntConstant(b, function.loc,
                           VectorType::get({width}, b.getI1Type()), -1);
  return mask;
}

Value TileEvaluator::loadLanes(Type memory, Value address, int stride,
                               Value mask) {
  Location loc = function.loc;
  unsigned bytes = memory.getIntOrFloatBitWidth() / 8;
  auto vector = VectorType::get({width}, memory);
  if (!mask)
    return LLVM::LoadOp::create(b, loc, vector, address, bytes);
  Value zero = LLVM::ZeroOp::create(b, loc, vector);
  if (stride < 0)
    return LLVM::masked_gather::create(b, loc, vector, address, mask,
                                       ValueRange{zero}, bytes);
  return LLVM::MaskedLoadOp::create(b, loc, vector, address, mask, zero,
                                    b.getI32IntegerAttr(bytes),
                                    /*nontemporal=*/nullptr);
}

Value TileEvaluator::load(Value tensor, Value pointer, const Coordinates &at,
                          const Layout &layout, const Tile &tile) {
  Location loc = function.loc;
  Type element = getElementTypeOrSelf(tensor.getType());
  Type memory = getMemoryType(element);
  int stride = 0;
  if (dependsOnLane(tensor, at)) {
    stride = isFlat ? 1 : getLaneStride(nest, {tensor, &at}, laneLoop, layout);
    if (stride == 0) // the stride comes only through an index tensor
      stride = -1;
  }
  if (stride < 0 && transposedLoop >= 0 && !getMask(tile) &&
      isTransposed(nest, {tensor, &at}, unsigned(laneLoop),
                   unsigned(transposedLoop), layout))
    return loadTransposed(tensor, pointer, at, layout, tile);
  Value address = stride < 0
                      ? getLaneAddresses(tensor, pointer, at, layout, tile)
                      : getAddress(tensor, pointer, at, layout, tile);

  Value result =
      stride == 0
          ? LLVM::LoadOp::create(b, loc, memory, address,
                                 getAlignment(tensor, at, layout, tile))
          : loadLanes(memory, address, stride, getAccessMask(tile, stride));
  return emitFromMemory(b, loc, result, element);
}

/// Transposes a square of as many vectors as each has lanes: exchanges blocks
/// of 1 lane, of 2, 4, and so on.
static void transpose(OpBuilder &b, Location loc, SmallVector<Value> &rows) {
  auto lanes = int64_t(rows.size());
  for (int64_t block = 1; block < lanes; block *= 2) {
    SmallVector<int64_t> first, second;
    for (int64_t lane = 0; lane < lanes; ++lane) {
      bool isOfSecond = lane & block;
      first.push_back(isOfSecond ? lanes + lane - block : lane);
      second.push_back(isOfSecond ? lanes + lane : lane + block);
    }
    for (int64_t row = 0; row < lanes; ++row) {
      if (row & block)
        continue;
      Value one = rows[row], other = rows[row + block];
      rows[row] = vector::ShuffleOp::create(b, loc, one, other, first);
      rows[row + block] = vector::ShuffleOp::create(b, loc, one, other, second);
    }
  }
}

Value TileEvaluator::loadTransposed(Value tensor, Value pointer,
                                    const Coordinates &at, const Layout &layout,
                                    const Tile &tile) {
  Location loc = function.loc;
  Type element = getElementTypeOrSelf(tensor.getType());
  auto vector = VectorType::get({lanes}, getMemoryType(element));
  unsigned bytes = vector.getElementTypeBitWidth() / 8;
  Tile from(tile);
  from[transposedLoop] = 0;
  SmallVector<Value> rows;
  for (int64_t lane = 0; lane < lanes; ++lane) {
    rows.push_back(LLVM::LoadOp::create(
        b, loc, vector, getAddress(tensor, pointer, at, layout, from), bytes));
    ++from[laneLoop];
  }
  transpose(b, loc, rows);
  from = tile;
  LoopSet loops = nest.getLoopsOf(tensor, at);
  for (auto [i, row] : llvm::enumerate(rows)) {
    from[transposedLoop] = int64_t(i);
    row = emitFromMemory(b, loc, row, element);
    scopes[depth - 1]
        .values[makeKey(tensor.getAsOpaquePointer(), &at, loops, from)] = row;
  }
  return rows[tile[transposedLoop]];
}

SmallVector<StoreTarget, 1> getResultTargets(const KernelFunction &function,
                                             const LoopNest &nest) {
  SmallVector<StoreTarget, 1> targets;
  for (auto [root, pointer, layout] : llvm::zip(
           nest.getRoots(), function.resultPointers, function.resultLayouts))
    targets.push_back({root.tensor, *root.at, pointer, layout});
  return targets;
}

bool TileEvaluator::isStoredElsewhere(const Access &root,
                                      const Tile &tile) const {
  if (root.tensor == kept.of.tensor && root.at == kept.of.at)
    return true;
  if (isFlat)
    return false;
  LoopSet own = getLoops(*root.at);
  for (unsigned loop = 0; loop < tile.size(); ++loop)
    if (tile[loop] && !contains(own, loop))
      return true;
  return false;
}

/// Whether only the first lane of `mask` is set. The lane is then stored as a
/// scalar: for a masked store of it from a truncated vector, LLVM 22 stores the
/// wider element and overwrites the memory after it.
static bool isFirstLaneOnly(Value mask) {
  DenseElementsAttr lanes;
  if (!mask || !matchPattern(mask, m_Constant(&lanes)))
    return false;
  auto isSet = lanes.getValues<bool>();
  return *isSet.begin() && llvm::count(isSet, true) == 1;
}

void TileEvaluator::store(const StoreTarget &target, Value value,
                          const Tile &tile) {
  Location loc = function.loc;
  llvm::SaveAndRestore<int64_t> own(width, getWidth(tile));
  Type element = getElementTypeOrSelf(target.tensor.getType());
  Type memory = getMemoryType(element);
  unsigned bytes = memory.getIntOrFloatBitWidth() / 8;

  bool onLanes = false;
  for (Coordinate coordinate : target.at) {
    LoopSet own = getLoops(coordinate);
    onLanes |= laneLoop >= 0 && (isFlat ? own != 0 : contains(own, laneLoop));
    if (const NestSymbol *picked = nest.findPicked(coordinate))
      onLanes |= dependsOnLane(picked->value, *picked->at);
  }
  int stride = 0;
  if (onLanes) {
    stride = isFlat ? 1
                    : getLaneStride(nest, {target.tensor, &target.at}, laneLoop,
                                    target.layout);
    value = toVector(value);
  }
  Value address = stride < 0 ? getLaneAddresses(target.tensor, target.pointer,
                                                target.at, target.layout, tile)
                             : getAddress(target.tensor, target.pointer,
                                          target.at, target.layout, tile);
  Value mask = onLanes ? getAccessMask(tile, stride) : Value();

  if (target.combine) {
    Value old = onLanes ? loadLanes(memory, address, stride, mask)
                        : LLVM::LoadOp::create(b, loc, memory, address, bytes);
    // Narrow floats are f32 here (td-form-kernels), so nothing is rounded.
    value = emitCombine(b, loc, *target.combine, element,
                        emitFromMemory(b, loc, old, element), value);
  }
  value = emitToMemory(b, loc, value, element);
  if (stride > 0 && isFirstLaneOnly(mask)) {
    value = vector::ExtractOp::create(b, loc, value, 0);
    mask = {};
  }
  if (onLanes && stride < 0)
    LLVM::masked_scatter::create(b, loc, value, address, mask, bytes);
  else if (mask)
    LLVM::MaskedStoreOp::create(b, loc, value, address, mask, bytes);
  else
    LLVM::StoreOp::create(
        b, loc, value, address,
        onLanes ? bytes
                : getAlignment(target.tensor, target.at, target.layout, tile));
}

} // namespace tdc
