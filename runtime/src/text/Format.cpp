//===- Format.cpp - host values as text -----------------------------------===//
//
// The structure follows CPython's Python/formatter_unicode.c: a number is a
// sign, a prefix, integer digits that may be grouped, and a rest; padding is
// around it or, for `=`, between prefix and digits.
//
//===----------------------------------------------------------------------===//

#include "text/Format.h"
#include "tdc_text.h"
#include <charconv>
#include <cmath>
#include <cstring>

using namespace tdrt;

namespace {

/// Longest text of a double: 309 digits, a point and 1000 more.
constexpr size_t kFloatBuffer = 1400;

void appendPoint(std::string &out, uint32_t point) {
  if (point < 0x80) {
    out += static_cast<char>(point);
    return;
  }
  int extra = point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
  out += static_cast<char>((0xf0 << (3 - extra)) | point >> (6 * extra));
  while (extra-- > 0)
    out += static_cast<char>(0x80 | ((point >> (6 * extra)) & 0x3f));
}

size_t countPoints(const char *text, size_t size) {
  size_t points = 0;
  for (size_t i = 0; i < size; ++i)
    points += (text[i] & 0xc0) != 0x80;
  return points;
}

/// Appends `pieces` with padding. The padding of `=` alignment comes after
/// their first `split` bytes, the sign and the prefix.
void appendPadded(std::string &out, const std::string &pieces, size_t split,
                  const tdrt_format &format, char defaultAlign) {
  size_t points = countPoints(pieces.data(), pieces.size());
  size_t width = format.width < 0 ? 0 : format.width;
  size_t padding = width > points ? width - points : 0;
  uint32_t fill = format.fill ? format.fill : format.zero ? '0' : ' ';
  char align = format.align ? format.align : defaultAlign;
  size_t before = align == '<' ? 0 : align == '^' ? padding / 2 : padding;
  out.append(pieces, 0, align == '=' ? split : 0);
  for (size_t i = 0; i < before; ++i)
    appendPoint(out, fill);
  out.append(pieces, align == '=' ? split : 0, std::string::npos);
  for (size_t i = before; i < padding; ++i)
    appendPoint(out, fill);
}

/// Puts a separator before every `step` digits from the right. With zero
/// padding the zeros are digits and are grouped too.
std::string grouped(const std::string &digits, char separator, size_t step,
                    size_t minimum) {
  std::string reversed;
  size_t count = 0;
  auto put = [&](char digit) {
    if (count && count % step == 0)
      reversed += separator;
    reversed += digit;
    ++count;
  };
  for (size_t i = digits.size(); i-- > 0;)
    put(digits[i]);
  while (reversed.size() < minimum)
    put('0');
  return {reversed.rbegin(), reversed.rend()};
}

/// Appends a number from its parts: "-", "0x", "1234", ".5e+10%".
void appendNumber(std::string &out, bool negative, const char *prefix,
                  std::string digits, const std::string &rest,
                  const tdrt_format &format, size_t step = 3) {
  std::string pieces;
  if (negative)
    pieces = "-";
  else if (format.sign == '+' || format.sign == ' ')
    pieces = format.sign;
  pieces += prefix;
  size_t split = pieces.size();

  char align = format.align ? format.align : format.zero ? '=' : '>';
  uint32_t fill = format.fill ? format.fill : format.zero ? '0' : ' ';
  if (format.grouping) {
    size_t others = split + rest.size();
    size_t width = format.width < 0 ? 0 : format.width;
    size_t minimum =
        fill == '0' && align == '=' && width > others ? width - others : 0;
    digits = grouped(digits, format.grouping, step, minimum);
  }
  pieces += digits;
  pieces += rest;
  appendPadded(out, pieces, split, format, align);
}

/// The digits d.ddd and the exponent of a finite value >= 0.
struct Decimal {
  std::string digits; ///< without a point; at least one
  int exponent;       ///< of the first digit
};

/// Rounds to `precision` digits after the first one or, if `precision` is
/// negative, to the fewest digits that read back as the same value.
Decimal toDecimal(double value, int precision) {
  char buffer[kFloatBuffer];
  auto result = precision < 0
                    ? std::to_chars(buffer, buffer + sizeof buffer, value,
                                    std::chars_format::scientific)
                    : std::to_chars(buffer, buffer + sizeof buffer, value,
                                    std::chars_format::scientific, precision);
  Decimal decimal{{}, 0};
  const char *at = buffer;
  for (; *at != 'e'; ++at)
    if (*at != '.')
      decimal.digits += *at;
  ++at;
  bool negative = *at++ == '-';
  for (; at != result.ptr; ++at)
    decimal.exponent = decimal.exponent * 10 + (*at - '0');
  if (negative)
    decimal.exponent = -decimal.exponent;
  return decimal;
}

/// A number as the digits before the point and the rest after them.
struct Split {
  std::string integer, rest;
};

std::string exponentText(int exponent) {
  std::string text = exponent < 0 ? "e-" : "e+";
  int magnitude = exponent < 0 ? -exponent : exponent;
  if (magnitude < 10)
    text += '0';
  return text + std::to_string(magnitude);
}

Split scientific(const Decimal &decimal, bool point) {
  std::string fraction = decimal.digits.substr(1);
  return {decimal.digits.substr(0, 1),
          (point || !fraction.empty() ? "." + fraction : fraction) +
              exponentText(decimal.exponent)};
}

/// Digits without an exponent; ends in a point only if `point`.
Split positional(const Decimal &decimal, bool point) {
  Split split;
  int size = static_cast<int>(decimal.digits.size());
  int before = decimal.exponent + 1;
  std::string fraction;
  if (before <= 0) {
    split.integer = "0";
    fraction = std::string(-before, '0') + decimal.digits;
  } else if (before >= size) {
    split.integer = decimal.digits + std::string(before - size, '0');
  } else {
    split.integer = decimal.digits.substr(0, before);
    fraction = decimal.digits.substr(before);
  }
  if (point || !fraction.empty())
    split.rest = "." + fraction;
  return split;
}

Split fixed(double value, int precision, bool point) {
  char buffer[kFloatBuffer];
  auto result = std::to_chars(buffer, buffer + sizeof buffer, value,
                              std::chars_format::fixed, precision);
  std::string text(buffer, result.ptr);
  size_t dot = text.find('.');
  if (dot == std::string::npos)
    return {text, point ? "." : ""};
  return {text.substr(0, dot), text.substr(dot)};
}

/// As Python's repr, with ".0" if nothing else shows that it is a float.
Split shortest(double value) {
  Decimal decimal = toDecimal(value, -1);
  if (decimal.exponent < -4 || decimal.exponent >= 16)
    return scientific(decimal, false);
  Split split = positional(decimal, false);
  if (split.rest.empty())
    split.rest = ".0";
  return split;
}

/// As type `g`; with `pointZero` as a precision without a type, which keeps a
/// ".0" and so switches to an exponent one digit earlier.
Split general(double value, int precision, bool alternate, bool pointZero) {
  if (precision == 0)
    precision = 1;
  Decimal decimal = toDecimal(value, precision - 1);
  bool exponent = decimal.exponent < -4 ||
                  decimal.exponent >= precision - (pointZero ? 1 : 0);
  if (!alternate) {
    size_t last = decimal.digits.find_last_not_of('0');
    decimal.digits.resize(last == std::string::npos ? 1 : last + 1);
  }
  if (exponent)
    return scientific(decimal, alternate);
  Split split = positional(decimal, alternate);
  if (pointZero && split.rest.empty())
    split.rest = ".0";
  return split;
}

Split floatParts(double value, const tdrt_format &format) {
  int precision = format.precision < 0 ? 6 : format.precision;
  bool point = format.alternate;
  switch (format.type) {
  case 'e':
    return scientific(toDecimal(value, precision), point);
  case 'f':
    return fixed(value, precision, point);
  case '%': {
    Split split = fixed(value * 100, precision, point);
    split.rest += '%';
    return split;
  }
  case 'g':
    return general(value, precision, point, false);
  default:
    return format.precision < 0 ? shortest(value)
                                : general(value, precision, point, true);
  }
}

bool isFinite(double value) { return std::isfinite(value); }

/// An integer in decimal, hexadecimal or binary digits.
void appendDigits(std::string &out, bool negative, uint64_t magnitude,
                  const tdrt_format *format) {
  char type = format ? format->type : 0;
  int base = type == 'x' ? 16 : type == 'b' ? 2 : 10;
  char buffer[64];
  auto result = std::to_chars(buffer, buffer + sizeof buffer, magnitude, base);
  if (!format) {
    out.append(negative, '-').append(buffer, result.ptr);
    return;
  }
  const char *prefix = !format->alternate ? ""
                       : base == 16       ? "0x"
                       : base == 2        ? "0b"
                                          : "";
  appendNumber(out, negative, prefix, std::string(buffer, result.ptr), "",
               *format, base == 10 ? 3 : 4);
}

/// Whether an int is formatted as a float.
bool isFloatFormat(const tdrt_format *format) {
  return format && format->type && strchr("efg%", format->type);
}

} // namespace

