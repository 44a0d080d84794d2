//===- ProductSchedule.cpp - copies, streams and prefetches of products ---===//

#include "BlockedProduct.h"
#include "CodeGen/Accumulation.h"
#include "CodeGen/ElementOps.h"
#include "RowBlocks.h"
#include "Scheduler.h"
#include "StreamedProduct.h"
#include "Target/TargetInfo.h"
#include "Winograd.h"
#include <algorithm>
#include <numeric>

using namespace mlir;
using namespace tdc::td;

namespace tdc {

/// Positions that read an element of a factor, for each vector register, from
/// which a copy costs little: with fewer registers, tiles have fewer rows, and
/// more tiles read the factor.
constexpr int64_t kReadersPerRegister = 8;
/// The same if vectors of the factor straddle cache lines.
constexpr int64_t kUnalignedReadersPerRegister = 2;
/// Positions that read an element from which a copy costs little if the terms
/// are in few sets of the L1 cache.
constexpr int64_t kReadersOfFewSets = 64;
/// How many terms before it is needed a row of a factor is prefetched: memory
/// takes less time.
constexpr int64_t kTermsAhead = 32;

bool Scheduler::mayPairTerms() const {
  return function.multipliesBF16Pairs && contraction->terms.size() == 1 &&
         schedule.lanes * kLeastBits == 512 &&
         contraction->getFactorType().isBF16();
}

double Scheduler::getPanelBytes(ArrayRef<unsigned> rows,
                                int64_t elements) const {
  Value factor = contraction->reduction->op->getOperand(0);
  Type stored = getRegisterType(getElementTypeOrSelf(factor.getType()));
  double bits =
      stored.getIntOrFloatBitWidth() / (schedule.paired < 0 ? 1. : 2.);
  return double(nest.estimatePositions(rows)) * double(elements) * bits / 8;
}

double Scheduler::getBytes(unsigned operand) const {
  ArrayRef<unsigned> own = operand ? contraction->columns : contraction->rows;
  Type element = getElementTypeOrSelf(
      contraction->reduction->op->getOperand(operand).getType());
  element = getSource(operand).tensor ? getMemoryType(element)
                                      : getRegisterType(element);
  return double(nest.estimatePositions(contraction->terms)) *
         double(nest.estimatePositions(own)) * element.getIntOrFloatBitWidth() /
         8;
}

bool Scheduler::isFar(unsigned operand) const {
  return getBytes(operand) > cpu::kL2Bytes;
}

Access Scheduler::getSource(unsigned operand) const {
  Access factor = nest.getOperand(*contraction->reduction, operand);
  return nest.getSource(factor.tensor, *factor.at);
}

std::optional<unsigned> Scheduler::getFactorOnLanes() const {
  if (contraction)
    for (unsigned loop : schedule.outer)
      if (schedule.isOnLanes(loop)) {
        if (llvm::is_contained(contraction->rows, loop))
          return 0;
        if (llvm::is_contained(contraction->columns, loop))
          return 1;
      }
  return std::nullopt;
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

bool Scheduler::planWinograd() {
  if (!contraction || !schedule.later.empty())
    return false;
  auto layoutOf = [&](Value tensor) { return function.getLayout(tensor); };
  schedule.winograd =
      WinogradLoops::find(nest, *contraction, layoutOf, schedule.lanes);
  if (!schedule.winograd)
    return false;
  const WinogradLoops &loops = *schedule.winograd;
  schedule.onLanes = toLoopSet(loops.filters);
  schedule.outer.assign(loops.images.begin(), loops.images.end());
  schedule.outer.append({loops.rows, loops.filters});
  schedule.factors[loops.rows] = getBandRows(nest, loops);
  if (!loops.images.empty())
    schedule.factors[loops.images.back()] = getBandImages(nest, loops);
  schedule.factors[loops.filters] = getPartVectors(nest, loops, schedule.lanes);
  return true;
}

bool Scheduler::areTermsInFewSets(const Access &source, const Layout &layout,
                                  unsigned lane) const {
  constexpr int64_t kSets = 64, kWays = cpu::kL1Bytes / cpu::kLineBytes / kSets;
  // Vectors of a usual tile.
  constexpr int64_t kVectors = 3;
  if (contraction->terms.size() != 1 || layout.block)
    return false;
  auto type = cast<RankedTensorType>(source.tensor.getType());
  unsigned term = contraction->terms.front();
  int64_t terms = nest.getExtent(term);
  if (ShapedType::isDynamic(terms))
    return false;
  int64_t bytes =
              getMemoryType(type.getElementType()).getIntOrFloatBitWidth() / 8,
          distance = bytes;
  for (int64_t dim : llvm::reverse(layout.order)) {
    if (int64_t factor = CoordinateSum((*source.at)[dim]).getFactor(term)) {
      distance *= factor;
      break;
    }
    if (type.isDynamicDim(dim))
      return false;
    distance *= type.getDimSize(dim);
  }
  if (distance % cpu::kLineBytes)
    return false;
  int64_t width =
      std::min(nest.estimateExtent(lane), kVectors * schedule.lanes);
  int64_t linesOfTerm = llvm::divideCeil(width * bytes, cpu::kLineBytes);
  int64_t sets = kSets / std::gcd(kSets, distance / cpu::kLineBytes);
  int64_t lines = std::min(kSets, sets * linesOfTerm) * kWays;
  return terms * linesOfTerm > lines && sets < kSets;
}

void Scheduler::planPanel() {
  std::optional<unsigned> operand = getFactorOnLanes();
  if (!operand)
    return;
  const Reduction &product = *contraction->reduction;
  auto *lane = findLane();
  NestSchedule::PanelPlan panel{*operand, /*around=*/0,
                                getPanelRows(nest, product, *operand, *lane,
                                             schedule.lanes, cpu::kPanelBytes)};
  if (panel.rows.empty())
    return;

  ArrayRef<unsigned> others =
      *operand ? contraction->rows : contraction->columns;
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
  bool isInBlocks = false, isUnaligned = false, sharesSets = false;
  if (Access source = getSource(*operand); source.tensor) {
    Layout layout = function.getLayout(source.tensor);
    bool isContiguous = getLaneStride(nest, source, *lane, layout) == 1;
    auto type = cast<RankedTensorType>(source.tensor.getType());
    isInBlocks = isContiguous && layout.block;
    isUnaligned = isContiguous && !layout.block && type.getRank() == 2 &&
                  !type.isDynamicDim(layout.getLast()) &&
                  type.getDimSize(layout.getLast()) % schedule.lanes != 0;
    sharesSets = isContiguous && areTermsInFewSets(source, layout, *lane);
  }
  // The elements of a pair are next to each other in a panel only.
  bool isPaired = mayPairTerms();
  // Only weights are in blocks: until it is read again, the L2 cache is given
  // to those of other products. Pairs are copied from them.
  int64_t large = isPaired ? cpu::kL2Bytes : cpu::kL2Bytes / 4;
  bool isLargeWeight = isInBlocks && getBytes(*operand) > double(large);
  if (!((isGathered || isPaired) && readers >= kFewReaders) && !isLargeWeight &&
      !(isFar(*operand) &&
        readers >= kReadersPerRegister * function.vectorRegisters) &&
      !(sharesSets && readers >= kReadersOfFewSets) &&
      !(isUnaligned && getBytes(*operand) > cpu::kL1Bytes &&
        readers >= kUnalignedReadersPerRegister * function.vectorRegisters) &&
      !function.alwaysPanels)
    return;
  if (isPaired) {
    schedule.paired = int(contraction->terms.front());
    schedule.factors[schedule.paired] = 2;
  }

  panel.isInMemory = isInBlocks && !isPaired;

  // The loops of the factor are opened first, the lane loop last of them.
  Access factor = nest.getOperand(product, *operand);
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

void Scheduler::nestLanesInnermost() {
  std::optional<unsigned> operand = getFactorOnLanes();
  if (!operand || schedule.panel)
    return;
  auto *lane = findLane();
  constexpr int64_t kBytes = kLeastBits / 8;
  int64_t results = kBytes * nest.estimatePositions(schedule.outer),
          ofLanes = kBytes * nest.estimatePositions(contraction->terms) *
                    nest.estimateExtent(*lane);
  bool isNear = !isFar(*operand) && isFar(1 - *operand),
       storesFar = results > cpu::kL2Bytes && ofLanes < cpu::kL1Bytes;
  if (isNear || storesFar)
    std::rotate(lane, lane + 1, schedule.outer.end());
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

/// Some processors split instructions on long vectors.
void Scheduler::shortenLastVector() {
  if (!contraction || schedule.paired >= 0)
    return;
  for (unsigned loop : schedule.outer) {
    int64_t extent = nest.getLoops()[loop].extent;
    if (!schedule.isOnLanes(loop) || ShapedType::isDynamic(extent))
      continue;
    if (int64_t rest = extent % schedule.lanes)
      schedule.lastLanes =
          std::min(schedule.lanes,
                   std::max<int64_t>(llvm::PowerOf2Ceil(rest), kFewestLanes));
  }
}

void Scheduler::planBlocks() {
  if (!contraction)
    return;
  planTermBlocks(nest, *contraction, schedule);
  if (schedule.panel && !mayReport(function.kernel))
    planRowBlocks(function, nest, *contraction,
                  getBytes(1 - schedule.panel->factor), schedule);
}

void Scheduler::planNextPanel() {
  if (!schedule.panel || !schedule.panel->isInMemory)
    return;
  NestSchedule::NextPanel next{schedule.panel->factor, {}, 0};
  int64_t count = 1;
  for (unsigned loop :
       ArrayRef(schedule.outer).drop_front(schedule.panel->around)) {
    int64_t extent = nest.getLoops()[loop].extent,
            step = schedule.getStep(loop);
    if (ShapedType::isDynamic(extent))
      return;
    count *= llvm::divideCeil(extent, step);
    next.tiles.push_back({loop, step});
  }
  Type element = getElementTypeOrSelf(getSource(next.factor).tensor.getType());
  int64_t bytes = schedule.getStep(*findLane()) *
                  getMemoryType(element).getIntOrFloatBitWidth() / 8;
  next.bytes = llvm::divideCeil(bytes, count);
  if (count > 1)
    schedule.nextPanel = std::move(next);
}

void Scheduler::planPrefetch() {
  if (!contraction || contraction->terms.size() != 1)
    return;
  unsigned term = contraction->terms.front();
  double most = 0;
  for (unsigned operand : {0, 1}) {
    const Access &factor = contraction->getFactor(operand);
    Access source = nest.getSource(factor.tensor, *factor.at);
    const auto &own = operand ? contraction->columns : contraction->rows;
    const auto &others = operand ? contraction->rows : contraction->columns;
    if (!source.tensor || nest.isPicked(source) || own.empty())
      continue;
    // Each load of a row with terms on lanes has one multiplication: a prefetch
    // of what the L3 cache holds costs more than it saves.
    bool isOneRow =
        schedule.isOnLanes(term) && nest.estimatePositions(others) == 1;
    bool isInL3 = isOneRow && function.stateBytes <= cpu::kL3Bytes;
    double cached = isInL3 ? cpu::kL3Bytes : cpu::kL2Bytes;
    double bytes = nest.estimateBytes(source);
    if (bytes <= std::max(most, cached) ||
        (schedule.panel && schedule.panel->factor == operand))
      continue;
    Layout layout = function.getLayout(source.tensor);
    NestSchedule::PrefetchPlan plan{operand, term, kTermsAhead};
    if (schedule.isOnLanes(term))
      plan = {operand, own.back(), schedule.factors[own.back()]};
    bool isNeeded = schedule.isOnLanes(term)
                        ? plan.ahead < nest.estimateExtent(plan.loop)
                        : getLaneStride(nest, source, term, layout) != 1;
    if (layout.block || !isNeeded)
      continue;
    schedule.prefetch = plan;
    most = bytes;
  }
}

} // namespace tdc
