//===- PrefetchEmitter.h - elements of a later iteration ------------------===//
//
// A tile of a product reads a few elements of each row of a matrix. Long rows
// are on different pages, and hardware prefetchers stop at the end of a page
// and follow few streams. So the elements of a later iteration are prefetched.
//
// Several tiles read a panel that is in memory, and the first of them waits for
// it. So each prefetches a part of the next panel.
//
// A softmax or a norm runs over a row several times, and waits for memory in
// the first loop only. In the second one, the next row is prefetched.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_LIB_CONVERSION_KERNELTOCPU_PREFETCHEMITTER_H
#define TDC_LIB_CONVERSION_KERNELTOCPU_PREFETCHEMITTER_H

#include "NestLoops.h"

namespace tdc {

/// Prefetches elements of a factor if the schedule says so
/// (NestSchedule::PrefetchPlan, NextPanel). The loops of the factor are open.
void emitPrefetches(NestLoops &loops);

/// Prefetches the next row if the schedule says so (NestSchedule::NextRow).
/// `along`: the loops over the row that are open.
void emitNextRow(NestLoops &loops, td::LoopSet along);

} // namespace tdc

#endif // TDC_LIB_CONVERSION_KERNELTOCPU_PREFETCHEMITTER_H
