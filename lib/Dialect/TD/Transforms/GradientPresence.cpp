//===- GradientPresence.cpp - td-gradient-presence ------------------------===//
//
// What a block does to a flag is one of a few effects: it leaves the flag as it
// is, sets it, or does either depending on the run. The effects of a block are
// computed once, whatever the number of loops around it.
//
//===----------------------------------------------------------------------===//

#include "Dialect/TD/IR/CarryingLoop.h"
#include "Dialect/TD/IR/TD.h"
#include "Dialect/TD/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

namespace tdc::td {
#define GEN_PASS_DEF_TDGRADIENTPRESENCEPASS
#include "Dialect/TD/Transforms/Passes.h.inc"
} // namespace tdc::td

using namespace mlir;

namespace tdc::td {
namespace {

/// The ways in which code may leave a flag, over all runs.
struct Effect {
  bool keeps = false, setsFalse = false, setsTrue = false;

  static Effect keep() { return {true, false, false}; }
  static Effect either() { return {false, true, true}; }
  static Effect set(bool value) { return {false, !value, value}; }

  /// This effect or the other one.
  Effect operator|(Effect other) const {
    return {keeps || other.keeps, setsFalse || other.setsFalse,
            setsTrue || other.setsTrue};
  }
  /// This effect, then the next one.
  Effect then(Effect next) const {
    Effect set = {false, next.setsFalse, next.setsTrue};
    return next.keeps ? *this | set : set;
  }
  std::optional<bool> getValue() const {
    if (keeps || setsFalse == setsTrue)
      return std::nullopt;
    return setsTrue;
  }
};

/// By the names of the flags; a flag that is not in it is kept.
using Effects = llvm::DenseMap<StringAttr, Effect>;

void append(Effects &effects, const Effects &next) {
  for (auto [flag, effect] : next) {
    Effect &there = effects.try_emplace(flag, Effect::keep()).first->second;
    there = there.then(effect);
  }
}

/// The effect of one set of effects or of the other.
Effects unite(const Effects &a, const Effects &b) {
  Effects united;
  auto add = [&](const Effects &from, const Effects &other) {
    for (auto [flag, effect] : from) {
      auto found = other.find(flag);
      united[flag] =
          effect | (found == other.end() ? Effect::keep() : found->second);
    }
  };
  add(a, b);
  add(b, a);
  return united;
}

bool isEntered(CarryingLoop loop) {
  auto range = dyn_cast<scf::ForOp>(loop.getOperation());
  APInt lower, upper;
  return range && matchPattern(range.getLowerBound(), m_ConstantInt(&lower)) &&
         matchPattern(range.getUpperBound(), m_ConstantInt(&upper)) &&
         lower.slt(upper);
}

class Presence {
public:
  explicit Presence(ModuleOp module) {
    for (auto slot : module.getOps<SlotOp>()) {
      auto type = dyn_cast<RankedTensorType>(slot.getType());
      if (slot.getKind() == SlotKind::Grad && type && type.getRank() == 0 &&
          type.getElementType().isInteger(1))
        flags.insert(slot.getSymNameAttr());
    }
  }

  void run(func::FuncOp function) {
    bool isMain = function.getSymName() == "main";
    Effects state;
    for (StringAttr flag : flags)
      state[flag] = isMain ? Effect::set(false) : Effect::either();
    visit(function.getBody().front(), state);
    // Those in a branch come before the branch.
    for (auto [read, value] : llvm::reverse(answers))
      replace(read, value);
    answers.clear();
    known.clear();
  }

private:
  /// Finds the reads of a block with one value; `state` is that at its start,
  /// and on return at its end.
  void visit(Block &block, Effects &state) {
    for (Operation &op : block) {
      for (Region &region : op.getRegions())
        for (Block &inner : region) {
          Effects inside = state;
          if (CarryingLoop loop(&op); loop) {
            Effects repeated = state;
            append(repeated, effectsOf(inner));
            inside = unite(state, repeated);
          }
          visit(inner, inside);
        }
      append(state, effectsOf(op));
      if (auto read = dyn_cast<ReadOp>(op))
        if (auto found = state.find(read.getSlotAttr().getAttr());
            found != state.end())
          if (std::optional<bool> value = found->second.getValue())
            answers.push_back({read, *value});
    }
  }

  Effects effectsOf(Operation &op) {
    if (auto write = dyn_cast<WriteOp>(op)) {
      StringAttr slot = write.getSlotAttr().getAttr();
      if (!flags.contains(slot))
        return Effects();
      auto made = write.getValue().getDefiningOp<ComputeOp>();
      BoolAttr constant;
      if (made && made.getElement())
        matchPattern(made.getElement(), m_Constant(&constant));
      Effects effects;
      effects[slot] =
          constant ? Effect::set(constant.getValue()) : Effect::either();
      return effects;
    }
    if (CarryingLoop loop(&op); loop) {
      Effects body = effectsOf(*loop.getBody());
      return isEntered(loop) ? body : unite(body, Effects());
    }
    if (auto branch = dyn_cast<scf::IfOp>(op))
      return unite(effectsOf(*branch.thenBlock()),
                   branch.elseBlock() ? effectsOf(*branch.elseBlock())
                                      : Effects());
    return Effects();
  }

  /// A copy: a reference would dangle when another block is added.
  Effects effectsOf(Block &block) {
    if (auto found = known.find(&block); found != known.end())
      return found->second;
    Effects effects;
    for (Operation &op : block)
      append(effects, effectsOf(op));
    return known[&block] = effects;
  }

  void replace(ReadOp read, bool value) {
    for (Operation *user : llvm::make_early_inc_range(read->getUsers())) {
      auto item = dyn_cast<ItemOp>(user);
      if (!item)
        continue;
      for (Operation *test : llvm::make_early_inc_range(item->getUsers()))
        if (auto branch = dyn_cast<scf::IfOp>(test))
          replaceBySide(branch, value);
        else if (isa<AssertOp>(test) && value)
          test->erase();
      if (!item->use_empty()) {
        OpBuilder builder(item);
        item.getResult().replaceAllUsesWith(
            arith::ConstantIntOp::create(builder, item.getLoc(), value, 1));
      }
      item.erase();
    }
    if (read->use_empty())
      read.erase();
  }

  static void replaceBySide(scf::IfOp branch, bool takesThen) {
    Region &side = takesThen ? branch.getThenRegion() : branch.getElseRegion();
    if (!side.empty()) {
      Operation *yield = side.front().getTerminator();
      branch->replaceAllUsesWith(yield->getOperands());
      yield->erase();
      branch->getBlock()->getOperations().splice(branch->getIterator(),
                                                 side.front().getOperations());
    }
    branch.erase();
  }

  llvm::SetVector<StringAttr> flags;
  llvm::DenseMap<Block *, Effects> known;
  /// Reads of flags with one value.
  SmallVector<std::pair<ReadOp, bool>> answers;
};

struct GradientPresencePass
    : public impl::TDGradientPresencePassBase<GradientPresencePass> {
  void runOnOperation() override {
    Presence presence(getOperation());
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal())
        presence.run(function);
  }
};
} // namespace
} // namespace tdc::td
