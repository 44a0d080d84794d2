//===- Passes.h - passes over td ------------------------------------------===//
//
// Declared by Passes.td, where each is described.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_DIALECT_TD_TRANSFORMS_PASSES_H
#define TDC_DIALECT_TD_TRANSFORMS_PASSES_H

#include "Dialect/TD/IR/TD.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace tdc::td {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "Dialect/TD/Transforms/Passes.h.inc"

/// Whether anything is on another device than the cpu or is moved, and
/// transfers are not to stay as they are.
bool needsPlacement(mlir::ModuleOp module);

} // namespace tdc::td

#endif // TDC_DIALECT_TD_TRANSFORMS_PASSES_H
