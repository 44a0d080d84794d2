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
#include "ScratchTag.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "tdc_threads.h"

using namespace mlir;
using namespace tdc::td;

namespace tdc {

/// The factor that has a panel.
static Access getFactor(const LoopNest &nest, const NestSchedule &schedule) {
  return nest.getOperand(nest.getReductions().front(), schedule.panel->factor);
}

/// Whether a tensor that the panel is computed from is contiguous along the
/// innermost rows, and not along the lanes.
static bool isTransposed(const NestLoops &loops, const Panel &panel) {
  const LoopNest &nest = loops.nest;
  auto lane = unsigned(loops.evaluator.laneLoop);
  LoopSet ofPanel = nest.getLoopsOf(panel.of.tensor, *panel.of.at);
  return llvm::any_of(nest.getInputs(), [&](const Access &input) {
    LoopSet own = nest.getLoopsOf(input.tensor, *input.at);
    return contains(own, lane) && !(own & ~ofPanel) &&
           td::isTransposed(nest, input, lane, panel.rows.back(),
                            loops.function.getLayout(input.tensor));
  });
}

/// Copies the elements of the factor at the open blocks to the panel. Of a
/// transposed factor, as many rows are copied at once as a vector has lanes.
static void fill(NestLoops &loops, const Panel &panel) {
  TileEvaluator &evaluator = loops.evaluator;
  unsigned inner = panel.rows.back();
  int64_t &factor = loops.factors[inner];
  int64_t before = factor, rows = loops.nest.getLoops()[inner].extent;
  LoopSet open = toLoopSet(evaluator.laneLoop);
  if (!panel.hasPairs && rows >= loops.lanes && isTransposed(loops, panel)) {
    loops.transposed = int(inner);
    factor = loops.lanes;
    open |= toLoopSet(inner);
  }
  loops.open(panel.rows, {}, [&](ValueRange) {
    for (const Tile &tile : loops.getTiles(open)) {
      Value elements = panel.hasPairs ? loops.evaluatePairs(panel.of, tile)
                                      : evaluator.evaluate(panel.of.tensor,
                                                           *panel.of.at, tile);
      LLVM::StoreOp::create(loops.function.builder, loops.function.loc,
                            evaluator.toVector(elements, tile),
                            evaluator.getAddress(panel, tile));
    }
    return NestLoops::Values();
  });
  loops.transposed = -1;
  factor = before;
}

/// A number for the open blocks of the loops around the panel: different from
/// that of others, and not 0.
static Value getTag(NestLoops &loops, const NestSchedule &schedule) {
  KernelFunction &function = loops.function;
  OpBuilder &b = function.builder;
  Location loc = function.loc;
  Value tag = function.i64(1);
  for (unsigned loop :
       ArrayRef(schedule.outer).take_front(schedule.panel->around)) {
    const Loop &info = loops.nest.getLoops()[loop];
    tag = arith::MulIOp::create(b, loc, tag,
                                function.getSize(info.tensor, info.dim));
    tag = arith::AddIOp::create(b, loc, tag, loops.evaluator.positions[loop]);
  }
  return tag;
}

/// Fills the panel unless its tag says that it has these elements already.
static void fillOnce(NestLoops &loops, const NestSchedule &schedule,
                     const Panel &panel) {
  RankedTensorType type = getPanelType(loops.nest, schedule);
  int64_t bytes = type.getNumElements() * type.getElementTypeBitWidth() / 8;
  emitUnlessTagged(loops.function, bytes, getTag(loops, schedule),
                   [&](Operation *branch) {
                     loops.evaluator.pushBranch(branch);
                     fill(loops, panel);
                     loops.evaluator.popScope();
                   });
}

/// The address at which the panel would begin if its rows began at 0.
static Value getStart(NestLoops &loops, const NestSchedule &schedule,
                      const Panel &panel) {
  KernelFunction &function = loops.function;
  OpBuilder &b = function.builder;
  Location loc = function.loc;
  Value skipped;
  for (unsigned row : panel.rows) {
    if (skipped)
      skipped = arith::MulIOp::create(
          b, loc, skipped, function.getExtent(loops.nest.getLoops()[row]));
    if (Value begin = schedule.begins.empty() ? Value() : schedule.begins[row])
      skipped = skipped ? arith::AddIOp::create(b, loc, skipped, begin) : begin;
  }
  if (!skipped)
    return panel.pointer;
  Value back =
      arith::MulIOp::create(b, loc, skipped, function.i64(-panel.width));
  return LLVM::GEPOp::create(b, loc, panel.pointer.getType(),
                             panel.getElementType(), panel.pointer,
                             ValueRange{back});
}

void emitPanel(NestLoops &loops, const NestSchedule &schedule) {
  TileEvaluator &evaluator = loops.evaluator;
  evaluator.panel = {};
  Panel panel{getFactor(loops.nest, schedule), loops.function.scratch,
              schedule.panel->rows,
              loops.factors[evaluator.laneLoop] * loops.lanes,
              loops.hasPairs()};
  panel.pointer = getStart(loops, schedule, panel);
  if (schedule.keepsPanel())
    fillOnce(loops, schedule, panel);
  else
    fill(loops, panel);
  evaluator.panel = panel;
}

RankedTensorType getPanelType(const LoopNest &nest,
                              const NestSchedule &schedule) {
  const NestSchedule::PanelPlan &panel = *schedule.panel;
  auto type =
      cast<RankedTensorType>(getFactor(nest, schedule).tensor.getType());
  Type element = type.getElementType();
  if (td::isNarrowFloat(element))
    element = getRegisterType(element);
  unsigned lane = schedule.outer[panel.around - 1];
  int64_t rows = nest.estimatePositions(panel.rows);
  if (schedule.paired >= 0)
    rows = llvm::divideCeil(rows, 2);
  int64_t elements = rows * schedule.factors[lane] * schedule.lanes;
  if (schedule.keepsPanel())
    elements += TDRT_SCRATCH_TAG * 8 / element.getIntOrFloatBitWidth();
  return RankedTensorType::get({elements}, element, type.getEncoding());
}

} // namespace tdc
