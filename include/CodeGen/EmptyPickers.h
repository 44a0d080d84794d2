//===- EmptyPickers.h - picking from a dim without elements ---------------===//

#ifndef TDC_CODEGEN_EMPTYPICKERS_H
#define TDC_CODEGEN_EMPTYPICKERS_H

#include "CodeGen/TileEvaluator.h"

namespace tdc {

/// Emits `body` for the case that everything the nest picks from by index has
/// an element: then a bad index may read element 0 in place of what it asked
/// for. In the other case the first index is reported.
void emitUnlessEmpty(KernelFunction &function, const td::LoopNest &nest,
                     llvm::ArrayRef<StoreTarget> targets,
                     llvm::function_ref<void()> body);

} // namespace tdc

#endif // TDC_CODEGEN_EMPTYPICKERS_H
