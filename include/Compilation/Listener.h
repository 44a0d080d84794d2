//===- Listener.h - whom a compilation tells what it finds ----------------===//

#ifndef TDC_COMPILATION_LISTENER_H
#define TDC_COMPILATION_LISTENER_H

#include "Pipelines/Steps.h"
#include "llvm/ADT/Twine.h"

namespace tdc {

class DiagnosticEngine;

/// How a compilation, or a run, ended: what `tdc` returns to the shell.
enum ExitCode : int {
  ExitOk = 0,
  ExitProgramError = 1, ///< the program has mistakes
  ExitUsage = 2,        ///< the command line, or an option, has
  ExitRunTime = 3,      ///< an error while it ran; a device; a file
  ExitBug = 70,         ///< a bug in tdc, or no memory while compiling
  ExitInterrupted = 130
};

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

} // namespace tdc

#endif // TDC_COMPILATION_LISTENER_H
