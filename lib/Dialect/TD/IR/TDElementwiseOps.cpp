//===- TDElementwiseOps.cpp - folding of elementwise ops ------------------===//
//
// The traits of these ops verify their rule (C1: one type). Folding is for code
// that gradients and zero_grad produce: added zeros, factors of one, arithmetic
// on filled tensors.
//
//===----------------------------------------------------------------------===//

#include "OpHelpers.h"
#include "llvm/ADT/APFloat.h"
#include <cmath>

using namespace mlir;
using namespace tdc;
using namespace tdc::td;

//===----------------------------------------------------------------------===//
// Unary
//===----------------------------------------------------------------------===//

OpFoldResult NegOp::fold(FoldAdaptor) {
  if (auto inner = getInput().getDefiningOp<NegOp>())
    return inner.getInput();
  return {};
}

LogicalResult NegOp::canonicalize(NegOp op, PatternRewriter &rewriter) {
  auto fill = op.getInput().getDefiningOp<FillOp>();
  Attribute element = getUniform(op.getInput());
  if (!fill || !element)
    return rewriter.notifyMatchFailure(op, "no constant td.fill");
  Attribute negated;
  if (auto number = dyn_cast<FloatAttr>(element))
    negated = FloatAttr::get(number.getType(), -number.getValue());
  else
    negated = IntegerAttr::get(cast<IntegerAttr>(element).getType(),
                               -cast<IntegerAttr>(element).getValue());
  rewriter.replaceOp(op, createFill(rewriter, op.getLoc(), negated,
                                    fill.getSizes(), op.getType()));
  return success();
}

