//===- PrefetchEmitter.h - elements of a later iteration ------------------===//
//
// A tile of a product reads a few elements of each row of a matrix. Long rows
// are on different pages, and hardware prefetchers stop at the end of a page
// and follow few streams. So the elements of a later iteration are prefetched.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_LIB_CONVERSION_KERNELTOCPU_PREFETCHEMITTER_H
#define TDC_LIB_CONVERSION_KERNELTOCPU_PREFETCHEMITTER_H

#include "NestLoops.h"

namespace tdc {

/// Prefetches elements of a factor if the schedule says so
/// (NestSchedule::PrefetchPlan). The loops of the factor are open.
void emitPrefetches(NestLoops &loops);

} // namespace tdc

#endif // TDC_LIB_CONVERSION_KERNELTOCPU_PREFETCHEMITTER_H
