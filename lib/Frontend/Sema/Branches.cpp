//===- Branches.cpp - if, conditional expressions, and, or ----------------===//
//
// A condition that is known decides which side is walked at all. Otherwise both
// sides are emitted, and what they assigned is joined.
//
//===----------------------------------------------------------------------===//

#include "Joins.h"

using namespace tdc;
using namespace tdc::sema;

/// `&`, `|` and `~` do for each element what `and`, `or` and `not` do for one.
static void offerElementwise(Checker &c, Diagnostic &report,
                             const ast::Expr &logical) {
  std::string code;
  if (auto *both = llvm::dyn_cast<ast::BinaryExpr>(&logical))
    code = c.asOperand(both->lhs->range) +
           (both->op == ast::BinaryOp::And ? " & " : " | ") +
           c.asOperand(both->rhs->range);
  else
    code =
        "~" + c.asOperand(llvm::cast<ast::UnaryExpr>(logical).operand->range);
  report.fix(FixIt::Choice, "`" + code + "`", {{logical.range, code}});
}

std::optional<Val> Checker::condition(const ast::Expr &expr,
                                      const ast::Expr *logical) {
  Val val = eval(expr);
  if (val.isError())
    return std::nullopt;
  if (val.is(ValKind::Bool))
    return val;
  if (val.is(ValKind::Tensor)) {
    Diagnostic &report = error(DiagCode::TD302, expr.range,
                               "a tensor on a device is not a host condition");
    report.label(typeText(typeOf(val)));
    const TensorType &type = typeOf(val);
    if (constantOf(numElements(type.dims)).value_or(1) == 1) {
      report.note("reading it waits for the device; say so with `.item()`");
      offerSuffix(report, expr.range, ".item()");
      return std::nullopt;
    }
    report.note("it has an answer for each element");
    if (logical && type.dtype == DType::Bool && !isPrelude(expr.range.file))
      offerElementwise(*this, report, *logical);
    offerSuffix(report, expr.range, ".all().item()");
    offerSuffix(report, expr.range, ".any().item()");
    return std::nullopt;
  }
  Diagnostic &report = error(DiagCode::TD303, expr.range,
                             "a condition is a bool, not " + describe(val));
  if (val.is(ValKind::Int) || val.is(ValKind::Float))
    report.fix(FixIt::Choice, "`" + text(userRange(expr.range)) + " != 0`",
               {{userRange(expr.range).finish(), " != 0"}});
  return std::nullopt;
}

/// Names that are assigned in a block, at any depth.
static void collectTargets(const ast::Expr &target, llvm::StringSet<> &names) {
  if (auto *name = llvm::dyn_cast<ast::NameExpr>(&target))
    names.insert(name->name);
  else if (auto *part = llvm::dyn_cast<ast::SubscriptExpr>(&target))
    collectTargets(*part->base, names);
  else if (auto *tuple = llvm::dyn_cast<ast::TupleExpr>(&target))
    for (const ast::Expr *element : tuple->elements)
      collectTargets(*element, names);
}

static void collectAssigned(const ast::Block *block, llvm::StringSet<> &names) {
  if (!block)
    return;
  for (const ast::Stmt *stmt : block->stmts) {
    if (auto *assign = llvm::dyn_cast<ast::AssignStmt>(stmt)) {
      collectTargets(*assign->target, names);
    } else if (auto *branch = llvm::dyn_cast<ast::IfStmt>(stmt)) {
      collectAssigned(branch->thenBlock, names);
      collectAssigned(branch->elseBlock, names);
    } else if (auto *loop = llvm::dyn_cast<ast::ForStmt>(stmt)) {
      collectAssigned(loop->body, names);
    } else if (auto *loop = llvm::dyn_cast<ast::WhileStmt>(stmt)) {
      collectAssigned(loop->body, names);
    } else if (auto *with = llvm::dyn_cast<ast::WithStmt>(stmt)) {
      collectAssigned(with->body, names);
    }
  }
}

llvm::StringSet<> Checker::assignedNames(const ast::Block *block,
                                         const ast::Block *other) {
  llvm::StringSet<> names;
  collectAssigned(block, names);
  collectAssigned(other, names);
  return names;
}

