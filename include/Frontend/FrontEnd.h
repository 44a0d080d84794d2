//===- FrontEnd.h - the interface of a source language --------------------===//
//
// A compilation uses a language through this interface: it parses a program,
// and emits it to an Emitter, once for each kind of machine and again with
// other arguments.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_FRONTEND_FRONTEND_H
#define TDC_FRONTEND_FRONTEND_H

#include "Frontend/CheckOptions.h"
#include "Frontend/Diagnostics.h"
#include "Frontend/Emitter.h"
#include <memory>
#include <string>
#include <vector>

namespace tdc {

/// An argument that a program takes on its command line.
struct ProgramArgument {
  llvm::StringRef name;
  /// As the program's author wrote it; none if a user must give it.
  std::optional<llvm::StringRef> defaultText;
};

/// The types of an exported function, as the program writes them.
struct Signature {
  std::string name;
  std::vector<std::string> parameters; ///< "f32[N, 2]"
  std::string result;                  ///< "" if it is not written
};

/// The machines that a program is for.
struct Machines {
  /// The numbers of GPUs for which the program has versions of its own, largest
  /// first. Empty if it has one version, for the machine of the options; with
  /// final devices it always has one.
  llvm::SmallVector<int64_t> versions;
  /// The number of GPUs of the machine of the options; none if neither the
  /// program nor `--device` names a GPU.
  std::optional<int64_t> gpus;
};

/// One program. Its texts live as long as the program and its sources.
class FrontEnd {
public:
  virtual ~FrontEnd() = default;

  /// Parses the program. Called once, before all else. Mistakes go to `diags`.
  virtual void parse(SourceManager &sources, FileId file,
                     DiagnosticEngine &diags) = 0;
  /// The description that `--help` of the program shows; may be empty.
  virtual llvm::StringRef getHelp() const = 0;
  virtual llvm::SmallVector<ProgramArgument> getArguments() const = 0;
  /// Those of the functions that the program exports, if they are written.
  virtual std::vector<Signature> getSignatures() const = 0;

  /// Checks the program and emits its version for a machine with the devices of
  /// the options. The contents of `emitter` are useful only if `diags` has no
  /// errors afterwards.
  virtual Machines check(const CheckOptions &options, DiagnosticEngine &diags,
                         Emitter &emitter) = 0;
};

/// Makes the front end of a language.
using MakeFrontEnd = std::unique_ptr<FrontEnd> (*)();

} // namespace tdc

#endif // TDC_FRONTEND_FRONTEND_H
