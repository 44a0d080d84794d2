//===- Phases.h - the one table of phases ---------------------------------===//
//
// The states that a program is in on its way to machine code. `tdc emit
// --phase=NAME`, docs/Architecture.md and test/Pipelines follow this table.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_PIPELINES_PHASES_H
#define TDC_PIPELINES_PHASES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace tdc {

struct TargetInfo;

/// In the order of a compilation.
enum class Phase : uint8_t {
  TD,
  Grad,
  Resolved,
  Placed,
  Kernels,
  Scheduled,
  CPU,
  NVVM,
  PTX,
  Runtime,
  LLVM,
  Asm,
  Obj
};

/// A row of the table.
struct PhaseInfo {
  Phase phase;
  llvm::StringRef name;
  /// What holds of a program in this phase.
  llvm::StringRef holds;
  /// Adds the MLIR passes that lead here from the phase before; null where none
  /// do: at the start, and in the part that LLVM does.
  void (*addPasses)(mlir::OpPassManager &passes, const TargetInfo &target);
};

/// All rows, in the order of Phase.
llvm::ArrayRef<PhaseInfo> getPhases();

/// The first passes of the phase `placed`, those that choose where ops run.
void addChoicePasses(mlir::OpPassManager &passes);

/// The row of a name as a user types it, or null.
const PhaseInfo *findPhase(llvm::StringRef name);

} // namespace tdc

#endif // TDC_PIPELINES_PHASES_H
