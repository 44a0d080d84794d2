//===- VerifyKernels.cpp - td-verify-kernels: one position per reduction --===//
//
// Shares no code with LoopNest, which forms and emits kernels, but reads the
// same access maps of ops: it follows every result of a kernel back to its
// inputs and records the position at which each reduction is read. A position
// has a number per dim of the tensor, that of an affine expression of loops and
// of numbers that only the run knows; equal numbers mean equal coordinates in
// every iteration of the kernel's loops.
//
//===----------------------------------------------------------------------===//

#include "Dialect/TD/IR/TD.h"
#include "Dialect/TD/Transforms/Passes.h"
#include <functional>
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

class KernelVerifier {
public:
  explicit KernelVerifier(MLIRContext *context) : context(context) {
    origins.push_back(Origin::Loop);
    expressions.push_back(getAffineConstantExpr(0, context));
    numbered[expressions[kOnly]] = kOnly;
  }

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
  /// What a position is computed from: from one loop, from loops and numbers,
  /// or from an element of an index tensor.
  enum class Origin { Loop, Moved, Pick };

  /// A position that no other computes.
  unsigned makeBase(Origin origin) {
    unsigned number = origins.size();
    origins.push_back(origin);
    expressions.push_back(getAffineDimExpr(number, context));
    return numbered[expressions[number]] = number;
  }

  /// The loop over dim `dim` of results that have `size` elements along it.
  unsigned getLoop(unsigned dim, int64_t size) {
    auto [known, isNew] = loops.try_emplace({dim, size});
    if (isNew)
      known->second = makeBase(Origin::Loop);
    return known->second;
  }

  /// Returns the position that `source` computes from the positions `of`: for
  /// equal arguments the same one.
  unsigned make(const void *source, unsigned number, const Position &of,
                Origin origin) {
    auto [known, isNew] = made.try_emplace({source, number, of});
    if (isNew)
      known->second = makeBase(std::max(origin, getOrigin(of)));
    return known->second;
  }

  /// Returns the position for a coordinate of an access map. `domain` has the
  /// positions of the map's dims, `numbers` the positions of its symbols. A dim
  /// of size 1 has only one position: if d0 is such a dim, `d0 + d1` is d1.
  unsigned evaluate(AffineExpr coordinate, const Position &domain,
                    const Position &numbers) {
    auto expressionsOf = [&](const Position &position) {
      return llvm::map_to_vector(
          position, [&](unsigned number) { return expressions[number]; });
    };
    coordinate =
        simplifyAffineExpr(coordinate.replaceDimsAndSymbols(
                               expressionsOf(domain), expressionsOf(numbers)),
                           origins.size(), /*numSymbols=*/0);
    auto [known, isNew] = numbered.try_emplace(coordinate, origins.size());
    if (!isNew)
      return known->second;
    unsigned result = known->second;
    Origin origin = Origin::Moved;
    coordinate.walk([&](AffineExpr part) {
      if (auto base = dyn_cast<AffineDimExpr>(part))
        origin = std::max(origin, origins[base.getPosition()]);
    });
    origins.push_back(origin);
    expressions.push_back(coordinate);
    return result;
  }

  /// Returns the origin among `at` that is furthest from a loop.
  Origin getOrigin(const Position &at) const {
    Origin origin = Origin::Loop;
    for (unsigned position : at)
      origin = std::max(origin, origins[position]);
    return origin;
  }

  LogicalResult follow(Value value, const Position &at);
  LogicalResult followOperands(ComputeOp op, const Position &at);
  LogicalResult compareWithOtherResults();

  MLIRContext *context;
  /// Of each number: where it comes from, and its expression. A dim `d7` of an
  /// expression is number 7.
  std::vector<Origin> origins;
  std::vector<AffineExpr> expressions;
  DenseMap<AffineExpr, unsigned> numbered;
  std::map<std::pair<unsigned, int64_t>, unsigned> loops;
  std::map<std::tuple<const void *, unsigned, Position>, unsigned> made;
  std::set<std::pair<Operation *, Position>> followed;
  /// Positions at which reductions are read, for the current result and for
  /// earlier ones.
  std::map<Operation *, Position> read, readBefore;
};

LogicalResult KernelVerifier::follow(Value value, const Position &at) {
  auto op = value.getDefiningOp<ComputeOp>();
  if (!op || !followed.insert({op, at}).second)
    return success();
  if (!op.isPulled()) // it is alone in its kernel, and reads operands in full
    return llvm::all_of(op->getUsers(), llvm::IsaPred<YieldOp>)
               ? success()
               : op->emitOpError("is used by its own kernel, which cannot "
                                 "compute single elements of it");
  if (isa<ReductionOp>(*op)) {
    if (getOrigin(at) == Origin::Pick)
      return op->emitOpError("is read at a picked index by its own kernel");
    auto [known, isNew] = read.try_emplace(op, at);
    if (!isNew && known->second != at)
      return op->emitOpError("is read at two positions by its own kernel");
  }
  return followOperands(op, at);
}

/// Compares the positions with those of earlier results. Different loops of two
/// results may become one loop. A position in a slice or from an index tensor
/// is never the loop that stores the reduction, but both results may use the
/// same one.
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

LogicalResult KernelVerifier::followOperands(ComputeOp op, const Position &at) {
  Position domain(at);
  if (auto reduction = dyn_cast<ReductionOp>(*op))
    for (auto [term, dim] : llvm::enumerate(reduction.getReducedDims())) {
      bool isOne = getShape(op->getOperand(dim.operand))[dim.dim] == 1;
      domain.push_back(isOne ? kOnly : make(op, term, at, Origin::Loop));
    }
  std::map<unsigned, Position> known;
  std::function<const Position &(unsigned)> getPosition =
      [&](unsigned operand) -> const Position & {
    if (auto found = known.find(operand); found != known.end())
      return found->second;
    AccessMap access = op.getAccess(operand);
    Position numbers;
    for (const AccessSymbol &symbol : access.symbols) {
      bool isPicked = symbol.kind == AccessSymbol::Element;
      Position indexAt = isPicked ? getPosition(symbol.operand) : Position();
      numbers.push_back(
          make(op->getOperand(symbol.operand).getAsOpaquePointer(), symbol.dim,
               indexAt, isPicked ? Origin::Pick : Origin::Moved));
    }
    Position &position = known[operand];
    for (AffineExpr coordinate : access.map.getResults())
      position.push_back(evaluate(coordinate, domain, numbers));
    return position;
  };
  for (OpOperand &operand : op->getOpOperands())
    if (isa<RankedTensorType>(operand.get().getType()) &&
        failed(follow(operand.get(), getPosition(operand.getOperandNumber()))))
      return failure();
  return success();
}

struct VerifyKernelsPass
    : public impl::TDVerifyKernelsPassBase<VerifyKernelsPass> {
  void runOnOperation() override {
    WalkResult result = getOperation()->walk([&](KernelOp kernel) {
      return failed(KernelVerifier(&getContext()).verify(kernel))
                 ? WalkResult::interrupt()
                 : WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
} // namespace tdc::td
