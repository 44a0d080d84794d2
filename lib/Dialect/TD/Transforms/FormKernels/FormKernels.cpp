//===- FormKernels.cpp - compute ops -> td.kernel -------------------------===//
//
// FusionGraph decides what goes together; here the blocks are rebuilt: kernels
// and host ops in an order that respects values and effects.
//
//===----------------------------------------------------------------------===//

#include "Dialect/TD/Analysis/Sizes.h"
#include "Dialect/TD/Transforms/Passes.h"
#include "FusionGraph.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include <cmath>

using namespace mlir;

namespace tdc::td {
#define GEN_PASS_DEF_FORMKERNELSPASS
#include "Dialect/TD/Transforms/Passes.h.inc"

namespace {

bool isNarrow(Type element) {
  return isa<FloatType>(element) && element.getIntOrFloatBitWidth() < 32;
}

/// Writes softmax as the reductions and elementwise ops it consists of, which
/// fuse with what stands around it. Narrow floats are rounded in the end only.
void decomposeSoftmax(Operation *op, Value input, int64_t dim,
                      bool isLogarithm) {
  OpBuilder builder(op);
  Location loc = op->getLoc();
  auto type = cast<RankedTensorType>(input.getType());
  if (isNarrow(type.getElementType())) {
    type = type.clone(builder.getF32Type());
    input = CastOp::create(builder, loc, type, input);
  }
  SmallVector<int64_t> kept(type.getShape()), reduced(type.getShape());
  kept[dim] = 1;
  reduced.erase(reduced.begin() + dim);
  auto keptType = type.clone(kept), reducedType = type.clone(reduced);

  auto alongDim = [&](ReduceKind kind, Value value) -> Value {
    Value result = ReduceOp::create(builder, loc, reducedType, kind, value,
                                    ArrayRef<int64_t>{dim});
    SmallVector<Value> keptSizes = getRunTimeSizes(builder, loc, result);
    return ReshapeOp::create(builder, loc, keptType, result, keptSizes);
  };
  auto spread = [&](Value value) -> Value {
    return BroadcastOp::create(builder, loc, type, value,
                               getRunTimeSizes(builder, loc, input));
  };
  Value shifted = SubOp::create(builder, loc, input,
                                spread(alongDim(ReduceKind::Max, input)));
  Value powers = ExpOp::create(builder, loc, shifted);
  Value sum = alongDim(ReduceKind::Sum, powers);
  Value result;
  if (isLogarithm)
    result = SubOp::create(builder, loc, shifted,
                           spread(LogOp::create(builder, loc, sum)));
  else
    result = DivOp::create(builder, loc, powers, spread(sum));
  if (Type wanted = op->getResult(0).getType(); wanted != result.getType())
    result = CastOp::create(builder, loc, wanted, result);
  op->getResult(0).replaceAllUsesWith(result);
  op->erase();
}

/// Sums of narrow floats are f32 inside, and rounded in the end only.
void widenScatter(Operation *scatter) {
  auto type = cast<RankedTensorType>(scatter->getResult(0).getType());
  if (!isNarrow(type.getElementType()))
    return;
  OpBuilder builder(scatter);
  for (unsigned i : {0, 2}) { // not the indices
    Value operand = scatter->getOperand(i);
    auto own = cast<RankedTensorType>(operand.getType());
    scatter->setOperand(i, CastOp::create(builder, scatter->getLoc(),
                                          own.clone(builder.getF32Type()),
                                          operand));
  }
  Value result = scatter->getResult(0);
  result.setType(type.clone(builder.getF32Type()));
  builder.setInsertionPointAfter(scatter);
  auto rounded = CastOp::create(builder, scatter->getLoc(), type, result);
  result.replaceAllUsesExcept(rounded, rounded);
}

/// Uniform f32 without the bits that a narrow float has not: rounded to the
/// nearest instead, some would be 1.
Value cutUniform(OpBuilder &builder, RandomOp random, FloatType narrow) {
  Location loc = random.getLoc();
  auto scale = [&](Value value, int exponent) -> Value {
    Value factor = arith::ConstantOp::create(
        builder, loc, builder.getF64FloatAttr(std::ldexp(1.0, exponent)));
    Value factors = FillOp::create(builder, loc, random.getType(), factor,
                                   random.getSizes());
    return MulOp::create(builder, loc, value, factors);
  };
  int bits = narrow.getFPMantissaWidth();
  Value whole = FloorOp::create(builder, loc, scale(random, bits));
  return scale(whole, -bits);
}

/// The runtime makes random numbers of 32 and 64 bits; narrower ones are cast
/// from them.
void widenRandom(RandomOp random) {
  auto type = cast<RankedTensorType>(random.getType());
  if (type.getElementTypeBitWidth() >= 32)
    return;
  OpBuilder builder(random);
  auto narrowFloat = dyn_cast<FloatType>(type.getElementType());
  Type wide =
      narrowFloat ? Type(builder.getF32Type()) : Type(builder.getI32Type());
  auto made = cast<RandomOp>(builder.clone(*random));
  made.getResult().setType(type.clone(wide));
  // The cast wraps: bounds that the narrow type has not are an error before.
  if (random.getDistribution() == Distribution::RandInt)
    made->setAttr(kFitsAttr, TypeAttr::get(type.getElementType()));
  Value numbers = random.getDistribution() == Distribution::Uniform
                      ? cutUniform(builder, made, narrowFloat)
                      : made.getResult();
  Value narrow = CastOp::create(builder, random.getLoc(), type, numbers);
  random.getResult().replaceAllUsesWith(narrow);
  random.erase();
}

/// Rebuilds one block out of the nodes of its fusion graph.
class BlockBuilder {
public:
  explicit BlockBuilder(Block &block) : block(block) {
    for (auto [position, op] : llvm::enumerate(block))
      positions[&op] = position;
  }

