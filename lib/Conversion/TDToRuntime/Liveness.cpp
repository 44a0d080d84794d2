//===- Liveness.cpp - when the tensors of a function are needed -----------===//

#include "Liveness.h"
#include "Dialect/TD/IR/CarryingLoop.h"

using namespace mlir;

namespace tdc {

Operation *getConsumer(td::FormatOp format) {
  if (format.getValues().empty() || !format->hasOneUse())
    return nullptr;
  Operation *user = *format->user_begin();
  bool consumes = isa<td::PrintOp, td::AssertOp>(user) &&
                  user->getBlock() == format->getBlock();
  return consumes ? user : nullptr;
}

/// The blocks that hold work: the condition of an scf.while only asks.
static llvm::SmallVector<Block *, 2> getWalkedBlocks(Operation &op) {
  if (td::CarryingLoop loop(&op); loop)
    return {loop.getBody()};
  llvm::SmallVector<Block *, 2> blocks;
  for (Region &region : op.getRegions())
    for (Block &block : region)
      blocks.push_back(&block);
  return blocks;
}

Liveness::Liveness(func::FuncOp function) {
  Block &body = function.front();
  number(body);
  define(body.getArguments(), 0);
  visit(body);
}

void Liveness::number(Block &block) {
  for (Operation &op : block) {
    unsigned begin = ops.size();
    ops.push_back(&op);
    for (Block *inner : getWalkedBlocks(op)) {
      ops.push_back(nullptr);
      number(*inner);
    }
    if (op.getNumRegions())
      ops.push_back(nullptr);
    extents[&op] = {begin, unsigned(ops.size() - 1)};
  }
}

void Liveness::visit(Block &block) {
  for (Operation &op : block) {
    // Reshapes and texts that are made elsewhere need nothing where they stand.
    if (isa<td::ReshapeOp>(op))
      continue;
    if (auto format = dyn_cast<td::FormatOp>(op); format && getConsumer(format))
      continue;
    for (Value operand : op.getOperands())
      if (auto format = operand.getDefiningOp<td::FormatOp>())
        if (getConsumer(format) == &op)
          use(format.getValues(), &op);
    use(op.getOperands(), &op);

    auto [begin, end] = extents[&op];
    for (Block *inner : getWalkedBlocks(op)) {
      define(inner->getArguments(), begin);
      visit(*inner);
    }
    define(op.getResults(), end);
  }
}

void Liveness::define(ValueRange values, unsigned position) {
  for (Value value : values) {
    if (!isa<RankedTensorType>(value.getType()))
      continue;
    roots.push_back(value);
    Facts &fact = facts[value];
    fact.ranges = {{position, position}};
  }
}

void Liveness::use(ValueRange values, Operation *user) {
  for (Value value : values) {
    if (!isa<RankedTensorType>(value.getType()))
      continue;
    Value root = getRoot(value);
    Facts &fact = facts.find(root)->second;
    unsigned position = getBegin(user);
    Operation *ancestor = user;
    llvm::SmallVector<Operation *> ancestors;
    while (ancestor->getBlock() != root.getParentBlock()) {
      ancestors.push_back(ancestor);
      ancestor = ancestor->getParentOp();
      // The next iteration needs it again.
      if (isa<LoopLikeOpInterface>(ancestor)) {
        position = getEnd(ancestor);
        ancestors.clear();
      }
    }
    if (fact.lastUser != ancestor)
      fact.usedInRegion = false;
    fact.usedInRegion |= ancestor != user;
    fact.lastUser = ancestor;
    addUse(fact, ancestors, position);
  }
}

/// `ancestors`: the ops around the use, and itself, that are in branches, the
/// innermost first.
void Liveness::addUse(Facts &fact, llvm::ArrayRef<Operation *> ancestors,
                      unsigned position) {
  for (Operation *inside : llvm::reverse(ancestors)) {
    auto branch = dyn_cast<scf::IfOp>(inside->getParentOp());
    if (!branch || inside->getBlock() != branch.elseBlock())
      continue;
    // Who comes this way has not been on the other side.
    unsigned begin = getBegin(&branch.elseBlock()->front()) - 1;
    LiveRange &before = fact.ranges.back();
    if (before.last >= begin)
      continue;
    before.last = std::max(before.last, getBegin(branch));
    fact.ranges.push_back({begin, begin});
    fact.sides.push_back(getEnd(branch));
  }
  // Behind a branch it is needed whichever way was taken.
  while (!fact.sides.empty() && fact.sides.back() < position) {
    fact.sides.pop_back();
    fact.ranges.pop_back();
  }
  fact.ranges.back().last = std::max(fact.ranges.back().last, position);
}

} // namespace tdc
