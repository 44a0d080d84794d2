//===- Exits.cpp - break, continue, return --------------------------------===//
//
// `break`, `continue` and `return` set variables (`exits`) and end the walk of
// their block. Under a known condition, that is all. Under an unknown one, the
// statements that follow the condition in the block run only if no exit was
// taken: they are walked within a branch. So code stays structured, and code
// without exits is emitted as if the language had none.
//
//===----------------------------------------------------------------------===//

#include "Joins.h"

using namespace tdc;
using namespace tdc::sema;

bool sema::isExit(llvm::StringRef name) {
  return name == exits::kSkips || name == exits::kBreaks ||
         name == exits::kReturns || name == exits::kResult;
}

static void set(Checker &c, llvm::StringRef exit, Val val) {
  if (Binding *binding = c.scopes.lookup(exit))
    binding->val = std::move(val);
}

void ControlFlow::recordLeft(llvm::StringRef exit) {
  const Scope *target = c.scopes.scope;
  while (!target->names.count(exit))
    target = target->parent;
  leftModels.emplace_back(target, saveModels(c));
  isLeft = true;
}

void ControlFlow::joinLeft(const Scope &target) {
  for (auto &[end, states] : leftModels)
    if (end == &target) {
      bringModels(c, states, {c.here, Join::Loop});
      joinModels(c, states, {c.here, Join::Loop});
    }
  llvm::erase_if(leftModels,
                 [&](const auto &one) { return one.first == &target; });
}

Flow ControlFlow::execBreak(const ast::Stmt &stmt) {
  if (!c.scopes.lookup(exits::kBreaks)) {
    c.error(DiagCode::TD221, stmt.range, "`break` outside of a loop");
    return Flow::Next;
  }
  recordLeft(exits::kBreaks);
  set(c, exits::kBreaks, makeBool(true));
  set(c, exits::kSkips, makeBool(true));
  return Flow::Left;
}

Flow ControlFlow::execContinue(const ast::Stmt &stmt) {
  if (!c.scopes.lookup(exits::kSkips)) {
    c.error(DiagCode::TD221, stmt.range, "`continue` outside of a loop");
    return Flow::Next;
  }
  recordLeft(exits::kSkips);
  set(c, exits::kSkips, makeBool(true));
  return Flow::Left;
}

Flow ControlFlow::execReturn(const ast::ReturnStmt &stmt) {
  // Outside, or among the members of a model.
  if (c.frames.empty() || !c.frames.back().fn) {
    c.error(DiagCode::TD221, stmt.range, "`return` outside of a function");
    return Flow::Next;
  }
  Val val = makeVal(ValKind::None);
  if (stmt.value) {
    const ast::FnDecl *fn = c.frames.back().fn;
    val = c.eval(*stmt.value, fn ? fn->result : nullptr);
    if (llvm::isa<ast::TupleExpr>(stmt.value))
      val = c.models.readAll(val, stmt.range);
    // The sizes that the type names first are those of this result.
    Restore<std::optional<Dims>> savedRest(c.frames.back().rest);
    c.scopes.pushScope();
    if (fn && fn->result && !val.isError() &&
        !c.types.matchType(*fn->result, val, stmt.value->range, "the result",
                           DiagCode::TD407))
      val = c.fail();
    c.scopes.popScope();
    if (fn && fn->result && c.regionDepth != c.frames.back().regionDepth)
      val = c.types.loosen(val, *fn->result);
  }
  return leaveFunction(std::move(val));
}

Flow ControlFlow::leaveFunction(Val result) {
  // The members of a model have no paths that join after them.
  if (c.frames.back().fn && c.regionDepth != c.frames.back().regionDepth)
    recordLeft(exits::kReturns);
  set(c, exits::kResult, std::move(result));
  set(c, exits::kReturns, makeBool(true));
  set(c, exits::kSkips, makeBool(true));
  return Flow::Left;
}

//===----------------------------------------------------------------------===//
// Statements after one that may leave
//===----------------------------------------------------------------------===//

static bool isEmpty(const Rest &rest) {
  return rest.stmts.empty() && (!rest.around || isEmpty(*rest.around));
}

Flow ControlFlow::execStatements(llvm::ArrayRef<const ast::Stmt *> stmts,
                                 Rest *around) {
  if (!stmts.empty() && !c.isPrelude(stmts[0]->range.file))
    c.lints.checkOrder(stmts);
  for (auto [i, stmt] : llvm::enumerate(stmts)) {
    Rest rest{stmts.drop_front(i + 1), around, {}};
    bool isOwn = !c.isPrelude(stmt->range.file);
    if (isOwn)
      preludeFailed = false;
    Flow flow = c.exec(*stmt, rest);
    if (preludeFailed && !isOwn && flow == Flow::Next)
      return leaveFunction(c.fail());
    if (rest.isWalked)
      return flow;
    if (flow != Flow::Next)
      return goOn(flow, rest, stmt->range);
  }
  return around ? execRest(*around) : Flow::Next;
}

