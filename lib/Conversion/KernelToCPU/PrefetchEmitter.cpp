//===- PrefetchEmitter.cpp - pieces of a matrix that come next ------------===//

#include "PrefetchEmitter.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace tdc::td;

namespace tdc {

/// LLVM's number of the second level of cache: the first is small, and its sets
/// are few for rows whose length is a power of two.
constexpr int kSecondLevel = 2;

void emitPrefetches(NestLoops &loops) {
  if (!loops.prefetch)
    return;
  auto [operand, loop, ahead] = *loops.prefetch;
  const Reduction &product = loops.nest.getReductions().front();
  Access factor = loops.nest.getOperand(product, operand);
  Access source = loops.nest.getSource(factor.tensor, *factor.at);
  for (Tile tile :
       loops.getTiles(loops.nest.getLoopsOf(factor.tensor, *factor.at))) {
    tile[loop] += ahead;
    // The address may be beyond the end of the matrix: nothing is read there.
    LLVM::Prefetch::create(loops.function.builder, loops.function.loc,
                           loops.evaluator.getAddress(source, tile), /*rw=*/0,
                           kSecondLevel, /*cache=*/1);
  }
}

} // namespace tdc
