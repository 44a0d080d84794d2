//===- Options.h - the command line of tdc --------------------------------===//

#ifndef TDC_TOOLS_TDC_OPTIONS_H
#define TDC_TOOLS_TDC_OPTIONS_H

#include "Compilation/CompileOptions.h"
#include "Compilation/Listener.h"
#include "Pipelines/Phases.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tdc {

enum class Verb : uint8_t {
  Run,
  Check,
  Build,
  Emit,
  Report,
  Fix,
  Explain,
  Doctor,
  Version
};

/// A command line that has been read and found complete. For `explain`, `file`
/// is the code, which may be missing.
struct Options : CompileOptions {
  Verb verb = Verb::Run;
  bool requiresCuda = false;
  bool json = false;
  bool quiet = false;

  std::string function;
  std::vector<std::pair<std::string, std::string>> inputs;  ///< name, file
  std::vector<std::pair<std::string, std::string>> results; ///< name, file
  unsigned repeat = 0;

  std::string output;
  Phase phase = Phase::TD;
  std::string graph; ///< svg or html in the place of a phase
  bool verbose = false;
  bool dryRun = false;
  bool timePhases = false;
  bool reportsJSON = false;
  std::string reportPage;
  std::string trace; ///< of TDC_TRACE, for a report
};

/// Reads the words after the program's name. If there is nothing left to do
/// (help was asked for, or the line is wrong and that has been said), the
/// result is empty and `exitCode` is set.
std::optional<Options> parseOptions(llvm::ArrayRef<const char *> words,
                                    int &exitCode);

/// Says what is wrong with a command line, or else, on stderr, with a second
/// line if `hint` is not empty. Returns ExitUsage.
int reportUsage(const llvm::Twine &problem, const llvm::Twine &hint = {});

} // namespace tdc

#endif // TDC_TOOLS_TDC_OPTIONS_H
