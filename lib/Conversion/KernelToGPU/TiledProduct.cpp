//===- TiledProduct.cpp - matrix products, tile by tile -------------------===//
//
// The classical pipeline: while the tiles of one step are multiplied, those of
// the steps after it are on their way, one stage of shared memory each. A stage
// is written again when all threads have passed the barrier after its step.
//
//===----------------------------------------------------------------------===//

#include "TiledProduct.h"
#include "Conversion/KernelBody/Accumulation.h"
#include "Conversion/KernelBody/EmptyPickers.h"
#include "TileMultiplier.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tdc::td;

namespace tdc {

namespace {

class TiledProduct {
public:
  TiledProduct(KernelFunction &function, const LoopNest &nest,
               const ProductSchedule &schedule)
      : function(function), nest(nest), schedule(schedule), b(function.builder),
        loc(function.loc), device(b, loc) {}

  LaunchShape emit();

private:
  using Values = SmallVector<Value>;

  /// Tiles of the result along a loop.
  Value countTiles(const ProductOperand &operand);
  void emitTile(Value number);
  Values collect(OperandTile &left, OperandTile &right,
                 TileMultiplier &multiplier);
  void store(TileMultiplier &multiplier, ValueRange sums,
             ArrayRef<Value> positions);
  void storePiece(TileEvaluator &evaluator, ArrayRef<Tile> tiles,
                  ValueRange sums);

