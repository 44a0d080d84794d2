//===- Residents.h - what is where at each position of a function ---------===//
//
// The memory plan the other way round: not where a value is, but what takes the
// memory of a device while an op runs.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_LIB_CONVERSION_TDTORUNTIME_RESIDENTS_H
#define TDC_LIB_CONVERSION_TDTORUNTIME_RESIDENTS_H

#include "MemoryPlan.h"

namespace tdc {

struct Resident {
  /// That have these bytes, one after another; none if it is room for a copy.
  llvm::SmallVector<mlir::Value, 1> values;
  int32_t device;
  int64_t bytes; ///< an estimate where a size is known at run time only
  llvm::SmallVector<LiveRange, 2> ranges; ///< sorted; none meets another
  bool isPlanned; ///< it lies in the arena, and not in memory of its own
};

/// The tensors that handles keep: one on each device that some handle of such a
/// tensor is made or asked for on. They are copied on demand, so that this is
/// the most.
class HandleCopies {
public:
  explicit HandleCopies(mlir::ModuleOp module);
  /// What a handle of this type keeps; nothing if it is none.
  llvm::SmallVector<mlir::RankedTensorType, 2> getCopies(mlir::Type type) const;

private:
  /// Devices, by the tensor without a place.
  llvm::DenseMap<mlir::Type, llvm::SmallVector<Place, 2>> devices;
};

/// All of a function but slots, literals and what its caller owns.
std::vector<Resident> getResidents(mlir::func::FuncOp function,
                                   const MemoryPlan &plan,
                                   const Liveness &liveness,
                                   const HandleCopies &handles);

} // namespace tdc

#endif // TDC_LIB_CONVERSION_TDTORUNTIME_RESIDENTS_H
