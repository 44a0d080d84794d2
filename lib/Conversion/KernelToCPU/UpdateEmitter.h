//===- UpdateEmitter.h - kernels that write a part of their result --------===//

#ifndef TDC_LIB_CONVERSION_KERNELTOCPU_UPDATEEMITTER_H
#define TDC_LIB_CONVERSION_KERNELTOCPU_UPDATEEMITTER_H

#include "CodeGen/KernelOutlining.h"

namespace tdc {

/// Matches kernels with the result of an update as their only result. If input
/// and result share their buffer, only the updated elements are accessed.
std::optional<KernelPlan> matchUpdate(KernelCandidate &kernel);

} // namespace tdc

#endif // TDC_LIB_CONVERSION_KERNELTOCPU_UPDATEEMITTER_H
