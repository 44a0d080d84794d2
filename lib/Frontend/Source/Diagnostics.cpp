//===- Diagnostics.cpp - collecting diagnostics ---------------------------===//
//
// The table of codes, the collector, and the search for the word that a
// misspelt one was meant to be. Printing is in DiagnosticText.cpp and
// DiagnosticJSON.cpp.
//
//===----------------------------------------------------------------------===//
#include "Frontend/Diagnostics.h"
#include "tdc_text.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace tdc;

static constexpr DiagInfo diagTable[] = {
#define DIAG(CODE, SEVERITY, TITLE, EXPLANATION)                               \
  {DiagCode::CODE, #CODE, Severity::SEVERITY, TITLE, EXPLANATION},
#include "Frontend/Diagnostics.def"
};

llvm::ArrayRef<DiagInfo> tdc::getDiagTable() { return diagTable; }

const DiagInfo &tdc::getDiagInfo(DiagCode code) {
  return diagTable[static_cast<size_t>(code)];
}

const DiagInfo *tdc::findDiagInfo(llvm::StringRef name) {
  const DiagInfo *row = llvm::find_if(diagTable, [&](const DiagInfo &info) {
    return info.name.equals_insensitive(name);
  });
  return row == std::end(diagTable) ? nullptr : row;
}

std::string tdc::getRunTimeCode(int32_t number) {
  return llvm::formatv("TR{0:3}", number).str();
}

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

Diagnostic &Diagnostic::label(const llvm::Twine &text) {
  primary.text = text.str();
  return *this;
}

Diagnostic &Diagnostic::secondaryLabel(SourceRange range,
                                       const llvm::Twine &text) {
  secondary.push_back({range, text.str()});
  return *this;
}

Diagnostic &Diagnostic::note(const llvm::Twine &text, SourceRange range) {
  notes.push_back({text.str(), range});
  return *this;
}

Diagnostic &Diagnostic::fix(FixIt::Kind kind, const llvm::Twine &title,
                            std::vector<Edit> edits) {
  fixes.push_back({kind, title.str(), std::move(edits)});
  return *this;
}

Diagnostic &DiagnosticEngine::report(DiagCode code, SourceRange range,
                                     const llvm::Twine &title) {
  return report(
      {code, getDiagInfo(code).severity, title.str(), {range, ""}, {}, {}, {}});
}

//===----------------------------------------------------------------------===//
// Warnings that are meant
//===----------------------------------------------------------------------===//

std::optional<llvm::StringRef> tdc::getAllowed(llvm::StringRef comment) {
  comment = comment.trim();
  if (!comment.consume_front("tdc:"))
    return std::nullopt;
  comment = comment.ltrim();
  if (!comment.consume_front("allow(") || !comment.consume_back(")"))
    return std::nullopt;
  return comment;
}

/// Whether a comment of the line, or the line as a whole if it must be alone,
/// allows the code.
static bool allows(llvm::StringRef line, bool isAlone, llvm::StringRef code) {
  if (isAlone && !line.ltrim().starts_with("#"))
    return false;
  // A `#` before the comment's may be in a string.
  for (size_t at = line.find('#'); at != line.npos; at = line.find('#', at + 1))
    if (auto allowed = getAllowed(line.drop_front(at + 1)))
      for (llvm::StringRef one : llvm::split(*allowed, ','))
        if (one.trim().equals_insensitive(code))
          return true;
  return false;
}

bool DiagnosticEngine::isAllowed(const Diagnostic &warning) const {
  const SourceRange &range = warning.primary.range;
  if (!range.isValid())
    return false;
  llvm::StringRef code = getDiagInfo(warning.code).name;
  unsigned line = sources.getLineColumn(range).line;
  auto textOf = [&](unsigned line) {
    return sources.getText(sources.getLine(range.file, line));
  };
  return allows(textOf(line), /*isAlone=*/false, code) ||
         (line > 1 && allows(textOf(line - 1), /*isAlone=*/true, code));
}

Diagnostic &DiagnosticEngine::report(Diagnostic diagnostic) {
  const SourceRange &range = diagnostic.primary.range;
  bool isError = diagnostic.severity == Severity::Error;
  if (!isError && isAllowed(diagnostic))
    return dropped = Diagnostic{};
  if (diagnostic.title.empty())
    diagnostic.title = getDiagInfo(diagnostic.code).title.str();
  bool isNew = seen.insert({static_cast<unsigned>(diagnostic.code), range.file,
                            range.begin, range.end})
                   .second;
  unsigned &count = isError ? numErrors : numWarnings;
  if (isNew && count == maxShown)
    ++(isError ? droppedErrors : droppedWarnings);
  if (!isNew || count == maxShown)
    return dropped = Diagnostic{};
  ++count;
  diagnostics.push_back(std::move(diagnostic));
  return diagnostics.back();
}

std::vector<const Diagnostic *> DiagnosticEngine::getSorted(size_t from) const {
  std::vector<const Diagnostic *> sorted;
  // In a program with mistakes a name may be unused because of one of them.
  for (size_t i = from; i != diagnostics.size(); ++i)
    if (!hasErrors() || diagnostics[i].code != DiagCode::TD210)
      sorted.push_back(&diagnostics[i]);
  // No two diagnostics have all of these in common, see report().
  auto key = [](const Diagnostic *d) {
    const SourceRange &range = d->primary.range;
    return std::make_tuple(range.file, range.begin, range.end, d->code);
  };
  llvm::sort(sorted, [&](const Diagnostic *a, const Diagnostic *b) {
    return key(a) < key(b);
  });
  return sorted;
}

std::vector<const Diagnostic *> DiagnosticEngine::takeNew() {
  std::vector<const Diagnostic *> sorted = getSorted(numPrinted);
  numPrinted = diagnostics.size();
  return sorted;
}

void DiagnosticEngine::takeOverDropped(const DiagnosticEngine &other) {
  droppedErrors = std::max(droppedErrors, other.droppedErrors);
  droppedWarnings = std::max(droppedWarnings, other.droppedWarnings);
}

std::string DiagnosticEngine::takeDropped() {
  std::string text;
  auto take = [&](unsigned &count, llvm::StringRef what) {
    if (count != 0)
      text += (text.empty() ? "and " : ", ") +
              countOf(count, ("more " + what).str());
    count = 0;
  };
  take(droppedErrors, "error");
  // As in getSorted, warnings may be consequences of errors.
  if (!hasErrors())
    take(droppedWarnings, "warning");
  return text;
}

void DiagnosticEngine::printText(llvm::raw_ostream &os, bool colour) {
  for (const Diagnostic *diagnostic : takeNew()) {
    tdc::printText(os, sources, *diagnostic, colour);
    os << '\n';
  }
  if (std::string more = takeDropped(); !more.empty())
    os << more << '\n';
}

void DiagnosticEngine::printJSON(llvm::raw_ostream &os) {
  for (const Diagnostic *diagnostic : takeNew())
    tdc::printJSON(os, sources, *diagnostic);
  if (std::string more = takeDropped(); !more.empty())
    tdc::printJSON(os, hasErrors() ? Severity::Error : Severity::Warning, "",
                   more, "", {}, "");
}

//===----------------------------------------------------------------------===//
// Misspelt words
//===----------------------------------------------------------------------===//

/// The number of typos: letters that are added, left out or replaced; two
/// neighbours that changed places count as one.
static unsigned countTypos(llvm::StringRef word, llvm::StringRef meant,
                           unsigned most) {
  if (word.size() == meant.size()) {
    auto [left, right] = std::mismatch(word.begin(), word.end(), meant.begin());
    size_t at = left - word.begin();
    if (at + 1 < word.size() && left[0] == right[1] && left[1] == right[0] &&
        word.drop_front(at + 2) == meant.drop_front(at + 2))
      return 1;
  }
  return word.edit_distance(meant, /*AllowReplacements=*/true, most);
}

/// Whether letters changed places, or were left out or added between the ends:
/// `is_tensor` and `sqrt_` are not misspelt `as_tensor` and `sqrt`.
static bool isSlip(llvm::StringRef word, llvm::StringRef meant) {
  if (word.size() == meant.size())
    return std::is_permutation(word.begin(), word.end(), meant.begin());
  return word.front() == meant.front() && word.back() == meant.back();
}

bool tdc::isUnmistakable(llvm::StringRef word, llvm::StringRef nearest,
                         llvm::ArrayRef<llvm::StringRef> candidates) {
  if (word.size() < 5)
    return false;
  // Two typos make one short word into another.
  unsigned most = word.size() < 8 ? 1 : 2;
  return isSlip(word, nearest) && countTypos(word, nearest, most) <= most &&
         llvm::none_of(candidates, [&](llvm::StringRef candidate) {
           return candidate != nearest &&
                  countTypos(word, candidate, most) <= most;
         });
}

std::optional<llvm::StringRef>
tdc::findNearest(llvm::StringRef word,
                 llvm::ArrayRef<llvm::StringRef> candidates) {
  // `Dropout2D` is the model, not the function `dropout2d`.
  std::optional<llvm::StringRef> same;
  for (llvm::StringRef candidate : candidates)
    if (candidate.equals_insensitive(word) &&
        (!same || word.edit_distance(candidate) < word.edit_distance(*same)))
      same = candidate;
  if (same)
    return same;
  // One typo for every three letters; for shorter words any candidate would be
  // near.
  std::optional<llvm::StringRef> nearest;
  unsigned nearestDistance = word.size() / 3;
  for (llvm::StringRef candidate : candidates) {
    unsigned distance = countTypos(word, candidate, nearestDistance);
    if (distance < nearestDistance ||
        (distance == nearestDistance && !nearest)) {
      nearest = candidate;
      nearestDistance = distance;
    }
  }
  return nearestDistance == 0 ? std::nullopt : nearest;
}
