//===- Passes.h - passes over td ------------------------------------------===//
//
// GradPasses.td and Passes.td declare and describe each pass.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_DIALECT_TD_TRANSFORMS_PASSES_H
#define TDC_DIALECT_TD_TRANSFORMS_PASSES_H

#include "Dialect/TD/IR/TD.h"
#include "Target/TargetInfo.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace tdc::td {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "Dialect/TD/Transforms/Passes.h.inc"

/// On a module: td-watch-values watches the results of all ops.
inline constexpr llvm::StringLiteral kCheckNumericsAttr = "td.check_numerics";

/// Clones `constructor` at the builder's insertion point with its result on
/// `place`; returns that result.
mlir::Value cloneAt(mlir::OpBuilder &builder, mlir::Operation *constructor,
                    const Place &place);

/// Whether the module needs placement: an op's result is on a GPU or a slot is
/// moved, and the transfers need not stay as written (`td.as_written`).
bool needsPlacement(mlir::ModuleOp module);

} // namespace tdc::td

#endif // TDC_DIALECT_TD_TRANSFORMS_PASSES_H
