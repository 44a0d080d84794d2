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

Value getRoot(Value tensor) {
  while (auto reshape = tensor.getDefiningOp<td::ReshapeOp>())
    tensor = reshape.getInput();
  return tensor;
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
    for (Block *inner : getWalkedBlocks(op))
      number(*inner);
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
    fact.definition = fact.lastUse = position;
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
    while (ancestor->getBlock() != root.getParentBlock()) {
      ancestor = ancestor->getParentOp();
      // The next iteration needs it again.
      if (isa<LoopLikeOpInterface>(ancestor))
        position = getEnd(ancestor);
    }
    if (fact.lastUser != ancestor)
      fact.usedInRegion = false;
    fact.usedInRegion |= ancestor != user;
    fact.lastUser = ancestor;
    fact.lastUse = std::max(fact.lastUse, position);
  }
}

} // namespace tdc
