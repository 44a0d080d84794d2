//===- SinkReshapes.cpp - td-sink-reshapes: products keep their epilogues -===//
//
// A reshape that changes more than dims of size 1 is no part of a kernel: it
// views a stored tensor. In `(x @ w).reshape(b, t, n) + bias` it would separate
// the product from its epilogue. The work after such a reshape moves before it,
// where it has the shape that the kernel before computes.
//
//===----------------------------------------------------------------------===//

#include "../Simplify.h"
#include "Dialect/TD/Analysis/Sizes.h"
#include "Dialect/TD/Transforms/Passes.h"
#include "FusionGraph.h"
#include "mlir/IR/IRMapping.h"

namespace tdc::td {
#define GEN_PASS_DEF_SINKRESHAPESPASS
#include "Dialect/TD/Transforms/Passes.h.inc"
} // namespace tdc::td

using namespace mlir;

namespace tdc::td {
namespace {

/// The longest chain of elementwise ops before another operand that takes the
/// shape, too.
constexpr unsigned kLongestChain = 8;

/// Consecutive dims of one shape with as many elements as consecutive dims of
/// another shape of the same tensor.
struct DimGroup {
  SmallVector<unsigned, 2> from, to;
};

/// The correspondence of two shapes of a tensor, in the smallest groups. All
/// dims up to the last run-time size are one group. Empty if a size is 0.
SmallVector<DimGroup> findGroups(ArrayRef<int64_t> from, ArrayRef<int64_t> to) {
  SmallVector<DimGroup> groups;
  int64_t i = from.size(), j = to.size();
  while (i > 0 || j > 0) {
    DimGroup group;
    int64_t fromSize = 1, toSize = 1;
    auto take = [](ArrayRef<int64_t> shape, int64_t &next, int64_t &size,
                   SmallVectorImpl<unsigned> &dims) {
      dims.push_back(--next);
      size = ShapedType::isDynamic(shape[next]) ? 0 : size * shape[next];
    };
    if (i > 0)
      take(from, i, fromSize, group.from);
    if (j > 0)
      take(to, j, toSize, group.to);
    while (fromSize && toSize && fromSize != toSize && (i > 0 || j > 0)) {
      if (j == 0 || (i > 0 && fromSize < toSize))
        take(from, i, fromSize, group.from);
      else
        take(to, j, toSize, group.to);
    }
    if (!fromSize || !toSize) {
      while (i > 0)
        group.from.push_back(--i);
      while (j > 0)
        group.to.push_back(--j);
      if (llvm::is_contained(from, 0) || llvm::is_contained(to, 0))
        return {};
    }
    groups.push_back(std::move(group));
  }
  return groups;
}

/// One reshape after a kernel op, and the ops that may move before it.
class Sinker {
public:
  explicit Sinker(ReshapeOp reshape)
      : reshape(reshape), before(reshape.getInput().getType()),
        groups(findGroups(before.getShape(), reshape.getType().getShape())) {}

  /// Whether a kernel of this block computes the tensor that is viewed, and a
  /// tensor has this shape only if it has as many elements.
  bool isWorthIt() {
    Operation *def = reshape.getInput().getDefiningOp();
    return !groups.empty() && !reshape.isPulled() && def &&
           def->getBlock() == reshape->getBlock() && isKernelOp(def) &&
           before.getNumDynamicDims() <= 1;
  }

  /// Replaces the elementwise op, which has the reshape as an operand.
  bool sinkElementwise(Operation *op) {
    for (Value operand : op->getOperands())
      if (!canTakeShape(operand, kLongestChain))
        return false;
    OpBuilder builder(op);
    Value result = compute(builder, op);
    replace(builder, op, result, reshape.getSizes());
    return true;
  }

