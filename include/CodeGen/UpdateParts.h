//===- UpdateParts.h - kernels that write a part of their result ----------===//
//
// Each part of a td update is a nest of its own that stores to the part's
// positions in the result.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_CODEGEN_UPDATEPARTS_H
#define TDC_CODEGEN_UPDATEPARTS_H

#include "CodeGen/TileEvaluator.h"

namespace tdc {

/// Emits a nest with one root, which is stored to the target. Different
/// iterations of the loops in `serial` may store to the same position.
using PartEmitter = llvm::function_ref<void(
    const td::LoopNest &nest, const StoreTarget &target, td::LoopSet serial)>;

/// Emits a copy of `base` to the result.
mlir::LogicalResult emitUpdateBase(KernelFunction &function,
                                   td::UpdateOp update, mlir::Value base,
                                   PartEmitter emitNest);
/// Emits all parts on top of the base, one after the other.
mlir::LogicalResult emitUpdateParts(KernelFunction &function,
                                    td::UpdateOp update, PartEmitter emitNest);

} // namespace tdc

#endif // TDC_CODEGEN_UPDATEPARTS_H
