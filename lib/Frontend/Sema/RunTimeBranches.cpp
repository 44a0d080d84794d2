//===- RunTimeBranches.cpp - branches that run at run time ----------------===//
//
// Both sides are walked from the same start. The values that they leave in a
// variable must fit together, unless the variable is dead at the end of a side:
// a variable of a function that has returned there, or the result of a function
// that has none yet.
//
//===----------------------------------------------------------------------===//

#include "Joins.h"

using namespace tdc;
using namespace tdc::sema;

namespace {
/// One variable at a join.
struct Joined {
  std::string name;
  Binding *binding;
  Val before, then;
  llvm::SmallVector<Value, 2> thenLeaves;
  bool isDeadInThen = false;
  bool isDeadInElse = false;
  /// Another variable with the same values on both sides, which is joined:
  /// exits often have one.
  Joined *twin = nullptr;

  bool isResult() const { return name == exits::kResult; }
  /// The variable's name in reports.
  std::string getTitle() const {
    return isResult() ? "the result" : "`" + name + "`";
  }
};

/// One branch while its sides are walked.
class RunTimeBranch {
public:
  RunTimeBranch(Checker &c, const Val &condition, SourceRange range,
                const llvm::StringSet<> &assigned);
  /// Called between the sides.
  void enterElse();
  /// Drops the variables of the block around the branch: they end with it.
  void dropVariablesOf(const Scope &block);
  void finish();

private:
  bool isDead(const Joined &one) const;
  bool mustJoin(Joined &one);
  Join joinOf(const Joined &one) const;
  bool canJoin(Joined &one);
  bool sharesJoin(Joined &one, llvm::ArrayRef<Joined *> changed);
  void reportNoValue(const Joined &one);

  Checker &c;
  Val condition; ///< a copy: the walk may change its variable
  SourceRange range;
  std::vector<Joined> joined;
  ModelStates before, afterThen;
  size_t knownFacts;
  SizeMark start;
};
} // namespace

RunTimeBranch::RunTimeBranch(Checker &c, const Val &condition,
                             SourceRange range,
                             const llvm::StringSet<> &assigned)
    : c(c), condition(condition), range(range), before(saveModels(c)),
      knownFacts(c.host.sizes.mark()) {
  for (auto &entry : assigned)
    if (Binding *binding = c.scopes.lookup(entry.first()))
      if (binding->isVar)
        joined.push_back({entry.first().str(), binding, binding->val, {}, {}});
  llvm::sort(joined,
             [](const Joined &a, const Joined &b) { return a.name < b.name; });
  c.models.nameAllModels();
  c.emit().beginIf(c.host.materialize(condition));
  ++c.regionDepth;
  ++c.conditionDepth;
  c.models.forgetReads();
  c.sharing.beginBranch();
}

/// Whether the variable is dead at the end of the side that was walked.
bool RunTimeBranch::isDead(const Joined &one) const {
  if (one.isResult())
    return one.binding->val.isError();
  Binding *returned = c.scopes.lookup(exits::kReturns);
  return !isExit(one.name) && returned && returned->val.known &&
         returned->val.truth;
}

void RunTimeBranch::enterElse() {
  for (Joined &one : joined) {
    one.isDeadInThen = isDead(one);
    one.then = one.binding->val;
    // A known exit needs no value yet, and rarely needs one later.
    bool isKnown = isExit(one.name) && one.then.known;
    if (!one.isDeadInThen && !isKnown && hasLeaves(one.then))
      appendLeaves(c, one.then, one.thenLeaves);
  }
  for (Joined &one : joined)
    one.binding->val = one.before;
  afterThen = saveModels(c);
  restoreModels(c, before);
  c.host.sizes.forgetSince(knownFacts);
  c.models.forgetReads();
  c.emit().beginElse();
  c.sharing.beginElse();
}

void RunTimeBranch::dropVariablesOf(const Scope &block) {
  llvm::erase_if(joined, [&](const Joined &one) {
    auto found = block.names.find(one.name);
    return found != block.names.end() && &found->second == one.binding;
  });
}

/// Whether the two sides leave different values.
bool RunTimeBranch::mustJoin(Joined &one) {
  Val &other = one.binding->val;
  if (auto chosen = DataParallel::choose(condition, one.then, other)) {
    other = *chosen;
    return false;
  }
  one.isDeadInElse = isDead(one);
  // An exit that is the same on both sides needs no value.
  bool isConstant = other.known || c.host.constantInt(other);
  if (isExit(one.name) && isConstant && isSame(one.then, other))
    return false;
  if ((one.isDeadInThen || isSame(one.before, one.then)) &&
      (one.isDeadInElse || isSame(one.before, other))) {
    // A value that a side computed again is not known outside of it.
    other = one.before;
    return false;
  }
  if (one.isDeadInElse)
    other = one.then;
  return true;
}

