//===- Doctor.h - describes this machine ----------------------------------===//

#ifndef TDC_TOOLS_TDC_DOCTOR_H
#define TDC_TOOLS_TDC_DOCTOR_H

#include "llvm/Support/raw_ostream.h"

namespace tdc {

/// Prints the output of `tdc doctor`, but compiles no program.
void describeMachine(llvm::raw_ostream &os);

} // namespace tdc

#endif // TDC_TOOLS_TDC_DOCTOR_H
