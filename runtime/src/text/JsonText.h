//===- JsonText.h - texts in JSON -----------------------------------------===//

#ifndef TDRT_TEXT_JSONTEXT_H
#define TDRT_TEXT_JSONTEXT_H

#include <string>

namespace tdrt {

/// Appends `text` in quotes, with the escapes that JSON requires. A byte that
/// is not UTF-8 becomes U+FFFD.
void appendJsonString(std::string &out, const std::string &text);

} // namespace tdrt

#endif // TDRT_TEXT_JSONTEXT_H
