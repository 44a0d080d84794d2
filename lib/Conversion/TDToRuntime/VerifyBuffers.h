//===- VerifyBuffers.h - checks that no live bytes are reused -------------===//

#ifndef TDC_LIB_CONVERSION_TDTORUNTIME_VERIFYBUFFERS_H
#define TDC_LIB_CONVERSION_TDTORUNTIME_VERIFYBUFFERS_H

#include "MemoryPlan.h"

namespace tdc {

/// Reports an error at the first op of `function` that would read overwritten
/// planned bytes, or would overwrite bytes that it still reads.
mlir::LogicalResult verifyBuffers(mlir::func::FuncOp function,
                                  const SlotTable &slots,
                                  const MemoryPlan &plan);

} // namespace tdc

#endif // TDC_LIB_CONVERSION_TDTORUNTIME_VERIFYBUFFERS_H
