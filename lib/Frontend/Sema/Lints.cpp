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

void Lints::checkInput(const Val &input, Scale expected,
                       const OtherLoss &otherLoss) {
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
  llvm::StringRef other;
  if (info.scale == otherLoss.scale)
    other = llvm::isUpper(name.front()) ? otherLoss.model : otherLoss.function;
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
