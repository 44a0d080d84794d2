//===- Iterations.h - a loop one iteration earlier or later ---------------===//

#ifndef TDC_LIB_DIALECT_TD_TRANSFORMS_SCHEDULE_ITERATIONS_H
#define TDC_LIB_DIALECT_TD_TRANSFORMS_SCHEDULE_ITERATIONS_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tdc::td {

/// Whether the loop is known to have an iteration: by its bounds, or because a
/// branch around it checks that (td-normalize).
bool hasIteration(mlir::scf::ForOp loop);

/// Creates an i1, before or after the loop: whether the loop has an iteration.
mlir::Value askForIteration(mlir::OpBuilder &builder, mlir::scf::ForOp loop);

/// Creates the number of iterations that precede the one with induction
/// variable `index`.
mlir::Value getIteration(mlir::OpBuilder &builder, mlir::scf::ForOp loop,
                         mlir::Value index);

/// Calls `visit` with each user of the value or of a view of it.
void forEachReader(mlir::Value value,
                   llvm::function_ref<void(mlir::Operation *)> visit);

/// Whether a branch or a loop, this one or another, passes the value on.
bool isPassedOn(mlir::Value value);

} // namespace tdc::td

#endif // TDC_LIB_DIALECT_TD_TRANSFORMS_SCHEDULE_ITERATIONS_H
