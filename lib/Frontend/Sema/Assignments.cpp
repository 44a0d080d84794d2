//===- Assignments.cpp - x = v, m.w = v, x[a:b] = v -----------------------===//
//
// A tensor is a value: assigning to a part of it makes a new value that the
// variable, or the model's slot, holds from then on.
//
//===----------------------------------------------------------------------===//

#include "Checker.h"

using namespace tdc;
using namespace tdc::sema;

static ast::BinaryOp operatorOf(ast::AssignOp op) {
  switch (op) {
  case ast::AssignOp::Sub:
    return ast::BinaryOp::Sub;
  case ast::AssignOp::Mul:
    return ast::BinaryOp::Mul;
  case ast::AssignOp::Div:
    return ast::BinaryOp::Div;
  case ast::AssignOp::FloorDiv:
    return ast::BinaryOp::FloorDiv;
  case ast::AssignOp::Mod:
    return ast::BinaryOp::Mod;
  case ast::AssignOp::Pow:
    return ast::BinaryOp::Pow;
  case ast::AssignOp::MatMul:
    return ast::BinaryOp::MatMul;
  case ast::AssignOp::BitOr:
    return ast::BinaryOp::BitOr;
  case ast::AssignOp::BitXor:
    return ast::BinaryOp::BitXor;
  case ast::AssignOp::BitAnd:
    return ast::BinaryOp::BitAnd;
  case ast::AssignOp::ShiftLeft:
    return ast::BinaryOp::ShiftLeft;
  case ast::AssignOp::ShiftRight:
    return ast::BinaryOp::ShiftRight;
  default:
    return ast::BinaryOp::Add;
  }
}

/// `xs += [...]` for a list that only its variable holds: the list grows in
/// place, because a copy in every iteration of a loop takes quadratic time.
/// False if the sum must be a new list.
static bool growList(Checker &c, const ast::AssignStmt &stmt, Val &list,
                     const Val &amount) {
  auto *name = llvm::dyn_cast<ast::NameExpr>(stmt.target);
  Binding *binding = name ? c.scopes.lookup(name->name) : nullptr;
  if (stmt.op != ast::AssignOp::Add || !list.is(ValKind::List) ||
      !amount.is(ValKind::List) || !binding || !binding->isVar ||
      extentOf(list) + extentOf(amount) > c.kMaxExtent)
    return false;
  binding->val = Val(); // is assigned again
  if (list.data.use_count() != 1)
    return false;
  auto &grown = list.as<Sequence>();
  grown.hasUnread |= hasUnread(amount);
  grown.elements.append(elementsOf(amount).begin(), elementsOf(amount).end());
  grown.extent += extentOf(amount);
  return true;
}

/// Whether `x += y` gives the tensor `x` its own dtype and size, as it must in
/// PyTorch; reports if not.
static bool keepsType(Checker &c, const ast::AssignStmt &stmt, const Val &old,
                      const Val &result) {
  if (!old.is(ValKind::Tensor) || !result.is(ValKind::Tensor) ||
      stmt.op == ast::AssignOp::MatMul)
    return true;
  const TensorType &type = typeOf(old), &now = typeOf(result);
  if (c.tensors.isSameType(type, now, "a tensor that changes keeps its size"))
    return true;
  std::string target = c.text(stmt.target->range).str();
  std::string op = c.text(stmt.opRange).drop_back().str();
  c.error(DiagCode::TD407, stmt.range,
          "`" + target + "` would become another type in place")
      .label("it is " + typeText(type) + ", and would be " + typeText(now))
      .fix(FixIt::Choice,
           "`" + target + " = " + target + " " + op + " …` is a new tensor",
           {{stmt.opRange, "= " + target + " " + op}});
  return false;
}

bool Checker::isVariable(const ast::Expr &target) {
  if (findState(target))
    return false;
  if (auto *part = llvm::dyn_cast<ast::SubscriptExpr>(&target))
    return evalUnread(*part->base).is(ValKind::List);
  auto *name = llvm::dyn_cast<ast::NameExpr>(&target);
  Binding *binding = name ? scopes.lookup(name->name) : nullptr;
  return binding && binding->isVar;
}