Flow ControlFlow::execRest(Rest &rest) {
  rest.isWalked = true;
  if (rest.before)
    rest.before();
  return execStatements(rest.stmts, rest.around);
}

Flow ControlFlow::goOn(Flow flow, Rest &rest, SourceRange range) {
  if (flow == Flow::Next)
    return execRest(rest);
  if (flow == Flow::Left)
    for (const ast::Stmt *stmt : rest.stmts)
      c.scopes.useNamesIn(stmt->range);
  if (flow == Flow::Left || isEmpty(rest))
    return flow;
  Binding *left = c.scopes.lookup(exits::kSkips);
  if (!left)
    left = c.scopes.lookup(exits::kReturns);
  llvm::StringSet<> assigned;
  addAssignedNames(rest, assigned);
  // No code follows the end of the block: its own variables are not joined.
  Scope *block = c.scopes.scope;
  for (auto &entry : block->names)
    assigned.erase(entry.first());
  flow = unless(left->val, range, assigned, [&] { return execRest(rest); });
  if (flow == Flow::Left)
    left->val = makeBool(true);
  return flow;
}

Flow ControlFlow::unless(const Val &left, SourceRange range,
                         const llvm::StringSet<> &assigned,
                         llvm::function_ref<Flow()> walk) {
  if (left.known)
    return left.truth ? Flow::Left : walk();
  auto notLeft = [&] {
    // In this branch the exits are known to be false. After the join they have
    // their values from before, except those that this branch sets.
    const std::pair<llvm::StringRef, Val> here[] = {
        {exits::kSkips, makeBool(false)},
        {exits::kBreaks, makeBool(false)},
        {exits::kReturns, makeBool(false)},
        {exits::kResult, Val()}};
    Val before[std::size(here)];
    for (auto [one, saved] : llvm::zip(here, before))
      if (Binding *exit = c.scopes.lookup(one.first)) {
        saved = exit->val;
        exit->val = one.second;
      }
    Flow flow = walk();
    for (auto [one, saved] : llvm::zip(here, before))
      if (Binding *exit = c.scopes.lookup(one.first);
          exit && isSame(exit->val, one.second))
        exit->val = saved;
    return flow;
  };
  auto wasLeft = [&] {
    isLeft = true;
    return Flow::Left;
  };
  return branch(left, range, assigned, wasLeft, notLeft);
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

void ControlFlow::beginIteration() {
  c.scopes.pushScope();
  c.scopes.bind(exits::kSkips, {}, makeBool(false), /*isVar=*/true);
  c.scopes.pushScope();
  loops.emplace_back();
  loops.back().scope = c.scopes.scope;
  loops.back().iteration = ++iterations;
  loops.back().conditionDepth = c.conditionDepth;
}

llvm::MutableArrayRef<LoopRecord> ControlFlow::loopsSince(unsigned iteration) {
  auto first = llvm::partition_point(loops, [&](const LoopRecord &loop) {
    return loop.iteration <= iteration;
  });
  return llvm::MutableArrayRef(loops).drop_front(first - loops.begin());
}

bool ControlFlow::isAlwaysReached() const {
  return c.conditionDepth == (loops.empty() ? 0 : loops.back().conditionDepth);
}

void ControlFlow::endIteration() {
  joinLeft(*c.scopes.scope->parent);
  endLoop();
  c.scopes.popScope();
  c.scopes.popScope();
}

void ControlFlow::tryIteration(llvm::function_ref<void()> iteration,
                               llvm::function_ref<void()> atEnd) {
  Restore<unsigned> savedErrors(c.errorCount);
  c.calls.walkAside([&] {
    c.mute();
    ++c.regionDepth;
    ++c.conditionDepth;
    beginIteration();
    iteration();
    joinLeft(*c.scopes.scope->parent);
    atEnd();
    endIteration();
  });
}

Val ControlFlow::isLoopOver() {
  const Val &breaks = c.scopes.lookup(exits::kBreaks)->val;
  Binding *returned = c.scopes.lookup(exits::kReturns);
  if (!returned)
    return breaks;
  const Val &returns = returned->val;
  if (breaks.known)
    return breaks.truth ? breaks : returns;
  if (returns.known)
    return returns.truth ? returns : breaks;
  return makeRunTime(ValKind::Bool,
                     c.emit().host(HostOp::Or, {breaks.value, returns.value}));
}

Flow ControlFlow::flowAfterLoop() {
  Binding *returned = c.scopes.lookup(exits::kReturns);
  if (!returned || (returned->val.known && !returned->val.truth))
    return Flow::Next;
  set(c, exits::kSkips, returned->val);
  return returned->val.known ? Flow::Left : Flow::Perhaps;
}
