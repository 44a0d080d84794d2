//===- Listener.h - whom a compilation tells what it finds ----------------===//

#ifndef TDC_COMPILATION_LISTENER_H
#define TDC_COMPILATION_LISTENER_H

#include "Target/Steps.h"
#include "tdc_exit_codes.h"
#include "llvm/ADT/Twine.h"

namespace tdc {

class DiagnosticEngine;

class Listener : public StepListener {
public:
  /// Something new stands in `diags`, be it a mistake or a remark. To be marked
  /// or printed, so that it is not new the next time.
  virtual void found(DiagnosticEngine &diags) = 0;

  /// What ends the compilation and has no place in the program: a file, an
  /// option, a bug in tdc. `hint` may be empty.
  virtual void failed(ExitCode code, const llvm::Twine &problem,
                      const llvm::Twine &hint) = 0;

  /// Text that the options ask for.
  virtual void told(llvm::StringRef text) = 0;
};

/// Says nothing.
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
