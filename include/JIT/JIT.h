//===- JIT.h - object code in memory that can be called -------------------===//
//
// Links object files into this process. Generated code may call what
// runtime/include/tdc_runtime_symbols.def lists and a few functions of libc and
// libm, nothing else: the names are bound from a table, not looked up in the
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
  /// Links `objects`, which may use each other, and finds `entry`, a function
  /// or variable of theirs. Fails if it needs something, directly or not, that
  /// neither they nor the table have.
  static llvm::Expected<std::unique_ptr<JIT>>
  create(llvm::MutableArrayRef<std::unique_ptr<llvm::MemoryBuffer>> objects,
         llvm::StringRef entry);

  JIT();
  /// Code and data of the objects are gone afterwards.
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
