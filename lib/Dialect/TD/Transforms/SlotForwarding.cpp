//===- SlotForwarding.cpp - replace slots by values -----------------------===//
//
// A forward walk tracks which value each slot holds, a backward walk which
// slots are overwritten before they are read. Both follow the structure of the
// program. The forward walk gives up on a slot that a region writes, except in
// one case: zero_grad at the end of a loop's body leaves in the gradients the
// constant that they held before the loop. The backward walk gives up unless
// both sides of a branch overwrite the slot.
//
//===----------------------------------------------------------------------===//

#include "Dialect/TD/IR/CarryingLoop.h"
#include "Dialect/TD/Transforms/Passes.h"
#include "Simplify.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tdc::td {
namespace {

using SlotSet = llvm::DenseSet<StringAttr>;

StringAttr slotOf(ReadOp read) { return read.getSlotAttr().getAttr(); }
StringAttr slotOf(WriteOp write) { return write.getSlotAttr().getAttr(); }
StringAttr slotOf(MoveOp move) { return move.getSlotAttr().getAttr(); }

/// The slots that an op and the ops inside it use.
struct SlotUses {
  /// Slots that are read, in order, with the first td.read; null if the first
  /// reader is another op.
  llvm::MapVector<StringAttr, ReadOp> read;
  llvm::SetVector<StringAttr> written;

  /// The slots that are read or written, each once.
  SmallVector<StringAttr> getAll() const {
    SmallVector<StringAttr> all(written.begin(), written.end());
    for (auto &[slot, first] : read)
      if (!written.contains(slot))
        all.push_back(slot);
    return all;
  }

  explicit SlotUses(Operation *op) {
    op->walk([&](SlotUser user) {
      for (StringAttr slot : user.getReadSlots())
        read.insert({slot, dyn_cast<ReadOp>(user.getOperation())});
      for (StringAttr slot : user.getWrittenSlots())
        written.insert(slot);
    });
  }
};

/// The constant that all elements of a value have, if its defining op shows it.
TypedAttr getConstant(Value value) {
  auto made = value.getDefiningOp<ComputeOp>();
  Value element = made ? made.getElement() : Value();
  TypedAttr constant;
  if (element)
    matchPattern(element, m_Constant(&constant));
  return constant;
}

//===----------------------------------------------------------------------===//
// Forwards
//===----------------------------------------------------------------------===//

/// The content of a slot, as far as it is known: a value, and a constant that
/// can be made anywhere.
struct Known {
  Value value;
  TypedAttr constant;
};
using State = llvm::DenseMap<StringAttr, Known>;

class Forwarding {
public:
  void run(Block &block, State &state) {
    for (Operation &op : llvm::make_early_inc_range(block)) {
      if (auto read = dyn_cast<ReadOp>(op))
        visit(read, state);
      else if (auto write = dyn_cast<WriteOp>(op))
        visit(write, state);
      else if (CarryingLoop loop(&op); loop)
        visit(loop, state);
      else
        visitOther(&op, state);
    }
  }

private:
  void visit(ReadOp read, State &state) {
    Known &known = state[slotOf(read)];
    if (!known.value && known.constant) {
      OpBuilder builder(read);
      Value scalar =
          arith::ConstantOp::create(builder, read.getLoc(), known.constant);
      known.value = FillOp::create(builder, read.getLoc(), read.getType(),
                                   scalar, ValueRange());
    }
    // After its model has moved, a slot is read on another place.
    if (!known.value || known.value.getType() != read.getType()) {
      known.value = read;
      return;
    }
    read.replaceAllUsesWith(known.value);
    read.erase();
  }

  void visit(WriteOp write, State &state) {
    Known &known = state[slotOf(write)];
    TypedAttr constant = getConstant(write.getValue());
    if (known.value == write.getValue() ||
        (constant && constant == known.constant)) {
      write.erase();
      return;
    }
    known = {write.getValue(), constant};
  }

  void visit(CarryingLoop loop, State &state) {
    SlotUses uses(loop.getOperation());
    auto last = getLastConstants(*loop.getBody());
    for (StringAttr slot : uses.written) {
      Known &known = state[slot];
      bool same = known.constant && last.lookup(slot) == known.constant;
      known = {Value(), same ? known.constant : TypedAttr()};
    }
    // One read before the loop serves all iterations.
    OpBuilder builder(loop.getOperation());
    for (auto [slot, read] : uses.read) {
      Known &known = state[slot];
      if (read && !known.value && !known.constant &&
          !uses.written.contains(slot))
        known.value = ReadOp::create(builder, read.getLoc(), read.getType(),
                                     read.getSlotAttr());
    }
    State inside = restrict(state, uses);
    run(*loop.getBody(), inside);
  }

  void visitOther(Operation *op, State &state) {
    SlotUses uses(op);
    for (Region &region : op->getRegions())
      for (Block &block : region) {
        State inside = restrict(state, uses);
        run(block, inside);
      }
    for (StringAttr slot : uses.written)
      state.erase(slot);
  }

