//===- Scheduler.h - the decisions of a schedule --------------------------===//
//
// NestSchedule.cpp has those of every nest: the loop on lanes, the order, what
// threads share. ProductSchedule.cpp has those of a contraction: what is
// copied, streamed and prefetched. RegisterTile.cpp has the block of each loop
// that registers hold.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_LIB_CONVERSION_KERNELTOCPU_SCHEDULER_H
#define TDC_LIB_CONVERSION_KERNELTOCPU_SCHEDULER_H

#include "Dialect/TD/Analysis/Kernels/Contraction.h"
#include "NestSchedule.h"

namespace tdc {

/// Vectors sized for bytes alone would be too long for other values of the
/// nest.
constexpr int64_t kLeastBits = 32;
/// The lanes of the shortest vectors.
constexpr int64_t kFewestLanes = 4;

/// Blocks of a loop that are equally long: their number, and their elements.
using LoopBlocks = llvm::SmallVector<std::pair<double, int64_t>, 2>;

/// Makes a schedule step by step; scheduleKernel has the order of the steps.
class Scheduler {
public:
  Scheduler(const KernelFunction &function, const td::LoopNest &nest)
      : function(function), nest(nest),
        contraction(td::Contraction::get(nest)) {
    schedule.factors.assign(nest.getLoops().size(), 1);
  }

  /// Chooses the lanes and the nesting of the loops. Loops in `serial` are not
  /// on lanes.
  void orderLoops(td::LoopSet serial);
  /// Whether the kernel is a streamed product; sets its factors then.
  bool planStream();
  /// Plans a panel for the factor on lanes if its elements have enough readers:
  /// some if its neighbours on lanes are not neighbours in memory, many if it
  /// is larger than the caches. Then brings the outer loops into another order.
  void planPanel();
  /// The inner loops read all of the factor on lanes again for each block of
  /// the others: they do if the L2 cache holds it, and not the other factor.
  void keepLanesInside();
  /// Shortens the last vector of a product's results.
  void shortenLastVector();
  /// Chooses register tiles: as many accumulators as the register file holds in
  /// addition to the operands, in the shape that takes the least time.
  void chooseFactors();
  /// Plans to prefetch the factor that the L2 cache does not hold.
  void planPrefetch();
  /// Chooses the loops whose blocks threads share, if the kernel computes
  /// enough.
  void chooseSharedLoops();

  NestSchedule schedule;

private:
  // NestSchedule.cpp
  /// Whether half of the lanes hold every loop of the product that is on lanes.
  bool fitsHalf() const;

  // ProductSchedule.cpp
  /// Whether the processor multiplies two terms of the product in one step.
  bool mayPairTerms() const;
  /// The bytes of the rows of a panel with `elements` elements each.
  double getPanelBytes(llvm::ArrayRef<unsigned> rows, int64_t elements) const;
  /// Whether the L2 cache does not hold a factor of the product.
  bool isFar(unsigned operand) const;
  /// The tensor in memory that is a factor of the product; null if it is
  /// computed.
  td::Access getSource(unsigned operand) const;
  void keepSmallerFactor();

  // RegisterTile.cpp
  /// The loop that a register tile unrolls next to the lanes; -1 if there is
  /// none. For a contraction it is a loop of the factor that is not on lanes,
  /// so that each of its elements is multiplied with a vector of the other
  /// factor.
  int findUnrolledLoop(td::LoopSet common) const;
  /// The blocks of a loop with `factor` elements each (on lanes: vectors).
  LoopBlocks getBlocks(unsigned loop, int64_t factor) const;
  /// Chooses a tile of both factors' loops for a contraction with its terms on
  /// lanes.
  bool chooseContractionTile();
  /// Whether a tile with a shorter last vector has registers for the scalars of
  /// its rows: LLVM keeps a copy of each for the shorter multiplications.
  bool mayHaveTile(unsigned lane, int64_t rows, int64_t columns) const;
  /// Whether the sums of as many rows as a vector has lanes may become one
  /// vector.
  bool maySumTogether(unsigned row) const;
  void addChains();
  /// The vectors along a loop on lanes; 4 if only the run knows.
  int64_t countVectors(unsigned loop) const;
  /// The vector registers that accumulators may take; operands take the others.
  int64_t getAccumulatorBudget() const {
    return function.vectorRegisters * 3 / 4;
  }

  const KernelFunction &function;
  const td::LoopNest &nest;
  const std::optional<td::Contraction> contraction;
};

} // namespace tdc

#endif // TDC_LIB_CONVERSION_KERNELTOCPU_SCHEDULER_H
