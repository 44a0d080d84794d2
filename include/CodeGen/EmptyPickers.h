//===- EmptyPickers.h - picking from a dim without elements ---------------===//

#ifndef TDC_CODEGEN_EMPTYPICKERS_H
#define TDC_CODEGEN_EMPTYPICKERS_H

#include "CodeGen/TileEvaluator.h"

namespace tdc {

/// Emits `body`, guarded by a check that every dim that the nest indexes has
/// elements. The guard is needed because a bad index is replaced by 0. If such
/// a dim is empty and there is an index into it, index 0 is reported and `body`
/// does not run.
void emitUnlessEmpty(KernelFunction &function, const td::LoopNest &nest,
                     llvm::ArrayRef<StoreTarget> targets,
                     llvm::function_ref<void()> body);

} // namespace tdc

#endif // TDC_CODEGEN_EMPTYPICKERS_H
