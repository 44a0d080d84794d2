//===- Liveness.cpp - live ranges of a function's tensors -----------------===//

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

/// The blocks to number: not the condition region of an scf.while, which does
/// no work.
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
  for (auto &[root, ofRoot] : uses)
    addFacts(root, ofRoot);
  uses.clear();
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
    // Views need nothing at their position; nor do texts that their consumer
    // formats.
    if (td::isView(&op))
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
    facts[value].ranges = {{position, position}};
  }
}

void Liveness::use(ValueRange values, Operation *user) {
  for (Value value : values) {
    if (!isa<RankedTensorType>(value.getType()))
      continue;
    Value root = getRoot(value);
    Use use = {user, getBegin(user)};
    for (Operation *outer = user; outer->getBlock() != root.getParentBlock();) {
      outer = outer->getParentOp();
      // The next iteration needs the value again.
      if (isa<LoopLikeOpInterface>(outer))
        use = {outer, getEnd(outer)};
    }
    uses[root].push_back(use);
  }
}

/// Computes the facts about a root from its uses, which are in program order.
void Liveness::addFacts(Value root, llvm::ArrayRef<Use> uses) {
  Facts &fact = facts.find(root)->second;
  Block *block = root.getParentBlock();
  fact.lastUser = block->findAncestorOpInBlock(*uses.back().op);
  unsigned begin = getBegin(fact.lastUser);
  fact.usedInRegion =
      llvm::any_of(uses, [&](const Use &use) { return use.position > begin; });
  addRanges(fact, *block, uses);
}

/// Extends the last range to the uses in `block`. The last op of the block with
/// a use determines the end; if that op is a branch, each side has its own last
/// use.
void Liveness::addRanges(Facts &fact, Block &block, llvm::ArrayRef<Use> uses) {
  Operation *last = block.findAncestorOpInBlock(*uses.back().op);
  unsigned begin = getBegin(last);
  auto branch = dyn_cast<scf::IfOp>(last);
  if (!branch || last == uses.back().op) {
    fact.ranges.back().last = uses.back().position;
    return;
  }
  fact.ranges.back().last = begin;
  auto isBefore = [](unsigned position) {
    return [=](const Use &use) { return use.position <= position; };
  };
  unsigned otherwise =
      branch.elseBlock() ? getBegin(*branch.elseBlock()) : getEnd(branch);
  uses = uses.drop_while(isBefore(begin));
  if (llvm::ArrayRef<Use> here = uses.take_while(isBefore(otherwise));
      !here.empty())
    addRanges(fact, *branch.thenBlock(), here);
  if (llvm::ArrayRef<Use> here = uses.drop_while(isBefore(otherwise));
      !here.empty()) {
    fact.ranges.push_back({otherwise, otherwise});
    addRanges(fact, *branch.elseBlock(), here);
  }
}

} // namespace tdc
