//===- OperandTile.cpp - tiles of an operand in shared memory -------------===//

#include "OperandTile.h"
#include "CodeGen/ElementOps.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tdc::td;

namespace tdc {

/// Chunks of gpu::kWidestAccess that all banks of shared memory deliver at
/// once.
constexpr int64_t kBankChunks = 8;
/// Elements of a line that neighbouring threads read together if the tile is
/// transposed: for f32, a sector of memory.
constexpr int64_t kReadTogether = 8;
/// NVVM's address space of a GPU's own memory.
constexpr unsigned kGlobalSpace = 1;

OperandTile::OperandTile(KernelFunction &function, const LoopNest &nest,
                         const ContractionSchedule &schedule,
                         const ContractionOperand &operand,
                         DeviceBuilder &device)
    : operand(operand), function(function), b(function.builder),
      loc(function.loc), nest(nest), schedule(schedule), device(device),
      evaluator(function, nest, /*lanes=*/1),
      own(function, nest, operand.loops),
      terms(function, nest, schedule.terms) {
  const Access &factor = operand.factor;
  source = nest.getSource(factor.tensor, *factor.at);
  wide = operand.readAlongTerms ? schedule.terms.back() : operand.loops.back();

  lineElements = operand.extent;
  lines = schedule.tileTerms;
  if (operand.storedAlongTerms)
    std::swap(lineElements, lines);
  // Neighbouring lines start in different banks: for tensor cores, chunks are
  // swapped within a line (getChunkOrder); otherwise a line is one chunk
  // longer.
  pitch = lineElements + (schedule.onTensorCores ? 0 : schedule.getChunk());
  array = device.makeShared(schedule.shared, schedule.stages * lines * pitch);

  int64_t readLine = operand.extent, readLines = schedule.tileTerms;
  if (operand.readAlongTerms)
    std::swap(readLine, readLines);
  linesPerIteration = schedule.threads * operand.width / readLine;
  iterations = readLines / linesPerIteration;
  // A tile that is read along the terms and stored across them is read in parts
  // of a line, by different warps, so that the stores of each warp use all
  // banks.
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
        along, device.multiply(device.divide(line, linesPerIteration), part));
    line = device.modulo(line, linesPerIteration);
  }
  ownAt = operand.readAlongTerms ? line : along;
  termAt = operand.readAlongTerms ? along : line;
  evaluator.steps[wide] = operand.width;

  const Tile origin(nest.getLoops().size(), 0);
  // A copy moves a chunk of elements that are also contiguous in shared memory.
  copied = source.tensor && schedule.onTensorCores &&
           operand.width == schedule.getChunk() &&
           getLaneStride(nest, source, wide, getRowMajor(source.tensor)) == 1 &&
           evaluator.getAlignment(source, origin) % gpu::kWidestAccess == 0;
}

void OperandTile::setPosition(ArrayRef<Value> positions, Value tileStart) {
  evaluator.positions.assign(positions.begin(), positions.end());
  for (unsigned loop : schedule.batch)
    evaluator.pushScope(loop, /*entry=*/nullptr);
  start = tileStart;
}

Tile OperandTile::moveTo(Value ownFirst, Value termFirst, int64_t iteration) {
  Tile tile(nest.getLoops().size(), 0);
  int64_t line = iteration * linesPerIteration;
  own.setPosition(evaluator, tile, ownFirst, operand.readAlongTerms ? line : 0);
  terms.setPosition(evaluator, tile, termFirst,
                    operand.readAlongTerms ? 0 : line);
  return tile;
}

//===----------------------------------------------------------------------===//
// From memory
//===----------------------------------------------------------------------===//

