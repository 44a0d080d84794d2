//===- BuiltinsTraining.cpp - grad, optimizers ----------------------------===//

#include "Checker.h"
#include <cmath>

using namespace tdc;
using namespace tdc::sema;

static Val optimizer(Checker &c, const Bound &args) {
  return c.training.buildOptimizer(args);
}

static Val group(Checker &c, const Bound &args) {
  return c.training.buildGroup(args);
}

static Val grad(Checker &c, const Bound &args) {
  return c.training.gradOf(args["y"], args["wrt"], args.range());
}

/// The sum of |x|^p over the elements of a gradient; for an infinite p the
/// largest |x|.
static Val powerSum(Checker &c, const Val &gradient, double p,
                    SourceRange range) {
  Val wide = c.tensors.widened(gradient);
  Val powers =
      p == 2 ? c.tensors.elementwise(OpKind::Mul, {wide, wide}, range, "`norm`")
             : c.tensors.elementwise(OpKind::Abs, {wide}, range, "`norm`");
  if (p != 1 && p != 2 && !std::isinf(p))
    powers = c.tensors.elementwise(OpKind::Pow, {powers, makeFloat(p)}, range,
                                   "`norm`");
  if (powers.isError())
    return powers;
  llvm::SmallVector<unsigned> all;
  for (unsigned i = 0; i != typeOf(gradient).dims.size(); ++i)
    all.push_back(i);
  return c.tensors.reduceOf(std::isinf(p) ? td::ReduceKind::Max
                                          : td::ReduceKind::Sum,
                            powers, all, false);
}

/// The norm of order `p` of all elements, on the device of the first gradient.
/// Narrow floats are summed in f32.
static std::optional<Val> totalNorm(Checker &c, llvm::ArrayRef<Val> gradients,
                                    double p, SourceRange range) {
  if (gradients.empty())
    c.error(DiagCode::TD222, range, "there are no gradients");
  Val sum;
  for (const Val &gradient : gradients) {
    if (!c.tensors.isTensor(gradient, range, "a gradient"))
      return std::nullopt;
    Val part = powerSum(c, gradient, p, range);
    if (part.isError())
      return std::nullopt;
    if (!sum.isError())
      part = c.tensors.elementwise(
          std::isinf(p) ? OpKind::Max : OpKind::Add,
          {sum, c.places.moveTensor(part, c.places.deviceOf(sum), range)},
          range, "`norm`");
    sum = part;
  }
  if (sum.isError())
    return std::nullopt;
  if (p == 1 || std::isinf(p))
    return sum;
  return p == 2 ? c.tensors.elementwise(OpKind::Sqrt, {sum}, range, "`norm`")
                : c.tensors.elementwise(OpKind::Pow, {sum, makeFloat(1 / p)},
                                        range, "`norm`");
}

/// `norm_type=`, 2 if it is not given; nothing after a report.
static std::optional<double> orderOf(Checker &c, const Bound &args) {
  const Val *given = args.find("norm_type");
  if (!given)
    return 2;
  std::optional<double> p = c.host.requireFloat(*given, "`norm_type`");
  if (p && !(*p > 0)) {
    c.error(DiagCode::TD222, given->range, "`norm_type` is above 0");
    return std::nullopt;
  }
  return p;
}

/// `error_if_nonfinite=true`.
static void requireFinite(Checker &c, const Bound &args, const Val &norm) {
  const Val *given = args.find("error_if_nonfinite");
  if (!given)
    return;
  std::optional<bool> isAsked =
      c.host.requireBool(*given, "`error_if_nonfinite`");
  if (!isAsked || !*isAsked)
    return;
  Val isFinite = c.host.compare(
      ast::CompareOp::Lt, c.tensors.itemOf(norm),
      makeFloat(std::numeric_limits<double>::infinity()), args.range());
  c.emit().assertThat(
      c.host.materialize(isFinite),
      c.host.materialize(makeStr("the norm of the gradients is inf or NaN, so "
                                 "they cannot be clipped")));
}

static Vals listOf(const Val &gradients) {
  if (!gradients.is(ValKind::Tuple) && !gradients.is(ValKind::List))
    return {gradients};
  llvm::ArrayRef<Val> elements = elementsOf(gradients);
  return Vals(elements.begin(), elements.end());
}

