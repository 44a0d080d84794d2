//===- Optimizers.cpp - SGD, Adam, AdamW ----------------------------------===//
//
// Declares the slots of an optimizer, and decides when they are read and
// written. The arithmetic for one parameter is in prelude/optim.tdsl, in
// PyTorch's order of operations.
//
//===----------------------------------------------------------------------===//

#include "Checker.h"

using namespace tdc;
using namespace tdc::sema;

namespace {
struct Kind {
  OptimizerKind kind;
  llvm::StringLiteral name;
  llvm::StringLiteral step; ///< function of the prelude
  double defaultRate, defaultDecay;
};
} // namespace

static const Kind kinds[] = {
    {OptimizerKind::SGD, "SGD", "sgd", 1e-3, 0},
    {OptimizerKind::Adam, "Adam", "adam", 1e-3, 0},
    {OptimizerKind::AdamW, "AdamW", "adamw", 1e-3, 1e-2},
};

/// The type of a host number: it is on the cpu, wherever the model is.
static TensorType hostNumber(DType dtype) {
  TensorType type;
  type.dtype = dtype;
  type.place.kind = Place::Kind::Cpu;
  return type;
}

/// A slot that holds one number of the optimizer itself.
static std::string declareScalar(Checker &c, const OptimizerInfo &optimizer,
                                 llvm::StringRef leaf, const Val &initial,
                                 DType dtype) {
  std::string slot = "opt." + optimizer.name + "." + leaf.str();
  TensorType type = hostNumber(dtype);
  c.emit().declareSlot(slot, td::SlotKind::Moment, slot, optimizer.name,
                       c.tensors.shapeOf(type));
  c.models.rawWrite(slot, c.tensors.fillTensor(initial, type).value);
  return slot;
}

/// Stops the program, or its compilation, unless `allowed`.
static void requireSetting(Checker &c, const Val &allowed, const Val &setting,
                           SourceRange range, llvm::StringRef what) {
  if (allowed.known && !allowed.truth)
    c.error(DiagCode::TD222, setting.range.isValid() ? setting.range : range,
            what);
  else if (!allowed.known && !allowed.isError())
    c.emit().assertThat(c.host.materialize(allowed),
                        c.host.materialize(makeStr(what)));
}

void Training::requireNotNegative(const Val &setting, llvm::StringRef name,
                                  SourceRange range) {
  Val allowed =
      c.host.compare(ast::CompareOp::Ge, setting, makeFloat(0), range);
  requireSetting(c, allowed, setting, range,
                 ("`" + name + "` must be at least 0").str());
}

/// The ranges that PyTorch's optimizers take.
static void checkSettings(Checker &c, const OptimizerInfo &optimizer,
                          SourceRange range) {
  using ast::CompareOp;
  for (llvm::StringRef name : {"lr", "momentum", "eps", "weight_decay"}) {
    auto found = optimizer.settings.find(name);
    if (found != optimizer.settings.end())
      c.training.requireNotNegative(found->second, name, range);
  }
  auto nesterov = optimizer.settings.find("nesterov");
  if (nesterov != optimizer.settings.end() && nesterov->second.known &&
      nesterov->second.truth && optimizer.momentNames.empty())
    c.error(DiagCode::TD222, nesterov->second.range,
            "`nesterov` needs a `momentum`");
  for (llvm::StringRef name : {"beta1", "beta2"}) {
    auto found = optimizer.settings.find(name);
    if (found == optimizer.settings.end())
      continue;
    const Val &beta = found->second;
    std::string what = "each of `betas` is from 0 to below 1";
    requireSetting(c, c.host.compare(CompareOp::Ge, beta, makeFloat(0), range),
                   beta, range, what);
    requireSetting(c, c.host.compare(CompareOp::Lt, beta, makeFloat(1), range),
                   beta, range, what);
  }
}

bool Training::takeSetting(OptimizerInfo &info, const Bound &args,
                           llvm::StringRef name, const Val &otherwise) {
  const Val *given = args.find(name);
  Val val = given ? *given : otherwise;
  if (!val.isHostScalar() || (val.is(ValKind::Bool) && name != "nesterov")) {
    if (!val.isError())
      c.error(DiagCode::TD303, val.range,
              "`" + name + "` is a number, not " + describe(val));
    return false;
  }
  Val &kept = info.settings[name];
  kept = val.is(ValKind::Bool) ? val : c.host.toFloat(val);
  kept.range = val.range;
  return true;
}

