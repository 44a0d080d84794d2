//===- Lexer.cpp - text to tokens -----------------------------------------===//
//
// The scanner. It implements "Lexical structure" of docs/Language.md. Checks of
// the file as a whole (size, UTF-8, reordering characters) come first, in
// lexFile.
//
//===----------------------------------------------------------------------===//
#include "Frontend/Lexer.h"
#include "Frontend/Characters.h"
#include "Frontend/Parser.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/ConvertUTF.h"

using namespace tdc;

llvm::StringRef tdc::getSpelling(Tok kind) {
  static constexpr llvm::StringLiteral spellings[] = {
#define TOKEN(NAME) "",
#define SPELT(NAME, TEXT) TEXT,
      TDC_TOKENS(TOKEN, SPELT, SPELT)
#undef TOKEN
#undef SPELT
  };
  return spellings[static_cast<size_t>(kind)];
}

bool tdc::isKeyword(Tok kind) {
  return kind >= Tok::Import && kind <= Tok::Self;
}

bool tdc::isAssignment(Tok kind) {
  return kind >= Tok::Equal && kind <= Tok::GreaterGreaterEqual;
}

Precedence tdc::getPrecedence(Tok kind) {
  switch (kind) {
  case Tok::Or:
    return Precedence::Or;
  case Tok::And:
    return Precedence::And;
  case Tok::EqualEqual:
  case Tok::BangEqual:
  case Tok::Less:
  case Tok::LessEqual:
  case Tok::Greater:
  case Tok::GreaterEqual:
    return Precedence::Compare;
  case Tok::Pipe:
    return Precedence::BitOr;
  case Tok::Caret:
    return Precedence::BitXor;
  case Tok::Amp:
    return Precedence::BitAnd;
  case Tok::LessLess:
  case Tok::GreaterGreater:
    return Precedence::Shift;
  case Tok::Plus:
  case Tok::Minus:
    return Precedence::Sum;
  case Tok::Star:
  case Tok::Slash:
  case Tok::SlashSlash:
  case Tok::Percent:
  case Tok::At:
    return Precedence::Product;
  case Tok::StarStar:
    return Precedence::Power;
  default:
    return Precedence::None;
  }
}

static bool isNameStart(char c) { return llvm::isAlpha(c) || c == '_'; }

/// Whether a line that ends in this token continues on the next line.
static bool continuesLine(Tok kind) {
  return kind == Tok::Comma || isAssignment(kind) ||
         getPrecedence(kind) != Precedence::None || kind == Tok::AmpAmp ||
         kind == Tok::PipePipe;
}

/// Whether a line that starts with this token cannot continue an expression:
/// something above it, such as a bracket, was forgotten.
static bool startsStatement(Tok kind) {
  switch (kind) {
  case Tok::Import:
  case Tok::Fn:
  case Tok::Export:
  case Tok::Let:
  case Tok::Var:
  case Tok::While:
  case Tok::With:
  case Tok::Return:
  case Tok::Break:
  case Tok::Continue:
  case Tok::Assert:
    return true;
  default:
    return false;
  }
}

namespace {

class Lexer {
public:
  Lexer(const SourceManager &sources, SourceRange range,
        DiagnosticEngine &diags)
      : sources(sources), diags(diags), file(range.file), at(range.begin),
        limit(range.end), text(sources.getText(file)) {}

  TokenStream lexAll() {
    while (skipBlanks(), at != limit)
      lexToken();
    closeBrackets();
    add(Tok::End, limit);
    return std::move(stream);
  }

  std::vector<Token> lexField() {
    while (skipBlanks(), at != limit) {
      bool startsFormat = peek() == ':' || (peek() == '!' && peek(1) != '=');
      if (peek() == '}' || (startsFormat && open.empty()))
        break;
      lexToken();
    }
    add(Tok::End, at);
    return std::move(stream.tokens);
  }

private:
  //===--------------------------------------------------------------------===//
  // Characters
  //===--------------------------------------------------------------------===//

  char peek(uint32_t ahead = 0) const {
    return at + ahead < limit ? text[at + ahead] : '\0';
  }
  SourceRange range(uint32_t begin) const { return {file, begin, at}; }

