//===- Reporting.cpp - errors at the user's code, places of code ----------===//
//
// The prelude is ordinary code, but its lines mean nothing to the author of a
// program: what goes wrong in it is told at the call that led there.
//
//===----------------------------------------------------------------------===//

#include "Joins.h"

using namespace tdc;
using namespace tdc::sema;

bool Checker::isPrelude(FileId file) const {
  FileScope *scope = filesById.lookup(file);
  return scope && scope->isPrelude;
}

SourceRange Checker::userRange(SourceRange range) const {
  if (range.isValid() && !isPrelude(range.file))
    return range;
  for (size_t i = frames.size(); i-- != 0;)
    if (frames[i].callRange.isValid() && !isPrelude(frames[i].callRange.file))
      return frames[i].callRange;
  return range;
}

std::string Checker::userFunction(llvm::StringRef what) const {
  std::string called = what.str();
  for (const Frame &frame : llvm::reverse(frames)) {
    if (!frame.file->isPrelude)
      break;
    bool isLayer =
        frame.self && (!frame.fn || frame.fn->name.text == "forward");
    called = ("`" +
              (isLayer ? llvm::StringRef(frame.self->typeName)
                       : frame.fn->name.text) +
              "`")
                 .str();
    if (!isPrelude(frame.callRange.file))
      break;
  }
  return called;
}

Diagnostic &Checker::error(DiagCode code, SourceRange range,
                           const llvm::Twine &title) {
  // Null from here on: nobody may run what has an error. A function that is
  // checked on its own has no emitter anyway.
  emitter = &nullEmitter;
  ++errorCount;
  Diagnostic &report = diags->report(code, userRange(range), title);
  // Sizes that do not fit in a layer of the prelude are often wrong where the
  // layer was made.
  if (code == DiagCode::TD401 && range.isValid() && isPrelude(range.file))
    if (SourceRange made = layerAround(); made.isValid())
      report.note("the layer is `" + text(made) + "`", made);
  return report;
}

SourceRange Checker::layerAround() const {
  for (const Frame &frame : llvm::reverse(frames)) {
    if (!frame.file->isPrelude)
      break;
    if (frame.self && frame.self->made.isValid() &&
        !isPrelude(frame.self->made.file) &&
        !text(frame.self->made).contains('\n'))
      return frame.self->made;
  }
  return {};
}

Diagnostic &Checker::warning(DiagCode code, SourceRange range,
                             const llvm::Twine &title) {
  return diags->report({code,
                        Severity::Warning,
                        title.str(),
                        {userRange(range), ""},
                        {},
                        {},
                        {}});
}

SourceRange Checker::letBefore(SourceRange name) const {
  llvm::StringRef before =
      sources.getText(name.file).take_front(name.begin).rtrim(" \t");
  if (!before.ends_with("let"))
    return {};
  auto end = static_cast<uint32_t>(before.size());
  return {name.file, end - 3, end};
}

/// Names, calls and the like bind tighter than `.`; operators do not.
static bool needsParentheses(llvm::StringRef code) {
  int depth = 0;
  bool result = code.starts_with("-");
  for (char c : code) {
    depth += c == '(' || c == '[';
    depth -= c == ')' || c == ']';
    result |= depth == 0 && c == ' ';
  }
  return result;
}

std::string Checker::asOperand(SourceRange expr) const {
  std::string code = text(expr).str();
  return needsParentheses(code) ? "(" + code + ")" : code;
}

void Checker::offerSuffix(Diagnostic &report, SourceRange expr,
                          const llvm::Twine &suffix, FixIt::Kind kind) {
  if (!expr.isValid() || isPrelude(expr.file))
    return;
  llvm::StringRef code = text(expr);
  if (needsParentheses(code))
    report.fix(kind, "`(" + code + ")" + suffix + "`",
               {{expr.start(), "("}, {expr.finish(), (")" + suffix).str()}});
  else
    report.fix(kind, "`" + code + suffix + "`",
               {{expr.finish(), suffix.str()}});
}

Val Checker::unsupported(SourceRange range, const llvm::Twine &feature) {
  if (alone) {
    // What a caller would decide may well be supported.
    abandoned = true;
    diags = scratch;
  }
  error(DiagCode::TD900, range, feature + " is not built yet")
      .label("it comes in a later version");
  return Val();
}

bool Checker::withinLimits(SourceRange range) {
  if (++evaluated > kMaxEvaluated) {
    if (evaluated == kMaxEvaluated + 1)
      error(DiagCode::TD215, range,
            "the program does too much while it is compiled")
          .label("evaluation stops here")
          .note("a loop that changes a list is unrolled")
          .note(kInsteadOfList);
    return false;
  }
  if (evalDepth > kMaxDepth) {
    error(DiagCode::TD109, range,
          "calls and expressions are nested too deeply");
    return false;
  }
  return true;
}

bool Checker::isWithinExtent(size_t extent, SourceRange range) {
  // What is made of it is not reported again.
  if (extent > kMaxExtent && !std::exchange(saidExtent, true))
    error(DiagCode::TD215, range, "a list or text grows without bound");
  return extent <= kMaxExtent;
}

void Checker::at(SourceRange range) {
  here = range;
  locationIsStale = true;
}

Emitter &Checker::emit() {
  if (locationIsStale) {
    SourceLocation location;
    location.range = here;
    if (!frames.empty())
      location.callers = frames.back().callers;
    emitter->setLocation(location);
    locationIsStale = false;
  }
  return *emitter;
}
