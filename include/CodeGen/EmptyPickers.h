//===- EmptyPickers.h - picking from a dim without elements ---------------===//

#ifndef TDC_CODEGEN_EMPTYPICKERS_H
#define TDC_CODEGEN_EMPTYPICKERS_H

#include "CodeGen/TileEvaluator.h"

namespace tdc {

/// Emits `body` under a check that no dim that the nest picks from by index is
/// empty: only then may a bad index read element 0 instead. If such a dim is
/// empty and there is an index into it, index 0 is reported and `body` does not
/// run.
void emitUnlessEmpty(KernelFunction &function, const td::LoopNest &nest,
                     llvm::ArrayRef<StoreTarget> targets,
                     llvm::function_ref<void()> body);

} // namespace tdc

#endif // TDC_CODEGEN_EMPTYPICKERS_H
