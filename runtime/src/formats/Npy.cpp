//===- Npy.cpp - the header of .npy files ---------------------------------===//
//
// The header is a Python dictionary literal. It is read by a grammar of its own
// that knows the three keys and nothing else; nothing is evaluated.
//
//===----------------------------------------------------------------------===//

#include "base/Dtype.h"
#include "base/File.h"
#include <cstring>
#include <new>

using namespace tdrt;

namespace {

class NpyParser {
public:
  NpyParser(const char *data, uint64_t size, uint64_t fileSize,
            FileTensor &tensor)
      : data(data), size(size), fileSize(fileSize), tensor(tensor) {}

  void parse() {
    parsePreamble();
    parseDictionary();
    checkSize();
  }

private:
  [[noreturn]] void malformed(const char *what) {
    failFile(714, at, std::string("the header is malformed: ") + what);
  }

  /// Parses magic, version, and the length of the header, and sets `at` and
  /// `end`.
  void parsePreamble() {
    if (size < 8 || memcmp(data, "\x93NUMPY", 6) != 0)
      failFile(711, 0, "not an npy file");
    int major = static_cast<unsigned char>(data[6]);
    int minor = static_cast<unsigned char>(data[7]);
    if (major < 1 || major > 3 || minor != 0)
      failFile(712, 6,
               "version " + std::to_string(major) + "." +
                   std::to_string(minor) +
                   " of the npy format is not "
                   "known");
    unsigned lengthBytes = major == 1 ? 2 : 4;
    at = 8 + lengthBytes;
    if (size < at)
      failFile(713, 8, "the file ends within the header's length");
    uint64_t length = 0;
    for (unsigned i = 0; i < lengthBytes; ++i)
      length |= uint64_t(static_cast<unsigned char>(data[8 + i])) << (8 * i);
    if (length > kMaxNpyHeader)
      failFile(713, 8,
               "a header of " + std::to_string(length) +
                   " bytes is longer than 64 KiB");
    if (length > size - at)
      failFile(713, 8,
               "the header of " + std::to_string(length) +
                   " bytes is longer than the file");
    end = at + length;
  }

  void parseDictionary() {
    bool seen[3] = {};
    skipSpaces();
    expect('{', "expected `{`");
    for (skipSpaces(); peek() != '}'; skipSpaces()) {
      uint64_t keyAt = at;
      std::string key = parseString();
      int which = key == "descr"           ? 0
                  : key == "fortran_order" ? 1
                  : key == "shape"         ? 2
                                           : 3;
      if (which == 3 || seen[which]) {
        at = keyAt;
        malformed(which == 3 ? "a key other than 'descr', 'fortran_order' and "
                               "'shape'"
                             : "a key occurs twice");
      }
      seen[which] = true;
      skipSpaces();
      expect(':', "expected `:`");
      skipSpaces();
      if (which == 0)
        parseDescription();
      else if (which == 1)
        tensor.columnMajor = parseBool();
      else
        parseShape();
      skipSpaces();
      if (peek() == ',')
        ++at;
      else if (peek() != '}')
        malformed("expected `,` or `}`");
    }
    ++at;
    if (!seen[0] || !seen[1] || !seen[2])
      malformed("one of the keys 'descr', 'fortran_order' and 'shape' is "
                "missing");
    skipSpaces();
    expect('\n', "expected spaces and a newline after the dictionary");
    if (at != end)
      malformed("text after its newline");
  }

