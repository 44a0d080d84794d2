//===- Options.h - the command line of tdc --------------------------------===//

#ifndef TDC_TOOLS_TDC_OPTIONS_H
#define TDC_TOOLS_TDC_OPTIONS_H

#include "Frontend/Sema.h"
#include "Pipelines/Phases.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tdc {

/// What `tdc` returns to the shell.
enum ExitCode : int {
  ExitOk = 0,
  ExitProgramError = 1, ///< the program has mistakes
  ExitUsage = 2,        ///< the command line has
  ExitRunTime = 3,      ///< an error while it ran; a device; a file
  ExitBug = 70,         ///< a bug in tdc, or no memory while compiling
  ExitInterrupted = 130
};

enum class Verb : uint8_t {
  Run,
  Check,
  Build,
  Emit,
  Report,
  Fix,
  Explain,
  Version
};

/// `--transfer-guard`: what becomes of copies in loops that the program does
/// not write.
struct TransferGuard {
  enum Mode : uint8_t { Allow, Log, Disallow } mode = Allow;
  /// "h2d", "d2h" or "d2d" if only those are guarded.
  std::string direction;
};

/// A command line that has been read and found complete. Strings are the user's
/// own.
struct Options {
  Verb verb = Verb::Run;
  /// The program; for `explain`, the code, which may be missing.
  std::string file;
  /// `run`: what belongs to the program.
  std::vector<std::string> programArgs;

  std::string device;
  bool requiresCuda = false;
  std::optional<Placement> placement;
  unsigned simulatedDevices = 0;
  bool noTOps = false;
  bool tf32 = false;
  TransferGuard guard;
  bool json = false;

  std::string function;
  std::vector<std::pair<std::string, std::string>> inputs;  ///< name, file
  std::vector<std::pair<std::string, std::string>> results; ///< name, file
  unsigned repeat = 0;

  std::string output;
  std::string targetCPU;
  std::vector<int> cubins; ///< compute capabilities: 90 for sm_90
  Phase phase = Phase::TD;
  bool verbose = false;
  bool dryRun = false;
  std::vector<std::pair<std::string, std::string>> set; ///< `arg`, value
  bool timePhases = false;
  bool reportsJSON = false;
};

/// Reads the words after the program's name. If there is nothing left to do
/// (help was asked for, or the line is wrong and that has been said), the
/// result is empty and `exitCode` is set.
std::optional<Options> parseOptions(llvm::ArrayRef<const char *> words,
                                    int &exitCode);

/// Says what is wrong with a command line on stderr, with a second line if
/// `hint` is not empty. Returns ExitUsage.
int reportUsage(const llvm::Twine &problem, const llvm::Twine &hint = {});

} // namespace tdc

#endif // TDC_TOOLS_TDC_OPTIONS_H