/// Reports a value that exists only while compiling and differs between the
/// sides.
void RunTimeBranch::reportNoValue(const Joined &one) {
  const Val &other = one.binding->val;
  const Val &culprit = hasLeaves(other) ? one.then : other;
  if (other.isError() || (one.then.isError() && !one.isDeadInThen))
    return;
  Diagnostic &report =
      c.error(
           DiagCode::TD214,
           one.isResult() && culprit.range.isValid() ? culprit.range : range,
           one.getTitle() +
               (one.isResult() ? " cannot depend on" : " cannot change under") +
               " a condition that is known only at run time")
          .label("it is " + describe(culprit) +
                 ", which exists only while compiling");
  if (culprit.is(ValKind::List) && !one.isResult())
    report.note(kInsteadOfList);
}

Join RunTimeBranch::joinOf(const Joined &one) const {
  if (!one.isResult())
    return {range, Join::Branch, &condition};
  // For results, the later one is shown.
  SourceRange result = one.binding->val.range;
  return {result.isValid() ? result : range, Join::Result, &condition};
}

bool RunTimeBranch::canJoin(Joined &one) {
  const Val &other = one.binding->val;
  bool isDead = one.isDeadInThen || one.isDeadInElse;
  // A function without a value has nothing to join.
  if (other.is(ValKind::None) && (isDead || one.then.is(ValKind::None)))
    return false;
  auto isJoinable = [](const Val &val) {
    return hasLeaves(val) || val.is(ValKind::None);
  };
  if (!isJoinable(other) || (!isDead && !isJoinable(one.then))) {
    reportNoValue(one);
    return false;
  }
  if (isDead)
    return true;
  if (canMeet(c, one.then, other, joinOf(one), one.getTitle()))
    return true;
  one.binding->val = Val();
  return false;
}

bool RunTimeBranch::sharesJoin(Joined &one, llvm::ArrayRef<Joined *> changed) {
  for (Joined *other : changed)
    if (isExit(one.name) && isExit(other->name) &&
        isSame(one.then, other->then) &&
        isSame(one.binding->val, other->binding->val))
      one.twin = other;
  return one.twin;
}

void RunTimeBranch::finish() {
  llvm::SmallVector<Value> thenValues, elseValues;
  std::vector<Joined *> changed;
  for (Joined &one : joined) {
    if (!mustJoin(one) || !canJoin(one) || sharesJoin(one, changed))
      continue;
    Val &other = one.binding->val;
    llvm::SmallVector<Value, 2> elseLeaves;
    if (!one.isDeadInThen) {
      if (one.thenLeaves.empty())
        appendLeaves(c, one.then, one.thenLeaves);
      other = goesTo(c, other, one.then, joinOf(one));
    }
    if (!one.isDeadInElse)
      appendLeaves(c, other, elseLeaves);
    size_t count = std::max(one.thenLeaves.size(), elseLeaves.size());
    one.thenLeaves.resize(count);
    elseLeaves.resize(count);
    thenValues.append(one.thenLeaves);
    elseValues.append(elseLeaves);
    changed.push_back(&one);
  }
  Join join{range, Join::Branch, &condition};
  llvm::SmallVector<Value> results =
      endBranch(c, afterThen, join, thenValues, elseValues, knownFacts);
  llvm::ArrayRef<Value> rest(results);
  for (Joined *one : changed) {
    Val &other = one->binding->val;
    if (one->isDeadInThen || one->isDeadInElse)
      other = rebuildOutside(c, other, start, rest, one->name);
    else
      other = rebuild(c, one->then, other, rest, one->name);
  }
  for (Joined &one : joined)
    if (one.twin)
      one.binding->val = one.twin->binding->val;
}

Flow ControlFlow::branch(const Val &condition, SourceRange range,
                         const llvm::StringSet<> &assigned,
                         llvm::function_ref<Flow()> thenSide,
                         llvm::function_ref<Flow()> elseSide, Rest *rest) {
  RunTimeBranch branch(c, condition, range, assigned);
  Flow thenFlow = thenSide();
  branch.enterElse();
  Flow elseFlow = elseSide();
  if (thenFlow != elseFlow && c.isPrelude(range.file)) {
    // Conditions of the prelude begin with the parameter that they are about.
    Val decided;
    decided.range = range;
    llvm::StringRef name = c.text(range).split(' ').first;
    c.host.reportNotKnown(decided,
                          ("`" + name + "` of " + c.userFunction("")).str());
  } else if (rest && thenFlow == Flow::Left && elseFlow != Flow::Left) {
    elseFlow = goOn(elseFlow, *rest, range);
    rest->isWalked = true;
    branch.dropVariablesOf(*c.scopes.scope);
  }
  branch.finish();
  return thenFlow == elseFlow ? thenFlow : Flow::Perhaps;
}

void ControlFlow::choose(const Val &condition,
                         llvm::function_ref<void()> thenSide,
                         llvm::function_ref<void()> elseSide) {
  if (condition.known)
    return condition.truth ? thenSide() : elseSide();
  auto walk = [](llvm::function_ref<void()> side) {
    return [side] {
      side();
      return llvm::SmallVector<Value>();
    };
  };
  walkSides(c.host.materialize(condition), walk(thenSide), walk(elseSide));
}