  /// Replaces the reduction of the reshape.
  bool sinkReduce(ReduceOp op) {
    SmallVector<int64_t> dims;
    for (const DimGroup &group : groups) {
      SmallVector<unsigned> real;
      llvm::copy_if(group.to, std::back_inserter(real), [&](unsigned dim) {
        return reshape.getType().getDimSize(dim) != 1;
      });
      unsigned reduced = llvm::count_if(real, [&](unsigned dim) {
        return llvm::is_contained(op.getDims(), dim);
      });
      if (reduced && reduced != real.size())
        return false;
      if (reduced)
        llvm::append_range(dims, group.from);
    }
    if (dims.empty())
      return false;
    llvm::sort(dims);
    SmallVector<int64_t> kept;
    for (auto [dim, size] : llvm::enumerate(before.getShape()))
      if (!llvm::is_contained(dims, dim))
        kept.push_back(size);
    SmallVector<Value> sizes;
    unsigned next = 0;
    for (auto [dim, size] : llvm::enumerate(reshape.getType().getShape()))
      if (ShapedType::isDynamic(size)) {
        Value known = reshape.getSizes()[next++];
        if (!llvm::is_contained(op.getDims(), dim))
          sizes.push_back(known);
      }
    OpBuilder builder(op);
    auto type = cast<RankedTensorType>(op.getType());
    Value result =
        ReduceOp::create(builder, op.getLoc(), type.clone(kept), op.getKind(),
                         op.getFirst(), reshape.getInput(), dims);
    replace(builder, op, result, sizes);
    return true;
  }

private:
  /// Whether the operand of an op that moves can have the shape before the
  /// reshape without another copy.
  bool canTakeShape(Value operand, unsigned chain) {
    Operation *def = operand.getDefiningOp();
    if (!isa<RankedTensorType>(operand.getType()) ||
        isa_and_present<FillOp>(def))
      return true;
    if (auto broadcast = dyn_cast_if_present<BroadcastOp>(def))
      return succeeded(findBroadcast(broadcast));
    if (isStored(operand) || isa<RandomOp>(def))
      return true;
    return chain && def->hasTrait<ElementwiseOp>() && hasOneReader(def) &&
           llvm::all_of(def->getOperands(), [&](Value inner) {
             return canTakeShape(inner, chain - 1);
           });
  }

  /// Whether the tensor is stored in any case, so that it can be viewed.
  bool isStored(Value tensor) {
    Operation *def = tensor.getDefiningOp();
    if (!def || def->getBlock() != reshape->getBlock() || !isKernelOp(def) ||
        isNeverFused(def))
      return true;
    unsigned cost = 0;
    return llvm::any_of(def->getUsers(),
                        [](Operation *user) { return !isKernelOp(user); }) ||
           (!hasOneReader(def) && addCost(def, cost));
  }

  static bool hasOneReader(Operation *op) {
    return llvm::all_equal(op->getUsers());
  }

  /// Adds the cost of an element. Whether it costs so much that td-form-kernels
  /// stores the value for several readers.
  static bool addCost(Operation *op, unsigned &cost) {
    cost += getCost(op);
    return cost > kCheapCost || isa<ReductionOp>(op) ||
           llvm::any_of(op->getOperands(), [&](Value operand) {
             Operation *def = operand.getDefiningOp();
             return def && def->getBlock() == op->getBlock() &&
                    isKernelOp(def) && addCost(def, cost);
           });
  }

  /// The shape of a broadcast's operand from which it is broadcast to the shape
  /// before the reshape.
  FailureOr<SmallVector<int64_t>> findBroadcast(BroadcastOp op) {
    ArrayRef<int64_t> inner = op.getInput().getType().getShape();
    unsigned added = op.getType().getRank() - inner.size();
    SmallVector<int64_t> shape(before.getRank(), 1);
    for (const DimGroup &group : groups) {
      unsigned real = 0, repeated = 0;
      for (unsigned dim : group.to) {
        if (op.getType().getDimSize(dim) == 1)
          continue;
        bool isOne = dim < added || inner[dim - added] == 1;
        ++(isOne ? repeated : real);
      }
      if (real && repeated)
        return failure();
      if (real)
        for (unsigned dim : group.from)
          shape[dim] = before.getDimSize(dim);
    }
    shape.erase(shape.begin(),
                llvm::find_if(shape, [](int64_t size) { return size != 1; }));
    return shape;
  }

  /// The run-time sizes of a shape that has the last dims of the one before the
  /// reshape, or 1.
  SmallVector<Value> getSizes(OpBuilder &builder, Location loc,
                              ArrayRef<int64_t> shape) {
    unsigned left = before.getRank() - shape.size();
    SmallVector<Value> sizes;
    for (auto [dim, size] : llvm::enumerate(shape))
      if (ShapedType::isDynamic(size))
        sizes.push_back(getSize(builder, loc, reshape.getInput(), left + dim));
    return sizes;
  }

