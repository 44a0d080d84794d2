//===- EvaluationLints.cpp - the mode, the rows and the images of a test --===//

#include "Checker.h"
#include "Frontend/ASTWalk.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace tdc;
using namespace tdc::sema;

//===----------------------------------------------------------------------===//
// Modes and images
//===----------------------------------------------------------------------===//

LoopRecord *Lints::findTest() {
  for (LoopRecord &loop : llvm::reverse(c.control.loops))
    if (loop.rows && rows[*loop.rows].isNamedTest &&
        rows[*loop.rows].hasGradients)
      return &loop;
  return nullptr;
}

void Lints::runsForTraining(llvm::StringRef does) {
  bool hasGradients = c.tensors.builder.noGrad == 0;
  LoopRecord *test = hasGradients ? findTest() : nullptr;
  if (hasGradients && !test)
    return;
  // The call of the outermost model.
  auto outer = llvm::find_if(c.frames, [&](const Frame &frame) {
    return frame.self && !c.isPrelude(frame.callRange.file);
  });
  SourceRange layer = c.userRange(c.here);
  TrainingMode mode{
      outer == c.frames.end() ? layer : outer->callRange, layer, does.str(),
      outer != c.frames.end() && outer->self->mode == ModelState::Eval};
  // A pass whose results are not used is for the running statistics.
  if (c.textBefore(mode.call).trim().ends_with("let _ ="))
    return;
  if (test)
    test->modes.push_back(mode);
  else if (!c.control.loops.empty())
    c.control.loops.back().modes.push_back(mode);
  else if (!c.isWalkedAside())
    modes.push_back(mode);
}

void Lints::augments(llvm::StringRef does) {
  bool hasGradients = c.tensors.builder.noGrad == 0;
  LoopRecord *loop = hasGradients              ? findTest()
                     : c.control.loops.empty() ? nullptr
                                               : &c.control.loops.back();
  if (loop)
    loop->augmentations.push_back({c.userRange(c.here), does.str()});
}

static void report(Checker &c, llvm::ArrayRef<TrainingMode> modes) {
  for (const TrainingMode &mode : modes) {
    Diagnostic &report = c.warning(DiagCode::TD615, mode.call);
    if (mode.layer == mode.call)
      report.label(mode.does);
    else
      report.secondaryLabel(mode.layer, mode.does);
    if (mode.isInEval) {
      report.note("the model is in evaluation mode, and `" +
                  c.text(mode.layer).split('(').first +
                  "` does not know: give it `training=self.training`");
      continue;
    }
    llvm::StringRef callee = c.text(mode.call).split('(').first;
    report.note("`" + callee + ".eval()` before it, and `" + callee +
                ".train()` before the next training");
  }
}

