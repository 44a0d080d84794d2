//===- GroupReductions.h - sums that threads of a group share -------------===//

#ifndef TDC_CONVERSION_KERNELTOGPU_GROUPREDUCTIONS_H
#define TDC_CONVERSION_KERNELTOGPU_GROUPREDUCTIONS_H

#include "GridLoops.h"

namespace tdc {

/// Emits all reductions of the nest in their order, those over the same loops
/// side by side. Each member of a group collects its terms in registers; then
/// they are put together, in an order that does not depend on which thread was
/// first, and every member has the results.
void emitGroupReductions(GridLoops &loops);

} // namespace tdc

#endif // TDC_CONVERSION_KERNELTOGPU_GROUPREDUCTIONS_H
