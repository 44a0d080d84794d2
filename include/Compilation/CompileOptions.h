//===- CompileOptions.h - what a compilation is told ----------------------===//

#ifndef TDC_COMPILATION_COMPILEOPTIONS_H
#define TDC_COMPILATION_COMPILEOPTIONS_H

#include "Frontend/CheckOptions.h"
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tdc {

/// What the code is for, which decides what is final while compiling.
enum class Purpose : uint8_t {
  Run,    ///< to run here and now, with these arguments
  Build,  ///< to run anywhere
  Emit,   ///< to be looked at, for the devices of the options
  Report, ///< to tell what a run would do with the files that are there now
  Check   ///< none; only what is wrong with the program is wanted
};

/// What becomes of copies in loops that the program does not write.
struct TransferGuard {
  enum Mode : uint8_t { Allow, Log, Disallow } mode = Allow;
  /// "h2d", "d2h" or "d2d" if only those are guarded.
  std::string direction;
};

/// How many bytes of its GPUs a program may take.
struct MemoryBudget {
  std::optional<int64_t> ofEach;
  std::map<uint32_t, int64_t> ofOne; ///< by number; goes before `ofEach`
};

/// Strings are the user's own.
struct CompileOptions {
  Purpose purpose = Purpose::Check;
  /// The program.
  std::string file;
  /// Run: the words that belong to the program.
  std::vector<std::string> programArgs;
  /// Values of `arg`s that are fixed for good.
  std::vector<std::pair<std::string, std::string>> set;
  /// Names that no `arg` can have because tdc has an option of that name.
  std::vector<std::string> ownOptions;

  std::string device; ///< cpu, cuda, cuda:1, auto; empty: not said
  std::optional<Placement> placement;
  unsigned simulatedDevices = 0;
  bool noTOps = false;
  bool tf32 = false;
  TransferGuard guard;
  MemoryBudget budget;
  std::string targetCPU;   ///< empty: this machine's
  std::vector<int> cubins; ///< compute capabilities: 90 for sm_90
  /// Tells what GPU kernels take of a GPU.
  bool tellsUsage = false;
};

/// What is wrong with the value of an option.
struct UsageError {
  std::string problem, hint;
};

/// Each of these sets what an option says as text, or returns what is wrong
/// with it.
std::optional<UsageError> setDevice(CompileOptions &options,
                                    llvm::StringRef value);
std::optional<UsageError> setPlacement(CompileOptions &options,
                                       llvm::StringRef value);
std::optional<UsageError> setTransferGuard(CompileOptions &options,
                                           llvm::StringRef value);
std::optional<UsageError> setMemoryBudget(CompileOptions &options,
                                          llvm::StringRef value);

/// "did you mean `…`?" if a word is near one of `candidates`, else "".
std::string suggestNearest(llvm::StringRef word,
                           llvm::ArrayRef<llvm::StringRef> candidates);

/// What a word may be that is none of `candidates`: the nearest one, or any.
std::string suggest(llvm::StringRef word,
                    llvm::ArrayRef<llvm::StringRef> candidates);

} // namespace tdc

#endif // TDC_COMPILATION_COMPILEOPTIONS_H
