//===- Terminal.h - what a compilation finds, on standard error -----------===//

#ifndef TDC_TOOLS_TDC_TERMINAL_H
#define TDC_TOOLS_TDC_TERMINAL_H

#include "Compilation/Listener.h"
#include "Options.h"
#include "PhaseTimes.h"

namespace tdc {

/// Prints as `--message-format` says.
class Terminal : public Listener {
public:
  explicit Terminal(const Options &options) : options(options) {}

  void found(DiagnosticEngine &diags) override;
  void failed(ExitCode code, const llvm::Twine &problem,
              const llvm::Twine &hint) override;
  void told(llvm::StringRef text) override;
  void done(llvm::StringRef step) override { times.done(step); }

  /// Prints how long each step took, if that is wanted.
  void finish() const;

private:
  const Options &options;
  PhaseTimes times;
};

/// Says nothing.
class Silence : public Listener {
public:
  void found(DiagnosticEngine &) override {}
  void failed(ExitCode, const llvm::Twine &, const llvm::Twine &) override {}
  void told(llvm::StringRef) override {}
  void done(llvm::StringRef) override {}
};

} // namespace tdc

#endif // TDC_TOOLS_TDC_TERMINAL_H
