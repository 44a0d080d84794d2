//===- GroupReductions.h - reductions that a group shares -----------------===//

#ifndef TDC_LIB_CONVERSION_KERNELTOGPU_GROUPREDUCTIONS_H
#define TDC_LIB_CONVERSION_KERNELTOGPU_GROUPREDUCTIONS_H

#include "GridLoops.h"

namespace tdc {

/// Emits all reductions of the nest in their order; those of a run (see
/// LoopNest) share their loops. Each member of a group collects its terms in
/// registers. Then the partial results are combined in an order that does not
/// depend on timing, and every member has the results.
void emitGroupReductions(GridLoops &loops);

} // namespace tdc

#endif // TDC_LIB_CONVERSION_KERNELTOGPU_GROUPREDUCTIONS_H
