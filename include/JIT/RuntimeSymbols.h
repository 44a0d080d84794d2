//===- RuntimeSymbols.h - the symbols that generated code may use ---------===//

#ifndef TDC_JIT_RUNTIMESYMBOLS_H
#define TDC_JIT_RUNTIMESYMBOLS_H

#include "llvm/ADT/ArrayRef.h"

namespace tdc {

struct RuntimeSymbol {
  const char *name;
  void *address;
};

/// Functions of the runtime, and the functions of libc and libm that LLVM's
/// code generator inserts calls to.
llvm::ArrayRef<RuntimeSymbol> getRuntimeSymbols();

} // namespace tdc

#endif // TDC_JIT_RUNTIMESYMBOLS_H
