//===- Descriptor.h - texts to file descriptors ---------------------------===//

#ifndef TDRT_BASE_DESCRIPTOR_H
#define TDRT_BASE_DESCRIPTOR_H

#include <cstddef>

namespace tdrt {

/// Writes all of a text; waits if a non-blocking descriptor has no room.
/// Returns 0, or the errno of the failure.
int writeAll(int descriptor, const char *text, size_t size) noexcept;
/// The same for a text that ends with NUL. Signal handlers may call both.
int writeText(int descriptor, const char *text) noexcept;

} // namespace tdrt

#endif // TDRT_BASE_DESCRIPTOR_H
