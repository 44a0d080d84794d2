//===- Reporter.cpp - the position of the walk, and its reports -----------===//

#include "Reporter.h"

using namespace tdc;
using namespace tdc::sema;

SourceRange Reporter::userRange(SourceRange range) const {
  if (isWritten(range))
    return range;
  for (size_t i = frames.size(); i-- != 0;)
    if (isWritten(frames[i].callRange))
      return frames[i].callRange;
  return range;
}

llvm::StringRef Reporter::textBefore(SourceRange range) const {
  SourceRange line =
      sources.getLine(range.file, sources.getLineColumn(range).line);
  return text({range.file, line.begin, range.begin});
}

Edit Reporter::insertAbove(SourceRange place, const llvm::Twine &stmt) const {
  SourceRange line =
      sources.getLine(place.file, sources.getLineColumn(place).line);
  llvm::StringRef indent =
      text(line).take_while([](char l) { return l == ' ' || l == '\t'; });
  line.begin += indent.size();
  return {line.start(), (stmt + "\n" + indent).str()};
}

std::string Reporter::userFunction(llvm::StringRef what) const {
  std::string called = what.str();
  for (const Frame &frame : llvm::reverse(frames)) {
    if (!isPrelude(frame.file->id))
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

Diagnostic &Reporter::error(DiagCode code, SourceRange range,
                            const llvm::Twine &title) {
  stopEmitting(); // a program with an error never runs
  ++errorCount;
  Diagnostic &report = diags->report(code, userRange(range), title);
  // Sizes that do not fit in a layer of the prelude are often wrong where the
  // layer was made.
  if (code == DiagCode::TD401 && range.isValid() && isPrelude(range.file))
    if (SourceRange made = layerAround(); made.isValid())
      report.note("the layer is `" + text(made) + "`", made);
  return report;
}

SourceRange Reporter::layerAround() const {
  for (const Frame &frame : llvm::reverse(frames)) {
    if (!isPrelude(frame.file->id))
      break;
    if (frame.self && isWritten(frame.self->made) &&
        !text(frame.self->made).contains('\n'))
      return frame.self->made;
  }
  return {};
}

Diagnostic &Reporter::warning(DiagCode code, SourceRange range,
                              const llvm::Twine &title) {
  // Of some errors there are cases that are warnings.
  return diags->report({code,
                        Severity::Warning,
                        title.str(),
                        {userRange(range), ""},
                        {},
                        {},
                        {}});
}

SourceRange Reporter::letBefore(SourceRange name) const {
  if (!name.isValid())
    return {};
  llvm::StringRef before =
      sources.getText(name.file).take_front(name.begin).rtrim(" \t");
  // The names before it, as in `let _, y = …`.
  while (before.ends_with(",") || before.ends_with("(")) {
    before = before.drop_back().rtrim(" \t");
    if (!before.ends_with("let"))
      before = before
                   .rtrim("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWX"
                          "YZ0123456789_")
                   .rtrim(" \t");
  }
  if (!before.ends_with("let"))
    return {};
  auto end = static_cast<uint32_t>(before.size());
  return {name.file, end - 3, end};
}

/// Names, calls and subscripts bind tighter than `.`; operators do not.
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

std::string Reporter::asOperand(SourceRange expr) const {
  std::string code = text(expr).str();
  return needsParentheses(code) ? "(" + code + ")" : code;
}

void Reporter::offerSuffix(Diagnostic &report, SourceRange expr,
                           const llvm::Twine &suffix, FixIt::Kind kind) {
  if (!isWritten(expr))
    return;
  llvm::StringRef code = text(expr);
  if (needsParentheses(code))
    report.fix(kind, "`(" + code + ")" + suffix + "`",
               {{expr.start(), "("}, {expr.finish(), (")" + suffix).str()}});
  else
    report.fix(kind, "`" + code + suffix + "`",
               {{expr.finish(), suffix.str()}});
}

bool Reporter::offerSuffixThere(Diagnostic &report, SourceRange expr,
                                const llvm::Twine &suffix) {
  if (!isWritten(expr))
    return false;
  report.primary.range = expr;
  offerSuffix(report, expr, suffix);
  return true;
}

Val Reporter::unsupported(SourceRange range, const llvm::Twine &feature,
                          llvm::StringRef instead) {
  if (isAside)
    mute(); // what a caller decides may well be supported
  Diagnostic &report =
      error(DiagCode::TD900, range, feature + " is not built yet")
          .label("it comes in a later version");
  if (!instead.empty())
    report.note("until then: " + instead);
  return Val();
}

Val Reporter::reportNotCalled(SourceRange range) {
  Diagnostic &report =
      error(DiagCode::TD206, range, "`" + text(range) + "` is not called");
  report.label("the function itself, not its result");
  offerSuffix(report, range, "()", FixIt::Safe);
  return fail();
}

bool Reporter::withinLimits(SourceRange range) {
  // The code of the prelude, which is short, does not expect to fail.
  if (observer && !isPrelude(range.file) && observer->isCancelled())
    return false;
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

bool Reporter::isWithinExtent(size_t extent, SourceRange range) {
  if (extent > kMaxExtent)
    reportExtent(range, "a list or text grows without bound");
  return extent <= kMaxExtent;
}

void Reporter::reportExtent(SourceRange range, const llvm::Twine &title) {
  // The values made from it are not reported again.
  if (!std::exchange(saidExtent, true))
    error(DiagCode::TD215, range, title);
}

Reporter::Aside::Aside(Reporter &reporter)
    : silent(reporter.sources),
      emitter(reporter.emitter, &reporter.nullEmitter), diags(reporter.diags),
      scratch(reporter.scratch, &silent), frames(reporter.frames),
      failedAt(reporter.failedAt), here(reporter.here),
      isAside(reporter.isAside, true) {}

void Reporter::at(SourceRange range) {
  here = range;
  locationIsStale = true;
}

Emitter &Reporter::emit() {
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
