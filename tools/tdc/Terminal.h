//===- Terminal.h - what a compilation finds, on standard error -----------===//

#ifndef TDC_TOOLS_TDC_TERMINAL_H
#define TDC_TOOLS_TDC_TERMINAL_H

#include "Compilation/Listener.h"
#include "Options.h"
#include "PhaseTimes.h"
#include "Progress.h"

namespace tdc {

/// Prints as `--message-format` says.
class Terminal : public Listener {
public:
  explicit Terminal(const Options &options);

  void found(DiagnosticEngine &diags) override;
  void failed(ExitCode code, const llvm::Twine &problem,
              const llvm::Twine &hint) override;
  void told(llvm::StringRef text) override;
  void begins(llvm::StringRef step) override;
  void beginsPass(llvm::StringRef pass) override;
  void done(llvm::StringRef step) override;

  /// The program is compiled, and the terminal is its own.
  void handOver() { progress.end(); }

  /// Prints how long each step took, if that is wanted.
  void finish() const;

private:
  const Options &options;
  PhaseTimes times;
  Progress progress;
};

} // namespace tdc

#endif // TDC_TOOLS_TDC_TERMINAL_H
