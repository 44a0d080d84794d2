//===- ContentFlow.h - the sources and readers of a value -----------------===//

#ifndef TDC_LIB_DIALECT_TD_ANALYSIS_REPORTING_CONTENTFLOW_H
#define TDC_LIB_DIALECT_TD_ANALYSIS_REPORTING_CONTENTFLOW_H

#include "Dialect/TD/IR/TD.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SetVector.h"

namespace tdc::td {

/// Follows the contents of values through transfers, loops, branches and slots
/// of a placed module.
class ContentFlow {
public:
  explicit ContentFlow(mlir::ModuleOp module);

  /// The ops that read the elements, the nearest first.
  llvm::SmallVector<mlir::Operation *> getReaders(mlir::Value value) const;

  /// The td.handle ops that a handle can come from.
  llvm::SetVector<HandleOp> getHandles(mlir::Value handle) const;

  /// A write of the slot in a loop; null if there is none.
  mlir::Operation *getWriteIn(mlir::StringAttr slot,
                              mlir::Operation *loop) const;

private:
  struct Slot {
    llvm::SmallVector<SlotUser, 2> reads, writes, saves;
  };
  const Slot &slotOf(mlir::StringAttr name) const;

  llvm::DenseMap<mlir::StringAttr, Slot> slots;
  Slot none;
};

} // namespace tdc::td

#endif // TDC_LIB_DIALECT_TD_ANALYSIS_REPORTING_CONTENTFLOW_H