Flow Checker::execAssign(const ast::AssignStmt &stmt) {
  Indexing::KeptIndices kept(indexing, *stmt.target);
  if (stmt.op == ast::AssignOp::Set) {
    Val val = evalAssigned(stmt);
    at(stmt.range);
    assignTo(*stmt.target, val, stmt.range, /*isPlain=*/true);
    return Flow::Next;
  }
  Val old = eval(*stmt.target);
  Val amount = eval(*stmt.value);
  // The value may have changed the list: `xs += [xs.pop()]`.
  if (old.is(ValKind::List) && llvm::isa<ast::NameExpr>(stmt.target))
    old = eval(*stmt.target);
  Val before = Sharing::withoutValue(old);
  // A part is read before it changes.
  if (llvm::isa<ast::SubscriptExpr>(stmt.target) && !old.is(ValKind::List))
    sharing.use(old, stmt.target->range);
  at(stmt.range);
  Val result;
  if (old.isError() || amount.isError())
    result = fail();
  else if (growList(*this, stmt, old, amount))
    result = std::move(old);
  else {
    result = binary(operatorOf(stmt.op), old, amount, stmt.opRange);
    if (!keepsType(*this, stmt, old, result))
      result = fail();
  }
  if (amount.is(ValKind::List)) // its elements are not read
    sharing.useSelf(amount, stmt.value->range);
  else
    sharing.use(amount, stmt.value->range);
  // `x @= y` is a new tensor in PyTorch.
  if (stmt.op != ast::AssignOp::MatMul && isVariable(*stmt.target))
    sharing.change(before, result, stmt.range);
  result.range = stmt.value->range;
  if (!assignUnread(*stmt.target, result, stmt.range))
    assignTo(*stmt.target, result, stmt.range);
  return Flow::Next;
}

bool Checker::reportPickedTarget(const ast::Expr &target, const Val &picked) {
  auto *part = llvm::dyn_cast<ast::SubscriptExpr>(&target);
  if (!part)
    return false;
  Val whole = evalUnread(*part->base);
  if (!whole.is(ValKind::Tensor) || isUnread(whole) || !whole.shareId ||
      sharing.areOne(whole, picked))
    return false;
  error(DiagCode::TD219, target.range,
        "in PyTorch this is a copy, and `" + text(part->base->range) +
            "` would not change")
      .label("elements that a tensor or a list picks are a copy")
      .note(llvm::isa<ast::SubscriptExpr>(part->base)
                ? "write all indices in one pair of brackets: `x[index, 0] = …`"
                : "assign to the elements: `x[index] = …`");
  return true;
}

void Checker::assignTo(const ast::Expr &target, const Val &val,
                       SourceRange range, bool isPlain) {
  if (auto *name = llvm::dyn_cast<ast::NameExpr>(&target))
    return assignName(*name, val, isPlain);
  if (auto *member = llvm::dyn_cast<ast::MemberExpr>(&target))
    return assignMember(*member, val, isPlain);
  if (auto *tuple = llvm::dyn_cast<ast::TupleExpr>(&target)) {
    Vals parts;
    if (!unpack(val, tuple->elements.size(), range, parts))
      return;
    for (auto [element, part] : llvm::zip(tuple->elements, parts))
      assignTo(*element, part, range, isPlain);
    return;
  }
  auto *part = llvm::dyn_cast<ast::SubscriptExpr>(&target);
  if (!part || val.isError())
    return;
  Val base = eval(*part->base);
  if (base.isError())
    return;
  if (base.is(ValKind::Model) && replaceNumberedPart(base, *part, val))
    return;
  if (base.is(ValKind::ParameterGroup)) {
    indexing.reportKey(base, *part);
    return;
  }
  if (base.is(ValKind::List))
    return assignElement(*part, std::move(base), val);
  if (!base.is(ValKind::Tensor)) {
    error(DiagCode::TD304, target.range,
          "cannot assign to a part of " + describe(base));
    return;
  }
  if (!isPrelude(target.range.file)) {
    sharing.use(val, val.range.isValid() ? val.range : target.range);
    if (reportPickedTarget(*part->base, base))
      return;
    if (llvm::isa<ast::SubscriptExpr>(
            part->base)) // `x[0][1] = v` keeps x[0][0]
      sharing.use(base, part->base->range);
  }
  auto [updated, share] =
      indexing.updateTensor(base, part->items, val, target.range);
  if (!updated.isError()) {
    updated.range = part->base->range;
    if (isVariable(*part->base))
      sharing.change(base, updated, range, share);
    if (!assignUnread(*part->base, updated, range))
      assignTo(*part->base, updated, range);
  }
}

