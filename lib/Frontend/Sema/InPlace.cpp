//===- InPlace.cpp - tensors of models that change in place ---------------===//
//
// A tensor is a value, but a tensor of a model has a name: `net.fc.weight`, or
// `p` in `for p in net.parameters()`. Methods with an `_` at the end
// (InPlaceMethods.cpp), functions such as `init.normal_`, and assignments give
// it another value. Until it is read, such a name is a Val without a value
// (isUnread).
//
//===----------------------------------------------------------------------===//

#include "Checker.h"

using namespace tdc;
using namespace tdc::sema;

Val Models::readAll(const Val &val, SourceRange range) {
  if (!hasUnread(val))
    return val;
  Val result;
  if (isUnread(val)) {
    auto &info = val.as<TensorInfo>();
    result = info.gradientOf ? c.training.gradientLeft(*info.gradientOf, range)
                             : readSlot(*info.state, range);
  } else {
    Vals elements;
    for (const Val &element : elementsOf(val))
      elements.push_back(readAll(element, range));
    result = makeSequence(val.kind, std::move(elements));
  }
  result.range = val.range;
  return result;
}

Val Checker::evalTarget(const ast::Expr &expr) {
  auto *member = llvm::dyn_cast<ast::MemberExpr>(&expr);
  if (!member)
    return evalUnread(expr);
  at(expr.range);
  Val val = evalMember(*member, /*isRead=*/false);
  if (!isPrelude(expr.range.file) || !val.range.isValid())
    val.range = expr.range;
  return val;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

bool Checker::fits(const Slot &slot, llvm::StringRef name, const Val &val,
                   SourceRange range) {
  if (!tensors.isTensor(val, range, "the state of a model"))
    return false;
  const TensorType &type = typeOf(val);
  if (tensors.isSameType(slot.type, type, "the shapes differ"))
    return true;
  error(DiagCode::TD407, range,
        "`" + name + "` does not have the declared type")
      .label(typeText(type) + ", declared " + typeText(slot.type))
      .note("declared here", slot.declared);
  return false;
}

void Checker::writeTarget(const Val &target, Val val, SourceRange range,
                          Write how) {
  Slot &slot = target.as<TensorInfo>().slot();
  llvm::StringRef name = text(userRange(target.range));
  if (val.isHostScalar() && slot.type.dims.empty())
    val = tensors.fillTensor(val, slot.type);
  if (val.isError() || !fits(slot, name, val, range))
    return;
  Place place = places.modelPlace(*slot.owner);
  if (!places.agree(place, typeOf(val).place)) {
    places.reportStatePlace(val, name, place, range);
    return;
  }
  // A model that is free stays free.
  bool isFree = place.kind == Place::Kind::Free;
  Val placed =
      isFree ? places.freed(val, Transfer::Implied) : places.bring(val, place);
  if (!target.as<TensorInfo>().gradientOf)
    return models.writeSlot(slot, placed, how);
  training.ensureGradSlot(slot);
  models.rawWrite(slot.gradName, placed.value);
  if (how == Write::InPlace)
    sharing.changeGradient(slot, userRange(range));
  if (!isPrelude(range.file)) // as `w.grad.zero_()`
    lints.writesGradient(slot);
}

std::optional<Val> Checker::findState(const ast::Expr &target) {
  Val tensor;
  if (auto *name = llvm::dyn_cast<ast::NameExpr>(&target)) {
    if (Binding *binding = scopes.lookup(name->name))
      tensor = binding->val;
  } else if (auto *part = llvm::dyn_cast<ast::SubscriptExpr>(&target)) {
    // Only lists hold them: nothing else is read.
    Val base = evalUnread(*part->base);
    if (base.is(ValKind::List) && hasUnread(base))
      tensor = evalUnread(target);
  }
  if (!isUnread(tensor))
    return std::nullopt;
  tensor.range = target.range;
  return tensor;
}

bool Checker::assignUnread(const ast::Expr &target, const Val &val,
                           SourceRange range) {
  std::optional<Val> tensor = findState(target);
  if (tensor && !val.isError())
    writeTarget(*tensor, val, range);
  return tensor.has_value();
}

void Checker::assignField(const Val &target, const ast::Identifier &field,
                          Val val, SourceRange range) {
  Slot &slot = target.as<TensorInfo>().slot();
  llvm::StringRef name = field.text;
  if (name == "data") {
    if (!isPrelude(range.file) && val.is(ValKind::Tensor)) {
      if (sharing.reportTied(slot, val))
        return;
      sharing.replace(slot, val);
    }
    return writeTarget(target, val.is(ValKind::Tensor) ? valueOf(val) : val,
                       range, Write::Replace);
  }
  if (slot.kind == td::SlotKind::Param && name == "requires_grad") {
    if (auto learned = host.requireBool(val, "`requires_grad`"))
      models.setLearning(slot,
                         *learned ? ModelState::Learned : ModelState::Frozen);
    return;
  }
  if (slot.kind == td::SlotKind::Param && name == "grad") {
    Val gradient = gradientOf(slot);
    gradient.range = range;
    bool isNone = val.is(ValKind::None);
    if (isNone) {
      TensorType type = slot.type;
      type.place = places.modelPlace(*slot.owner);
      val = tensors.fillTensor(makeFloat(0), type);
    }
    training.ensureGradSlot(slot);
    sharing.replaceGradient(slot, val);
    training.writeNumber(slot.hasGradName, makeBool(!isNone), DType::Bool);
    writeTarget(gradient, val, range, Write::Replace);
    if (isNone)
      lints.clearsGradient(slot);
    return;
  }
  error(DiagCode::TD203, range,
        "cannot assign to `" + name + "` of " + describe(target));
}
