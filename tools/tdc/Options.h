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
  Fmt,
  Explain,
  Doctor,
  Completion,
  Manual,
  New,
  LanguageServer,
  Version
};

/// The options of a valid command line. For `explain`, `file` is the code,
/// which may be missing; for `completion`, the shell;
/// for `new`, the folder.
struct Options : CompileOptions {
  Verb verb = Verb::Run;
  bool requiresCuda = false;
  bool json = false;
  bool quiet = false;
  std::string color = "auto"; ///< auto, always or never
  /// Check and fmt: files, folders and `-`; the first of them is `file`.
  std::vector<std::string> files;
  bool watches = false;

  std::string function;
  std::vector<std::pair<std::string, std::string>> inputs;  ///< name, file
  std::vector<std::pair<std::string, std::string>> results; ///< name, file
  unsigned repeat = 0;
  std::string plot;     ///< the file of a picture, or ""
  unsigned threads = 0; ///< 0: as many as the runtime chooses

  std::string output;
  std::string depfile; ///< "" if none is wanted
  Phase phase = Phase::TD;
  std::string graph; ///< svg or html instead of a phase; else ""
  bool verbose = false;
  bool dryRun = false;
  bool checksFormat = false;
  bool timePhases = false;
  bool reportsJSON = false;
  std::string reportPage;
  std::string trace; ///< a file of TDC_TRACE, for a report
};

/// Parses the words after the program's name. Returns nullopt and sets
/// `exitCode` if there is nothing left to do: the help was printed, or an error
/// was reported.
std::optional<Options> parseOptions(llvm::ArrayRef<const char *> words,
                                    int &exitCode);

/// Prints an error in the command line, or another one, on stderr; with a
/// second line if `hint` is not empty. Returns ExitUsage.
int reportUsage(const llvm::Twine &problem, const llvm::Twine &hint = {});

/// A word of a command line, as a shell reads it.
std::string quoteWord(llvm::StringRef word);

} // namespace tdc

#endif // TDC_TOOLS_TDC_OPTIONS_H
