//===- Listener.h - receives the findings of a compilation ----------------===//

#ifndef TDC_COMPILATION_LISTENER_H
#define TDC_COMPILATION_LISTENER_H

#include "Target/Steps.h"
#include "tdc_exit_codes.h"
#include "llvm/ADT/Twine.h"

namespace tdc {

class DiagnosticEngine;

class Listener : public StepListener {
public:
  /// `diags` has new diagnostics: errors, warnings or notes. The listener marks
  /// or prints them, so that they are not new in the next call.
  virtual void found(DiagnosticEngine &diags) = 0;

  /// The compilation ends because of a problem that has no line in the
  /// program: a file, an option, a bug in tdc. `hint` may be empty.
  virtual void failed(ExitCode code, const llvm::Twine &problem,
                      const llvm::Twine &hint) = 0;

  /// Text that an option requests.
  virtual void told(llvm::StringRef text) = 0;
};

/// A listener that ignores everything.
class Silence : public Listener {
public:
  void found(DiagnosticEngine &) override {}
  void failed(ExitCode, const llvm::Twine &, const llvm::Twine &) override {}
  void told(llvm::StringRef) override {}
  void begins(llvm::StringRef) override {}
  void beginsPass(llvm::StringRef) override {}
  void done(llvm::StringRef) override {}
};

} // namespace tdc

#endif // TDC_COMPILATION_LISTENER_H