  KernelFunction &function;
  const LoopNest &nest;
  const ProductSchedule &schedule;
  OpBuilder &b;
  Location loc;
  DeviceBuilder device;
  SmallVector<StoreTarget, 1> targets;
};

} // namespace

//===----------------------------------------------------------------------===//
// Tiles of the result
//===----------------------------------------------------------------------===//

Value TiledProduct::countTiles(const ProductOperand &operand) {
  Value padded = arith::AddIOp::create(
      b, loc, function.getExtent(nest.getLoops()[operand.loop]),
      function.index(operand.extent - 1));
  return arith::DivUIOp::create(b, loc, padded, function.index(operand.extent));
}

LaunchShape TiledProduct::emit() {
  LaunchShape shape;
  shape.threads = schedule.threads;
  for (Coordinate coordinate : *nest.getRoots().front().at) {
    int loop = getLoop(coordinate);
    shape.tile.push_back(loop == int(schedule.left.loop) ? schedule.left.extent
                         : loop == int(schedule.right.loop)
                             ? schedule.right.extent
                             : 1);
  }
  targets = getResultTargets(function, nest);
  emitUnlessEmpty(function, nest, targets,
                  [&] { emitTile(function.toIndex(device.getBlock())); });
  shape.sharedBytes = device.getSharedBytes();
  return shape;
}

void TiledProduct::emitTile(Value number) {
  SmallVector<Value> positions(nest.getLoops().size());
  auto split = [&](Value count) -> Value {
    Value rest = arith::RemUIOp::create(b, loc, number, count);
    number = arith::DivUIOp::create(b, loc, number, count);
    return rest;
  };
  auto begin = [&](const ProductOperand &operand) -> Value {
    return arith::MulIOp::create(b, loc, split(countTiles(operand)),
                                 function.index(operand.extent));
  };
  Value column = begin(schedule.right), row = begin(schedule.left);
  for (unsigned loop : llvm::reverse(schedule.batch))
    positions[loop] = split(function.getExtent(nest.getLoops()[loop]));

  OperandTile left(function, nest, schedule, schedule.left, device);
  OperandTile right(function, nest, schedule, schedule.right, device);
  left.standAt(positions, row);
  right.standAt(positions, column);
  auto multiplier = schedule.onTensorCores
                        ? makeTensorCoreMultiplier(function, schedule, device)
                        : makeRegisterMultiplier(function, schedule, device);
  Values sums = collect(left, right, *multiplier);
  auto add = [&](Value one, Value other) -> Value {
    return arith::AddIOp::create(b, loc, one, function.toIndex(other));
  };
  positions[schedule.left.loop] = add(row, multiplier->row);
  positions[schedule.right.loop] = add(column, multiplier->column);
  store(*multiplier, sums, positions);
}

//===----------------------------------------------------------------------===//
// The pipeline
//===----------------------------------------------------------------------===//

TiledProduct::Values TiledProduct::collect(OperandTile &left,
                                           OperandTile &right,
                                           TileMultiplier &multiplier) {
  bool copies = left.isCopied() || right.isCopied();
  auto begin = [&](Value term, Value stage) {
    left.begin(term, stage);
    right.begin(term, stage);
    if (copies)
      NVVM::CpAsyncCommitGroupOp::create(b, loc);
  };
  auto finish = [&](Value stage) {
    left.finish(stage);
    right.finish(stage);
  };
  int64_t ahead = schedule.stages - 1;
  for (int64_t stage = 0; stage < ahead; ++stage) {
    begin(function.index(stage * schedule.tileTerms), device.i32(stage));
    finish(device.i32(stage));
  }

  Values carried(multiplier.elements.size(),
                 makeNeutral(b, loc, *schedule.product, /*lanes=*/0).value);
  carried.push_back(device.i32(0));     // the stage to multiply,
  carried.push_back(device.i32(ahead)); // and the one to fill
  auto loop =
      scf::ForOp::create(b, loc, function.index(0),
                         function.getExtent(nest.getLoops()[schedule.terms]),
                         function.index(schedule.tileTerms), carried);
  left.enterLoop(loop);
  right.enterLoop(loop);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  ValueRange before = loop.getRegionIterArgs();
  Value here = before.drop_back().back(), next = before.back();
  if (copies)
    NVVM::CpAsyncWaitGroupOp::create(b, loc, ahead - 1);
  device.wait();
  begin(arith::AddIOp::create(b, loc, loop.getInductionVar(),
                              function.index(ahead * schedule.tileTerms)),
        next);
  Values after = multiplier.multiply(left, right, here, before.drop_back(2));
  finish(next);
  after.push_back(arith::RemUIOp::create(
      b, loc, arith::AddIOp::create(b, loc, here, device.i32(1)),
      device.i32(schedule.stages)));
  after.push_back(here);
  scf::YieldOp::create(b, loc, after);
  return Values(loop.getResults().drop_back(2));
}

//===----------------------------------------------------------------------===//
// The result
//===----------------------------------------------------------------------===//

void TiledProduct::storePiece(TileEvaluator &evaluator, ArrayRef<Tile> tiles,
                              ValueRange sums) {
  SmallVector<SmallVector<Value>, 1> values(targets.size());
  for (auto [tile, sum] : llvm::zip_equal(tiles, sums)) {
    Operation *product = schedule.product->op;
    evaluator.setResult(product->getResult(0), *schedule.product, tile,
                        roundResult(b, loc, *schedule.product, product, sum));
    for (auto [i, root] : llvm::enumerate(nest.getRoots()))
      values[i].push_back(evaluator.evaluate(root.tensor, *root.at, tile));
  }
  for (auto [target, elements] : llvm::zip_equal(targets, values))
    for (auto [tile, value] : llvm::zip_equal(tiles, elements))
      evaluator.store(target, value, tile);
}

void TiledProduct::store(TileMultiplier &multiplier, ValueRange sums,
                         ArrayRef<Value> positions) {
  TileEvaluator evaluator(function, nest, /*lanes=*/1);
  evaluator.positions.assign(positions.begin(), positions.end());
  unsigned rows = schedule.left.loop, columns = schedule.right.loop;
  evaluator.steps[columns] = multiplier.piece;
  for (unsigned loop : schedule.batch)
    evaluator.pushScope(loop, /*entry=*/nullptr);

  // Loops whose end may be in the middle of a tile.
  auto isWhole = [&](const ProductOperand &operand, int64_t of) {
    int64_t extent = nest.getLoops()[operand.loop].extent;
    return !ShapedType::isDynamic(extent) && extent % of == 0;
  };
  bool wholeRows = isWhole(schedule.left, schedule.left.extent);
  bool wholeColumns = isWhole(schedule.right, schedule.right.extent);
  int64_t piece =
      isWhole(schedule.right, multiplier.piece) ? multiplier.piece : 1;
  auto enter = [&](Operation *entry) {
    evaluator.pushScope(rows, entry);
    evaluator.pushScope(columns, /*entry=*/nullptr);
  };
  if (wholeRows && wholeColumns)
    enter(nullptr);
  for (size_t first = 0; first < sums.size(); first += piece) {
    SmallVector<Tile> tiles;
    for (const auto &element :
         ArrayRef(multiplier.elements).slice(first, piece)) {
      tiles.push_back(Tile(nest.getLoops().size(), 0));
      tiles.back()[rows] = element.row;
      tiles.back()[columns] = element.column;
    }
    Value isInside;
    auto require = [&](unsigned loop) {
      Value position = arith::AddIOp::create(
          b, loc, positions[loop], function.index(tiles.front()[loop]));
      isInside =
          function.requireInside(isInside, nest.getLoops()[loop], position);
    };
    if (!wholeRows)
      require(rows);
    if (!wholeColumns)
      require(columns);
    if (!isInside) {
      storePiece(evaluator, tiles, sums.slice(first, piece));
      continue;
    }
    auto branch = scf::IfOp::create(b, loc, isInside, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(branch.thenBlock()->getTerminator());
    enter(branch);
    storePiece(evaluator, tiles, sums.slice(first, piece));
    evaluator.popScope();
    evaluator.popScope();
  }
}

LaunchShape emitTiledProduct(KernelFunction &function, const LoopNest &nest,
                             const ProductSchedule &schedule) {
  return TiledProduct(function, nest, schedule).emit();
}

} // namespace tdc
