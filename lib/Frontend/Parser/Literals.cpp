//===- Literals.cpp - numbers and strings ---------------------------------===//
//
// Computes the values of literals. The lexer has checked their form.
//
//===----------------------------------------------------------------------===//
#include "Frontend/Characters.h"
#include "ParserImpl.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/Unicode.h"

using namespace tdc;
using namespace tdc::ast;

static std::string withoutUnderscores(llvm::StringRef number) {
  std::string digits = number.str();
  llvm::erase(digits, '_');
  return digits;
}

const Expr *Parser::parseInt() {
  Token token = advance();
  auto *literal = make<IntExpr>(rangeOf(token));
  std::string digits = withoutUnderscores(textOf(token));
  // Radix 0 reads `0x`; a plain number never starts with 0, except 0 itself.
  if (!llvm::StringRef(digits).getAsInteger(0, literal->value))
    return literal;
  diags.report(DiagCode::TD105, rangeOf(token), "the integer is too large")
      .label("an int has 64 bits: at most 9223372036854775807");
  return failed;
}

const Expr *Parser::parseLeastInt(Token minus) {
  SourceRange range = rangeOf(minus).to(rangeOf(advance()));
  auto *greatest = make<IntExpr>(range);
  greatest->value = std::numeric_limits<int64_t>::max();
  auto *negated = make<UnaryExpr>(range, {greatest});
  negated->op = UnaryOp::Neg;
  negated->operand = greatest;
  auto *one = make<IntExpr>(range);
  one->value = 1;
  return makeBinary(BinaryOp::Sub, range, negated, one);
}

const Expr *Parser::parseFloat() {
  Token token = advance();
  auto *literal = make<FloatExpr>(rangeOf(token));
  llvm::APFloat value(llvm::APFloat::IEEEdouble());
  llvm::Expected<llvm::APFloat::opStatus> status = value.convertFromString(
      withoutUnderscores(textOf(token)), llvm::APFloat::rmNearestTiesToEven);
  bool fits = bool(status) && !(*status & llvm::APFloat::opOverflow);
  if (fits) {
    literal->value = value.convertToDouble();
    return literal;
  }
  llvm::consumeError(status.takeError());
  diags.report(DiagCode::TD105, rangeOf(token), "the float is too large")
      .label("a float has 64 bits: at most about 1.8e308");
  return failed;
}

const Expr *Parser::parseString() {
  Token token = advance();
  auto *literal = make<StringExpr>(rangeOf(token));
  literal->value = unescape({file, token.begin + 1, token.end - 1});
  return literal;
}

/// Takes the rest of an escape, after its backslash, off `rest` and appends the
/// character that it means; false if it is not one of Python's escapes.
static bool takeEscape(llvm::StringRef &rest, std::string &text) {
  static constexpr llvm::StringLiteral letters = "abfnrtv\\'\"";
  static constexpr llvm::StringLiteral meanings = "\a\b\f\n\r\t\v\\'\"";
  char letter = rest.front();
  rest = rest.drop_front();
  if (size_t index = letters.find(letter); index != llvm::StringRef::npos) {
    text += meanings[index];
    return true;
  }

  auto takeNumber = [&](size_t digits, unsigned radix) {
    uint32_t codePoint;
    bool fails = rest.size() < digits ||
                 rest.take_front(digits).getAsInteger(radix, codePoint);
    if (fails)
      return false;
    rest = rest.drop_front(digits);
    return appendCodePoint(text, codePoint);
  };
  switch (letter) {
  case '\n':
    return true;
  case '\r':
    return rest.consume_front("\n");
  case 'x':
    return takeNumber(2, 16);
  case 'u':
    return takeNumber(4, 16);
  case 'U':
    return takeNumber(8, 16);
  case 'N': {
    size_t close = rest.find('}');
    if (!rest.starts_with("{") || close == llvm::StringRef::npos)
      return false;
    std::optional<char32_t> named =
        llvm::sys::unicode::nameToCodepointStrict(rest.slice(1, close));
    rest = rest.drop_front(close + 1);
    return named && appendCodePoint(text, *named);
  }
  default:
    if (letter < '0' || letter > '7')
      return false;
    rest = llvm::StringRef(rest.data() - 1, rest.size() + 1);
    return takeNumber(
        rest.take_front(3)
            .take_while([](char c) { return c >= '0' && c <= '7'; })
            .size(),
        8);
  }
}

llvm::StringRef Parser::unescape(SourceRange range) {
  llvm::StringRef rest = sources.getText(range);
  if (!rest.contains('\\'))
    return rest;
  std::string value;
  while (!rest.empty()) {
    size_t plain = std::min(rest.find('\\'), rest.size());
    value += rest.take_front(plain);
    rest = rest.drop_front(plain);
    if (rest.empty())
      break;
    uint32_t begin = rest.begin() - text.begin();
    rest = rest.drop_front();
    if (takeEscape(rest, value))
      continue;
    uint32_t end = rest.begin() - text.begin();
    // Do not cut a character of several bytes in two.
    while (end < range.end && (text[end] & 0xC0) == 0x80)
      ++end;
    rest = text.slice(end, range.end);
    diags.report(DiagCode::TD104, {file, begin, end})
        .fix(FixIt::Choice, "`\\" + text.slice(begin, end) + "`",
             {{{file, begin, begin}, "\\"}});
  }
  return context.copyText(value);
}
