//===- Layout.h - tensors of any order of dims ----------------------------===//

#ifndef TDRT_BASE_LAYOUT_H
#define TDRT_BASE_LAYOUT_H

#include "tdc_runtime.h"

namespace tdrt {

/// Sizes and strides, in elements, of the dims of a tensor.
struct Layout {
  /// The layout of a tensor stored with the dims in `order`, outermost first;
  /// null is row-major. `block` is as in tdrt_slot.
  Layout(const int64_t *dims, int32_t rank, const int32_t *order,
         int64_t block = 0);

  int32_t rank;
  const int64_t *dims;
  int64_t strides[TDRT_MAX_RANK]; ///< of the blocked dim: within a block
  int32_t blockedDim = -1;        ///< -1: none
  int64_t block = 0;
  int64_t blockStride = 0; ///< elements from one block to the next
};

/// Copies between a row-major tensor and one of another layout. Cannot fail.
void toRowMajor(void *to, const void *from, const Layout &layout,
                int64_t elementBytes);
void fromRowMajor(void *to, const void *from, const Layout &layout,
                  int64_t elementBytes);

} // namespace tdrt

#endif // TDRT_BASE_LAYOUT_H