  template <typename Predicate> void skipWhile(Predicate predicate) {
    while (at != limit && predicate(text[at]))
      ++at;
  }

  /// Skips blanks, comments and line ends, noting whether there was one.
  void skipBlanks() {
    while (at != limit) {
      char c = peek();
      if (c == '\n') {
        ++at;
        sawNewline = atLineStart = true;
      } else if (c == ' ' || c == '\t' || c == '\f' ||
                 (c == '\r' && peek(1) == '\n')) {
        ++at;
      } else if (c == '#') {
        skipComment();
      } else if (c == '\\' &&
                 (peek(1) == '\n' || (peek(1) == '\r' && peek(2) == '\n'))) {
        uint32_t begin = at++;
        Diagnostic &report =
            diags.report(DiagCode::TD102, range(begin))
                .label("a backslash does not join lines")
                .note("a line goes on after a binary operator, `,` or `=`, and "
                      "inside `( )` and `[ ]`");
        skipWhile([](char c) { return c == '\r' || c == '\n'; });
        offerOperator(report, begin);
      } else {
        return;
      }
    }
  }

  /// Moves the operator of the line after a backslash to the backslash's place.
  void offerOperator(Diagnostic &report, uint32_t backslash) const {
    llvm::StringRef rest = text.slice(at, limit);
    llvm::StringRef code = rest.ltrim(" \t");
    llvm::StringRef sign = code.take_while(
        [](char c) { return llvm::StringRef("+-*/%@&|^<>=").contains(c); });
    for (llvm::StringRef word : {"and", "or"})
      if (code.starts_with((word + " ").str()))
        sign = word;
    if (sign.empty())
      return;
    auto begin = static_cast<uint32_t>(sign.begin() - text.begin());
    llvm::StringRef after = text.slice(begin + sign.size(), limit);
    auto end = static_cast<uint32_t>(after.ltrim(" \t").begin() - text.begin());
    report.fix(FixIt::Safe, "`… " + sign + "`",
               {{{file, backslash, backslash + 1}, sign.str()},
                {{file, begin, end}, ""}});
  }

  void skipComment() {
    uint32_t begin = at;
    skipWhile([](char c) { return c != '\n'; });
    llvm::StringRef comment = text.slice(begin, at).rtrim();
    if (atLineStart && comment.consume_front("##")) {
      comment.consume_front(" ");
      uint32_t start = comment.begin() - text.begin();
      stream.docs.push_back({{file, start, start + uint32_t(comment.size())},
                             sources.getLineColumn(file, begin).line,
                             uint32_t(stream.tokens.size())});
    }
    checkAllowed(text.slice(begin + 1, at));
  }

  /// Reports what a comment `tdc: allow(...)` names in vain.
  void checkAllowed(llvm::StringRef comment) {
    std::optional<llvm::StringRef> allowed = getAllowed(comment);
    if (!allowed)
      return;
    for (llvm::StringRef name : llvm::split(*allowed, ',')) {
      name = name.trim();
      const DiagInfo *info = findDiagInfo(name);
      if (info && info->severity == Severity::Warning)
        continue;
      uint32_t start = name.begin() - text.begin();
      diags.report(DiagCode::TD118,
                   {file, start, start + uint32_t(name.size())},
                   info ? info->name + " is an error, which cannot be allowed"
                        : llvm::Twine("a warning has a code such as TD610"));
    }
  }

  //===--------------------------------------------------------------------===//
  // Tokens
  //===--------------------------------------------------------------------===//

  /// Adds the token from `begin` to here, and before it the end of the
  /// statement above if there is one.
  void add(Tok kind, uint32_t begin) {
    if (std::exchange(sawNewline, false))
      endLine(kind, begin);
    atLineStart = false;
    stream.tokens.push_back({kind, begin, at});
  }

  void endLine(Tok next, uint32_t begin) {
    // `for` goes on with a comprehension, unless its line opens a block.
    llvm::StringRef line = text.substr(begin).split('\n').first.rtrim();
    if (startsStatement(next) || (next == Tok::For && line.ends_with("{")))
      closeBrackets();
    if (!open.empty() || stream.tokens.empty())
      return;
    Tok last = stream.tokens.back().kind;
    bool joins =
        continuesLine(last) && !startsStatement(next) && !endsWithStep();
    bool isElse = next == Tok::Else && !isAssigned();
    if (last == Tok::Newline || joins || next == Tok::Dot || isElse)
      return;
    stream.tokens.push_back({Tok::Newline, begin, begin});
    for (DocLine &doc : llvm::reverse(stream.docs)) {
      if (doc.nextToken + 1 != stream.tokens.size())
        break;
      ++doc.nextToken;
    }
  }