Flow Checker::execIf(const ast::IfStmt &stmt) {
  std::optional<Val> truth = condition(*stmt.condition);
  auto side = [&](const ast::Block *block) {
    return block ? execBlock(*block) : Flow::Next;
  };
  if (!truth) {
    // Both sides may hold further mistakes; what they assign is not known.
    ++conditionDepth;
    side(stmt.thenBlock);
    side(stmt.elseBlock);
    --conditionDepth;
    return Flow::Next;
  }
  if (truth->known)
    return side(truth->truth ? stmt.thenBlock : stmt.elseBlock);
  at(stmt.range);
  return branch(
      *truth, stmt.condition->range,
      assignedNames(stmt.thenBlock, stmt.elseBlock),
      [&] { return side(stmt.thenBlock); },
      [&] { return side(stmt.elseBlock); });
}

namespace {
/// One variable at a join.
struct Joined {
  std::string name;
  Binding *binding;
  Val before, then;
  llvm::SmallVector<Value, 2> thenLeaves;
};
} // namespace

Flow Checker::branch(const Val &condition, SourceRange range,
                     const llvm::StringSet<> &assigned,
                     llvm::function_ref<Flow()> thenSide,
                     llvm::function_ref<Flow()> elseSide) {
  std::vector<Joined> joined;
  for (auto &entry : assigned)
    if (Binding *binding = lookup(entry.first()))
      if (binding->isVar)
        joined.push_back(
            {entry.first().str(), binding, binding->val, Val(), {}});
  llvm::sort(joined,
             [](const Joined &a, const Joined &b) { return a.name < b.name; });
  std::vector<ModelState> before = saveModels(*this);
  size_t known = facts.size();
  bool inFunction = !frames.empty();
  Val thenResult;

  Join join{range, &condition};
  nameAllModels();
  emit().beginIf(condition.value);
  ++regionDepth;
  ++conditionDepth;
  forgetReads();
  Flow thenFlow = thenSide();
  llvm::SmallVector<Value, 2> resultLeaves;
  for (Joined &one : joined) {
    one.then = one.binding->val;
    if (hasLeaves(one.then))
      appendLeaves(*this, one.then, one.thenLeaves);
    one.binding->val = one.before;
  }
  if (thenFlow == Flow::Return && inFunction) {
    thenResult = frames.back().result;
    if (hasLeaves(thenResult))
      appendLeaves(*this, thenResult, resultLeaves);
  }
  std::vector<ModelState> afterThen = saveModels(*this);
  restoreModels(*this, before);
  facts.resize(known);
  forgetReads();

  emit().beginElse();
  Flow elseFlow = elseSide();
  llvm::SmallVector<Value> thenValues, elseValues;
  std::vector<Joined *> changed;
  for (Joined &one : joined) {
    const Val &other = one.binding->val;
    if (isSame(one.then, other) && isSame(one.before, other))
      continue;
    if (!hasLeaves(one.then) || !hasLeaves(other)) {
      if (one.then.isError() || other.isError())
        continue;
      Diagnostic &report =
          error(DiagCode::TD214, range,
                "`" + one.name +
                    "` cannot change under a condition that is "
                    "known only at run time")
              .label("it is " + describe(other) +
                     ", which exists only while compiling");
      if (other.is(ValKind::List))
        report.note(kInsteadOfList);
      continue;
    }
    if (!canMeet(*this, one.then, other, join, "`" + one.name + "`")) {
      one.binding->val = Val();
      continue;
    }
    one.binding->val = goesTo(*this, one.binding->val, one.then, join);
    thenValues.append(one.thenLeaves);
    appendLeaves(*this, one.binding->val, elseValues);
    changed.push_back(&one);
  }
  bool returns = thenFlow == Flow::Return && elseFlow == Flow::Return;
  bool joinResult = false;
  if (returns && inFunction && !isSame(thenResult, frames.back().result)) {
    joinResult =
        hasLeaves(thenResult) && hasLeaves(frames.back().result) &&
        canMeet(*this, thenResult, frames.back().result, join, "the result");
    if (joinResult) {
      frames.back().result =
          goesTo(*this, frames.back().result, thenResult, join);
      thenValues.append(resultLeaves);
      appendLeaves(*this, frames.back().result, elseValues);
    }
  } else if (thenFlow != elseFlow && isPrelude(range.file)) {
    Val decided;
    decided.range = range;
    // Conditions of the prelude begin with the parameter that they are about.
    llvm::StringRef name = text(range).split(' ').first;
    reportNotKnown(decided, ("`" + name + "` of " + userFunction("")).str());
  } else if (thenFlow != elseFlow) {
    unsupported(range, "leaving a function or loop under a condition that is "
                       "known only at run time");
  }
  bringModels(*this, afterThen, join);
  llvm::SmallVector<Value> results = emit().endIf(thenValues, elseValues);
  --regionDepth;
  --conditionDepth;
  facts.resize(known);
  forgetReads();
  joinModels(*this, afterThen);
  llvm::ArrayRef<Value> rest(results);
  for (Joined *one : changed) {
    Val result = rebuild(*this, one->then, one->binding->val, rest, one->name);
    one->binding->val = result;
  }
  if (joinResult)
    frames.back().result =
        rebuild(*this, thenResult, frames.back().result, rest, "result");
  return returns ? Flow::Return : Flow::Next;
}

