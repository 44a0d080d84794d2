//===- PrintedLine.cpp - the numbers in a line of output ------------------===//

#include "Plot/PrintedLine.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>
#include <cstdlib>

using namespace tdc;
using llvm::StringRef;

static constexpr size_t kMostBytes = 4096, kMostNumbers = 32, kMostWords = 4;

/// Words after a number that are its unit, and not the name of the next one.
static constexpr StringRef kUnits[] = {
    "%",  "s",  "ms", "us", "µs",  "ns",  "sec", "secs", "seconds",
    "KB", "kB", "MB", "GB", "KiB", "MiB", "GiB", "fps",  "dB"};

static bool isUnit(StringRef word) {
  return llvm::is_contained(kUnits, word) ||
         (word.ends_with("/s") && word.size() > 2);
}

/// The first byte of the characters from U+2000 to U+2FFF: dashes, arrows,
/// lines of tables.
static constexpr char kSymbol = '\xe2';

/// Whether a byte is a letter of a word, as those of most characters that are
/// not ASCII are.
static bool isLetter(char c) {
  return llvm::isAlpha(c) || c == '_' ||
         (static_cast<unsigned char>(c) >= 0x80 && c != kSymbol);
}

/// Whether a byte may follow the first letter of a word: "top-1", "acc@5".
static bool isInWord(char c) {
  return isLetter(c) || llvm::isDigit(c) || StringRef("-./@'").contains(c);
}

static size_t countDigits(StringRef text) {
  return text.take_while([](char c) { return llvm::isDigit(c); }).size();
}

/// The length of "1,048,576" at the beginning of the text; 0 if the digits
/// have no separators.
static size_t measureGroups(StringRef text) {
  size_t size = countDigits(text);
  if (size == 0 || size > 3)
    return 0;
  size_t first = size;
  while (text.drop_front(size).starts_with(",") &&
         countDigits(text.drop_front(size + 1)) == 3)
    size += 4;
  return size == first ? 0 : size;
}

/// The length of the number at the beginning of the text, 0 if there is none.
static size_t measureNumber(StringRef text, bool &isInteger) {
  size_t sign = text.starts_with("-") || text.starts_with("+");
  StringRef rest = text.drop_front(sign);
  isInteger = false;
  for (StringRef name : {"infinity", "inf", "nan"})
    if (rest.starts_with_insensitive(name)) {
      StringRef after = rest.drop_front(name.size());
      return after.empty() || !isInWord(after.front()) ? sign + name.size() : 0;
    }
  size_t size = measureGroups(rest);
  if (size == 0)
    size = countDigits(rest);
  size_t whole = size;
  if (rest.drop_front(size).starts_with(".")) {
    size_t fraction = countDigits(rest.drop_front(size + 1));
    if (whole + fraction == 0)
      return 0;
    // The point after "3." may end a sentence.
    if (fraction != 0)
      size += 1 + fraction;
  }
  if (size == 0)
    return 0;
  StringRef exponent = rest.drop_front(size);
  if (exponent.consume_front("e") || exponent.consume_front("E")) {
    size_t dash = exponent.starts_with("-") || exponent.starts_with("+");
    if (size_t digits = countDigits(exponent.drop_front(dash)))
      size += 1 + dash + digits;
  }
  isInteger = size == whole;
  return sign + size;
}

namespace {

class LineParser {
public:
  explicit LineParser(StringRef line) : rest(line) {}

  std::vector<PrintedNumber> parse();

private:
  bool readNumber();
  void readUnit(PrintedNumber &number);
  void readWord();
  void putInList();
  bool isBeforeNumber() const;
  void readMark();
  std::string takeName();
  void endWords(bool isLabel);

