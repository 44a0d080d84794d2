//===- ReductionEmitter.h - accumulators in registers ---------------------===//
//
// Emits the reductions of a nest at the current position of its outer loops.
// Each element of the tile has one accumulator register (two for arg_reduce,
// which also keeps the index). Lanes that sum the same element are added up at
// the end.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_LIB_CONVERSION_KERNELTOCPU_REDUCTIONEMITTER_H
#define TDC_LIB_CONVERSION_KERNELTOCPU_REDUCTIONEMITTER_H

#include "NestLoops.h"

namespace tdc {

/// The value of each term of a reduction that is stored (KeptValue.h).
struct Keeper {
  td::Access value;
  mlir::Operation *reduction = nullptr; ///< null: nothing is stored
  StoreTarget target;
};

/// Emits all reductions in their order; those of a run (see LoopNest) share
/// their loops. Sets the results in the evaluator.
void emitReductions(NestLoops &loops, const Keeper &keeper);

} // namespace tdc

#endif // TDC_LIB_CONVERSION_KERNELTOCPU_REDUCTIONEMITTER_H
