//===- LoopPlaces.cpp - places of free values that a loop carries ---------===//
//
// A value that is free before a loop and on a device after one iteration must
// be on that device from the start, because the second iteration begins with
// the value that the first one left. The device is known only after an
// iteration has been walked, so one is walked aside first.
//
//===----------------------------------------------------------------------===//

#include "Joins.h"

using namespace tdc;
using namespace tdc::sema;

static bool hasFreeTensor(const Val &val) {
  if (val.is(ValKind::Tuple))
    return llvm::any_of(elementsOf(val), hasFreeTensor);
  return val.is(ValKind::Tensor) && typeOf(val).place.kind == Place::Kind::Free;
}

void ControlFlow::settlePlaces(const ast::Block &body,
                               llvm::function_ref<void()> iteration) {
  c.models.nameAllModels();
  if (c.places.freeIsCpu() || !c.devices.areNamed())
    return;
  // An iteration starts only if no exit was taken.
  std::vector<std::pair<Binding *, Val>> assigned, left;
  for (auto &entry : assignedNames(&body))
    if (Binding *binding = c.scopes.lookup(entry.first());
        binding && binding->isVar)
      (isExit(entry.first()) ? left : assigned)
          .emplace_back(binding, binding->val);
  bool changed = true;
  while (changed) {
    changed = false;
    bool anyFree = llvm::any_of(assigned,
                                [](const auto &one) {
                                  return hasFreeTensor(one.second);
                                }) ||
                   llvm::any_of(c.models.all, [](const auto &model) {
                     return model->place.kind == Place::Kind::Free;
                   });
    if (!anyFree)
      return;
    std::vector<Val> after;
    ModelStates states;
    llvm::DenseMap<const ModelInstance *, SourceRange> usedFirst;
    auto walk = [&] {
      for (auto &[binding, before] : assigned)
        binding->val = unknownLike(c, before);
      iteration();
    };
    tryIteration(walk, [&] {
      for (auto &[binding, before] : assigned) {
        after.push_back(binding->val);
        binding->val = before;
      }
      for (auto &[binding, before] : left)
        binding->val = before;
      states = saveModels(c);
      usedFirst = loops.back().placeUses;
    });
    for (auto [one, last] : llvm::zip(assigned, after)) {
      Val settled = goesTo(c, one.second, last, {body.range, Join::Loop});
      if (isSame(settled, one.second))
        continue;
      one.first->val = one.second = settled;
      changed = true;
    }
    for (auto [model, state] : llvm::zip(c.models.all, states.models))
      if (model->place.kind == Place::Kind::Free &&
          state.place.kind != Place::Kind::Free &&
          usedFirst.count(model.get())) {
        c.places.warnMoved(*model, state.place);
        Places::Models parts;
        parts.insert(model.get());
        c.places.moveParts(std::move(parts), state.place, state.moved,
                           Transfer::Implied);
        changed = true;
      }
  }
}