static Val gradNorm(Checker &c, const Bound &args) {
  std::optional<double> p = orderOf(c, args);
  if (!p)
    return c.fail();
  return totalNorm(c, listOf(args["gradients"]), *p, args.range())
      .value_or(Val());
}

/// Scales the gradients so that their norm is at most `max_norm`; returns the
/// norm before that.
static std::optional<Val> clipNorm(Checker &c, const Bound &args,
                                   Vals &gradients) {
  SourceRange range = args.range();
  std::optional<double> p = orderOf(c, args);
  auto norm = p ? totalNorm(c, gradients, *p, range) : std::nullopt;
  if (!norm || norm->isError())
    return std::nullopt;
  requireFinite(c, args, *norm);
  // PyTorch: max_norm / (norm + 1e-6), at most 1.
  Val shifted = c.tensors.elementwise(OpKind::Add, {*norm, makeFloat(1e-6)},
                                      range, "`clip`");
  Val ratio = c.tensors.elementwise(OpKind::Div, {args["max_norm"], shifted},
                                    range, "`clip`");
  Val scale = c.tensors.elementwise(OpKind::Min, {ratio, makeFloat(1)}, range,
                                    "`clip`");
  if (scale.isError())
    return std::nullopt;
  for (Val &gradient : gradients) {
    Val factor = c.places.moveTensor(scale, c.places.deviceOf(gradient), range);
    gradient = c.tensors.rounded(
        c.tensors.elementwise(OpKind::Mul,
                              {c.tensors.widened(gradient), factor}, range,
                              "`clip`"),
        typeOf(gradient).dtype);
  }
  return norm;
}

static Val clipGradNorm(Checker &c, const Bound &args) {
  const Val &given = args["gradients"];
  if (given.is(ValKind::Model)) {
    uint32_t end = args.call.calleeRange.end;
    SourceRange after = {args.range().file, end, end};
    c.error(DiagCode::TD303, given.range,
            args.what() + " takes gradients, not " + describe(given))
        .label("the gradients of a model are changed by `clip_grad_norm_`")
        .fix(FixIt::Safe, "`clip_grad_norm_`", {{after, "_"}});
    return c.fail();
  }
  Vals gradients = listOf(given);
  if (!clipNorm(c, args, gradients))
    return c.fail();
  return given.is(ValKind::Tensor)
             ? gradients[0]
             : makeSequence(ValKind::Tuple, std::move(gradients));
}

//===----------------------------------------------------------------------===//
// Functions that change the gradients that `backward` left in a model
//===----------------------------------------------------------------------===//

/// The first value that is no model and no parameter, in lists too, or null.
static const Val *findOther(const Val &val) {
  if (val.is(ValKind::List) || val.is(ValKind::Tuple)) {
    for (const Val &element : elementsOf(val))
      if (const Val *other = findOther(element))
        return other;
    return nullptr;
  }
  auto slot = val.is(ValKind::Tensor) ? val.as<TensorInfo>().state : nullptr;
  bool isParameter = slot && slot->kind == td::SlotKind::Param;
  return val.is(ValKind::Model) || isParameter ? nullptr : &val;
}

/// The slots of the gradients of `parameters`; nothing after a report.
static std::optional<std::vector<Slot *>> findGradients(Checker &c,
                                                        const Bound &args) {
  const Val &given = args["parameters"];
  if (given.isError())
    return std::nullopt;
  if (const Val *other = findOther(given)) {
    auto slot =
        other->is(ValKind::Tensor) ? other->as<TensorInfo>().state : nullptr;
    c.error(DiagCode::TD303,
            other->range.isValid() ? other->range : given.range,
            args.what() + " takes a model or its parameters, not " +
                (slot ? "a buffer, which has no gradient" : describe(*other)))
        .note("it changes what `loss.backward()` left, as in " +
              llvm::StringRef(args.what()).drop_back().str() +
              "(model.parameters(), …)`")
        .note("gradients that are values: `opt.step(clip_grad_norm(grad(loss, "
              "model), max_norm))`");
    return std::nullopt;
  }
  return c.training.slotsWithGradients(given, args.range());
}

static Vals readGradients(Checker &c, llvm::ArrayRef<Slot *> slots) {
  Vals gradients;
  for (Slot *slot : slots) {
    c.training.ensureGradSlot(*slot);
    TensorType type = slot->type;
    type.place = c.places.modelPlace(*slot->owner);
    Value value = c.emit().read(slot->gradName, c.tensors.shapeOf(type));
    gradients.push_back(makeTensor(type, value));
  }
  return gradients;
}