bool Training::takeSettings(OptimizerInfo &info, const Bound &args) {
  const Kind &row = kinds[static_cast<unsigned>(info.kind)];
  auto take = [&](llvm::StringRef name, const Val &otherwise) {
    return takeSetting(info, args, name, otherwise);
  };
  if (!take("lr", makeFloat(row.defaultRate)) ||
      !take("weight_decay", makeFloat(row.defaultDecay)))
    return false;
  if (info.kind == OptimizerKind::SGD) {
    if (!take("momentum", makeFloat(0)) || !take("nesterov", makeBool(false)))
      return false;
    const Val &momentum = info.settings["momentum"];
    if (!momentum.known || momentum.number != 0)
      info.momentNames = {"momentum_buffer"};
  } else {
    Val beta1 = makeFloat(0.9), beta2 = makeFloat(0.999);
    bool good = take("eps", makeFloat(1e-8));
    if (const Val *betas = args.find("betas")) {
      Vals pair;
      if (!c.unpack(*betas, 2, betas->range, pair))
        return false;
      beta1 = pair[0];
      beta2 = pair[1];
    }
    if (!good || !take("beta1", beta1) || !take("beta2", beta2))
      return false;
    info.momentNames = {"exp_avg", "exp_avg_sq"};
  }
  checkSettings(c, info, args.range());
  return true;
}

void Training::addLeaves(OptimizerInfo &info, SourceRange range) {
  std::vector<NamedSlot> slots;
  c.models.collectSlots(info.model, "", slots);
  for (NamedSlot &named : slots) {
    Slot &slot = *named.slot;
    bool mayLearn = unfreezes && slot.kind == td::SlotKind::Param;
    if (!mayLearn && !c.models.isLearned(slot, range))
      continue;
    c.models.ensureSlotNamed(slot);
    c.models.useSlot(slot, "given to an optimizer", range);
    OptimizerInfo::Leaf leaf{&slot, named.key, {}, ""};
    for (llvm::StringRef moment : info.momentNames) {
      std::string name =
          "opt." + info.name + "." + named.key + "." + moment.str();
      c.places.declareNextTo(slot, name, td::SlotKind::Moment, name, info.name);
      leaf.moments.push_back(name);
    }
    if (unfreezes && info.kind != OptimizerKind::SGD)
      leaf.stepSlot =
          declareScalar(c, info, named.key + ".step", makeInt(0), DType::I64);
    info.leaves.push_back(std::move(leaf));
  }
}

Val Training::buildOptimizer(OptimizerKind kind, const Bound &args) {
  const Val &model = args["params"];
  if (!model.is(ValKind::Model)) {
    if (!model.isError())
      c.error(DiagCode::TD603, model.range,
              "an optimizer takes a model, not " + describe(model))
          .note("as in `" + kinds[static_cast<unsigned>(kind)].name +
                "(model.parameters(), lr=…)`; a model declares its parameters: "
                "`param w: f32[3] = zeros(3)`, or contains other models, as in "
                "`ModuleList([a, b])`");
    return c.fail();
  }
  if (c.isInsideRunTimeRegion() && !c.isWalkedAside()) {
    c.models.reportMadeOnce("an optimizer", args.range());
    return c.fail();
  }
  auto info = std::make_shared<OptimizerInfo>();
  info->kind = kind;
  info->model = model;
  info->name = c.models.uniqueName(
      c.models.nameHint.empty() ? "optimizer" : c.models.nameHint);
  if (!takeSettings(*info, args))
    return c.fail();
  addLeaves(*info, args.range());
  if (info->leaves.empty()) {
    c.error(DiagCode::TD603, args.range(), "the model has nothing to learn")
        .label(describe(model) + " has no parameters");
    return c.fail();
  }
  if (!unfreezes && kind != OptimizerKind::SGD)
    info->stepSlot = declareScalar(c, *info, "step", makeInt(0), DType::I64);
  if (keepsRates)
    info->lrSlot =
        declareScalar(c, *info, "lr", info->settings["lr"], DType::F64);
  optimizers.push_back(info);
  Val val = makeVal(ValKind::Optimizer);
  val.data = std::move(info);
  return val;
}

Val Training::learningRate(OptimizerInfo &optimizer) {
  if (optimizer.lrSlot.empty())
    return optimizer.settings["lr"];
  TensorType type = hostNumber(DType::F64);
  return c.tensors.itemOf(makeTensor(
      type, c.emit().read(optimizer.lrSlot, c.tensors.shapeOf(type))));
}

