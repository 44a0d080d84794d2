//===- GridLoops.h - a thread's positions in a nest's loops ---------------===//

#ifndef TDC_LIB_CONVERSION_KERNELTOGPU_GRIDLOOPS_H
#define TDC_LIB_CONVERSION_KERNELTOGPU_GRIDLOOPS_H

#include "CodeGen/KernelLoops.h"
#include "DeviceBuilder.h"
#include "GridSchedule.h"

namespace tdc {

class GridLoops : public KernelLoops {
public:
  GridLoops(KernelFunction &function, const td::LoopNest &nest,
            GridSchedule schedule);

  /// Emits `body` for the positions of the outer loops that this thread's group
  /// takes. If a group has several members, every thread executes `body`
  /// equally often, and `isReal` is false in executions that only repeat the
  /// last position.
  void openGrid(llvm::function_ref<void()> body);

  /// The same for a flat nest: emits `body` for the neighbours that a thread
  /// takes at once, and again for single elements at the end of the array.
  void openFlat(llvm::function_ref<void()> body);

  /// Emits `body` under `condition` (null: always).
  void openIf(mlir::Value condition, llvm::function_ref<void()> body);

  /// Emits `body` for the positions of `loops` that this member of its group
  /// takes: every groupSize-th position of the linearized loops. `sums` cuts
  /// long sums.
  Values openShared(llvm::ArrayRef<unsigned> loops, mlir::ValueRange carried,
                    Body body, const PartialSums *sums = nullptr);
  /// The same for one thread that takes all positions.
  Values openSerial(llvm::ArrayRef<unsigned> loops, mlir::ValueRange carried,
                    Body body);

  /// The number of the loop over the groups that share the work at a position,
  /// if there are several: it follows the loops of the nest.
  unsigned getSharerLoop() const { return nest.getLoops().size(); }

  const GridSchedule schedule;
  DeviceBuilder device;
  /// This thread's number in its group, and the group's number in its block, as
  /// i32.
  mlir::Value member, group;
  /// Whether the group's position is in the nest; null: always.
  mlir::Value isReal;

private:
  /// Sets `member` and `group`; returns the group's number in the grid.
  mlir::Value numberGroup(mlir::Value block);
  /// Every `step`-th position from `start` on, in the linearized loops.
  /// Restricted to this group's section if there are several.
  struct Part {
    mlir::Value start;
    int64_t step;
    int64_t sections = 1;
  };
  Values open(llvm::ArrayRef<unsigned> loops, Part part,
              mlir::ValueRange carried, Body body, const PartialSums *sums);
  /// Emits `body` in scopes in which the loops are at position `number` of the
  /// linearized loops.
  Values openAt(llvm::ArrayRef<unsigned> loops, mlir::Value number,
                mlir::Operation *entry, mlir::ValueRange carried, Body body);
  /// Emits the number of positions of the linearized loops, in steps of their
  /// factors.
  mlir::Value emitStepCount(llvm::ArrayRef<unsigned> loops);
};

} // namespace tdc

#endif // TDC_LIB_CONVERSION_KERNELTOGPU_GRIDLOOPS_H
