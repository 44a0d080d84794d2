//===- TiledContraction.cpp - contractions, tile by tile ------------------===//
//
// A software pipeline: while the tiles of one step are multiplied, the tiles of
// the following steps are loaded, each to its own stage of shared memory. A
// stage is overwritten only after all threads have passed the barrier after its
// step.
//
//===----------------------------------------------------------------------===//

#include "TiledContraction.h"
#include "CodeGen/Accumulation.h"
#include "CodeGen/EmptyPickers.h"
#include "TileMultiplier.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tdc::td;

namespace tdc {

namespace {

class TiledContraction {
public:
  TiledContraction(KernelFunction &function, const LoopNest &nest,
                   const ContractionSchedule &schedule)
      : function(function), nest(nest), schedule(schedule), b(function.builder),
        loc(function.loc), device(b, loc),
        rows(function, nest, schedule.left.loops),
        columns(function, nest, schedule.right.loops),
        terms(function, nest, schedule.terms) {}

  LaunchShape emit();

private:
  using Values = SmallVector<Value>;

  /// The number of tiles of the result along an operand's own loops.
  Value countTiles(const FlatLoops &loops, const ContractionOperand &operand);
  void emitTile(Value number);
  Values collect(OperandTile &left, OperandTile &right,
                 TileMultiplier &multiplier);
  void store(TileMultiplier &multiplier, ValueRange sums,
             ArrayRef<Value> positions, Value row, Value column);
  void storePiece(TileEvaluator &evaluator, ArrayRef<Tile> tiles,
                  ValueRange sums);

