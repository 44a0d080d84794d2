//===- Gradients.cpp - grad, backward, zero_grad --------------------------===//

#include "Checker.h"

using namespace tdc;
using namespace tdc::sema;

Val Training::stopGradient(const Val &val) {
  if (!val.is(ValKind::Tensor))
    return val;
  Val result = valueOf(val);
  if (isFloat(typeOf(val).dtype))
    result.value = c.emit().detach(val.value);
  return result;
}

void Training::ensureGradSlot(Slot &slot) {
  if (!slot.gradName.empty())
    return;
  c.models.ensureSlotNamed(slot);
  c.models.useSlot(slot, "given a gradient", c.here);
  slot.gradName = "grad." + slot.name;
  llvm::StringRef key = llvm::StringRef(slot.name).split('.').second;
  llvm::StringRef instance = llvm::StringRef(slot.name).split('.').first;
  c.places.declareNextTo(slot, slot.gradName, td::SlotKind::Grad, key,
                         instance);
  slot.hasGradName = slot.gradName + ".is_there";
  c.emit().declareSlot(slot.hasGradName, td::SlotKind::Grad,
                       key.str() + ".is_there", instance,
                       c.tensors.shapeOf(hostNumber(DType::Bool)));
}

Val Training::hasGradient(Slot &slot) {
  ensureGradSlot(slot);
  return readNumber(slot.hasGradName, DType::Bool);
}

void Training::requireGradient(Slot &slot, SourceRange range) {
  c.emit().assertThat(
      c.host.materialize(hasGradient(slot)),
      c.host.materialize(
          makeStr(("`" + c.text(range) +
                   "` is none: no `backward` has reached it since `zero_grad`")
                      .str())));
}

Val Training::gradientLeft(Slot &slot, SourceRange range) {
  requireGradient(slot, range);
  c.lints.readsGradient(slot);
  TensorType type = slot.type;
  type.place = c.places.modelPlace(*slot.owner);
  Value value = c.emit().read(slot.gradName, c.tensors.shapeOf(type));
  Val val = makeTensor(type, c.emit().detach(value));
  val.shareId = c.sharing.readGradient(slot, range);
  return val;
}

/// Whether a value is a 0-d float tensor; reports if not.
static bool isTarget(Checker &c, const Val &val, SourceRange range,
                     llvm::StringRef what) {
  if (!c.tensors.isTensor(val, range, what))
    return false;
  const TensorType &type = typeOf(val);
  if (type.dims.empty() && isFloat(type.dtype))
    return true;
  c.error(DiagCode::TD601, val.range.isValid() ? val.range : range,
          what + " needs a 0-d float tensor")
      .label("this is " + typeText(type))
      .note("reduce it first, for example with `.mean()`");
  return false;
}

Val Training::backward(const Val &loss, SourceRange range) {
  if (!isTarget(c, loss, range, "`backward`"))
    return c.fail();
  std::vector<std::string> parameters, gradients, flags;
  llvm::DenseSet<const Slot *> seen;
  llvm::SmallVector<const Slot *> slots;
  Backward record{c.userRange(range), {}};
  for (size_t i = 0; i != c.models.all.size(); ++i) {
    if (c.models.all[i]->adopted)
      continue;
    Backward::Model model{c.models.all[i]->name, {}};
    for (NamedSlot &named : c.models.slotsOf(c.models.all[i])) {
      if (!c.models.isLearned(*named.slot, range))
        continue;
      ensureGradSlot(*named.slot);
      if (!seen.insert(named.slot).second)
        continue;
      c.sharing.changeGradient(*named.slot, range);
      slots.push_back(named.slot);
      parameters.push_back(named.slot->name);
      gradients.push_back(named.slot->gradName);
      flags.push_back(named.slot->hasGradName);
      model.gradients.push_back(named.slot->gradName);
    }
    if (!model.gradients.empty() && !c.models.all[i]->isFormer)
      record.models.push_back(std::move(model));
  }
  if (parameters.empty()) {
    c.error(DiagCode::TD602, range,
            "there is nothing to learn here: no model and no `param`")
        .note("`backward` adds to the gradients of models; `grad(y, x)` gives "
              "a gradient as a value");
    return c.fail();
  }
  if (!c.control.loops.empty()) {
    c.control.loops.back().trains = true;
    c.control.loops.back().backwards.push_back(std::move(record));
  }
  c.lints.clips.leaves(slots);
  c.emit().backward(loss.value, parameters, gradients, flags);
  for (const std::string &gradient : gradients)
    c.models.forgetRead(gradient);
  return makeVal(ValKind::None);
}

