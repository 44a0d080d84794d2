//===- Fix.cpp - tdc fix --------------------------------------------------===//
//
// Applies the safe fixes of all reports and checks again until there are none,
// because a fix can uncover the next error.
//
//===----------------------------------------------------------------------===//

#include "Compilation/Compilation.h"
#include "Compilation/DeepStack.h"
#include "Frontend/SafeFixes.h"
#include "OutputFile.h"
#include "Terminal.h"
#include "Verbs.h"
#include "tdc_text.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/Support/raw_ostream.h"
#include <numeric>

using namespace tdc;

/// A limit of the rounds, in case two fixes undo each other.
static constexpr unsigned kMaxRounds = 30;

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
    // What is inserted at a place comes before what replaces the text there.
    llvm::sort(edits, [](const Edit &a, const Edit &b) {
      return std::pair(a.range.begin, a.range.end) >
             std::pair(b.range.begin, b.range.end);
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

/// Collects what a round does. A report with several fixes is left to the
/// author.
static Round collect(const DiagnosticEngine &diags, FileId file,
                     const FixedText &text, const KeptClasses &kept) {
  Round round;
  auto isModel = [](const FixIt &fix) {
    return llvm::StringRef(fix.title).starts_with("`model ");
  };
  auto getOrigin = [&](const Diagnostic &report) {
    SourceRange primary = report.primary.range;
    bool isHere = primary.isValid() && primary.file == file;
    return isHere ? text.getOrigin(primary) : LineColumn();
  };
  auto stays = [&](const Diagnostic &report) {
    return isModel(*getSafeFix(report)) &&
           kept.contains(getOrigin(report).line);
  };
  std::vector<const Diagnostic *> reports = diags.getSorted();
  for (const Diagnostic *report : reports)
    if (isSyntaxError(*report) && !getSafeFix(*report))
      round.syntaxErrors.push_back(
          place(diags, file, getOrigin(*report)) +
          getDiagInfo(report->code).name.str() + ": " + report->title +
          (report->primary.text.empty() ? "" : ": ") + report->primary.text);
  for (auto [report, fix] : collectSafeFixes(reports, file, stays)) {
    LineColumn at = text.getOrigin(fix->edits[0].range);
    round.fixes.push_back({fix->edits,
                           place(diags, file, at) +
                               getDiagInfo(report->code).name.str() + ": " +
                               fix->title + "\n",
                           isModel(*fix), getOrigin(*report)});
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
