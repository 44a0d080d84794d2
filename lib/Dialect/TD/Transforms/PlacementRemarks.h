//===- PlacementRemarks.h - what passes decide about placement ------------===//
//
// As remarks of MLIR, category td-place or td-choose-devices. Nothing is looked
// for unless somebody asked for remarks.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_LIB_DIALECT_TD_TRANSFORMS_PLACEMENTREMARKS_H
#define TDC_LIB_DIALECT_TD_TRANSFORMS_PLACEMENTREMARKS_H

#include "Dialect/TD/IR/TD.h"
#include "mlir/IR/BuiltinOps.h"

namespace tdc::td {

/// What becomes of the transfers that a program writes, and which copies stay
/// in loops.
class TransferRemarks {
public:
  /// The module before they are placed.
  explicit TransferRemarks(mlir::ModuleOp module);
  /// The same module with its transfers placed.
  void emit(mlir::ModuleOp module) const;

private:
  struct Before {
    mlir::Location location;
    std::string key; ///< what goes where
    unsigned depth;  ///< loops around it
  };
  bool isEnabled;
  std::vector<Before> transfers;
};

/// An op will run on another device: its operands cross instead of its result,
/// which are so many bytes less.
void remarkMovedOp(mlir::Operation *op, const Place &from, const Place &to,
                   int64_t bytes);

} // namespace tdc::td

#endif // TDC_LIB_DIALECT_TD_TRANSFORMS_PLACEMENTREMARKS_H
