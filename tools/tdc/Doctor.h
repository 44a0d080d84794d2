//===- Doctor.h - what tdc finds on this machine --------------------------===//

#ifndef TDC_TOOLS_TDC_DOCTOR_H
#define TDC_TOOLS_TDC_DOCTOR_H

#include "llvm/Support/raw_ostream.h"

namespace tdc {

/// Prints what `tdc doctor` does, but compiles nothing.
void describeMachine(llvm::raw_ostream &os);

} // namespace tdc

#endif // TDC_TOOLS_TDC_DOCTOR_H
