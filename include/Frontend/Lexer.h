//===- Lexer.h - text to tokens -------------------------------------------===//
//
// The whole file is cut into tokens before it is parsed. Lookahead is then an
// index. The lexer also decides whether a line end ends the statement, because
// it knows the open brackets and the tokens on both sides.
//
// Soft keywords (`model arg param buffer`) are names to the lexer. Comments
// leave no token; `##` lines are kept in a list of their own.
//
//===----------------------------------------------------------------------===//
#ifndef TDC_FRONTEND_LEXER_H
#define TDC_FRONTEND_LEXER_H

#include "Frontend/Diagnostics.h"
#include <vector>

namespace tdc {

/// TOKEN(name), KEYWORD(name, word) and PUNCTUATION(name, text).
// clang-format off
#define TDC_TOKENS(TOKEN, KEYWORD, PUNCTUATION) \
  TOKEN(End)                                    \
  TOKEN(Newline)                                \
  TOKEN(Error)                                  \
  TOKEN(Name)                                   \
  TOKEN(Int)                                    \
  TOKEN(Float)                                  \
  TOKEN(String)                                 \
  TOKEN(FString)                                \
  TOKEN(Device)                                 \
  KEYWORD(Import, "import")                     \
  KEYWORD(From, "from")                         \
  KEYWORD(As, "as")                             \
  KEYWORD(Fn, "fn")                             \
  KEYWORD(Export, "export")                     \
  KEYWORD(Let, "let")                           \
  KEYWORD(Var, "var")                           \
  KEYWORD(If, "if")                             \
  KEYWORD(Else, "else")                         \
  KEYWORD(For, "for")                           \
  KEYWORD(In, "in")                             \
  KEYWORD(While, "while")                       \
  KEYWORD(With, "with")                         \
  KEYWORD(Return, "return")                     \
  KEYWORD(Break, "break")                       \
  KEYWORD(Continue, "continue")                 \
  KEYWORD(Assert, "assert")                     \
  KEYWORD(And, "and")                           \
  KEYWORD(Or, "or")                             \
  KEYWORD(Not, "not")                           \
  KEYWORD(True, "true")                         \
  KEYWORD(False, "false")                       \
  KEYWORD(Self, "self")                         \
  PUNCTUATION(LParen, "(")                      \
  PUNCTUATION(RParen, ")")                      \
  PUNCTUATION(LSquare, "[")                     \
  PUNCTUATION(RSquare, "]")                     \
  PUNCTUATION(LBrace, "{")                      \
  PUNCTUATION(RBrace, "}")                      \
  PUNCTUATION(Comma, ",")                       \
  PUNCTUATION(Colon, ":")                       \
  PUNCTUATION(Dot, ".")                         \
  PUNCTUATION(Ellipsis, "...")                  \
  PUNCTUATION(Question, "?")                    \
  PUNCTUATION(Arrow, "->")                      \
  PUNCTUATION(Equal, "=")                       \
  PUNCTUATION(PlusEqual, "+=")                  \
  PUNCTUATION(MinusEqual, "-=")                 \
  PUNCTUATION(StarEqual, "*=")                  \
  PUNCTUATION(SlashEqual, "/=")                 \
  PUNCTUATION(SlashSlashEqual, "//=")           \
  PUNCTUATION(PercentEqual, "%=")               \
  PUNCTUATION(StarStarEqual, "**=")             \
  PUNCTUATION(AtEqual, "@=")                    \
  PUNCTUATION(PipeEqual, "|=")                  \
  PUNCTUATION(CaretEqual, "^=")                 \
  PUNCTUATION(AmpEqual, "&=")                   \
  PUNCTUATION(LessLessEqual, "<<=")             \
  PUNCTUATION(GreaterGreaterEqual, ">>=")       \
  PUNCTUATION(EqualEqual, "==")                 \
  PUNCTUATION(BangEqual, "!=")                  \
  PUNCTUATION(Less, "<")                        \
  PUNCTUATION(LessEqual, "<=")                  \
  PUNCTUATION(Greater, ">")                     \
  PUNCTUATION(GreaterEqual, ">=")               \
  PUNCTUATION(Plus, "+")                        \
  PUNCTUATION(Minus, "-")                       \
  PUNCTUATION(Star, "*")                        \
  PUNCTUATION(StarStar, "**")                   \
  PUNCTUATION(Slash, "/")                       \
  PUNCTUATION(SlashSlash, "//")                 \
  PUNCTUATION(Percent, "%")                     \
  PUNCTUATION(At, "@")                          \
  PUNCTUATION(Tilde, "~")                       \
  PUNCTUATION(Pipe, "|")                        \
  PUNCTUATION(Caret, "^")                       \
  PUNCTUATION(Amp, "&")                         \
  PUNCTUATION(LessLess, "<<")                   \
  PUNCTUATION(GreaterGreater, ">>")             \
  PUNCTUATION(AmpAmp, "&&")                     \
  PUNCTUATION(PipePipe, "||")                   \
  PUNCTUATION(Bang, "!")
// clang-format on

enum class Tok : uint8_t {
#define TOKEN(NAME) NAME,
#define SPELT(NAME, TEXT) NAME,
  TDC_TOKENS(TOKEN, SPELT, SPELT)
#undef TOKEN
#undef SPELT
};

/// How a keyword or punctuation is written; empty for the other tokens.
llvm::StringRef getSpelling(Tok kind);
bool isKeyword(Tok kind);
/// `=`, `+=` and their like.
bool isAssignment(Tok kind);

/// How tightly a binary operator binds its sides, the loosest first.
enum class Precedence : uint8_t {
  Or,
  And,
  Compare,
  BitOr,
  BitXor,
  BitAnd,
  Shift,
  Sum,
  Product,
  Power,
  None ///< not a binary operator
};
Precedence getPrecedence(Tok kind);

/// The bytes [begin, end) of the file. Newline is a line end or `;` that ends a
/// statement. Error marks text that the lexer has reported, so that the parser
/// gives up on the statement without a second report.
struct Token {
  Tok kind;
  uint32_t begin;
  uint32_t end;
};

/// A `##` line: the range of its text, without the marks and one blank.
struct DocLine {
  SourceRange range;
  unsigned line;      ///< its line number
  uint32_t nextToken; ///< the index of the token that follows
};

struct TokenStream {
  std::vector<Token> tokens; ///< the last one is End
  std::vector<DocLine> docs;
};

/// Cuts a file into tokens. A file that is not text, or longer than
/// ParserLimits::fileBytes, yields End alone and an error.
TokenStream lexFile(const SourceManager &sources, FileId file,
                    DiagnosticEngine &diags);

/// Cuts the expression of an f-string's replacement field into tokens. The
/// expression starts at the start of `text`, just after `{`, and ends within
/// `text`; End is placed at the `:`, `}` or `!` that ends it.
std::vector<Token> lexReplacementField(const SourceManager &sources,
                                       SourceRange text,
                                       DiagnosticEngine &diags);

} // namespace tdc

#endif // TDC_FRONTEND_LEXER_H
