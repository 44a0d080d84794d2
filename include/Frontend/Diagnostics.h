//===- Diagnostics.h - what the compiler tells the author -----------------===//
//
// A diagnostic has a code from Diagnostics.def, one primary position,
// further labelled positions, notes and fix-its. The front end builds them with
//
//   diags.report(DiagCode::TD501, plus, "operands are on different devices")
//       .label("both must be on one device")
//       .note("`a` is f32[2] @cuda:1, moved here", aRange)
//       .fix(FixIt::Choice, "`a.to(cuda:2) + b`  (result on cuda:2)",
//            {{a.finish(), ".to(cuda:2)"}});
//
// and a driver prints them as text or as JSON when it is done. Texts are lower
// case without a full stop, in the words of the language, never the compiler's.
//
//===----------------------------------------------------------------------===//
#ifndef TDC_FRONTEND_DIAGNOSTICS_H
#define TDC_FRONTEND_DIAGNOSTICS_H

#include "Frontend/Source.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/raw_ostream.h"
#include <deque>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace tdc {

/// Only a running program has notes that are no part of another message.
enum class Severity : uint8_t { Error, Warning, Note };

enum class DiagCode : uint16_t {
#define DIAG(CODE, SEVERITY, TITLE, EXPLANATION) CODE,
#include "Frontend/Diagnostics.def"
};

/// A row of Diagnostics.def.
struct DiagInfo {
  DiagCode code;
  llvm::StringRef name; ///< "TD501"
  Severity severity;
  llvm::StringRef title;
  llvm::StringRef explanation; ///< for `tdc explain`
};

/// All rows, in the order of the table.
llvm::ArrayRef<DiagInfo> getDiagTable();
const DiagInfo &getDiagInfo(DiagCode code);
/// The row of a code as a user types it ("TD501", "td501"), or null.
const DiagInfo *findDiagInfo(llvm::StringRef name);

/// "TR103", the name of a code of running programs (tdc_errors.def).
std::string getRunTimeCode(int32_t number);

/// A position and a text about it, which may be empty.
struct Label {
  SourceRange range;
  std::string text;
};

/// A remark below the snippet; its position, if any, is appended to the text.
struct Note {
  std::string text;
  SourceRange range;
};

/// Replaces the bytes of `range` (an empty range inserts).
struct Edit {
  SourceRange range;
  std::string text;
};

/// A change that fixes the problem. An editor may apply a Safe one; a Choice
/// needs a decision of the author.
struct FixIt {
  enum Kind : uint8_t { Safe, Choice };
  Kind kind;
  std::string title;
  std::vector<Edit> edits;
};

struct Diagnostic {
  DiagCode code;
  Severity severity;
  std::string title;
  Label primary;
  std::vector<Label> secondary;
  std::vector<Note> notes;
  std::vector<FixIt> fixes;

  /// Sets the text at the primary position.
  Diagnostic &label(const llvm::Twine &text);
  /// Underlines another position, usually where one side of a conflict is from.
  Diagnostic &secondaryLabel(SourceRange range, const llvm::Twine &text);
  Diagnostic &note(const llvm::Twine &text, SourceRange range = {});
  /// Adds a fix. Its title is what to write, in backquotes, then two spaces
  /// and a remark in parentheses if one is needed; the line is added when it
  /// is not the primary one.
  Diagnostic &fix(FixIt::Kind kind, const llvm::Twine &title,
                  std::vector<Edit> edits);
};

/// The codes, with commas between, of a comment `# tdc: allow(TD610, TD612)`:
/// the author means what these warnings are about. Nothing for another comment.
/// `comment` begins after the `#`.
std::optional<llvm::StringRef> getAllowed(llvm::StringRef comment);

/// Collects diagnostics: at most one per code and primary position, because
/// an elaborated function body is visited once per call. Warnings that a
/// comment allows, on their line or alone on the line above, are dropped.
class DiagnosticEngine {
public:
  explicit DiagnosticEngine(const SourceManager &sources) : sources(sources) {}

  /// Starts a diagnostic; without a title it gets the one of the table. Add
  /// details to the returned reference before the next call: a repeated
  /// diagnostic is dropped, and its reference is reused.
  Diagnostic &report(DiagCode code, SourceRange range,
                     const llvm::Twine &title = {});
  /// The same for a diagnostic that has its severity.
  Diagnostic &report(Diagnostic diagnostic);

  bool hasErrors() const { return numErrors != 0; }
  unsigned getNumErrors() const { return numErrors; }
  /// Counts at least as many dropped reports as `other` does; for an engine
  /// that takes over the reports of `other`.
  void takeOverDropped(const DiagnosticEngine &other);
  /// "and 23 more errors" if some were dropped since the last call, else empty.
  std::string takeDropped();
  unsigned getNumWarnings() const { return numWarnings; }

  /// All diagnostics in the order of files and positions.
  std::vector<const Diagnostic *> getSorted() const { return getSorted(0); }

  /// What was reported since the last print, in the same order.
  std::vector<const Diagnostic *> takeNew();

  /// Prints what was reported since the last print, each followed by an empty
  /// line.
  void printText(llvm::raw_ostream &os, bool colour = false);
  /// The same, one JSON object per line.
  void printJSON(llvm::raw_ostream &os);

  /// Excludes the reports so far from printing: they were shown elsewhere.
  void markPrinted() { numPrinted = diagnostics.size(); }

  const SourceManager &getSources() const { return sources; }

private:
  /// Further errors, or further warnings, are dropped: they tell the author
  /// nothing new.
  static constexpr unsigned maxShown = 100;

  std::vector<const Diagnostic *> getSorted(size_t from) const;
  bool isAllowed(const Diagnostic &warning) const;

  const SourceManager &sources;
  std::deque<Diagnostic> diagnostics;
  llvm::DenseSet<std::tuple<unsigned, unsigned, unsigned, unsigned>> seen;
  Diagnostic dropped{};
  unsigned numErrors = 0;
  unsigned numWarnings = 0;
  unsigned droppedErrors = 0, droppedWarnings = 0; ///< since takeDropped
  size_t numPrinted = 0;
};

/// The first line of `range` with marks below it, as a diagnostic shows them.
std::string getExcerpt(const SourceManager &sources, SourceRange range);

/// Prints one diagnostic in the form of docs/Language.md, "Diagnostics".
void printText(llvm::raw_ostream &os, const SourceManager &sources,
               const Diagnostic &diagnostic, bool colour);

/// Prints one diagnostic as a JSON object on one line.
void printJSON(llvm::raw_ostream &os, const SourceManager &sources,
               const Diagnostic &diagnostic);

/// The same for an error that does not come from the checker: in an option, a
/// file or a run. All but the title may be empty; `at` is in `file`.
void printJSON(llvm::raw_ostream &os, Severity severity, llvm::StringRef code,
               llvm::StringRef title, llvm::StringRef file, LineColumn at,
               llvm::StringRef note);

/// The candidate nearest to a misspelt word, if one is near enough to be meant;
/// the first of equally near ones. A candidate that differs only in case is
/// taken at once.
std::optional<llvm::StringRef>
findNearest(llvm::StringRef word, llvm::ArrayRef<llvm::StringRef> candidates);

/// Whether a word is certainly a misspelt `nearest`: it is long, it has few
/// typos, none of which is another letter, and no other candidate is as near.
bool isUnmistakable(llvm::StringRef word, llvm::StringRef nearest,
                    llvm::ArrayRef<llvm::StringRef> candidates);

} // namespace tdc

#endif // TDC_FRONTEND_DIAGNOSTICS_H
