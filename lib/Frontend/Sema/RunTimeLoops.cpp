//===- RunTimeLoops.cpp - loops that run at run time ----------------------===//
//
// The variables that the body assigns are carried: they enter the body as
// unknown values, and the value that an iteration leaves in one must fit the
// value that it started from. An iteration starts only if no exit was taken, so
// the variables of `exits` are not carried: they are results only.
//
//===----------------------------------------------------------------------===//

#include "Joins.h"

using namespace tdc;
using namespace tdc::sema;

namespace {
/// A variable that a loop carries.
struct Carried {
  std::string name;
  Binding *binding;
  Val before, start, after;
};

/// One loop while its body is walked.
class RunTimeLoop {
public:
  /// `runs`: it is known to have at least one iteration. `hasTail`: the code
  /// that follows the iterations belongs to the loop. `tooMany`: see
  /// ControlFlow::runTimeLoop.
  RunTimeLoop(Checker &c, const ast::Block &body, SourceRange range, bool runs,
              bool hasTail = false,
              std::optional<int64_t> tooMany = std::nullopt);

  /// The values of the carried variables before the loop.
  llvm::ArrayRef<Value> getInitial() const { return initial; }
  /// Enters the body, where the carried variables are `values`.
  void enter(llvm::ArrayRef<Value> values);
  /// Ends the body; returns the values of the carried variables there.
  llvm::SmallVector<Value> leaveBody();
  /// After leaveBody: whether this was the last iteration, if only the
  /// iteration can tell.
  Val isLast() const { return last; }
  /// Whether only `return` ends the iterations early.
  bool onlyReturns() const { return !canBe(breaks); }
  Value getLeaves() const {
    return canBe(last) ? c.host.materialize(last) : Value();
  }
  llvm::ArrayRef<Emitter::Outcome> getOutcomes() const { return outcomes; }
  /// Ends the loop; the carried variables are `results` after it.
  void finish(llvm::ArrayRef<Value> results);

private:
  static bool canBe(const Val &flag) { return !flag.known || flag.truth; }
  Val startOfIteration(const Carried &one, llvm::ArrayRef<Value> &values);
  bool fitsStart(const Carried &one, const Val &after);
  void addOutcome(Binding &exit);
  void addResult();
  void checkModels();

  Checker &c;
  SourceRange range;
  bool runs, hasTail;
  std::optional<int64_t> tooMany;
  std::vector<Carried> carried;
  /// Variables that exist only while compiling; the loop must not change them.
  std::vector<std::pair<Binding *, Val>> fixed;
  llvm::SmallVector<Value> initial;
  ModelStates states;
  size_t knownFacts = 0;
  /// Whether the iteration was left by `break`, and whether by any exit that
  /// ends the loop.
  Val breaks = makeBool(false), last = makeBool(false);
  /// The exits that the loop returns in addition to the carried variables, and
  /// their values with those of the function's result.
  llvm::SmallVector<Binding *, 2> flags;
  llvm::SmallVector<Emitter::Outcome> outcomes;
  SizeMark start;
};
} // namespace

RunTimeLoop::RunTimeLoop(Checker &c, const ast::Block &body, SourceRange range,
                         bool runs, bool hasTail,
                         std::optional<int64_t> tooMany)
    : c(c), range(range), runs(runs), hasTail(hasTail), tooMany(tooMany) {
  for (auto &entry : ControlFlow::assignedNames(&body)) {
    Binding *binding = c.scopes.lookup(entry.first());
    if (!binding || !binding->isVar || binding->val.isError() ||
        isExit(entry.first()))
      continue;
    if (hasLeaves(binding->val))
      carried.push_back(
          {entry.first().str(), binding, binding->val, Val(), Val()});
    else
      fixed.push_back({binding, binding->val});
  }
  llvm::sort(carried, [](const Carried &a, const Carried &b) {
    return a.name < b.name;
  });
  for (Carried &one : carried)
    appendLeaves(c, one.before, initial);
  states = saveModels(c);
}

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