  /// Whether the word that ends here names a field: `else = Linear(2, 2)`.
  bool isAssigned() const {
    llvm::StringRef rest = text.slice(at, limit).ltrim(" \t");
    return rest.starts_with("=") && !rest.starts_with("==");
  }

  /// Whether the line ends in `i++` or `i--` of C: that sign does not continue
  /// the line.
  bool endsWithStep() const {
    llvm::ArrayRef<Token> last = llvm::ArrayRef(stream.tokens).take_back(2);
    return last.size() == 2 && last[0].kind == last[1].kind &&
           last[0].end == last[1].begin &&
           (last[0].kind == Tok::Plus || last[0].kind == Tok::Minus);
  }

  /// Reports brackets that are open although the statement is over.
  void closeBrackets() {
    if (open.empty())
      return;
    uint32_t bracket = open.back();
    size_t depth = open.size();
    open.clear();
    const Token &last = stream.tokens.back();
    // The bracket that closes it may be in a string that is not closed.
    if (last.kind == Tok::Error && last.begin > bracket)
      return;
    llvm::StringRef closing = text[bracket] == '('   ? ")"
                              : text[bracket] == '{' ? "}"
                                                     : "]";
    Diagnostic &report =
        diags
            .report(DiagCode::TD111, {file, bracket, bracket + 1},
                    llvm::Twine("`") + text.substr(bracket, 1) +
                        "` is not closed")
            .label("no `" + closing + "` belongs to this");
    if (depth == 1 && !text.slice(bracket, last.end).contains('\n'))
      report.fix(FixIt::Choice,
                 "`" + text.slice(bracket, last.end) + closing + "`",
                 {{{file, last.end, last.end}, closing.str()}});
    // The error is where the bracket was missed: tokens are in text order.
    uint32_t missed = last.end;
    stream.tokens.push_back({Tok::Error, missed, missed});
  }

  void lexToken() {
    char c = peek();
    if (isNameStart(c) || atForeignLetter())
      return lexWord();
    if (llvm::isDigit(c) || (c == '.' && llvm::isDigit(peek(1))))
      return lexNumber();
    if (c == '"' || c == '\'')
      return lexString(at, /*isFormatted=*/false);
    lexPunctuation();
  }

  /// Whether the next character is a letter that no name has. Punctuation and
  /// symbols, often from a word processor, are not letters.
  bool atForeignLetter() const {
    const auto *begin = reinterpret_cast<const llvm::UTF8 *>(text.data() + at);
    const auto *end = reinterpret_cast<const llvm::UTF8 *>(text.data() + limit);
    llvm::UTF32 c = 0;
    if (peek() >= 0 ||
        llvm::convertUTF8Sequence(&begin, end, &c, llvm::strictConversion) !=
            llvm::conversionOK)
      return false;
    bool isSymbol = c == 0xD7 || c == 0xF7 || (c >= 0x2000 && c < 0x2C00) ||
                    (c >= 0x3000 && c < 0x3040) || c >= 0xE000;
    return c >= 0xC0 && !isSymbol;
  }

