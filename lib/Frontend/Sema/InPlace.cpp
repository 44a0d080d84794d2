//===- InPlace.cpp - tensors of models that change in place ---------------===//
//
// A tensor is a value, but a tensor of a model has a name: `net.fc.weight`, or
// `p` in `for p in net.parameters()`. Methods with an `_` at the end, functions
// such as `init.normal_`, and assignments give it another value. Until it is
// read, such a name is a Val without a value (isUnread).
//
//===----------------------------------------------------------------------===//

#include "Checker.h"

using namespace tdc;
using namespace tdc::sema;

static Slot &slotOf(const Val &target) {
  auto &info = target.as<TensorInfo>();
  return info.gradientOf ? *info.gradientOf : *info.state;
}

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
  ShapeAnswer answer =
      sameShape(slot.type.dims, type.dims, "the shapes differ");
  if (type.dtype == slot.type.dtype && answer && tensors.prove(answer))
    return true;
  error(DiagCode::TD407, range,
        "`" + name + "` does not have the declared type")
      .label(typeText(type) + ", declared " + typeText(slot.type))
      .note("declared here", slot.declared);
  return false;
}

void Checker::writeTarget(const Val &target, Val val, SourceRange range,
                          Write how) {
  Slot &slot = slotOf(target);
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
  // A program that writes gradients, `w.grad.zero_()`, may clear them.
  if (!isPrelude(range.file) && !control.loops.empty())
    control.loops.back().cleared = true;
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
  Slot &slot = slotOf(target);
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
      if (!control.loops.empty())
        control.loops.back().cleared = true;
    }
    training.ensureGradSlot(slot);
    sharing.replaceGradient(slot, val);
    training.writeNumber(slot.hasGradName, makeBool(!isNone), DType::Bool);
    return writeTarget(gradient, val, range, Write::Replace);
  }
  error(DiagCode::TD203, range,
        "cannot assign to `" + name + "` of " + describe(target));
}

//===----------------------------------------------------------------------===//
// Methods
//===----------------------------------------------------------------------===//

bool sema::isInPlaceName(llvm::StringRef method) {
  return method.size() > 1 && method.ends_with("_") && !method.ends_with("__");
}

/// The only argument of `fill_` and similar methods; none after a report.
static std::optional<Val> takeOnly(Checker &c, llvm::StringRef method,
                                   CallArgs &args) {
  llvm::erase_if(args.keywords, [](const CallArgs::Keyword &keyword) {
    return keyword.name.text == "non_blocking";
  });
  if (args.positional.size() == 1 && args.keywords.empty())
    return args.positional[0];
  c.error(DiagCode::TD205, args.range, "`" + method + "` takes one argument");
  return std::nullopt;
}

/// The new value that `method` gives a tensor of this type.
static Val changed(Checker &c, const Val &target, const TensorType &type,
                   const ast::Identifier &method, CallArgs &args) {
  llvm::StringRef name = method.text;
  if (name == "zero_" && args.positional.empty() && args.keywords.empty())
    return c.tensors.fillTensor(isFloat(type.dtype) ? makeFloat(0) : makeInt(0),
                                type);
  if (name == "copy_" || name == "fill_") {
    std::optional<Val> val = takeOnly(c, name, args);
    if (!val)
      return c.fail();
    bool isNumber = val->isHostScalar();
    if (isNumber && (!c.tensors.takesFloat(*val, type.dtype, args.range)))
      return c.fail();
    if (isNumber)
      c.tensors.checkFits(*val, type.dtype);
    if (isNumber && isFloat(type.dtype))
      val = c.host.toFloat(*val);
    return isNumber                   ? c.tensors.fillTensor(*val, type)
           : val->is(ValKind::Tensor) ? valueOf(*val)
                                      : *val;
  }
  std::optional<Val> plain = c.scopes.findMethod(name.drop_back());
  Val value = c.models.readAll(target, args.range);
  if (!plain)
    return c.scopes.reportNoMember(value, args.calleeRange, name);
  args.positional.insert(args.positional.begin(), valueOf(value));
  return c.calls.call(*plain, args);
}

