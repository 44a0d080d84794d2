//===- FormKernels.cpp - compute ops -> td.kernel -------------------------===//
//
// FusionGraph decides which ops form a kernel. This file rebuilds the blocks
// from kernels and host ops, in an order that respects values and effects.
//
//===----------------------------------------------------------------------===//

#include "Dialect/TD/Analysis/Reporting/UserNames.h"
#include "Dialect/TD/Analysis/Sizes.h"
#include "Dialect/TD/IR/Locations.h"
#include "Dialect/TD/Transforms/Passes.h"
#include "FusionGraph.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace tdc::td {
#define GEN_PASS_DEF_FORMKERNELSPASS
#include "Dialect/TD/Transforms/Passes.h.inc"

namespace {

/// Whether two values are the same number: computed by the same ops, `most` one
/// after another, from the same values. Starts of slices are clamped by ops of
/// their own.
bool isSameNumber(Value a, Value b, unsigned most = 6) {
  if (a == b)
    return true;
  auto x = dyn_cast<OpResult>(a), y = dyn_cast<OpResult>(b);
  return x && y && most != 0 && a.getType() == b.getType() &&
         isa<IntegerType>(a.getType()) && !x.getOwner()->getNumRegions() &&
         x.getResultNumber() == y.getResultNumber() &&
         isMemoryEffectFree(x.getOwner()) &&
         OperationEquivalence::isEquivalentTo(
             x.getOwner(), y.getOwner(),
             [&](Value a, Value b) {
               return success(isSameNumber(a, b, most - 1));
             },
             /*markEquivalent=*/nullptr, OperationEquivalence::IgnoreLocations);
}

/// Rebuilds one block out of the nodes of its fusion graph.
class BlockBuilder {
public:
  BlockBuilder(Block &block, bool merges) : block(block), merges(merges) {
    for (auto [position, op] : llvm::enumerate(block))
      positions[&op] = position;
  }

  void run() {
    FusionGraph graph(block);
    if (merges) {
      graph.mergeKernels();
      graph.mergeRows();
      graph.mergeBorders();
    }
    graph.orderUpdates();
    SmallVector<FusionGraph::Node *> order = graph.getOrder();
    SmallVector<Operation *> old;
    for (Operation &op : block)
      if (isKernelOp(&op))
        old.push_back(&op);
    for (FusionGraph::Node *node : order) {
      if (node->isKernel)
        makeKernel(*node, graph.isTransposed(*node));
      else
        node->roots.front()->moveBefore(&block, block.end());
    }
    for (Operation *op : llvm::reverse(old))
      op->erase();
  }

private:
  void makeKernel(FusionGraph::Node &node, bool isTransposed) {
    OpBuilder builder = OpBuilder::atBlockEnd(&block);
    SmallVector<Operation *> body(node.body.begin(), node.body.end());
    llvm::sort(body, [&](Operation *a, Operation *b) {
      return positions[a] < positions[b];
    });
    // After this, only the kernel's location has the program's names of its
    // results.
    SmallVector<Location> places;
    for (Operation *root : node.roots)
      places.push_back(
          NameLoc::get(builder.getStringAttr(getValueName(root->getResult(0))),
                       withoutName(root->getLoc())));
    Location loc = fuseResults(places);

    SmallVector<Value> inputs, sizes;
    SmallVector<Operation *> constants;
    llvm::DenseMap<Value, unsigned> arguments; // by input
    for (Value input : node.inputs) {
      if (input.getDefiningOp<arith::ConstantOp>()) {
        constants.push_back(input.getDefiningOp());
        continue;
      }
      Value value = getNew(input);
      unsigned number =
          llvm::find_if(
              inputs, [&](Value known) { return isSameNumber(known, value); }) -
          inputs.begin();
      if (number == inputs.size())
        inputs.push_back(value);
      arguments[input] = number;
    }
    SmallVector<Type> resultTypes;
    for (Operation *root : node.roots) {
      resultTypes.push_back(root->getResult(0).getType());
      sizes.append(getRunTimeSizes(builder, loc, root->getResult(0)));
    }

    auto kernel = KernelOp::create(builder, loc, resultTypes, inputs, sizes,
                                   isTransposed);
    Block &inner = kernel.getBody().emplaceBlock();
    IRMapping mapping;
    for (Value input : inputs)
      inner.addArgument(input.getType(), loc);
    for (auto [input, number] : arguments)
      mapping.map(input, inner.getArgument(number));
    builder.setInsertionPointToEnd(&inner);
    for (Operation *constant : constants)
      builder.clone(*constant, mapping);
    // Operands that were replaced meanwhile are mapped as their new values,
    // too.
    for (Value input : node.inputs)
      if (Value known = mapping.lookupOrNull(input))
        mapping.map(getNew(input), known);
    for (Operation *op : body)
      builder.clone(*op, mapping);
    SmallVector<Value> results;
    for (Operation *root : node.roots)
      results.push_back(mapping.lookup(root->getResult(0)));
    YieldOp::create(builder, loc, results);

    for (auto [root, result] : llvm::zip(node.roots, kernel.getResults())) {
      replaced[root->getResult(0)] = result;
      root->getResult(0).replaceAllUsesWith(result);
    }
  }

  Value getNew(Value value) {
    Value result = replaced.lookup(value);
    return result ? result : value;
  }

  Block &block;
  const bool merges;
  llvm::DenseMap<Operation *, unsigned> positions;
  llvm::DenseMap<Value, Value> replaced;
};

struct FormKernelsPass : impl::FormKernelsPassBase<FormKernelsPass> {
  using FormKernelsPassBase::FormKernelsPassBase;
  void runOnOperation() override {
    // Collected first: expand() inserts the new ops before the expanded one.
    SmallVector<Expandable> ops;
    getOperation()->walk([&](Expandable op) { ops.push_back(op); });
    for (Expandable op : ops)
      op.expand();
    SmallVector<Block *> blocks;
    getOperation()->walk([&](Operation *op) {
      if (!isa<ModuleOp, KernelOp>(op))
        for (Region &region : op->getRegions())
          for (Block &block : region)
            blocks.push_back(&block);
    });
    // Inner blocks first: walk() visits regions before the ops that hold them.
    for (Block *block : blocks)
      if (llvm::any_of(*block, [](Operation &op) { return isKernelOp(&op); }))
        BlockBuilder(*block, merges).run();
  }
};

} // namespace
} // namespace tdc::td
