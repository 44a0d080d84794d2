//===- Slots.h - slots on several devices ---------------------------------===//
//
// The content of a slot may be held on several devices at once, or on different
// devices at different points. Each of these devices has its own slot; the slot
// of the first device keeps the name.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_LIB_DIALECT_TD_TRANSFORMS_PLACE_SLOTS_H
#define TDC_LIB_DIALECT_TD_TRANSFORMS_PLACE_SLOTS_H

#include "Dialect/TD/Analysis/Placement/ValueFlow.h"
#include "llvm/ADT/MapVector.h"

namespace tdc::td {

class PlacedSlots {
public:
  PlacedSlots(mlir::ModuleOp module, const Devices &devices);

  /// Returns the slot for a device; creates it on first use.
  mlir::FlatSymbolRefAttr get(mlir::StringAttr slot, unsigned device);
  /// Converts the slot to a slot of handles.
  void makeHandle(mlir::StringAttr slot);
  mlir::RankedTensorType getType(mlir::StringAttr slot, unsigned device) const;
  HandleType getHandleType(mlir::StringAttr slot) const;

private:
  const Devices &devices;
  llvm::DenseMap<mlir::StringAttr, SlotOp> slots;
  llvm::DenseMap<std::pair<mlir::StringAttr, unsigned>, mlir::FlatSymbolRefAttr>
      made;
  llvm::DenseMap<mlir::StringAttr, bool> isTaken; ///< the slot's own name is
};

} // namespace tdc::td

#endif // TDC_LIB_DIALECT_TD_TRANSFORMS_PLACE_SLOTS_H