  /// `tensor` with the shape before the reshape.
  Value takeShape(OpBuilder &builder, Value tensor) {
    auto type = dyn_cast<RankedTensorType>(tensor.getType());
    if (!type)
      return tensor;
    Location loc = tensor.getLoc();
    RankedTensorType wanted = type.clone(before.getShape());
    auto view = [&](Value tensor, ArrayRef<int64_t> shape) -> Value {
      auto type = cast<RankedTensorType>(tensor.getType());
      return builder.createOrFold<ReshapeOp>(loc, type.clone(shape), tensor,
                                             getSizes(builder, loc, shape));
    };
    Operation *def = tensor.getDefiningOp();
    if (auto fill = dyn_cast_if_present<FillOp>(def))
      return FillOp::create(builder, loc, wanted, fill.getValue(),
                            getSizes(builder, loc, before.getShape()));
    if (auto random = dyn_cast_if_present<RandomOp>(def);
        random && !isStored(tensor)) {
      // Random numbers are numbered in row-major order.
      return RandomOp::create(builder, loc, wanted, random.getDistribution(),
                              random.getSeed(), random.getCall(),
                              random.getBounds(),
                              getSizes(builder, loc, before.getShape()));
    }
    if (auto broadcast = dyn_cast_if_present<BroadcastOp>(def))
      return builder.createOrFold<BroadcastOp>(
          loc, wanted, view(broadcast.getInput(), *findBroadcast(broadcast)),
          getSizes(builder, loc, before.getShape()));
    return isStored(tensor) ? view(tensor, before.getShape())
                            : compute(builder, def);
  }

  /// The elementwise op on operands with the shape before the reshape.
  Value compute(OpBuilder &builder, Operation *op) {
    IRMapping mapping;
    for (Value operand : op->getOperands())
      mapping.map(operand, takeShape(builder, operand));
    Operation *copy = builder.clone(*op, mapping);
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    copy->getResult(0).setType(type.clone(before.getShape()));
    return copy->getResult(0);
  }

  void replace(OpBuilder &builder, Operation *op, Value result,
               ValueRange sizes) {
    Type type = op->getResult(0).getType();
    op->getResult(0).replaceAllUsesWith(
        builder.createOrFold<ReshapeOp>(op->getLoc(), type, result, sizes));
    op->erase();
  }

  ReshapeOp reshape;
  RankedTensorType before;
  SmallVector<DimGroup> groups;
};

/// reshape(reshape(x)) -> reshape(x), and reshape(widen(x)) ->
/// widen(reshape(x)): a reshape stores what it views, and a product on tensor
/// cores reads narrow floats.
void simplifyReshape(ReshapeOp reshape) {
  Value viewed = reshape.getInput();
  Value narrow = reshape.isPulled() ? Value() : getWidened(viewed);
  if (!narrow && !viewed.getDefiningOp<ReshapeOp>())
    return;
  OpBuilder builder(reshape);
  RankedTensorType type = reshape.getType();
  if (narrow)
    type = cast<RankedTensorType>(narrow.getType()).clone(type.getShape());
  Value view = builder.createOrFold<ReshapeOp>(
      reshape.getLoc(), type, narrow ? narrow : viewed, reshape.getSizes());
  if (narrow)
    view = CastOp::create(builder, reshape.getLoc(), reshape.getType(), view);
  reshape.getResult().replaceAllUsesWith(view);
  reshape.erase();
}

/// Moves the op before a reshape that is an operand, if it can.
void sink(Operation *op) {
  auto reduce = dyn_cast<ReduceOp>(op);
  if (!isKernelOp(op) || (!reduce && !op->hasTrait<ElementwiseOp>()) ||
      getWidened(op->getResult(0)))
    return;
  for (Value operand : op->getOperands())
    if (auto reshape = operand.getDefiningOp<ReshapeOp>()) {
      Sinker sinker(reshape);
      if (sinker.isWorthIt() &&
          (reduce ? sinker.sinkReduce(reduce) : sinker.sinkElementwise(op)))
        return;
    }
}

struct SinkReshapesPass : impl::SinkReshapesPassBase<SinkReshapesPass> {
  void runOnOperation() override {
    // In program order, so that an op meets the reshapes that its operands
    // left.
    SmallVector<Operation *> ops;
    getOperation()->walk([&](ComputeOp op) { ops.push_back(op); });
    for (Operation *op : ops) {
      if (auto reshape = dyn_cast<ReshapeOp>(op))
        simplifyReshape(reshape);
      else
        sink(op);
    }
    sweepDead(getOperation());
  }
};

} // namespace
} // namespace tdc::td