Val Training::callOptimizerMethod(const Val &val, llvm::StringRef name,
                                  CallArgs &args) {
  auto &optimizer = val.as<OptimizerInfo>();
  if (name == "zero_grad") {
    // `set_to_none=` has no meaning here and does no harm.
    zeroGrad(optimizer.model, args.range);
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

/// The numbers that a step of a parameter takes after its tensors; nothing
/// after a report. `stepSlot` counts the steps.
static std::optional<Vals>
stepNumbers(Checker &c, OptimizerInfo &optimizer, llvm::StringRef stepSlot,
            llvm::function_ref<Val(llvm::StringRef, Vals)> callStep,
            SourceRange range) {
  auto &settings = optimizer.settings;
  if (optimizer.kind == OptimizerKind::SGD)
    return Vals{c.training.learningRate(optimizer), settings["momentum"],
                settings["nesterov"], settings["weight_decay"]};
  TensorType type = hostNumber(DType::I64);
  Val step = c.tensors.itemOf(
      makeTensor(type, c.emit().read(stepSlot, c.tensors.shapeOf(type))));
  step = c.host.binary(ast::BinaryOp::Add, step, makeInt(1), range);
  c.models.rawWrite(stepSlot, c.tensors.fillTensor(step, type).value);
  Val rate = c.training.learningRate(optimizer);
  Val beta1 = settings["beta1"], beta2 = settings["beta2"];
  Val rates = callStep("adam_rates", {step, rate, beta1, beta2});
  if (!rates.is(ValKind::Tuple))
    return std::nullopt;
  return Vals{elementsOf(rates)[0], elementsOf(rates)[1],     beta1, beta2,
              settings["eps"],      settings["weight_decay"], rate};
}

void Training::optimizerStep(OptimizerInfo &optimizer, const Val *gradients,
                             SourceRange range) {
  const Kind &row = kinds[static_cast<unsigned>(optimizer.kind)];
  optimizer.hasStepped = true;
  // Frozen parameters do not change.
  std::vector<const OptimizerInfo::Leaf *> learned;
  for (const OptimizerInfo::Leaf &leaf : optimizer.leaves)
    if (c.models.isLearned(*leaf.parameter, range))
      learned.push_back(&leaf);
  Vals given;
  if (gradients) {
    if (gradients->isError())
      return;
    if (gradients->is(ValKind::Tuple) || gradients->is(ValKind::List))
      given.assign(elementsOf(*gradients).begin(),
                   elementsOf(*gradients).end());
    if (given.size() != learned.size()) {
      c.error(DiagCode::TD604, range,
              "these are not the gradients of the optimizer's model")
          .note("write `optimizer.step(grad(loss, model))`");
      return;
    }
  }
  auto callStep = [&](llvm::StringRef name, Vals positional) {
    CallArgs args;
    args.range = range;
    args.calleeRange = range;
    args.positional = std::move(positional);
    Val result = c.calls.callPrelude(name, args);
    c.at(range); // the ops that follow are not the prelude's
    return result;
  };
  // Computed once, unless parameters count steps of their own.
  std::optional<Vals> numbers;
  for (auto [i, leaf] : llvm::enumerate(learned)) {
    if (!numbers || !leaf->stepSlot.empty())
      numbers = stepNumbers(c, optimizer,
                            leaf->stepSlot.empty() ? optimizer.stepSlot
                                                   : leaf->stepSlot,
                            callStep, range);
    if (!numbers)
      return;
    Slot &slot = *leaf->parameter;
    TensorType type = slot.type;
    type.place = c.places.modelPlace(*slot.owner);
    auto readTensor = [&](llvm::StringRef name) {
      return makeTensor(type, c.emit().read(name, c.tensors.shapeOf(type)));
    };
    Vals arguments{c.models.readSlot(slot, range)};
    if (gradients) {
      arguments.push_back(given[i]);
    } else {
      ensureGradSlot(slot);
      arguments.push_back(readTensor(slot.gradName));
    }
    for (const std::string &moment : leaf->moments)
      arguments.push_back(readTensor(moment));
    // SGD without momentum has no buffer.
    if (optimizer.kind == OptimizerKind::SGD && leaf->moments.empty())
      arguments.push_back(arguments[1]);
    arguments.append(*numbers);
    Val results = callStep(row.step, std::move(arguments));
    if (!results.is(ValKind::Tuple))
      return;
    llvm::ArrayRef<Val> parts = elementsOf(results);
    c.models.writeSlot(slot, parts[0]);
    for (auto [moment, part] : llvm::zip(leaf->moments, parts.drop_front()))
      c.models.rawWrite(moment, part.value);
  }
}
