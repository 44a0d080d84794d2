//===- Descriptor.h - texts to file descriptors ---------------------------===//

#ifndef TDRT_BASE_DESCRIPTOR_H
#define TDRT_BASE_DESCRIPTOR_H

#include <cstddef>

namespace tdrt {

/// Writes all of a text; waits where a descriptor that does not block has no
/// room. Returns 0, or what errno says.
int writeAll(int descriptor, const char *text, size_t size) noexcept;
/// The same of a text that ends with NUL. Signal handlers may use both.
int writeText(int descriptor, const char *text) noexcept;

} // namespace tdrt

#endif // TDRT_BASE_DESCRIPTOR_H
