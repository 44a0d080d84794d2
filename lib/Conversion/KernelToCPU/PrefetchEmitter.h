//===- PrefetchEmitter.h - pieces of a matrix that come next --------------===//
//
// A tile of a product reads a piece of one row of a matrix after the other. If
// the rows are long, each is on a page of its own; if they are short, a tile is
// soon at their end. Processors recognise long streams of memory only, and
// fetch nothing beforehand.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_LIB_CONVERSION_KERNELTOCPU_PREFETCHEMITTER_H
#define TDC_LIB_CONVERSION_KERNELTOCPU_PREFETCHEMITTER_H

#include "NestLoops.h"

namespace tdc {

/// Prefetches the pieces that are needed later, if the schedule says so
/// (NestSchedule::PrefetchPlan). The loops of the factor are open.
void emitPrefetches(NestLoops &loops);

} // namespace tdc

#endif // TDC_LIB_CONVERSION_KERNELTOCPU_PREFETCHEMITTER_H
