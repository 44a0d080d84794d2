//===- PanelEmitter.cpp - copies of a product's factor --------------------===//
//
// A tile of a product reads a few neighbouring columns of every row of a
// matrix. In a large matrix these are on as many pages as there are rows, and
// on few sets of the caches. A panel has them in one piece, for all rows of the
// other factor (Goto and van de Geijn, Anatomy of High-Performance Matrix
// Multiplication, ACM TOMS 34, 2008).
//
//===----------------------------------------------------------------------===//

#include "PanelEmitter.h"
#include "CodeGen/ElementOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace tdc::td;

namespace tdc {

/// The factor that has a panel.
static Access getFactor(const LoopNest &nest, const NestSchedule &schedule) {
  const Reduction &product = nest.getReductions().front();
  unsigned index = schedule.panel->factor;
  return {product.op->getOperand(index),
          &nest.operandAt(product.op, index, *product.at)};
}

void emitPanel(NestLoops &loops, const NestSchedule &schedule) {
  TileEvaluator &evaluator = loops.evaluator;
  unsigned lane = evaluator.laneLoop;
  evaluator.panel = {};
  Panel panel{getFactor(loops.nest, schedule), loops.function.scratch,
              schedule.panel->rows, loops.factors[lane] * loops.lanes};
  loops.open(panel.rows, {}, [&](ValueRange) {
    for (const Tile &tile : loops.getTiles(toLoopSet(lane)))
      LLVM::StoreOp::create(loops.function.builder, loops.function.loc,
                            evaluator.toVector(evaluator.evaluate(
                                panel.of.tensor, *panel.of.at, tile)),
                            evaluator.getAddress(panel, tile));
    return NestLoops::Values();
  });
  evaluator.panel = panel;
}

RankedTensorType getPanelType(const LoopNest &nest,
                              const NestSchedule &schedule) {
  const NestSchedule::PanelPlan &panel = *schedule.panel;
  auto type =
      cast<RankedTensorType>(getFactor(nest, schedule).tensor.getType());
  Type element = type.getElementType();
  unsigned lane = schedule.outer[panel.around - 1];
  int64_t elements = nest.estimatePositions(panel.rows) *
                     schedule.factors[lane] * schedule.lanes;
  return RankedTensorType::get(
      {elements},
      td::isNarrowFloat(element) ? getRegisterType(element) : element,
      type.getEncoding());
}

} // namespace tdc