void OperandTile::begin(Value term, Value stage) {
  auto move = [&](Value first, Value distance) -> Value {
    return arith::AddIOp::create(b, loc, first, distance);
  };
  Value ownFirst = move(start, function.toIndex(ownAt));
  Value termFirst = move(term, function.toIndex(termAt));
  OpBuilder::InsertionGuard guard(b);
  if (copied) { // no copy is pending when the kernel ends
    Value isTile = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                         term, terms.count());
    auto branch = scf::IfOp::create(b, loc, isTile, /*withElseRegion=*/false);
    b.setInsertionPoint(branch.thenBlock()->getTerminator());
  }
  for (int64_t iteration = 0; iteration < iterations; ++iteration) {
    Tile tile = moveTo(ownFirst, termFirst, iteration);
    Value line = function.index(iteration * linesPerIteration), isInside;
    if (!copied || !terms.isMultipleOf(schedule.tileTerms))
      isInside = terms.requireInside(
          isInside, operand.readAlongTerms ? termFirst : move(termFirst, line));
    if (!own.isMultipleOf(operand.extent))
      isInside = own.requireInside(
          isInside, operand.readAlongTerms ? move(ownFirst, line) : ownFirst);
    if (copied) {
      copy(tile, iteration, isInside, stage);
      continue;
    }
    Type type = VectorType::get({operand.width}, schedule.shared);
    auto branch = scf::IfOp::create(b, loc, type, isInside,
                                    /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    own.pushScopes(evaluator, branch);
    terms.pushScopes(evaluator, /*entry=*/nullptr);
    scf::YieldOp::create(b, loc, loadNeighbours(tile));
    terms.popScopes(evaluator);
    own.popScopes(evaluator);
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

void OperandTile::copy(const Tile &tile, int64_t iteration, Value isInside,
                       Value stage) {
  own.pushScopes(evaluator, /*entry=*/nullptr);
  terms.pushScopes(evaluator, /*entry=*/nullptr);
  Value from = evaluator.getAddress(source, tile);
  terms.popScopes(evaluator);
  own.popScopes(evaluator);
  from = LLVM::AddrSpaceCastOp::create(
      b, loc, LLVM::LLVMPointerType::get(b.getContext(), kGlobalSpace), from);
  // Past the end no byte is read, and the chunk is filled with zeros.
  Value bytes;
  if (isInside)
    bytes = arith::SelectOp::create(
        b, loc, isInside, device.i32(gpu::kWidestAccess), device.i32(0));
  NVVM::CpAsyncOp::create(b, loc, getDestination(stage, iteration, 0), from,
                          gpu::kWidestAccess, NVVM::LoadCacheModifierKind::CG,
                          bytes);
}

//===----------------------------------------------------------------------===//
// In shared memory
//===----------------------------------------------------------------------===//

/// The number that the numbers of a line's chunks are XORed with (the usual
/// swizzle), so that no two lines that tensor cores read at once share a bank.
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

Value OperandTile::getAddress(Value stage, Value ownTo, Value termTo) {
  Value line = termTo, element = ownTo;
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

Value OperandTile::getDestination(Value stage, int64_t iteration,
                                  int64_t element) {
  Value ownTo = ownAt, termTo = termAt;
  auto move = [&](Value &position, int64_t distance) {
    position = arith::AddIOp::create(b, loc, position, device.i32(distance));
  };
  move(operand.readAlongTerms ? ownTo : termTo, iteration * linesPerIteration);
  move(operand.readAlongTerms ? termTo : ownTo, element);
  return getAddress(stage, ownTo, termTo);
}

void OperandTile::finish(Value stage) {
  for (auto [iteration, elements] : llvm::enumerate(loaded)) {
    if (operand.readAlongTerms == operand.storedAlongTerms) {
      int64_t bytes =
          operand.width * schedule.shared.getIntOrFloatBitWidth() / 8;
      LLVM::StoreOp::create(b, loc, elements,
                            getDestination(stage, iteration, 0), bytes);
      continue;
    }
    for (int64_t i = 0; i < operand.width; ++i)
      LLVM::StoreOp::create(
          b, loc,
          LLVM::ExtractElementOp::create(b, loc, elements, device.i32(i)),
          getDestination(stage, iteration, i));
  }
  loaded.clear();
}

} // namespace tdc
