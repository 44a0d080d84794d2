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
    if (!isField || !after.contains('}'))
      continue;
    Binding *binding = c.scopes.lookup(name);
    if (!binding && !(after.front() == '(' && c.scopes.findGlobal(name)))
      continue;
    if (binding)
      binding->used = true; // after the fix
    c.warning(DiagCode::TD223, expr.range,
              "`{" + name + "}` is text in this string")
        .label("no `f` before it")
        .fix(FixIt::Choice, "`f\"…\"`", {{expr.range.start(), "f"}});
    return;
  }
}

//===----------------------------------------------------------------------===//
// Losses of the wrong input
//===----------------------------------------------------------------------===//

static llvm::StringRef scaleName(Scale scale) {
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
                function + " takes " + scaleName(expected) +
                    ", and its input is " + scaleName(info.scale));
  if (isWritten)
    report.label(scaleName(info.scale));
  if (info.scaled.isValid() && !report.primary.range.contains(info.scaled))
    report.secondaryLabel(info.scaled, "made here");
  llvm::StringRef name = llvm::StringRef(function).trim('`');
  llvm::StringRef other = lossOf(name, info.scale);
  if (!other.empty() && c.text(call).starts_with((name + "(").str())) {
    SourceRange callee = call;
    callee.end = callee.begin + name.size();
    report.fix(FixIt::Choice,
               "`" + other + "(…)`  (it takes " + scaleName(info.scale) + ")",
               {{callee, other.str()}});
  } else if (!other.empty()) {
    report.note("`" + other + "` takes " + scaleName(info.scale));
  }
  if (expected == Scale::Score && c.isWritten(info.unscaled) &&
      info.scaled.contains(info.unscaled)) {
    std::string scores = c.asOperand(info.unscaled);
    report.fix(FixIt::Choice, "`" + scores + "`  (gives scores)",
               {{info.scaled, scores}});
  }
  if (expected == Scale::Score)
    report.note(function + " makes probabilities of them itself: the model "
                           "ends in a Linear, without softmax or sigmoid");
  else if (info.scale == Scale::Probability)
    report.note("`log_softmax` in place of `softmax` gives log-probabilities");
}