void tdrt::appendInt(std::string &out, int64_t value,
                     const tdrt_format *format) {
  if (isFloatFormat(format))
    return appendFloat(out, static_cast<double>(value), format);
  if (format && format->type == 'c') {
    std::string character;
    appendPoint(character, static_cast<uint32_t>(value));
    return appendNumber(out, false, "", character, "", *format);
  }
  bool negative = value < 0;
  appendDigits(out, negative,
               negative ? 0 - static_cast<uint64_t>(value) : value, format);
}

void tdrt::appendUnsigned(std::string &out, uint64_t value,
                          const tdrt_format *format) {
  if (isFloatFormat(format))
    return appendFloat(out, static_cast<double>(value), format);
  appendDigits(out, false, value, format);
}

void tdrt::appendFloat(std::string &out, double value,
                       const tdrt_format *format) {
  if (!format)
    return appendRepr(out, value);
  bool negative = std::signbit(value) && !std::isnan(value);
  double magnitude = std::fabs(value);
  // The percentage of a large float overflows.
  if (format->type == '%' && !isFinite(magnitude * 100))
    magnitude *= 100;
  if (!isFinite(magnitude)) {
    std::string word = std::isnan(value) ? "nan" : "inf";
    tdrt_format plain = *format;
    plain.grouping = 0;
    return appendNumber(out, negative, "", word, format->type == '%' ? "%" : "",
                        plain);
  }
  Split parts = floatParts(magnitude, *format);
  appendNumber(out, negative, "", parts.integer, parts.rest, *format);
}