/// Whether an option of `backward` is none or a bool that is known now.
static std::optional<bool> flagOf(Checker &c, const Val &given,
                                  llvm::StringRef name) {
  return given.is(ValKind::None) ? false : c.host.requireBool(given, name);
}

/// `y.backward(v)` is `(y * v).sum().backward()` with a constant v.
static Val weighted(Checker &c, const Val &output, const Val &weight,
                    SourceRange range) {
  if (!c.tensors.isTensor(weight, range, "the gradient of `backward`"))
    return c.fail();
  const TensorType &type = typeOf(output), &given = typeOf(weight);
  ShapeAnswer answer = sameShape(type.dims, given.dims, "the shapes differ");
  if (type.dtype != given.dtype || !answer || !c.tensors.prove(answer)) {
    c.error(DiagCode::TD601, weight.range.isValid() ? weight.range : range,
            "`backward` takes a gradient with the type of its tensor")
        .label("this is " + typeText(given) + ", the tensor is " +
               typeText(type));
    return c.fail();
  }
  Val product = c.binary(ast::BinaryOp::Mul, output,
                         c.training.stopGradient(weight), range);
  if (product.isError() || type.dims.empty())
    return product;
  CallArgs sum;
  sum.range = sum.calleeRange = range;
  sum.positional.push_back(product);
  return c.calls.call(*c.scopes.findMethod("sum"), sum);
}

Val Training::backward(const Val &output, const CallArgs &args) {
  llvm::SmallVector<CallArgs::Keyword> given(args.keywords.begin(),
                                             args.keywords.end());
  static constexpr llvm::StringLiteral kNames[] = {"gradient", "retain_graph",
                                                   "create_graph", "inputs"};
  if (args.positional.size() > std::size(kNames)) {
    c.error(DiagCode::TD205, args.range,
            "`backward` takes 4 arguments at most");
    return c.fail();
  }
  for (auto [i, val] : llvm::enumerate(args.positional)) {
    llvm::StringRef name = kNames[i];
    auto same = llvm::find_if(given, [&](const CallArgs::Keyword &keyword) {
      return keyword.name.text == name;
    });
    if (same != given.end()) {
      c.error(DiagCode::TD205, same->name.range,
              "`" + name + "` is given twice");
      return c.fail();
    }
    given.push_back({{name, val.range}, val});
  }
  Val target = output;
  for (const CallArgs::Keyword &argument : given) {
    llvm::StringRef name = argument.name.text;
    Val val = c.models.readAll(argument.val, args.range);
    if (name == "gradient") {
      if (!val.is(ValKind::None) &&
          c.tensors.isTensor(output, args.range, "`backward`"))
        target = weighted(c, output, val, args.range);
    } else if (name == "retain_graph") {
      // What it needs is always there: `backward` may be called again.
      if (!flagOf(c, val, "`retain_graph`"))
        return c.fail();
    } else if (name == "create_graph") {
      auto creates = flagOf(c, val, "`create_graph`");
      if (!creates || *creates)
        return creates ? c.unsupported(argument.name.range,
                                       "`create_graph=` of `backward`",
                                       "`grad(y, x)`, whose result has "
                                       "gradients")
                       : c.fail();
    } else if (name == "inputs") {
      return c.unsupported(argument.name.range, "`inputs=` of `backward`",
                           "`grad(y, x)`");
    } else {
      c.error(DiagCode::TD205, argument.name.range,
              "`backward` has no parameter `" + name + "`")
          .label("it has gradient, retain_graph, create_graph");
      return c.fail();
    }
  }
  return target.isError() ? c.fail() : backward(target, args.range);
}

