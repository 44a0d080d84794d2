//===- GrowingTensors.cpp - loops that give a tensor another size ---------===//
//
// A loop of the running program carries tensors of fixed sizes. One whose
// iterations give a tensor another size, `idx = cat((idx, next), dim=1)`, is
// unrolled if its iterations are counted while compiling: each then has sizes
// of its own. The first one is walked aside to see whether that is so.
//
//===----------------------------------------------------------------------===//

#include "Joins.h"

using namespace tdc;
using namespace tdc::sema;

/// Each iteration is compiled by itself.
static constexpr int64_t kMaxIterations = 1000;

/// Whether the text of a body has a function that gives a tensor another size,
/// or a slice of a variable that is assigned to it. For other loops no
/// iteration is walked twice.
static bool mayChangeSizes(llvm::StringRef body,
                           const llvm::StringSet<> &assigned) {
  for (llvm::StringRef function :
       {"cat(", "concat(", "concatenate(", "stack(", "pad("})
    if (body.contains(function))
      return true;
  return llvm::any_of(assigned, [&](const auto &entry) {
    return body.contains((entry.first() + " = " + entry.first() + "[").str());
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
  if (!mayChangeSizes(c.text(stmt.body->range), assigned))
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
