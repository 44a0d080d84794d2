//===- JIT.h - links object code in memory --------------------------------===//
//
// Links object files into this process. Generated code may call only the
// functions that runtime/include/tdc_runtime_symbols.def lists and a few of
// libc and libm. The names are bound from a table, not looked up in the
// process, so a stripped static tdc works as well as a shared one.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_JIT_JIT_H
#define TDC_JIT_JIT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>

namespace tdc {

class JIT {
public:
  /// Links `objects`, which may refer to each other, and finds `entry`, a
  /// function or variable that one of them defines. Fails if `entry` needs a
  /// symbol, directly or not, that neither `objects` nor the table define.
  static llvm::Expected<std::unique_ptr<JIT>>
  create(llvm::MutableArrayRef<std::unique_ptr<llvm::MemoryBuffer>> objects,
         llvm::StringRef entry);

  JIT();
  /// Frees the code and data of the objects.
  ~JIT();

  /// The address of the entry.
  void *getEntry() const { return entry; }

private:
  struct Session;
  std::unique_ptr<Session> session;
  void *entry = nullptr;
};

} // namespace tdc

#endif // TDC_JIT_JIT_H
