//===- PlannedMemory.h - the memory that a program needs per device -------===//
//
// The memory plan as reports show it to users, by lines of the program. Tensors
// of static size lie in the arena of their device, so that their bytes are
// known before the program runs. Tensors of run-time sizes, and copies that
// handles make on demand, are listed apart.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_CONVERSION_PLANNEDMEMORY_H
#define TDC_CONVERSION_PLANNEDMEMORY_H

#include "Dialect/TD/IR/TD.h"
#include "mlir/IR/BuiltinOps.h"
#include <string>
#include <vector>

namespace tdc {

/// Tensors of one name, made by one line.
struct MemoryHolder {
  std::string what;              ///< as in UserNames.h
  mlir::FileLineColLoc location; ///< null if no line of the program makes them
  int64_t tensors = 0, bytes = 0;
};

/// A tensor that is allocated when it is made, if it is made.
struct AllocatedTensor {
  mlir::RankedTensorType type;
  mlir::FileLineColLoc location;
};

struct PeakMemory {
  Place device;
  int64_t arenaBytes = 0; ///< taken when the program starts
  /// The tensors outside of the arena, at the point where their bytes are the
  /// most. An upper bound.
  std::vector<AllocatedTensor> allocated;
  /// Bytes of the arena and of `allocated`; sizes that only a run knows are
  /// estimates.
  int64_t bytes = 0;
  mlir::FileLineColLoc location; ///< the first line that reaches the peak
  /// The tensors that take these bytes, the largest first; the last entry is
  /// the part of the arena that they leave unused.
  std::vector<MemoryHolder> holders;
};

/// Consecutive ops of one line.
struct MemoryPoint {
  mlir::FileLineColLoc location;
  llvm::SmallVector<int64_t, 2> bytes; ///< the maximum, per device
};

struct PlannedMemory {
  llvm::SmallVector<PeakMemory> peaks; ///< one per device
  /// Host memory in addition to the host's arena: the buffers that GPUs copy
  /// from and to asynchronously.
  int64_t pinnedBytes = 0;
  /// In program order, with one iteration per loop. Exported functions are
  /// included as if each were called.
  std::vector<MemoryPoint> points;
};

/// Plans the memory of a module that has been through the phase `nvvm`.
PlannedMemory planMemory(mlir::ModuleOp module, llvm::ArrayRef<Place> devices);

} // namespace tdc

#endif // TDC_CONVERSION_PLANNEDMEMORY_H
