//===- BuiltinsTraining.cpp - grad, optimizers, DataLoader ----------------===//

#include "Checker.h"

using namespace tdc;
using namespace tdc::sema;

template <OptimizerKind kind>
static Val optimizer(Checker &c, const Bound &args) {
  return c.training.buildOptimizer(kind, args);
}

static Val dataLoader(Checker &c, const Bound &args) {
  return c.control.buildLoader(args);
}

static Val grad(Checker &c, const Bound &args) {
  return c.training.gradOf(args["y"], args["wrt"], args.range());
}

/// The square root of the sum of all squares, on the device of the first
/// gradient. Narrow floats are summed in f32.
static std::optional<Val> totalNorm(Checker &c, llvm::ArrayRef<Val> gradients,
                                    SourceRange range) {
  if (gradients.empty())
    c.error(DiagCode::TD222, range, "there are no gradients");
  Val sum;
  for (const Val &gradient : gradients) {
    if (!c.tensors.isTensor(gradient, range, "a gradient"))
      return std::nullopt;
    Val wide = c.tensors.widened(gradient);
    Val square =
        c.tensors.elementwise(OpKind::Mul, {wide, wide}, range, "`norm`");
    if (square.isError())
      return std::nullopt;
    llvm::SmallVector<unsigned> all;
    for (unsigned i = 0; i != typeOf(gradient).dims.size(); ++i)
      all.push_back(i);
    Val part = c.tensors.reduceOf(td::ReduceKind::Sum, square, all, false);
    sum = sum.isError()
              ? part
              : c.tensors.elementwise(
                    OpKind::Add,
                    {sum,
                     c.places.moveTensor(part, c.places.deviceOf(sum), range)},
                    range, "`norm`");
  }
  if (sum.isError())
    return std::nullopt;
  return c.tensors.elementwise(OpKind::Sqrt, {sum}, range, "`norm`");
}

static Vals listOf(const Val &gradients) {
  if (!gradients.is(ValKind::Tuple) && !gradients.is(ValKind::List))
    return {gradients};
  llvm::ArrayRef<Val> elements = elementsOf(gradients);
  return Vals(elements.begin(), elements.end());
}

static Val gradNorm(Checker &c, const Bound &args) {
  return totalNorm(c, listOf(args["gradients"]), args.range()).value_or(Val());
}

/// Scales the gradients so that their norm is at most `max_norm`; returns the
/// norm before that.
static std::optional<Val> clipNorm(Checker &c, const Bound &args,
                                   Vals &gradients) {
  SourceRange range = args.range();
  if (const Val *p = args.find("norm_type")) {
    auto number = c.host.requireFloat(*p, "`norm_type`");
    if (number && *number != 2)
      c.unsupported(p->range, "a norm other than 2");
    if (!number || *number != 2)
      return std::nullopt;
  }
  auto norm = totalNorm(c, gradients, range);
  if (!norm || norm->isError())
    return std::nullopt;
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

static bool isModel(Checker &c, const Bound &args) {
  const Val &given = args["parameters"];
  if (!given.is(ValKind::Model) && !given.isError())
    c.error(DiagCode::TD303, given.range,
            args.what() + " takes a model, not " + describe(given))
        .note("it changes what `loss.backward()` left, as in " +
              llvm::StringRef(args.what()).drop_back().str() +
              "(model.parameters(), …)`")
        .note("gradients that are values: `opt.step(clip_grad_norm(grad(loss, "
              "model), max_norm))`");
  return given.is(ValKind::Model);
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
  for (auto [slot, gradient] : llvm::zip_equal(slots, gradients))
    c.models.rawWrite(slot->gradName, gradient.value);
}

static Val clipGradNormInPlace(Checker &c, const Bound &args) {
  if (!isModel(c, args))
    return c.fail();
  auto slots = c.training.slotsWithGradients(args["parameters"], args.range());
  Vals gradients = readGradients(c, slots);
  auto norm = clipNorm(c, args, gradients);
  if (!norm)
    return c.fail();
  writeGradients(c, slots, gradients);
  return *norm;
}

static Val clipGradValueInPlace(Checker &c, const Bound &args) {
  if (!isModel(c, args))
    return c.fail();
  SourceRange range = args.range();
  auto slots = c.training.slotsWithGradients(args["parameters"], range);
  Vals gradients = readGradients(c, slots);
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
  writeGradients(c, slots, gradients);
  return makeVal(ValKind::None);
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
      {"clip_grad_norm", "gradients, max_norm, norm_type=", clipGradNorm},
      {"clip_grad_norm_",
       "parameters, max_norm, norm_type=", clipGradNormInPlace},
      {"clip_grad_value_", "parameters, clip_value", clipGradValueInPlace},
  };
  return table;
}
