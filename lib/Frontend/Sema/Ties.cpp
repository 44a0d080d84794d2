//===- Ties.cpp - tied parameters -----------------------------------------===//
//
// `b.weight = a.weight` makes `b.weight` a name of the slot of `a.weight`, and
// drops the former slot of `b.weight`. Allowed until the value of either is
// first used (Slot::used).
//
//===----------------------------------------------------------------------===//

#include "Checker.h"
#include "Frontend/ASTWalk.h"

using namespace tdc;
using namespace tdc::sema;

Val Checker::evalAssigned(const ast::AssignStmt &stmt) {
  auto *source = llvm::dyn_cast<ast::MemberExpr>(stmt.value);
  if (llvm::isa<ast::TupleExpr>(stmt.target))
    return models.readAll(eval(*stmt.value), stmt.range);
  if (!llvm::isa<ast::MemberExpr>(stmt.target))
    return eval(*stmt.value);
  if (!source)
    return evalUnread(*stmt.value);
  if (source->member.text == "data" || source->member.text == "grad")
    return eval(*stmt.value);
  Val val = evalMember(*source, /*isRead=*/false);
  val.range = source->range;
  return val;
}

//===----------------------------------------------------------------------===//
// Fixes
//===----------------------------------------------------------------------===//

static bool holds(SourceRange outer, SourceRange inner) {
  return outer.file == inner.file && outer.begin <= inner.begin &&
         inner.end <= outer.end;
}

/// The statements of the innermost block that has a statement around `range`.
static llvm::ArrayRef<const ast::Stmt *>
findBlock(llvm::ArrayRef<const ast::Stmt *> stmts, SourceRange range) {
  auto inner = [&](const ast::Block *block) {
    return block && holds(block->range, range)
               ? findBlock(block->stmts, range)
               : llvm::ArrayRef<const ast::Stmt *>();
  };
  for (const ast::Stmt *stmt : stmts) {
    if (!holds(stmt->range, range))
      continue;
    llvm::ArrayRef<const ast::Stmt *> found;
    for (const ast::Block *block : ast::blocksOf(*stmt))
      if (found.empty())
        found = inner(block);
    if (auto *fn = llvm::dyn_cast<ast::FnDecl>(stmt)) {
      found = inner(fn->body);
    } else if (auto *model = llvm::dyn_cast<ast::ModelDecl>(stmt)) {
      for (const ast::Decl *member : model->members)
        if (auto *method = llvm::dyn_cast<ast::FnDecl>(member);
            method && found.empty())
          found = inner(method->body);
    }
    return found.empty() ? stmts : found;
  }
  return {};
}

/// Whether all names in an expression are declared before a position.
static bool isKnownAt(Checker &c, const ast::Expr &expr, SourceRange at) {
  if (auto *name = llvm::dyn_cast<ast::NameExpr>(&expr))
    if (Binding *binding = c.scopes.lookup(name->name);
        binding && binding->declared.file == at.file &&
        binding->declared.begin >= at.begin)
      return false;
  bool known = true;
  ast::forEachChild(expr, [&](const ast::Expr &child) {
    known = known && isKnownAt(c, child, at);
  });
  return known;
}

/// Offers to tie above the statement of the same block that needs the value.
static void offerTieAbove(Checker &c, Diagnostic &report, SourceRange stmt,
                          SourceRange used) {
  const ast::Program *program = c.scopes.findFile(stmt.file)->program;
  llvm::ArrayRef<const ast::Stmt *> block = findBlock(program->items, stmt);
  auto find = [&](SourceRange range) {
    auto *found = llvm::find_if(
        block, [&](const ast::Stmt *s) { return holds(s->range, range); });
    return found == block.end() ? nullptr : *found;
  };
  const ast::Stmt *use = find(used);
  auto *tie = llvm::dyn_cast_or_null<ast::AssignStmt>(find(stmt));
  if (!use || !tie || use->range.begin >= stmt.begin ||
      !isKnownAt(c, *tie->target, use->range) ||
      !isKnownAt(c, *tie->value, use->range))
    return;
  SourceRange line =
      c.sources.getLine(stmt.file, c.sources.getLineColumn(stmt).line);
  llvm::StringRef code = c.text(stmt);
  if (c.text(line).trim() != code)
    return;
  line.end = std::min<uint32_t>(line.end + 1, // with its end
                                c.sources.getText(line.file).size());
  report.fix(FixIt::Choice, "`" + code + "`, above",
             {c.insertAbove(use->range, code), {line, ""}});
}

static void offerClone(Checker &c, Diagnostic &report, const Val &source) {
  if (!c.isWritten(source.range))
    return;
  std::string copy = ("clone(" + c.text(source.range) + ")").str();
  report.fix(FixIt::Choice, "`" + copy + "`  (a copy of the values)",
             {{source.range, copy}});
}

