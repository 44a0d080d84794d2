//===- SafeFixes.cpp - fixes that are made without asking -----------------===//

#include "Frontend/SafeFixes.h"
#include "llvm/ADT/STLExtras.h"

using namespace tdc;

const FixIt *tdc::getSafeFix(const Diagnostic &report) {
  const FixIt *only = report.fixes.size() == 1 ? &report.fixes[0] : nullptr;
  bool isSafe = only && only->kind == FixIt::Safe && !only->edits.empty();
  return isSafe ? only : nullptr;
}

bool tdc::isSyntaxError(const Diagnostic &report) {
  return getDiagInfo(report.code).name.starts_with("TD1") &&
         report.severity == Severity::Error;
}

/// Whether the order of two edits matters: they overlap, or one of them is an
/// insertion at an end of the other.
static bool touches(SourceRange a, SourceRange b) {
  if (a.file != b.file)
    return false;
  if (a.size() == 0 || b.size() == 0)
    return a.begin <= b.end && b.begin <= a.end;
  return a.begin < b.end && b.begin < a.end;
}

/// Whether a fix only writes `let` or `var` before a name.
static bool declares(const FixIt &fix) {
  return llvm::all_of(fix.edits, [](const Edit &edit) {
    return edit.range.size() == 0 &&
           (edit.text == "let " || edit.text == "var ");
  });
}

std::vector<SafeFix>
tdc::collectSafeFixes(llvm::ArrayRef<const Diagnostic *> reports, FileId file,
                      llvm::function_ref<bool(const Diagnostic &)> left) {
  bool isParsed = llvm::none_of(
      reports, [](const Diagnostic *report) { return isSyntaxError(*report); });
  std::vector<SafeFix> fixes;
  std::vector<SourceRange> taken;
  auto fits = [&](const Edit &edit) {
    return edit.range.file == file &&
           llvm::none_of(taken, [&](SourceRange other) {
             return touches(edit.range, other);
           });
  };
  // A construct of Python may not be an assignment here.
  for (bool syntax : {true, false})
    for (const Diagnostic *report : reports) {
      const FixIt *fix = getSafeFix(*report);
      if (!fix || isSyntaxError(*report) != syntax || left(*report) ||
          !(isParsed || syntax || declares(*fix)))
        continue;
      bool isMade = llvm::all_of(fix->edits, fits);
      if (isMade)
        fixes.push_back({report, fix});
      // What a syntax error touches is rewritten later, and stays until then.
      if (isMade || syntax)
        for (const Edit &edit : fix->edits)
          taken.push_back(edit.range);
    }
  return fixes;
}
