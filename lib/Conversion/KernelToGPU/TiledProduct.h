//===- TiledProduct.h - contractions, tile by tile ------------------------===//

#ifndef TDC_CONVERSION_KERNELTOGPU_TILEDPRODUCT_H
#define TDC_CONVERSION_KERNELTOGPU_TILEDPRODUCT_H

#include "GridNest.h"
#include "ProductSchedule.h"

namespace tdc {

/// Root i of the nest goes to result i of the kernel.
LaunchShape emitTiledProduct(KernelFunction &function, const td::LoopNest &nest,
                             const ProductSchedule &schedule);

} // namespace tdc

#endif // TDC_CONVERSION_KERNELTOGPU_TILEDPRODUCT_H
