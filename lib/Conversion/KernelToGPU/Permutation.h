//===- Permutation.h - random orders on a GPU -----------------------------===//
//
// The runtime swaps from the end (Fisher-Yates): step i, from n - 1 down to 1,
// exchanges what stands at i and at a random j(i) <= i. Each swap depends on
// those before, but where an element ends up can be followed back:
//
//   - Nobody touches place i after step i, so the result there is what stood at
//     j(i) then: what the last step k > i before it with j(k) = j(i) brought,
//     which is what stood at k, or j(i) itself if there is none.
//   - What stood at k came there by the last step l > k with j(l) = k, from l,
//     and so on; it began at the place where there is none.
//
// "Last" is the smallest, as steps count down. So one kernel makes a list of
// the steps for each j, and in a second all threads follow their ways at once.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_CONVERSION_KERNELTOGPU_PERMUTATION_H
#define TDC_CONVERSION_KERNELTOGPU_PERMUTATION_H

#include "GridNest.h"

namespace tdc {

/// The td.random permutation that is all of the kernel; null if it is another.
td::RandomOp findPermutation(td::KernelOp kernel);

/// Makes the kernels in front of that of a permutation, which takes what they
/// give: the first fills the heads of the lists with -1, the second, with the
/// results heads and links, makes the lists.
llvm::SmallVector<td::KernelOp, 2> splitPermutation(td::KernelOp kernel,
                                                    td::RandomOp random);

/// The second of those kernels, and the one that they were made for.
std::optional<KernelPlan> matchPermutation(KernelCandidate &kernel);

} // namespace tdc

#endif // TDC_CONVERSION_KERNELTOGPU_PERMUTATION_H
