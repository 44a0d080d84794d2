//===- Reporter.h - the position of the walk, and its reports -------------===//
//
// Every part of the checker reports and emits through one Reporter. The prelude
// is ordinary code, but its lines mean nothing to the author of a program: a
// mistake in it is reported at the call that led there.
//
// After the first error the walk continues, to find more errors, but a
// NullEmitter replaces the real one.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_LIB_FRONTEND_SEMA_REPORTER_H
#define TDC_LIB_FRONTEND_SEMA_REPORTER_H

#include "Bindings.h"
#include "Frontend/CheckObserver.h"
#include "Frontend/NullEmitter.h"
#include "Restore.h"
#include "llvm/ADT/DenseSet.h"

namespace tdc::sema {

/// A function, or the making of a model, that is being walked.
struct Frame {
  const ast::FnDecl *fn = nullptr;
  FileScope *file = nullptr;
  ModelInstance *self = nullptr;
  std::shared_ptr<ModelInstance> selfOwner;
  SourceRange callRange;
  llvm::ArrayRef<SourceRange> callers;
  std::optional<Dims> rest; ///< the dims that `...` matched
  std::optional<Place> sharedPlace;
  unsigned regionDepth = 0; ///< around the call
};

class Reporter {
public:
  Reporter(SourceManager &sources, DiagnosticEngine &diags, Emitter &emitter,
           CheckObserver *observer)
      : sources(sources), observer(observer), diags(&diags), emitter(&emitter) {
  }

  SourceManager &sources;
  CheckObserver *observer;   ///< may be null
  std::vector<Frame> frames; ///< innermost last
  SourceRange here;          ///< the code that is being walked
  unsigned regionDepth = 0;  ///< run-time branches and loops around this point
  unsigned conditionDepth = 0; ///< of code that runs only under a condition
  /// The number of frames where an expression is evaluated only if a condition
  /// of the running program says so: a side of `a if c else b`, or of `and`.
  std::optional<size_t> choiceFrame;
  unsigned errorCount = 0; ///< includes repeated errors
  unsigned evalDepth = 0;  ///< of statements and expressions

  bool isInsideRunTimeRegion() const { return regionDepth != 0; }

  // Reports ----------------------------------------------------------------//

  /// Reports an error at the user's code: for a range in the prelude, at the
  /// call that led there.
  Diagnostic &error(DiagCode code, SourceRange range,
                    const llvm::Twine &title = {});
  Diagnostic &warning(DiagCode code, SourceRange range,
                      const llvm::Twine &title = {});
  /// Reports a feature that is parsed and not built, and gives an error value.
  /// `instead` is what to write until then; empty if there is nothing.
  Val unsupported(SourceRange range, const llvm::Twine &feature,
                  llvm::StringRef instead = "");
  /// Reports that `()` is missing after a method.
  Val reportNotCalled(SourceRange range);
  /// The value of an expression that cannot be checked; a report has said why.
  Val fail() {
    if (!failedAt.isValid())
      failedAt = here;
    return Val();
  }
  SourceRange getFailure() const { return failedAt; } ///< the first `fail`
  unsigned countReports() const { return diags->getNumErrors(); }
  DiagnosticEngine &getDiags() { return *diags; }

  /// Offers to append `.suffix` to an expression of the user's code, in
  /// parentheses where the expression needs them.
  void offerSuffix(Diagnostic &report, SourceRange expr,
                   const llvm::Twine &suffix, FixIt::Kind kind = FixIt::Choice);
  /// The same for a report about this expression: it moves there. False, and
  /// nothing is done, if the expression is not in the user's code.
  bool offerSuffixThere(Diagnostic &report, SourceRange expr,
                        const llvm::Twine &suffix);

  // The user's code --------------------------------------------------------//

