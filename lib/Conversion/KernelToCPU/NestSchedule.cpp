//===- NestSchedule.cpp - order and blocks of a nest's loops --------------===//

#include "NestSchedule.h"
#include "CodeGen/Accumulation.h"
#include "CodeGen/ElementOps.h"
#include "Dialect/TD/Analysis/Kernels/Contraction.h"
#include "Dialect/TD/Analysis/Kernels/Work.h"
#include "StreamedProduct.h"
#include "Target/TargetInfo.h"
#include "tdc_threads.h"
#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace tdc::td;

namespace tdc {

/// Vectors sized for bytes alone would be too long for other values of the
/// nest.
constexpr int64_t kLeastBits = 32;
/// The most neighbouring vectors of a tile. A tile of one row is that long, so
/// that the other factor is read in long runs.
constexpr int64_t kMostColumns = 12;
/// The most rows of a tile with vectors.
constexpr int64_t kMostRows = 12;
/// Positions that read an element of a factor from which a copy costs little.
constexpr int64_t kManyReaders = 256;
/// How many terms before it is needed a row of a factor is prefetched: memory
/// takes less time.
constexpr int64_t kTermsAhead = 32;
/// Terms of a product from which lanes may be added up for each result.
constexpr int64_t kManyTerms = 64;
/// Terms of a row of which half as many are summed at once.
constexpr int64_t kLongSum = 1024;

/// The lanes of the shortest vectors.
constexpr int64_t kFewestLanes = 4;

/// The bits of the widest element that runs on lanes if the loops `onLanes` do.
static int64_t getWidestOnLanes(const LoopNest &nest, LoopSet onLanes) {
  int64_t bits = kLeastBits;
  auto widen = [&](Value tensor, const Coordinates &at) {
    if (nest.getLoopsOf(tensor, at) & onLanes)
      bits = std::max<int64_t>(
          bits, getElementTypeOrSelf(tensor.getType()).getIntOrFloatBitWidth());
  };
  for (const Access &root : nest.getRoots())
    widen(root.tensor, *root.at);
  for (const Access &input : nest.getInputs())
    widen(input.tensor, *input.at);
  for (const Reduction &reduction : nest.getReductions())
    if (reduction.givesIndex())
      bits = 64; // the indices that it keeps
  return bits;
}

/// Whether the kernel may find a bad index. It runs on one thread, so that the
/// first one is reported.
static bool mayReport(KernelOp kernel) {
  return llvm::any_of(kernel.getBody().front(), [](Operation &op) {
    auto compute = dyn_cast<ComputeOp>(op);
    return compute && compute.mayFail();
  });
}

/// The estimated work of each of `blocks` blocks.
static int64_t getBlockWork(const KernelFunction &function, int64_t work,
                            int64_t blocks) {
  if (function.alwaysThreads)
    return TDRT_LEAST_SHARED_WORK;
  // Of that much, the number of blocks of a run may be a multiple.
  constexpr int64_t most = int64_t(1) << 40;
  return std::clamp<int64_t>(work / std::max<int64_t>(blocks, 1), 1, most);
}

/// Blocks of a loop that are equally long: their number, and their elements.
using Blocks = SmallVector<std::pair<double, int64_t>, 2>;

/// The cost of a load, in multiplications of vectors: from a near cache, and
/// from a far one.
constexpr double kLoad = 0.5, kFarLoad = 3;

/// An estimate of the time in which all tiles of rows and columns take one
/// step, in multiplications of vectors. A tile loads its rows and columns; one
/// with few multiplications waits for those of the step before.
static double getTime(const Blocks &rows, const Blocks &columns,
                      double columnLoad = kLoad) {
  constexpr int64_t kFewest = 8;
  double time = 0;
  for (auto [rowCount, row] : rows)
    for (auto [columnCount, column] : columns)
      time += rowCount * columnCount *
              (double(std::max(row * column, kFewest)) +
               kLoad * double(row + 1) + columnLoad * double(column));
  return time;
}

namespace {
class Scheduler {
public:
  Scheduler(const KernelFunction &function, const LoopNest &nest)
      : function(function), nest(nest), contraction(Contraction::get(nest)) {
    schedule.factors.assign(nest.getLoops().size(), 1);
  }

