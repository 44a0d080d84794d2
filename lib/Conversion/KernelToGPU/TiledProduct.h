//===- TiledProduct.h - contractions, tile by tile ------------------------===//

#ifndef TDC_CONVERSION_KERNELTOGPU_TILEDPRODUCT_H
#define TDC_CONVERSION_KERNELTOGPU_TILEDPRODUCT_H

#include "GridNest.h"
#include "ProductSchedule.h"

namespace tdc {

/// Matches kernels of one contraction that is large enough for tiles.
std::optional<KernelPlan> matchProduct(KernelCandidate &kernel);

} // namespace tdc

#endif // TDC_CONVERSION_KERNELTOGPU_TILEDPRODUCT_H