  KernelFunction &function;
  const LoopNest &nest;
  const ContractionSchedule &schedule;
  OpBuilder &b;
  Location loc;
  DeviceBuilder device;
  FlatLoops rows, columns, terms;
  SmallVector<StoreTarget, 1> targets;
};

} // namespace

//===----------------------------------------------------------------------===//
// Tiles of the result
//===----------------------------------------------------------------------===//

Value TiledContraction::countTiles(const FlatLoops &loops,
                                   const ContractionOperand &operand) {
  Value padded = arith::AddIOp::create(b, loc, loops.count(),
                                       function.index(operand.extent - 1));
  return arith::DivUIOp::create(b, loc, padded, function.index(operand.extent));
}

LaunchShape TiledContraction::emit() {
  LaunchShape shape;
  shape.threads = schedule.threads;
  auto tile = [&](ArrayRef<unsigned> loops, int64_t extent) {
    LaunchShape::TiledDims &dims = shape.tile.emplace_back();
    for (auto [dim, at] : llvm::enumerate(*nest.getRoots().front().at))
      if (int loop = getLoop(at); loop >= 0 && llvm::is_contained(loops, loop))
        dims.dims.push_back(dim);
    dims.extent = extent;
  };
  tile(schedule.batch, 1);
  tile(schedule.left.loops, schedule.left.extent);
  tile(schedule.right.loops, schedule.right.extent);
  targets = getResultTargets(function, nest);
  emitUnlessEmpty(function, nest, targets,
                  [&] { emitTile(function.toIndex(device.getBlock())); });
  shape.sharedBytes = device.getSharedBytes();
  return shape;
}

void TiledContraction::emitTile(Value number) {
  SmallVector<Value> positions(nest.getLoops().size());
  auto sizes = llvm::map_to_vector(schedule.batch, [&](unsigned loop) {
    return function.getExtent(nest.getLoops()[loop]);
  });
  sizes.push_back(countTiles(rows, schedule.left));
  sizes.push_back(countTiles(columns, schedule.right));
  SmallVector<Value> at = splitNumber(b, loc, number, sizes);
  auto begin = [&](const ContractionOperand &operand, Value tile) -> Value {
    return arith::MulIOp::create(b, loc, tile, function.index(operand.extent));
  };
  Value column = begin(schedule.right, at.pop_back_val());
  Value row = begin(schedule.left, at.pop_back_val());
  for (auto [loop, position] : llvm::zip(schedule.batch, at))
    positions[loop] = position;

  OperandTile left(function, nest, schedule, schedule.left, device);
  OperandTile right(function, nest, schedule, schedule.right, device);
  left.setPosition(positions, row);
  right.setPosition(positions, column);
  auto multiplier = schedule.onTensorCores
                        ? makeTensorCoreMultiplier(function, schedule, device)
                        : makeRegisterMultiplier(function, schedule, device);
  Values sums = collect(left, right, *multiplier);
  auto add = [&](Value one, Value other) -> Value {
    return arith::AddIOp::create(b, loc, one, function.toIndex(other));
  };
  store(*multiplier, sums, positions, add(row, multiplier->row),
        add(column, multiplier->column));
}

//===----------------------------------------------------------------------===//
// The pipeline
//===----------------------------------------------------------------------===//

TiledContraction::Values TiledContraction::collect(OperandTile &left,
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
                 makeNeutral(b, loc, *schedule.reduction, /*lanes=*/0).value);
  carried.push_back(device.i32(0));     // the stage to multiply,
  carried.push_back(device.i32(ahead)); // and the one to fill
  auto loop = scf::ForOp::create(b, loc, function.index(0), terms.count(),
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

void TiledContraction::storePiece(TileEvaluator &evaluator,
                                  ArrayRef<Tile> tiles, ValueRange sums) {
  SmallVector<SmallVector<Value>, 1> values(targets.size());
  for (auto [tile, sum] : llvm::zip_equal(tiles, sums)) {
    const Reduction &reduction = *schedule.reduction;
    evaluator.setResult(reduction.op->getResult(0), reduction, tile,
                        roundResult(b, loc, reduction, reduction.op, sum));
    for (auto [i, root] : llvm::enumerate(nest.getRoots()))
      values[i].push_back(evaluator.evaluate(root.tensor, *root.at, tile));
  }
  for (auto [target, elements] : llvm::zip_equal(targets, values))
    for (auto [tile, value] : llvm::zip_equal(tiles, elements))
      evaluator.store(target, value, tile);
}

void TiledContraction::store(TileMultiplier &multiplier, ValueRange sums,
                             ArrayRef<Value> positions, Value row,
                             Value column) {
  TileEvaluator evaluator(function, nest, /*lanes=*/1);
  evaluator.positions.assign(positions.begin(), positions.end());
  for (unsigned loop : schedule.batch)
    evaluator.pushScope(loop, /*entry=*/nullptr);

  // A tile may extend past the end of the result, and a piece past the end of a
  // line.
  bool wholeRows = rows.isMultipleOf(schedule.left.extent);
  bool wholeColumns = columns.isMultipleOf(schedule.right.extent);
  unsigned line = schedule.right.loops.back();
  int64_t piece = FlatLoops(function, nest, line).isMultipleOf(multiplier.piece)
                      ? multiplier.piece
                      : 1;
  evaluator.steps[line] = columns.isOne() ? multiplier.piece : piece;
  bool isShared = wholeRows && wholeColumns && rows.isOne() && columns.isOne();
  auto enter = [&](Operation *entry) {
    rows.pushScopes(evaluator, entry);
    columns.pushScopes(evaluator, /*entry=*/nullptr);
  };
  if (isShared)
    enter(nullptr);
  for (size_t first = 0; first < sums.size(); first += piece) {
    const TileMultiplier::Element &element = multiplier.elements[first];
    Tile tile(nest.getLoops().size(), 0);
    rows.setPosition(evaluator, tile, row, element.row);
    columns.setPosition(evaluator, tile, column, element.column);
    SmallVector<Tile> tiles;
    for (int64_t i = 0; i < piece; ++i, ++tile[line])
      tiles.push_back(tile);
    auto move = [&](Value position, int64_t distance) -> Value {
      return arith::AddIOp::create(b, loc, position, function.index(distance));
    };
    Value isInside;
    if (!wholeRows)
      isInside = rows.requireInside(isInside, move(row, element.row));
    if (!wholeColumns)
      isInside = columns.requireInside(isInside, move(column, element.column));
    OpBuilder::InsertionGuard guard(b);
    scf::IfOp branch;
    if (isInside) {
      branch = scf::IfOp::create(b, loc, isInside, /*withElseRegion=*/false);
      b.setInsertionPoint(branch.thenBlock()->getTerminator());
    }
    if (!isShared)
      enter(branch);
    storePiece(evaluator, tiles, sums.slice(first, piece));
    if (isShared)
      continue;
    columns.popScopes(evaluator);
    rows.popScopes(evaluator);
  }
}

std::optional<KernelPlan> matchContraction(KernelCandidate &kernel) {
  // The schedule refers to the nest, so it is computed again after the nest has
  // moved.
  if (!kernel.nest || !scheduleContraction(*kernel.nest))
    return std::nullopt;
  KernelPlan plan;
  plan.emit = [nest = std::move(*kernel.nest)](
                  KernelFunction &function) -> FailureOr<LaunchShape> {
    return TiledContraction(function, nest, *scheduleContraction(nest)).emit();
  };
  return plan;
}

} // namespace tdc
