//===- SplitReductions.cpp - long reductions in two kernels ---------------===//

#include "SplitReductions.h"
#include "CodeGen/Accumulation.h"
#include "GridSchedule.h"
#include "Target/TargetInfo.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tdc::td;

namespace tdc {

/// Iterations per thread from which another launch is worthwhile, and the least
/// iterations per thread after the split.
constexpr int64_t kManyIterations = 64, kFewIterations = 4;

namespace {

class ReductionSplitter {
public:
  explicit ReductionSplitter(KernelOp kernel) : kernel(kernel) {}

  SmallVector<SectionKernel> run();

private:
  /// Reductions that do not depend on another reduction, in lists of those that
  /// can share their loops.
  SmallVector<SmallVector<Value>> listReductions(const LoopNest &nest);
  int64_t countSections(ArrayRef<Value> reductions);
  SectionKernel makeSections(ArrayRef<Value> reductions, int64_t sections);
  /// Emits the replacement of `reduction` in the kernel, from the results of
  /// the sections.
  Value finish(OpBuilder &b, ReductionOp reduction, ValueRange parts);

  KernelOp kernel;
};

/// The type of `tensor` with the sections as additional first dim.
RankedTensorType getSectionType(Value tensor, int64_t sections) {
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape.insert(shape.begin(), sections);
  return type.clone(shape);
}

/// The element type that a reduction of narrow floats is computed in.
Type getWideElement(Value tensor) {
  Type element = getElementTypeOrSelf(tensor.getType());
  return td::isNarrowFloat(element) ? Float32Type::get(tensor.getContext())
                                    : element;
}

/// Erases unused ops, and inputs that only they read.
void dropUnused(KernelOp kernel) {
  Block &body = kernel.getBody().front();
  auto ops =
      llvm::to_vector(llvm::make_pointer_range(body.without_terminator()));
  for (Operation *op : llvm::reverse(ops))
    if (op->use_empty())
      op->erase();
  for (unsigned i = body.getNumArguments(); i-- > 0;)
    if (body.getArgument(i).use_empty()) {
      body.eraseArgument(i);
      kernel.getInputsMutable().erase(i);
    }
}

} // namespace

SmallVector<SmallVector<Value>>
ReductionSplitter::listReductions(const LoopNest &nest) {
  llvm::SmallPtrSet<Operation *, 8> seen;
  SmallVector<SmallVector<Value>> lists;
  for (const Reduction &reduction : nest.getReductions()) {
    Operation *op = reduction.op;
    Value result = op->getResult(0);
    if (reduction.isContraction() || !seen.insert(op).second ||
        !cast<RankedTensorType>(result.getType()).hasStaticShape() ||
        nest.needsReduction(op->getOperand(0),
                            nest.operandAt(op, 0, *reduction.at)))
      continue;
    auto *list = llvm::find_if(lists, [&](SmallVector<Value> &known) {
      SmallVector<Value> roots(known);
      roots.push_back(result);
      return succeeded(LoopNest::getOfKernel(roots));
    });
    if (list == lists.end())
      lists.push_back({result});
    else
      list->push_back(result);
  }
  return lists;
}

int64_t ReductionSplitter::countSections(ArrayRef<Value> reductions) {
  FailureOr<LoopNest> nest = LoopNest::getOfKernel(reductions);
  if (failed(nest) || nest->getLoops().size() == 64)
    return 1;
  OpBuilder builder(kernel.getContext());
  GridSchedule schedule = scheduleGrid(KernelFunction(builder, kernel), *nest);
  std::optional<int64_t> blocks = countBlocks(*nest, schedule);
  if (!blocks || *blocks == 0)
    return 1;
  int64_t iterations = 0;
  for (const Reduction &reduction : nest->getReductions()) {
    auto terms = countSteps(*nest, schedule, reduction.loops);
    if (!terms)
      return 1;
    iterations = std::max<int64_t>(
        iterations, llvm::divideCeil(*terms, schedule.groupSize));
  }
  int64_t most =
      std::min(gpu::kBusyBlocks / *blocks, iterations / kFewIterations);
  if (iterations < kManyIterations || most < 2)
    return 1;
  return llvm::divideCeil(iterations, llvm::divideCeil(iterations, most));
}

SectionKernel ReductionSplitter::makeSections(ArrayRef<Value> reductions,
                                              int64_t sections) {
  Region body;
  IRMapping mapping;
  kernel.getBody().cloneInto(&body, mapping);
  Operation *yield = body.front().getTerminator();
  OpBuilder b(yield);
  SmallVector<Value> parts;
  for (Value reduction : reductions) {
    Operation *op = mapping.lookup(reduction).getDefiningOp();
    Value input = op->getOperand(0);
    Type element = getWideElement(input);
    auto wideOf = [&](Value tensor) {
      return cast<RankedTensorType>(tensor.getType()).clone(element);
    };
    if (element != getElementTypeOrSelf(input.getType()))
      input = CastOp::create(b, op->getLoc(), wideOf(input), input);
    auto whole = cast<ReductionOp>(op);
    auto dims = llvm::map_to_vector(whole.getReducedDims(), [](OperandDim dim) {
      return int64_t(dim.dim);
    });
    parts.push_back(ReduceOp::create(b, op->getLoc(), wideOf(op->getResult(0)),
                                     whole.getCombination(), input, dims));
    if (whole.givesIndex())
      parts.push_back(op->getResult(0));
  }
  yield->setOperands(parts);
  SmallVector<Type> types;
  for (Value part : parts)
    types.push_back(getSectionType(part, sections));
  OpBuilder host(kernel);
  auto made = KernelOp::create(host, kernel.getLoc(), types, kernel.getInputs(),
                               /*sizes=*/ValueRange());
  made.getBody().takeBody(body);
  dropUnused(made);
  return {made, sections};
}

Value ReductionSplitter::finish(OpBuilder &b, ReductionOp reduction,
                                ValueRange parts) {
  Location loc = reduction->getLoc();
  Value result = reduction->getResult(0), values = parts[0];
  ReduceKind kind = reduction.getCombination();
  auto type = cast<RankedTensorType>(result.getType());
  Type element = getElementTypeOrSelf(values.getType());
  Value whole = ReduceOp::create(b, loc, type.clone(element), kind, values,
                                 ArrayRef<int64_t>{0});
  if (!reduction.givesIndex())
    return element == type.getElementType()
               ? whole
               : Value(CastOp::create(b, loc, type, whole));

  // The smallest index of the sections with the best value. If that is NaN, all
  // sections with NaN are as good.
  auto all = cast<RankedTensorType>(values.getType());
  auto compare = [&](ComparePredicate predicate, Value one) -> Value {
    return CompareOp::create(b, loc, all.clone(b.getI1Type()), predicate,
                             values, one);
  };
  Value isBest =
      compare(ComparePredicate::EQ,
              BroadcastOp::create(b, loc, all, whole, /*sizes=*/ValueRange()));
  if (isa<FloatType>(element))
    isBest =
        OrOp::create(b, loc, isBest, compare(ComparePredicate::NE, values));
  Value indices = parts[1];
  Value last = arith::ConstantIntOp::create(
      b, loc, std::numeric_limits<int64_t>::max(), 64);
  Value none = FillOp::create(b, loc, indices.getType(), last,
                              /*sizes=*/ValueRange());
  Value candidates = SelectOp::create(b, loc, isBest, indices, none);
  return ReduceOp::create(b, loc, type, ReduceKind::Min, candidates,
                          ArrayRef<int64_t>{0});
}

SmallVector<SectionKernel> ReductionSplitter::run() {
  Block &body = kernel.getBody().front();
  SmallVector<Value> roots(body.getTerminator()->getOperands());
  FailureOr<LoopNest> nest = LoopNest::getOfKernel(roots);
  if (failed(nest))
    return {};
  SmallVector<SectionKernel> made;
  for (ArrayRef<Value> list : listReductions(*nest)) {
    int64_t sections = countSections(list);
    if (sections == 1)
      continue;
    made.push_back(makeSections(list, sections));
    SmallVector<Value> parts;
    for (Value part : made.back().kernel.getResults()) {
      kernel.getInputsMutable().append(part);
      parts.push_back(body.addArgument(part.getType(), part.getLoc()));
    }
    ValueRange rest(parts);
    for (Value reduction : list) {
      auto op = reduction.getDefiningOp<ReductionOp>();
      OpBuilder b(op);
      unsigned count = op.givesIndex() ? 2 : 1;
      reduction.replaceAllUsesWith(finish(b, op, rest.take_front(count)));
      rest = rest.drop_front(count);
    }
  }
  if (!made.empty())
    dropUnused(kernel);
  return made;
}

SmallVector<SectionKernel> splitReductions(KernelOp kernel,
                                           SmallVectorImpl<KernelOp> &rest) {
  SmallVector<SectionKernel> made = ReductionSplitter(kernel).run();
  Operation *yield = kernel.getBody().front().getTerminator();
  SmallVector<Value> roots(yield->getOperands());
  rest.push_back(kernel);
  if (made.empty() || succeeded(LoopNest::getOfKernel(roots)))
    return made;
  // The results no longer share a nest: the ops that they shared are in the
  // other kernel now.
  OpBuilder host(kernel);
  rest.clear();
  for (auto [i, result] : llvm::enumerate(kernel.getResults())) {
    auto own = KernelOp::create(host, kernel.getLoc(), result.getType(),
                                kernel.getInputs(), /*sizes=*/ValueRange());
    IRMapping mapping;
    kernel.getBody().cloneInto(&own.getBody(), mapping);
    own.getBody().front().getTerminator()->setOperands(
        mapping.lookup(roots[i]));
    result.replaceAllUsesWith(own.getResult(0));
    dropUnused(own);
    rest.push_back(own);
  }
  kernel.erase();
  return made;
}

} // namespace tdc
