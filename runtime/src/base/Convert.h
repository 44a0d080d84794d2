//===- Convert.h - elements of one dtype as another -----------------------===//

#ifndef TDRT_BASE_CONVERT_H
#define TDRT_BASE_CONVERT_H

#include <cstdint>

namespace tdrt {

/// Whether every value of dtype `from` is one of dtype `to`.
bool isExact(int32_t from, int32_t to);

/// Converts `count` elements as `.to(dtype)` does: floats are rounded to the
/// nearest, from the middle to the even one, and to inf where that is nearer;
/// from float to integer is truncated to what fits; integers wrap.
void convert(const void *source, int32_t from, void *target, int32_t to,
             int64_t count);

} // namespace tdrt

#endif // TDRT_BASE_CONVERT_H