  void parseDescription() {
    uint64_t start = at;
    if (peek() != '\'' && peek() != '"')
      failFile(715, at, "a structured dtype is not supported");
    std::string text = parseString();
    tensor.dtypeText = text;
    if (!text.empty() && text[0] == '>')
      failFile(716, start,
               "the data is big-endian (dtype " + inQuotes(text) + ")");
    struct Row {
      const char *text;
      int32_t dtype;
    };
    static const Row rows[] = {
        {"<f8", TDRT_F64},
        {"<f4", TDRT_F32},
        {"<f2", TDRT_F16},
        {"<i8", TDRT_I64},
        {"<i4", TDRT_I32},
        {"<i2", TDRT_I16},
        {"|i1", TDRT_I8},
        {"|u1", TDRT_U8},
        {"<u2", TDRT_U16},
        {"<u4", TDRT_U32},
        {"<u8", TDRT_U64},
        {"|b1", TDRT_BOOL},
        // How NumPy writes ml_dtypes.bfloat16: at first, and after reading it.
        {"<V2", TDRT_BF16},
        {"|V2", TDRT_BF16}};
    for (const Row &row : rows)
      if (text == row.text)
        tensor.dtype = row.dtype;
    if (tensor.dtype < 0)
      failFile(715, start, "dtype " + inQuotes(text) + " is not supported");
  }

  bool parseBool() {
    for (const char *word : {"True", "False"}) {
      size_t length = strlen(word);
      if (end - at >= length && memcmp(data + at, word, length) == 0) {
        at += length;
        return *word == 'T';
      }
    }
    malformed("'fortran_order' is neither True nor False");
  }

  /// Parses a Python tuple of sizes: `()`, `(3,)`, `(3, 4)`.
  void parseShape() {
    expect('(', "'shape' is not a tuple");
    for (skipSpaces(); peek() != ')'; skipSpaces()) {
      if (tensor.dims.size() == TDRT_MAX_RANK)
        failFile(717, at, "more than 16 dims");
      tensor.dims.push_back(parseSize());
      skipSpaces();
      if (peek() == ',')
        ++at;
      else if (peek() != ')' || tensor.dims.size() == 1)
        malformed("expected `,` in 'shape'");
    }
    ++at;
  }

  int64_t parseSize() {
    if (peek() < '0' || peek() > '9')
      malformed("a size in 'shape' is not a number from 0");
    int64_t value = 0;
    for (; peek() >= '0' && peek() <= '9'; ++at) {
      int digit = peek() - '0';
      if (value > (INT64_MAX - digit) / 10)
        failFile(717, at, "a size in 'shape' is too large");
      value = value * 10 + digit;
    }
    return value;
  }

  std::string parseString() {
    char quote = peek();
    if (quote != '\'' && quote != '"')
      malformed("expected a quoted word");
    uint64_t start = ++at;
    while (peek() != quote) {
      if (peek() < ' ' || peek() > '~' || peek() == '\\')
        malformed("a quoted word is not closed, or not plain ASCII");
      ++at;
    }
    return std::string(data + start, data + at++);
  }

  void checkSize() {
    int64_t bytes =
        tensorBytes(tensor.dtype, tensor.dims.size(), tensor.dims.data());
    if (bytes < 0)
      failFile(
          717, -1,
          "the shape of " +
              typeText(tensor.dtype, tensor.dims.data(), tensor.dims.size()) +
              " is too large for any memory");
    tensor.offset = end;
    tensor.bytes = bytes;
    if (fileSize - end != tensor.bytes)
      failFile(718, end,
               typeText(tensor.dtype, tensor.dims.data(), tensor.dims.size()) +
                   " needs " + std::to_string(bytes) + " bytes, the file has " +
                   std::to_string(fileSize - end));
  }

  /// The byte at `at`, or 0 at the end, which no rule accepts.
  char peek() const { return at < end ? data[at] : 0; }
  void skipSpaces() {
    while (peek() == ' ')
      ++at;
  }
  void expect(char c, const char *what) {
    if (peek() != c)
      malformed(what);
    ++at;
  }

  const char *data;
  uint64_t size, fileSize;
  FileTensor &tensor;
  uint64_t at = 0;
  uint64_t end = 0; ///< of the header
};

} // namespace

FileFault tdrt::parseNpyHeader(const char *data, uint64_t size,
                               uint64_t fileSize, FileTensor &tensor) noexcept {
  try {
    tensor = FileTensor();
    NpyParser(data, size, fileSize, tensor).parse();
    return {};
  } catch (FileFault &fault) {
    return std::move(fault);
  } catch (const std::bad_alloc &) {
    return {201, -1, "out of memory"};
  }
}