static void writeGradients(Checker &c, llvm::ArrayRef<Slot *> slots,
                           llvm::ArrayRef<Val> gradients) {
  for (auto [slot, gradient] : llvm::zip_equal(slots, gradients)) {
    c.models.rawWrite(slot->gradName, gradient.value);
    c.sharing.changeGradient(*slot, c.userRange(c.here));
  }
}

static Val clipGradNormInPlace(Checker &c, const Bound &args) {
  auto slots = findGradients(c, args);
  if (!slots)
    return c.fail();
  c.lints.clips.limits(*slots);
  Vals gradients = readGradients(c, *slots);
  auto norm = clipNorm(c, args, gradients);
  if (!norm)
    return c.fail();
  writeGradients(c, *slots, gradients);
  return *norm;
}

static Val clipGradValueInPlace(Checker &c, const Bound &args) {
  SourceRange range = args.range();
  auto slots = findGradients(c, args);
  if (!slots)
    return c.fail();
  c.lints.clips.limits(*slots);
  Vals gradients = readGradients(c, *slots);
  const Val &most = args["clip_value"];
  Val least = c.negate(most, range);
  for (Val &gradient : gradients) {
    Val raised = c.tensors.elementwise(OpKind::Max, {gradient, least}, range,
                                       args.what());
    gradient =
        c.tensors.elementwise(OpKind::Min, {raised, most}, range, args.what());
    if (gradient.isError())
      return c.fail();
  }
  writeGradients(c, *slots, gradients);
  return makeVal(ValKind::None);
}

llvm::ArrayRef<Builtin> sema::getTrainingBuiltins() {
  static const Builtin table[] = {
      // `foreach=` and `fused=` choose between PyTorch's own loops.
      {"SGD",
       "params, lr=, momentum=, dampening=, weight_decay=, nesterov=, "
       "maximize=, foreach=, fused=",
       optimizer},
      {"Adam",
       "params, lr=, betas=, eps=, weight_decay=, amsgrad=, maximize=, "
       "foreach=, fused=",
       optimizer},
      {"AdamW",
       "params, lr=, betas=, eps=, weight_decay=, amsgrad=, maximize=, "
       "foreach=, fused=",
       optimizer},
      {"Adamax",
       "params, lr=, betas=, eps=, weight_decay=, maximize=, foreach=",
       optimizer},
      {"NAdam",
       "params, lr=, betas=, eps=, weight_decay=, momentum_decay=, "
       "decoupled_weight_decay=, maximize=, foreach=",
       optimizer},
      {"RAdam",
       "params, lr=, betas=, eps=, weight_decay=, decoupled_weight_decay=, "
       "maximize=, foreach=",
       optimizer},
      {"RMSprop",
       "params, lr=, alpha=, eps=, weight_decay=, momentum=, centered=, "
       "maximize=, foreach=",
       optimizer},
      {"Adagrad",
       "params, lr=, lr_decay=, weight_decay=, initial_accumulator_value=, "
       "eps=, maximize=, foreach=, fused=",
       optimizer},
      {"Adadelta",
       "params, lr=, rho=, eps=, weight_decay=, maximize=, foreach=",
       optimizer},
      {"Lion", "params, lr=, betas=, weight_decay=, maximize=", optimizer},
      {"Muon",
       "params, lr=, weight_decay=, momentum=, nesterov=, eps=, ns_steps=, "
       "adjust_lr_fn=",
       optimizer},
      {"group",
       "params, lr=, betas=, eps=, weight_decay=, momentum=, dampening=, "
       "nesterov=, amsgrad=, maximize=, alpha=, centered=, rho=, lr_decay=, "
       "initial_accumulator_value=, momentum_decay=, "
       "decoupled_weight_decay=, ns_steps=, adjust_lr_fn=",
       group},
      {"grad", "y, wrt", grad},
      {"grad_norm", "gradients, norm_type=", gradNorm},
      {"clip_grad_norm",
       "gradients, max_norm, norm_type=, error_if_nonfinite=", clipGradNorm},
      {"clip_grad_norm_",
       "parameters, max_norm, norm_type=, error_if_nonfinite=, foreach=",
       clipGradNormInPlace},
      {"clip_grad_value_",
       "parameters, clip_value, foreach=", clipGradValueInPlace},
  };
  return table;
}
