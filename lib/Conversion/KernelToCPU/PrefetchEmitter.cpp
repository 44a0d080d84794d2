//===- PrefetchEmitter.cpp - elements of a later iteration ----------------===//

#include "PrefetchEmitter.h"
#include "CodeGen/ElementOps.h"
#include "Target/TargetInfo.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace tdc::td;

namespace tdc {

/// LLVM's locality hints, prefetcht0 and prefetcht1 on x86. The elements of
/// many rows go into the L2 cache: the L1 cache is small, and rows whose length
/// is a power of two share few sets of it.
constexpr int kFirstCache = 3, kSecondCache = 2;

/// Whether an earlier element of the tile, or the last one, is in the same
/// cache line, wherever lines begin.
static bool isCovered(NestLoops &loops, const Access &source,
                      const Tile &tile) {
  Layout layout = loops.function.getLayout(source.tensor);
  Type element = getElementTypeOrSelf(source.tensor.getType());
  int64_t bytes = getMemoryType(element).getIntOrFloatBitWidth() / 8;
  for (unsigned loop = 0; loop < tile.size(); ++loop) {
    int64_t unit = loops.isOnLanes(loop) ? loops.lanes : 1;
    bool isLast = tile[loop] + unit >= loops.factors[loop] * unit;
    if (tile[loop] * bytes % cpu::kLineBytes && !isLast &&
        getLaneStride(loops.nest, source, loop, layout) == 1)
      return true;
  }
  return false;
}

static void emitPrefetch(NestLoops &loops, const Access &of, const Tile &tile,
                         int locality) {
  // The address may be beyond the end of the tensor: nothing is read there.
  LLVM::Prefetch::create(loops.function.builder, loops.function.loc,
                         loops.evaluator.getAddress(of, tile), /*rw=*/0,
                         locality, /*cache=*/1);
}

void emitPrefetches(NestLoops &loops) {
  if (!loops.prefetch)
    return;
  auto [operand, loop, ahead] = *loops.prefetch;
  const Reduction &product = loops.nest.getReductions().front();
  Access factor = loops.nest.getOperand(product, operand);
  Access source = loops.nest.getSource(factor.tensor, *factor.at);
  LoopSet own = loops.nest.getLoopsOf(factor.tensor, *factor.at);
  for (Tile tile : loops.getTiles(own)) {
    if (isCovered(loops, source, tile))
      continue;
    tile[loop] += ahead;
    emitPrefetch(loops, source, tile, kSecondCache);
  }
}

void emitNextRow(NestLoops &loops, LoopSet along) {
  if (!loops.nextRow)
    return;
  unsigned row = loops.nextRow->loop;
  for (unsigned index : loops.nextRow->inputs) {
    const Access &input = loops.nest.getInputs()[index];
    LoopSet own = loops.nest.getLoopsOf(input.tensor, *input.at);
    if ((own & along) != along)
      continue;
    for (Tile tile : loops.getTiles(own)) {
      if (isCovered(loops, input, tile))
        continue;
      tile[row] += loops.factors[row];
      emitPrefetch(loops, input, tile, kFirstCache);
    }
  }
}

} // namespace tdc
