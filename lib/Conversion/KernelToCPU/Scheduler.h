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

/// Blocks of a loop that are equally long: how many, and the elements of one.
struct LoopBlocks {
  double count;
  int64_t size;
};

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
  /// Whether the kernel is a convolution as in Winograd.h; sets its loops and
  /// factors then.
  bool planWinograd();
  /// Plans a panel for the factor on lanes: from kFewReaders readers on if its
  /// lanes are not contiguous in memory or two terms are multiplied at once; if
  /// it is larger than the L2 cache, from kReadersPerRegister for each register
  /// on; if it is larger than the L1 cache and its rows are no whole number of
  /// vectors, from kUnalignedReadersPerRegister for each on; if its terms are
  /// in few sets of that cache, from kReadersOfFewSets on. With any number if
  /// it is a large weight with a blocked layout, which is read in place unless
  /// two terms are multiplied at once. Then opens the loops of the factor
  /// first.
  void planPanel();
  /// Moves the lane loop innermost if the L2 cache holds the factor on lanes,
  /// and not the other one: the inner loops read their factor again for each
  /// block of the outer ones. Also if the L2 cache does not hold the results,
  /// and the L1 cache holds what one run of the lane loop reads: results are
  /// then stored in the order of memory.
  void nestLanesInnermost();
  /// Shortens the last vector of a product's results.
  void shortenLastVector();
  /// Chooses register tiles: the shape with the least estimated time whose
  /// accumulators fit getAccumulatorBudget(), and which mayHaveTile().
  void chooseFactors();
  /// Unrolls inner loops of a product's terms with few positions, as those of
  /// a window: if the registers hold all elements of a tile, since LLVM loads
  /// an element that several positions read once.
  void unrollWindows();
  /// Plans to sum the terms of a product block by block if all its tiles read
  /// them again (BlockedProduct.h), or to compute a block of its rows after the
  /// other if all its panels read them again (RowBlocks.h).
  void planBlocks();
  /// Plans to prefetch the factor that the L2 cache does not hold; of two, the
  /// larger one. With one row and terms on lanes it is one that the L3 cache
  /// does not hold, unless the program's state pushes it out between two calls.
  /// Only products with one loop of terms do, and only a factor without a panel
  /// or blocks.
  void planPrefetch();
  /// Plans to prefetch the next panel, if it is in memory.
  void planNextPanel();
  /// Plans to keep what sums and a root compute: numerators of a softmax. If
  /// another kernel divides them, nothing is left for the later loops.
  void planKept();
  /// Plans to prefetch the next row of inputs that the L2 cache does not hold.
  void planNextRow();
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
  /// The bytes of a factor of the product, in memory or as it is computed.
  double getBytes(unsigned operand) const;
  /// Whether the L2 cache does not hold a factor of the product.
  bool isFar(unsigned operand) const;
  /// The tensor in memory that is a factor of the product; null if it is
  /// computed.
  td::Access getSource(unsigned operand) const;
  void keepSmallerFactor();
  /// Whether the elements of a factor that a tile reads are in few sets of the
  /// L1 cache, which do not hold them: the distance of its terms is a multiple
  /// of several cache lines.
  bool areTermsInFewSets(const td::Access &source, const td::Layout &layout,
                         unsigned lane) const;
  /// The factor of the product along whose own loop the lanes are; nullopt if
  /// there is none.
  std::optional<unsigned> getFactorOnLanes() const;
  /// The place of the lane loop in schedule.outer; its end if there is none.
  unsigned *findLane() {
    return llvm::find_if(schedule.outer, [&](unsigned loop) {
      return schedule.isOnLanes(loop);
    });
  }

  // RegisterTile.cpp
  /// Chooses the loop along which tensors are transposed in registers, if a
  /// nest without reductions would gather their elements.
  void planTransposes();
  /// The loop that a register tile unrolls next to the lanes; -1 if there is
  /// none. For a contraction it is a loop of the factor that is not on lanes,
  /// so that each of its elements is multiplied with a vector of the other
  /// factor.
  int findUnrolledLoop(td::LoopSet common) const;
  /// The blocks of a loop with `factor` elements each (on lanes: vectors), and
  /// what remains.
  llvm::SmallVector<LoopBlocks, 2> getBlocks(unsigned loop,
                                             int64_t factor) const;
  /// Chooses a tile of both factors' loops for a contraction with its terms on
  /// lanes.
  bool chooseContractionTile();
  /// Whether the tile of a product fits the registers. With a shorter last
  /// vector, the scalar of each row takes one: LLVM keeps copies of the scalars
  /// for the shorter multiplications.
  bool mayHaveTile(unsigned lane, int64_t rows, int64_t columns) const;
  /// Whether the sums of as many rows as a vector has lanes may become one
  /// vector.
  bool maySumTogether(unsigned row) const;
  /// Computes several rows at once if they take a small part of the L1 cache:
  /// where one waits, for its lanes to be added up, another goes on. Returns
  /// whether it does. `row` is the loop of the rows; -1 if there is none.
  bool groupShortRows(int row);
  void addChains();
  /// The registers of a product's tile: its accumulators, and its elements of
  /// both factors.
  int64_t countHeld() const;
  /// Whether windows along the loop overlap, and begin several of its steps
  /// apart: then the elements that two of them share are not those of
  /// neighbouring positions.
  bool isStrided(unsigned window) const;
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
