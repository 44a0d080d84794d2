//===- Phases.h - the table of phases -------------------------------------===//
//
// The states of a program on its way to machine code. `tdc emit --phase=NAME`,
// docs/Architecture.md and test/Pipelines follow this table.
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

/// In compilation order.
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
  /// The property of a program in this phase, for users.
  llvm::StringRef holds;
  /// Adds the MLIR passes from the phase before to this one; null for the first
  /// phase and for the phases after MLIR.
  void (*addPasses)(mlir::OpPassManager &passes, const TargetInfo &target);
};

/// All rows, in the order of Phase.
llvm::ArrayRef<PhaseInfo> getPhases();

/// Adds the first passes of the phase `placed`, which choose the device of each
/// op.
void addChoicePasses(mlir::OpPassManager &passes);

/// The row with this name, as a user types it, or null.
const PhaseInfo *findPhase(llvm::StringRef name);

} // namespace tdc

#endif // TDC_PIPELINES_PHASES_H
