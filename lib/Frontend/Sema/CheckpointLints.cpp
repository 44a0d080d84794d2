//===- CheckpointLints.cpp - checkpoints without their optimizer (TD619) --===//
//
// A program resumes a training if it reads the file to which it saves later. A
// file that it only reads has weights to start from, and one that it saved
// before has weights to go back to: neither needs an optimizer.
//
//===----------------------------------------------------------------------===//

#include "Checker.h"
#include "Frontend/ASTWalk.h"

using namespace tdc;
using namespace tdc::sema;

/// Whether two paths are one: known texts, one value of the running program, or
/// f-strings that differ in nothing.
static bool areSamePaths(const Val &a, const Val &b) {
  if (a.known || b.known)
    return a.known && b.known && textOf(a) == textOf(b);
  if (a.value || b.value)
    return a.value == b.value;
  return textOf(a) == textOf(b) && a.as<Text>().values == b.as<Text>().values;
}

/// The call in the statements of the program that led to this point.
static SourceRange outermost(Checker &c) {
  return c.frames.empty() ? c.userRange(c.here) : c.frames.front().callRange;
}

static bool contains(const ast::Block *block, SourceRange range) {
  return block && block->range.contains(range);
}

/// Whether the two are in different branches of an `if`.
static bool areExclusive(llvm::ArrayRef<const ast::Stmt *> stmts, SourceRange a,
                         SourceRange b) {
  return llvm::any_of(stmts, [&](const ast::Stmt *stmt) {
    auto *branch = llvm::dyn_cast<ast::IfStmt>(stmt);
    if (branch &&
        (contains(branch->thenBlock, a) ? contains(branch->elseBlock, b)
                                        : contains(branch->thenBlock, b) &&
                                              contains(branch->elseBlock, a)))
      return true;
    return llvm::any_of(ast::blocksOf(*stmt), [&](const ast::Block *block) {
      return areExclusive(block->stmts, a, b);
    });
  });
}

/// Whether a checkpoint holds the state of a value.
static bool isKept(const Val &val) {
  return val.is(ValKind::Optimizer) || val.is(ValKind::Model);
}

void Lints::restores(SourceRange range, const Val &path,
                     llvm::ArrayRef<const Val *> models, bool hasOptimizer) {
  if (hasOptimizer || c.isWalkedAside())
    return;
  Restored entry;
  entry.range = range;
  entry.outermost = outermost(c);
  entry.path = path;
  for (const Val *model : models) {
    entry.models.push_back(*model);
    for (const Slot *parameter : c.models.parameterSlotsOf(*model))
      entry.parameters.insert(parameter);
  }
  for (llvm::StringRef name : c.scopes.variablesHere())
    if (const Val &val = c.scopes.lookup(name)->val; isKept(val))
      entry.named.push_back({name.str(), val});
  restored.push_back(std::move(entry));
}

void Lints::saves(const Val &path, llvm::ArrayRef<CallArgs::Keyword> keywords) {
  bool hasOptimizer = llvm::any_of(keywords, [](auto &keyword) {
    return keyword.val.is(ValKind::Optimizer);
  });
  if (!hasOptimizer || c.isWalkedAside())
    return;
  for (Restored &entry : restored)
    if (entry.saved.empty() && areSamePaths(entry.path, path))
      for (const CallArgs::Keyword &keyword : keywords)
        if (isKept(keyword.val))
          entry.saved.push_back({keyword.name.text.str(), keyword.val});
}

void Lints::stepsRestored(const OptimizerInfo &optimizer) {
  if (restored.empty())
    return;
  SourceRange here = outermost(c);
  llvm::ArrayRef<const ast::Stmt *> program =
      c.scopes.findFile(here.file)->program->items;
  for (Restored &entry : restored) {
    // Plain SGD keeps nothing.
    auto keepsMoments = [&](const ParameterGroup::Leaf *leaf) {
      return entry.parameters.contains(leaf->parameter) &&
             llvm::any_of(leaf->moments, [](const std::string &slot) {
               return !slot.empty();
             });
    };
    if (!entry.isStepped)
      entry.isStepped = llvm::any_of(optimizer.leaves(), keepsMoments) &&
                        !areExclusive(program, entry.outermost, here);
  }
}

void Lints::checkRestored() {
  for (const Restored &entry : restored) {
    if (!entry.isStepped || entry.saved.empty())
      continue;
    Diagnostic &report = c.warning(DiagCode::TD619, entry.range);
    report.label("its moments start anew");
    llvm::StringRef call = c.text(entry.range);
    // The optimizer, and schedules.
    std::string arguments, keyword;
    bool areNamed = call.starts_with("restore(");
    for (const NamedVal &saved : entry.saved) {
      if (saved.val.is(ValKind::Optimizer))
        keyword = saved.name;
      if (llvm::any_of(entry.models, [&](const Val &model) {
            return model.data == saved.val.data;
          }))
        continue;
      auto *known = llvm::find_if(entry.named, [&](const NamedVal &named) {
        return named.val.data == saved.val.data;
      });
      areNamed &= known != entry.named.end();
      if (areNamed)
        arguments += ", " + saved.name + "=" + known->name;
    }
    if (!areNamed) {
      report.note("`restore(path, model=model, " + keyword +
                  "=optimizer)` reads both");
      continue;
    }
    SourceRange end = entry.range;
    end.begin = end.end = end.end - 1; // before the bracket
    report.fix(FixIt::Choice, "`" + call.drop_back() + arguments + ")`",
               {{end, arguments}});
  }
}
