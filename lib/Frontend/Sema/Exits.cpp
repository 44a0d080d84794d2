//===- Exits.cpp - break, continue, return --------------------------------===//
//
// A statement that leaves sets variables (`exits`) and ends the walk of its
// block. Under a condition that is known, that is all. Under another one, what
// is behind the condition in the block runs only where nothing was left: it is
// walked within a branch. So code stays structured, and what a program does not
// leave comes out as if there were no way to.
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
  if (Binding *binding = c.lookup(exit))
    binding->val = std::move(val);
}

void Checker::recordLeft(llvm::StringRef exit) {
  const Scope *target = scope;
  while (!target->names.count(exit))
    target = target->parent;
  leftModels.emplace_back(target, saveModels(*this));
  isLeft = true;
}

void Checker::joinLeft(const Scope &target) {
  for (auto &[end, states] : leftModels)
    if (end == &target) {
      bringModels(*this, states, {here, Join::Loop});
      joinModels(*this, states, {here, Join::Loop});
    }
  llvm::erase_if(leftModels,
                 [&](const auto &one) { return one.first == &target; });
}

Flow Checker::execBreak(const ast::Stmt &stmt) {
  if (!lookup(exits::kBreaks)) {
    error(DiagCode::TD221, stmt.range, "`break` outside of a loop");
    return Flow::Next;
  }
  recordLeft(exits::kBreaks);
  set(*this, exits::kBreaks, makeBool(true));
  set(*this, exits::kSkips, makeBool(true));
  return Flow::Left;
}

Flow Checker::execContinue(const ast::Stmt &stmt) {
  if (!lookup(exits::kSkips)) {
    error(DiagCode::TD221, stmt.range, "`continue` outside of a loop");
    return Flow::Next;
  }
  recordLeft(exits::kSkips);
  set(*this, exits::kSkips, makeBool(true));
  return Flow::Left;
}

Flow Checker::execReturn(const ast::ReturnStmt &stmt) {
  if (frames.empty()) {
    error(DiagCode::TD221, stmt.range, "`return` outside of a function");
    return Flow::Next;
  }
  Val val = makeVal(ValKind::None);
  if (stmt.value) {
    const ast::FnDecl *fn = frames.back().fn;
    val = eval(*stmt.value, fn ? fn->result : nullptr);
    // The sizes that the type names first are those of this result.
    Restore<std::optional<Dims>> savedRest(frames.back().rest);
    pushScope();
    if (fn && fn->result && !val.isError() &&
        !matchType(*fn->result, val, stmt.value->range, "the result",
                   DiagCode::TD407))
      val = fail();
    popScope();
    if (fn && fn->result && regionDepth != frames.back().regionDepth)
      val = loosen(val, *fn->result);
  }
  return leaveFunction(std::move(val));
}

Flow Checker::leaveFunction(Val result) {
  if (regionDepth != frames.back().regionDepth)
    recordLeft(exits::kReturns);
  set(*this, exits::kResult, std::move(result));
  set(*this, exits::kReturns, makeBool(true));
  set(*this, exits::kSkips, makeBool(true));
  return Flow::Left;
}

//===----------------------------------------------------------------------===//
// What is behind a statement
//===----------------------------------------------------------------------===//

static bool isEmpty(const Rest &rest) {
  return rest.stmts.empty() && (!rest.around || isEmpty(*rest.around));
}

Flow Checker::execStatements(llvm::ArrayRef<const ast::Stmt *> stmts,
                             Rest *around) {
  for (auto [i, stmt] : llvm::enumerate(stmts)) {
    Rest rest{stmts.drop_front(i + 1), around, {}};
    Flow flow = exec(*stmt, rest);
    if (rest.isWalked)
      return flow;
    if (flow != Flow::Next)
      return goOn(flow, rest, stmt->range);
  }
  return around ? execRest(*around) : Flow::Next;
}

Flow Checker::execRest(Rest &rest) {
  rest.isWalked = true;
  if (rest.before)
    rest.before();
  return execStatements(rest.stmts, rest.around);
}

Flow Checker::goOn(Flow flow, Rest &rest, SourceRange range) {
  if (flow == Flow::Next)
    return execRest(rest);
  if (flow == Flow::Left)
    for (const ast::Stmt *stmt : rest.stmts)
      useNamesIn(stmt->range);
  if (flow == Flow::Left || isEmpty(rest))
    return flow;
  Binding *left = lookup(exits::kSkips);
  if (!left)
    left = lookup(exits::kReturns);
  llvm::StringSet<> assigned;
  addAssignedNames(rest, assigned);
  // Nothing is behind the end of the block: what it declares is not joined.
  Scope *block = scope;
  for (auto &entry : block->names)
    assigned.erase(entry.first());
  flow = unless(left->val, range, assigned, [&] { return execRest(rest); });
  if (flow == Flow::Left)
    left->val = makeBool(true);
  return flow;
}

Flow Checker::unless(const Val &left, SourceRange range,
                     const llvm::StringSet<> &assigned,
                     llvm::function_ref<Flow()> walk) {
  if (left.known)
    return left.truth ? Flow::Left : walk();
  auto notLeft = [&] {
    // Here they are known. What holds behind the join is what held before,
    // unless it is left now.
    const std::pair<llvm::StringRef, Val> here[] = {
        {exits::kSkips, makeBool(false)},
        {exits::kBreaks, makeBool(false)},
        {exits::kReturns, makeBool(false)},
        {exits::kResult, Val()}};
    Val before[std::size(here)];
    for (auto [one, saved] : llvm::zip(here, before))
      if (Binding *exit = lookup(one.first)) {
        saved = exit->val;
        exit->val = one.second;
      }
    Flow flow = walk();
    for (auto [one, saved] : llvm::zip(here, before))
      if (Binding *exit = lookup(one.first);
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

void Checker::beginTurn() {
  pushScope();
  bind(exits::kSkips, {}, makeBool(false), /*isVar=*/true);
  pushScope();
  loops.emplace_back();
  loops.back().scope = scope;
  loops.back().turn = ++turns;
}

llvm::MutableArrayRef<Checker::LoopRecord> Checker::loopsSince(unsigned turn) {
  auto first = llvm::partition_point(
      loops, [&](const LoopRecord &loop) { return loop.turn <= turn; });
  return llvm::MutableArrayRef(loops).drop_front(first - loops.begin());
}

void Checker::endTurn() {
  joinLeft(*scope->parent);
  endLoop();
  popScope();
  popScope();
}

Val Checker::isLoopOver() {
  const Val &breaks = lookup(exits::kBreaks)->val;
  Binding *returned = lookup(exits::kReturns);
  if (!returned)
    return breaks;
  const Val &returns = returned->val;
  if (breaks.known)
    return breaks.truth ? breaks : returns;
  if (returns.known)
    return returns.truth ? returns : breaks;
  return makeRunTime(ValKind::Bool,
                     emit().host(HostOp::Or, {breaks.value, returns.value}));
}

Flow Checker::flowBehindLoop() {
  Binding *returned = lookup(exits::kReturns);
  if (!returned || (returned->val.known && !returned->val.truth))
    return Flow::Next;
  set(*this, exits::kSkips, returned->val);
  return returned->val.known ? Flow::Left : Flow::Perhaps;
}
