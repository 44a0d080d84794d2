//===- SplitFunctions.cpp - td-split-functions: cuts long host functions --===//
//
// LLVM's time for a function grows faster than its length: with the square of
// its calls in the register allocator, and more with its loops in the loop
// passes. A long host function becomes calls of pieces of bounded weight. Each
// piece is a sequence of blocks with one entry and one successor, apart from
// the exit that takes the status of a failed call. A piece writes the values
// that later blocks need to a buffer of its caller.
//
//===----------------------------------------------------------------------===//

#include "Conversion/TDToRuntime.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"
#include <numeric>

using namespace mlir;

namespace tdc {

#define GEN_PASS_DEF_TDSPLITFUNCTIONSPASS
#include "Conversion/Passes.h.inc"

namespace {

/// A sequence of blocks that is to be outlined.
struct Piece {
  unsigned begin, end; ///< positions; the block at `end` is its successor
  llvm::SetVector<Value> inputs, outputs;
};

class Splitter {
public:
  Splitter(LLVM::LLVMFuncOp function, Block *exit, unsigned mostWeight,
           unsigned loopWeight)
      : function(function), exit(exit), mostWeight(mostWeight),
        loopWeight(loopWeight), builder(function.getContext()) {}

  void run();

private:
  void splitBlocks();
  void sinkFree();
  void number();
  std::optional<unsigned> findEnd(unsigned begin);
  bool leavesFinished(Block *block) const;
  /// The index of a block in layout order; 0 for a block that outline() made.
  unsigned getPosition(Block *block) const { return positions.lookup(block); }
  bool isInside(Block *block, const Piece &piece) const;
  bool findValues(Piece &piece);
  void outline(const Piece &piece);
  LLVM::LLVMFuncOp moveBlocks(const Piece &piece);
  void addEnds(const Piece &piece, LLVM::LLVMFuncOp func);
  Value getSlot(Value room, size_t index);

