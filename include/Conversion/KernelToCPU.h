//===- KernelToCPU.h - kernels become CPU functions -----------------------===//

#ifndef TDC_CONVERSION_KERNELTOCPU_H
#define TDC_CONVERSION_KERNELTOCPU_H

#include "Dialect/TD/IR/TD.h"
#include "Target/TargetInfo.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace tdc {

#define GEN_PASS_DECL_KERNELTOCPUPASS
#include "Conversion/Passes.h.inc"

} // namespace tdc

#endif // TDC_CONVERSION_KERNELTOCPU_H
