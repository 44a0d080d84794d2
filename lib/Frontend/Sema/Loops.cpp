//===- Loops.cpp - for, comprehensions ------------------------------------===//
//
// A loop over a range runs at run time (RunTimeLoops.cpp). A loop over a list,
// or one that builds models or lists, is unrolled here.
//
//===----------------------------------------------------------------------===//

#include "Frontend/Characters.h"
#include "Joins.h"
#include "llvm/ADT/StringExtras.h"

using namespace tdc;
using namespace tdc::sema;

/// Unrolled iterations beyond this are a mistake, or an attack.
static constexpr int64_t kMaxUnrolled = 100000;

Flow ControlFlow::execFor(const ast::ForStmt &stmt) {
  Val iterable = c.eval(*stmt.iterable);
  c.at(stmt.range);
  c.scopes.pushScope();
  c.scopes.bind(exits::kBreaks, {}, makeBool(false), /*isVar=*/true);
  walkFor(stmt, iterable);
  joinLeft(*c.scopes.scope);
  c.scopes.popScope();
  return flowAfterLoop();
}

void ControlFlow::walkFor(const ast::ForStmt &stmt, const Val &iterable) {
  switch (iterable.kind) {
  case ValKind::Error:
    // The body may hold further mistakes; what it iterates is not known.
    beginIteration();
    c.bindTarget(*stmt.target, Val());
    execStatements(stmt.body->stmts);
    endIteration();
    return;
  case ValKind::Range:
    return forRange(stmt, iterable);
  case ValKind::Loader:
    return forLoader(stmt, iterable, std::nullopt);
  case ValKind::Enumerate:
    if (iterable.as<EnumerateInfo>().inner.is(ValKind::Loader))
      return forLoader(stmt, iterable.as<EnumerateInfo>().inner,
                       iterable.as<EnumerateInfo>().start);
    break;
  default:
    break;
  }
  if (hasRows(iterable) && lengthOfRows(iterable, stmt.iterable->range))
    return forRows(stmt, iterable);
  Vals elements;
  if (!elementsOfIterable(iterable, stmt.iterable->range, elements))
    return;
  if (elements.empty())
    c.scopes.useNamesIn(stmt.body->range);
  forElements(stmt, elements, iterable);
}

bool ControlFlow::canUnroll(int64_t iterations, SourceRange range,
                            llvm::StringRef problem) {
  if (iterations <= kMaxUnrolled)
    return true;
  c.error(DiagCode::TD215, range, problem);
  return false;
}

