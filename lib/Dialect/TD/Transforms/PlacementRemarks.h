//===- PlacementRemarks.h - remarks on placement decisions ----------------===//
//
// Passes report their decisions as MLIR remarks of category td-place or
// td-choose-devices. Nothing is computed unless remarks are enabled.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_LIB_DIALECT_TD_TRANSFORMS_PLACEMENTREMARKS_H
#define TDC_LIB_DIALECT_TD_TRANSFORMS_PLACEMENTREMARKS_H

#include "Dialect/TD/IR/TD.h"
#include "mlir/IR/BuiltinOps.h"

namespace tdc::td {

/// Remarks on the transfers that a program writes (removed, merged or hoisted),
/// and on the copies that stay in loops.
class TransferRemarks {
public:
  /// Records the transfers of the module before td-place.
  explicit TransferRemarks(mlir::ModuleOp module);
  /// Emits the remarks; `module` is the same module after td-place.
  void emit(mlir::ModuleOp module) const;

private:
  struct Before {
    mlir::Location location;
    std::string key; ///< the value and the target
    unsigned depth;  ///< loops around it
  };
  bool isEnabled;
  std::vector<Before> transfers;
};

/// Emits a remark that an op will run on another device: its operands are
/// copied instead of its result, which saves `bytes`.
void remarkMovedOp(mlir::Operation *op, const Place &from, const Place &to,
                   int64_t bytes);

} // namespace tdc::td

#endif // TDC_LIB_DIALECT_TD_TRANSFORMS_PLACEMENTREMARKS_H