  void orderLoops(LoopSet serial);
  void chooseFactors();
  /// The loop that a register tile unrolls next to the lanes; -1 if there is
  /// none. For a contraction it is a loop of the factor that is not on lanes,
  /// so that each of its elements is multiplied with a vector of the other
  /// factor.
  int findUnrolledLoop(LoopSet common) const;
  /// The blocks of a loop with `factor` elements each (on lanes: vectors).
  Blocks getBlocks(unsigned loop, int64_t factor) const;
  /// Chooses a tile of both factors' loops for a contraction with its terms on
  /// lanes.
  bool chooseContractionTile();
  void keepSmallerFactor();
  /// The inner loops read all of the factor on lanes again for each block of
  /// the others: they do if the L2 cache holds it, and not the other factor.
  void keepLanesInside();
  /// Plans to prefetch the factor that the L2 cache does not hold.
  void planPrefetch();
  /// Whether the L2 cache does not hold a factor of the product.
  bool isFar(unsigned operand) const;
  /// The tensor in memory that is a factor of the product; null if it is
  /// computed.
  Access getSource(unsigned operand) const;
  void addChains();
  /// The vectors along a loop on lanes; 4 if only the run knows.
  int64_t countVectors(unsigned loop) const {
    int64_t extent = nest.getLoops()[loop].extent;
    return ShapedType::isDynamic(extent)
               ? 4
               : int64_t(llvm::divideCeil(extent, schedule.lanes));
  }
  /// Whether the kernel is a streamed product; sets its factors then.
  bool planStream();
  bool fitsHalf() const;
  /// Plans a panel for the factor on lanes if its elements have enough readers:
  /// some if its neighbours on lanes are not neighbours in memory, many if it
  /// is larger than the caches. Then brings the outer loops into another order.
  void planPanel();
  void shortenLastVector();
  /// Whether a tile with a shorter last vector has registers for the scalars of
  /// its rows: LLVM keeps a copy of each for the shorter multiplications.
  bool mayHaveTile(unsigned lane, int64_t rows, int64_t columns) const;
  /// Whether the processor multiplies two terms of the product in one step.
  bool mayPairTerms() const;
  /// Chooses the loops whose blocks threads share, if the kernel computes
  /// enough.
  void chooseSharedLoops();
  /// The bytes of the rows of a panel with `elements` elements each.
  double getPanelBytes(ArrayRef<unsigned> rows, int64_t elements) const;
  /// Whether the sums of as many rows as a vector has lanes may become one
  /// vector.
  bool maySumTogether(unsigned row) const;
  /// The vector registers that accumulators may take; operands take the others.
  int64_t getAccumulatorBudget() const {
    return function.vectorRegisters * 3 / 4;
  }

