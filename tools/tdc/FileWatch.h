//===- FileWatch.h - waits until files change -----------------------------===//

#ifndef TDC_TOOLS_TDC_FILEWATCH_H
#define TDC_TOOLS_TDC_FILEWATCH_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Chrono.h"
#include "llvm/Support/FileSystem/UniqueID.h"
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace tdc {

/// Compares the times, sizes and identities of files, which is enough to see
/// what editors do. A file may be missing, and appear.
class FileWatch {
public:
  /// Watches files and the programs in folders.
  explicit FileWatch(std::vector<std::string> names);

  /// Watches another file, if it is new: from its state when this object was
  /// made, or when the last wait returned.
  void add(llvm::StringRef file);

  /// Returns once a file differs from that state.
  void wait();

private:
  using State = std::optional<
      std::tuple<llvm::sys::TimePoint<>, uint64_t, llvm::sys::fs::UniqueID>>;
  using States = std::map<std::string, State>;

  static State look(const std::string &file);
  /// The states now of all files that are known and of the programs.
  States look() const;

  std::vector<std::string> names;
  States states;
  std::chrono::system_clock::time_point begin; ///< when they were looked at
};

} // namespace tdc

#endif // TDC_TOOLS_TDC_FILEWATCH_H
