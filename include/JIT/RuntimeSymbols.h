//===- RuntimeSymbols.h - what generated code may call --------------------===//

#ifndef TDC_JIT_RUNTIMESYMBOLS_H
#define TDC_JIT_RUNTIMESYMBOLS_H

#include "llvm/ADT/ArrayRef.h"

namespace tdc {

struct RuntimeSymbol {
  const char *name;
  void *address;
};

/// Functions of the runtime, and those of libc and libm that LLVM's code
/// generator calls of its own accord.
llvm::ArrayRef<RuntimeSymbol> getRuntimeSymbols();

} // namespace tdc

#endif // TDC_JIT_RUNTIMESYMBOLS_H