bool ControlFlow::elementsOfIterable(const Val &iterable, SourceRange range,
                                     Vals &out) {
  switch (iterable.kind) {
  case ValKind::Error:
    return false;
  case ValKind::List:
  case ValKind::Tuple:
    c.sharing.useSelf(iterable, range);
    out.assign(elementsOf(iterable).begin(), elementsOf(iterable).end());
    return true;
  case ValKind::Str: {
    auto text = c.host.requireStr(iterable, "a str that is looped over");
    if (!text || !c.isWithinExtent(2 * text->size(), range))
      return false;
    for (llvm::StringRef character : charactersOf(*text))
      out.push_back(makeStr(character));
    return true;
  }
  case ValKind::Model: {
    auto &model = iterable.as<ModelInstance>();
    if (isParameters(iterable)) {
      for (const NamedSlot &named :
           c.models.slotsOfKind(iterable, td::SlotKind::Param))
        out.push_back(stateOf(*named.slot));
      return true;
    }
    if (!model.isList())
      break;
    for (auto &member : model.members)
      out.push_back(member.val);
    return true;
  }
  case ValKind::Range: {
    auto &info = iterable.as<RangeInfo>();
    auto from = c.host.requireInt(info.from, "the range of this loop");
    auto to = c.host.requireInt(info.to, "the range of this loop");
    auto step = c.host.requireInt(info.step, "the range of this loop");
    if (!from || !to || !step)
      return false;
    for (int64_t i = *from; *step > 0 ? i < *to : i > *to;) {
      if (!canUnroll(static_cast<int64_t>(out.size()) + 1, range,
                     "the loop has too many iterations to unroll"))
        return false;
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
    return batchesOf(iterable.as<LoaderInfo>(), range, out);
  case ValKind::Tensor:
    return rowsOf(iterable, range, out);
  case ValKind::Zip: {
    std::vector<Vals> lists;
    size_t shortest = SIZE_MAX;
    for (const Val &list : iterable.as<ZipInfo>().iterables) {
      lists.emplace_back();
      if (!elementsOfIterable(list, range, lists.back()))
        return false;
      shortest = std::min(shortest, lists.back().size());
    }
    for (size_t i = 0; !lists.empty() && i != shortest; ++i) {
      Vals row;
      for (const Vals &list : lists)
        row.push_back(list[i]);
      out.push_back(makeSequence(ValKind::Tuple, std::move(row)));
    }
    return true;
  }
  default:
    break;
  }
  Diagnostic &report =
      c.error(DiagCode::TD206, range, "cannot loop over " + describe(iterable));
  if (iterable.is(ValKind::Int) && !c.isPrelude(range.file))
    report.fix(FixIt::Safe, "`range(" + c.text(range) + ")`",
               {{range.start(), "range("}, {range.finish(), ")"}});
  if (iterable.is(ValKind::Model))
    for (const char *list : {".parameters()", ".children()"})
      c.offerSuffix(report, range, list);
  return false;
}

/// Whether an iteration has changed what a list holds from `next` on: the
/// iterations that follow would be others in Python.
static bool changesWhatFollows(Checker &c, const Val &iterable, size_t next,
                               const llvm::StringSet<> &assigned) {
  if (iterable.is(ValKind::Enumerate))
    return changesWhatFollows(c, iterable.as<EnumerateInfo>().inner, next,
                              assigned);
  if (iterable.is(ValKind::Zip))
    return llvm::any_of(iterable.as<ZipInfo>().iterables, [&](const Val &one) {
      return changesWhatFollows(c, one, next, assigned);
    });
  if (!iterable.is(ValKind::List))
    return false;
  auto rest = elementsOf(iterable).drop_front(next);
  return llvm::any_of(assigned, [&](const auto &name) {
    Binding *binding = c.scopes.lookup(name.first());
    if (!binding || !binding->val.is(ValKind::List) ||
        binding->val.data == iterable.data ||
        !c.sharing.areOne(binding->val, iterable))
      return false;
    auto now = elementsOf(binding->val);
    return now.size() != next + rest.size() ||
           !llvm::all_of_zip(now.drop_front(next), rest, isSame);
  });
}

/// Whether a function that the body calls has changed the list.
static bool isChangedElsewhere(Checker &c, const Val &iterable,
                               const llvm::StringSet<> &assigned) {
  return iterable.is(ValKind::List) && c.sharing.isStale(iterable) &&
         llvm::none_of(assigned, [&](const auto &name) {
           Binding *binding = c.scopes.lookup(name.first());
           return binding && binding->val.is(ValKind::List) &&
                  c.sharing.areOne(binding->val, iterable);
         });
}

void ControlFlow::forElements(const ast::ForStmt &stmt,
                              llvm::ArrayRef<Val> elements,
                              const Val &iterable) {
  llvm::StringSet<> assigned = assignedNames(stmt.body);
  for (size_t i = 0; i != elements.size(); ++i) {
    if (!c.withinLimits(stmt.range))
      break;
    Flow flow = unless(isLoopOver(), stmt.range, assigned, [&] {
      beginIteration();
      c.bindTarget(*stmt.target, elements[i]);
      execStatements(stmt.body->stmts);
      endIteration();
      return Flow::Next;
    });
    if (flow == Flow::Left)
      break;
    Val isOver = isLoopOver();
    if (!(isOver.known && isOver.truth) &&
        (changesWhatFollows(c, iterable, i + 1, assigned) ||
         isChangedElsewhere(c, iterable, assigned))) {
      Diagnostic &report =
          c.error(DiagCode::TD219, stmt.iterable->range,
                  "the loop changes the list that it runs over");
      report.label("in Python the next iterations run over the changed list; "
                   "here over the one from before the loop");
      if (iterable.is(ValKind::List))
        c.offerSuffix(report, stmt.iterable->range, "[:]");
      break;
    }
  }
}

/// The number of iterations of a range; its step is not 0.
static int64_t iterationsOf(int64_t from, int64_t to, int64_t step) {
  if (step > 0 ? from >= to : from <= to)
    return 0;
  // The distance of two ints may not be an int.
  auto low = static_cast<uint64_t>(step > 0 ? from : to),
       high = static_cast<uint64_t>(step > 0 ? to : from),
       stride = static_cast<uint64_t>(step);
  uint64_t count = (high - low - 1) / (step > 0 ? stride : 0 - stride) + 1;
  return static_cast<int64_t>(std::min<uint64_t>(count, INT64_MAX));
}

void ControlFlow::forRange(const ast::ForStmt &stmt, const Val &range) {
  llvm::StringRef name = stmt.target->isTuple() ? "" : stmt.target->name;
  forIndices(stmt, range, name, [](Val index) { return index; });
}

void ControlFlow::forIndices(const ast::ForStmt &stmt, const Val &range,
                             llvm::StringRef name,
                             llvm::function_ref<Val(Val index)> element) {
  auto &info = range.as<RangeInfo>();
  bool unroll = !c.models.building.empty();
  Binding *list = nullptr;
  llvm::SmallVector<Binding *> known; // values that change while compiling
  for (auto &entry : assignedNames(stmt.body))
    if (Binding *binding = c.scopes.lookup(entry.first());
        binding && binding->isVar && !isExit(entry.first()) &&
        !hasLeaves(binding->val) && !binding->val.isError()) {
      unroll = true;
      known.push_back(binding);
      if (binding->val.is(ValKind::List))
        list = binding;
    }
  // What a loop that is not walked leaves in them is not known.
  auto forget = [&] {
    for (Binding *binding : known)
      binding->val = c.fail();
  };
  auto from = c.host.constantInt(info.from), to = c.host.constantInt(info.to),
       step = c.host.constantInt(info.step);
  if (list && !(from && to && step)) {
    Diagnostic &report = c.host.reportNotKnown(
        info.to, "the range of a loop that changes a list");
    report.note(kInsteadOfList, list->declared);
    return forget();
  }
  std::optional<int64_t> count;
  if (from && to && step)
    count = iterationsOf(*from, *to, *step);
  if (count == 0)
    return c.scopes.useNamesIn(stmt.body->range);
  auto walk = [&](Val index) {
    c.bindTarget(*stmt.target, element(std::move(index)));
    execStatements(stmt.body->stmts);
  };
  // The body, for an index from `low` to below `limit`.
  auto iteration = [&](Val index, const Size &low, const Size &limit) {
    index.range = stmt.target->range;
    auto atom = index.size.getAtom();
    if (atom && c.host.sizes.isNeverNegative(low)) {
      SizeTable::Variable &variable = c.host.sizes[atom];
      variable.nonNegative = true;
      variable.limit = limit;
    }
    walk(std::move(index));
  };
  auto first = [&] { walk(makeInt(*from)); };
  auto any = [&] {
    iteration(c.host.runTimeInt(c.unknownValue(), indexName(stmt)),
              info.from.size, info.to.size);
  };
  bool isDownward = step && *step < 0;
  unroll |= isDownward && count;
  if (!unroll && count && !name.empty())
    unroll = mustKnowIndex(stmt, name, first, any);
  bool areMany = count && *count > kMaxOfOtherSizes;
  if (!unroll && count && !areMany)
    unroll = mustKnowSizes(stmt, first);
  if (unroll) {
    Vals elements;
    if (!elementsOfIterable(range, stmt.iterable->range, elements))
      return forget();
    for (Val &index : elements)
      index = element(index);
    return forElements(stmt, elements, range);
  }
  if (!step) {
    c.host.reportNotKnown(info.step, "the step of a range");
    return;
  }
  if (!isDownward) {
    auto body = [&](Val index) {
      iteration(std::move(index), info.from.size, info.to.size);
    };
    runTimeLoop(stmt, info.from, info.to, info.step, body, /*hasTail=*/false,
                areMany ? count : std::nullopt);
    return;
  }
  // A loop that counts down is emitted as a loop over its iterations.
  Size distance = info.from.size - info.to.size;
  Val iterations = c.host.binary(ast::BinaryOp::FloorDiv,
                                 makeInt(distance + Size(-*step - 1)),
                                 makeInt(-*step), c.here);
  runTimeLoop(stmt, makeInt(0), iterations, makeInt(1), [&](const Val &done) {
    Value index = c.host.sizeValue(info.from.size + done.size * Size(*step));
    iteration(c.host.runTimeInt(index, indexName(stmt)), info.to.size + Size(1),
              info.from.size + Size(1));
  });
}

void ControlFlow::endLoop() {
  LoopRecord record = std::move(loops.back());
  loops.pop_back();
  c.lints.endLoop(record);
}

/// `p.grad != none` as the condition of a comprehension, whose length must be
/// known: true for a parameter that is learned, and the program stops if it has
/// no gradient. Nothing for another condition.
static std::optional<bool> hasGradient(Checker &c, const ast::Expr &expr) {
  auto *compare = llvm::dyn_cast<ast::CompareExpr>(&expr);
  auto *field =
      compare ? llvm::dyn_cast<ast::MemberExpr>(compare->lhs) : nullptr;
  auto *none = compare ? llvm::dyn_cast<ast::NameExpr>(compare->rhs) : nullptr;
  if (!field || !none || compare->op != ast::CompareOp::Ne ||
      field->member.text != "grad" || none->name != "none")
    return std::nullopt;
  Val gradient = c.evalUnread(*field);
  if (!isUnread(gradient) || !gradient.as<TensorInfo>().gradientOf)
    return std::nullopt;
  Slot &slot = *gradient.as<TensorInfo>().gradientOf;
  if (slot.gradName.empty() && !c.models.isLearned(slot, expr.range))
    return false;
  c.training.requireGradient(slot, field->range);
  return true;
}

/// Whether the conditions of a clause hold; nothing after a report.
static std::optional<bool> holds(Checker &c,
                                 llvm::ArrayRef<const ast::Expr *> conditions) {
  for (const ast::Expr *expr : conditions) {
    std::optional<bool> keep = hasGradient(c, *expr);
    if (!keep) {
      std::optional<Val> truth = c.control.condition(*expr);
      keep =
          truth ? c.host.requireBool(*truth, "the condition of a comprehension")
                : std::nullopt;
    }
    if (!keep || !*keep)
      return keep;
  }
  return true;
}

/// Appends the elements that the first clause, and within it the others, give.
static bool addElements(Checker &c, const ast::ComprehensionExpr &expr,
                        llvm::ArrayRef<ast::ComprehensionClause> clauses,
                        Vals &results) {
  if (clauses.empty()) {
    results.push_back(c.evalUnread(*expr.element));
    c.sharing.name(results.back(), expr.element->range);
    return true;
  }
  const ast::ComprehensionClause &clause = clauses.front();
  Val iterable = c.eval(*clause.iterable);
  Vals elements;
  if (!c.control.elementsOfIterable(iterable, clause.iterable->range, elements))
    return false;
  for (const Val &element : elements) {
    if (!c.withinLimits(expr.range))
      return false;
    c.scopes.pushScope();
    c.bindTarget(*clause.target, element);
    std::optional<bool> keep = holds(c, clause.conditions);
    if (keep && *keep && !addElements(c, expr, clauses.drop_front(), results))
      keep = std::nullopt;
    c.scopes.popScope();
    if (!keep)
      return false;
  }
  return true;
}

Val ControlFlow::evalComprehension(const ast::ComprehensionExpr &expr) {
  Vals results;
  return addElements(c, expr, expr.clauses, results)
             ? makeSequence(ValKind::List, std::move(results))
             : c.fail();
}
