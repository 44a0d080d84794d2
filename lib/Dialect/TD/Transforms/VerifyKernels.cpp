//===- VerifyKernels.cpp - td-verify-kernels: one position per reduction --===//
//
// Shares no code with LoopNest, by which kernels are formed and emitted: it
// follows every result of a kernel back to its inputs and notes where each
// reduction is read. A position has a number per dim of the tensor; equal
// numbers are equal elements in every iteration of the kernel's loops.
//
//===----------------------------------------------------------------------===//

#include "Dialect/TD/IR/TD.h"
#include "Dialect/TD/Transforms/Passes.h"
#include "llvm/ADT/TypeSwitch.h"
#include <map>
#include <set>

namespace tdc::td {
#define GEN_PASS_DEF_TDVERIFYKERNELSPASS
#include "Dialect/TD/Transforms/Passes.h.inc"
} // namespace tdc::td

using namespace mlir;

namespace tdc::td {
namespace {

using Position = std::vector<unsigned>;

ArrayRef<int64_t> getShape(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getShape();
}

bool isReduction(Operation *op) {
  return isa<ArgReduceOp, MatmulOp, ReduceOp>(op);
}

class KernelVerifier {
public:
  LogicalResult verify(KernelOp kernel) {
    Operation *yield = kernel.getBody().front().getTerminator();
    for (Value result : yield->getOperands()) {
      Position at;
      for (auto [dim, size] : llvm::enumerate(getShape(result)))
        at.push_back(size == 1 ? kOnly : getLoop(dim, size));
      read.clear();
      followed.clear();
      if (failed(follow(result, at)) || failed(compareWithOtherResults()))
        return failure();
    }
    return success();
  }

private:
  /// The position in a dim of size 1.
  static constexpr unsigned kOnly = 0;
  /// What a position is computed from: a loop alone, a loop and the start of a
  /// slice, or an element of an index tensor.
  enum class Origin { Loop, Slice, Pick };

  /// The loop over dim `dim` of results that have `size` elements along it.
  unsigned getLoop(unsigned dim, int64_t size) {
    auto [known, isNew] = loops.try_emplace({dim, size}, origins.size());
    if (isNew)
      origins.push_back(Origin::Loop);
    return known->second;
  }

  /// The position in dim `dim` of what `op` reads when it is asked for at `of`.
  unsigned make(Operation *op, unsigned dim, const Position &of,
                Origin origin) {
    return makeFrom(op, dim, of, origin);
  }
  /// Slices with the same start value and step read at the same position.
  unsigned make(SliceOp slice, unsigned of) {
    return makeFrom(slice.getStart().getAsOpaquePointer(), slice.getStep(),
                    {of}, Origin::Slice);
  }
  unsigned makeFrom(const void *source, int64_t number, const Position &of,
                    Origin origin) {
    auto [known, isNew] =
        made.try_emplace({source, number, of}, origins.size());
    if (isNew)
      origins.push_back(std::max(origin, getOrigin(of)));
    return known->second;
  }

  /// The origin of the position that is furthest from a loop.
  Origin getOrigin(const Position &at) const {
    Origin origin = Origin::Loop;
    for (unsigned position : at)
      origin = std::max(origin, origins[position]);
    return origin;
  }

  LogicalResult follow(Value value, const Position &at);
  LogicalResult followOperands(Operation *op, const Position &at);
  LogicalResult followReduction(Operation *op, const Position &at);
  LogicalResult compareWithOtherResults();

