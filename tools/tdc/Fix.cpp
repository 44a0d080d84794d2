//===- Fix.cpp - tdc fix --------------------------------------------------===//
//
// Applies the safe fixes of all reports and checks again until there are none,
// because a fix can uncover the next error.
//
//===----------------------------------------------------------------------===//

#include "Compilation/Compilation.h"
#include "Compilation/DeepStack.h"
#include "OutputFile.h"
#include "SafeFix.h"
#include "Terminal.h"
#include "Verbs.h"
#include "tdc_text.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/Support/raw_ostream.h"
#include <numeric>

using namespace tdc;

/// A limit of the rounds, in case two fixes undo each other.
static constexpr unsigned kMaxRounds = 30;

/// Whether the order of two edits matters: they overlap, or one of them is an
/// insertion at an end of the other.
static bool touches(SourceRange a, SourceRange b) {
  if (a.size() == 0 || b.size() == 0)
    return a.begin <= b.end && b.begin <= a.end;
  return a.begin < b.end && b.begin < a.end;
}

namespace {
/// The author's file with the fixes applied so far, and how its positions map
/// to those of the original.
class FixedText {
public:
  FixedText(const SourceManager &original, FileId file)
      : original(&original), file(file), current(original.getText(file)),
        origins(current.size() + 1) {
    std::iota(origins.begin(), origins.end(), 0);
  }

  const std::string &get() const { return current; }

  /// The position of a place in the author's file.
  LineColumn getOrigin(SourceRange place) const {
    return original->getLineColumn(file, origins[place.begin]);
  }

  void apply(std::vector<Edit> edits) {
    llvm::sort(edits, [](const Edit &a, const Edit &b) {
      return a.range.begin > b.range.begin;
    });
    for (const Edit &edit : edits) {
      current.replace(edit.range.begin, edit.range.size(), edit.text);
      auto first = origins.begin() + edit.range.begin;
      uint32_t origin = *first;
      first = origins.erase(first, first + edit.range.size());
      origins.insert(first, edit.text.size(), origin);
    }
  }

private:
  const SourceManager *original;
  FileId file;
  std::string current;
  /// The position in the original file of each byte of `current` and of its
  /// end.
  std::vector<uint32_t> origins;
};

/// A fix that a round applies.
struct Applied {
  std::vector<Edit> edits;
  std::string log;
  bool isModel = false; ///< it makes a model of a class
  LineColumn origin;    ///< in the author's file
};

/// The changes of one round.
struct Round {
  std::vector<Applied> fixes;
  /// That the round does not fix, as lines for the author.
  std::vector<std::string> syntaxErrors;
};

/// The classes that stay, by their lines in the author's file.
using KeptClasses = llvm::SmallSet<unsigned, 4>;
} // namespace

static std::string place(const DiagnosticEngine &diags, FileId file,
                         LineColumn at) {
  return printable(diags.getSources().getName(file)) + ":" +
         std::to_string(at.line) + ":" + std::to_string(at.column) + ": ";
}

const FixIt *tdc::getSafeFix(const Diagnostic &report) {
  const FixIt *only = report.fixes.size() == 1 ? &report.fixes[0] : nullptr;
  bool isSafe = only && only->kind == FixIt::Safe && !only->edits.empty();
  return isSafe ? only : nullptr;
}

/// Whether a fix only writes `let` or `var` before a name.
static bool declares(const FixIt &fix) {
  return llvm::all_of(fix.edits, [](const Edit &edit) {
    return edit.range.size() == 0 &&
           (edit.text == "let " || edit.text == "var ");
  });
}