  void lexWord() {
    uint32_t begin = at;
    bool isForeign = false;
    while (at != limit && (isNameChar(peek()) || atForeignLetter())) {
      isForeign |= !isNameChar(peek());
      at = std::min<uint32_t>(at + llvm::getNumBytesForUTF8(peek()), limit);
    }
    llvm::StringRef word = text.slice(begin, at);
    if (isForeign) {
      diags.report(DiagCode::TD108, range(begin), "not a name")
          .label("names have the letters a to z, digits and `_`");
      return add(Tok::Name, begin); // so that no further report follows
    }
    if (word.size() > ParserLimits::identifierBytes) {
      diags.report(DiagCode::TD110, range(begin), "the name is too long");
      return add(Tok::Error, begin);
    }
    if (word == "f" && (peek() == '"' || peek() == '\''))
      return lexString(begin, /*isFormatted=*/true);
    // After a dot every word is a name.
    if (!stream.tokens.empty() && stream.tokens.back().kind == Tok::Dot &&
        !sawNewline)
      return add(Tok::Name, begin);
    if (word == "cuda" && peek() == ':' && llvm::isDigit(peek(1))) {
      ++at;
      skipWhile(isNameChar);
      uint32_t ordinal;
      if (!text.slice(begin + 5, at).getAsInteger(10, ordinal))
        return add(Tok::Device, begin);
      diags.report(DiagCode::TD105, range(begin), "not a device number")
          .label("a small number follows `cuda:`");
      return add(Tok::Error, begin);
    }
    add(llvm::StringSwitch<Tok>(word)
#define IGNORE(...)
#define KEYWORD(NAME, WORD) .Case(WORD, Tok::NAME)
            TDC_TOKENS(IGNORE, KEYWORD, IGNORE)
#undef IGNORE
#undef KEYWORD
                .Default(Tok::Name),
        begin);
  }

  /// `1_000`, `0xff`, `1.`, `.5`, `1e-3`. A dot before a letter is a member
  /// access: `2.to(f32)`.
  void lexNumber() {
    uint32_t begin = at;
    auto skipDigits = [&] {
      skipWhile([](char c) { return llvm::isDigit(c) || c == '_'; });
    };
    auto isExponent = [&](uint32_t ahead) {
      if (peek(ahead) != 'e' && peek(ahead) != 'E')
        return false;
      bool isSigned = peek(ahead + 1) == '+' || peek(ahead + 1) == '-';
      return llvm::isDigit(peek(ahead + 1 + isSigned));
    };

    bool isFloat = false;
    bool isHex = peek() == '0' && (peek(1) == 'x' || peek(1) == 'X');
    if (isHex) {
      at += 2;
      skipWhile([](char c) { return llvm::isHexDigit(c) || c == '_'; });
    } else {
      skipDigits();
      if (peek() == '.' && peek(1) != '.' &&
          (!isNameStart(peek(1)) || isExponent(1))) {
        isFloat = true;
        ++at;
        skipDigits();
      }
      if (isExponent(0)) {
        isFloat = true;
        at += 2;
        skipDigits();
      }
    }

    llvm::StringRef number = text.slice(begin, at);
    const char *problem = nullptr;
    if (isNameChar(peek())) {
      skipWhile(isNameChar);
      problem = "letters follow the number";
    } else if (number.ends_with("_") || number.contains("__") ||
               number.contains("_.") || number.contains("._") ||
               (!isHex && (number.contains("_e") || number.contains("_E")))) {
      problem = "an underscore is only allowed between two digits";
    } else if (isHex && number.size() == 2) {
      problem = "digits are missing";
    } else if (!isFloat && number.size() > 1 && number[0] == '0' &&
               llvm::isDigit(number[1])) {
      problem = "a number does not start with 0";
    }
    if (problem)
      diags.report(DiagCode::TD105, range(begin)).label(problem);
    add(problem ? Tok::Error : isFloat ? Tok::Float : Tok::Int, begin);
  }

  /// A string ends at its quote; the parser interprets the escapes and braces
  /// in it.
  void lexString(uint32_t begin, bool isFormatted) {
    char quote = text[at++];
    if (peek() == quote && peek(1) == quote)
      return lexTripleQuoted(begin, quote);
    while (at != limit && peek() != quote && peek() != '\n') {
      if (peek() == '\\' && peek(1) == '\r' && peek(2) == '\n')
        ++at;
      at += peek() == '\\' && at + 1 != limit ? 2 : 1;
    }
    if (peek() != quote) {
      Diagnostic &report =
          diags.report(DiagCode::TD103, {file, begin, begin + 1 + isFormatted})
              .label("starts here");
      // Closing brackets at the end of the line probably belong to the call.
      llvm::StringRef content = text.slice(begin, at).rtrim(" \t\r");
      content = content.take_front(
          content.size() -
          std::min(content.size() - content.rtrim(")]").size(), open.size()));
      report.fix(FixIt::Choice, "`" + content + llvm::Twine(quote) + "`",
                 {{{file, begin + uint32_t(content.size()),
                    begin + uint32_t(content.size())},
                   std::string(1, quote)}});
      return add(Tok::Error, begin);
    }
    ++at;
    add(isFormatted ? Tok::FString : Tok::String, begin);
  }

