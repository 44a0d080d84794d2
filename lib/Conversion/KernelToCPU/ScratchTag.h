//===- ScratchTag.h - what a thread's scratch has already -----------------===//
//
// A thread that computes several parts of a kernel often needs the same copy of
// an input in its scratch again. A tag at the end of the scratch says which
// copy is there; the runtime sets it to 0 before a thread's first part
// (tdc_threads.h).
//
//===----------------------------------------------------------------------===//

#ifndef TDC_LIB_CONVERSION_KERNELTOCPU_SCRATCHTAG_H
#define TDC_LIB_CONVERSION_KERNELTOCPU_SCRATCHTAG_H

#include "CodeGen/KernelFunction.h"

namespace tdc {

/// Emits what `fill` emits, to run unless the tag at the end of `bytes` of
/// scratch is `tag`, an i64 that is not 0. `fill` gets the branch.
void emitUnlessTagged(KernelFunction &function, int64_t bytes, mlir::Value tag,
                      llvm::function_ref<void(mlir::Operation *)> fill);

} // namespace tdc

#endif // TDC_LIB_CONVERSION_KERNELTOCPU_SCRATCHTAG_H
