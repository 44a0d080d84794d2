//===- RegisterTile.cpp - the block of each loop in registers -------------===//

#include "CodeGen/Accumulation.h"
#include "CodeGen/ElementOps.h"
#include "Scheduler.h"
#include "Target/TargetInfo.h"
#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace tdc::td;

namespace tdc {

/// The most neighbouring vectors of a tile, and the most rows of a tile with
/// vectors.
constexpr int64_t kMostColumns = 12, kMostRows = 12;
/// The positions of a loop from which a product's tile has rows along it, even
/// if another loop has more.
constexpr int64_t kEnoughRows = 6;
/// The most instructions per element of a block that is transposed in
/// registers: it has code for as many vectors as they have lanes.
constexpr int64_t kMostTransposed = 8;
/// Terms of a product from which lanes may be added up for each result.
constexpr int64_t kManyTerms = 64;
/// Terms of a row of which half as many are summed at once.
constexpr int64_t kLongSum = 1024;

/// The cost of a load, in multiplications of vectors: from the L1 cache, from
/// the next one, and from a far one.
constexpr double kLoad = 0.5, kNextLoad = 1, kFarLoad = 3;

/// An estimate of the time of one term for all tiles of rows and columns, in
/// multiplications of vectors. A tile loads its rows and columns, and its loop
/// costs as much as one load more. Fewer multiplications than kFewest wait for
/// those of the term before. A remainder is a second copy of the loop, which
/// must be worth its code.
static double getTime(ArrayRef<LoopBlocks> rows, ArrayRef<LoopBlocks> columns,
                      double columnLoad = kLoad) {
  constexpr int64_t kFewest = 8;
  constexpr double kCopy = 0.03;
  double time = 0, copies = 0;
  for (ArrayRef<LoopBlocks> loop : {rows, columns})
    copies += double(loop.size() - 1);
  for (auto [rowCount, row] : rows)
    for (auto [columnCount, column] : columns)
      time += rowCount * columnCount *
              (double(std::max(row * column, kFewest)) +
               kLoad * double(row + 1) + columnLoad * double(column));
  return time * (1 + kCopy * copies);
}

int64_t Scheduler::countVectors(unsigned loop) const {
  int64_t extent = nest.getLoops()[loop].extent;
  return ShapedType::isDynamic(extent)
             ? 4
             : int64_t(llvm::divideCeil(extent, schedule.lanes));
}

SmallVector<LoopBlocks, 2> Scheduler::getBlocks(unsigned loop,
                                                int64_t factor) const {
  int64_t extent =
      schedule.isOnLanes(loop) ? countVectors(loop) : nest.estimateExtent(loop);
  int64_t whole = extent / factor, rest = extent % factor;
  // Positions of a run-time extent that are no whole block run one by one.
  if (ShapedType::isDynamic(nest.getLoops()[loop].extent))
    return {{double(whole), factor}, {double(factor - 1) / 2, 1}};
  SmallVector<LoopBlocks, 2> blocks = {{double(whole), factor}};
  if (rest)
    blocks.push_back({1, rest});
  return blocks;
}

int Scheduler::findUnrolledLoop(LoopSet common) const {
  LoopSet candidates = common;
  if (contraction) {
    LoopSet rows = toLoopSet(contraction->rows),
            columns = toLoopSet(contraction->columns);
    if (rows & schedule.onLanes && columns)
      candidates &= columns;
    else if (columns & schedule.onLanes && rows)
      candidates &= rows;
  }
  int row = -1;
  for (unsigned loop : schedule.outer)
    if (!schedule.isOnLanes(loop) && contains(candidates, loop) &&
        nest.getLoops()[loop].extent != 0)
      // The innermost one, unless it has too few positions for a tile.
      if (!contraction || row < 0 ||
          nest.estimateExtent(loop) >=
              std::min(nest.estimateExtent(unsigned(row)), kEnoughRows))
        row = loop;
  return row;
}

bool Scheduler::maySumTogether(unsigned row) const {
  ArrayRef<Reduction> reductions = nest.getReductions();
  const Reduction &first = reductions.front();
  bool isOnLanes = llvm::any_of(
      first.loops, [&](unsigned loop) { return schedule.isOnLanes(loop); });
  int64_t accumulators = schedule.lanes * int64_t(reductions.size());
  if (!isOnLanes || accumulators > getAccumulatorBudget() ||
      nest.getReductionRuns().size() != 1)
    return false;
  for (const Reduction &reduction : reductions) {
    if (!isFloatSum(reduction) || !contains(reduction.parallel, row))
      return false;
    // Each row must have one sum; a loop that is held in full makes more.
    for (unsigned loop = 0; loop < schedule.factors.size(); ++loop)
      if (loop != row && contains(reduction.parallel, loop) &&
          schedule.factors[loop] != 1)
        return false;
  }
  return llvm::all_of(llvm::enumerate(nest.getRoots()), [&](auto root) {
    return root.index() < function.resultLayouts.size() &&
           getLaneStride(nest, root.value(), row,
                         function.resultLayouts[root.index()]) == 1;
  });
}

bool Scheduler::mayHaveTile(unsigned lane, int64_t rows,
                            int64_t columns) const {
  if (!contraction)
    return true;
  // The sums, the columns of one term, a scalar of a row, and the product if it
  // is not added at once. One row multiplies its columns where they are in
  // memory.
  int64_t held = (rows > 1 ? columns : 0) + 1 + !function.multipliesAndAdds;
  if (rows * columns + held > function.vectorRegisters)
    return false;
  if (schedule.lastLanes == schedule.lanes)
    return true;
  int64_t last = (countVectors(lane) - 1) % columns + 1;
  return rows * last + rows + last <= function.vectorRegisters;
}

/// At the end, the lanes of each result of the tile are added up: a small cost
/// relative to many terms. A tile of one row loads a vector of the inner factor
/// for each multiplication, which only the L1 cache supplies in time.
bool Scheduler::chooseContractionTile() {
  if (!contraction || contraction->rows.empty() || contraction->columns.empty())
    return false;
  int64_t terms = nest.estimatePositions(contraction->terms),
          inner = terms * nest.estimatePositions(contraction->columns);
  bool isWorthSums =
      terms >= kManyTerms && inner * kLeastBits / 8 > cpu::kL1Bytes;
  if (contraction->terms.size() == 1 && !isWorthSums)
    return false;
  const int64_t budget = getAccumulatorBudget();
  unsigned rows = contraction->rows.back(),
           columns = contraction->columns.back();
  double least = INFINITY;
  int64_t mostRows = std::min(budget, nest.estimateExtent(rows)),
          mostColumns = std::min(budget, nest.estimateExtent(columns));
  for (int64_t row = 1; row <= mostRows; ++row)
    for (int64_t column = 1; column <= mostColumns && row * column <= budget;
         ++column) {
      double time = getTime(getBlocks(rows, row), getBlocks(columns, column));
      if (time >= least)
        continue;
      least = time;
      schedule.factors[rows] = row;
      schedule.factors[columns] = column;
    }
  keepSmallerFactor();
  return schedule.factors[rows] * schedule.factors[columns] > 1;
}

/// With few chains, each step would wait for the one before: loops of terms get
/// several accumulators, those on lanes or else the innermost ones.
void Scheduler::addChains() {
  constexpr int64_t kChains = 4;
  if (countChains(nest.getReductions(), schedule.factors) >= kChains)
    return;
  for (const Reduction &reduction : nest.getReductions()) {
    if (reduction.loops.empty())
      continue;
    const unsigned *lane = llvm::find_if(reduction.loops, [&](unsigned loop) {
      return schedule.isOnLanes(loop);
    });
    bool isOnLanes = lane != reduction.loops.end();
    unsigned loop = isOnLanes ? *lane : reduction.loops.back();
    int64_t positions =
        isOnLanes ? countVectors(loop) : nest.estimateExtent(loop);
    schedule.factors[loop] = std::clamp<int64_t>(positions, 1, kChains);
  }
}

bool Scheduler::groupShortRows(int row) {
  // The results, and what else the kernel reads, take the rest of the cache.
  constexpr int64_t kRows = 4, kPartOfCache = 4;
  if (row < 0 || nest.estimateExtent(unsigned(row)) < kRows)
    return false;
  for (const Reduction &reduction : nest.getReductions()) {
    int64_t elements = kRows * nest.estimatePositions(reduction.loops);
    if (elements * kLeastBits / 8 > cpu::kL1Bytes / kPartOfCache)
      return false;
  }
  schedule.factors[row] = kRows;
  if (countAccumulators(nest.getReductions(), schedule.factors) <=
      getAccumulatorBudget())
    return true;
  schedule.factors[row] = 1;
  return false;
}

void Scheduler::planTransposes() {
  auto *lane = findLane();
  if (lane == schedule.outer.end())
    return;
  int64_t operations = 0;
  KernelOp kernel = function.kernel;
  for (Operation &op : kernel.getBody().front())
    if (nest.isInside(&op))
      operations += int64_t(cast<ComputeOp>(op).getInfo().cost);
  if (operations > kMostTransposed)
    return;
  for (unsigned loop : schedule.outer)
    if (loop != *lane && nest.estimateExtent(loop) >= schedule.lanes &&
        llvm::any_of(nest.getInputs(), [&](const Access &input) {
          return isTransposed(nest, input, *lane, loop,
                              function.getLayout(input.tensor));
        })) {
      schedule.transposed = int(loop);
      schedule.factors[loop] = schedule.lanes;
      return;
    }
}

void Scheduler::chooseFactors() {
  SmallVectorImpl<int64_t> &factors = schedule.factors;
  if (nest.getReductions().empty())
    return planTransposes();
  const int64_t budget = getAccumulatorBudget();

  // Loops of only some reductions' results are held in full.
  LoopSet common = ~LoopSet(0);
  for (const Reduction &reduction : nest.getReductions())
    common &= reduction.parallel;
  for (unsigned loop : schedule.outer)
    if (!contains(common, loop))
      factors[loop] = std::max<int64_t>(nest.getLoops()[loop].extent, 1);
  if (!schedule.later.empty()) {
    if (!groupShortRows(findUnrolledLoop(common)))
      addChains();
    return;
  }

  int lane = -1, row = -1;
  for (unsigned loop : schedule.outer)
    if (schedule.isOnLanes(loop))
      lane = loop;
  if (lane < 0 && chooseContractionTile())
    return;
  row = findUnrolledLoop(common);

  // Each block of rows reads all of the factor on lanes again.
  std::optional<unsigned> factor = getFactorOnLanes();
  double bytesOfColumn = 0;
  if (factor) {
    auto [tensor, at] = nest.getOperand(*contraction->reduction, *factor);
    LoopSet terms =
        nest.getLoopsOf(tensor, *at) & toLoopSet(contraction->terms);
    bytesOfColumn =
        nest.estimatePositions(terms) * double(schedule.lanes * kLeastBits / 8);
  }
  auto getColumnLoad = [&](int64_t columns) {
    if (factor && !schedule.panel && isFar(*factor))
      return kFarLoad;
    // The other factor takes the rest of the cache.
    return double(columns) * bytesOfColumn > cpu::kL1Bytes / 2 ? kNextLoad
                                                               : kLoad;
  };
  double least = INFINITY;
  int64_t bestColumns = 1, bestRows = 1;
  int64_t maxColumns =
      lane >= 0 ? std::min<int64_t>(countVectors(lane), kMostColumns) : 1;
  // A copied panel is in the L2 cache together with what it is copied from.
  if (schedule.panel)
    maxColumns = std::clamp<int64_t>(
        int64_t(double(schedule.panel->isInMemory ? cpu::kL2Bytes
                                                  : cpu::kPanelBytes) /
                getPanelBytes(schedule.panel->rows, schedule.lanes)),
        1, maxColumns);
  const SmallVector<LoopBlocks, 2> once = {{1, 1}};
  int64_t maxRows =
      row >= 0 ? std::min<int64_t>(nest.estimateExtent(row), kMostRows) : 1;
  for (int64_t columns = 1; columns <= maxColumns; ++columns)
    for (int64_t rows = 1; rows <= maxRows; ++rows) {
      if (lane >= 0)
        factors[lane] = columns;
      if (row >= 0)
        factors[row] = rows;
      if (countAccumulators(nest.getReductions(), factors) > budget ||
          (lane >= 0 && !mayHaveTile(lane, rows, columns)))
        continue;
      double time = getTime(row >= 0 ? getBlocks(row, rows) : once,
                            lane >= 0 ? getBlocks(lane, columns) : once,
                            getColumnLoad(columns));
      if (time < least) {
        least = time;
        bestColumns = columns;
        bestRows = rows;
      }
    }
  if (lane >= 0)
    factors[lane] = bestColumns;
  if (row >= 0)
    factors[row] = bestRows;
  if (lane < 0 && row >= 0 && maySumTogether(row)) {
    // Long rows are as many streams of memory: fewer are faster.
    int64_t terms = nest.estimatePositions(nest.getReductions().front().loops);
    int64_t rows = terms < kLongSum ? schedule.lanes : schedule.lanes / 2;
    int64_t extent = nest.getLoops()[row].extent;
    schedule.resultLane = row;
    factors[row] =
        ShapedType::isDynamic(extent) ? rows : std::min(extent, rows);
  }
  if (lane < 0)
    addChains();
}

int64_t Scheduler::countHeld() const {
  int64_t held = countAccumulators(nest.getReductions(), schedule.factors);
  for (const auto *own : {&contraction->rows, &contraction->columns}) {
    int64_t elements = 1;
    for (unsigned loop : *own)
      elements *= schedule.factors[loop];
    held += elements;
  }
  return held;
}

bool Scheduler::isStrided(unsigned window) const {
  int64_t extent = nest.getLoops()[window].extent;
  for (unsigned operand : {0, 1}) {
    Access source = getSource(operand);
    if (!source.tensor)
      continue;
    for (Coordinate at : *source.at)
      for (unsigned loop = 0; loop < schedule.factors.size(); ++loop) {
        int64_t step = CoordinateSum(at).getFactor(window),
                apart = CoordinateSum(at).getFactor(loop);
        if (schedule.factors[loop] > 1 && step < apart && apart < extent * step)
          return true;
      }
  }
  return false;
}

void Scheduler::unrollWindows() {
  constexpr int64_t kMostProducts = 128;
  if (!contraction || schedule.paired >= 0 ||
      countHeld() > function.vectorRegisters ||
      toLoopSet(contraction->terms) & schedule.onLanes)
    return;
  int64_t products = countAccumulators(nest.getReductions(), schedule.factors);
  for (unsigned loop : llvm::reverse(contraction->terms)) {
    int64_t extent = nest.getLoops()[loop].extent;
    if (ShapedType::isDynamic(extent) || products * extent > kMostProducts ||
        isStrided(loop))
      return;
    products *= std::max<int64_t>(extent, 1);
    schedule.unrolled |= toLoopSet(loop);
  }
}

} // namespace tdc