  LLVM::LLVMFuncOp function;
  Block *exit;
  const unsigned mostWeight, loopWeight;
  OpBuilder builder;
  std::vector<Block *> blocks;
  llvm::DenseMap<Block *, unsigned> positions;
  std::vector<unsigned> weights;
  unsigned count = 0;
  Value buffer;
  size_t bufferLength = 0;
};

/// Whether the op costs nothing to rematerialize: a constant, or an address at
/// a constant offset from another.
bool isFree(Operation &op) {
  if (auto address = dyn_cast<LLVM::GEPOp>(op))
    return address.getDynamicIndices().empty();
  return isa<LLVM::AddressOfOp, LLVM::ConstantOp, LLVM::PoisonOp, LLVM::UndefOp,
             LLVM::ZeroOp>(op);
}

} // namespace

/// The first operation of a block that a piece may hold: stack allocations
/// remain in the caller.
static Operation *findBegin(Block &block) {
  auto memory = llvm::reverse(block.getOps<LLVM::AllocaOp>());
  return memory.empty() ? &block.front() : (*memory.begin())->getNextNode();
}

/// Splits long blocks: a block of calls that cannot fail may be as long as the
/// program. The last cut is made first, since splitting a block moves all
/// operations after the cut.
void Splitter::splitBlocks() {
  for (Block &block : llvm::make_early_inc_range(function.getBody())) {
    llvm::SmallVector<Operation *> cuts;
    unsigned length = 0;
    for (Operation *op = findBegin(block); op != block.getTerminator();
         op = op->getNextNode())
      if (length++ == mostWeight / 4) {
        cuts.push_back(op);
        length = 1;
      }
    for (Operation *cut : llvm::reverse(cuts)) {
      Block *rest = block.splitBlock(cut);
      builder.setInsertionPointToEnd(&block);
      LLVM::BrOp::create(builder, cut->getLoc(), rest);
    }
  }
}

/// Rematerializes free operations before each of their uses, so that their
/// values are not live across pieces.
void Splitter::sinkFree() {
  std::vector<Operation *> freeOps;
  function.walk([&](Operation *op) {
    if (isFree(*op))
      freeOps.push_back(op);
  });
  for (Operation *op : llvm::reverse(freeOps)) {
    for (OpOperand &use : llvm::make_early_inc_range(op->getUses())) {
      builder.setInsertionPoint(use.getOwner());
      use.set(builder.clone(*op)->getResult(0));
    }
    op->erase();
  }
}

/// Assigns each block its position and weight.
void Splitter::number() {
  blocks.clear();
  weights.clear();
  for (Block &block : function.getBody()) {
    positions[&block] = blocks.size();
    blocks.push_back(&block);
  }
  for (Block *block : blocks) {
    unsigned weight =
        llvm::count_if(*block, [](Operation &op) { return !isFree(op); });
    for (Block *successor : block->getSuccessors())
      if (getPosition(successor) <= getPosition(block))
        weight += loopWeight;
    weights.push_back(weight);
  }
}

/// Whether the function returns without an error after this block. A piece must
/// not contain such a block: its return means that the caller continues.
bool Splitter::leavesFinished(Block *block) const {
  auto branch = dyn_cast<LLVM::BrOp>(block->getTerminator());
  return branch && branch.getDest() == exit &&
         matchPattern(branch.getDestOperands().front(), m_Zero());
}

/// The end of the longest piece that begins at `begin`.
std::optional<unsigned> Splitter::findEnd(unsigned begin) {
  std::optional<unsigned> best;
  unsigned weight = 0, reached = begin + 1;
  for (unsigned at = begin; at + 1 < blocks.size(); ++at) {
    Block *block = blocks[at];
    weight += weights[at];
    if (weight > mostWeight || leavesFinished(block))
      break;
    for (Block *successor : block->getSuccessors())
      if (successor != exit) {
        if (getPosition(successor) < begin)
          return best;
        reached = std::max(reached, getPosition(successor));
      }
    if (at != begin)
      for (Block *before : block->getPredecessors()) {
        if (getPosition(before) < begin)
          return best;
        reached = std::max(reached, getPosition(before) + 1);
      }
    // A piece must be long enough to be worth the call.
    if (reached == at + 1 && blocks[reached] != exit &&
        weight >= mostWeight / 4)
      best = reached;
  }
  return best;
}

bool Splitter::isInside(Block *block, const Piece &piece) const {
  unsigned position = getPosition(block);
  return position >= piece.begin && position < piece.end;
}

/// Sets the inputs and outputs. False if a value does not fit into the buffer.
bool Splitter::findValues(Piece &piece) {
  auto addOutput = [&](Value value) {
    if (llvm::any_of(value.getUsers(), [&](Operation *user) {
          return !isInside(user->getBlock(), piece);
        }))
      piece.outputs.insert(value);
  };
  for (unsigned at = piece.begin; at != piece.end; ++at) {
    llvm::for_each(blocks[at]->getArguments(), addOutput);
    for (Operation &op : *blocks[at]) {
      llvm::for_each(op.getResults(), addOutput);
      for (Value operand : op.getOperands())
        if (!isInside(operand.getParentBlock(), piece))
          piece.inputs.insert(operand);
    }
  }
  auto fits = [](Type type) {
    return type.isF64() || isa<LLVM::LLVMPointerType>(type) ||
           (type.isInteger() && type.getIntOrFloatBitWidth() <= 64);
  };
  auto typesFit = [&](auto &&values) {
    return llvm::all_of(values,
                        [&](Value value) { return fits(value.getType()); });
  };
  return typesFit(piece.outputs) && typesFit(blocks[piece.end]->getArguments());
}

/// Moves the blocks into a new function and connects its entry; addEnds
/// connects its exits.
LLVM::LLVMFuncOp Splitter::moveBlocks(const Piece &piece) {
  llvm::ArrayRef<Value> inputs = piece.inputs.getArrayRef();
  llvm::SmallVector<Type> types(ValueRange(inputs).getTypes());
  Block *first = blocks[piece.begin];
  llvm::append_range(types, first->getArgumentTypes());
  types.push_back(LLVM::LLVMPointerType::get(builder.getContext()));

  builder.setInsertionPoint(function);
  auto status = builder.getI32Type();
  auto func = LLVM::LLVMFuncOp::create(
      builder, function.getLoc(),
      (function.getSymName() + "." + llvm::Twine(count++)).str(),
      LLVM::LLVMFunctionType::get(status, types), LLVM::Linkage::Internal);
  func.setNoUnwind(true);
  Block *entry = func.addEntryBlock(builder);
  builder.setInsertionPointToStart(entry);
  IRMapping mapping;
  mapping.map(inputs, entry->getArguments().take_front(inputs.size()));
  LLVM::BrOp::create(builder, func.getLoc(),
                     entry->getArguments()
                         .drop_front(inputs.size())
                         .take_front(first->getNumArguments()),
                     first);
  auto &into = func.getBody().getBlocks();
  for (unsigned at = piece.begin; at != piece.end; ++at) {
    into.splice(into.end(), function.getBody().getBlocks(),
                blocks[at]->getIterator());
    for (Operation &op : *blocks[at])
      for (OpOperand &operand : op.getOpOperands())
        if (Value inside = mapping.lookupOrNull(operand.get()))
          operand.set(inside);
  }
  return func;
}

/// Adds the exits of a piece. The successful one stores the outputs and the
/// arguments of the next block in the buffer.
void Splitter::addEnds(const Piece &piece, LLVM::LLVMFuncOp func) {
  Location loc = func.getLoc();
  Block *next = blocks[piece.end], *done = new Block, *failed = new Block;
  auto addReturn = [&](Block *block, Value status) {
    builder.setInsertionPointToEnd(block);
    LLVM::ReturnOp::create(builder, loc, status);
  };
  for (Block *block : {done, failed})
    func.getBody().push_back(block);
  addReturn(failed, failed->addArgument(builder.getI32Type(), loc));
  llvm::SmallVector<Value> values(piece.outputs.begin(), piece.outputs.end());
  for (BlockArgument argument : next->getArguments())
    values.push_back(done->addArgument(argument.getType(), loc));
  builder.setInsertionPointToEnd(done);
  Value room = func.getArguments().back();
  for (auto [index, value] : llvm::enumerate(values))
    LLVM::StoreOp::create(builder, loc, value, getSlot(room, index));
  addReturn(done,
            LLVM::ConstantOp::create(builder, loc, builder.getI32Type(), 0));
  for (unsigned at = piece.begin; at != piece.end; ++at)
    for (BlockOperand &successor :
         blocks[at]->getTerminator()->getBlockOperands())
      if (successor.get() == next)
        successor.set(done);
      else if (successor.get() == exit)
        successor.set(failed);
}

Value Splitter::getSlot(Value room, size_t index) {
  return LLVM::GEPOp::create(
      builder, room.getLoc(), room.getType(), builder.getI64Type(), room,
      LLVM::GEPArg(int32_t(index)), LLVM::GEPNoWrapFlags::inbounds);
}

/// Replaces the blocks of the piece by a call.
void Splitter::outline(const Piece &piece) {
  Block *first = blocks[piece.begin], *next = blocks[piece.end];
  Location loc = first->front().getLoc();
  auto *call = new Block, *after = new Block;
  for (Block *block : {call, after})
    function.getBody().getBlocks().insert(next->getIterator(), block);
  for (BlockOperand &use : llvm::make_early_inc_range(first->getUses()))
    if (!isInside(use.getOwner()->getBlock(), piece))
      use.set(call);

  llvm::SmallVector<Value> arguments(piece.inputs.begin(), piece.inputs.end());
  for (BlockArgument argument : first->getArguments())
    arguments.push_back(call->addArgument(argument.getType(), loc));
  arguments.push_back(buffer);
  // Done before the blocks are moved: uses of their values are replaced outside
  // of them.
  builder.setInsertionPointToEnd(after);
  llvm::SmallVector<Value> values(piece.outputs.begin(), piece.outputs.end());
  llvm::append_range(values, next->getArguments());
  llvm::SmallVector<Value> results;
  for (auto [index, value] : llvm::enumerate(values))
    results.push_back(LLVM::LoadOp::create(builder, loc, value.getType(),
                                           getSlot(buffer, index)));
  bufferLength = std::max(bufferLength, values.size());
  for (auto [value, result] : llvm::zip(piece.outputs, results))
    Value(value).replaceUsesWithIf(result, [&](OpOperand &use) {
      return !isInside(use.getOwner()->getBlock(), piece);
    });
  LLVM::BrOp::create(builder, loc,
                     llvm::ArrayRef(results).drop_front(piece.outputs.size()),
                     next);

  LLVM::LLVMFuncOp func = moveBlocks(piece);
  addEnds(piece, func);
  builder.setInsertionPointToEnd(call);
  Value status =
      LLVM::CallOp::create(builder, loc, func, arguments).getResult();
  Value zero = LLVM::ConstantOp::create(builder, loc, builder.getI32Type(), 0);
  LLVM::CondBrOp::create(
      builder, loc,
      LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::eq, status, zero),
      after, ValueRange(), exit, ValueRange(status));
}

