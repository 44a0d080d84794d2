//===- OptimizerSteps.cpp - steps of optimizers ---------------------------===//
//
// Reads and writes what a step changes. The arithmetic for one parameter is in
// prelude/optim.tdsl. A parameter without a gradient is left alone, as in
// PyTorch: its moments and its weight decay, too.
//
//===----------------------------------------------------------------------===//

#include "Checker.h"
#include "OptimizerKinds.h"

using namespace tdc;
using namespace tdc::sema;

using Leaf = ParameterGroup::Leaf;

Val Training::callOptimizerMethod(const Val &val, llvm::StringRef name,
                                  CallArgs &args) {
  auto &optimizer = val.as<OptimizerInfo>();
  if (name == "zero_grad") {
    std::vector<Slot *> slots;
    for (const Leaf *leaf : optimizer.leaves())
      if (!leaf->parameter->gradName.empty() ||
          c.models.isLearned(*leaf->parameter, args.range))
        slots.push_back(leaf->parameter);
    zeroGrad(slots, args);
    return makeVal(ValKind::None);
  }
  if (name == "step") {
    if (args.positional.size() > 1 || !args.keywords.empty()) {
      c.error(DiagCode::TD205, args.range,
              "`step` takes the gradients, or nothing");
      return c.fail();
    }
    optimizerStep(optimizer,
                  args.positional.empty() ? nullptr : &args.positional[0],
                  args.range);
    return makeVal(ValKind::None);
  }
  return c.scopes.reportNoMember(val, args.calleeRange, name);
}

namespace {
/// One call of `step`.
class OptimizerStep {
public:
  OptimizerStep(Checker &c, OptimizerInfo &optimizer, SourceRange range)
      : c(c), optimizer(optimizer), range(range) {}

  /// Counts the step; called once, before the parameters.
  void begin();
  /// `gradient`: the value; an error for the one that `backward` left.
  void change(ParameterGroup &group, const Leaf &leaf, const Val &gradient);
  /// The step leaves the parameter as it is.
  void leave(const Leaf &leaf);

private:
  /// Calls a function of the prelude with those of the values that it takes.
  Val call(llvm::StringRef function, const llvm::StringMap<Val> &values);
  /// Whether a step with a gradient of zeros changes nothing.
  bool isIdleWithout(const ParameterGroup &group, const Leaf &leaf) const;
  void apply(ParameterGroup &group, const Leaf &leaf, const Val &gradient);

  Checker &c;
  OptimizerInfo &optimizer;
  SourceRange range;
  Val count; ///< of steps, with this one
};
} // namespace

Val OptimizerStep::call(llvm::StringRef function,
                        const llvm::StringMap<Val> &values) {
  std::optional<Val> callee = c.scopes.findPrelude(function);
  if (!callee)
    return c.fail();
  CallArgs args;
  args.range = args.calleeRange = range;
  for (const ast::Param &param : callee->as<FunctionInfo>().decl->params)
    args.keywords.push_back({param.name, values.lookup(param.name.text)});
  Val result = c.calls.call(*callee, args);
  c.at(range); // the ops that follow are not the prelude's
  return result;
}

void OptimizerStep::begin() {
  if (optimizer.stepSlot.empty())
    return;
  Val before = c.training.readNumber(optimizer.stepSlot, DType::I64);
  count = c.host.binary(ast::BinaryOp::Add, before, makeInt(1), range);
  c.training.writeNumber(optimizer.stepSlot, count, DType::I64);
}

void OptimizerStep::leave(const Leaf &leaf) {
  if (leaf.missedSlot.empty())
    return;
  Val missed = c.training.readNumber(leaf.missedSlot, DType::I64);
  c.training.writeNumber(
      leaf.missedSlot,
      c.host.binary(ast::BinaryOp::Add, missed, makeInt(1), range), DType::I64);
}

bool OptimizerStep::isIdleWithout(const ParameterGroup &group,
                                  const Leaf &leaf) const {
  bool keepsNothing = llvm::all_of(
      leaf.moments, [](const std::string &slot) { return slot.empty(); });
  Val decay = c.training.readSetting(group, "weight_decay");
  return keepsNothing && leaf.missedSlot.empty() && decay.known &&
         decay.number == 0;
}

