//===- Parser.cpp - tokens, errors and recovery ---------------------------===//
//
// Shared by all parts of the parser: stepping through tokens, reporting what
// was expected, and finding the token to continue with after a mistake.
//
//===----------------------------------------------------------------------===//
#include "ParserImpl.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace tdc;

Parser::Parser(const SourceManager &sources, FileId file, ast::Context &context,
               DiagnosticEngine &diags)
    : sources(sources), file(file), context(context), diags(diags),
      text(sources.getText(file)), stream(lexFile(sources, file, diags)),
      tokens(&stream.tokens) {}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

Diagnostic *Parser::reportExpected(const llvm::Twine &what) {
  // A mistake that the lexer found in this statement is the likelier cause.
  for (size_t ahead = 0;
       peek(ahead).kind != Tok::End && peek(ahead).kind != Tok::Newline;
       ++ahead)
    if (peek(ahead).kind == Tok::Error)
      return nullptr;
  const Token &token = peek();

  SourceRange range = rangeOf(token);
  std::string found = ("found `" + textOf(token) + "`").str();
  bool isField = tokens != &stream.tokens;
  if (token.kind == Tok::End && isField) {
    range.end = token.begin + 1;
    found = ("found `" + text.substr(token.begin, 1) + "`").str();
  } else if (atLineEnd() && token.begin == token.end) {
    range = pos == 0 ? range.start() : rangeOf(previous()).finish();
    found = at(Tok::End) ? "the file ends here" : "the line ends here";
  }
  return &diags.report(DiagCode::TD101, range, "expected " + what).label(found);
}

bool Parser::expect(Tok kind) {
  if (consume(kind))
    return true;
  expected("`" + getSpelling(kind) + "`");
  return false;
}

bool Parser::expectClosing(Tok kind, SourceRange open) {
  if (consume(kind))
    return true;
  Diagnostic *diagnostic = reportExpected("`,` or `" + getSpelling(kind) + "`");
  bool isElsewhere = text.slice(open.begin, peek().begin).contains('\n');
  if (diagnostic && isElsewhere)
    diagnostic->secondaryLabel(open, "to close this");
  return false;
}

bool Parser::expectOpenBrace() {
  if (consume(Tok::LBrace))
    return true;
  if (!at(Tok::Newline) || peek(1).kind != Tok::LBrace) {
    expected("`{`");
    return skipToBlock() && consume(Tok::LBrace);
  }
  SourceRange brace = rangeOf(peek(1));
  SourceRange gap = rangeOf(previous()).finish().to(brace);
  Diagnostic &diagnostic =
      diags.report(DiagCode::TD101, brace, "a `{` on a line of its own")
          .label("belongs to the end of the line above");
  if (sources.getText(gap).drop_back().trim().empty())
    diagnostic.fix(FixIt::Safe, "`… {`", {{gap, " {"}});
  advance();
  advance();
  return true;
}

bool Parser::Nesting::check() {
  if (parser.depth <= ParserLimits::nesting)
    return true;
  parser.tooDeep(parser.rangeOf(parser.peek()));
  return false;
}

std::nullptr_t Parser::tooDeep(SourceRange range) {
  // Enclosing constructs may be parsed again from there, at the same depth.
  if (std::exchange(isTooDeep, true))
    return failed;
  diags.report(DiagCode::TD109, range)
      .note("name parts of it with `let`, or move parts to a function");
  return failed;
}

void Parser::reportUnclosed(SourceRange brace) {
  if (unclosedBefore != pos) {
    size_t last = pos - 1;
    while (last != 0 && tokenAt(last).kind == Tok::Newline)
      --last;
    unsigned line = sources.getLineColumn(file, tokenAt(last).end).line;
    SourceRange end = sources.getLine(file, line).finish();
    diags.report(DiagCode::TD111, brace, "`{` is not closed")
        .label("no `}` belongs to this")
        .fix(FixIt::Choice, "`}`, below line " + llvm::Twine(line),
             {{end, ("\n" + indentOf(brace.begin) + "}").str()}});
  }
  unclosedBefore = pos;
}