bool Checker::wouldBeFloat(const ast::Expr &side,
                           const ast::TypeExpr *expected) {
  if (side.kind == ast::ExprKind::Int)
    return false;
  Restore<unsigned> savedErrors(errorCount);
  bool result = false;
  walkAside([&] {
    // As where the program chooses: what is wrong may never run.
    diags = scratch;
    ++regionDepth;
    ++conditionDepth;
    result = eval(side, expected).is(ValKind::Float);
  });
  return result;
}

Val Checker::evalConditional(const ast::ConditionalExpr &expr,
                             const ast::TypeExpr *expected) {
  std::optional<Val> truth = condition(*expr.condition);
  if (!truth)
    return fail();
  if (truth->known) {
    bool isThen = truth->truth;
    Val val = eval(isThen ? *expr.thenValue : *expr.elseValue, expected);
    // The choice has one type, whoever makes it.
    if (val.is(ValKind::Int) &&
        wouldBeFloat(isThen ? *expr.elseValue : *expr.thenValue, expected))
      val = toFloat(val);
    return val;
  }
  // Devices are chosen when the program starts: a place with two possible
  // values, and no code.
  auto isDevice = [&](const ast::Expr &side) {
    if (auto *name = llvm::dyn_cast<ast::NameExpr>(&side)) {
      if (Binding *binding = lookup(name->name))
        return binding->val.is(ValKind::Device);
      return name->name == "cpu" || name->name == "cuda" ||
             name->name == "auto" || name->name == "here";
    }
    return side.kind == ast::ExprKind::Device;
  };
  if (isDevice(*expr.thenValue) && isDevice(*expr.elseValue)) {
    ++conditionDepth;
    Val onTrue = eval(*expr.thenValue), onFalse = eval(*expr.elseValue);
    --conditionDepth;
    if (onTrue.isError() || onFalse.isError())
      return fail();
    return chooseDevice(*truth, onTrue, onFalse, expr.range);
  }
  at(expr.range);
  Val onTrue, onFalse;
  llvm::SmallVector<Value> thenLeaves, elseLeaves;
  std::vector<ModelState> before = saveModels(*this);
  size_t known = facts.size();
  emit().beginIf(truth->value);
  ++regionDepth;
  ++conditionDepth;
  forgetReads();
  onTrue = eval(*expr.thenValue, expected);
  if (hasLeaves(onTrue))
    appendLeaves(*this, onTrue, thenLeaves);
  // Whether the other side makes a float of an int shows when this is over.
  Val asFloat;
  if (onTrue.is(ValKind::Int) && expr.elseValue->kind != ast::ExprKind::Int)
    asFloat = makeRunTime(ValKind::Float, materialize(toFloat(onTrue)));
  emit().beginElse();
  facts.resize(known);
  forgetReads();
  onFalse = eval(*expr.elseValue, expected);
  if (onTrue.is(ValKind::Float) && onFalse.is(ValKind::Int)) {
    onFalse = toFloat(onFalse);
  } else if (onTrue.is(ValKind::Int) && onFalse.is(ValKind::Float)) {
    onTrue = asFloat;
    thenLeaves = {asFloat.value};
  }
  Join join{expr.range, &*truth};
  bool good = canMeet(*this, onTrue, onFalse, join, "the value");
  if (good)
    onFalse = goesTo(*this, onFalse, onTrue, join);
  if (hasLeaves(onFalse))
    appendLeaves(*this, onFalse, elseLeaves);
  if (good && !hasLeaves(onTrue)) {
    error(DiagCode::TD214, expr.condition->range,
          "the choice must be known when the program is compiled")
        .label("it chooses " + describe(onTrue));
    good = false;
  }
  if (!good) {
    thenLeaves.clear();
    elseLeaves.clear();
  }
  llvm::SmallVector<Value> results = emit().endIf(thenLeaves, elseLeaves);
  --regionDepth;
  --conditionDepth;
  facts.resize(known);
  forgetReads();
  restoreModels(*this, before);
  if (!good)
    return fail();
  llvm::ArrayRef<Value> rest(results);
  return rebuild(*this, onTrue, onFalse, rest, "value");
}

