//===- GPUToImage.h - code of GPU kernels becomes PTX ---------------------===//

#ifndef TDC_CONVERSION_GPUTOIMAGE_H
#define TDC_CONVERSION_GPUTOIMAGE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace tdc {

#define GEN_PASS_DECL_GPUTOIMAGEPASS
#include "Conversion/Passes.h.inc"

} // namespace tdc

#endif // TDC_CONVERSION_GPUTOIMAGE_H
