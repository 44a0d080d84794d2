//===- Slots.h - slots on several devices ---------------------------------===//
//
// What a slot holds may be held on several devices, or on one device here and
// on another there. Each of them has a slot of its own; the slot of the first
// keeps the name.
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

  /// The slot for a device, made if need be.
  mlir::FlatSymbolRefAttr get(mlir::StringAttr slot, unsigned device);
  /// Makes it a slot of handles.
  void makeHandle(mlir::StringAttr slot);
  mlir::RankedTensorType getType(mlir::StringAttr slot, unsigned device) const;
  HandleType getHandleType(mlir::StringAttr slot) const;

private:
  const Devices &devices;
  llvm::DenseMap<mlir::StringAttr, SlotOp> slots;
  llvm::DenseMap<std::pair<mlir::StringAttr, unsigned>, mlir::FlatSymbolRefAttr>
      made;
  llvm::DenseMap<mlir::StringAttr, bool> isTaken; ///< the name itself
};

} // namespace tdc::td

#endif // TDC_LIB_DIALECT_TD_TRANSFORMS_PLACE_SLOTS_H
