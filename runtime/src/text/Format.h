//===- Format.h - host values as text -------------------------------------===//
//
// Format specs have the meaning of Python 3.12, with two differences: bools are
// `true` and `false`, as in the language, also when padded, and floats never
// depend on a locale. A null spec gives the value's plain form.
//
//===----------------------------------------------------------------------===//

#ifndef TDRT_TEXT_FORMAT_H
#define TDRT_TEXT_FORMAT_H

#include "tdc_runtime.h"
#include <cstddef>
#include <string>

namespace tdrt {

void appendInt(std::string &out, int64_t value, const tdrt_format *format);
void appendUnsigned(std::string &out, uint64_t value,
                    const tdrt_format *format);
void appendFloat(std::string &out, double value, const tdrt_format *format);
void appendBool(std::string &out, bool value, const tdrt_format *format);
/// `text` has `size` bytes of UTF-8; width and precision count code points.
void appendString(std::string &out, const char *text, size_t size,
                  const tdrt_format *format);

/// Python's repr: the shortest digits that read back as the same double.
void appendRepr(std::string &out, double value);
/// "%.<precision>f" and "%.<precision>e", correctly rounded.
void appendFixed(std::string &out, double value, int precision);
void appendScientific(std::string &out, double value, int precision);

} // namespace tdrt

#endif // TDRT_TEXT_FORMAT_H
