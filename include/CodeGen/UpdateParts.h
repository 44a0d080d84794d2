//===- UpdateParts.h - kernels that write a part of their result ----------===//
//
// Each part of a td update is a nest of its own whose stores are moved to their
// places.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_CODEGEN_UPDATEPARTS_H
#define TDC_CODEGEN_UPDATEPARTS_H

#include "CodeGen/TileEvaluator.h"

namespace tdc {

/// Emits one nest with its only root going to the target. Two elements of the
/// loops in `serial` may go to one place.
using PartEmitter = llvm::function_ref<void(
    const td::LoopNest &nest, const StoreTarget &target, td::LoopSet serial)>;

/// Emits a copy of `base` to the result.
mlir::LogicalResult emitUpdateBase(KernelFunction &function,
                                   td::UpdateOp update, mlir::Value base,
                                   PartEmitter emitNest);
/// Emits all parts that go on top, one after the other.
mlir::LogicalResult emitUpdateParts(KernelFunction &function,
                                    td::UpdateOp update, PartEmitter emitNest);

} // namespace tdc

#endif // TDC_CODEGEN_UPDATEPARTS_H
