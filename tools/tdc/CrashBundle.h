//===- CrashBundle.h - writes the files for a bug report ------------------===//

#ifndef TDC_TOOLS_TDC_CRASHBUNDLE_H
#define TDC_TOOLS_TDC_CRASHBUNDLE_H

#include "Options.h"
#include <atomic>
#include <optional>

namespace tdc {

/// The current work of tdc, for messages about crashes and lack of memory. A
/// signal handler may read it at any time, so its strings are constants, and
/// there is one global object.
struct Work {
  const Options *options = nullptr;
  /// Of the program, if it is in no file.
  std::optional<llvm::StringRef> text;
  llvm::ArrayRef<const char *> words; ///< of the command line
  std::atomic<const char *> step{"start"};
  std::atomic<const char *> pass{""}; ///< of `step`; "" if none
};
extern Work work;

/// A new folder with the program, the command line, a description of the
/// machine, and the IR after the last phase, for which the program is compiled
/// again.
class CrashBundle {
public:
  /// Writes the bundle; `message` is the error, and `step` what failed: other
  /// threads may go on meanwhile. Files that cannot be written are left out.
  void write(llvm::StringRef message, llvm::StringRef step);

  /// The folder; "" if there is none. A signal handler may call this while the
  /// bundle is written.
  const char *getFolder() const { return folder; }

private:
  bool makeFolder();
  void writeFile(const llvm::Twine &name, llvm::StringRef text) const;
  void writeProgram(llvm::StringRef step) const;

  char folder[4096] = "";
};

} // namespace tdc

#endif // TDC_TOOLS_TDC_CRASHBUNDLE_H
