//===- PrefetchEmitter.cpp - elements of a later iteration ----------------===//

#include "PrefetchEmitter.h"
#include "CodeGen/ElementOps.h"
#include "Target/TargetInfo.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace tdc::td;

namespace tdc {

/// LLVM's locality hint, prefetcht1 on x86: into the L2 cache. The L1 cache is
/// small, and rows whose length is a power of two share few sets of it.
constexpr int kLocality = 2;

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
    // The address may be beyond the end of the matrix: nothing is read there.
    LLVM::Prefetch::create(loops.function.builder, loops.function.loc,
                           loops.evaluator.getAddress(source, tile), /*rw=*/0,
                           kLocality, /*cache=*/1);
  }
}

} // namespace tdc
