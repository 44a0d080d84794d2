//===- JsonWriter.cpp - JSON, written from front to back ------------------===//

#include "text/JsonWriter.h"
#include "tdc_text.h"

using namespace tdrt;

void JsonWriter::separate() {
  if (needsComma)
    text += ',';
  needsComma = true;
}

JsonWriter &JsonWriter::open(char bracket) {
  separate();
  text += bracket;
  needsComma = false;
  return *this;
}

JsonWriter &JsonWriter::close(char bracket) {
  text += bracket;
  needsComma = true;
  return *this;
}

JsonWriter &JsonWriter::key(std::string_view name) {
  separate();
  quote(name);
  text += ':';
  needsComma = false;
  return *this;
}

JsonWriter &JsonWriter::value(std::string_view of) {
  separate();
  quote(of);
  return *this;
}

JsonWriter &JsonWriter::value(int64_t of) { return number(std::to_string(of)); }

JsonWriter &JsonWriter::number(std::string_view digits) {
  separate();
  text += digits;
  return *this;
}

JsonWriter &JsonWriter::line() {
  if (needsComma)
    text += ',';
  needsComma = false;
  text += '\n';
  return *this;
}

void JsonWriter::quote(std::string_view rest) {
  text += '"';
  while (!rest.empty()) {
    unsigned char c = rest[0];
    unsigned bytes = tdc::decodeUtf8(rest).bytes;
    if (bytes == 0) {
      text += "\\ufffd";
      bytes = 1;
    } else if (c == '"' || c == '\\') {
      text += '\\';
      text += static_cast<char>(c);
    } else if (c < 0x20) {
      text += "\\u00";
      text += "0123456789abcdef"[c >> 4];
      text += "0123456789abcdef"[c & 15];
    } else {
      text += rest.substr(0, bytes);
    }
    rest.remove_prefix(bytes);
  }
  text += '"';
}
