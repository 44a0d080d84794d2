//===- Residents.h - memory in use at each position of a function ---------===//
//
// The inverse of the memory plan: for each position, the values and buffers
// that take memory of a device while the op runs.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_LIB_CONVERSION_TDTORUNTIME_RESIDENTS_H
#define TDC_LIB_CONVERSION_TDTORUNTIME_RESIDENTS_H

#include "MemoryPlan.h"

namespace tdc {

struct Resident {
  /// The values with these bytes, one after another; empty for a staging
  /// buffer.
  llvm::SmallVector<mlir::Value, 1> values;
  int32_t device;
  int64_t bytes; ///< an estimate if a size is known only at run time
  llvm::SmallVector<LiveRange, 2> ranges; ///< sorted and disjoint
  bool isPlanned; ///< lies in the arena, not in an allocation of its own
};

/// The tensors that handles keep: one per device on which a handle of this
/// tensor type is made or requested. Handles copy on demand, so this is an
/// upper bound.
class HandleCopies {
public:
  explicit HandleCopies(mlir::ModuleOp module);
  /// The tensors that a handle of this type keeps; empty if `type` is no
  /// handle.
  llvm::SmallVector<mlir::RankedTensorType, 2> getCopies(mlir::Type type) const;

private:
  /// Devices per tensor type without a place.
  llvm::DenseMap<mlir::Type, llvm::SmallVector<Place, 2>> devices;
};

/// Returns all residents of a function except slots, literals and tensors that
/// its caller owns.
std::vector<Resident> getResidents(mlir::func::FuncOp function,
                                   const MemoryPlan &plan,
                                   const Liveness &liveness,
                                   const HandleCopies &handles);

} // namespace tdc

#endif // TDC_LIB_CONVERSION_TDTORUNTIME_RESIDENTS_H
