//===- ContractionSchedule.cpp - the tiles of a contraction ---------------===//

#include "ContractionSchedule.h"
#include "CodeGen/ElementOps.h"
#include "Conversion/KernelToGPU.h"
#include "Dialect/TD/Analysis/Kernels/Vectorization.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;
using namespace tdc::td;

namespace tdc {

static void chooseTiles(const LoopNest &nest, ContractionSchedule &schedule) {
  Type element = schedule.element;
  int64_t rows = nest.estimatePositions(schedule.left.loops);
  int64_t columns = nest.estimatePositions(schedule.right.loops);
  int64_t batch = nest.estimatePositions(schedule.batch);
  schedule.onTensorCores =
      td::isNarrowFloat(element) ||
      (element.isF32() &&
       schedule.reduction->op->getParentOfType<ModuleOp>()->hasAttr(kTF32Attr));
  schedule.shared = schedule.onTensorCores ? getMemoryType(element)
                                           : getRegisterType(element);
  int64_t fewer = std::min(rows, columns);
  bool isLarge =
      llvm::divideCeil(rows, 128) * llvm::divideCeil(columns, 128) * batch >=
          gpu::kBusyTiles &&
      fewer >= 128 && schedule.shared.getIntOrFloatBitWidth() <= 32;
  int64_t extent = isLarge ? 128 : 64;
  if (schedule.onTensorCores) {
    schedule.tileTerms = 4 * schedule.getChunk();
    schedule.threads = 2 * extent;
    schedule.stages = 3;
  } else {
    if (fewer < 64)
      extent = 32;
    schedule.tileTerms = isLarge ? 8 : 16;
    schedule.threads = fewer < 64 ? 64 : kBlockThreads;
  }
  schedule.left.extent = schedule.right.extent = extent;
  // Tiles with the same number of elements, but fewer past the end.
  if (fewer <= 32 && schedule.onTensorCores) {
    schedule.left.extent = rows == fewer ? 32 : 128;
    schedule.right.extent = rows == fewer ? 128 : 32;
  }
}

/// Whether neighbours along the loop are neighbours in memory.
static bool isAlongMemory(const LoopNest &nest, const Access &access,
                          unsigned loop) {
  return getLaneStride(nest, access, loop, getRowMajor(access.tensor)) == 1;
}

static void chooseReads(const LoopNest &nest,
                        const ContractionSchedule &schedule,
                        ContractionOperand &operand) {
  unsigned own = operand.loops.back(), terms = schedule.terms.back();
  // The width divides the innermost loop's extent, so that a thread's
  // neighbours are in one line.
  auto getWidth = [&](unsigned loop) -> int64_t {
    int64_t extent = nest.getLoops()[loop].extent;
    int64_t widest = schedule.getChunk();
    if (!schedule.onTensorCores)
      widest = std::min<int64_t>(widest, 4);
    return ShapedType::isDynamic(extent) ? 1 : std::gcd(extent, widest);
  };
  LoopSet both = toLoopSet(own) | toLoopSet(terms);
  for (const Access &input : nest.getInputs()) {
    if ((getLoops(*input.at) & both) != both)
      continue;
    bool isAlongOwn = isAlongMemory(nest, input, own);
    if (isAlongMemory(nest, input, terms))
      operand.readAlongTerms = !isAlongOwn || getWidth(terms) > getWidth(own);
    else if (isAlongOwn)
      operand.readAlongTerms = false;
  }
  operand.width = getWidth(operand.readAlongTerms ? terms : own);
  // Tensor cores accept either order. Otherwise a thread reads neighbours along
  // its operand's own loop, term by term.
  operand.storedAlongTerms = schedule.onTensorCores && operand.readAlongTerms;
}

std::optional<ContractionSchedule> scheduleContraction(const LoopNest &nest) {
  std::optional<Contraction> contraction = Contraction::get(nest);
  std::optional<ContractionTiles> tiles =
      contraction ? contraction->findTiles(nest) : std::nullopt;
  if (!tiles)
    return std::nullopt;
  ContractionSchedule schedule;
  schedule.reduction = contraction->reduction;
  schedule.batch = tiles->around;
  schedule.terms = contraction->terms;
  schedule.element = contraction->getFactorType();
  schedule.left = {contraction->left, tiles->rows};
  schedule.right = {contraction->right, tiles->columns};
  const Access &root = nest.getRoots().front();
  if (isAlongMemory(nest, root, tiles->rows.back()))
    std::swap(schedule.left, schedule.right);
  chooseTiles(nest, schedule);
  chooseReads(nest, schedule, schedule.left);
  chooseReads(nest, schedule, schedule.right);
  // A thread that brings single elements has an address for each: of half the
  // terms, they stay in registers.
  if (schedule.onTensorCores && schedule.left.width == 1 &&
      schedule.right.width == 1)
    schedule.tileTerms /= 2;
  return schedule;
}

} // namespace tdc
