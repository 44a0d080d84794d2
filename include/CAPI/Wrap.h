//===- Wrap.h - tdc.h's handles of what C++ has made ----------------------===//

#ifndef TDC_CAPI_WRAP_H
#define TDC_CAPI_WRAP_H

#include "JIT/Program.h"
#include "tdc/tdc.h"

namespace tdc {

/// To be freed by tdc_program_free.
tdc_program *wrap(std::unique_ptr<Program> program);

} // namespace tdc

#endif // TDC_CAPI_WRAP_H