  void run() {
    FusionGraph graph(block);
    graph.mergeKernels();
    SmallVector<FusionGraph::Node *> order = graph.getOrder();
    SmallVector<Operation *> old;
    for (Operation &op : block)
      if (isKernelOp(&op))
        old.push_back(&op);
    for (FusionGraph::Node *node : order) {
      if (node->isKernel)
        makeKernel(*node);
      else
        node->roots.front()->moveBefore(&block, block.end());
    }
    for (Operation *op : llvm::reverse(old))
      op->erase();
  }

private:
  void makeKernel(FusionGraph::Node &node) {
    OpBuilder builder = OpBuilder::atBlockEnd(&block);
    SmallVector<Operation *> body(node.body.begin(), node.body.end());
    llvm::sort(body, [&](Operation *a, Operation *b) {
      return positions[a] < positions[b];
    });
    Location loc = node.roots.front()->getLoc();

    SmallVector<Value> inputs, sizes;
    SmallVector<Operation *> constants;
    for (Value input : node.inputs) {
      if (input.getDefiningOp<arith::ConstantOp>())
        constants.push_back(input.getDefiningOp());
      else
        inputs.push_back(getNew(input));
    }
    SmallVector<Type> resultTypes;
    for (Operation *root : node.roots) {
      resultTypes.push_back(root->getResult(0).getType());
      sizes.append(getRunTimeSizes(builder, loc, root->getResult(0)));
    }

    auto kernel = KernelOp::create(builder, loc, resultTypes, inputs, sizes);
    Block &inner = kernel.getBody().emplaceBlock();
    IRMapping mapping;
    for (Value input : node.inputs)
      if (!input.getDefiningOp<arith::ConstantOp>())
        mapping.map(input, inner.addArgument(input.getType(), loc));
    builder.setInsertionPointToEnd(&inner);
    for (Operation *constant : constants)
      builder.clone(*constant, mapping);
    // Operands that were replaced meanwhile are looked up under their new name.
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
  llvm::DenseMap<Operation *, unsigned> positions;
  llvm::DenseMap<Value, Value> replaced;
};

struct FormKernelsPass : impl::FormKernelsPassBase<FormKernelsPass> {
  void runOnOperation() override {
    SmallVector<Operation *> softmaxes, scatters;
    SmallVector<RandomOp> randoms;
    SmallVector<Block *> blocks;
    getOperation()->walk([&](Operation *op) {
      if (isa<SoftmaxOp, LogSoftmaxOp>(op))
        softmaxes.push_back(op);
      if (isa<ScatterAddAlongOp, ScatterAddOp>(op))
        scatters.push_back(op);
      if (auto random = dyn_cast<RandomOp>(op))
        randoms.push_back(random);
      if (!isa<ModuleOp, KernelOp>(op))
        for (Region &region : op->getRegions())
          for (Block &block : region)
            blocks.push_back(&block);
    });
    llvm::for_each(randoms, widenRandom);
    llvm::for_each(scatters, widenScatter);
    for (Operation *op : softmaxes) {
      if (auto softmax = dyn_cast<SoftmaxOp>(op))
        decomposeSoftmax(op, softmax.getInput(), softmax.getDim(), false);
      else
        decomposeSoftmax(op, op->getOperand(0), cast<LogSoftmaxOp>(op).getDim(),
                         true);
    }
    // Inner blocks first: walk() visits regions before the ops that hold them.
    for (Block *block : blocks)
      if (llvm::any_of(*block, [](Operation &op) { return isKernelOp(&op); }))
        BlockBuilder(*block).run();
  }
};

} // namespace
} // namespace tdc::td
