//===- GrowingTensors.cpp - loops that give a tensor another size ---------===//
//
// A loop of the running program carries tensors of fixed sizes. One whose
// iterations give a tensor another size, `idx = cat((idx, next), dim=1)`, is
// unrolled if its iterations are counted while compiling: each then has sizes
// of its own. The first one is walked aside to see whether that is so.
//
//===----------------------------------------------------------------------===//

#include "Frontend/ASTWalk.h"
#include "Joins.h"

using namespace tdc;
using namespace tdc::sema;

/// Whether a new value of a variable has its sizes: it is the variable, or an
/// elementwise operator has it as an operand. A sum that starts as one number
/// and becomes a tensor is a mistake more often than meant: it is reported.
static bool keepsSizes(const ast::Expr &value, llvm::StringRef variable) {
  if (auto *name = llvm::dyn_cast<ast::NameExpr>(&value))
    return name->name == variable;
  if (auto *unary = llvm::dyn_cast<ast::UnaryExpr>(&value))
    return keepsSizes(*unary->operand, variable);
  auto *binary = llvm::dyn_cast<ast::BinaryExpr>(&value);
  return binary && binary->op != ast::BinaryOp::MatMul &&
         (keepsSizes(*binary->lhs, variable) ||
          keepsSizes(*binary->rhs, variable));
}

/// Adds the variables that a body gives a value of perhaps other sizes. For
/// loops without one no iteration is walked twice.
static void collectOfOtherSizes(const ast::Block &body,
                                llvm::StringSet<> &names) {
  for (const ast::Stmt *stmt : body.stmts) {
    for (const ast::Block *block : ast::blocksOf(*stmt))
      collectOfOtherSizes(*block, names);
    auto *assign = llvm::dyn_cast<ast::AssignStmt>(stmt);
    if (!assign || assign->op != ast::AssignOp::Set)
      continue;
    if (auto *name = llvm::dyn_cast<ast::NameExpr>(assign->target)) {
      if (!keepsSizes(*assign->value, name->name))
        names.insert(name->name);
    } else if (llvm::isa<ast::TupleExpr>(assign->target)) {
      ast::anyExpr(*assign->target, [&](const ast::Expr &target) {
        if (auto *name = llvm::dyn_cast<ast::NameExpr>(&target))
          names.insert(name->name);
        return false;
      });
    }
  }
}

static bool hasTensor(const Val &val) {
  return val.is(ValKind::Tensor) ||
         (val.is(ValKind::Tuple) && llvm::any_of(elementsOf(val), hasTensor));
}

/// Whether a size is another one in each run. `2*N` is for any N but 0.
static bool isOther(Checker &c, const Size &before, const Size &after) {
  if (std::optional<int64_t> more = c.host.constantOf(after - before))
    return *more != 0;
  // A size that has other variables may be the same.
  llvm::SmallDenseMap<const SizeAtom *, int64_t> values;
  auto known = before.evaluate([&](const SizeAtom &variable) {
    auto next = static_cast<int64_t>(values.size());
    return std::optional(
        values.try_emplace(&variable, 1009 + 2 * next).first->second);
  });
  auto now = after.evaluate([&](const SizeAtom &variable) {
    auto found = values.find(&variable);
    return found == values.end() ? std::nullopt : std::optional(found->second);
  });
  return known && now && *known != *now;
}

static bool haveOtherSizes(Checker &c, const Val &before, const Val &after) {
  if (before.kind != after.kind)
    return false;
  if (before.is(ValKind::Tuple)) {
    auto a = elementsOf(before), b = elementsOf(after);
    return a.size() == b.size() &&
           llvm::any_of(llvm::zip(a, b), [&](const auto &elements) {
             return haveOtherSizes(c, std::get<0>(elements),
                                   std::get<1>(elements));
           });
  }
  if (!before.is(ValKind::Tensor))
    return false;
  const Dims &a = typeOf(before).dims, &b = typeOf(after).dims;
  return a.size() != b.size() ||
         llvm::any_of(llvm::zip(a, b), [&](const auto &sizes) {
           return isOther(c, std::get<0>(sizes), std::get<1>(sizes));
         });
}

bool ControlFlow::mustKnowSizes(const ast::ForStmt &stmt,
                                llvm::function_ref<void()> iteration) {
  llvm::StringSet<> names;
  collectOfOtherSizes(*stmt.body, names);
  // A type says which sizes may change: `?`.
  bool mayChange = llvm::any_of(names, [&](const auto &entry) {
    Binding *binding = c.scopes.lookup(entry.first());
    return binding && binding->isVar && !binding->annotation &&
           hasTensor(binding->val);
  });
  if (!mayChange)
    return false;
  bool changes = false;
  tryIteration(*stmt.body, iteration,
               [&](const Binding &variable, const Val &before) {
                 changes |= !variable.annotation &&
                            haveOtherSizes(c, before, variable.val);
               });
  return changes;
}
