//===- NestEmitter.h - one loop nest of a kernel --------------------------===//
//
// Schedules a nest, opens its loops, emits the reductions inside and stores the
// roots; every value is left to the TileEvaluator.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_CONVERSION_KERNELTOCPU_NESTEMITTER_H
#define TDC_CONVERSION_KERNELTOCPU_NESTEMITTER_H

#include "Conversion/KernelBody/TileEvaluator.h"

namespace tdc {

/// Root i goes to result i of the kernel.
void emitNest(KernelFunction &function, const td::LoopNest &nest);
/// The same for a flat nest.
void emitFlatNest(KernelFunction &function, const td::LoopNest &nest);
/// The only root goes to `target`. Loops in `serial` are not on lanes.
void emitNestTo(KernelFunction &function, const td::LoopNest &nest,
                const StoreTarget &target, td::LoopSet serial);

} // namespace tdc

#endif // TDC_CONVERSION_KERNELTOCPU_NESTEMITTER_H
