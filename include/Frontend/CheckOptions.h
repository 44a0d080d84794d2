//===- CheckOptions.h - options and callbacks of a front end's check ------===//
//
// The driver tells the checker about the machine, the command line and the data
// files, all of which is known before the program is parsed. The checker
// reports sizes back through callbacks.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_FRONTEND_CHECKOPTIONS_H
#define TDC_FRONTEND_CHECKOPTIONS_H

#include "Dialect/TD/OpTable/Types.h"
#include "Frontend/Source.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include <functional>
#include <optional>

namespace tdc {

class CheckObserver;

/// The dtype and dims in the header of a data file.
struct FileHeader {
  /// None for a text file: its numbers get the dtype that the program declares.
  std::optional<DType> dtype;
  llvm::SmallVector<int64_t, 4> dims;
};

/// A named size of the program that the header of a data file determines.
struct FileSize {
  std::string name, file; ///< the file as the program names it
  int64_t size;
  SourceRange range; ///< of the name
};

/// The `batch_size` that a program gives a loader.
struct BatchSize {
  SourceRange range;   ///< of the expression
  SourceRange written; ///< its literal or `arg`; invalid if it is computed
  int64_t size;
};

/// What moves tensors between devices (docs/Language.md, "Devices").
enum class Placement : uint8_t {
  Insert,   ///< the compiler, where the program does not
  Warn,     ///< the same, with a warning for each position
  Strict,   ///< the program alone, as in PyTorch
  Optimize, ///< the compiler may overrule the program
  Off       ///< the program alone, each copy exactly where it is written
};

/// The mode of `--placement=name`, if there is one.
std::optional<Placement> parsePlacement(llvm::StringRef name);
/// The names of all modes.
llvm::ArrayRef<llvm::StringRef> getPlacementNames();

/// The device that `--device` names; none for `auto` or without the option.
std::optional<Place> getChosenDevice(llvm::StringRef device);

/// What the checker knows of the machine and the command line.
struct CheckOptions {
  /// Values given for `arg`s, as the user typed them (`--name value`, `--set`).
  llvm::StringMap<std::string> arguments;
  /// Names of `arg`s that are fixed to their defaults.
  llvm::StringSet<> fixedArguments;
  /// `tdc run`: an `arg` that was not given has its default. Otherwise users of
  /// the built program may give those that are not in `arguments`.
  bool argumentsAreFinal = false;
  /// Options of tdc; no `arg` can have the name of one.
  std::vector<std::string> ownOptions;
  /// `--device`: the meaning of `auto` and of `arg device: device`. Empty: a
  /// GPU if there is one, else the cpu.
  std::string device;
  /// `--placement`. None: the mode in the program's first line, else `insert`.
  std::optional<Placement> placement;
  /// Returns how many CUDA devices the program sees in this compilation. Called
  /// only if the program asks for devices: the query takes longer than
  /// compiling a small program.
  std::function<int64_t()> countCudaDevices = [] { return 0; };
  /// Returns a note on why the machine lacks the `needed` CUDA devices, or on
  /// how to simulate them. May be empty.
  std::function<std::string(int64_t needed)> whyNoDevices;
  /// `tdc run`, `tdc emit`: the program runs with exactly these devices.
  /// Otherwise a missing device is only a warning, and a program that queries
  /// the devices is also checked for machines with other devices.
  bool devicesAreFinal = false;
  /// Reads the header of an existing data file (`key` picks a tensor of a file
  /// that holds several); nullopt if the file does not exist or is not
  /// readable, which is reported when the program runs. May be empty.
  std::function<std::optional<FileHeader>(llvm::StringRef path,
                                          llvm::StringRef key)>
      readHeader;
  /// `tdc run`, `tdc report`: sizes from headers are used as constants.
  bool headersAreFinal = false;
  /// Called with each named size that a file determines.
  std::function<void(const FileSize &size)> foundSize = [](const FileSize &) {};
  /// Called with the batch size of each loader that has one.
  std::function<void(const BatchSize &size)> foundBatchSize =
      [](const BatchSize &) {};
  /// Folders to search for imported files, after the importing file's own.
  std::vector<std::string> importPaths;
  /// Follows the check; may be null.
  CheckObserver *observer = nullptr;
};

} // namespace tdc

#endif // TDC_FRONTEND_CHECKOPTIONS_H
