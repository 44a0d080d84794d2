//===- Lints.cpp - what is valid and rarely meant -------------------------===//

#include "Lints.h"
#include "Checker.h"
#include "Frontend/Characters.h"

using namespace tdc;
using namespace tdc::sema;

//===----------------------------------------------------------------------===//
// Texts
//===----------------------------------------------------------------------===//

void Lints::checkText(const ast::StringExpr &expr) {
  if (c.isPrelude(expr.range.file))
    return;
  llvm::StringRef rest = expr.value;
  for (size_t open = rest.find('{'); open != rest.npos; open = rest.find('{')) {
    rest = rest.drop_front(open + 1);
    llvm::StringRef name = rest.take_while(isNameChar);
    llvm::StringRef after = rest.drop_front(name.size());
    bool isField = !name.empty() && !llvm::isDigit(name.front()) &&
                   !after.empty() &&
                   llvm::StringRef("}:.[(!").contains(after.front());
    Binding *binding =
        isField && after.contains('}') ? c.scopes.lookup(name) : nullptr;
    if (!binding)
      continue;
    binding->used = true; // after the fix
    c.warning(DiagCode::TD223, expr.range,
              "`{" + name + "}` is text in this string")
        .label("no `f` before it")
        .fix(FixIt::Choice, "`f\"…\"`", {{expr.range.start(), "f"}});
    return;
  }
}

//===----------------------------------------------------------------------===//
// Gradients that nothing uses
//===----------------------------------------------------------------------===//

void Lints::gaveGradients(SourceRange range,
                          llvm::ArrayRef<std::string> slots) {
  if (!c.isWalkedAside())
    backwards.push_back({range, slots.vec()});
}

void Lints::usedGradient(llvm::StringRef slot) {
  if (!c.isWalkedAside())
    usedGradients.insert(slot);
}

/// Reports the calls of `backward` whose gradients nothing reads.
void Lints::checkBackwards() {
  for (const Backward &backward : backwards) {
    if (llvm::any_of(backward.slots, [&](const std::string &slot) {
          return usedGradients.contains(slot);
        }))
      continue;
    Diagnostic &report = c.warning(DiagCode::TD613, backward.range);
    report.label("no step and no `.grad` reads them");
    std::vector<std::string> optimizers;
    for (auto &entry : c.scopes.file->scope.names)
      if (entry.second.val.is(ValKind::Optimizer))
        optimizers.push_back(entry.first().str());
    report.note(optimizers.size() == 1
                    ? "`" + optimizers[0] +
                          ".step()` after it changes the parameters by them"
                    : "the `step()` of an optimizer changes the parameters by "
                      "them");
  }
}

//===----------------------------------------------------------------------===//
// Losses of the wrong input
//===----------------------------------------------------------------------===//

static llvm::StringRef nameOf(Scale scale) {
  switch (scale) {
  case Scale::Any:
    break;
  case Scale::Score:
    return "scores";
  case Scale::Probability:
    return "probabilities";
  case Scale::LogProbability:
    return "log-probabilities";
  }
  return "numbers";
}

/// The loss that takes an input on the scale `given`, in place of `loss`; empty
/// if there is none.
static llvm::StringRef lossOf(llvm::StringRef loss, Scale given) {
  struct Row {
    llvm::StringLiteral loss, other;
    Scale scale; ///< that `other` takes
  };
  static constexpr Row kRows[] = {
      {"cross_entropy", "nll_loss", Scale::LogProbability},
      {"nll_loss", "cross_entropy", Scale::Score},
      {"binary_cross_entropy", "binary_cross_entropy_with_logits",
       Scale::Score},
      {"binary_cross_entropy_with_logits", "binary_cross_entropy",
       Scale::Probability},
      {"CrossEntropyLoss", "NLLLoss", Scale::LogProbability},
      {"NLLLoss", "CrossEntropyLoss", Scale::Score},
      {"BCELoss", "BCEWithLogitsLoss", Scale::Score},
      {"BCEWithLogitsLoss", "BCELoss", Scale::Probability},
  };
  for (const Row &row : kRows)
    if (row.loss == loss && row.scale == given)
      return row.other;
  return "";
}

/// What `softmax(x, 1)`, or `x.softmax(1)`, is given; empty for other texts.
static llvm::StringRef argumentOf(llvm::StringRef call) {
  static constexpr llvm::StringLiteral kNames[] = {"log_softmax", "softmax",
                                                   "sigmoid"};
  if (!call.ends_with(")"))
    return "";
  for (llvm::StringRef name : kNames) {
    // The method of an expression that may have calls in it.
    size_t at = call.rfind(("." + name + "(").str());
    llvm::StringRef inside =
        call.drop_front(std::min(at, call.size())).split('(').second;
    bool isLast = call.find(')', at) == call.size() - 1;
    if (isLast && (inside.front() == ')' || inside.starts_with("dim") ||
                   inside.front() == '-' || llvm::isDigit(inside.front())))
      return call.take_front(at);
    auto [callee, rest] = call.split('(');
    if (callee != name && !callee.ends_with(("." + name).str()))
      continue;
    int depth = 0;
    for (size_t i = 0; i != rest.size(); ++i) {
      char c = rest[i];
      if (depth == 0 && (c == ',' || c == ')'))
        return rest.take_front(i);
      depth += c == '(' || c == '[';
      depth -= c == ')' || c == ']';
    }
  }
  return "";
}

