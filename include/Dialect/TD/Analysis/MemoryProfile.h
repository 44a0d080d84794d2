//===- MemoryProfile.h - the memory of all devices, line by line ----------===//
//
// For people: how much each device holds while a placed module runs, when that
// is the most, and what it is then. Never edits.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_DIALECT_TD_ANALYSIS_MEMORYPROFILE_H
#define TDC_DIALECT_TD_ANALYSIS_MEMORYPROFILE_H

#include "Dialect/TD/IR/TD.h"
#include "mlir/IR/BuiltinOps.h"
#include <string>
#include <vector>

namespace tdc::td {

/// Tensors of one name that a line makes.
struct MemoryHolder {
  std::string what;           ///< as in UserNames.h
  mlir::FileLineColLoc place; ///< null if no line of the program does
  int64_t tensors = 0, bytes = 0;
};

struct PeakMemory {
  Place device;
  int64_t bytes;
  mlir::Location at; ///< the first op while which so much is needed
  bool isEstimate;
  /// What takes these bytes, the largest first.
  std::vector<MemoryHolder> holders;
};

/// Ops of one line that run after each other.
struct MemoryPoint {
  mlir::FileLineColLoc place;
  llvm::SmallVector<int64_t, 2> bytes; ///< the most, on each device
};

struct MemoryProfile {
  /// One for each device, in the order in which they appear.
  llvm::SmallVector<PeakMemory> peaks;
  /// In the order of the program, of each loop one turn. An export follows as
  /// a call would.
  std::vector<MemoryPoint> points;
};

/// The cpu and what else a module has tensors on, in the order in which they
/// appear.
llvm::SmallVector<Place> getDevices(mlir::ModuleOp module);

/// Counted by DeviceMemory.
MemoryProfile getMemoryProfile(mlir::ModuleOp module);

} // namespace tdc::td

#endif // TDC_DIALECT_TD_ANALYSIS_MEMORYPROFILE_H
