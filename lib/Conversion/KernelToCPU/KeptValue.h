//===- KeptValue.h - values that a row needs twice ------------------------===//
//
// A softmax sums exp(x - max) over a row and then divides each of these by the
// sum. They are stored in the memory of the result when they are summed, and
// read from there, rather than computed twice. They may be the result.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_LIB_CONVERSION_KERNELTOCPU_KEPTVALUE_H
#define TDC_LIB_CONVERSION_KERNELTOCPU_KEPTVALUE_H

#include "CodeGen/KernelFunction.h"
#include "Dialect/TD/Analysis/Kernels/LoopNest.h"

namespace tdc {

struct KeptValue {
  /// The value, and where the reduction reads it and where the root reads or is
  /// it: the same element of both is at the same coordinates of the root's
  /// memory.
  td::Access summed, again;
  mlir::Operation *reduction;
  unsigned root;

  /// Whether the value is the root itself: the sums have stored all of it.
  bool isRoot(const td::LoopNest &nest) const;
};

/// A value of the nest that takes a function such as exp, that a reduction over
/// a row sums, and that a root of the same type is, or reads again at the
/// elements of that row; none if there is none. `onLanes`: the loops that run
/// on lanes.
std::optional<KeptValue> findKeptValue(const KernelFunction &function,
                                       const td::LoopNest &nest,
                                       td::LoopSet onLanes);

} // namespace tdc

#endif // TDC_LIB_CONVERSION_KERNELTOCPU_KEPTVALUE_H
