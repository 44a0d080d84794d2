//===- OperandTile.cpp - tiles of a product's operand in shared memory ----===//

#include "OperandTile.h"
#include "Conversion/KernelBody/ElementOps.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tdc::td;

namespace tdc {

/// Chunks of kWidestAccess that all banks of shared memory give at a time.
constexpr int64_t kBankChunks = 8;
/// Elements of a line that neighbouring threads read together where they are
/// transposed: of f32, a sector of memory.
constexpr int64_t kReadTogether = 8;
/// NVVM's number for a GPU's own memory.
constexpr unsigned kGlobalSpace = 1;

OperandTile::OperandTile(KernelFunction &function, const LoopNest &nest,
                         const ProductSchedule &schedule,
                         const ProductOperand &operand, DeviceBuilder &device)
    : operand(operand), function(function), b(function.builder),
      loc(function.loc), nest(nest), schedule(schedule), device(device),
      evaluator(function, nest, /*lanes=*/1) {
  const Access &factor = operand.factor;
  source = nest.getSource(factor.tensor, *factor.at);
  wide = operand.readAlongTerms ? schedule.terms : operand.loop;

  lineElements = operand.extent;
  lines = schedule.tileTerms;
  if (operand.storedAlongTerms)
    std::swap(lineElements, lines);
  // Neighbouring lines begin in other banks: for tensor cores chunks are
  // swapped within a line (getChunkOrder), else a line is a chunk longer.
  pitch = lineElements + (schedule.onTensorCores ? 0 : schedule.getChunk());
  array = device.makeShared(schedule.shared, schedule.stages * lines * pitch);

  int64_t readLine = operand.extent, readLines = schedule.tileTerms;
  if (operand.readAlongTerms)
    std::swap(readLine, readLines);
  linesPerTurn = schedule.threads * operand.width / readLine;
  turns = readLines / linesPerTurn;
  // What is read along the terms and stored across them is read in parts of a
  // line, by different warps, so that the stores of each use all banks.
  int64_t part = operand.readAlongTerms == operand.storedAlongTerms
                     ? readLine
                     : std::min(readLine, kReadTogether);
  int64_t threadsPerLine = part / operand.width;
  Value thread = device.getThread();
  Value along =
      device.multiply(device.modulo(thread, threadsPerLine), operand.width);
  Value line = device.divide(thread, threadsPerLine);
  if (part < readLine) {
    along = device.add(
        along, device.multiply(device.divide(line, linesPerTurn), part));
    line = device.modulo(line, linesPerTurn);
  }
  ownAt = operand.readAlongTerms ? line : along;
  termAt = operand.readAlongTerms ? along : line;
  evaluator.steps[wide] = operand.width;

  // A copy moves a chunk, of elements that shared memory has like this too.
  copied = source.tensor && schedule.onTensorCores &&
           operand.width == schedule.getChunk() &&
           getLaneStride(nest, source, wide, getRowMajor(source.tensor)) == 1 &&
           evaluator.getAlignment(source, getTile(0)) % kWidestAccess == 0;
}

void OperandTile::standAt(ArrayRef<Value> positions, Value tileStart) {
  evaluator.positions.assign(positions.begin(), positions.end());
  for (unsigned loop : schedule.batch)
    evaluator.pushScope(loop, /*entry=*/nullptr);
  start = tileStart;
}

Tile OperandTile::getTile(int64_t turn) const {
  Tile tile(nest.getLoops().size(), 0);
  tile[operand.readAlongTerms ? operand.loop : schedule.terms] =
      turn * linesPerTurn;
  return tile;
}

//===----------------------------------------------------------------------===//
// From memory
//===----------------------------------------------------------------------===//

void OperandTile::begin(Value term, Value stage) {
  auto at = [&](Value first, Value own) -> Value {
    return arith::AddIOp::create(b, loc, first, function.toIndex(own));
  };
  evaluator.positions[operand.loop] = at(start, ownAt);
  evaluator.positions[schedule.terms] = at(term, termAt);
  OpBuilder::InsertionGuard behind(b);
  if (copied) { // nothing is on its way when the kernel ends
    Value isTile = arith::CmpIOp::create(
        b, loc, arith::CmpIPredicate::ult, term,
        function.getExtent(nest.getLoops()[schedule.terms]));
    auto branch = scf::IfOp::create(b, loc, isTile, /*withElseRegion=*/false);
    b.setInsertionPoint(branch.thenBlock()->getTerminator());
  }
  for (int64_t turn = 0; turn < turns; ++turn) {
    Tile tile = getTile(turn);
    Value isInside;
    for (unsigned loop : {schedule.terms, operand.loop}) {
      int64_t extent = nest.getLoops()[loop].extent;
      bool isTerm = loop == schedule.terms;
      if ((!isTerm || copied) && !ShapedType::isDynamic(extent) &&
          extent % (isTerm ? schedule.tileTerms : operand.extent) == 0)
        continue;
      Value position = arith::AddIOp::create(b, loc, evaluator.positions[loop],
                                             function.index(tile[loop]));
      isInside =
          function.requireInside(isInside, nest.getLoops()[loop], position);
    }
    if (copied) {
      copy(turn, isInside, stage);
      continue;
    }
    Type type = VectorType::get({operand.width}, schedule.shared);
    auto branch = scf::IfOp::create(b, loc, type, isInside,
                                    /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    evaluator.pushScope(operand.loop, branch);
    evaluator.pushScope(schedule.terms, /*entry=*/nullptr);
    scf::YieldOp::create(b, loc, loadNeighbours(tile));
    evaluator.popScope();
    evaluator.popScope();
    b.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(b, loc,
                         LLVM::ZeroOp::create(b, loc, type).getResult());
    loaded.push_back(branch.getResult(0));
  }
}

Value OperandTile::loadNeighbours(const Tile &first) {
  Value all = LLVM::PoisonOp::create(
      b, loc, VectorType::get({operand.width}, schedule.shared));
  Tile tile = first;
  for (int64_t i = 0; i < operand.width; ++i) {
    tile[wide] = first[wide] + i;
    Value element =
        evaluator.evaluate(operand.factor.tensor, *operand.factor.at, tile);
    if (schedule.onTensorCores)
      element = emitToMemory(b, loc, element, schedule.element);
    all = LLVM::InsertElementOp::create(b, loc, all, element, device.i32(i));
  }
  return all;
}

void OperandTile::copy(int64_t turn, Value isInside, Value stage) {
  evaluator.pushScope(operand.loop, /*entry=*/nullptr);
  evaluator.pushScope(schedule.terms, /*entry=*/nullptr);
  Value from = evaluator.getAddress(source, getTile(turn));
  evaluator.popScope();
  evaluator.popScope();
  from = LLVM::AddrSpaceCastOp::create(
      b, loc, LLVM::LLVMPointerType::get(b.getContext(), kGlobalSpace), from);
  // Beyond the end no byte is read, and the chunk filled with zeros.
  Value bytes;
  if (isInside)
    bytes = arith::SelectOp::create(b, loc, isInside, device.i32(kWidestAccess),
                                    device.i32(0));
  NVVM::CpAsyncOp::create(b, loc, getDestination(stage, turn, 0), from,
                          kWidestAccess, NVVM::LoadCacheModifierKind::CG,
                          bytes);
}

//===----------------------------------------------------------------------===//
// In shared memory
//===----------------------------------------------------------------------===//

/// What the numbers of a line's chunks are changed by (the usual XOR swizzle),
/// so that no two lines that tensor cores read at once share a bank.
Value OperandTile::getChunkOrder(Value line) {
  auto mask = [&](Value value, int64_t bits) -> Value {
    return arith::AndIOp::create(b, loc, value, device.i32(bits));
  };
  // A warp reads eight elements of 32 bits in each of four lines: two chunks.
  if (schedule.shared.isF32() && !operand.storedAlongTerms)
    return device.multiply(mask(line, 3), 2);
  // ldmatrix reads a chunk in each of eight lines.
  int64_t chunks = std::min(lineElements / schedule.getChunk(), kBankChunks);
  return mask(device.divide(line, kBankChunks / chunks), chunks - 1);
}

Value OperandTile::getAddress(Value stage, Value own, Value term) {
  Value line = term, element = own;
  if (operand.storedAlongTerms)
    std::swap(line, element);
  if (schedule.onTensorCores)
    element = arith::XOrIOp::create(
        b, loc, element,
        device.multiply(getChunkOrder(line), schedule.getChunk()));
  Value index = device.add(device.multiply(stage, lines * pitch),
                           device.multiply(line, pitch));
  return device.getAddress(array, device.add(index, element));
}

Value OperandTile::getDestination(Value stage, int64_t turn, int64_t element) {
  Value own = ownAt, term = termAt;
  auto move = [&](Value &position, int64_t distance) {
    position = arith::AddIOp::create(b, loc, position, device.i32(distance));
  };
  move(operand.readAlongTerms ? own : term, turn * linesPerTurn);
  move(operand.readAlongTerms ? term : own, element);
  return getAddress(stage, own, term);
}

void OperandTile::finish(Value stage) {
  for (auto [turn, elements] : llvm::enumerate(loaded)) {
    if (operand.readAlongTerms == operand.storedAlongTerms) {
      int64_t bytes =
          operand.width * schedule.shared.getIntOrFloatBitWidth() / 8;
      LLVM::StoreOp::create(b, loc, elements, getDestination(stage, turn, 0),
                            bytes);
      continue;
    }
    for (int64_t i = 0; i < operand.width; ++i)
      LLVM::StoreOp::create(
          b, loc,
          LLVM::ExtractElementOp::create(b, loc, elements, device.i32(i)),
          getDestination(stage, turn, i));
  }
  loaded.clear();
}

} // namespace tdc
