//===- Loops.cpp - for, while, comprehensions -----------------------------===//
//
// A loop over a range runs at run time; the variables that its body assigns are
// carried through it. A loop over a list, or one that builds models or lists,
// is unrolled here.
//
//===----------------------------------------------------------------------===//

#include "Joins.h"

using namespace tdc;
using namespace tdc::sema;

/// Unrolled turns beyond this are a mistake, or an attack.
static constexpr int64_t kMaxTurns = 100000;

Flow Checker::execWhile(const ast::WhileStmt &stmt) {
  std::optional<Val> truth = condition(*stmt.condition);
  if (truth && truth->known && !truth->truth)
    return Flow::Next;
  if (truth)
    unsupported(stmt.range, "`while`");
  return Flow::Next;
}

Flow Checker::execFor(const ast::ForStmt &stmt) {
  Val iterable = eval(*stmt.iterable);
  at(stmt.range);
  switch (iterable.kind) {
  case ValKind::Error:
    // The body may hold further mistakes; what it iterates is not known.
    pushScope();
    bindTarget(*stmt.target, Val());
    loops.emplace_back();
    loops.back().runTime = true;
    execStatements(stmt.body->stmts);
    loops.pop_back();
    popScope();
    return Flow::Next;
  case ValKind::Range:
    return forRange(stmt, iterable);
  case ValKind::Loader:
    return forLoader(stmt, iterable, std::nullopt);
  case ValKind::Enumerate:
    if (iterable.as<EnumerateInfo>().inner.is(ValKind::Loader))
      return forLoader(stmt, iterable.as<EnumerateInfo>().inner,
                       iterable.as<EnumerateInfo>().start);
    break;
  case ValKind::Tensor:
    unsupported(stmt.iterable->range, "a loop over the rows of a tensor");
    return Flow::Next;
  default:
    break;
  }
  Vals elements;
  if (!elementsOfIterable(iterable, stmt.iterable->range, elements))
    return Flow::Next;
  return forElements(stmt, elements);
}

bool Checker::elementsOfIterable(const Val &iterable, SourceRange range,
                                 Vals &out) {
  switch (iterable.kind) {
  case ValKind::Error:
    return false;
  case ValKind::List:
  case ValKind::Tuple:
    out.assign(elementsOf(iterable).begin(), elementsOf(iterable).end());
    return true;
  case ValKind::Model: {
    auto &model = iterable.as<ModelInstance>();
    if (model.native == NativeModel::None)
      break;
    for (auto &member : model.members)
      out.push_back(member.val);
    return true;
  }
  case ValKind::Range: {
    auto &info = iterable.as<RangeInfo>();
    auto from = requireInt(info.from, "the range of this loop");
    auto to = requireInt(info.to, "the range of this loop");
    auto step = requireInt(info.step, "the range of this loop");
    if (!from || !to || !step)
      return false;
    for (int64_t i = *from; *step > 0 ? i < *to : i > *to;) {
      if (out.size() >= kMaxTurns) {
        error(DiagCode::TD215, range, "the loop has too many turns to unroll");
        return false;
      }
      out.push_back(makeInt(i));
      if (__builtin_add_overflow(i, *step, &i))
        break;
    }
    return true;
  }
  case ValKind::Enumerate: {
    auto &info = iterable.as<EnumerateInfo>();
    Vals inner;
    if (!elementsOfIterable(info.inner, range, inner))
      return false;
    for (auto [i, val] : llvm::enumerate(inner))
      out.push_back(
          makeSequence(ValKind::Tuple,
                       {makeInt(info.start + static_cast<int64_t>(i)), val}));
    return true;
  }
  case ValKind::Loader:
    unsupported(range, "a list of a DataLoader's batches");
    return false;
  default:
    break;
  }
  error(DiagCode::TD206, range, "cannot loop over " + describe(iterable));
  return false;
}

Flow Checker::forElements(const ast::ForStmt &stmt,
                          llvm::ArrayRef<Val> elements) {
  for (const Val &element : elements) {
    if (!withinLimits(stmt.range))
      break;
    pushScope();
    loops.emplace_back();
    loops.back().regionDepth = regionDepth;
    loops.back().scope = scope;
    bindTarget(*stmt.target, element);
    Flow flow = execStatements(stmt.body->stmts);
    endLoop();
    popScope();
    if (flow == Flow::Break)
      break;
    if (flow == Flow::Return)
      return flow;
  }
  return Flow::Next;
}

static llvm::StringRef indexName(const ast::ForStmt &stmt) {
  return stmt.target->name.empty() ? "i" : stmt.target->name;
}

