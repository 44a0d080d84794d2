//===- PrefetchEmitter.cpp - elements of a later iteration ----------------===//

#include "PrefetchEmitter.h"
#include "CodeGen/ElementOps.h"
#include "Dialect/TD/Analysis/Kernels/Contraction.h"
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

static void emitPrefetch(NestLoops &loops, Value address, int locality) {
  // The address may be beyond the end of the tensor: nothing is read there.
  LLVM::Prefetch::create(loops.function.builder, loops.function.loc, address,
                         /*rw=*/0, locality, /*cache=*/1);
}

/// Prefetches `bytes` bytes for each term of each tile of a panel, one after
/// the other from the start of the next panel on. The dims of the factor but
/// the one on lanes are terms.
static void emitNextPanel(NestLoops &loops) {
  const auto &[operand, tiles, bytes] = *loops.nextPanel;
  KernelFunction &function = loops.function;
  OpBuilder &b = function.builder;
  Location loc = function.loc;
  const LoopNest &nest = loops.nest;
  Access factor = nest.getOperand(nest.getReductions().front(), operand);
  Access source = nest.getSource(factor.tensor, *factor.at);
  Layout layout = function.getLayout(source.tensor);
  auto type = cast<RankedTensorType>(source.tensor.getType());
  auto multiply = [&](Value value, int64_t by) -> Value {
    return arith::MulIOp::create(b, loc, value, function.index(by));
  };
  auto add = [&](Value a, Value c) -> Value {
    return arith::AddIOp::create(b, loc, a, c);
  };

  // The numbers of the tile, and of the term in the order of memory.
  Value tile = function.index(0), term = tile;
  for (auto [loop, step] : tiles)
    if (Value position = loops.evaluator.positions[loop])
      tile =
          add(multiply(tile, llvm::divideCeil(nest.getExtent(loop), step)),
              arith::DivUIOp::create(b, loc, position, function.index(step)));
  Tile next(nest.getLoops().size(), 0);
  int64_t terms = 1;
  for (int64_t dim : ArrayRef(layout.order).drop_back()) {
    int64_t size = type.getDimSize(dim);
    term = add(multiply(term, size),
               loops.evaluator.evaluateCoordinate((*source.at)[dim], next));
    terms *= size;
  }

  // The address is that of the same term in the next panel.
  unsigned lane = loops.evaluator.laneLoop;
  next[lane] = loops.factors[lane] * loops.lanes;
  Value address = loops.evaluator.getAddress(source, next);
  int64_t bytesOfTerm =
      layout.block *
      getMemoryType(type.getElementType()).getIntOrFloatBitWidth() / 8;
  Value offset =
      add(multiply(term, bytes - bytesOfTerm), multiply(tile, terms * bytes));
  for (int64_t line = 0; line < bytes; line += cpu::kLineBytes)
    emitPrefetch(
        loops,
        LLVM::GEPOp::create(b, loc, address.getType(), b.getI8Type(), address,
                            ValueRange{add(offset, function.index(line))}),
        kSecondCache);
}

void emitPrefetches(NestLoops &loops) {
  if (loops.nextPanel)
    emitNextPanel(loops);
  if (!loops.prefetch)
    return;
  auto [operand, loop, ahead] = *loops.prefetch;
  Contraction contraction = *Contraction::get(loops.nest);
  const Access &factor = contraction.getFactor(operand);
  Access source = loops.nest.getSource(factor.tensor, *factor.at);
  LoopSet own = loops.nest.getLoopsOf(factor.tensor, *factor.at);
  for (Tile tile : loops.getTiles(own)) {
    if (isCovered(loops, source, tile))
      continue;
    tile[loop] += ahead;
    emitPrefetch(loops, loops.evaluator.getAddress(source, tile), kSecondCache);
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
      emitPrefetch(loops, loops.evaluator.getAddress(input, tile), kFirstCache);
    }
  }
}

} // namespace tdc
