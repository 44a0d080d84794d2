//===- PrefetchEmitter.cpp - pieces of a matrix that come next ------------===//

#include "PrefetchEmitter.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace tdc::td;

namespace tdc {

/// LLVM's number of the second level of cache: the first is small, and its sets
/// are few for rows whose length is a power of two.
constexpr int kSecondLevel = 2;

/// Whether elements of the tile that are before and after this one in memory
/// are in a cache line with it: a tile has few scalars next to each other.
static bool isBetween(NestLoops &loops, const Access &source,
                      const Tile &tile) {
  Layout layout = loops.function.getLayout(source.tensor);
  for (unsigned loop = 0; loop < tile.size(); ++loop)
    if (tile[loop] && tile[loop] + 1 < loops.factors[loop] &&
        !loops.isOnLanes(loop) &&
        getLaneStride(loops.nest, source, loop, layout) == 1)
      return true;
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
    if (isBetween(loops, source, tile))
      continue;
    tile[loop] += ahead;
    // The address may be beyond the end of the matrix: nothing is read there.
    LLVM::Prefetch::create(loops.function.builder, loops.function.loc,
                           loops.evaluator.getAddress(source, tile), /*rw=*/0,
                           kSecondLevel, /*cache=*/1);
  }
}

} // namespace tdc