  llvm::StringRef text(SourceRange range) const {
    return range.isValid() ? sources.getText(range) : llvm::StringRef();
  }
  /// The `let` before a name that it declares alone; invalid for others.
  SourceRange letBefore(SourceRange name) const;
  /// The user's expression, in parentheses unless it binds as tightly as a
  /// name.
  std::string asOperand(SourceRange expr) const;
  SourceRange userRange(SourceRange range) const;
  /// The text of a line up to a range.
  llvm::StringRef textBefore(SourceRange range) const;
  /// Whether a statement is the first one of its line.
  bool beginsLine(SourceRange stmt) const {
    return textBefore(stmt).trim().empty();
  }
  /// The edit that inserts a statement above the line of `place`, indented as
  /// that line is.
  Edit insertAbove(SourceRange place, const llvm::Twine &stmt) const;
  /// In backquotes: the function or layer that the user's code called, if its
  /// code in the prelude is being walked; else `what`.
  std::string userFunction(llvm::StringRef what) const;
  /// The user's call that made the layer that is being walked, if any.
  SourceRange layerAround() const;
  void addPreludeFile(FileId file) { preludeFiles.insert(file); }
  bool isPrelude(FileId file) const { return preludeFiles.contains(file); }
  /// Whether a range is in the user's code.
  bool isWritten(SourceRange range) const {
    return range.isValid() && !isPrelude(range.file);
  }

  // Emission ---------------------------------------------------------------//

  /// Sets the location of the ops that are emitted next.
  void at(SourceRange range);
  /// Makes `emit` set the location again: the frames around it have changed.
  void forgetLocation() { locationIsStale = true; }
  Emitter &emit();
  /// From here on the NullEmitter is used: a program with an error never runs.
  void stopEmitting() { emitter = &nullEmitter; }
  /// A value that only a caller or a run knows, in code that is not emitted.
  Value unknownValue() { return Value(&nullEmitter); }

  // Limits -----------------------------------------------------------------//

  /// Counts evaluated statements and expressions. Reports and returns false
  /// beyond kMaxEvaluated or kMaxDepth.
  bool withinLimits(SourceRange range);
  /// Reports and returns false if a list, tuple or text is longer than
  /// kMaxExtent.
  bool isWithinExtent(size_t extent, SourceRange range);
  /// How many parts of a model are visited. After a report of an extent a few
  /// are enough for the checks that follow.
  size_t getMostParts() const { return saidExtent ? 1000 : kMaxExtent; }
  void reportExtent(SourceRange range, const llvm::Twine &title);
  static constexpr size_t kMaxExtent = 1000000;

  // Code that is walked and does not run -----------------------------------//

  /// During its lifetime nothing is emitted; its end restores frames and
  /// location.
  class Aside {
  public:
    explicit Aside(Reporter &reporter);

  private:
    DiagnosticEngine silent;
    Restore<Emitter *> emitter;
    Restore<DiagnosticEngine *> diags, scratch;
    Restore<std::vector<Frame>> frames;
    Restore<SourceRange> failedAt, here;
    Restore<bool> isAside;
  };
  bool isWalkedAside() const { return isAside; }
  /// Drops all further reports of the code that is walked aside: a mistake in
  /// it may never run, or a caller decides it.
  void mute() { diags = scratch; }
  bool isMuted() const { return diags == scratch; }

private:
  static constexpr uint64_t kMaxEvaluated = 4000000;
  static constexpr unsigned kMaxDepth = 2500;

  DiagnosticEngine *diags;
  DiagnosticEngine *scratch = nullptr; ///< takes muted reports
  Emitter *emitter;
  NullEmitter nullEmitter;
  llvm::DenseSet<FileId> preludeFiles;
  SourceRange failedAt;
  uint64_t evaluated = 0;
  bool locationIsStale = true, saidExtent = false, isAside = false;
};

/// A note: the replacement of a list in the running program.
inline constexpr llvm::StringLiteral kInsteadOfList =
    "a list is made while compiling; collect numbers in a tensor: `var losses "
    "= zeros(n)`, and `losses[i] = …` in the loop";

} // namespace tdc::sema

#endif // TDC_LIB_FRONTEND_SEMA_REPORTER_H