void OptimizerStep::change(ParameterGroup &group, const Leaf &leaf,
                           const Val &gradient) {
  if (!gradient.isError())
    return apply(group, leaf, gradient);
  Slot &slot = *leaf.parameter;
  c.training.ensureGradSlot(slot);
  TensorType type = slot.type;
  type.place = c.places.modelPlace(*slot.owner);
  auto applyLeft = [&] {
    apply(group, leaf,
          makeTensor(type,
                     c.emit().read(slot.gradName, c.tensors.shapeOf(type))));
  };
  if (isIdleWithout(group, leaf))
    return applyLeft();
  c.control.choose(c.training.readNumber(slot.hasGradName, DType::Bool),
                   applyLeft, [&] { leave(leaf); });
}

void OptimizerStep::apply(ParameterGroup &group, const Leaf &leaf,
                          const Val &gradient) {
  Slot &slot = *leaf.parameter;
  const OptimizerKind &kind = *optimizer.kind;
  llvm::StringMap<Val> values;
  for (const Setting &setting : kind.settings)
    values[setting.name] = c.training.readSetting(group, setting.name);
  if (!kind.rates.empty()) {
    values["step"] = c.host.binary(
        ast::BinaryOp::Sub, count,
        c.training.readNumber(leaf.missedSlot, DType::I64), range);
    values["rates"] = call(kind.rates, values);
  }
  values["p"] = c.models.readSlot(slot, range);
  values["g"] = gradient;
  TensorType type = slot.type;
  type.place = c.places.modelPlace(*slot.owner);
  for (auto [moment, name] : llvm::zip_equal(kind.moments, leaf.moments))
    values[moment.name] =
        name.empty() ? makeVal(ValKind::None)
        : moment.isNumber
            ? c.training.readNumber(name, DType::F64)
            : makeTensor(type, c.emit().read(name, c.tensors.shapeOf(type)));
  Val results = call(kind.step, values);
  if (results.isError())
    return;
  bool isOne = results.is(ValKind::Tensor);
  llvm::ArrayRef<Val> parts =
      isOne ? llvm::ArrayRef<Val>(results) : elementsOf(results);
  c.models.writeSlot(slot, parts.front());
  for (auto [moment, name] : llvm::zip_equal(kind.moments, leaf.moments)) {
    if (name.empty())
      continue;
    parts = parts.drop_front();
    if (moment.isNumber)
      c.training.writeNumber(name, parts.front(), DType::F64);
    else
      c.models.rawWrite(name, parts.front().value);
  }
}

void Training::optimizerStep(OptimizerInfo &optimizer, const Val *gradients,
                             SourceRange range) {
  optimizer.hasStepped = true;
  Vals given;
  if (gradients) {
    if (gradients->isError())
      return;
    if (gradients->is(ValKind::Function)) {
      c.error(DiagCode::TD205, range, "`step` takes gradients, not a function")
          .note(
              "there are no closures: call `zero_grad`, compute the loss, call "
              "`loss.backward()`, and then `step()`");
      return;
    }
    if (gradients->is(ValKind::Tuple) || gradients->is(ValKind::List))
      given.assign(elementsOf(*gradients).begin(),
                   elementsOf(*gradients).end());
  }
  // Frozen parameters do not change.
  std::vector<std::pair<ParameterGroup *, const Leaf *>> learned;
  OptimizerStep step(c, optimizer, range);
  step.begin();
  for (auto &group : optimizer.groups)
    for (const Leaf &leaf : group->leaves) {
      if (c.models.isLearned(*leaf.parameter, range))
        learned.push_back({group.get(), &leaf});
      else if (unfreezes)
        step.leave(leaf);
    }
  bool isModel = optimizer.groups.size() == 1 &&
                 optimizer.groups[0]->parameters.is(ValKind::Model);
  bool fits = given.size() == learned.size();
  for (size_t i = 0; fits && i != given.size(); ++i)
    if (given[i].is(ValKind::Tensor))
      if (Slot *by = given[i].as<TensorInfo>().derivativeBy.get())
        fits = by == learned[i].second->parameter;
  if (gradients && !(isModel && fits)) {
    c.error(DiagCode::TD604, range,
            "these are not the gradients of the optimizer's model")
        .note(isModel ? "write `optimizer.step(grad(loss, model))`"
                      : "an optimizer of several groups or models takes the "
                        "gradients that `loss.backward()` leaves");
    return;
  }
  llvm::SmallVector<const Slot *> byGradients;
  for (auto [i, entry] : llvm::enumerate(learned)) {
    Val gradient = gradients ? given[i] : Val();
    step.change(*entry.first, *entry.second, gradient);
    if (gradient.isError())
      byGradients.push_back(entry.second->parameter);
  }
  c.lints.steps(optimizer, byGradients);
}
