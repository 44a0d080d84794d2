//===- CrashBundle.h - what a report of a bug needs -----------------------===//

#ifndef TDC_TOOLS_TDC_CRASHBUNDLE_H
#define TDC_TOOLS_TDC_CRASHBUNDLE_H

#include "Options.h"
#include <atomic>

namespace tdc {

/// What tdc works on: crashes and lack of memory are told with it. A signal may
/// read it at any time, so it is made of constants, and there is one.
struct Work {
  const Options *options = nullptr;
  llvm::ArrayRef<const char *> words; ///< of the command line
  std::atomic<const char *> step{"start"};
  std::atomic<const char *> pass{""}; ///< of `step`; "" if none
};
extern Work work;

/// A new folder with the program, the command, the machine and the program as
/// the last phase left it, which is compiled once more for that.
class CrashBundle {
public:
  /// `message` is what went wrong. What cannot be written is left out.
  void write(llvm::StringRef message);

  /// The folder, "" if there is none. A signal may ask while it is written.
  const char *getFolder() const { return folder; }

private:
  bool makeFolder();
  void writeFile(const llvm::Twine &name, llvm::StringRef text) const;
  void writeProgram() const;

  char folder[4096] = "";
};

} // namespace tdc

#endif // TDC_TOOLS_TDC_CRASHBUNDLE_H
