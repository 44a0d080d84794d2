//===- Turns.h - a loop one turn earlier or later ---------------*- C++ -*-===//

#ifndef TDC_LIB_DIALECT_TD_TRANSFORMS_SCHEDULE_TURNS_H
#define TDC_LIB_DIALECT_TD_TRANSFORMS_SCHEDULE_TURNS_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tdc::td {

/// Whether the loop is known to have a turn: by its bounds, or because a branch
/// around it asks that (td-normalize).
bool hasTurn(mlir::scf::ForOp loop);

/// Whether the loop has a turn, as an i1 in front of it or behind it.
mlir::Value askForTurn(mlir::OpBuilder &builder, mlir::scf::ForOp loop);

/// How many turns come before the one of `index`.
mlir::Value getTurn(mlir::OpBuilder &builder, mlir::scf::ForOp loop,
                    mlir::Value index);

/// Calls `visit` with each user of the value or of a view of it.
void forEachReader(mlir::Value value,
                   llvm::function_ref<void(mlir::Operation *)> visit);

/// Whether a branch or a loop, this one or another, hands the value on.
bool isPassedOn(mlir::Value value);

} // namespace tdc::td

#endif // TDC_LIB_DIALECT_TD_TRANSFORMS_SCHEDULE_TURNS_H
