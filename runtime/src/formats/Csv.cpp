//===- Csv.cpp - tables of numbers as text --------------------------------===//
//
// RFC 4180: fields between commas, some in quotes, lines ended by LF or CR LF.
// A byte order mark before the first field and spaces around numbers are
// skipped. A first line without any number holds names. There are two passes:
// the first counts, so that the tensor can be allocated, the second converts.
//
//===----------------------------------------------------------------------===//

#include "base/Dtype.h"
#include "formats/TensorFormat.h"
#include <algorithm>
#include <charconv>
#include <cstring>
#include <limits>

using namespace tdrt;

namespace {

/// Characters of a field that are kept. No number needs more; a longer field is
/// not a number.
constexpr size_t kMaxField = 400;

/// The fields of a file, one after another.
class CsvReader {
public:
  enum class End : uint8_t { Comma, Line, File };

  explicit CsvReader(const InputFile &file) : file(file) {
    const char mark[] = "\xef\xbb\xbf";
    if (file.size() >= 3) {
      char start[3];
      file.read(0, start, 3);
      if (memcmp(start, mark, 3) == 0)
        next = 3;
    }
  }

  /// Reads the next field and returns what ends it.
  End readField() {
    field.clear();
    isCut = false;
    skipSpaces();
    begin = position();
    if (peek() == '"')
      return readQuoted();
    for (;;) {
      int c = peek();
      if (c == ',' || c == '\n' || c < 0)
        break;
      keep(c);
      ++at;
    }
    while (!field.empty() && isSpace(field.back()))
      field.pop_back();
    return takeEnd();
  }

  /// Skips empty lines; returns false at the end of the file.
  bool findLine() {
    for (;;) {
      skipSpaces();
      if (peek() < 0)
        return false;
      if (peek() != '\n')
        return true;
      ++at;
      ++line;
    }
  }

  /// The field that was read last, and the byte and line where it begins.
  std::string field;
  bool isCut = false; ///< the field was longer than kMaxField
  uint64_t begin = 0;
  uint64_t line = 1;

private:
  /// A carriage return is a space; within a number it makes the field invalid.
  static bool isSpace(int c) { return c == ' ' || c == '\t' || c == '\r'; }

  int peek() {
    if (at == size) {
      at = 0;
      size = std::min<uint64_t>(sizeof buffer, file.size() - next);
      if (size == 0)
        return -1;
      file.read(next, buffer, size);
      next += size;
    }
    int c = static_cast<unsigned char>(buffer[at]);
    if (c == 0)
      failFile(761, position(), "a NUL byte is no text");
    return c;
  }
  uint64_t position() const { return next - (size - at); }
  void skipSpaces() {
    while (isSpace(peek()))
      ++at;
  }
  void keep(int c) {
    if (field.size() < kMaxField)
      field += static_cast<char>(c);
    else
      isCut = true;
  }

  End readQuoted() {
    ++at;
    for (;;) {
      int c = peek();
      if (c < 0)
        failFile(764, begin, "the quote is not closed");
      ++at;
      if (c == '\n')
        ++line;
      if (c == '"') {
        if (peek() != '"')
          break;
        ++at;
      }
      keep(c);
    }
    skipSpaces();
    if (int c = peek(); c != ',' && c != '\n' && c >= 0)
      failFile(764, position(), "text after the closing quote");
    return takeEnd();
  }

  End takeEnd() {
    int c = peek();
    if (c < 0)
      return End::File;
    ++at;
    if (c == ',')
      return End::Comma;
    ++line;
    return End::Line;
  }

