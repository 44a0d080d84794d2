//===- StreamedProduct.cpp - few rows times a large matrix ----------------===//

#include "StreamedProduct.h"
#include "CodeGen/Accumulation.h"
#include "CodeGen/EmptyPickers.h"
#include "ScratchSums.h"
#include "Target/TargetInfo.h"

using namespace mlir;
using namespace tdc::td;

namespace tdc {

/// With more rows, or fewer columns, the sums are in registers.
constexpr int64_t kMostRows = 2, kFewestColumns = 256;
/// The most rows of the matrix that are read at once. Each is a stream of
/// memory, and processors recognise few streams.
constexpr int64_t kMostStreams = 8;
/// The blocks of terms that are added to a sum one after another: of more,
/// partial sums are more precise (KernelLoops.h). A block has a few terms here,
/// in a BlockedProduct it has 64 or more.
constexpr int64_t kMostBlocks = 512;

int64_t getStreamedTerms(const KernelFunction &function, int64_t rows) {
  return std::min(kMostStreams, function.vectorRegisters / 2 / rows);
}

bool isStreamedProduct(const KernelFunction &function, const LoopNest &nest,
                       const Contraction &contraction, unsigned lane) {
  const Reduction &product = *contraction.reduction;
  if (!isFloatSum(product) || !contraction.batch.empty() ||
      contraction.terms.size() != 1 || contraction.rows.size() > 1 ||
      contraction.columns.size() != 1 || contraction.columns.front() != lane)
    return false;
  auto isKnown = [&](unsigned loop) {
    return !ShapedType::isDynamic(nest.getLoops()[loop].extent);
  };
  unsigned terms = contraction.terms.front();
  if (!isKnown(terms) || !isKnown(lane) ||
      !llvm::all_of(contraction.rows, isKnown))
    return false;
  int64_t rows = nest.estimatePositions(contraction.rows);
  if (rows == 0 || rows > kMostRows)
    return false;
  int64_t columns = nest.getLoops()[lane].extent,
          bits = contraction.getFactorType().getIntOrFloatBitWidth();
  LoopSet ofMatrix = toLoopSet(terms) | toLoopSet(lane);
  auto isInRuns = [&](const Access &input) {
    LoopSet loops = nest.getLoopsOf(input.tensor, *input.at);
    Layout layout = function.getLayout(input.tensor);
    return (loops & ofMatrix) != ofMatrix ||
           (!layout.block && getLaneStride(nest, input, lane, layout) == 1);
  };
  int64_t count = nest.getLoops()[terms].extent;
  return columns >= kFewestColumns &&
         count <= kMostBlocks * getStreamedTerms(function, rows) &&
         rows * columns * int64_t(sizeof(double)) <= cpu::kPanelBytes &&
         count * columns * bits / 8 > cpu::kL2Bytes &&
         llvm::all_of(nest.getInputs(), isInRuns);
}

/// The number of elements for each row: whole vectors.
static int64_t getWidth(const LoopNest &nest, unsigned columns, int64_t lanes) {
  return llvm::alignTo(nest.getLoops()[columns].extent, lanes);
}

RankedTensorType getStreamType(const LoopNest &nest,
                               const NestSchedule &schedule) {
  int64_t rows = 1, width = 0;
  for (unsigned loop : schedule.outer)
    if (schedule.isOnLanes(loop))
      width = getWidth(nest, loop, schedule.lanes);
    else
      rows *= schedule.factors[loop];
  return ScratchSums::getType(nest, rows * width);
}

static ScratchSums getSums(NestLoops &loops) {
  return ScratchSums(loops, [&loops](const Tile &tile) -> Value {
    KernelFunction &function = loops.function;
    unsigned columns = loops.evaluator.laneLoop;
    int64_t row = 0;
    for (unsigned loop = 0; loop < tile.size(); ++loop)
      if (loop != columns)
        row += tile[loop];
    int64_t offset = row * getWidth(loops.nest, columns, loops.lanes);
    return arith::AddIOp::create(function.builder, function.loc,
                                 loops.evaluator.positions[columns],
                                 function.index(offset + tile[columns]));
  });
}

/// Adds the products of the open terms to the sums of the open columns.
static void addProducts(NestLoops &loops, ScratchSums &sums, unsigned terms) {
  for (const Tile &tile : sums.getTiles()) {
    // The block's products are added to each other first: fewer roundings.
    Value sum = sums.getZero(tile);
    for (int64_t term = 0; term < loops.factors[terms]; ++term) {
      Tile at(tile);
      at[terms] = term;
      sum = sums.addProduct(sum, at);
    }
    sums.add(sum, tile);
  }
}

/// Computes the sums. The loops of the rows are open, that of the columns is
/// not.
static void emitSums(NestLoops &loops, ScratchSums &sums, unsigned columns) {
  using Values = NestLoops::Values;
  loops.open(columns, {}, [&](ValueRange) {
    sums.setToZero();
    return Values();
  });
  unsigned terms = loops.nest.getReductions().front().loops.front();
  loops.open({terms, columns}, {}, [&](ValueRange) {
    addProducts(loops, sums, terms);
    return Values();
  });
}

void emitStreamedProduct(KernelFunction &function, const LoopNest &nest,
                         const NestSchedule &schedule,
                         ArrayRef<StoreTarget> targets) {
  NestLoops loops(function, nest, schedule);
  ScratchSums sums = getSums(loops);
  using Values = NestLoops::Values;
  unsigned columns = schedule.outer.back();
  emitUnlessEmpty(function, nest, targets, [&] {
    loops.open(ArrayRef(schedule.outer).drop_back(), {}, [&](ValueRange) {
      emitSums(loops, sums, columns);
      return loops.open(columns, {}, [&](ValueRange) {
        sums.take();
        loops.storeRoots(targets, toLoopSet(schedule.outer));
        return Values();
      });
    });
  });
}

} // namespace tdc
