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

/// Each iteration is compiled by itself.
static constexpr int64_t kMaxIterations = 1000;

/// Whether a body calls a function that gives a tensor another size, or has a
/// slice of a variable that it assigns to. For other loops no iteration is
/// walked twice.
static bool mayChangeSizes(const ast::Block &body,
                           const llvm::StringSet<> &assigned) {
  return ast::anyExpr(body, [&](const ast::Expr &expr) {
    if (auto *call = llvm::dyn_cast<ast::CallExpr>(&expr)) {
      auto *name = llvm::dyn_cast<ast::NameExpr>(call->callee);
      auto *member = llvm::dyn_cast<ast::MemberExpr>(call->callee);
      return llvm::is_contained({"cat", "concat", "concatenate", "stack", "pad",
                                 "hstack", "dstack", "column_stack",
                                 "row_stack", "vstack"},
                                name     ? name->name
                                : member ? member->member.text
                                         : llvm::StringRef());
    }
    auto *part = llvm::dyn_cast<ast::SubscriptExpr>(&expr);
    auto *name = part ? llvm::dyn_cast<ast::NameExpr>(part->base) : nullptr;
    return name && assigned.contains(name->name) &&
           llvm::any_of(part->items, [](const ast::SubscriptItem &item) {
             return item.kind == ast::SubscriptItem::Slice;
           });
  });
}

static bool hasOtherSizes(Checker &c, const Val &before, const Val &after) {
  if (!after.is(ValKind::Tensor))
    return false;
  const Dims &a = typeOf(before).dims, &b = typeOf(after).dims;
  if (a.size() != b.size())
    return true;
  return llvm::any_of(llvm::zip(a, b), [&](const auto &sizes) {
    std::optional<int64_t> more =
        c.host.constantOf(std::get<1>(sizes) - std::get<0>(sizes));
    return more && *more != 0;
  });
}

bool ControlFlow::mustKnowSizes(const ast::ForStmt &stmt, int64_t from,
                                int64_t to, int64_t step,
                                llvm::function_ref<void()> iteration) {
  int64_t distance = step > 0 ? to - from : from - to;
  if (distance <= std::abs(step) || distance / std::abs(step) >= kMaxIterations)
    return false;
  llvm::StringSet<> assigned = assignedNames(stmt.body);
  if (!mayChangeSizes(*stmt.body, assigned))
    return false;
  // A type says which sizes may change: `?`.
  std::vector<std::pair<Binding *, Val>> variables;
  bool hasTensor = false;
  for (auto &entry : assigned) {
    Binding *binding = c.scopes.lookup(entry.first());
    if (!binding || !binding->isVar)
      continue;
    variables.emplace_back(binding, binding->val);
    hasTensor |= binding->val.is(ValKind::Tensor) && !binding->annotation;
  }
  if (!hasTensor)
    return false;
  bool changes = false;
  tryIteration(iteration, [&] {
    for (auto &[binding, before] : variables) {
      changes |= before.is(ValKind::Tensor) && !binding->annotation &&
                 hasOtherSizes(c, before, binding->val);
      binding->val = before;
    }
  });
  return changes;
}