Flow Checker::forRange(const ast::ForStmt &stmt, const Val &range) {
  auto &info = range.as<RangeInfo>();
  bool unroll = !building.empty();
  Binding *list = nullptr;
  for (auto &entry : assignedNames(stmt.body))
    if (Binding *binding = lookup(entry.first()); binding && binding->isVar &&
                                                  !hasLeaves(binding->val) &&
                                                  !binding->val.isError()) {
      unroll = true;
      if (binding->val.is(ValKind::List))
        list = binding;
    }
  auto from = constantInt(info.from), to = constantInt(info.to),
       step = constantInt(info.step);
  if (list && !(from && to && step)) {
    Diagnostic &report =
        reportNotKnown(info.to, "the range of a loop that changes a list");
    report.note(kInsteadOfList, list->declared);
    return Flow::Next;
  }
  bool isDownward = step && *step < 0;
  if (unroll || (isDownward && from && to)) {
    Vals elements;
    if (!elementsOfIterable(range, stmt.iterable->range, elements))
      return Flow::Next;
    return forElements(stmt, elements);
  }
  if (!step) {
    reportNotKnown(info.step, "the step of a range");
    return Flow::Next;
  }
  if (from && to && *from >= *to)
    return Flow::Next;
  // The body, for an index from `low` to below `limit`.
  auto turn = [&](Val index, const Size &low, const Size &limit) {
    index.range = stmt.target->range;
    auto atom = index.size.getAtom();
    if (atom && provablyNonNegative(low)) {
      SizeVariable &variable = sizeVariables[atom.get()];
      variable.nonNegative = true;
      variable.limit = limit;
    }
    bindTarget(*stmt.target, std::move(index));
    execStatements(stmt.body->stmts);
  };
  if (!isDownward) {
    runTimeLoop(stmt, info.from, info.to, info.step, [&](Val index) {
      turn(std::move(index), info.from.size, info.to.size);
    });
    return Flow::Next;
  }
  // Downwards, the loop counts its turns.
  Size distance = info.from.size - info.to.size;
  Val turns =
      hostBinary(ast::BinaryOp::FloorDiv, makeInt(distance + Size(-*step - 1)),
                 makeInt(-*step), here);
  runTimeLoop(stmt, makeInt(0), turns, makeInt(1), [&](const Val &done) {
    Value index = sizeValue(info.from.size + done.size * Size(*step));
    turn(runTimeInt(index, indexName(stmt)), info.to.size + Size(1),
         info.from.size + Size(1));
  });
  return Flow::Next;
}

namespace {
/// A variable that a loop carries.
struct Carried {
  std::string name;
  Binding *binding;
  Val before, start;
};
} // namespace

/// Dims that the annotation of a `var` leaves open: `?`.
static llvm::SmallVector<bool, 4> openDims(const Binding &binding,
                                           size_t rank) {
  llvm::SmallVector<bool, 4> open(rank, false);
  auto *type = llvm::dyn_cast_or_null<ast::NamedType>(binding.annotation);
  if (type && type->dims.size() == rank)
    for (auto [i, item] : llvm::enumerate(type->dims))
      open[i] = item.kind == ast::SubscriptItem::Unknown;
  return open;
}

static Val startOfTurn(Checker &c, const Carried &one,
                       llvm::ArrayRef<Value> &values) {
  Val val = rebuild(c, one.before, one.before, values, one.name);
  if (val.is(ValKind::Tensor)) {
    auto open = openDims(*one.binding, typeOf(val).dims.size());
    TensorType type = typeOf(val);
    for (auto [i, isOpen] : llvm::enumerate(open))
      if (isOpen)
        type.dims[i] = c.newSize("?", c.emit().dim(val.value, i));
    val = makeTensor(type, val.value, val.as<TensorInfo>().placed);
  }
  val.range = one.before.range;
  return val;
}

