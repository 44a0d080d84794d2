//===- Convert.h - elements of one dtype as another -----------------------===//

#ifndef TDRT_BASE_CONVERT_H
#define TDRT_BASE_CONVERT_H

#include <cstdint>

namespace tdrt {

/// Whether dtype `to` holds every value of dtype `from`.
bool isExact(int32_t from, int32_t to);

/// Converts `count` elements as `.to(dtype)` does. Floats are rounded to the
/// nearest float, ties to even, and to inf where that is nearer. A float
/// becomes an integer by truncation, then by clamping to the range of `to`; NaN
/// becomes 0. Integers wrap.
void convert(const void *source, int32_t from, void *target, int32_t to,
             int64_t count);

} // namespace tdrt

#endif // TDRT_BASE_CONVERT_H