  void lexTripleQuoted(uint32_t begin, char quote) {
    at += 2;
    size_t close = text.take_front(limit).find(std::string(3, quote), at);
    SourceRange quotes = range(begin);
    llvm::StringRef content = text.slice(at, std::min<size_t>(close, limit));
    at = close == llvm::StringRef::npos ? limit : close + 3;
    bool endsLine = llvm::StringRef("\n\r#").contains(
        text.substr(at).ltrim(" \t").take_front());
    bool isDocumentation = (atLineStart || sawNewline) && endsLine &&
                           open.empty() && close != llvm::StringRef::npos;
    Diagnostic &report = diags.report(DiagCode::TD102, quotes);
    if (isDocumentation) {
      report.label("a comment starts with `#`")
          .fix(FixIt::Safe, "`# " + content.trim().split('\n').first + "`",
               {{range(begin), asComment(begin, content)}});
      return; // a comment, to the tokens that follow
    }
    report.label("a string has one quote at each end")
        .note("write `\\n` for a line break; a comment starts with `#`");
    if (!content.contains('\n') && !content.contains(quote))
      report.fix(FixIt::Safe, "one quote at each end",
                 {{{file, quotes.end - 3, quotes.end}, std::string(1, quote)},
                  {{file, at - 3, at}, std::string(1, quote)}});
    add(Tok::Error, begin);
  }

  /// The lines of a docstring that starts at `begin`, each after a `#`.
  std::string asComment(uint32_t begin, llvm::StringRef content) const {
    uint32_t lineStart = text.take_front(begin).find_last_of('\n') + 1;
    llvm::StringRef indent = text.slice(lineStart, begin);
    llvm::SmallVector<llvm::StringRef> lines;
    content.trim().split(lines, '\n');
    std::string comment;
    for (llvm::StringRef line : lines) {
      if (!comment.empty())
        comment += ("\n" + indent).str();
      comment += line.trim().empty() ? "#" : ("# " + line.trim()).str();
    }
    return comment;
  }

  void lexPunctuation() {
    uint32_t begin = at;
    if (peek() == ';') {
      ++at;
      sawNewline = atLineStart = false;
      closeBrackets();
      stream.tokens.push_back({Tok::Newline, begin, at});
      return;
    }

    // The longest spelling that matches.
    Tok kind = Tok::Error;
    size_t size = 0;
    llvm::StringRef rest = text.slice(at, limit);
    auto consider = [&](Tok candidate, llvm::StringRef spelling) {
      if (spelling.size() > size && rest.starts_with(spelling)) {
        kind = candidate;
        size = spelling.size();
      }
    };
#define IGNORE(...)
#define PUNCTUATION(NAME, TEXT) consider(Tok::NAME, TEXT);
    TDC_TOKENS(IGNORE, IGNORE, PUNCTUATION)
#undef IGNORE
#undef PUNCTUATION
    if (kind == Tok::Error)
      return lexUnexpected();

    at += size;
    bool isDictionary = kind == Tok::LBrace ? atDictionary()
                        : kind == Tok::RBrace
                            ? !open.empty() && text[open.back()] == '{'
                            : false;
    if ((kind == Tok::LBrace || kind == Tok::RBrace) && !isDictionary)
      closeBrackets();
    add(kind, begin);
    if (kind == Tok::LParen || kind == Tok::LSquare ||
        (kind == Tok::LBrace && isDictionary))
      open.push_back(begin);
    else if ((kind == Tok::RParen || kind == Tok::RSquare ||
              (kind == Tok::RBrace && isDictionary)) &&
             !open.empty())
      open.pop_back();
  }

  /// After a `{` in an expression: whether a dictionary of Python begins. The
  /// parser reports it.
  bool atDictionary() const {
    const Token *last = stream.tokens.empty() ? nullptr : &stream.tokens.back();
    bool isInExpression = !open.empty() || (last && last->kind == Tok::Equal);
    llvm::StringRef rest = text.slice(at, limit).ltrim();
    return isInExpression && (rest.starts_with("'") || rest.starts_with("\""));
  }