OpFoldResult NotOp::fold(FoldAdaptor) {
  if (auto inner = getInput().getDefiningOp<NotOp>())
    return inner.getInput();
  return {};
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

OpFoldResult AddOp::fold(FoldAdaptor) {
  if (isUniform(getRhs(), 0))
    return getLhs();
  if (isUniform(getLhs(), 0))
    return getRhs();
  return {};
}

OpFoldResult SubOp::fold(FoldAdaptor) {
  return isUniform(getRhs(), 0) ? getLhs() : Value();
}

OpFoldResult MulOp::fold(FoldAdaptor) {
  if (isUniform(getRhs(), 1))
    return getLhs();
  if (isUniform(getLhs(), 1))
    return getRhs();
  // Not for floats: 0 * inf is NaN.
  if (isa<FloatType>(getType().getElementType()))
    return {};
  if (isUniform(getRhs(), 0))
    return getRhs();
  if (isUniform(getLhs(), 0))
    return getLhs();
  return {};
}

OpFoldResult DivOp::fold(FoldAdaptor) {
  return isUniform(getRhs(), 1) ? getLhs() : Value();
}

/// Replaces an op on two constant td.fills by a td.fill. The arithmetic is done
/// in the element type, so it rounds as in a kernel.
template <typename OpTy>
static LogicalResult
foldFills(OpTy op, PatternRewriter &rewriter,
          function_ref<APFloat(const APFloat &, const APFloat &)> onFloats,
          function_ref<APInt(const APInt &, const APInt &)> onIntegers) {
  auto fill = op.getLhs().template getDefiningOp<FillOp>();
  Attribute lhs = getUniform(op.getLhs()), rhs = getUniform(op.getRhs());
  if (!fill || !lhs || !rhs)
    return rewriter.notifyMatchFailure(op, "no two constant td.fills");
  Attribute result;
  if (auto number = dyn_cast<FloatAttr>(lhs))
    result = FloatAttr::get(
        number.getType(),
        onFloats(number.getValue(), cast<FloatAttr>(rhs).getValue()));
  else
    result = IntegerAttr::get(cast<IntegerAttr>(lhs).getType(),
                              onIntegers(cast<IntegerAttr>(lhs).getValue(),
                                         cast<IntegerAttr>(rhs).getValue()));
  rewriter.replaceOp(op, createFill(rewriter, op.getLoc(), result,
                                    fill.getSizes(), op.getType()));
  return success();
}

LogicalResult AddOp::canonicalize(AddOp op, PatternRewriter &rewriter) {
  return foldFills(
      op, rewriter, [](const APFloat &a, const APFloat &b) { return a + b; },
      [](const APInt &a, const APInt &b) { return a + b; });
}

LogicalResult SubOp::canonicalize(SubOp op, PatternRewriter &rewriter) {
  return foldFills(
      op, rewriter, [](const APFloat &a, const APFloat &b) { return a - b; },
      [](const APInt &a, const APInt &b) { return a - b; });
}

LogicalResult MulOp::canonicalize(MulOp op, PatternRewriter &rewriter) {
  return foldFills(
      op, rewriter, [](const APFloat &a, const APFloat &b) { return a * b; },
      [](const APInt &a, const APInt &b) { return a * b; });
}

LogicalResult DivOp::canonicalize(DivOp op, PatternRewriter &rewriter) {
  // td.div has no integers.
  return foldFills(
      op, rewriter, [](const APFloat &a, const APFloat &b) { return a / b; },
      [](const APInt &a, const APInt &) { return a; });
}

//===----------------------------------------------------------------------===//
// Comparison and choice
//===----------------------------------------------------------------------===//

/// Folds the comparison of an integer with itself. (A float may be NaN.)
LogicalResult CompareOp::canonicalize(CompareOp op, PatternRewriter &rewriter) {
  if (op.getLhs() != op.getRhs() ||
      isa<FloatType>(op.getLhs().getType().getElementType()))
    return rewriter.notifyMatchFailure(op, "no integer compared with itself");
  FailureOr<SmallVector<Value>> sizes =
      findOrMakeSizes(rewriter, op, op.getLhs());
  if (failed(sizes))
    return failure();
  ComparePredicate predicate = op.getPredicate();
  bool holds = predicate == ComparePredicate::EQ ||
               predicate == ComparePredicate::LE ||
               predicate == ComparePredicate::GE;
  rewriter.replaceOp(op, createFill(rewriter, op.getLoc(),
                                    rewriter.getBoolAttr(holds), *sizes,
                                    op.getType()));
  return success();
}

OpFoldResult SelectOp::fold(FoldAdaptor) {
  if (getOnTrue() == getOnFalse() || isUniform(getCondition(), 1))
    return getOnTrue();
  if (isUniform(getCondition(), 0))
    return getOnFalse();
  return {};
}

/// select(not c, a, b) -> select(c, b, a)
LogicalResult SelectOp::canonicalize(SelectOp op, PatternRewriter &rewriter) {
  auto negation = op.getCondition().getDefiningOp<NotOp>();
  if (!negation)
    return rewriter.notifyMatchFailure(op, "the condition is no td.not");
  rewriter.replaceOpWithNewOp<SelectOp>(op, negation.getInput(),
                                        op.getOnFalse(), op.getOnTrue());
  return success();
}

//===----------------------------------------------------------------------===//
// Spelling
//===----------------------------------------------------------------------===//

std::string CompareOp::getSpelling() {
  switch (getPredicate()) {
  case ComparePredicate::EQ:
    return "==";
  case ComparePredicate::NE:
    return "!=";
  case ComparePredicate::LT:
    return "<";
  case ComparePredicate::LE:
    return "<=";
  case ComparePredicate::GT:
    return ">";
  case ComparePredicate::GE:
    return ">=";
  }
  llvm_unreachable("all predicates are above");
}

//===----------------------------------------------------------------------===//
// Known elements
//===----------------------------------------------------------------------===//

using Known = std::optional<double>;

std::optional<double> ExpOp::absorb(ArrayRef<Known> known) {
  return known[0] ? Known(std::exp(*known[0])) : Known();
}

std::optional<double> SubOp::absorb(ArrayRef<Known> known) {
  auto [a, b] = std::pair(known[0], known[1]);
  if (a && b)
    return *a - *b;
  if (a && std::isinf(*a))
    return a;
  return b && std::isinf(*b) ? Known(-*b) : Known();
}

std::optional<double> MulOp::absorb(ArrayRef<Known> known) {
  if (known[0] && known[1])
    return *known[0] * *known[1];
  bool isZero = llvm::any_of(known, [](Known one) { return one && *one == 0; });
  return isZero ? Known(0) : Known();
}

std::optional<double> DivOp::absorb(ArrayRef<Known> known) {
  if (known[0] && known[1])
    return *known[0] / *known[1];
  return known[0] && *known[0] == 0 ? known[0] : Known();
}

std::optional<double> SelectOp::absorb(ArrayRef<Known> known) {
  return known[1] == known[2] ? known[1] : Known();
}