  NestSchedule schedule;

private:
  const KernelFunction &function;
  const LoopNest &nest;
  const std::optional<Contraction> contraction;
};
} // namespace

/// Whether half of the lanes hold every loop of the product that is on lanes.
/// An instruction on shorter vectors needs no mask, and takes half the time on
/// some processors.
bool Scheduler::fitsHalf() const {
  for (unsigned loop = 0; loop < nest.getLoops().size(); ++loop) {
    int64_t extent = nest.getLoops()[loop].extent;
    if (schedule.isOnLanes(loop) &&
        (ShapedType::isDynamic(extent) || extent * 2 > schedule.lanes))
      return false;
  }
  return schedule.onLanes != 0;
}

void Scheduler::orderLoops(LoopSet serial) {
  auto layoutOf = [&](Value tensor) {
    for (auto [i, root] : llvm::enumerate(nest.getRoots()))
      if (root.tensor == tensor && i < function.resultLayouts.size() &&
          function.resultLayouts[i].order.size() == root.at->size())
        return function.resultLayouts[i];
    return function.getLayout(tensor);
  };
  auto planFor = [&](int64_t bits) {
    schedule.lanes = function.vectorBits / bits;
    schedule.onLanes =
        planVectors(nest, layoutOf, schedule.lanes, serial, cpu::kPanelBytes)
            .lanes;
  };
  planFor(kLeastBits);
  if (int64_t bits = getWidestOnLanes(nest, schedule.onLanes);
      bits > kLeastBits)
    planFor(bits);
  while (contraction && schedule.lanes > kFewestLanes && fitsHalf())
    schedule.lanes /= 2;

  LoopSet reduced = nest.getResultLoops();
  // Loops are in the memory order of the first root that has them. The lane
  // loop is innermost where elements are only moved, and outermost around
  // reductions, which stream the operand that lies along the lanes.
  bool hasReductions = !nest.getReductions().empty();
  auto add = [&](unsigned loop) {
    auto &list = !hasReductions || contains(reduced, loop) ? schedule.outer
                                                           : schedule.later;
    if (!llvm::is_contained(list, loop))
      list.push_back(loop);
  };
  for (const Access &root : nest.getRoots())
    for (int64_t dim : layoutOf(root.tensor).order)
      if (int loop = getLoop((*root.at)[dim]); loop >= 0)
        add(loop);
  for (auto *list : {&schedule.outer, &schedule.later}) {
    bool lanesFirst = hasReductions && list == &schedule.outer;
    auto isLane = [&](unsigned loop) { return schedule.isOnLanes(loop); };
    if (auto *lane = llvm::find_if(*list, isLane); lane != list->end())
      lanesFirst ? std::rotate(list->begin(), lane, lane + 1)
                 : std::rotate(lane, lane + 1, list->end());
  }
}

bool Scheduler::planStream() {
  if (!contraction || schedule.outer.empty() || !schedule.later.empty())
    return false;
  // The lane loop is the first one.
  unsigned lane = schedule.outer.front();
  if (!schedule.isOnLanes(lane) ||
      !isStreamedProduct(function, nest, *contraction, lane))
    return false;
  int64_t rows = nest.estimatePositions(contraction->rows);
  for (unsigned row : contraction->rows)
    schedule.factors[row] = rows;
  schedule.factors[contraction->terms.front()] =
      getStreamedTerms(function, rows);
  schedule.factors[lane] = 2;
  std::rotate(schedule.outer.begin(), schedule.outer.begin() + 1,
              schedule.outer.end());
  return schedule.isStreamed = true;
}

void Scheduler::planPanel() {
  auto *lane = llvm::find_if(
      schedule.outer, [&](unsigned loop) { return schedule.isOnLanes(loop); });
  if (!contraction || lane == schedule.outer.end())
    return;
  const Reduction &product = *contraction->reduction;
  bool isRight = llvm::is_contained(contraction->columns, *lane);
  if (!isRight && !llvm::is_contained(contraction->rows, *lane))
    return;
  NestSchedule::PanelPlan panel{isRight, /*around=*/0,
                                getPanelRows(nest, product, isRight, *lane,
                                             schedule.lanes, cpu::kPanelBytes)};
  if (panel.rows.empty())
    return;

  ArrayRef<unsigned> own = contraction->columns, others = contraction->rows;
  if (!isRight)
    std::swap(own, others);
  // A panel is that of one position of the other loops; a tile has several
  // positions of the loops of `others` only.
  if (others.empty())
    return;
  int64_t readers = nest.estimatePositions(others);
  // Inputs along terms and lanes are those of this factor.
  LoopSet terms = toLoopSet(product.loops);
  bool isGathered = llvm::any_of(nest.getInputs(), [&](const Access &input) {
    LoopSet loops = nest.getLoopsOf(input.tensor, *input.at);
    return loops & terms && contains(loops, *lane) &&
           getLaneStride(nest, input, *lane, function.getLayout(input.tensor)) <
               0;
  });
  bool isInBlocks = false;
  if (Access source = getSource(isRight); source.tensor) {
    Layout layout = function.getLayout(source.tensor);
    isInBlocks =
        layout.block && getLaneStride(nest, source, *lane, layout) == 1;
  }
  // The elements of a pair are next to each other in a panel only.
  bool isPaired = mayPairTerms();
  if (!((isGathered || isPaired) && readers >= kFewReaders) &&
      !(isFar(isRight) && (isInBlocks || readers >= kManyReaders)) &&
      !function.alwaysPanels)
    return;
  if (isPaired) {
    schedule.paired = int(contraction->terms.front());
    schedule.factors[schedule.paired] = 2;
  }

  panel.isInMemory = isInBlocks && !isPaired;

  // The loops of the factor are opened first, the lane loop last of them.
  Access factor = nest.getOperand(product, isRight);
  LoopSet ofFactor = nest.getLoopsOf(factor.tensor, *factor.at);
  SmallVector<unsigned> around, inner;
  for (unsigned loop : schedule.outer)
    if (loop != *lane)
      (contains(ofFactor, loop) ? around : inner).push_back(loop);
  around.push_back(*lane);
  panel.around = around.size();
  schedule.panel = panel;
  schedule.outer = around;
  llvm::append_range(schedule.outer, inner);
}

bool Scheduler::mayPairTerms() const {
  return function.multipliesBF16Pairs && contraction->terms.size() == 1 &&
         schedule.lanes * kLeastBits == 512 &&
         getElement(*contraction->reduction).isBF16();
}

double Scheduler::getPanelBytes(ArrayRef<unsigned> rows,
                                int64_t elements) const {
  Value factor = contraction->reduction->op->getOperand(0);
  Type stored = getRegisterType(getElementTypeOrSelf(factor.getType()));
  double bits =
      stored.getIntOrFloatBitWidth() / (schedule.paired < 0 ? 1. : 2.);
  return double(nest.estimatePositions(rows)) * double(elements) * bits / 8;
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
      row = loop; // the innermost one
  return row;
}

Blocks Scheduler::getBlocks(unsigned loop, int64_t factor) const {
  int64_t extent =
      schedule.isOnLanes(loop) ? countVectors(loop) : nest.estimateExtent(loop);
  double whole = double(extent / factor);
  // Positions of a run-time extent that are no whole block run one by one.
  if (ShapedType::isDynamic(nest.getLoops()[loop].extent))
    return {{whole, factor}, {double(factor - 1) / 2, 1}};
  // A remainder is a second copy of the loop.
  constexpr double kRemainder = 1.25;
  return {{whole, factor}, {extent % factor ? kRemainder : 0, extent % factor}};
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

/// The inner loops read all of a factor again for each block of the outer ones:
/// that one stays in the L2 cache if the smaller is chosen.
void Scheduler::keepSmallerFactor() {
  double rows = double(nest.estimatePositions(contraction->rows)),
         columns = double(nest.estimatePositions(contraction->columns)),
         bytes = double(nest.estimatePositions(contraction->terms)) *
                 kLeastBits / 8;
  if (2 * columns * bytes <= double(cpu::kL2Bytes) || rows >= columns)
    return;
  SmallVector<unsigned> order;
  for (ArrayRef<unsigned> own :
       {ArrayRef(contraction->columns), ArrayRef(contraction->rows)})
    for (unsigned loop : schedule.outer)
      if (llvm::is_contained(own, loop))
        order.push_back(loop);
  const unsigned *next = order.begin();
  for (unsigned &loop : schedule.outer)
    if (llvm::is_contained(order, loop))
      loop = *next++;
}

void Scheduler::keepLanesInside() {
  auto *lane = llvm::find_if(
      schedule.outer, [&](unsigned loop) { return schedule.isOnLanes(loop); });
  if (!contraction || lane == schedule.outer.end() || schedule.panel)
    return;
  bool isRight = llvm::is_contained(contraction->columns, *lane);
  if (!isFar(isRight) && isFar(!isRight))
    std::rotate(lane, lane + 1, schedule.outer.end());
}

/// Some processors split instructions on long vectors.
void Scheduler::shortenLastVector() {
  if (!contraction || schedule.paired >= 0)
    return;
  for (unsigned loop : schedule.outer) {
    int64_t extent = nest.getLoops()[loop].extent;
    if (!schedule.isOnLanes(loop) || ShapedType::isDynamic(extent))
      continue;
    int64_t shorter = std::max<int64_t>(
        llvm::PowerOf2Ceil(extent % schedule.lanes), kFewestLanes);
    if (extent % schedule.lanes && shorter < schedule.lanes)
      schedule.lastLanes = shorter;
  }
}

bool Scheduler::mayHaveTile(unsigned lane, int64_t rows,
                            int64_t columns) const {
  int64_t last = countVectors(lane) % columns;
  if (last == 0)
    last = columns;
  return !schedule.lastLanes ||
         rows * last + rows + last <= function.vectorRegisters;
}

bool Scheduler::isFar(unsigned operand) const {
  ArrayRef<unsigned> own = operand ? contraction->columns : contraction->rows;
  return getPanelBytes(contraction->terms, nest.estimatePositions(own)) >
         cpu::kL2Bytes;
}

Access Scheduler::getSource(unsigned operand) const {
  Access factor = nest.getOperand(*contraction->reduction, operand);
  return nest.getSource(factor.tensor, *factor.at);
}

void Scheduler::planPrefetch() {
  if (!contraction || contraction->terms.size() != 1)
    return;
  unsigned term = contraction->terms.front();
  for (unsigned operand : {0, 1}) {
    Access source = getSource(operand);
    const auto &own = operand ? contraction->columns : contraction->rows;
    if (!source.tensor || own.empty() || !isFar(operand) ||
        (schedule.panel && schedule.panel->factor == operand))
      continue;
    Layout layout = function.getLayout(source.tensor);
    if (layout.block)
      continue;
    if (schedule.isOnLanes(term))
      schedule.prefetch = {operand, own.back(), schedule.factors[own.back()]};
    else if (getLaneStride(nest, source, term, layout) != 1)
      schedule.prefetch = {operand, term, kTermsAhead};
  }
}

/// Chooses register tiles: as many accumulators as the register file holds in
/// addition to the operands, in the shape that takes the least time.
void Scheduler::chooseFactors() {
  SmallVectorImpl<int64_t> &factors = schedule.factors;
  if (nest.getReductions().empty())
    return;
  const int64_t budget = getAccumulatorBudget();

  // Loops of only some reductions' results are held in full.
  LoopSet common = ~LoopSet(0);
  for (const Reduction &reduction : nest.getReductions())
    common &= reduction.parallel;
  for (unsigned loop : schedule.outer)
    if (!contains(common, loop))
      factors[loop] = std::max<int64_t>(nest.getLoops()[loop].extent, 1);
  if (!schedule.later.empty()) {
    // One row at a time, as several stages follow each other.
    addChains();
    return;
  }

  auto extentOf = [&](unsigned loop) { return nest.getLoops()[loop].extent; };
  int lane = -1, row = -1;
  for (unsigned loop : schedule.outer)
    if (schedule.isOnLanes(loop))
      lane = loop;
  if (lane < 0 && chooseContractionTile())
    return;
  row = findUnrolledLoop(common);

  // Each block of rows reads all of the factor on lanes again.
  double columnLoad = kLoad;
  if (contraction && lane >= 0 && !schedule.panel &&
      isFar(llvm::is_contained(contraction->columns, unsigned(lane))))
    columnLoad = kFarLoad;
  double least = INFINITY;
  int64_t bestColumns = 1, bestRows = 1;
  int64_t maxColumns =
      lane >= 0 ? std::min<int64_t>(countVectors(lane), kMostColumns) : 1;
  if (schedule.panel)
    maxColumns = std::clamp<int64_t>(
        int64_t(cpu::kPanelBytes /
                getPanelBytes(schedule.panel->rows, schedule.lanes)),
        1, maxColumns);
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
      double time = getTime(
          row >= 0 ? getBlocks(row, rows) : Blocks{{1, 1}},
          lane >= 0 ? getBlocks(lane, columns) : Blocks{{1, 1}}, columnLoad);
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
    int64_t extent = extentOf(row);
    schedule.resultLane = row;
    factors[row] =
        ShapedType::isDynamic(extent) ? rows : std::min(extent, rows);
  }
  if (lane < 0)
    addChains();
}

/// With few chains, each step would wait for the one before: loops of terms on
/// lanes get several accumulators.
void Scheduler::addChains() {
  if (countChains(nest.getReductions(), schedule.factors) >= 4)
    return;
  for (const Reduction &reduction : nest.getReductions())
    for (unsigned loop : reduction.loops)
      if (schedule.isOnLanes(loop))
        schedule.factors[loop] = std::clamp<int64_t>(countVectors(loop), 1, 4);
}

/// Loops are shared from the outermost on, so that threads work on memory that
/// is far apart, until there are several blocks for each of many threads. Each
/// thread makes its own panels: loops inside of one are shared only if there
/// are few blocks around it.
void Scheduler::chooseSharedLoops() {
  constexpr int64_t kManyBlocks = 64, kEnoughPanels = 16;
  int64_t work = estimateWork(nest), blocks = 1;
  bool isKnown = llvm::none_of(schedule.outer, [&](unsigned loop) {
    return ShapedType::isDynamic(nest.getLoops()[loop].extent);
  });
  // Where a size is known only at run time, the runtime decides.
  if ((isKnown && work < TDRT_LEAST_SHARED_WORK && !function.alwaysThreads) ||
      mayReport(function.kernel))
    return;
  for (size_t i = 0; i < schedule.outer.size(); ++i) {
    unsigned loop = schedule.outer[i];
    bool isInPanel = schedule.panel && i >= schedule.panel->around;
    if (blocks >= (isInPanel ? kEnoughPanels : kManyBlocks))
      break;
    bool isOfAll = llvm::all_of(nest.getRoots(), [&](const Access &root) {
      return llvm::any_of(
          *root.at, [&](Coordinate at) { return getLoop(at) == int(loop); });
    });
    int64_t count =
        llvm::divideCeil(nest.estimateExtent(loop), schedule.getStep(loop));
    if (!isOfAll || count < 2)
      continue;
    schedule.shared.push_back(loop);
    blocks *= count;
  }
  if (!schedule.shared.empty())
    schedule.work = getBlockWork(function, work, blocks);
}

NestSchedule scheduleKernel(const KernelFunction &function,
                            const LoopNest &nest) {
  Scheduler scheduler(function, nest);
  scheduler.orderLoops(/*serial=*/0);
  if (!scheduler.planStream()) {
    scheduler.planPanel();
    scheduler.keepLanesInside();
    scheduler.shortenLastVector();
    scheduler.chooseFactors();
    scheduler.planPrefetch();
    scheduler.schedule.kept =
        findKeptValue(function, nest, scheduler.schedule.onLanes);
  }
  scheduler.chooseSharedLoops();
  return std::move(scheduler.schedule);
}

NestSchedule scheduleNest(const KernelFunction &function, const LoopNest &nest,
                          LoopSet serial) {
  Scheduler scheduler(function, nest);
  scheduler.orderLoops(serial);
  scheduler.chooseFactors();
  return std::move(scheduler.schedule);
}

NestSchedule scheduleFlatNest(const KernelFunction &function,
                              const LoopNest &nest) {
  NestSchedule schedule;
  schedule.lanes = function.vectorBits / getWidestOnLanes(nest, ~LoopSet(0));
  schedule.onLanes = 1;
  schedule.factors.assign(nest.getLoops().size(), 1);
  schedule.outer = {0};
  if (!mayReport(function.kernel)) {
    auto loops = llvm::to_vector(
        llvm::seq<unsigned>(0, unsigned(nest.getLoops().size())));
    schedule.shared = {0};
    schedule.work =
        getBlockWork(function, estimateWork(nest),
                     nest.estimatePositions(loops) / schedule.lanes);
  }
  return schedule;
}

} // namespace tdc
