//===- tdc_text.h - texts of others, in messages --------------------------===//
//
// Names of files and the keys in them are made by others. For compiler and
// runtime alike, this is the one place that decides how a message shows them.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_TEXT_H
#define TDC_TEXT_H

#include <cstdint>
#include <string>
#include <string_view>

namespace tdc {

/// The character that a text begins with, in UTF-8.
struct Utf8Char {
  uint32_t code = 0;
  unsigned bytes = 0; ///< 0: the text begins with none
};

inline Utf8Char decodeUtf8(std::string_view text) {
  auto byte = [&](size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
  };
  uint32_t first = byte(0);
  if (first < 0x80)
    return {first, text.empty() ? 0u : 1u};
  unsigned bytes = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  uint32_t code = first & (0x7f >> bytes);
  for (unsigned i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0) != 0x80)
      return {};
    code = code << 6 | (byte(i) & 0x3f);
  }
  // The least that needs so many bytes, and what is no character.
  static constexpr uint32_t least[] = {0x80, 0x800, 0x10000};
  bool isLegal = first >= 0xc2 && first < 0xf5 && code >= least[bytes - 2] &&
                 code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
  return isLegal ? Utf8Char{code, bytes} : Utf8Char{};
}

/// Whether a character drives a terminal, or reorders the text around it.
inline bool isControl(uint32_t code) {
  return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x61c ||
         code == 0x200e || code == 0x200f ||
         (code >= 0x2028 && code < 0x202f) ||
         (code >= 0x2066 && code < 0x206a) || code == 0xfeff;
}

/// `text` as a message shows it: what is not printable is escaped as in a
/// string of the language, "\n" or "\x1b". The lines of a text that is made of
/// some are kept on demand.
inline std::string printable(std::string_view text, bool keepsLines = false) {
  static const char digits[] = "0123456789abcdef";
  std::string out;
  auto escape = [&](char kind, uint32_t code, int count) {
    out += {'\\', kind};
    while (count-- > 0)
      out += digits[code >> (4 * count) & 15];
  };
  while (!text.empty()) {
    Utf8Char c = decodeUtf8(text);
    unsigned bytes = c.bytes ? c.bytes : 1;
    if (c.bytes == 0)
      escape('x', static_cast<unsigned char>(text[0]), 2);
    else if (!isControl(c.code) || (c.code == '\n' && keepsLines))
      out += text.substr(0, bytes);
    else if (c.code == '\n' || c.code == '\t' || c.code == '\r')
      escape(c.code == '\n' ? 'n' : c.code == '\t' ? 't' : 'r', 0, 0);
    else if (c.code < 0x80)
      escape('x', c.code, 2);
    else
      escape('u', c.code, 4);
    text.remove_prefix(bytes);
  }
  return out;
}

} // namespace tdc

#endif // TDC_TEXT_H