Val RunTimeLoop::startOfIteration(const Carried &one,
                                  llvm::ArrayRef<Value> &values) {
  Val val = rebuild(c, one.before, one.before, values, one.name);
  if (val.is(ValKind::Tensor)) {
    auto open = openDims(*one.binding, typeOf(val).dims.size());
    TensorType type = typeOf(val);
    for (auto [i, isOpen] : llvm::enumerate(open))
      if (isOpen)
        type.dims[i] = c.host.sizes.add("?", c.emit().dim(val.value, i));
    SourceRange made = val.as<TensorInfo>().made;
    unsigned share = val.shareId;
    val = makeTensor(type, val.value, val.as<TensorInfo>().placed);
    val.as<TensorInfo>().made = made;
    val.shareId = share;
  }
  val.range = one.before.range;
  return val;
}

void RunTimeLoop::enter(llvm::ArrayRef<Value> values) {
  ++c.regionDepth;
  if (!runs)
    ++c.conditionDepth;
  c.models.forgetReads();
  knownFacts = c.host.sizes.mark();
  c.control.beginIteration();
  for (Carried &one : carried)
    one.binding->val = one.start = startOfIteration(one, values);
  c.sharing.beginLoop();
}

/// Whether the next iteration can start from the value that an iteration left;
/// reports if not.
bool RunTimeLoop::fitsStart(const Carried &one, const Val &after) {
  SourceRange place = after.range.isValid() ? after.range : range;
  Join join{place, Join::Loop};
  join.tooMany = tooMany;
  if (!canMeet(c, one.start, after, join, "`" + one.name + "`"))
    return false;
  if (!after.is(ValKind::Tensor))
    return true;
  auto open = openDims(*one.binding, typeOf(after).dims.size());
  ShapeAnswer answer;
  for (size_t i = 0; i != open.size(); ++i)
    if (!open[i] && typeOf(after).dims[i] != typeOf(one.start).dims[i])
      answer.facts.push_back(
          {typeOf(after).dims[i], typeOf(one.start).dims[i],
           "`" + one.name +
               "` changes its size in this loop; a `?` in its "
               "type would allow that"});
  if (!c.tensors.prove(answer))
    join.noteTooMany(c.error(DiagCode::TD401, place, answer.problem));
  return true;
}

/// Whether the same parameters of a model are frozen in both states.
static bool learnsAlike(const ModelState &a, const ModelState &b) {
  auto covers = [](const ModelState &a, const ModelState &b) {
    return llvm::all_of(a.ownLearning, [&](const auto &own) {
      return own.second.first == learningOf(b, own.first).first;
    });
  };
  return a.learning == b.learning && covers(a, b) && covers(b, a);
}

/// Reports a model that was used before the iteration moved it: it would be
/// elsewhere in the second iteration.
void RunTimeLoop::checkModels() {
  const LoopRecord &record = c.control.loops.back();
  llvm::DenseSet<uint32_t> reported;
  // A model is made after its parts, and the program names the model: so from
  // the last to the first.
  for (size_t i = states.models.size(); i-- != 0;) {
    const ModelInstance *model = c.models.all[i].get();
    auto placeUse = record.placeUses.find(model);
    const Place &start = states.models[i].place;
    // On one of the paths through the iteration the model may be elsewhere.
    const Place &last = model->otherwise && c.places.agree(model->place, start)
                            ? *model->otherwise
                            : model->place;
    if (placeUse != record.placeUses.end() && !c.places.agree(last, start) &&
        reported.insert(placeUse->second.begin).second)
      c.error(DiagCode::TD507, placeUse->second,
              "`" + model->name + "` changes device inside the loop")
          .label("@" + placeText(start) + " when the loop starts, @" +
                 placeText(last) + " after one iteration");
    auto modeUse = record.modeUses.find(model);
    if (modeUse != record.modeUses.end() &&
        model->mode != states.models[i].mode)
      c.unsupported(
          modeUse->second,
          "a model whose mode changes in a loop after it is called there (call "
          "`.train()` or `.eval()` first in the loop)");
    auto learningUse = record.learningUses.find(model);
    if (learningUse != record.learningUses.end() &&
        !learnsAlike(*model, states.models[i]) &&
        reported.insert(learningUse->second.begin).second)
      c.unsupported(learningUse->second,
                    "a model that is frozen in some iterations of a loop "
                    "(write a loop before `.freeze()` or `.unfreeze()` and one "
                    "after it)");
  }
}