void Lints::endLoop(LoopRecord &loop) {
  checkClearing(loop);
  bool trains = loop.trains || loop.trainsInside;
  if (!c.control.loops.empty())
    c.control.loops.back().trainsInside |= trains;
  if (loop.rows)
    rows[*loop.rows].trains |= trains;
  if (loop.trains || (loop.rows && trains))
    return;
  report(c, loop.modes);
  // A loop over something else may average what several draws give.
  if (loop.readsLoader && loop.runsParameters)
    for (const Augmentation &augmentation : loop.augmentations)
      c.warning(DiagCode::TD618, augmentation.call)
          .label(augmentation.does)
          .note("a random crop or flip is for training; `center_crop` gives "
                "the same part of an image each time");
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

/// Whether a loop over the block may stop before its last iteration. A `break`
/// of an inner loop does not stop it.
static bool mayStop(const ast::Block &block, bool isInner = false) {
  return llvm::any_of(block.stmts, [&](const ast::Stmt *stmt) {
    bool stops = llvm::isa<ast::ReturnStmt>(stmt) ||
                 (!isInner && llvm::isa<ast::BreakStmt>(stmt));
    bool isLoop = llvm::isa<ast::ForStmt, ast::WhileStmt>(stmt);
    return stops ||
           llvm::any_of(ast::blocksOf(*stmt), [&](const ast::Block *inside) {
             return mayStop(*inside, isInner || isLoop);
           });
  });
}

/// Whether a name says that rows are those of a test or of a validation:
/// `x_test`, `testloader` and `val_set`, but neither `device_loader` nor
/// `train_eval_loader`.
static bool isTest(llvm::StringRef name) {
  std::string lower = name.lower();
  llvm::SmallVector<llvm::StringRef> words;
  llvm::SplitString(lower, words, "_.");
  bool result = false;
  for (llvm::StringRef word : words) {
    for (llvm::StringRef what : {"loader", "data", "set"})
      word.consume_back(what);
    if (word == "train" || word == "training")
      return false;
    result |= llvm::StringSwitch<bool>(word)
                  .Cases({"test", "testing", "val", "valid", "validation",
                          "eval", "evaluation", "dev", "holdout"},
                         true)
                  .Default(false);
  }
  return result;
}

std::optional<size_t> Lints::loopsOver(const Val &loader,
                                       const ast::ForStmt &loop) {
  SourceRange range = loop.iterable->range;
  if (c.isPrelude(range.file) || c.isWalkedAside())
    return std::nullopt;
  auto info = loader.share<LoaderInfo>();
  bool isNamedTest = isTest(nameOf(*info, range));
  rows.push_back({info, range, c.tensors.builder.noGrad == 0, isNamedTest,
                  mayStop(*loop.body)});
  return rows.size() - 1;
}

/// The first name of the loader in the program, or else what the loop calls it.
std::string Lints::nameOf(const LoaderInfo &loader, SourceRange range) {
  const llvm::StringMapEntry<Binding> *first = nullptr;
  for (auto &entry : c.scopes.file->scope.names) {
    const Val &val = entry.second.val;
    bool isIt = val.is(ValKind::Loader) && &val.as<LoaderInfo>() == &loader;
    if (isIt &&
        (!first || entry.second.declared.begin < first->second.declared.begin))
      first = &entry;
  }
  return first ? first->first().str() : c.text(range).str();
}

static bool haveSameTensors(const DatasetInfo &a, const DatasetInfo &b) {
  return std::equal(
      a.tensors.begin(), a.tensors.end(), b.tensors.begin(), b.tensors.end(),
      [](const Val &x, const Val &y) { return x.value == y.value; });
}

static bool haveSameIndices(const DatasetInfo &a, const DatasetInfo &b) {
  return a.indices.has_value() == b.indices.has_value() &&
         (!a.indices || a.indices->value == b.indices->value);
}

void Lints::checkRows() {
  for (auto [i, test] : llvm::enumerate(rows)) {
    if (!test.isEvaluation())
      continue;
    bool isOfTraining = false;
    for (auto [j, train] : llvm::enumerate(rows)) {
      if (!train.hasGradients || train.isEvaluation())
        continue;
      isOfTraining |= test.loader == train.loader;
      const DatasetInfo &tested = *test.loader->dataset;
      const DatasetInfo &trained = *train.loader->dataset;
      if (!test.isNamedTest || !haveSameTensors(tested, trained))
        continue;
      bool isSame = haveSameIndices(tested, trained);
      // A last training may take all rows.
      bool isPart = (!tested.indices || !trained.indices) && j < i;
      if (!isSame && !isPart)
        continue;
      Diagnostic &report = c.warning(DiagCode::TD617, test.range);
      report.secondaryLabel(train.range,
                            isSame ? "the same rows" : "some of these rows");
      break;
    }
    // The accuracy on the training data is taken with its own loader.
    if (test.loader->shuffle && !isOfTraining)
      c.warning(DiagCode::TD616, test.range)
          .label("every epoch draws another order")
          .note("`shuffle=false` for data that is not trained on");
  }
}

void Lints::finish() {
  if (c.errorCount)
    return;
  report(c, modes);
  checkRows();
  checkRestored();
  schedules.report();
  clips.report();
  parts.report();
}
