//===- FrontEnd.h - a program in some language ----------------------------===//
//
// What a compilation needs of a language: to read a program, and to tell an
// Emitter what it does, which happens once for each kind of machine, and again
// with other arguments.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_FRONTEND_FRONTEND_H
#define TDC_FRONTEND_FRONTEND_H

#include "Frontend/CheckOptions.h"
#include "Frontend/Diagnostics.h"
#include "Frontend/Emitter.h"
#include <memory>

namespace tdc {

/// An argument that a program takes on its command line.
struct ProgramArgument {
  llvm::StringRef name;
  /// As the program's author wrote it; none if a user must give it.
  std::optional<llvm::StringRef> defaultText;
};

/// One program. Texts live as long as it and the sources it was parsed from.
class FrontEnd {
public:
  virtual ~FrontEnd() = default;

  /// Reads the program, once, before all else. Mistakes go to `diags`.
  virtual void parse(SourceManager &sources, FileId file,
                     DiagnosticEngine &diags) = 0;
  /// What `--help` of the program says it is for; may be empty.
  virtual llvm::StringRef getHelp() const = 0;
  virtual llvm::SmallVector<ProgramArgument> getArguments() const = 0;

  /// Finds the mistakes of the program and emits what it is on a machine with
  /// the devices of the options. What `emitter` holds is useful only if `diags`
  /// has no errors afterwards.
  ///
  /// The answer is for how many GPUs the program has versions of its own, most
  /// first. With final devices it is how many there are if the program or
  /// `--device` names one, else empty.
  virtual llvm::SmallVector<int64_t> check(const CheckOptions &options,
                                           DiagnosticEngine &diags,
                                           Emitter &emitter) = 0;
};

/// Makes the front end of a language.
using MakeFrontEnd = std::unique_ptr<FrontEnd> (*)();

/// That of `.tdsl`.
std::unique_ptr<FrontEnd> createTDSLFrontEnd();

} // namespace tdc

#endif // TDC_FRONTEND_FRONTEND_H
