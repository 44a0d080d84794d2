//===- GridLoops.h - where a thread stands in the loops of a nest ---------===//

#ifndef TDC_CONVERSION_KERNELTOGPU_GRIDLOOPS_H
#define TDC_CONVERSION_KERNELTOGPU_GRIDLOOPS_H

#include "CodeGen/KernelLoops.h"
#include "DeviceBuilder.h"
#include "GridSchedule.h"

namespace tdc {

class GridLoops : public KernelLoops {
public:
  GridLoops(KernelFunction &function, const td::LoopNest &nest,
            GridSchedule schedule);

  /// Emits `body` for the positions of the outer loops that this thread's group
  /// takes. Where a group has several members every thread comes to `body`
  /// equally often, with some position: `isReal` then says whether it is one
  /// that is still to be done.
  void openGrid(llvm::function_ref<void()> body);

  /// The same for a flat nest: `body` is emitted for as many neighbours as a
  /// thread takes, and for single elements at the end of the array.
  void openFlat(llvm::function_ref<void()> body);

  /// Emits `body` where `condition` holds (null: always).
  void openIf(mlir::Value condition, llvm::function_ref<void()> body);

  /// Emits `body` for the positions of `loops` that this member of its group
  /// takes: every groupSize-th, counted through all of them. Long sums are cut
  /// as `sums` says.
  Values openShared(llvm::ArrayRef<unsigned> loops, mlir::ValueRange carried,
                    Body body, const PartialSums *sums = nullptr);
  /// The same for one thread that takes all positions.
  Values openSerial(llvm::ArrayRef<unsigned> loops, mlir::ValueRange carried,
                    Body body);

  /// The loop over the shares of the schedule, if there are several: one more
  /// than the nest has.
  unsigned getShareLoop() const { return nest.getLoops().size(); }

  const GridSchedule schedule;
  DeviceBuilder device;
  /// This thread's number in its group, and its group's in the block, as i32.
  mlir::Value member, group;
  /// Whether the position of the group is one of the nest's; null: it is.
  mlir::Value isReal;

private:
  /// Finds `member` and `group`; gives the group's number in the grid.
  mlir::Value numberGroup(mlir::Value block);
  /// Every step-th position from `start` on, counted through all loops, of the
  /// group's section if there are several.
  struct Part {
    mlir::Value start;
    int64_t step;
    int64_t sections = 1;
  };
  Values open(llvm::ArrayRef<unsigned> loops, Part part,
              mlir::ValueRange carried, Body body, const PartialSums *sums);
  /// Tells the evaluator where `number`, counted through the loops, is, emits
  /// `body` there and forgets it again.
  Values standAt(llvm::ArrayRef<unsigned> loops, mlir::Value number,
                 mlir::Operation *entry, mlir::ValueRange carried, Body body);
  /// How many positions the loops have together, in steps of their factors.
  mlir::Value countPositions(llvm::ArrayRef<unsigned> loops);
};

} // namespace tdc

#endif // TDC_CONVERSION_KERNELTOGPU_GRIDLOOPS_H
