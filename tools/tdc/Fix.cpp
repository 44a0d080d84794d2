//===- Fix.cpp - tdc fix --------------------------------------------------===//
//
// Applies the safe fixes of all reports and checks again until there are none,
// because a fix can uncover the next error.
//
//===----------------------------------------------------------------------===//

#include "Compilation/Compilation.h"
#include "Compilation/DeepStack.h"
#include "OutputFile.h"
#include "Terminal.h"
#include "Verbs.h"
#include "tdc_text.h"
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

/// The changes of one round.
struct Round {
  std::vector<Edit> edits;
  std::string log;
  unsigned syntaxErrors = 0; ///< that the round does not fix
};
} // namespace

/// Collects the safe fixes that can be applied together: of several that touch
/// each other only the first. A report with several fixes is left to the
/// author.
static Round collect(const DiagnosticEngine &diags, FileId file,
                     const FixedText &text) {
  Round round;
  for (const Diagnostic *report : diags.getSorted()) {
    const DiagInfo &info = getDiagInfo(report->code);
    const FixIt *fix = report->fixes.size() == 1 ? &report->fixes[0] : nullptr;
    if (!fix || fix->kind != FixIt::Safe || fix->edits.empty()) {
      round.syntaxErrors +=
          info.name.starts_with("TD1") && report->severity == Severity::Error;
      continue;
    }
    bool fits = llvm::all_of(fix->edits, [&](const Edit &edit) {
      return edit.range.file == file &&
             llvm::none_of(round.edits, [&](const Edit &other) {
               return touches(edit.range, other.range);
             });
    });
    if (!fits)
      continue;
    llvm::append_range(round.edits, fix->edits);
    LineColumn at = text.getOrigin(fix->edits[0].range);
    llvm::raw_string_ostream(round.log)
        << printable(diags.getSources().getName(file)) << ":" << at.line << ":"
        << at.column << ": " << info.name << ": " << fix->title << "\n";
  }
  return round;
}

static Round inspect(const Options &options, const FixedText &text) {
  Silence silence;
  Compilation compilation(options, silence);
  compilation.setText(text.get());
  return collect(compilation.inspect(), compilation.getFile(), text);
}

/// Applies safe fixes to `text` until none is left. Returns a line for each.
static std::string fixText(const Options &options, FixedText &text) {
  std::string log;
  Round round = inspect(options, text);
  for (unsigned i = 0; i != kMaxRounds && !round.edits.empty(); ++i) {
    FixedText changed = text;
    changed.apply(std::move(round.edits));
    Round next = inspect(options, changed);
    // Do not apply a round that leads to more syntax errors.
    if (next.syntaxErrors > round.syntaxErrors)
      break;
    text = std::move(changed);
    log += round.log;
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
      exitCode = writeFile(options.file, text.get());
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