/// Collects the safe fixes that can be applied together: of several that touch
/// each other only the first. A report with several fixes is left to the
/// author.
static Round collect(const DiagnosticEngine &diags, FileId file,
                     const FixedText &text, const KeptClasses &kept) {
  Round round;
  std::vector<Edit> all;
  auto isSyntax = [](const Diagnostic *report) {
    return getDiagInfo(report->code).name.starts_with("TD1") &&
           report->severity == Severity::Error;
  };
  bool isParsed = llvm::none_of(diags.getSorted(), isSyntax);
  // A construct of Python may not be an assignment here.
  std::vector<const Diagnostic *> reports;
  for (bool syntax : {true, false})
    llvm::copy_if(
        diags.getSorted(), std::back_inserter(reports),
        [&](const Diagnostic *report) { return isSyntax(report) == syntax; });
  for (const Diagnostic *report : reports) {
    const DiagInfo &info = getDiagInfo(report->code);
    SourceRange primary = report->primary.range;
    bool isHere = primary.isValid() && primary.file == file;
    LineColumn origin = isHere ? text.getOrigin(primary) : LineColumn();
    const FixIt *fix = getSafeFix(*report);
    bool isModel = fix && llvm::StringRef(fix->title).starts_with("`model ");
    if (isModel && kept.contains(origin.line))
      continue;
    if (!fix) {
      if (isSyntax(report))
        round.syntaxErrors.push_back(
            place(diags, file, origin) + info.name.str() + ": " +
            report->title + (report->primary.text.empty() ? "" : ": ") +
            report->primary.text);
      continue;
    }
    // Where a part could not be parsed, names and types are not certain.
    if (!isParsed && !isSyntax(report) && !declares(*fix))
      continue;
    bool fits = llvm::all_of(fix->edits, [&](const Edit &edit) {
      return edit.range.file == file &&
             llvm::none_of(all, [&](const Edit &other) {
               return touches(edit.range, other.range);
             });
    });
    // What a later round rewrites stays as it is until then.
    if (!fits && isSyntax(report))
      llvm::append_range(all, fix->edits);
    if (!fits)
      continue;
    llvm::append_range(all, fix->edits);
    LineColumn at = text.getOrigin(fix->edits[0].range);
    round.fixes.push_back(
        {fix->edits,
         place(diags, file, at) + info.name.str() + ": " + fix->title + "\n",
         isModel, origin});
  }
  return round;
}

static Round inspect(const Options &options, const FixedText &text,
                     const KeptClasses &kept) {
  Silence silence;
  Compilation compilation(options, silence);
  compilation.setText(text.get());
  return collect(compilation.inspect(), compilation.getFile(), text, kept);
}

static FixedText apply(const Round &round, FixedText text) {
  std::vector<Edit> edits;
  for (const Applied &fix : round.fixes)
    llvm::append_range(edits, fix.edits);
  text.apply(std::move(edits));
  return text;
}

/// The round without the classes in which a construct has no form here. Tells
/// the author which ones these are.
static Round withoutBadClasses(const Options &options, const FixedText &text,
                               const Round &round, KeptClasses &kept) {
  Round good;
  good.syntaxErrors = round.syntaxErrors;
  for (const Applied &fix : round.fixes)
    if (!fix.isModel)
      good.fixes.push_back(fix);
  for (const Applied &fix : round.fixes) {
    if (!fix.isModel)
      continue;
    Round only;
    only.fixes = {fix};
    Round next = inspect(options, apply(only, text), kept);
    if (next.syntaxErrors.size() <= round.syntaxErrors.size()) {
      good.fixes.push_back(fix);
      continue;
    }
    kept.insert(fix.origin.line);
    for (const std::string &error : next.syntaxErrors)
      if (!llvm::is_contained(round.syntaxErrors, error))
        llvm::errs() << error << "\n";
    llvm::errs() << "  so the class in line " << fix.origin.line
                 << " stays as it is\n";
  }
  return good;
}

/// Applies safe fixes to `text` until none is left. Returns a line for each.
static std::string fixText(const Options &options, FixedText &text) {
  std::string log;
  KeptClasses kept;
  Round round = inspect(options, text, kept);
  for (unsigned i = 0; i != kMaxRounds && !round.fixes.empty(); ++i) {
    FixedText changed = apply(round, text);
    Round next = inspect(options, changed, kept);
    // Do not apply a round that leads to more syntax errors.
    if (next.syntaxErrors.size() > round.syntaxErrors.size()) {
      size_t known = kept.size();
      round = withoutBadClasses(options, text, round, kept);
      if (kept.size() == known)
        break;
      changed = apply(round, text);
      next = inspect(options, changed, kept);
      if (next.syntaxErrors.size() > round.syntaxErrors.size())
        break;
    }
    text = std::move(changed);
    for (const Applied &fix : round.fixes)
      log += fix.log;
    round = std::move(next);
  }
  return log;
}

int tdc::fixVerb(const Options &options) {
  auto file = llvm::MemoryBuffer::getFile(options.file);
  if (!file) {
    reportUsage(
        "cannot read `" + options.file + "`: " + file.getError().message(), "");
    return ExitRunTime;
  }
  SourceManager original;
  FileId id = original.add(options.file, std::move(*file));
  FixedText text(original, id);
  int exitCode = ExitOk;
  runOnDeepStack([&] {
    llvm::outs() << fixText(options, text);
    llvm::outs().flush();
    bool changed = text.get() != original.getText(id);
    if (changed && !options.dryRun)
      exitCode = writeFile(options, options.file, text.get());
    if (exitCode != ExitOk)
      return;
    // Report the remaining errors to the author.
    Terminal terminal(options);
    Compilation compilation(options, terminal);
    compilation.setText(text.get());
    if (compilation.generate())
      compilation.lower(Phase::Grad);
    exitCode = compilation.getExitCode();
  });
  return exitCode;
}
