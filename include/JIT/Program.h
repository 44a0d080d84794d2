//===- Program.h - a compiled program in memory ---------------------------===//

#ifndef TDC_JIT_PROGRAM_H
#define TDC_JIT_PROGRAM_H

#include "Compilation/CompileOptions.h"
#include "Compilation/Listener.h"
#include "Frontend/TDSLFrontEnd.h"
#include "JIT/JIT.h"
#include "tdc_runtime.h"
#include <memory>
#include <string>
#include <vector>

namespace tdc {

/// The code of a program, for the machine that it was compiled on. It is
/// immutable: any number of contexts may run it.
class Program {
public:
  /// Compiles the file of the options, or `text` instead if that is not null.
  /// Returns null and sets `code` if the compilation fails. `listener` gets the
  /// errors, on an unspecified thread.
  static std::unique_ptr<Program>
  compile(const CompileOptions &options, const llvm::StringRef *text,
          Listener &listener, ExitCode &code,
          MakeFrontEnd makeFrontEnd = createTDSLFrontEnd);

  const tdrt_program &get() const {
    return *static_cast<const tdrt_program *>(jit->getEntry());
  }

  /// The types of the exported functions, as they are written.
  const std::vector<Signature> &getSignatures() const { return signatures; }

  /// The names of the parameters and buffers of its models, also of those that
  /// are not in the code because nothing uses them.
  const std::vector<std::string> &getModelState() const { return modelState; }

  /// The command line of the program: its file, then its arguments.
  const std::vector<const char *> &getArgv() const { return argv; }

private:
  explicit Program(const CompileOptions &options);

  /// Sets everything but `jit`, which it returns; null if it fails.
  std::unique_ptr<JIT> link(const CompileOptions &options,
                            const llvm::StringRef *text, Listener &listener,
                            ExitCode &code, MakeFrontEnd makeFrontEnd);

  std::unique_ptr<JIT> jit;
  std::vector<Signature> signatures;
  std::vector<std::string> modelState;
  std::vector<std::string> words;
  std::vector<const char *> argv; ///< of `words`
};

} // namespace tdc

#endif // TDC_JIT_PROGRAM_H
