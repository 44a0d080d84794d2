//===- UpdateParts.h - kernels that write a part of their result ----------===//
//
// td.update_slice, td.scatter_add and td.scatter_add_along put something onto a
// copy of their first operand, td.concat puts its operands beside each other:
// each part is a nest of its own whose stores are moved to their places.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_CONVERSION_KERNELBODY_UPDATEPARTS_H
#define TDC_CONVERSION_KERNELBODY_UPDATEPARTS_H

#include "Conversion/KernelBody/TileEvaluator.h"

namespace tdc {

/// Emits one nest with its only root going to the target. Two elements of the
/// loops in `serial` may go to one place.
using PartEmitter = llvm::function_ref<void(
    const td::LoopNest &nest, const StoreTarget &target, td::LoopSet serial)>;

/// What the result of an update starts as, or null if it is written in full.
mlir::Value getUpdateBase(mlir::Operation *update);
/// Emits a copy of `base` to the result.
mlir::LogicalResult emitUpdateBase(KernelFunction &function,
                                   mlir::Operation *update, mlir::Value base,
                                   PartEmitter emitNest);
/// Emits all parts that go on top, one after the other.
mlir::LogicalResult emitUpdateParts(KernelFunction &function,
                                    mlir::Operation *update,
                                    PartEmitter emitNest);

} // namespace tdc

#endif // TDC_CONVERSION_KERNELBODY_UPDATEPARTS_H