//===----------------------------------------------------------------------===//
// Recovery
//===----------------------------------------------------------------------===//

void Parser::skipStatement(size_t start) {
  // A Python block was skipped with its last line end.
  if (pos != start && afterNewline())
    return;
  unsigned braces = 0;
  while (!at(Tok::End)) {
    if (braces == 0 && (at(Tok::Newline) || (at(Tok::RBrace) && pos != start)))
      return;
    if (at(Tok::LBrace))
      ++braces;
    else if (at(Tok::RBrace) && braces != 0)
      --braces;
    advance();
  }
}

bool Parser::skipToBlock() {
  while (!at(Tok::LBrace) && !at(Tok::RBrace) && !atLineEnd()) {
    if (at(Tok::Colon) && peek(1).kind == Tok::Newline)
      return true;
    advance();
  }
  return at(Tok::LBrace);
}

bool Parser::reportSlashes() {
  uint32_t begin = text.take_front(peek().begin).find_last_of('\n') + 1;
  size_t slashes = text.slice(begin, peek().begin).find(" // ");
  if (slashes == llvm::StringRef::npos)
    return false;
  begin += slashes + 1;
  diags.report(DiagCode::TD102, {file, begin, begin + 2}, "not a comment")
      .label("a comment starts with `#`")
      .fix(FixIt::Safe, "`#`", {{{file, begin, begin + 2}, "#"}});
  return true;
}

void Parser::expectStatementEnd() {
  if (consume(Tok::Newline) || at(Tok::RBrace) || at(Tok::End) ||
      afterNewline())
    return;
  // Python's `else` is on a line that the lexer joined to this one.
  if (indentedBlocks != 0 && at(Tok::Else))
    return;
  size_t start = pos;
  if (!reportSlashes() && !reportOtherLanguage())
    expected("the end of the statement");
  skipStatement(start);
}

llvm::StringRef Parser::indentOf(uint32_t offset) const {
  llvm::StringRef line =
      text.substr(text.take_front(offset).find_last_of('\n') + 1);
  return line.take_while([](char c) { return c == ' ' || c == '\t'; });
}

//===----------------------------------------------------------------------===//
// Documentation
//===----------------------------------------------------------------------===//

/// Joins `##` lines; one line needs no copy.
static llvm::StringRef joinDoc(const SourceManager &sources,
                               ast::Context &context,
                               llvm::ArrayRef<DocLine> lines) {
  if (lines.empty())
    return "";
  if (lines.size() == 1)
    return sources.getText(lines.front().range);
  auto texts = llvm::map_range(
      lines, [&](const DocLine &line) { return sources.getText(line.range); });
  return context.copyText(llvm::join(texts, "\n"));
}

llvm::StringRef Parser::takeDoc() {
  if (tokens != &stream.tokens)
    return "";
  llvm::ArrayRef<DocLine> docs = stream.docs;
  auto end = llvm::partition_point(
      docs, [&](const DocLine &doc) { return doc.nextToken <= pos; });
  auto begin = end;
  if (begin == docs.begin() || std::prev(begin)->nextToken != pos)
    return ""; // and do not look for the line, which may be long
  unsigned line = sources.getLineColumn(rangeOf(peek())).line;
  while (begin != docs.begin() && std::prev(begin)->nextToken == pos &&
         std::prev(begin)->line + 1 == line) {
    --begin;
    --line;
  }
  return joinDoc(sources, context, llvm::ArrayRef(begin, end));
}

llvm::StringRef Parser::parseProgramDoc() {
  // The lines at the start of the file, without those of its first item.
  llvm::ArrayRef<DocLine> docs = stream.docs;
  docs = docs.take_while([](const DocLine &doc) { return doc.nextToken == 0; });
  size_t count = 0;
  while (count != docs.size() && docs[count].line == docs[0].line + count)
    ++count;
  docs = docs.take_front(count);
  bool belongsToItem =
      count != 0 && !at(Tok::End) &&
      docs.back().line + 1 == sources.getLineColumn(rangeOf(peek())).line;
  return belongsToItem ? "" : joinDoc(sources, context, docs);
}
