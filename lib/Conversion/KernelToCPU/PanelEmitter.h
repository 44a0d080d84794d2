//===- PanelEmitter.h - copies of a product's factor ----------------------===//

#ifndef TDC_LIB_CONVERSION_KERNELTOCPU_PANELEMITTER_H
#define TDC_LIB_CONVERSION_KERNELTOCPU_PANELEMITTER_H

#include "NestLoops.h"

namespace tdc {

/// Copies the elements of the panel to the function's scratch, at the position
/// of the open loops. From then on they are read from there.
void emitPanel(NestLoops &loops, const NestSchedule &schedule);

/// The type of a panel of the schedule.
mlir::RankedTensorType getPanelType(const td::LoopNest &nest,
                                    const NestSchedule &schedule);

} // namespace tdc

#endif // TDC_LIB_CONVERSION_KERNELTOCPU_PANELEMITTER_H