  StringRef rest;
  char before = ' '; ///< the byte before `rest`
  int depth = 0;     ///< of square brackets
  std::string group;
  std::vector<StringRef> words;
  /// The last number has no name yet: the words after it may be its name.
  bool lacksName = false;
  std::vector<PrintedNumber> numbers;
};

/// The words since the last number or comma, and none are left. A tensor of one
/// number is printed as "tensor(0.5)".
std::string LineParser::takeName() {
  while (!words.empty() && (words.back() == "tensor" || words.back() == "is" ||
                            words.back() == "was"))
    words.pop_back();
  llvm::ArrayRef<StringRef> last(words);
  if (last.size() > kMostWords)
    last = last.take_back(kMostWords);
  std::string name = llvm::join(last, " ");
  words.clear();
  return name;
}

/// Ends a part of the line; a label is a part that names what follows.
void LineParser::endWords(bool isLabel) {
  if (lacksName && !numbers.empty() && !words.empty())
    numbers.back().name = takeName();
  else if (isLabel && !words.empty())
    group = takeName();
  words.clear();
  lacksName = false;
}

void LineParser::readUnit(PrintedNumber &number) {
  StringRef attached =
      rest.take_while([](char c) { return isLetter(c) || c == '/'; });
  if (rest.starts_with("%"))
    attached = "%";
  if (!attached.empty() && attached != "/") {
    number.unit = attached.str();
    rest = rest.drop_front(attached.size());
    return;
  }
  if (!rest.starts_with(" "))
    return;
  StringRef word = rest.drop_front().take_while(
      [](char c) { return c == '%' || isLetter(c) || c == '/'; });
  if (!isUnit(word))
    return;
  number.unit = word.str();
  rest = rest.drop_front(1 + word.size());
}

bool LineParser::readNumber() {
  // Not the 1 of "x1", "3-1" or "v0.1.1".
  if (isInWord(before) && before != '/')
    return false;
  PrintedNumber number;
  size_t size = measureNumber(rest, number.isInteger);
  if (size == 0)
    return false;
  bool isTotal = before == '/' && !numbers.empty();
  number.text = rest.take_front(size).str();
  std::string digits = number.text;
  llvm::erase(digits, ',');
  number.value = strtod(digits.c_str(), nullptr);
  rest = rest.drop_front(size);
  readUnit(number);
  before = '0';
  if (isTotal)
    return true;
  number.name = takeName();
  number.group = group;
  number.isInList = number.name.empty() && depth > 0;
  lacksName = number.name.empty();
  numbers.push_back(std::move(number));
  return true;
}

void LineParser::readWord() {
  StringRef word = rest.take_while(isInWord);
  rest = rest.drop_front(word.size());
  before = word.back();
  // "loss..... 0.5"
  word = word.rtrim("-./");
  if (!word.empty())
    words.push_back(word);
}

/// The numbers so far are in a list that began in another line.
void LineParser::putInList() {
  for (PrintedNumber &number : numbers)
    number.isInList |= number.name.empty();
}

/// Whether a number follows the colon at the beginning of the rest: "loss:
/// 0.5", "loss: tensor(0.5)", "loss: [0.5]".
bool LineParser::isBeforeNumber() const {
  StringRef after = rest.drop_front().ltrim(" [(");
  after.consume_front("tensor(");
  bool isInteger;
  return measureNumber(after, isInteger) != 0;
}

void LineParser::readMark() {
  char mark = rest.front();
  bool isDash =
      mark == '-' && before == ' ' && rest.drop_front().starts_with(" ");
  bool isBracket = StringRef("()[]").contains(mark);
  if (mark == ']' && depth == 0)
    putInList(); // the last row of a tensor
  depth += (mark == '[') - (mark == ']' && depth > 0);
  if (mark == ':' && (lacksName || !isBeforeNumber()))
    endWords(/*isLabel=*/true);
  else if (isDash || mark == kSymbol || StringRef(",;|").contains(mark))
    endWords(/*isLabel=*/numbers.empty());
  else if (isBracket && lacksName)
    endWords(/*isLabel=*/false);
  // "3 / 10"
  if (mark != ' ' || before != '/')
    before = mark;
  rest = rest.drop_front(mark == kSymbol ? 3 : 1);
}

std::vector<PrintedNumber> LineParser::parse() {
  if (rest.size() > kMostBytes)
    return {};
  while (!rest.empty() && numbers.size() <= kMostNumbers) {
    if (readNumber())
      continue;
    if (isLetter(rest.front()))
      readWord();
    else
      readMark();
  }
  endWords(/*isLabel=*/false);
  if (before == ',')
    putInList();
  if (numbers.size() > kMostNumbers)
    numbers.clear();
  return std::move(numbers);
}

} // namespace

std::vector<PrintedNumber> tdc::parsePrintedLine(StringRef line) {
  return LineParser(line).parse();
}