  /// The part of a state that the regions of an op need. A program has a branch
  /// for each parameter; copies of all slots would take quadratic time.
  static State restrict(const State &state, const SlotUses &uses) {
    State part;
    for (StringAttr slot : uses.getAll())
      if (auto known = state.find(slot); known != state.end())
        part.insert(*known);
    return part;
  }

  /// The constants that a loop's body leaves in the slots that it writes, null
  /// for other values.
  static llvm::DenseMap<StringAttr, TypedAttr> getLastConstants(Block &body) {
    llvm::DenseMap<StringAttr, TypedAttr> last;
    for (Operation &op : llvm::reverse(body)) {
      auto write = dyn_cast<WriteOp>(op);
      TypedAttr constant = write ? getConstant(write.getValue()) : TypedAttr();
      for (StringAttr slot : SlotUses(&op).written)
        last.try_emplace(slot, constant);
    }
    return last;
  }
};

//===----------------------------------------------------------------------===//
// Backwards
//===----------------------------------------------------------------------===//

class DeadWrites {
public:
  /// Erases dead writes of a block. `overwritten`: the slots with a value at
  /// the end of the block that is never read; on return, at its start.
  void run(Block &block, SlotSet &overwritten) {
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
      if (auto write = dyn_cast<WriteOp>(op)) {
        if (!overwritten.insert(slotOf(write)).second)
          write.erase();
        continue;
      }
      if (auto move = dyn_cast<MoveOp>(op);
          move && !move.getKept() && overwritten.contains(slotOf(move))) {
        move.erase();
        continue;
      }
      SlotUses uses(&op);
      if (CarryingLoop loop(&op); loop) {
        // The next iteration may read the slots, and so may the ops after the
        // loop.
        drop(uses, overwritten);
        SlotSet inside = restrict(overwritten, uses);
        run(*loop.getBody(), inside);
      } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
        visit(branch, uses, overwritten);
      } else {
        drop(uses, overwritten);
      }
    }
  }

private:
  void visit(scf::IfOp branch, const SlotUses &uses, SlotSet &overwritten) {
    SlotSet before = restrict(overwritten, uses), other = before;
    run(*branch.thenBlock(), before);
    if (Block *block = branch.elseBlock())
      run(*block, other);
    for (StringAttr slot : uses.getAll())
      if (before.contains(slot) && other.contains(slot))
        overwritten.insert(slot);
      else
        overwritten.erase(slot);
  }

  /// The part of a set that the regions of an op need.
  static SlotSet restrict(const SlotSet &slots, const SlotUses &uses) {
    SlotSet part;
    for (StringAttr slot : uses.getAll())
      if (slots.contains(slot))
        part.insert(slot);
    return part;
  }

  static void drop(const SlotUses &uses, SlotSet &overwritten) {
    for (auto &[slot, read] : uses.read)
      overwritten.erase(slot);
  }
};
} // namespace

/// The slots of optimizers and gradients that hold the zeros that all slots
/// start as: no op writes another value. The host of an embedded program could,
/// but without reads the slot is removed, and is not part of the program's
/// state.
static SlotSet findZeroSlots(ModuleOp module, ArrayRef<SlotOp> slots) {
  SlotSet zeros;
  for (SlotOp slot : slots)
    if (slot.getKind() == SlotKind::Moment || slot.getKind() == SlotKind::Grad)
      zeros.insert(slot.getSymNameAttr());
  module.walk([&](SlotUser user) {
    auto write = dyn_cast<WriteOp>(user.getOperation());
    TypedAttr constant = write ? getConstant(write.getValue()) : TypedAttr();
    if (constant && (matchPattern(constant, m_Zero()) ||
                     matchPattern(constant, m_PosZeroFloat())))
      return;
    for (StringAttr slot : user.getWrittenSlots())
      zeros.erase(slot);
  });
  return zeros;
}

void forwardSlots(ModuleOp module) {
  SmallVector<SlotOp> slots(module.getOps<SlotOp>());
  SlotSet zeros = findZeroSlots(module, slots);
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function.isExternal())
      continue;
    // Slots start as zeros, and the program starts with @main. An exported
    // function is called any number of times after that.
    bool isMain = function.getSymName() == "main";
    State state;
    SlotSet overwritten;
    auto zero = FloatAttr::get(Float64Type::get(module.getContext()), 0.0);
    for (SlotOp slot : slots)
      if (isMain || zeros.contains(slot.getSymNameAttr()))
        state[slot.getSymNameAttr()].constant = zero;
    if (isMain) {
      for (SlotOp slot : slots)
        overwritten.insert(slot.getSymNameAttr());
      for (auto other : module.getOps<func::FuncOp>())
        if (other != function)
          for (auto &[slot, read] : SlotUses(other).read)
            overwritten.erase(slot);
    }
    Forwarding().run(function.getBody().front(), state);
    DeadWrites().run(function.getBody().front(), overwritten);
  }
}

} // namespace tdc::td