/// Adds a variable of `exits` that `break` or `return` may have set.
void RunTimeLoop::addOutcome(Binding &exit) {
  if (!canBe(exit.val))
    return;
  flags.push_back(&exit);
  outcomes.push_back(
      {c.emit().constantBool(false), c.host.materialize(exit.val)});
}

/// Adds the returned value; it is undefined if the loop ended in another way.
void RunTimeLoop::addResult() {
  // There is none where the parser has refused a `return` outside of functions.
  Binding *returned = c.scopes.lookup(exits::kResult);
  if (!returned || returned->val.isError() || returned->val.is(ValKind::None))
    return;
  const Val &result = returned->val;
  if (!hasLeaves(result)) {
    c.error(DiagCode::TD214, result.range.isValid() ? result.range : range,
            "a loop that runs at run time cannot return " + describe(result))
        .label("exists only while compiling");
    return;
  }
  llvm::SmallVector<Value> leaves;
  appendLeaves(c, result, leaves);
  for (Value leaf : leaves)
    outcomes.push_back({Value(), leaf});
}

llvm::SmallVector<Value> RunTimeLoop::leaveBody() {
  c.at(range);
  Binding *broke = c.scopes.lookup(exits::kBreaks);
  Binding *returned = c.scopes.lookup(exits::kReturns);
  breaks = broke->val;
  last = c.control.isLoopOver();
  bool isDead = returned && returned->val.known && returned->val.truth;
  llvm::SmallVector<Value> next;
  for (Carried &one : carried) {
    Val &after = one.binding->val;
    if (isDead || !fitsStart(one, after))
      after = one.start;
    one.after = after = goesTo(c, after, one.start, {range, Join::Loop});
    appendLeaves(c, after, next);
  }
  for (auto &[binding, val] : fixed)
    if (!isSame(binding->val, val) && !binding->val.isError()) {
      Diagnostic &report = c.error(
          DiagCode::TD214, range,
          "a loop that runs at run time cannot change " + describe(val));
      if (val.is(ValKind::List))
        report.note(kInsteadOfList, binding->declared);
      Sharing::forget(binding->val); // that it changes is reported
    }
  if (hasTail)
    addOutcome(*broke);
  if (returned) {
    addOutcome(*returned);
    addResult();
  }
  c.control.joinLeft(*c.scopes.scope->parent);
  if (!c.control.isLeft)
    checkModels();
  c.control.endIteration();
  return next;
}

void RunTimeLoop::finish(llvm::ArrayRef<Value> results) {
  std::vector<std::pair<Val, Val>> pairs;
  pairs.reserve(carried.size());
  for (const Carried &one : carried)
    pairs.emplace_back(one.start, one.after);
  c.sharing.endLoop(pairs);
  c.host.sizes.forgetSince(knownFacts);
  --c.regionDepth;
  if (!runs)
    --c.conditionDepth;
  c.models.forgetReads();
  if (!runs) {
    bringModels(c, states, {range, Join::Loop});
    joinModels(c, states, {range, Join::Loop});
  }
  for (Carried &one : carried) {
    one.binding->val =
        c.isWalkedAside() ? rebuild(c, one.before, one.after, results, one.name)
                          : startOfIteration(one, results);
    c.sharing.joinLoop(runs ? one.after : one.before, one.after,
                       one.binding->val);
  }
  for (Binding *exit : flags) {
    // A loop that certainly runs and is certainly left.
    if (!runs || !exit->val.known)
      exit->val = makeRunTime(ValKind::Bool, results.front());
    results = results.drop_front();
  }
  if (!results.empty()) {
    Val &result = c.scopes.lookup(exits::kResult)->val;
    result = rebuildOutside(c, result, start, results, exits::kResult);
  }
}

