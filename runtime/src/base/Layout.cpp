//===- Layout.cpp - copies between orders of dims -------------------------===//
//
// Kernels may need a parameter transposed, and Fortran programs write files in
// column-major order; files and prints are row-major. These copies need not be
// fast: they run once per load, save or print of such a tensor.
//
//===----------------------------------------------------------------------===//

#include "base/Layout.h"

using namespace tdrt;

Layout::Layout(const int64_t *dims, int32_t rank, const int32_t *order,
               int64_t block)
    : rank(rank), dims(dims), block(block) {
  if (block)
    blockedDim = order[rank - 1];
  int64_t stride = 1;
  for (int32_t p = rank; p-- > 0;) {
    int32_t d = order ? order[p] : p;
    strides[d] = stride;
    stride *= d == blockedDim ? block : dims[d];
  }
  blockStride = stride;
}

namespace {

/// Calls visit(index in the layout) for every element in row-major order.
template <class Visit> void forEach(const Layout &layout, Visit visit) {
  for (int32_t d = 0; d < layout.rank; ++d)
    if (layout.dims[d] == 0)
      return;
  int64_t index[TDRT_MAX_RANK] = {};
  int64_t at = 0;
  for (;;) {
    visit(at);
    // Advances to the next index, innermost dim first.
    int32_t d = layout.rank - 1;
    for (; d >= 0; index[d--] = 0) {
      bool isBlocked = d == layout.blockedDim;
      at += layout.strides[d];
      if (isBlocked && (index[d] + 1) % layout.block == 0)
        at += layout.blockStride - layout.block * layout.strides[d];
      if (++index[d] < layout.dims[d])
        break;
      at -= isBlocked ? layout.dims[d] / layout.block * layout.blockStride
                      : layout.strides[d] * layout.dims[d];
    }
    if (d < 0)
      return;
  }
}

template <class T>
void gather(void *to, const void *from, const Layout &layout) {
  T *out = static_cast<T *>(to);
  const T *in = static_cast<const T *>(from);
  forEach(layout, [&](int64_t i) { *out++ = in[i]; });
}

template <class T>
void scatter(void *to, const void *from, const Layout &layout) {
  T *out = static_cast<T *>(to);
  const T *in = static_cast<const T *>(from);
  forEach(layout, [&](int64_t i) { out[i] = *in++; });
}

} // namespace

void tdrt::toRowMajor(void *to, const void *from, const Layout &layout,
                      int64_t elementBytes) {
  auto copy = elementBytes == 8   ? gather<uint64_t>
              : elementBytes == 4 ? gather<uint32_t>
              : elementBytes == 2 ? gather<uint16_t>
                                  : gather<uint8_t>;
  copy(to, from, layout);
}

void tdrt::fromRowMajor(void *to, const void *from, const Layout &layout,
                        int64_t elementBytes) {
  auto copy = elementBytes == 8   ? scatter<uint64_t>
              : elementBytes == 4 ? scatter<uint32_t>
              : elementBytes == 2 ? scatter<uint16_t>
                                  : scatter<uint8_t>;
  copy(to, from, layout);
}