Val Checker::changeInPlace(const Val &target, const ast::Identifier &method,
                           CallArgs &args) {
  llvm::StringRef name = method.text;
  // The result is the tensor itself, as in `p.mul_(0.9).add_(x)`.
  if (name == "requires_grad_" && !target.as<TensorInfo>().gradientOf) {
    Val learned = makeBool(true);
    if (args.positional.size() + args.keywords.size() == 1)
      learned =
          args.keywords.empty() ? args.positional[0] : args.keywords[0].val;
    assignField(target, {"requires_grad", method.range}, learned, args.range);
    return target;
  }
  if (name == "normal_" || name == "uniform_") {
    CallArgs whole = args;
    whole.positional.insert(whole.positional.begin(), target);
    std::optional<Val> init = scopes.findGlobal(("init." + name).str());
    return calls.call(*init, whole).isError() ? fail() : target;
  }
  if (Slot *slot = target.as<TensorInfo>().gradientOf.get())
    training.requireGradient(*slot, target.range);
  TensorType type = typeOf(target);
  type.place = places.modelPlace(*slotOf(target).owner);
  Val val = changed(*this, target, type, method, args);
  if (val.isError())
    return fail();
  writeTarget(target, val, args.range);
  return target;
}

const ast::Expr *sema::changedBy(const ast::Expr *target) {
  while (auto *call = llvm::dyn_cast<ast::CallExpr>(target)) {
    auto *method = llvm::dyn_cast<ast::MemberExpr>(call->callee);
    if (!method || !isInPlaceName(method->member.text))
      break;
    target = method->base;
  }
  return target;
}

Val Checker::changeVariable(const ast::Expr &target, const Val &old,
                            const ast::Identifier &method, CallArgs &args) {
  TensorType type = typeOf(old);
  Val val = changed(*this, old, type, method, args);
  if (val.isError())
    return fail();
  ShapeAnswer answer;
  for (auto [size, given] : llvm::zip(type.dims, typeOf(val).dims))
    if (size != given)
      answer.facts.push_back({size, given, "a tensor keeps its size"});
  if (typeOf(val).dtype != type.dtype ||
      typeOf(val).dims.size() != type.dims.size() || !tensors.prove(answer)) {
    error(DiagCode::TD407, args.range,
          "`" + method.text + "` cannot give a tensor another type")
        .label("it is " + typeText(type) + ", and would be " +
               typeText(typeOf(val)));
    return fail();
  }
  val = places.bring(val, type.place);
  const ast::Expr &root = *changedBy(&target);
  const ast::Expr *owner = &root;
  while (auto *part = llvm::dyn_cast<ast::SubscriptExpr>(owner))
    owner = part->base;
  bool isTarget = llvm::isa<ast::NameExpr, ast::MemberExpr>(owner) &&
                  llvm::isa<ast::NameExpr, ast::SubscriptExpr>(root);
  if (!isTarget && !sharing.isTemporary(old)) {
    error(DiagCode::TD202, args.range,
          "`" + method.text + "` changes a tensor by a view of it")
        .note("assign to the part of the tensor: `x[…] = …`");
    return fail();
  }
  if (isTarget && reportPickedTarget(root, old))
    return fail();
  if (isTarget && choiceFrame == frames.size()) {
    error(DiagCode::TD214, args.range,
          "a variable cannot change where a condition that is known only at "
          "run time decides whether it does")
        .note("`" + method.text + "` in a statement of its own always does");
    return fail();
  }
  val.shareId = 0;
  sharing.track(val, args.range);
  val.range = args.range;
  if (!isTarget)
    return val;
  if (isVariable(root))
    sharing.change(old, val, args.range);
  assignTo(root, val, args.range);
  return eval(root); // an alias of the tensor that has changed
}