  std::vector<Origin> origins{Origin::Loop};
  std::map<std::pair<unsigned, int64_t>, unsigned> loops;
  std::map<std::tuple<const void *, int64_t, Position>, unsigned> made;
  std::set<std::pair<Operation *, Position>> followed;
  /// Where reductions are read for the result at hand, and for earlier ones.
  std::map<Operation *, Position> read, readBefore;
};

LogicalResult KernelVerifier::follow(Value value, const Position &at) {
  Operation *op = value.getDefiningOp();
  if (!op || !followed.insert({op, at}).second)
    return success();
  if (isReduction(op)) {
    if (getOrigin(at) == Origin::Pick)
      return op->emitOpError("is read at a picked index by its own kernel");
    auto [known, isNew] = read.try_emplace(op, at);
    if (!isNew && known->second != at)
      return op->emitOpError("is read at two positions by its own kernel");
  }
  return followOperands(op, at);
}

/// Loops of two results may be one loop. A slice or an index tensor is never
/// the loop that stores the reduction, but may be read alike by both.
LogicalResult KernelVerifier::compareWithOtherResults() {
  for (auto &[reduction, at] : read) {
    auto [before, isNew] = readBefore.try_emplace(reduction, at);
    if (!isNew && before->second != at &&
        (getOrigin(before->second) != Origin::Loop ||
         getOrigin(at) != Origin::Loop))
      return reduction->emitOpError(
          "is read at two positions by results of its own kernel");
  }
  return success();
}

LogicalResult KernelVerifier::followReduction(Operation *op,
                                              const Position &at) {
  if (isa<MatmulOp>(op)) {
    size_t rank = at.size();
    unsigned term = make(op, rank - 1, at, Origin::Loop);
    Position lhs(at), rhs(at);
    lhs[rank - 1] = rhs[rank - 2] = term;
    return success(succeeded(follow(op->getOperand(0), lhs)) &&
                   succeeded(follow(op->getOperand(1), rhs)));
  }
  auto isReduced = [&](int64_t dim) {
    if (auto reduce = dyn_cast<ReduceOp>(op))
      return llvm::is_contained(reduce.getDims(), dim);
    return int64_t(cast<ArgReduceOp>(op).getDim()) == dim;
  };
  Position from;
  for (auto [dim, size] : llvm::enumerate(getShape(op->getOperand(0))))
    from.push_back(
        !isReduced(dim)
            ? at[dim - llvm::count_if(llvm::seq<int64_t>(0, dim), isReduced)]
        : size == 1 ? kOnly
                    : make(op, dim, at, Origin::Loop));
  return follow(op->getOperand(0), from);
}

LogicalResult KernelVerifier::followOperands(Operation *op,
                                             const Position &at) {
  if (isReduction(op))
    return followReduction(op, at);
  // Updates and concat are alone in their kernels and read their operands in
  // full.
  if (isa<ConcatOp, ScatterAddAlongOp, ScatterAddOp, UpdateSliceOp>(op))
    return success();
  auto followInput = [&](const Position &from) {
    return follow(op->getOperand(0), from);
  };
  auto followPicked = [&](auto gather, const Position &indexAt,
                          unsigned count) -> LogicalResult {
    if (failed(follow(gather.getIndices(), indexAt)))
      return failure();
    unsigned dim = gather.getDim();
    Position from(at.begin(), at.begin() + dim);
    from.push_back(make(op, dim, indexAt, Origin::Pick));
    from.insert(from.end(), at.begin() + dim + count, at.end());
    return followInput(from);
  };
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](PermuteOp permute) {
        Position from(at.size());
        for (auto [i, dim] : llvm::enumerate(permute.getPermutation()))
          from[dim] = at[i];
        return followInput(from);
      })
      .Case([&](BroadcastOp broadcast) {
        ArrayRef<int64_t> shape = getShape(broadcast.getInput());
        Position from(at.end() - shape.size(), at.end());
        for (auto [position, size] : llvm::zip(from, shape))
          if (size == 1)
            position = kOnly;
        return followInput(from);
      })
      .Case([&](ReshapeOp reshape) { // adds and drops dims of size 1
        Position from;
        auto next = at.begin();
        ArrayRef<int64_t> to = getShape(reshape.getResult());
        auto skip = [&] {
          while (next != at.end() && to[next - at.begin()] == 1)
            ++next;
        };
        for (int64_t size : getShape(reshape.getInput())) {
          skip();
          from.push_back(size == 1 ? kOnly : *next++);
        }
        return followInput(from);
      })
      .Case([&](SliceOp slice) {
        Position from(at);
        unsigned dim = slice.getDim();
        from[dim] = make(slice, at[dim]);
        return followInput(from);
      })
      .Case([&](GatherOp gather) {
        unsigned dim = gather.getDim(),
                 count = getShape(gather.getIndices()).size();
        Position indexAt(at.begin() + dim, at.begin() + dim + count);
        return followPicked(gather, indexAt, count);
      })
      .Case([&](GatherAlongOp gather) { return followPicked(gather, at, 1); })
      .Default([&](Operation *elementwise) -> LogicalResult {
        if (llvm::none_of(op->getOperandTypes(), llvm::IsaPred<TensorType>))
          return success(); // a constructor
        if (!elementwise->hasTrait<ElementwiseOp>())
          return op->emitOpError("is not known to td-verify-kernels");
        for (Value operand : elementwise->getOperands())
          if (failed(follow(operand, at)))
            return failure();
        return success();
      });
}

struct VerifyKernelsPass
    : public impl::TDVerifyKernelsPassBase<VerifyKernelsPass> {
  void runOnOperation() override {
    WalkResult result = getOperation()->walk([](KernelOp kernel) {
      return failed(KernelVerifier().verify(kernel)) ? WalkResult::interrupt()
                                                     : WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
} // namespace tdc::td