void Splitter::run() {
  number();
  if (std::accumulate(weights.begin(), weights.end(), 0u) <= 2 * mostWeight)
    return;
  splitBlocks();
  sinkFree();
  number();
  Block &entry = function.front();
  builder.setInsertionPointToStart(&entry);
  auto length = LLVM::ConstantOp::create(builder, function.getLoc(),
                                         builder.getI64Type(), 0);
  buffer =
      LLVM::AllocaOp::create(builder, function.getLoc(),
                             LLVM::LLVMPointerType::get(builder.getContext()),
                             builder.getI64Type(), length);
  Piece piece;
  for (piece.begin = 1; piece.begin < blocks.size();) {
    std::optional<unsigned> end = findEnd(piece.begin);
    piece.end = end.value_or(piece.begin + 1);
    if (end && findValues(piece))
      outline(piece);
    piece = {piece.end, 0, {}, {}};
  }
  length.setValueAttr(builder.getI64IntegerAttr(bufferLength));
  if (count == 0) {
    buffer.getDefiningOp()->erase();
    length.erase();
  }
}

namespace {
struct TDSplitFunctionsPass
    : impl::TDSplitFunctionsPassBase<TDSplitFunctionsPass> {
  using TDSplitFunctionsPassBase::TDSplitFunctionsPassBase;

  void runOnOperation() override {
    for (auto function :
         llvm::make_early_inc_range(getOperation().getOps<LLVM::LLVMFuncOp>()))
      if (Block *exit = findExit(function))
        Splitter(function, exit, mostWeight, loopWeight).run();
  }

  /// The block that returns the status of a host function; kernels return
  /// nothing.
  static Block *findExit(LLVM::LLVMFuncOp function) {
    if (function.isExternal())
      return nullptr;
    Block &last = function.getBody().back();
    auto end = dyn_cast<LLVM::ReturnOp>(last.getTerminator());
    bool isExit = end && end.getArg() && last.getNumArguments() == 1 &&
                  end.getArg() == last.getArgument(0) &&
                  llvm::hasSingleElement(last);
    return isExit ? &last : nullptr;
  }
};
} // namespace

} // namespace tdc
