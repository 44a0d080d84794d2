//===- CompileOptions.h - the options of a compilation --------------------===//

#ifndef TDC_COMPILATION_COMPILEOPTIONS_H
#define TDC_COMPILATION_COMPILEOPTIONS_H

#include "Frontend/CheckOptions.h"
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tdc {

/// The purpose of the code. It decides which arguments, files and devices are
/// final at compile time.
enum class Purpose : uint8_t {
  Run,    ///< runs now, on this machine, with these arguments
  Build,  ///< runs on any machine
  Emit,   ///< is printed, for the devices of the options
  Report, ///< describes a run with the files that exist now
  Check   ///< is not generated: only the diagnostics are needed
};

/// How the compiler treats copies in loops that the program does not write.
struct TransferGuard {
  enum Mode : uint8_t { Allow, Log, Disallow } mode = Allow;
  /// "h2d", "d2h" or "d2d" restricts the guard to that direction; "" guards
  /// all.
  std::string direction;
};

/// The bytes of GPU memory that a program may use.
struct MemoryBudget {
  std::optional<int64_t> ofEach;
  std::map<uint32_t, int64_t> ofOne; ///< by ordinal; overrides `ofEach`
};

/// Strings are as the user wrote them.
struct CompileOptions {
  Purpose purpose = Purpose::Check;
  /// The program.
  std::string file;
  /// Run: the command-line arguments of the program.
  std::vector<std::string> programArgs;
  /// Values of `arg`s that are fixed at compile time.
  std::vector<std::pair<std::string, std::string>> set;
  /// Names that no `arg` may have because tdc has an option of that name.
  std::vector<std::string> ownOptions;

  std::string device; ///< cpu, cuda, cuda:1, auto; empty: not given
  std::optional<Placement> placement;
  unsigned simulatedDevices = 0;
  bool noTOps = false;
  bool tf32 = false;
  /// Whether the running program reports the first op whose result is not
  /// finite (TR109), rather than the first loss.
  bool checkNumerics = false;
  /// Whether it stops there.
  bool strictNumerics = false;
  TransferGuard guard;
  MemoryBudget budget;
  /// Build: whether errors of the running program show the source line. (Run:
  /// they do.)
  bool embedsSource = false;
  std::string targetCPU;   ///< empty: this machine's
  std::vector<int> cubins; ///< compute capabilities: 90 for sm_90
  /// Whether to tell the registers and the memory that each GPU kernel uses.
  bool tellsUsage = false;
};

/// An error in the value of an option.
struct UsageError {
  std::string problem, hint;
};

/// Each of these parses the text of an option and sets it in `options`, or
/// returns the error in the text.
std::optional<UsageError> setDevice(CompileOptions &options,
                                    llvm::StringRef value);
std::optional<UsageError> setPlacement(CompileOptions &options,
                                       llvm::StringRef value);
std::optional<UsageError> setTransferGuard(CompileOptions &options,
                                           llvm::StringRef value);
std::optional<UsageError> setMemoryBudget(CompileOptions &options,
                                          llvm::StringRef value);

/// Returns "did you mean `…`?" if `word` is near a candidate, else "".
std::string suggestNearest(llvm::StringRef word,
                           llvm::ArrayRef<llvm::StringRef> candidates);

/// A hint for a word that is not in `candidates`: suggests the nearest of them,
/// or lists all.
std::string suggest(llvm::StringRef word,
                    llvm::ArrayRef<llvm::StringRef> candidates);

} // namespace tdc

#endif // TDC_COMPILATION_COMPILEOPTIONS_H
