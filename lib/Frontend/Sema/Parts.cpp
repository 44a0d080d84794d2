//===- Parts.cpp - parts of models that are replaced ----------------------===//
//
// `net.fc = Linear(512, 10)` replaces a part, as for transfer learning. Methods
// are walked at each call, so that calls from here on use the new part. The
// state of the former part stays: an optimizer or a variable may still have it.
//
//===----------------------------------------------------------------------===//

#include "Checker.h"

using namespace tdc;
using namespace tdc::sema;

static bool contains(const Val &val, const ModelInstance *part) {
  if (val.is(ValKind::Model))
    return &val.as<ModelInstance>() == part;
  if (val.is(ValKind::List) || val.is(ValKind::Tuple))
    return llvm::any_of(elementsOf(val), [&](const Val &element) {
      return contains(element, part);
    });
  return false;
}

bool Models::isPart(const ModelInstance &part) const {
  return llvm::any_of(all, [&](const auto &model) {
    return llvm::any_of(model->members, [&](const auto &member) {
      return contains(member.val, &part);
    });
  });
}

bool Models::canReplace(const ModelInstance::Member &member, const Val &val) {
  bool isModel = member.val.is(ValKind::Model) || member.val.is(ValKind::None);
  return !member.slot && isModel && val.is(ValKind::Model);
}

void Models::replacePart(ModelInstance &model, ModelInstance::Member &member,
                         const Val &val, SourceRange range) {
  if (c.isWalkedAside())
    return;
  bool isMade = llvm::any_of(instances, [&](const auto &instance) {
    return instance.lock().get() == &model;
  });
  if (!isMade) { // made by `children()`
    c.error(DiagCode::TD203, range,
            "a part of a field that is a list is fixed when the model is made")
        .note("make the field a `ModuleList`, as in `layers = "
              "ModuleList([Linear(2, 2)])`");
    return;
  }
  if (c.isInsideRunTimeRegion() || c.calls.exporting) {
    reportMadeOnce("a part of a model", range)
        .note("replace it before, where the model is made");
    return;
  }
  auto &part = val.as<ModelInstance>();
  bool holdsItself = false;
  forEachModel(part, [&](ModelInstance &inner) {
    holdsItself = holdsItself || &inner == &model;
  });
  if (holdsItself) {
    c.error(DiagCode::TD220, range, "`" + model.typeName + "` contains itself");
    return;
  }
  // Its state gets a name of its own now, and its final one at the end of the
  // program.
  bool isNew = part.name.empty() && !part.adopted;
  if (isNew)
    nameRoot(part, member.name);
  part.adopted = true;
  part.isFormer = false;
  if (isNew)
    part.name.clear();
  Val former = member.val;
  member.val = val;
  if (!former.is(ValKind::Model))
    return;
  auto &old = former.as<ModelInstance>();
  if (&old == &part || isPart(old))
    return;
  c.lints.parts.replaces(former, val, range);
  old.adopted = false;
  old.isFormer = true;
  if (old.name.empty())
    old.name = uniqueName("former_" + member.name);
}
