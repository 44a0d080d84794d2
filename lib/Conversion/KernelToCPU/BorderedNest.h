//===- BorderedNest.h - a nest that stores within a border ----------------===//

#ifndef TDC_LIB_CONVERSION_KERNELTOCPU_BORDEREDNEST_H
#define TDC_LIB_CONVERSION_KERNELTOCPU_BORDEREDNEST_H

#include "CodeGen/KernelOutlining.h"

namespace tdc {

/// Matches kernels of one nest whose result has a border around it
/// (td::Border).
std::optional<KernelPlan> matchBordered(KernelCandidate &kernel);

} // namespace tdc

#endif // TDC_LIB_CONVERSION_KERNELTOCPU_BORDEREDNEST_H
