//===- Gradients.cpp - grad, backward, zero_grad --------------------------===//

#include "Checker.h"

using namespace tdc;
using namespace tdc::sema;

Val Checker::stopGradient(const Val &val) {
  if (val.is(ValKind::Tuple)) {
    Vals parts;
    for (const Val &element : elementsOf(val))
      parts.push_back(stopGradient(element));
    Val result = makeSequence(ValKind::Tuple, std::move(parts));
    result.range = val.range;
    return result;
  }
  if (!val.is(ValKind::Tensor))
    return val;
  Val result = valueOf(val);
  if (isFloat(typeOf(val).dtype))
    result.value = emit().detach(val.value);
  return result;
}

void Checker::ensureGradSlot(Slot &slot) {
  if (!slot.gradName.empty())
    return;
  ensureSlotNamed(slot);
  useSlot(slot, "given a gradient", here);
  slot.gradName = "grad." + slot.name;
  llvm::StringRef key = llvm::StringRef(slot.name).split('.').second;
  llvm::StringRef instance = llvm::StringRef(slot.name).split('.').first;
  declareBeside(slot, slot.gradName, td::SlotKind::Grad, key, instance);
}

/// A 0-d float tensor, or a report.
static bool isTarget(Checker &c, const Val &val, SourceRange range,
                     llvm::StringRef what) {
  if (!c.isTensor(val, range, what))
    return false;
  const TensorType &type = typeOf(val);
  if (type.dims.empty() && isFloat(type.dtype))
    return true;
  c.error(DiagCode::TD601, val.range.isValid() ? val.range : range,
          what + " needs a 0-d float tensor")
      .label("this is " + c.typeText(type))
      .note("reduce it first, for example with `.mean()`");
  return false;
}

Val Checker::backward(const Val &loss, SourceRange range) {
  if (!isTarget(*this, loss, range, "`backward`"))
    return fail();
  std::vector<std::string> parameters, gradients;
  llvm::DenseSet<const Slot *> seen;
  std::string names;
  for (size_t i = 0; i != models.size(); ++i) {
    if (models[i]->adopted)
      continue;
    bool any = false;
    for (NamedSlot &named : slotsOf(models[i])) {
      if (!isLearned(*named.slot, range))
        continue;
      ensureGradSlot(*named.slot);
      if (!seen.insert(named.slot).second)
        continue;
      parameters.push_back(named.slot->name);
      gradients.push_back(named.slot->gradName);
      any = true;
    }
    if (any)
      names += (names.empty() ? "" : "`, `") + models[i]->name;
  }
  if (parameters.empty()) {
    error(DiagCode::TD602, range, "there is no model to learn here")
        .note("`backward` adds to the gradients of models; `grad(y, x)` gives "
              "a gradient as a value");
    return fail();
  }
  if (!loops.empty())
    loops.back().backwards.push_back({userRange(range), names});
  emit().backward(loss.value, parameters, gradients);
  for (const std::string &gradient : gradients)
    readCache.erase(gradient);
  return makeVal(ValKind::None);
}

std::vector<Slot *> Checker::slotsWithGradients(const Val &model,
                                                SourceRange range) {
  std::vector<NamedSlot> slots;
  collectSlots(model, "", slots);
  std::vector<Slot *> found;
  // What was learned before it was frozen has gradients left.
  for (NamedSlot &named : slots)
    if (!named.slot->gradName.empty() || isLearned(*named.slot, range))
      found.push_back(named.slot);
  return found;
}

void Checker::zeroGrad(const Val &model, SourceRange range) {
  for (Slot *slot : slotsWithGradients(model, range)) {
    ensureGradSlot(*slot);
    TensorType type = slot->type;
    type.place = modelPlace(*slot->owner);
    rawWrite(slot->gradName, fillTensor(makeFloat(0), type).value);
  }
  if (!loops.empty())
    loops.back().cleared = true;
}

Val Checker::gradOf(const Val &target, const Val &wrt, SourceRange range) {
  if (!isTarget(*this, target, range, "`grad`"))
    return fail();
  Vals sources;
  if (wrt.is(ValKind::Model)) {
    std::vector<NamedSlot> slots;
    collectSlots(wrt, "", slots);
    unsigned saved = noGrad;
    noGrad = 0;
    for (NamedSlot &named : slots)
      if (isLearned(*named.slot, range))
        sources.push_back(readSlot(*named.slot, range));
    noGrad = saved;
    if (sources.empty() && !slots.empty()) {
      error(DiagCode::TD602, range,
            "there is no gradient: all parameters are frozen")
          .label(describe(wrt) + " has no parameter that is learned");
      return fail();
    }
    if (!loops.empty())
      loops.back().cleared = true;
  } else if (wrt.is(ValKind::Tuple) || wrt.is(ValKind::List)) {
    sources.assign(elementsOf(wrt).begin(), elementsOf(wrt).end());
  } else {
    sources.push_back(wrt);
  }
  llvm::SmallVector<Value> handles;
  for (const Val &source : sources) {
    if (!isTensor(source, range, "`grad`"))
      return fail();
    if (!isFloat(typeOf(source).dtype)) {
      error(DiagCode::TD602, source.range.isValid() ? source.range : range,
            "no gradient flows to " + typeText(typeOf(source)))
          .label("only float tensors have one");
      return fail();
    }
    handles.push_back(source.value);
  }
  llvm::SmallVector<Value> values = emit().grad(target.value, handles);
  Vals results;
  for (auto [source, value] : llvm::zip(sources, values))
    results.push_back(
        makeTensor(typeOf(source), value, source.as<TensorInfo>().placed));
  if (wrt.is(ValKind::Tensor))
    return results[0];
  return makeSequence(ValKind::Tuple, std::move(results));
}
