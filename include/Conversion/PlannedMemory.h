//===- PlannedMemory.h - what a program will take of each device ----------===//
//
// For people: the memory plan, line by line. What has a static size lies in the
// arena of its device, so that its bytes are known before the program runs.
// Tensors of run-time sizes, and what handles copy on demand, are told apart.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_CONVERSION_PLANNEDMEMORY_H
#define TDC_CONVERSION_PLANNEDMEMORY_H

#include "Dialect/TD/IR/TD.h"
#include "mlir/IR/BuiltinOps.h"
#include <string>
#include <vector>

namespace tdc {

/// Tensors of one name that a line makes.
struct MemoryHolder {
  std::string what;           ///< as in UserNames.h
  mlir::FileLineColLoc place; ///< null if no line of the program does
  int64_t tensors = 0, bytes = 0;
};

/// A tensor that is allocated when it is made, if it is.
struct AllocatedTensor {
  mlir::RankedTensorType type;
  mlir::FileLineColLoc place;
};

struct PeakMemory {
  Place device;
  int64_t arenaBytes = 0; ///< taken when the program starts
  /// Beside the arena, at the point where that is the most; at most these.
  std::vector<AllocatedTensor> allocated;
  /// With all of them; sizes that only a run knows are estimates.
  int64_t bytes = 0;
  mlir::FileLineColLoc place; ///< the first line that needs so much
  /// What takes these bytes, the largest first; last what the arena has more
  /// than they need.
  std::vector<MemoryHolder> holders;
};

/// Ops of one line that run after each other.
struct MemoryPoint {
  mlir::FileLineColLoc place;
  llvm::SmallVector<int64_t, 2> bytes; ///< the most, on each device
};

struct PlannedMemory {
  llvm::SmallVector<PeakMemory> peaks; ///< one for each device
  /// Of the host, beside its arena: what GPUs copy from and to on their own.
  int64_t pinnedBytes = 0;
  /// In the order of the program, of each loop one iteration. An export follows
  /// as a call would.
  std::vector<MemoryPoint> points;
};

/// Plans the memory of a module that has been through the phase `nvvm`.
PlannedMemory planMemory(mlir::ModuleOp module, llvm::ArrayRef<Place> devices);

} // namespace tdc

#endif // TDC_CONVERSION_PLANNEDMEMORY_H
