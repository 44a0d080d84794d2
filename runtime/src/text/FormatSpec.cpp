//===- FormatSpec.cpp - parses the text of a format spec ------------------===//
//
// Called by the compiler: every fault here is a compile-time diagnostic.
//
//===----------------------------------------------------------------------===//

#include "tdc_runtime.h"
#include <cstring>

namespace {

/// Far beyond any use, and small enough for buffers of fixed size.
constexpr int kMaxWidth = 1000;

class SpecParser {
public:
  SpecParser(const char *text, int64_t length) : at(text), end(text + length) {}

  const char *parse(tdrt_format &format) {
    format = {};
    format.width = format.precision = -1;
    parseAlignment(format);
    if (const char c = peek(); c == '+' || c == '-' || c == ' ')
      format.sign = take();
    if (peek() == '#')
      format.alternate = take() == '#';
    if (peek() == '0')
      format.zero = take() == '0';
    if (!parseNumber(format.width))
      return "the width of a format is at most 1000";
    if (peek() == ',' || peek() == '_')
      format.grouping = take();
    if (peek() == '.') {
      take();
      if (!parseNumber(format.precision))
        return "the precision of a format is at most 1000";
      if (format.precision < 0)
        return "a number is missing after the `.` of a format";
    }
    if (at != end)
      format.type = take();
    if (at != end)
      return "not a format: expected "
             "[[fill]align][sign][#][0][width][,][.precision][type]";
    if (format.type && !strchr("cdefgrsxb%", format.type))
      return "the type of a format is one of c d e f g r s x b %";
    return nullptr;
  }

private:
  char peek() const { return at == end ? 0 : *at; }
  char take() { return *at++; }
  static bool isAlign(char c) {
    return c == '<' || c == '>' || c == '^' || c == '=';
  }

  /// Any code point is a fill if an alignment follows it.
  void parseAlignment(tdrt_format &format) {
    uint32_t point = 0;
    int64_t size = decode(point);
    if (size && end - at > size && isAlign(at[size])) {
      format.fill = point;
      at += size;
      format.align = take();
    } else if (isAlign(peek())) {
      format.align = take();
    }
  }

  /// The code point at `at`; returns its bytes, 0 if it is not valid UTF-8.
  int64_t decode(uint32_t &point) const {
    if (at == end)
      return 0;
    unsigned char lead = *at;
    int64_t size = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    if ((lead >= 0x80 && lead < 0xc2) || lead > 0xf4 || end - at < size)
      return 0;
    point = size == 1 ? lead : lead & (0x7f >> size);
    for (int64_t i = 1; i < size; ++i) {
      if ((at[i] & 0xc0) != 0x80)
        return 0;
      point = point << 6 | (at[i] & 0x3f);
    }
    return size;
  }

  bool parseNumber(int32_t &number) {
    while (peek() >= '0' && peek() <= '9') {
      number = (number < 0 ? 0 : number) * 10 + (take() - '0');
      if (number > kMaxWidth)
        return false;
    }
    return true;
  }

  const char *at, *end;
};

/// The reason why a value of `type` cannot have the format, or null.
const char *misfit(const tdrt_format &format, int32_t type) {
  bool text = type == TDRT_STR || (type == TDRT_BOOLEAN && !format.type);
  if (type == TDRT_BOOLEAN && format.type == 's')
    text = true;
  if (text) {
    if (format.type && format.type != 's' &&
        (format.type != 'r' || type != TDRT_STR))
      return "text takes no type but `s`";
    if (format.sign)
      return "text takes no sign";
    if (format.alternate)
      return "text takes no `#`";
    if (format.align == '=')
      return "text takes no `=` alignment";
    if (format.grouping)
      return "text takes no digit grouping";
    return nullptr;
  }
  if (format.type == 's' || format.type == 'r')
    return "a number takes no type `s`";
  bool asFloat =
      format.type ? strchr("efg%", format.type) != nullptr : type == TDRT_FLOAT;
  if (type == TDRT_FLOAT && !asFloat)
    return "a float takes a type among e f g %";
  if (!asFloat && format.precision >= 0)
    return "an int takes no precision";
  if (format.type == 'c' &&
      (format.sign || format.alternate || format.grouping))
    return "a character takes no sign, no `#` and no digit grouping";
  if (format.grouping == ',' && (format.type == 'x' || format.type == 'b'))
    return "the types `x` and `b` are grouped with `_`";
  return nullptr;
}

} // namespace

const char *tdrt_parse_format(const char *text, int64_t length, int32_t type,
                              tdrt_format *format) {
  if (const char *fault = SpecParser(text, length).parse(*format))
    return fault;
  return misfit(*format, type);
}