void Lints::checkInput(const Val &input, Scale expected) {
  if (!input.is(ValKind::Tensor))
    return;
  auto &info = input.as<TensorInfo>();
  if (info.scale == Scale::Any || info.scale == expected)
    return;
  std::string function = c.userFunction("this loss");
  SourceRange call = c.userRange(c.here);
  bool isWritten = c.isWritten(input.range);
  Diagnostic &report =
      c.warning(DiagCode::TD614, isWritten ? input.range : call,
                function + " takes " + nameOf(expected) +
                    ", and its input is " + nameOf(info.scale));
  if (isWritten)
    report.label(nameOf(info.scale));
  const SourceRange &own = report.primary.range;
  bool isInside = info.scaled.file == own.file &&
                  info.scaled.begin >= own.begin && info.scaled.end <= own.end;
  if (info.scaled.isValid() && !isInside)
    report.secondaryLabel(info.scaled, "made here");
  llvm::StringRef name = llvm::StringRef(function).trim('`');
  llvm::StringRef other = lossOf(name, info.scale);
  if (!other.empty() && c.text(call).starts_with((name + "(").str())) {
    SourceRange callee = call;
    callee.end = callee.begin + name.size();
    report.fix(FixIt::Choice,
               "`" + other + "(…)`  (it takes " + nameOf(info.scale) + ")",
               {{callee, other.str()}});
  } else if (!other.empty()) {
    report.note("`" + other + "` takes " + nameOf(info.scale));
  }
  llvm::StringRef argument = argumentOf(c.text(info.scaled));
  if (expected == Scale::Score && !argument.empty())
    report.fix(FixIt::Choice, "`" + argument + "`  (gives scores)",
               {{info.scaled, argument.str()}});
  if (expected == Scale::Score)
    report.note(function + " makes probabilities of them itself: the model "
                           "ends in a Linear, without softmax or sigmoid");
  else if (info.scale == Scale::Probability)
    report.note("`log_softmax` in place of `softmax` gives log-probabilities");
}

//===----------------------------------------------------------------------===//
// Evaluation
//===----------------------------------------------------------------------===//

void Lints::runsForTraining(llvm::StringRef does) {
  if (c.training.noGrad == 0)
    return;
  // The call of the outermost model.
  auto outer = llvm::find_if(c.frames, [&](const Frame &frame) {
    return frame.self && !c.isPrelude(frame.callRange.file);
  });
  SourceRange layer = c.userRange(c.here);
  TrainingMode mode{outer == c.frames.end() ? layer : outer->callRange, layer,
                    does.str()};
  if (!c.control.loops.empty())
    c.control.loops.back().modes.push_back(mode);
  else if (!c.isWalkedAside())
    modes.push_back(mode);
}

static void report(Checker &c, llvm::ArrayRef<TrainingMode> modes) {
  for (const TrainingMode &mode : modes) {
    Diagnostic &report = c.warning(DiagCode::TD615, mode.call);
    if (mode.layer == mode.call)
      report.label(mode.does);
    else
      report.secondaryLabel(mode.layer, mode.does);
    llvm::StringRef callee = c.text(mode.call).split('(').first;
    report.note("`" + callee + ".eval()` before it, and `" + callee +
                ".train()` before the next training");
  }
}

void Lints::loopsOver(const Val &loader, SourceRange range) {
  if (!c.isPrelude(range.file) && !c.isWalkedAside())
    (c.training.noGrad ? evaluated : read)
        .push_back({loader.share<LoaderInfo>(), range});
}

void Lints::endLoop(const LoopRecord &loop) {
  if (!loop.trains)
    report(c, loop.modes);
}

static bool haveSameRows(const DatasetInfo &a, const DatasetInfo &b) {
  return a.tensors.size() == b.tensors.size() &&
         a.indices.has_value() == b.indices.has_value() &&
         (!a.indices || a.indices->value == b.indices->value) &&
         std::equal(
             a.tensors.begin(), a.tensors.end(), b.tensors.begin(),
             [](const Val &x, const Val &y) { return x.value == y.value; });
}

/// Whether the program calls these rows those of a test or of a validation.
static bool isTest(llvm::StringRef name) {
  return llvm::any_of(
      llvm::ArrayRef<llvm::StringRef>{"test", "val", "eval", "holdout", "dev"},
      [&](llvm::StringRef word) { return name.starts_with_insensitive(word); });
}

void Lints::checkRows() {
  for (const Rows &test : evaluated) {
    bool isOfTraining = false;
    for (const Rows &train : read) {
      isOfTraining |= test.loader == train.loader;
      if (!isTest(c.text(test.range)) ||
          !haveSameRows(*test.loader->dataset, *train.loader->dataset))
        continue;
      c.warning(DiagCode::TD617, test.range)
          .secondaryLabel(train.range, "the same rows");
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
  checkBackwards();
  report(c, modes);
  checkRows();
}
