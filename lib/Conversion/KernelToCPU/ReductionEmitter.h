//===- ReductionEmitter.h - accumulators in registers ---------------------===//
//
// Emits the reductions of a nest at the current position of its outer loops:
// one register per element of the tile collects (two for arg_reduce, which also
// keeps the place), and lanes that sum the same element are added up at the
// end.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_CONVERSION_KERNELTOCPU_REDUCTIONEMITTER_H
#define TDC_CONVERSION_KERNELTOCPU_REDUCTIONEMITTER_H

#include "NestLoops.h"

namespace tdc {

/// Emits all reductions in their order; those over the same loops side by side.
/// Their results are then known to the evaluator.
void emitReductions(NestLoops &loops);

} // namespace tdc

#endif // TDC_CONVERSION_KERNELTOCPU_REDUCTIONEMITTER_H
