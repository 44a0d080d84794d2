//===- FStrings.cpp - f-strings and formats -------------------------------===//
//
// An f-string reaches the parser as one token. Its text is cut into literal
// parts and replacement fields here. The expression of a field is cut into
// tokens and parsed in place like any other, so that its ranges are ranges of
// the file.
//
//===----------------------------------------------------------------------===//
#include "ParserImpl.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace tdc;
using namespace tdc::ast;

const Expr *Parser::parseFString() {
  Token token = advance();
  uint32_t at = token.begin + strlen("f\"");
  const uint32_t end = token.end - 1;
  llvm::SmallVector<FStringPart> parts;
  llvm::SmallVector<const Expr *> values;

  // Literal text is collected up to the next field, since `{{` splits it.
  std::string literal;
  uint32_t literalBegin = at, pending = at;
  auto flushTo = [&](uint32_t offset) {
    literal += unescape({file, pending, offset});
  };
  auto finishLiteral = [&](uint32_t offset) {
    flushTo(offset);
    if (!literal.empty())
      parts.push_back({{file, literalBegin, offset},
                       context.copyText(literal),
                       nullptr,
                       "",
                       nullptr});
    literal.clear();
  };

  while (at < end) {
    char c = text[at];
    if (c == '\\') {
      // The braces of `\N{name}` belong to the escape.
      llvm::StringRef rest = text.slice(at, end);
      size_t close = rest.find('}');
      if (rest.starts_with("\\N{") && close != llvm::StringRef::npos)
        at += close + 1;
      else
        at += rest.starts_with("\\{{") || rest.starts_with("\\}}") ? 3 : 2;
    } else if ((c == '{' || c == '}') && at + 1 < end && text[at + 1] == c) {
      flushTo(at + 1);
      at += 2;
      pending = at;
    } else if (c == '}') {
      diags.report(DiagCode::TD113, {file, at, at + 1}, "a `}` without a `{`")
          .fix(FixIt::Safe, "`}}`", {{{file, at, at}, "}"}});
      return failed;
    } else if (c == '{') {
      finishLiteral(at);
      FStringPart part;
      if (!parseReplacementField({file, at, at + 1}, end, part))
        return failed;
      parts.push_back(part);
      values.push_back(part.value);
      literalBegin = pending = at = part.range.end;
    } else {
      ++at;
    }
  }
  finishLiteral(end);
  auto *result = make<FStringExpr>(rangeOf(token), values);
  result->parts = context.copy(parts);
  return result;
}

/// The other quotes for those between the brace `open` and its partner, where
/// the string ended, at `end`, with the first of them; empty if there is none.
std::vector<Edit> Parser::otherQuotes(SourceRange open, uint32_t end) const {
  llvm::StringRef rest = text.substr(open.end).split('\n').first;
  size_t close = rest.find('}');
  if (end >= text.size() || close == rest.npos)
    return {};
  char quote = text[end], other = quote == '"' ? '\'' : '"';
  rest = rest.take_front(close);
  if (rest.contains(other) || rest.contains('{') || rest.count(quote) % 2 != 0)
    return {};
  std::vector<Edit> edits;
  for (size_t i = rest.find(quote); i != rest.npos;
       i = rest.find(quote, i + 1)) {
    auto at = static_cast<uint32_t>(open.end + i);
    edits.push_back({{file, at, at + 1}, std::string(1, other)});
  }
  return edits;
}