llvm::StringRef ControlFlow::indexName(const ast::ForStmt &stmt) {
  return stmt.target->name.empty() ? "i" : stmt.target->name;
}

void ControlFlow::runTimeLoop(const ast::ForStmt &stmt, const Val &from,
                              const Val &to, const Val &step,
                              llvm::function_ref<void(Val)> body, bool hasTail,
                              std::optional<int64_t> tooMany) {
  settlePlaces(*stmt.body, [&] {
    body(c.host.runTimeInt(c.unknownValue(), indexName(stmt)));
  });
  auto first = c.host.constantInt(from), last = c.host.constantInt(to);
  RunTimeLoop loop(c, *stmt.body, stmt.range, first && last && *first < *last,
                   hasTail, tooMany);
  Emitter::Loop values =
      c.emit().beginFor(c.host.materialize(from), c.host.materialize(to),
                        c.host.materialize(step), loop.getInitial());
  loop.enter(values.carried);
  Val index = c.host.runTimeInt(values.index, indexName(stmt));
  c.sharing.nameIndex(index);
  body(std::move(index));
  llvm::SmallVector<Value> next = loop.leaveBody();
  loop.finish(c.emit().endFor(next, loop.getOutcomes(), loop.getLeaves()));
}

Flow ControlFlow::execWhile(const ast::WhileStmt &stmt) {
  std::optional<Val> truth = condition(*stmt.condition);
  c.at(stmt.range);
  c.scopes.pushScope();
  c.scopes.bind(exits::kBreaks, {}, makeBool(false), /*isVar=*/true);
  if (!truth) {
    // The body may hold further mistakes.
    beginIteration();
    execStatements(stmt.body->stmts);
    endIteration();
  } else if (truth->known && !truth->truth) {
    c.scopes.useNamesIn(stmt.body->range);
  } else {
    walkWhile(stmt, *truth);
  }
  joinLeft(*c.scopes.scope);
  c.scopes.popScope();
  return flowAfterLoop();
}

/// The condition is computed before the loop and, for the next iteration, at
/// the end of each iteration.
void ControlFlow::walkWhile(const ast::WhileStmt &stmt, const Val &first) {
  settlePlaces(*stmt.body, [&] { execStatements(stmt.body->stmts); });
  RunTimeLoop loop(c, *stmt.body, stmt.range, first.known);
  llvm::SmallVector<Value> values =
      c.emit().beginWhile(c.host.materialize(first), loop.getInitial());
  loop.enter(values);
  execStatements(stmt.body->stmts);
  llvm::SmallVector<Value> next = loop.leaveBody();
  std::optional<Val> truth;
  auto ask = [&] {
    truth = condition(*stmt.condition);
    return truth ? c.host.materialize(*truth) : c.emit().constantBool(false);
  };
  auto stop = [&] { return c.emit().constantBool(false); };
  const Val &last = loop.isLast();
  Value goesOn = !last.known  ? chooseBool(last.value, stop, ask)
                 : last.truth ? stop()
                              : ask();
  loop.finish(c.emit().endWhile(goesOn, next, loop.getOutcomes()));
  bool isEndless = first.known && truth && truth->known && truth->truth;
  if (Binding *returned = c.scopes.lookup(exits::kReturns);
      returned && isEndless && loop.onlyReturns() && !last.known)
    returned->val = makeBool(true);
}
