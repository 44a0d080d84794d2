//===- TDToRuntime.h - the host part becomes runtime calls ----------------===//
//
// The last td pass. Before it: slots, launches and host code; after it: LLVM
// dialect and scalar arithmetic that calls nothing but kernels and the
// functions of tdc_runtime.h.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_CONVERSION_TDTORUNTIME_H
#define TDC_CONVERSION_TDTORUNTIME_H

#include "mlir/Pass/Pass.h"

namespace tdc {

#define GEN_PASS_DECL_TDTORUNTIMEPASS
#define GEN_PASS_DECL_TDPRINTMEMORYPLANPASS
#include "Conversion/Passes.h.inc"

} // namespace tdc

#endif // TDC_CONVERSION_TDTORUNTIME_H