  /// A character that starts no token, often from a word processor.
  void lexUnexpected() {
    uint32_t begin = at;
    at = std::min<uint32_t>(at + llvm::getNumBytesForUTF8(peek()), limit);
    llvm::StringRef character = text.slice(begin, at);
    llvm::StringRef meant = llvm::StringSwitch<llvm::StringRef>(character)
                                .Cases({"\u201C", "\u201D", "\u201E"}, "\"")
                                .Cases({"\u2018", "\u2019"}, "'")
                                .Cases({"\u2212", "\u2013", "\u2014"}, "-")
                                .Case("\u00D7", "*")
                                .Case("\u2264", "<=")
                                .Case("\u2265", ">=")
                                .Case("\u2260", "!=")
                                .Case("\u00A0", " ")
                                .Default("");
    Diagnostic &diagnostic = diags.report(DiagCode::TD108, range(begin));
    if (!meant.empty())
      diagnostic.fix(FixIt::Safe, "`" + meant + "`",
                     {{range(begin), meant.str()}});
    add(Tok::Error, begin);
  }

  const SourceManager &sources;
  DiagnosticEngine &diags;
  const FileId file;
  uint32_t at;
  const uint32_t limit;
  const llvm::StringRef text;

  TokenStream stream;
  llvm::SmallVector<uint32_t> open; ///< offsets of open ( and [
  bool sawNewline = false;          ///< since the last token
  bool atLineStart = true;          ///< no token yet on this line
};

} // namespace

/// Whether the file as a whole can be a program; reports why not.
static bool checkText(const SourceManager &sources, FileId file,
                      DiagnosticEngine &diags) {
  llvm::StringRef text = sources.getText(file);
  if (text.size() > ParserLimits::fileBytes) {
    diags.report(DiagCode::TD110, {file, 0, 0}, "the file is too long")
        .note("a program may have 64 MiB");
    return false;
  }
  auto *valid = reinterpret_cast<const llvm::UTF8 *>(text.begin());
  bool isUTF8 = llvm::isLegalUTF8String(
      &valid, reinterpret_cast<const llvm::UTF8 *>(text.end()));
  uint32_t end = reinterpret_cast<const char *>(valid) - text.begin();
  size_t nul = text.take_front(end).find('\0');
  if (nul != llvm::StringRef::npos)
    end = nul;
  if (!isUTF8 || nul != llvm::StringRef::npos) {
    diags.report(DiagCode::TD106, {file, end, end + 1})
        .label(nul != llvm::StringRef::npos ? "a NUL byte"
                                            : "not valid UTF-8 from here on");
    return false;
  }

  // U+061C, U+200E..F, U+202A..E and U+2066..9.
  for (size_t at = text.find_first_of("\xD8\xE2"); at < text.size();
       at = text.find_first_of("\xD8\xE2", at + 1)) {
    llvm::StringRef rest = text.substr(at, 3);
    bool isControl = rest.starts_with("\u061C") ||
                     (rest >= "\u200E" && rest <= "\u200F") ||
                     (rest >= "\u202A" && rest <= "\u202E") ||
                     (rest >= "\u2066" && rest <= "\u2069");
    if (isControl) {
      uint32_t size = llvm::getNumBytesForUTF8(text[at]);
      diags.report(DiagCode::TD107, {file, uint32_t(at), uint32_t(at + size)});
    }
  }
  return true;
}

TokenStream tdc::lexFile(const SourceManager &sources, FileId file,
                         DiagnosticEngine &diags) {
  uint32_t size = sources.getText(file).size();
  if (!checkText(sources, file, diags)) {
    TokenStream nothing;
    nothing.tokens.push_back({Tok::End, size, size});
    return nothing;
  }
  uint32_t begin = sources.getText(file).starts_with(kByteOrderMark)
                       ? kByteOrderMark.size()
                       : 0;
  return Lexer(sources, {file, begin, size}, diags).lexAll();
}

std::vector<Token> tdc::lexReplacementField(const SourceManager &sources,
                                            SourceRange text,
                                            DiagnosticEngine &diags) {
  return Lexer(sources, text, diags).lexField();
}
