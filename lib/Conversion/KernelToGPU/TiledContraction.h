//===- TiledContraction.h - contractions, tile by tile --------------------===//

#ifndef TDC_LIB_CONVERSION_KERNELTOGPU_TILEDCONTRACTION_H
#define TDC_LIB_CONVERSION_KERNELTOGPU_TILEDCONTRACTION_H

#include "ContractionSchedule.h"
#include "GridNest.h"

namespace tdc {

/// Matches kernels of one contraction that is large enough for tiles.
std::optional<KernelPlan> matchContraction(KernelCandidate &kernel);

} // namespace tdc

#endif // TDC_LIB_CONVERSION_KERNELTOGPU_TILEDCONTRACTION_H
