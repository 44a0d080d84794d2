//===- CheckOptions.h - what a front end is told, and what it tells -------===//
//
// Of the machine, the command line and the data files there are, before a
// program is more than text.
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

/// What the header of a data file says.
struct FileHeader {
  /// None in a text: its numbers become what the program says.
  std::optional<DType> dtype;
  llvm::SmallVector<int64_t, 4> dims;
};

/// A size that a program has a name for and that a data file has said.
struct FileSize {
  std::string name, file; ///< the file as the program calls it
  int64_t size;
  SourceRange range; ///< of the name
};

/// What a program gives a loader as `batch_size`.
struct BatchSize {
  SourceRange range;   ///< of the expression
  SourceRange written; ///< its literal or `arg`; invalid if it is computed
  int64_t size;
};

/// Who moves tensors between devices (docs/Language.md, "Devices").
enum class Placement : uint8_t {
  Insert,   ///< the compiler does, where the program does not
  Warn,     ///< … and says where
  Strict,   ///< the program alone, as in PyTorch
  Optimize, ///< the compiler may overrule the program
  Off       ///< the program alone, each copy exactly where it is written
};

/// The mode of `--placement=name`, if there is one.
std::optional<Placement> parsePlacement(llvm::StringRef name);
/// The names of all modes.
llvm::ArrayRef<llvm::StringRef> getPlacementNames();

/// What `--device` names; nothing for auto, or without it.
std::optional<Place> getChosenDevice(llvm::StringRef device);

/// What the checker is told of the machine and the command line.
struct CheckOptions {
  /// Values given for `arg`s, as the user typed them (`--name value`, `--set`).
  llvm::StringMap<std::string> arguments;
  /// Names of `arg`s that have their defaults for good.
  llvm::StringSet<> fixedArguments;
  /// `tdc run`: an `arg` that was not given has its default for certain.
  /// Otherwise the user of the built program gives those that are not here.
  bool argumentsAreFinal = false;
  /// Options of tdc that no `arg` can be named like.
  std::vector<std::string> ownOptions;
  /// `--device`: what `auto` and `arg device: device` mean. Empty: a GPU if
  /// there is one, else the cpu.
  std::string device;
  /// `--placement`; none: what the program's first line says, else `insert`.
  std::optional<Placement> placement;
  /// How many CUDA devices the program sees in this compilation. Asked only if
  /// the program does: to find out takes longer than to compile a small one.
  std::function<int64_t()> countCudaDevices = [] { return 0; };
  /// Why there are none, where somebody knows; `needed` are.
  std::function<std::string(int64_t needed)> whyNoDevices;
  /// `tdc run`, `tdc emit`: the program meets these devices and no others.
  /// Otherwise one that is missing is only a warning, and a program that asks
  /// what there is is checked for machines with other devices as well.
  bool devicesAreFinal = false;
  /// Reads the header of an existing data file (`key` picks a tensor of a file
  /// that holds several); nullopt where there is no such file or it is not
  /// readable, which is found again when the program runs. May be empty.
  std::function<std::optional<FileHeader>(llvm::StringRef path,
                                          llvm::StringRef key)>
      readHeader;
  /// `tdc run`, `tdc report`: the sizes that headers say are used as constants.
  bool headersAreFinal = false;
  /// Told of each of these, by name.
  std::function<void(const FileSize &size)> foundSize = [](const FileSize &) {};
  /// Told of each of these.
  std::function<void(const BatchSize &size)> foundBatchSize =
      [](const BatchSize &) {};
  /// Folders to search for imported files, after the importing file's own.
  std::vector<std::string> importPaths;
};

} // namespace tdc

#endif // TDC_FRONTEND_CHECKOPTIONS_H
