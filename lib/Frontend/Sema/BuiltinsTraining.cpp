//===- BuiltinsTraining.cpp - grad, optimizers, DataLoader ----------------===//

#include "Checker.h"

using namespace tdc;
using namespace tdc::sema;

template <OptimizerKind kind>
static Val optimizer(Checker &c, const Bound &args) {
  return c.buildOptimizer(kind, args);
}

static Val dataLoader(Checker &c, const Bound &args) {
  return c.buildLoader(args);
}

static Val grad(Checker &c, const Bound &args) {
  return c.gradOf(args["y"], args["wrt"], args.range());
}

/// sqrt of the sum of all squares, of narrow floats in f32.
static std::optional<Val> totalNorm(Checker &c, const Val &gradients,
                                    SourceRange range) {
  Vals list{gradients};
  if (gradients.is(ValKind::Tuple) || gradients.is(ValKind::List))
    list.assign(elementsOf(gradients).begin(), elementsOf(gradients).end());
  if (list.empty())
    c.error(DiagCode::TD222, range, "there are no gradients");
  Val sum;
  for (const Val &gradient : list) {
    if (!c.isTensor(gradient, range, "a gradient"))
      return std::nullopt;
    Val wide = c.widened(gradient);
    Val square = c.elementwise(OpKind::Mul, {wide, wide}, range, "`norm`");
    if (square.isError())
      return std::nullopt;
    llvm::SmallVector<unsigned> all;
    for (unsigned i = 0; i != typeOf(gradient).dims.size(); ++i)
      all.push_back(i);
    Val part = c.reduceOf(td::ReduceKind::Sum, square, all, false);
    sum = sum.isError()
              ? part
              : c.elementwise(OpKind::Add, {sum, part}, range, "`norm`");
  }
  if (sum.isError())
    return std::nullopt;
  return c.elementwise(OpKind::Sqrt, {sum}, range, "`norm`");
}

static Val gradNorm(Checker &c, const Bound &args) {
  return totalNorm(c, args["gradients"], args.range()).value_or(Val());
}

/// The gradients scaled so that their norm is at most `max_norm`.
static Val clipGradNorm(Checker &c, const Bound &args) {
  const Val &gradients = args["gradients"];
  if (gradients.is(ValKind::Model))
    return c.unsupported(args.range(), "clipping the gradients of a model in "
                                       "place (clip the result of `grad`)");
  SourceRange range = args.range();
  auto norm = totalNorm(c, gradients, range);
  if (!norm || norm->isError())
    return c.fail();
  // PyTorch: max_norm / (norm + 1e-6), at most 1.
  Val shifted =
      c.elementwise(OpKind::Add, {*norm, makeFloat(1e-6)}, range, "`clip`");
  Val ratio =
      c.elementwise(OpKind::Div, {args["max_norm"], shifted}, range, "`clip`");
  Val scale =
      c.elementwise(OpKind::Min, {ratio, makeFloat(1)}, range, "`clip`");
  auto scaled = [&](const Val &gradient) {
    Val wide = c.widened(gradient);
    return c.rounded(c.elementwise(OpKind::Mul, {wide, scale}, range, "`clip`"),
                     typeOf(gradient).dtype);
  };
  if (gradients.is(ValKind::Tensor))
    return scaled(gradients);
  Vals results;
  for (const Val &gradient : elementsOf(gradients))
    results.push_back(scaled(gradient));
  return makeSequence(ValKind::Tuple, std::move(results));
}

llvm::ArrayRef<Builtin> sema::getTrainingBuiltins() {
  static const Builtin table[] = {
      {"SGD", "params, lr=, momentum=, weight_decay=, nesterov=",
       optimizer<OptimizerKind::SGD>},
      {"Adam", "params, lr=, betas=, eps=, weight_decay=",
       optimizer<OptimizerKind::Adam>},
      {"AdamW", "params, lr=, betas=, eps=, weight_decay=",
       optimizer<OptimizerKind::AdamW>},
      {"DataLoader",
       "*tensors, batch_size=, shuffle=, drop_last=, generator=, "
       "num_workers=, pin_memory=",
       dataLoader},
      {"grad", "y, wrt", grad},
      {"grad_norm", "gradients", gradNorm},
      {"clip_grad_norm", "gradients, max_norm", clipGradNorm},
  };
  return table;
}