bool Checker::replaceNumberedPart(const Val &base,
                                  const ast::SubscriptExpr &target,
                                  const Val &val) {
  auto &model = base.as<ModelInstance>();
  if (!model.isList() || target.items.size() != 1 || !target.items[0].index)
    return false;
  Val index = eval(*target.items[0].index);
  std::optional<int64_t> number = host.constantInt(index);
  int64_t count = model.members.size();
  if (!number)
    return false;
  if (*number < -count || *number >= count) {
    error(DiagCode::TD222, target.range,
          "there is no part " + std::to_string(*number) + ": " +
              describe(base) + " has " + std::to_string(count) + " parts");
    return true;
  }
  ModelInstance::Member &member =
      model.members[*number < 0 ? *number + count : *number];
  if (!Models::canReplace(member, val))
    return false;
  models.replacePart(model, member, val, target.range);
  return true;
}

/// `isPlain`: the assignment is `x = v`, which may become a declaration.
static void reportImmutable(Checker &c, const ast::NameExpr &target,
                            const Binding &binding, bool isForeign,
                            bool isPlain) {
  if (isForeign) {
    Diagnostic &report = c.error(DiagCode::TD203, target.range,
                                 "a function cannot assign to `" + target.name +
                                     "` of the program");
    if (!c.scopes.offerOwn(report, target))
      report.note("return the new value, and assign it where the function is "
                  "called",
                  binding.declared);
    // One report says it of all assignments in the function: a fix for a later
    // one would declare another name, in a loop or a branch.
    c.scopes.poison(target.name, target.range);
    return;
  }
  Diagnostic &report = c.error(DiagCode::TD203, target.range,
                               "`" + target.name + "` is immutable");
  SourceRange let = c.letBefore(binding.declared);
  report.note(let.isValid() ? "declared with `let` here"
                            : "declared here, and not with `var`",
              binding.declared);
  // In an inner block a new value would end with the block.
  auto here = c.scopes.scope->names.find(target.name);
  bool mayBeNew = isPlain && here != c.scopes.scope->names.end() &&
                  &here->second == &binding;
  if (let.isValid())
    report.fix(mayBeNew ? FixIt::Choice : FixIt::Safe,
               "`var " + target.name + " = …`", {{let, "var"}});
  if (let.isValid() && mayBeNew)
    report.fix(FixIt::Choice,
               "`let " + target.name + " = …`  (a new `" + target.name + "`)",
               {{target.range.start(), "let "}});
  else if (!let.isValid() &&
           !c.scopes.offerCopy(report, target, binding.declared))
    report.note("to change it, copy it: `var new_" + target.name + " = " +
                target.name + "`");
}

void Checker::assignName(const ast::NameExpr &target, Val val, bool isPlain) {
  Binding *binding = scopes.lookup(target.name);
  // What a model was made with can be read in its methods; a name of a method
  // that is called so is another.
  bool isConfig = binding && !binding->declared.isValid() && !binding->isVar;
  if (!binding || (isConfig && isPlain)) {
    if (target.name == "_" && !isPlain)
      return;
    scopes.reportUndeclared(target, val);
    scopes.poison(target.name, target.range);
    return;
  }
  bool foreign = !frames.empty() &&
                 scopes.file->scope.names.count(target.name) &&
                 &scopes.file->scope.names[target.name] == binding;
  if (!binding->isVar || foreign) {
    if (val.isError() && binding->val.isError())
      return;
    reportImmutable(*this, target, *binding, foreign, isPlain);
    return;
  }
  if (binding->annotation && !val.isError() &&
      !types.matchType(*binding->annotation, val,
                       val.range.isValid() ? val.range : target.range,
                       "`" + target.name + "`", DiagCode::TD407))
    val = fail();
  if (binding->annotation && !val.isError())
    val = types.loosen(val, *binding->annotation);
  scopes.nameTensor(val, target.name, target.range);
  observe(target.range, val);
  if (isPlain)
    sharing.name(val, target.range);
  binding->val = devices.nameDevice(val, target.name);
}

