//===- tdc_text.h - names from outside and counts, in messages ------------===//
//
// Names of files and the keys in them are untrusted text. Only this file
// decides, for compiler and runtime alike, how a message shows them, how it
// spells a count, and how a printed list shows its strs.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_TEXT_H
#define TDC_TEXT_H

#include <cstdint>
#include <string>
#include <string_view>

namespace tdc {

/// The first character of a text in UTF-8.
struct Utf8Char {
  uint32_t code = 0;
  unsigned bytes = 0; ///< 0: the text does not begin with a character
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
  // The least code for each number of bytes; surrogates are no characters.
  static constexpr uint32_t least[] = {0x80, 0x800, 0x10000};
  bool isLegal = first >= 0xc2 && first < 0xf5 && code >= least[bytes - 2] &&
                 code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
  return isLegal ? Utf8Char{code, bytes} : Utf8Char{};
}

/// Whether a character controls a terminal, or reorders the text around it.
inline bool isControl(uint32_t code) {
  return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x61c ||
         code == 0x200e || code == 0x200f ||
         (code >= 0x2028 && code < 0x202f) ||
         (code >= 0x2066 && code < 0x206a) || code == 0xfeff;
}

/// Appends a character as an escape of the language and of Python: a backslash,
/// a quote, "\n", "\x1b", and from `wide` on \u or \U.
inline void appendEscape(std::string &out, uint32_t code,
                         uint32_t wide = 0x100) {
  static const char digits[] = "0123456789abcdef";
  if (code == '\\' || code == '\'' || code == '"') {
    out += {'\\', char(code)};
    return;
  }
  char kind = code == '\n'     ? 'n'
              : code == '\t'   ? 't'
              : code == '\r'   ? 'r'
              : code < wide    ? 'x'
              : code < 0x10000 ? 'u'
                               : 'U';
  out += {'\\', kind};
  int count = kind == 'x' ? 2 : kind == 'u' ? 4 : kind == 'U' ? 8 : 0;
  while (count-- > 0)
    out += digits[code >> (4 * count) & 15];
}

/// Appends `text`. Characters for which `isShown` returns true are not changed;
/// all others, and bytes that are not UTF-8, are escaped, see appendEscape.
template <class IsShown>
void appendEscaped(std::string &out, std::string_view text, uint32_t wide,
                   IsShown isShown) {
  while (!text.empty()) {
    Utf8Char c = decodeUtf8(text);
    unsigned bytes = c.bytes ? c.bytes : 1;
    if (c.bytes == 0)
      appendEscape(out, static_cast<unsigned char>(text[0]));
    else if (isShown(c.code))
      out += text.substr(0, bytes);
    else
      appendEscape(out, c.code, wide);
    text.remove_prefix(bytes);
  }
}

/// `text` as a message shows it: control characters are escaped, newlines only
/// without `keepsLines`.
inline std::string printable(std::string_view text, bool keepsLines = false) {
  std::string out;
  appendEscaped(out, text, 0x80, [&](uint32_t code) {
    return !isControl(code) || (code == '\n' && keepsLines);
  });
  return out;
}

/// "1 dim", "2 dims".
inline std::string countOf(int64_t count, std::string_view noun) {
  std::string text = std::to_string(count) + " ";
  text += noun;
  return count == 1 ? text : text + "s";
}

/// Appends Python's repr() of a str, as an element of a printed list: in single
/// quotes, or in double ones if the text has only single ones. Python also
/// escapes characters without a glyph; this escapes only those of isControl().
inline void appendRepr(std::string &out, std::string_view text) {
  bool isDouble = text.find('\'') != std::string_view::npos &&
                  text.find('"') == std::string_view::npos;
  const char quote = isDouble ? '"' : '\'';
  out += quote;
  appendEscaped(out, text, 0x100, [&](uint32_t code) {
    return !isControl(code) && code != '\\' &&
           code != static_cast<unsigned char>(quote);
  });
  out += quote;
}

} // namespace tdc

#endif // TDC_TEXT_H
