//===- Passes.h - registration of the conversion passes -------------------===//

#ifndef TDC_CONVERSION_PASSES_H
#define TDC_CONVERSION_PASSES_H

#include "Conversion/GPUToImage.h"
#include "Conversion/KernelToCPU.h"
#include "Conversion/KernelToGPU.h"
#include "Conversion/TDToRuntime.h"

namespace tdc {

#define GEN_PASS_REGISTRATION
#include "Conversion/Passes.h.inc"

} // namespace tdc

#endif // TDC_CONVERSION_PASSES_H