void Checker::assignMember(const ast::MemberExpr &target, const Val &val,
                           bool isPlain) {
  Val base = evalTarget(*target.base);
  if (base.isError() || val.isError())
    return;
  llvm::StringRef name = target.member.text;
  at(target.range);
  if (isUnread(base))
    return assignField(base, target.member, models.readAll(val, target.range),
                       target.range);
  if ((base.is(ValKind::Optimizer) || base.is(ValKind::ParameterGroup)) &&
      llvm::is_contained(training.settingNames(base), name))
    return training.assignSetting(base, name, val, target.range);
  if (base.is(ValKind::Model)) {
    auto &model = base.as<ModelInstance>();
    auto *member = model.find(name);
    if (member && member->slot)
      return assignState(target, model, *member, val, isPlain);
    if (member && Models::canReplace(*member, val))
      return models.replacePart(model, *member, val, target.range);
    // A constructor counts in its fields: `self.width = width * 2`.
    bool isCounted = val.isHostScalar() || val.is(ValKind::Str) ||
                     val.is(ValKind::None) || val.is(ValKind::Tuple);
    if (member && isCounted && llvm::is_contained(models.building, &model) &&
        !isInsideRunTimeRegion()) {
      member->val = val;
      return;
    }
    error(member ? DiagCode::TD203 : DiagCode::TD202, target.member.range,
          member ? "`" + name + "` is fixed when the model is made"
                 : describe(base) + " has no `" + name + "`")
        .note("state that changes is declared with `buffer` or `param`");
    return;
  }
  error(DiagCode::TD203, target.range,
        "cannot assign to `" + name + "` of " + describe(base));
}

void Checker::assignHostNumber(const ast::MemberExpr &target,
                               ModelInstance::Member &member, Val val) {
  Slot &slot = *member.slot;
  DType dtype = slot.type.dtype;
  bool fits = dtype == DType::Bool ? val.is(ValKind::Bool)
              : dtype == DType::I64
                  ? val.is(ValKind::Int)
                  : val.is(ValKind::Int) || val.is(ValKind::Float);
  if (!fits) {
    error(DiagCode::TD407, target.range,
          "`" + member.name + "` does not have the declared type")
        .label("it is " + describe(val))
        .note("declared here", slot.declared);
    return;
  }
  if (dtype == DType::F64)
    val = host.toFloat(val);
  models.writeSlot(slot, tensors.fillTensor(val, slot.type));
}

void Checker::assignState(const ast::MemberExpr &target, ModelInstance &model,
                          ModelInstance::Member &member, Val val,
                          bool isPlain) {
  Slot &slot = *member.slot;
  if (slot.isHostNumber)
    return assignHostNumber(target, member, val);
  if (val.isHostScalar() && slot.type.dims.empty())
    val = tensors.fillTensor(val, slot.type);
  if (!fits(slot, member.name, val, target.range))
    return;
  if (val.as<TensorInfo>().state)
    return models.tie(target, model, member, val);
  Val named = stateOf(slot);
  named.range = target.member.range;
  // `self.h = h` names another tensor, and `self.h += h` changes the same one.
  bool isReplaced = isPlain && !isPrelude(target.range.file);
  if (isReplaced) {
    sharing.use(val, val.range.isValid() ? val.range : target.range);
    sharing.replace(slot, val);
  }
  writeTarget(named, std::move(val), target.range,
              isReplaced ? Write::Replace : Write::InPlace);
}
