//===- JsonWriter.h - JSON, written from front to back --------------------===//

#ifndef TDRT_TEXT_JSONWRITER_H
#define TDRT_TEXT_JSONWRITER_H

#include <cstdint>
#include <string>
#include <string_view>

namespace tdrt {

/// Writes a text of JSON: quotes, escapes and commas are its own. What is
/// opened must be closed. Functions throw std::bad_alloc.
class JsonWriter {
public:
  /// Begins an object, `{`, or a list, `[`.
  JsonWriter &open(char bracket);
  JsonWriter &close(char bracket);
  /// Names the next value.
  JsonWriter &key(std::string_view name);
  /// A byte that is not UTF-8 becomes U+FFFD.
  JsonWriter &value(std::string_view text);
  JsonWriter &value(int64_t number);
  /// A number of these digits.
  JsonWriter &number(std::string_view digits);
  /// Begins a line, for readers of the file.
  JsonWriter &line();

  template <class Value>
  JsonWriter &member(std::string_view name, const Value &of) {
    return key(name).value(of);
  }

  const std::string &get() const { return text; }

private:
  void separate();
  void quote(std::string_view rest);

  std::string text;
  bool needsComma = false;
};

} // namespace tdrt

#endif // TDRT_TEXT_JSONWRITER_H