std::vector<Slot *> Training::slotsWithGradients(const Val &parameters,
                                                 SourceRange range) {
  std::vector<NamedSlot> slots;
  collectParameters(parameters, range, slots);
  std::vector<Slot *> found;
  // A parameter that was learned before it was frozen still has gradients.
  for (NamedSlot &named : slots)
    if (!named.slot->gradName.empty() || c.models.isLearned(*named.slot, range))
      found.push_back(named.slot);
  return found;
}

void Training::zeroGrad(llvm::ArrayRef<Slot *> slots, const CallArgs &args) {
  Val toNone = makeBool(true);
  for (const Val &given : args.positional)
    toNone = given;
  for (const CallArgs::Keyword &given : args.keywords)
    toNone = given.val;
  if (!toNone.is(ValKind::Bool) || !toNone.known ||
      args.positional.size() + args.keywords.size() > 1) {
    c.error(DiagCode::TD205, args.range,
            "`zero_grad` takes `set_to_none=true` or `set_to_none=false`");
    return;
  }
  for (Slot *slot : slots) {
    ensureGradSlot(*slot);
    if (toNone.truth)
      writeNumber(slot->hasGradName, makeBool(false), DType::Bool);
    TensorType type = slot->type;
    type.place = c.places.modelPlace(*slot->owner);
    Val zeros = c.tensors.fillTensor(makeFloat(0), type);
    if (toNone.truth)
      c.sharing.replaceGradient(*slot, zeros);
    else
      c.sharing.changeGradient(*slot, args.range);
    c.models.rawWrite(slot->gradName, zeros.value);
    c.lints.clearsGradient(*slot);
  }
}

Val Training::gradOf(const Val &target, const Val &wrt, SourceRange range) {
  if (!isTarget(c, target, range, "`grad`"))
    return c.fail();
  Vals sources;
  if (wrt.is(ValKind::Model)) {
    std::vector<NamedSlot> slots;
    c.models.collectSlots(wrt, "", slots);
    for (NamedSlot &named : slots)
      if (c.models.isLearned(*named.slot, range))
        sources.push_back(c.models.readSlot(*named.slot, range));
    if (sources.empty() && !slots.empty()) {
      c.error(DiagCode::TD602, range,
              "there is no gradient: all parameters are frozen")
          .label(describe(wrt) + " has no parameter that is learned");
      return c.fail();
    }
  } else if (wrt.is(ValKind::Tuple) || wrt.is(ValKind::List)) {
    sources.assign(elementsOf(wrt).begin(), elementsOf(wrt).end());
  } else {
    sources.push_back(wrt);
  }
  llvm::SmallVector<Value> handles;
  for (const Val &source : sources) {
    if (!c.tensors.isTensor(source, range, "`grad`"))
      return c.fail();
    if (!isFloat(typeOf(source).dtype)) {
      c.error(DiagCode::TD602, source.range.isValid() ? source.range : range,
              "no gradient flows to " + typeText(typeOf(source)))
          .label("only float tensors have one");
      return c.fail();
    }
    handles.push_back(source.value);
  }
  if (!c.control.loops.empty())
    c.control.loops.back().trains = true;
  llvm::SmallVector<Value> values = c.emit().grad(target.value, handles);
  Vals results;
  for (auto [source, value] : llvm::zip(sources, values)) {
    auto &info = source.as<TensorInfo>();
    results.push_back(makeTensor(typeOf(source), value, info.placed));
    results.back().as<TensorInfo>().derivativeBy = info.state;
  }
  if (wrt.is(ValKind::Tensor))
    return results[0];
  return makeSequence(ValKind::Tuple, std::move(results));
}
