//===- Wrap.h - wraps C++ objects in the handles of tdc.h -----------------===//

#ifndef TDC_CAPI_WRAP_H
#define TDC_CAPI_WRAP_H

#include "JIT/Program.h"
#include "tdc/tdc.h"

namespace tdc {

/// Returns a handle that tdc_program_free frees.
tdc_program *wrap(std::unique_ptr<Program> program);

} // namespace tdc

#endif // TDC_CAPI_WRAP_H