void tdrt::appendBool(std::string &out, bool value, const tdrt_format *format) {
  if (format && format->type && format->type != 's')
    return appendInt(out, value, format);
  const char *text = value ? "true" : "false";
  appendString(out, text, strlen(text), format);
}

void tdrt::appendString(std::string &out, const char *text, size_t size,
                        const tdrt_format *format) {
  if (!format) {
    out.append(text, size);
    return;
  }
  std::string repr;
  if (format->type == 'r') {
    tdc::appendRepr(repr, {text, size});
    text = repr.data();
    size = repr.size();
  }
  if (format->precision >= 0) {
    // Cut after `precision` code points.
    size_t cut = 0;
    int points = 0;
    while (cut < size &&
           (points < format->precision || (text[cut] & 0xc0) == 0x80)) {
      points += (text[cut] & 0xc0) != 0x80;
      ++cut;
    }
    size = cut;
  }
  appendPadded(out, std::string(text, size), 0, *format, '<');
}

void tdrt::appendRepr(std::string &out, double value) {
  if (std::isnan(value)) {
    out += "nan";
    return;
  }
  if (std::signbit(value))
    out += '-';
  if (!isFinite(value)) {
    out += "inf";
    return;
  }
  Split parts = shortest(std::fabs(value));
  out += parts.integer;
  out += parts.rest;
}

void tdrt::appendFixed(std::string &out, double value, int precision) {
  tdrt_format format{};
  format.width = -1;
  format.precision = precision;
  format.type = 'f';
  appendFloat(out, value, &format);
}

void tdrt::appendScientific(std::string &out, double value, int precision) {
  tdrt_format format{};
  format.width = -1;
  format.precision = precision;
  format.type = 'e';
  appendFloat(out, value, &format);
}
