//===- Permutation.h - random orders on a GPU -----------------------------===//

#ifndef TDC_CONVERSION_KERNELTOGPU_PERMUTATION_H
#define TDC_CONVERSION_KERNELTOGPU_PERMUTATION_H

#include "GridNest.h"

namespace tdc {

/// Emits td.random permutation, the only op of its kernel. Each swap depends on
/// those before (Fisher-Yates from the end), so one thread makes them all.
LaunchShape emitPermutation(KernelFunction &function, td::RandomOp random);

} // namespace tdc

#endif // TDC_CONVERSION_KERNELTOGPU_PERMUTATION_H
