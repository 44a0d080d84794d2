//===- Permutation.h - random orders on a GPU -----------------------------===//
//
// The runtime swaps from the end (Fisher-Yates): step i, from n - 1 down to 1,
// exchanges the elements at i and at a random j(i) <= i. Each swap depends on
// those before, but the origin of each result can be traced back:
//
//   - No step after step i changes position i, so the result there is the
//     element that was at j(i) before step i. The last step k > i before it
//     with j(k) = j(i) put it there, from k; without such a step it is j(i)
//     itself.
//   - The element at k came there by the last step l > k with j(l) = k, from l,
//     and so on; without such a step it is k itself.
//
// "Last" is the smallest, as steps count down. So one kernel builds a list of
// the steps for each j, and in a second one all threads trace their results in
// parallel.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_LIB_CONVERSION_KERNELTOGPU_PERMUTATION_H
#define TDC_LIB_CONVERSION_KERNELTOGPU_PERMUTATION_H

#include "GridNest.h"

namespace tdc {

/// Returns the td.random permutation that the kernel computes; null for other
/// kernels.
td::RandomOp findPermutation(td::KernelOp kernel);

/// Creates the kernels that precede the kernel of a permutation, which takes
/// their results as inputs: the first fills the heads of the lists with -1; the
/// second builds the lists, with the results heads and links.
llvm::SmallVector<td::KernelOp, 2> splitPermutation(td::KernelOp kernel,
                                                    td::RandomOp random);

/// Matches the second of those kernels, and the permutation's kernel itself.
std::optional<KernelPlan> matchPermutation(KernelCandidate &kernel);

} // namespace tdc

#endif // TDC_LIB_CONVERSION_KERNELTOGPU_PERMUTATION_H
