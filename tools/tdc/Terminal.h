//===- Terminal.h - prints the findings of a compilation ------------------===//

#ifndef TDC_TOOLS_TDC_TERMINAL_H
#define TDC_TOOLS_TDC_TERMINAL_H

#include "Compilation/Listener.h"
#include "Options.h"
#include "PhaseTimes.h"
#include "Progress.h"

namespace tdc {

/// Prints the findings on standard error, in the form of `--message-format`,
/// and after the last of them how many errors there are.
class Terminal : public Listener {
public:
  explicit Terminal(const Options &options);
  ~Terminal() override;

  void found(DiagnosticEngine &diags) override;
  void failed(ExitCode code, const llvm::Twine &problem,
              const llvm::Twine &hint) override;
  void told(llvm::StringRef text) override;
  void begins(llvm::StringRef step) override;
  void beginsPass(llvm::StringRef pass) override;
  void done(llvm::StringRef step) override;

  /// Ends the progress display: the program is compiled and now owns the
  /// terminal.
  void handOver() { progress.end(); }

  /// Prints the time of each step if `--time-phases` is set.
  void finish() const;

private:
  void count(const DiagnosticEngine &diags);

  const Options &options;
  unsigned numErrors = 0;
  unsigned numFixed = 0;     ///< errors that `tdc fix` fixes
  llvm::StringRef firstCode; ///< of an error
  PhaseTimes times;
  Progress progress;
};

} // namespace tdc

#endif // TDC_TOOLS_TDC_TERMINAL_H