  const InputFile &file;
  uint64_t next = 0; ///< offset in the file of the byte after the buffer
  size_t at = 0, size = 0;
  char buffer[64 << 10];
};

/// The start of the text for from_chars, which takes no plus sign.
const char *numberStart(const std::string &text) {
  const char *at = text.c_str();
  return at[0] == '+' && at[1] != '-' ? at + 1 : at;
}

template <class T> bool parseNumber(const std::string &text, T &value) {
  const char *end = text.c_str() + text.size();
  auto result = std::from_chars(numberStart(text), end, value);
  return result.ec == std::errc() && result.ptr == end;
}

bool parseField(const std::string &text, bool &value) {
  for (const char *word : {"0", "1", "false", "true", "False", "True"})
    if (text == word) {
      value = strchr("1tT", *word);
      return true;
    }
  return false;
}

bool isNumber(const std::string &text) {
  double number;
  bool truth;
  const char *end = text.c_str() + text.size();
  // A number that is too large is a number as well.
  bool isOne = std::from_chars(numberStart(text), end, number).ptr == end;
  return (isOne && !text.empty()) || parseField(text, truth);
}

/// A number that is too small becomes zero or a denormal; one that is too large
/// is refused.
bool parseField(const std::string &text, double &value) {
  if (parseNumber(text, value))
    return true;
  long double wide;
  if (!parseNumber(text, wide) || __builtin_isinf(static_cast<double>(wide)))
    return false;
  value = static_cast<double>(wide);
  return true;
}

/// Rounds as Python does: to f64, then to f32.
bool parseField(const std::string &text, float &value) {
  double number;
  if (!parseField(text, number))
    return false;
  value = static_cast<float>(number);
  return !__builtin_isinf(value) || __builtin_isinf(number);
}

template <class T> bool parseField(const std::string &text, T &value) {
  int64_t number;
  if (!parseNumber(text, number) || number < std::numeric_limits<T>::min() ||
      number > std::numeric_limits<T>::max())
    return false;
  value = static_cast<T>(number);
  return true;
}

bool parseField(const std::string &text, uint64_t &value) {
  return parseNumber(text, value);
}

/// The character that separates several numbers in one field, where a comma
/// should be; 0 if the field is not several numbers.
char findOtherSeparator(const std::string &field) {
  size_t at = field.find_first_of(";\t |");
  if (at == std::string::npos)
    return 0;
  char separator = field[at];
  for (size_t begin = 0; begin != std::string::npos;) {
    size_t end = field.find(separator, begin);
    bool isLast = end == std::string::npos;
    if (!isNumber(field.substr(begin, isLast ? end : end - begin)))
      return 0;
    begin = isLast ? end : end + 1;
  }
  return separator;
}

/// Whether there is a first line and it has no number.
bool startsWithNames(const InputFile &file) {
  CsvReader reader(file);
  if (!reader.findLine())
    return false;
  for (;;) {
    CsvReader::End end = reader.readField();
    if (isNumber(reader.field))
      return false;
    if (end != CsvReader::End::Comma)
      return true;
  }
}

struct Table {
  int64_t rows = 0, columns = 0;
};

/// Reads the rows of numbers and calls `take` with the reader at each field and
/// the line where the field's row begins.
template <class Take> Table readTable(const InputFile &file, Take take) {
  Table table;
  bool names = startsWithNames(file), first = true;
  CsvReader reader(file);
  while (reader.findLine()) {
    uint64_t line = reader.line;
    int64_t columns = 0;
    CsvReader::End end;
    do {
      end = reader.readField();
      ++columns;
      if (!names)
        take(reader, line);
    } while (end == CsvReader::End::Comma);
    if (!first && columns != table.columns)
      failFile(762, reader.begin,
               "line " + std::to_string(line) + " has " +
                   std::to_string(columns) + " fields, the first one " +
                   std::to_string(table.columns));
    table.rows += !names;
    table.columns = columns;
    names = first = false;
  }
  if (table.rows == 0)
    failFile(761, -1, "there are no numbers in it");
  return table;
}

FileTensor inspect(const InputFile &file, const char *key) {
  refuseKey(key);
  Table table = readTable(file, [](const CsvReader &reader, uint64_t line) {
    if (char separator = findOtherSeparator(reader.field))
      failFile(763, reader.begin,
               "line " + std::to_string(line) + ": " +
                   inQuotes(reader.field.substr(0, 40)) +
                   " is no number: fields are separated by `,`, not by " +
                   (separator == '\t'  ? "tabs"
                    : separator == ' ' ? "blanks"
                                       : inQuotes({separator})));
  });
  FileTensor tensor;
  tensor.anyDtype = true;
  tensor.dims.push_back(table.rows);
  if (table.columns > 1)
    tensor.dims.push_back(table.columns);
  return tensor;
}

template <class T>
void readNumbers(const InputFile &file, int32_t dtype, void *to,
                 int64_t count) {
  T *values = static_cast<T *>(to);
  int64_t i = 0;
  readTable(file, [&](const CsvReader &reader, uint64_t line) {
    if (i == count)
      failFile(704, reader.begin, "the file changed while it was read");
    if (reader.isCut || !parseField(reader.field, values[i++]))
      failFile(763, reader.begin,
               "line " + std::to_string(line) + ": " +
                   inQuotes(reader.field.substr(0, 40)) + " is no " +
                   dtypeName(dtype));
  });
  if (i != count)
    failFile(704, -1, "the file changed while it was read");
}

void read(const InputFile &file, const FileTensor &tensor, void *to) {
  int64_t count = 1;
  for (int64_t size : tensor.dims)
    count *= size;
  auto convert = [&](auto value) {
    readNumbers<decltype(value)>(file, tensor.dtype, to, count);
  };
  switch (tensor.dtype) {
  case TDRT_F64:
    return convert(double());
  case TDRT_F32:
    return convert(float());
  case TDRT_I64:
    return convert(int64_t());
  case TDRT_I32:
    return convert(int32_t());
  case TDRT_I16:
    return convert(int16_t());
  case TDRT_I8:
    return convert(int8_t());
  case TDRT_U8:
    return convert(uint8_t());
  case TDRT_U16:
    return convert(uint16_t());
  case TDRT_U32:
    return convert(uint32_t());
  case TDRT_U64:
    return convert(uint64_t());
  case TDRT_BOOL:
    return convert(bool());
  default:
    failFile(765, -1,
             std::string("the numbers of a csv file are not read as ") +
                 dtypeName(tensor.dtype));
  }
}

} // namespace

const TensorFormat tdrt::csvFormat = {inspect, read, false};
