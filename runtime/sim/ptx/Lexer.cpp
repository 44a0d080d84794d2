//===- Lexer.cpp - PTX text to tokens -------------------------------------===//
//
// PTX ISA, chapter 4 "Syntax".
//
//===----------------------------------------------------------------------===//

#include "ptx/Lexer.h"
#include "Fault.h"
#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace tdc::sim {

void refusePtx(int line, const std::string &message) {
  fault(CUDA_ERROR_INVALID_PTX,
        "line " + std::to_string(line) + " of the PTX: " + message);
}

namespace {

bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isHexDigit(char c) {
  return isDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
bool isLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool isWordStart(char c) {
  return isLetter(c) || c == '_' || c == '$' || c == '%';
}
bool isWordPart(char c) {
  return isLetter(c) || isDigit(c) || c == '_' || c == '$';
}

class Lexer {
public:
  explicit Lexer(std::string_view text) : text(text) {}

  std::vector<Token> run() {
    std::vector<Token> tokens;
    do
      tokens.push_back(next());
    while (tokens.back().kind != TokenKind::End);
    return tokens;
  }

private:
  char peek(size_t ahead = 0) const {
    return at + ahead < text.size() ? text[at + ahead] : '\0';
  }

  Token make(TokenKind kind, size_t begin, uint64_t bits = 0) const {
    return {kind, text.substr(begin, at - begin), bits, line};
  }

  void skipSpaceAndComments() {
    while (at < text.size()) {
      char c = peek();
      if (c == '\n') {
        ++line;
        ++at;
      } else if (c == ' ' || c == '\t' || c == '\r') {
        ++at;
      } else if (c == '/' && peek(1) == '/') {
        at = std::min(text.find('\n', at), text.size());
      } else if (c == '/' && peek(1) == '*') {
        size_t end = text.find("*/", at + 2);
        if (end == std::string_view::npos)
          refusePtx(line, "a comment is not closed");
        for (; at < end + 2; ++at)
          line += text[at] == '\n';
      } else {
        return;
      }
    }
  }

  Token next() {
    skipSpaceAndComments();
    if (at == text.size())
      return make(TokenKind::End, at);
    char c = peek();
    if (isDigit(c))
      return number();
    if (c == '"')
      return string();
    if (isWordStart(c))
      return word(TokenKind::Word);
    if (c == '.' && isLetter(peek(1)))
      return word(TokenKind::Directive);
    size_t begin = at++;
    if (!strchr("{}[]()<>,;:|!@+-=*", c) || c == '\0')
      refusePtx(line, std::string("unexpected character '") + c + "'");
    return make(TokenKind::Punctuation, begin);
  }

  /// A dot or a double colon belongs to a word if another part follows.
  Token word(TokenKind kind) {
    size_t begin = at++;
    for (;;) {
      if (isWordPart(peek()) || (peek() == '.' && isWordPart(peek(1))))
        ++at;
      else if (peek() == ':' && peek(1) == ':')
        at += 2;
      else
        return make(kind, begin);
    }
  }

  Token string() {
    size_t begin = ++at;
    while (at < text.size() && peek() != '"') {
      if (peek() == '\n')
        refusePtx(line, "a string is not closed");
      ++at;
    }
    Token token = make(TokenKind::String, begin);
    ++at;
    return token;
  }

  /// The hexadecimal digits of a float's bit representation.
  Token floatBits(TokenKind kind, unsigned digits) {
    size_t begin = at;
    at += 2;
    uint64_t bits = 0;
    for (unsigned i = 0; i < digits; ++i, ++at) {
      if (!isHexDigit(peek()))
        refusePtx(line, "a hexadecimal float of " + std::to_string(digits) +
                            " digits expected");
      bits = bits * 16 + strtoul(std::string(1, peek()).c_str(), nullptr, 16);
    }
    return make(kind, begin, bits);
  }

  Token number() {
    char second = peek(1);
    if (peek() == '0' && (second == 'f' || second == 'F'))
      return floatBits(TokenKind::Float32, 8);
    if (peek() == '0' && (second == 'd' || second == 'D'))
      return floatBits(TokenKind::Float64, 16);
    size_t begin = at;
    // A null-terminated copy: strtoull would read past the end of a
    // string_view.
    size_t end = at;
    while (end < text.size() && (isWordPart(text[end]) || text[end] == '.' ||
                                 ((text[end] == '+' || text[end] == '-') &&
                                  (text[end - 1] == 'e' && second != 'x'))))
      ++end;
    std::string digits(text.substr(begin, end - begin));
    if (digits.find('.') != std::string::npos)
      return decimalFloat(digits);
    bool isBinary = second == 'b' || second == 'B';
    char *stop = nullptr;
    uint64_t value = isBinary ? strtoull(digits.c_str() + 2, &stop, 2)
                              : strtoull(digits.c_str(), &stop, 0);
    if (*stop == 'U')
      ++stop;
    if (*stop)
      refusePtx(line, "'" + digits + "' is not a number");
    at = end;
    return make(TokenKind::Integer, begin, value);
  }

  Token decimalFloat(const std::string &digits) {
    char *stop = nullptr;
    double value = strtod(digits.c_str(), &stop);
    if (*stop)
      refusePtx(line, "'" + digits + "' is not a number");
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    size_t begin = at;
    at += digits.size();
    return make(TokenKind::Float64, begin, bits);
  }

  std::string_view text;
  size_t at = 0;
  int line = 1;
};

} // namespace

std::vector<Token> tokenize(std::string_view text) { return Lexer(text).run(); }

} // namespace tdc::sim