bool Parser::parseReplacementField(SourceRange open, uint32_t end,
                                   FStringPart &part) {
  Nesting nesting(*this);
  if (!nesting.check())
    return false;
  std::vector<Token> field =
      lexReplacementField(sources, {file, open.end, end}, diags);
  uint32_t stop = field.back().begin;
  auto reportNotClosed = [&] {
    Diagnostic &report =
        diags.report(DiagCode::TD113, open, "`{` is not closed in the f-string")
            .note("quotes inside the braces must differ from those around the "
                  "string");
    if (std::vector<Edit> edits = otherQuotes(open, end); !edits.empty())
      report.fix(FixIt::Choice, "`" + edits[0].text + "` inside the braces",
                 edits);
    else
      report.note("write `{{` for a brace as text");
    return false;
  };
  if (stop == end)
    return reportNotClosed();
  if (field.size() == 1) {
    diags
        .report(DiagCode::TD113, {file, open.begin, stop + 1},
                "an expression is missing between the braces")
        .note("write `{{` for a brace as text");
    return false;
  }

  llvm::SaveAndRestore savedTokens(
      tokens, static_cast<const std::vector<Token> *>(&field));
  llvm::SaveAndRestore savedPos(pos, size_t(0));
  part.value = parseExpr();
  if (!part.value)
    return false;
  if (consume(Tok::Equal))
    part.echo = text.slice(open.end, peek().begin);
  if (!at(Tok::End)) {
    expected("`}`, `=` or `:`");
    return false;
  }

  if (text[stop] == '!') {
    diags.report(DiagCode::TD113, {file, stop, stop + 2},
                 "there are no conversions such as `!r`");
    return false;
  }
  if (text[stop] == ':') {
    size_t close = text.slice(0, end).find('}', stop);
    if (close == llvm::StringRef::npos)
      return reportNotClosed();
    part.spec = parseFormatSpec({file, stop + 1, uint32_t(close)});
    if (!part.spec)
      return false;
    stop = close;
  }
  part.range = {file, open.begin, stop + 1};
  return true;
}

const FormatSpec *Parser::parseFormatSpec(SourceRange range) {
  // Limits that keep the output of a mistyped number printable.
  constexpr unsigned maxWidth = 9999, maxPrecision = 1000;
  llvm::StringRef rest = sources.getText(range);
  auto *spec = context.create<FormatSpec>();
  spec->range = range;
  spec->text = rest;

  auto takeOneOf = [&](llvm::StringRef set) -> char {
    if (rest.empty() || !set.contains(rest.front()))
      return 0;
    char c = rest.front();
    rest = rest.drop_front();
    return c;
  };
  bool isTooLarge = false;
  auto takeNumber = [&](std::optional<unsigned> &number, unsigned max) {
    llvm::StringRef digits = rest.take_while(llvm::isDigit);
    rest = rest.drop_front(digits.size());
    unsigned value = 0;
    if (digits.empty())
      return false;
    if (digits.getAsInteger(10, value) || value > max)
      isTooLarge = true;
    number = value;
    return true;
  };

  constexpr llvm::StringLiteral aligns = "<>^=";
  size_t fill = rest.empty() ? 0 : llvm::getNumBytesForUTF8(rest.front());
  if (fill < rest.size() && aligns.contains(rest[fill])) {
    spec->fill = rest.take_front(fill);
    rest = rest.drop_front(fill);
  }
  spec->align = takeOneOf(aligns);
  spec->sign = takeOneOf("+- ");
  spec->alternate = takeOneOf("#");
  spec->zeroPad = takeOneOf("0");
  takeNumber(spec->width, maxWidth);
  spec->commas = takeOneOf(",");
  bool isPrecisionMissing =
      takeOneOf(".") && !takeNumber(spec->precision, maxPrecision);
  spec->type = takeOneOf("defgsxb%");
  if (rest.empty() && !isTooLarge && !isPrecisionMissing)
    return spec;

  Diagnostic &diagnostic = diags.report(DiagCode::TD114, range,
                                        "`" + spec->text + "` is not a format");
  if (isTooLarge)
    diagnostic.label("a width is at most " + llvm::Twine(maxWidth) +
                     ", a precision at most " + llvm::Twine(maxPrecision));
  else if (isPrecisionMissing)
    diagnostic.label("digits are missing after `.`");
  else if (rest.contains('{'))
    diagnostic.label("a format is fixed, it has no braces of its own");
  else
    diagnostic.label("cannot read `" + rest + "`");
  diagnostic.note("write [[fill]align][sign][#][0][width][,][.precision]"
                  "[d e f g s x b %]");
  return failed;
}