//===----------------------------------------------------------------------===//
// Ties
//===----------------------------------------------------------------------===//

/// Whether a tensor of a model can be a name of another; reports if not.
static bool canTie(Checker &c, const ast::MemberExpr &target,
                   const ModelInstance &model, const Slot &slot,
                   const Val &source) {
  const Slot &from = *source.as<TensorInfo>().state;
  std::string names =
      ("`" + c.text(target.range) + "` to `" + c.text(source.range) + "`")
          .str();
  if (slot.kind != from.kind) {
    auto wordOf = [](const Slot &slot) {
      return slot.kind == td::SlotKind::Param ? "param" : "buffer";
    };
    Diagnostic &report =
        c.error(DiagCode::TD217, target.range, "cannot tie " + names)
            .label(llvm::Twine("a `") + wordOf(slot) + "`, the other a `" +
                   wordOf(from) + "`")
            .note("declared here", slot.declared)
            .note("declared here", from.declared);
    offerClone(c, report, source);
    return false;
  }
  if (c.isInsideRunTimeRegion() || c.calls.exporting) {
    Diagnostic &report =
        c.error(DiagCode::TD217, target.range, "cannot tie " + names + " here")
            .label(c.calls.exporting
                       ? "in an exported function"
                       : "in a loop or under a condition of the running "
                         "program")
            .note("tie tensors once, where the models are made");
    offerClone(c, report, source);
    return false;
  }
  const Slot &used = slot.used.empty() ? from : slot;
  if (!used.used.empty()) {
    llvm::StringRef name = c.text(&used == &slot ? target.range : source.range);
    // Seen from the current function, the use may be inside a call: the call is
    // shown.
    SourceRange where =
        used.used[std::min(c.frames.size(), used.used.size() - 1)];
    Diagnostic &report =
        c.error(DiagCode::TD217, target.range, "too late to tie " + names)
            .label("would be one tensor from here on")
            .note("`" + name + "` is " + used.use + " here", where);
    offerTieAbove(c, report, target.range.to(source.range), where);
    offerClone(c, report, source);
    return false;
  }
  Place here = c.places.modelPlace(model),
        there = c.places.modelPlace(*from.owner);
  if (model.otherwise || from.owner->otherwise)
    return false; // this has been reported
  if (c.places.agree(here, there))
    return true;
  c.error(DiagCode::TD218, target.range, "cannot tie " + names)
      .label("@" + placeText(here) + ", the other @" + placeText(there))
      .note("it was moved here", model.moved)
      .note("the other was moved here", from.owner->moved)
      .note("move the model that holds both");
  return false;
}

void Models::tie(const ast::MemberExpr &target, ModelInstance &model,
                 ModelInstance::Member &member, const Val &source) {
  std::shared_ptr<Slot> from = source.as<TensorInfo>().state;
  std::shared_ptr<Slot> old = member.slot;
  bool isNamed = !source.value; // it was not read before
  if ((old == from && isNamed) || !canTie(c, target, model, *old, source) ||
      c.isWalkedAside())
    return;
  // A model that was not moved goes to the other's place.
  bool goesThere = model.place.kind == Place::Kind::Free;
  const ModelInstance &home = goesThere ? *from->owner : model;
  Place place = home.place;
  SourceRange moved = home.moved;
  member.slot = from;
  model.ownLearning.erase(old.get());
  from->holders.push_back(&model);
  old->holders.erase(llvm::find(old->holders, &model));
  if (!old->holders.empty())
    old->owner = old->holders.front();
  else if (!old->name.empty())
    droppedSlots.push_back(old->name);
  if (model.place == from->owner->place)
    return;
  Places::Models parts;
  parts.insert(goesThere ? &model : from->owner);
  c.places.moveParts(std::move(parts), place, moved, Transfer::Implied);
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

void Models::nameAliases() {
  nameAllModels();
  llvm::MapVector<const Slot *, Emitter::SlotNames> slots;
  for (const auto &model : all) {
    if (model->name.empty() || model->native == NativeModel::DataParallel)
      continue;
    for (const NamedSlot &named : slotsOf(model)) {
      Emitter::SlotNames &row = slots[named.slot];
      row.slot = named.slot->name;
      row.names.push_back({model->name, named.key});
      for (const std::string &alias : named.aliases)
        row.names.push_back({model->name, alias});
    }
  }
  std::vector<Emitter::SlotNames> changed;
  for (auto &[slot, row] : slots)
    if (row.names.size() > 1 || row.names.front().whole() != row.slot)
      changed.push_back(std::move(row));
  if (!changed.empty() || !droppedSlots.empty())
    c.emit().nameSlots(changed, droppedSlots);
}