/// `lhs and rhs`, or `lhs or rhs`, which is computed as `value`.
static Val ofBoth(bool isAnd, const Val &lhs, const Val &rhs, Value value) {
  Val val = makeRunTime(ValKind::Bool, value);
  auto truthOf = [](const Val &side) {
    return side.known ? side.truth : side.onThisMachine;
  };
  std::optional<bool> a = truthOf(lhs), b = truthOf(rhs);
  // One side may decide it alone.
  if (a == !isAnd || b == !isAnd)
    val.onThisMachine = !isAnd;
  else if (a && b)
    val.onThisMachine = isAnd;
  return val;
}

/// Evaluating it cannot stop the program or take long.
static bool isHarmless(const ast::Expr &expr) {
  using namespace ast;
  if (auto *compare = llvm::dyn_cast<CompareExpr>(&expr))
    return isHarmless(*compare->lhs) && isHarmless(*compare->rhs);
  if (auto *unary = llvm::dyn_cast<UnaryExpr>(&expr))
    return isHarmless(*unary->operand);
  if (auto *binary = llvm::dyn_cast<BinaryExpr>(&expr))
    return binary->op != BinaryOp::Div && binary->op != BinaryOp::FloorDiv &&
           binary->op != BinaryOp::Mod && binary->op != BinaryOp::Pow &&
           isHarmless(*binary->lhs) && isHarmless(*binary->rhs);
  return isConstantExpr(expr);
}

Val Checker::evalLogical(const ast::BinaryExpr &expr) {
  bool isAnd = expr.op == ast::BinaryOp::And;
  std::optional<Val> lhs = condition(*expr.lhs, &expr);
  if (!lhs)
    return fail();
  if (lhs->known) {
    if (lhs->truth != isAnd)
      return *lhs;
    std::optional<Val> rhs = condition(*expr.rhs, &expr);
    return rhs ? *rhs : fail();
  }
  HostOp op = isAnd ? HostOp::And : HostOp::Or;
  if (isHarmless(*expr.rhs)) {
    std::optional<Val> rhs = condition(*expr.rhs, &expr);
    at(expr.range);
    if (!rhs)
      return fail();
    return ofBoth(isAnd, *lhs, *rhs,
                  emit().host(op, {lhs->value, materialize(*rhs)}));
  }
  // The right side is evaluated only when it matters.
  at(expr.range);
  emit().beginIf(lhs->value);
  ++regionDepth;
  ++conditionDepth;
  forgetReads();
  size_t known = facts.size();
  Value thenValue, elseValue;
  std::optional<Val> rhs;
  auto right = [&] {
    rhs = condition(*expr.rhs, &expr);
    return rhs ? materialize(*rhs) : emit().constantBool(false);
  };
  thenValue = isAnd ? right() : emit().constantBool(true);
  emit().beginElse();
  elseValue = isAnd ? emit().constantBool(false) : right();
  llvm::SmallVector<Value> results = emit().endIf({thenValue}, {elseValue});
  --regionDepth;
  --conditionDepth;
  facts.resize(known);
  forgetReads();
  return rhs ? ofBoth(isAnd, *lhs, *rhs, results[0]) : fail();
}
