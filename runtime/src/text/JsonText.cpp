//===- JsonText.cpp - texts in JSON ---------------------------------------===//

#include "text/JsonText.h"
#include "tdc_text.h"

using namespace tdrt;

void tdrt::appendJsonString(std::string &out, const std::string &text) {
  out += '"';
  for (std::string_view rest = text; !rest.empty();) {
    unsigned char c = rest[0];
    unsigned bytes = tdc::decodeUtf8(rest).bytes;
    if (bytes == 0) {
      out += "\\ufffd";
      bytes = 1;
    } else if (c == '"' || c == '\\') {
      out += '\\';
      out += static_cast<char>(c);
    } else if (c < 0x20) {
      out += "\\u00";
      out += "0123456789abcdef"[c >> 4];
      out += "0123456789abcdef"[c & 15];
    } else {
      out += rest.substr(0, bytes);
    }
    rest.remove_prefix(bytes);
  }
  out += '"';
}