void Checker::runTimeLoop(const ast::ForStmt &stmt, const Val &from,
                          const Val &to, const Val &step,
                          llvm::function_ref<void(Val)> body) {
  std::vector<Carried> carried;
  llvm::SmallVector<Value> initial;
  llvm::StringSet<> assigned = assignedNames(stmt.body);
  std::vector<std::pair<Binding *, Val>> fixed;
  for (auto &entry : assigned) {
    Binding *binding = lookup(entry.first());
    if (!binding || !binding->isVar || binding->val.isError())
      continue;
    if (hasLeaves(binding->val))
      carried.push_back({entry.first().str(), binding, binding->val, Val()});
    else
      fixed.push_back({binding, binding->val});
  }
  llvm::sort(carried, [](const Carried &a, const Carried &b) {
    return a.name < b.name;
  });
  for (Carried &one : carried)
    appendLeaves(*this, one.before, initial);
  std::vector<ModelState> states = saveModels(*this);
  auto first = constantInt(from), last = constantInt(to);
  bool runs = first && last && *first < *last;

  Emitter::Loop loop = emit().beginFor(materialize(from), materialize(to),
                                       materialize(step), initial);
  ++regionDepth;
  if (!runs)
    ++conditionDepth;
  forgetReads();
  size_t known = facts.size();
  pushScope();
  loops.emplace_back();
  loops.back().runTime = true;
  loops.back().regionDepth = regionDepth;
  loops.back().scope = scope;
  llvm::ArrayRef<Value> values(loop.carried);
  for (Carried &one : carried)
    one.binding->val = one.start = startOfTurn(*this, one, values);
  body(runTimeInt(loop.index, indexName(stmt)));
  // What one turn leaves behind must fit what it started from.
  at(stmt.range);
  llvm::SmallVector<Value> next;
  for (Carried &one : carried) {
    Val &after = one.binding->val;
    SourceRange place = after.range.isValid() ? after.range : stmt.range;
    if (!canMeet(*this, one.start, after, place, "`" + one.name + "`", true)) {
      after = one.start;
    } else if (after.is(ValKind::Tensor)) {
      auto open = openDims(*one.binding, typeOf(after).dims.size());
      ShapeAnswer answer;
      for (size_t i = 0; i != open.size(); ++i)
        if (!open[i] && typeOf(after).dims[i] != typeOf(one.start).dims[i])
          answer.facts.push_back({typeOf(after).dims[i],
                                  typeOf(one.start).dims[i],
                                  "`" + one.name + "` changes its size"});
      if (!prove(answer))
        error(DiagCode::TD401, place, answer.problem);
    }
    appendLeaves(*this, after, next);
  }
  for (auto &[binding, val] : fixed)
    if (!isSame(binding->val, val) && !binding->val.isError()) {
      Diagnostic &report =
          error(DiagCode::TD214, stmt.range,
                "a loop that runs at run time cannot change " + describe(val));
      if (val.is(ValKind::List))
        report.note(kInsteadOfList, binding->declared);
    }
  // A model that was used before the turn moved it would be elsewhere in the
  // second turn.
  for (size_t i = 0; i != states.size(); ++i) {
    const ModelInstance *model = models[i].get();
    auto placeUse = loops.back().placeUses.find(model);
    if (placeUse != loops.back().placeUses.end() &&
        !agree(model->place, states[i].place))
      error(DiagCode::TD507, placeUse->second,
            "`" + model->name + "` changes device inside the loop")
          .label("@" + placeText(states[i].place) + " when the loop starts, @" +
                 placeText(model->place) + " after one turn");
    auto modeUse = loops.back().modeUses.find(model);
    if (modeUse != loops.back().modeUses.end() && model->mode != states[i].mode)
      unsupported(modeUse->second,
                  "a model in train mode in the first turn of a loop and in "
                  "eval mode later (call `.train()` first in the loop)");
  }
  endLoop();
  popScope();
  facts.resize(known);
  llvm::SmallVector<Value> results = emit().endFor(next);
  --regionDepth;
  if (!runs)
    --conditionDepth;
  forgetReads();
  if (!runs)
    joinModels(*this, states);
  llvm::ArrayRef<Value> rest(results);
  for (Carried &one : carried) {
    Val result = startOfTurn(*this, one, rest);
    one.binding->val = result;
  }
}

void Checker::endLoop() {
  LoopRecord record = std::move(loops.back());
  loops.pop_back();
  if (!loops.empty()) {
    // An outer loop may clear what an inner one adds up.
    if (!record.cleared)
      llvm::append_range(loops.back().backwards, record.backwards);
    loops.back().cleared |= record.cleared;
    for (auto &use : record.placeUses)
      if (!loops.back().placeSet.lookup(use.first))
        loops.back().placeUses.insert(use);
    for (auto &use : record.modeUses)
      if (!loops.back().modeSet.lookup(use.first))
        loops.back().modeUses.insert(use);
    for (auto &set : record.placeSet)
      loops.back().placeSet.insert(set);
    for (auto &set : record.modeSet)
      loops.back().modeSet.insert(set);
    return;
  }
  if (record.cleared)
    return;
  for (auto &[range, name] : record.backwards)
    warning(DiagCode::TD610, range,
            "gradients add up from one iteration to the next")
        .label("accumulates; nothing clears `" + name +
               "`'s gradients in this loop")
        .note("insert `optimizer.zero_grad()` above, or write "
              "`optimizer.step(grad(loss, " +
              name + "))`");
}

Val Checker::evalComprehension(const ast::ComprehensionExpr &expr) {
  Val iterable = eval(*expr.iterable);
  Vals elements, results;
  if (!elementsOfIterable(iterable, expr.iterable->range, elements))
    return fail();
  for (const Val &element : elements) {
    if (!withinLimits(expr.range))
      return fail();
    pushScope();
    bindTarget(*expr.target, element);
    std::optional<bool> keep = true;
    if (expr.condition) {
      std::optional<Val> truth = condition(*expr.condition);
      keep = truth ? requireBool(*truth, "the condition of a comprehension")
                   : std::nullopt;
    }
    if (keep && *keep)
      results.push_back(eval(*expr.element));
    popScope();
    if (!keep)
      return fail();
  }
  return makeSequence(ValKind::List, std::move(results));
}
