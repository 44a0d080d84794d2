//===- Formatter.cpp - the layout of a source file ------------------------===//
//
// Statements, blocks and the comments around them.
//
//===----------------------------------------------------------------------===//

#include "Frontend/Formatter.h"
#include "Frontend/Characters.h"
#include "Frontend/Parser.h"
#include "Layout.h"

using namespace tdc;
using namespace tdc::format;

/// Whether the comment is for the compiler and names a line by its place.
static bool isForLine(const Comment &comment) {
  return getAllowed(comment.text.drop_front()).has_value();
}

namespace {

class Printer {
public:
  explicit Printer(const Pieces &all)
      : pieces(all.pieces), comments(all.comments), layout(all) {}

  std::string print() {
    writeStatements(0, pieces.size() - 1, 0);
    return layout.takeText();
  }

private:
  void writeStatements(unsigned begin, unsigned end, unsigned indent);
  void writeStatement(unsigned begin, unsigned end, unsigned indent);
  unsigned findEnd(unsigned begin, unsigned end) const;
  unsigned findBlock(unsigned begin, unsigned end) const;
  bool isOnOneLine(unsigned begin, unsigned end) const;
  void setColumns(unsigned begin, unsigned end);
  const Comment *getTrailing(unsigned i) const;

  llvm::ArrayRef<Piece> pieces;
  llvm::ArrayRef<Comment> comments;
  Layout layout;
};

} // namespace

/// The comment between a piece and the one before, on the line of the latter.
const Comment *Printer::getTrailing(unsigned i) const {
  const Piece &piece = pieces[i];
  return piece.hasComments() && comments[piece.commentsBegin].isTrailing
             ? &comments[piece.commentsBegin]
             : nullptr;
}

/// The end of the statement that begins here, in a block that ends at `end`.
unsigned Printer::findEnd(unsigned begin, unsigned end) const {
  unsigned i = begin;
  do
    i = pieces[i].partner > i ? pieces[i].partner + 1 : i + 1;
  while (i < end && !pieces[i].startsStatement);
  return std::min(i, end);
}

/// The first `{` of the statement.
unsigned Printer::findBlock(unsigned begin, unsigned end) const {
  while (begin != end && pieces[begin].kind != Tok::LBrace)
    ++begin;
  return begin;
}

/// Whether the author wrote each block of the statement on one line.
bool Printer::isOnOneLine(unsigned begin, unsigned end) const {
  for (unsigned i = findBlock(begin, end); i != end; i = findBlock(i, end)) {
    unsigned close = pieces[i].partner;
    if (pieces[i].line != pieces[close].line)
      return false;
    i = close + 1;
  }
  return true;
}

/// A line with a comment `tdc: allow(...)` at its end or above it stays whole.
void Printer::setColumns(unsigned begin, unsigned end) {
  const Comment *after = getTrailing(end);
  const Piece &first = pieces[begin];
  const Comment *above = first.hasComments() && !first.afterBlank
                             ? &comments[first.commentsEnd - 1]
                             : nullptr;
  bool isWhole = (after && isForLine(*after)) ||
                 (above && !above->isTrailing && isForLine(*above));
  layout.setColumns(isWhole ? 0 : kColumns);
}

/// Writes the statements of a block, and the comments between and after them.
void Printer::writeStatements(unsigned begin, unsigned end, unsigned indent) {
  bool isFirst = true;
  for (unsigned i = begin, next;; i = next) {
    const Piece &piece = pieces[i];
    for (unsigned c = piece.commentsBegin; c != piece.commentsEnd; ++c) {
      if (comments[c].isTrailing)
        continue;
      layout.beginLine(indent, comments[c].afterBlank && !isFirst);
      layout.write(comments[c].text);
      isFirst = false;
    }
    if (i == end)
      return;
    layout.beginLine(indent, piece.afterBlank && !isFirst);
    isFirst = false;
    next = findEnd(i, end);
    writeStatement(i, next, indent);
    if (const Comment *comment = getTrailing(next))
      layout.endLine(*comment);
  }
}

void Printer::writeStatement(unsigned begin, unsigned end, unsigned indent) {
  setColumns(begin, end);
  if (findBlock(begin, end) == end ||
      (isOnOneLine(begin, end) && layout.fits(begin, end)))
    return layout.writeLine(begin, end, {indent, indent + kIndent},
                            Layout::Statement);
  while (true) {
    unsigned first = findBlock(begin, end) + 1;
    unsigned close = pieces[first - 1].partner;
    setColumns(begin, first);
    layout.writeLine(begin, first, {indent, indent + 2 * kIndent},
                     Layout::Statement);
    if (const Comment *comment = getTrailing(first))
      layout.endLine(*comment);
    if (first == close && !pieces[close].hasComments()) {
      layout.write(" ");
    } else {
      writeStatements(first, close, indent + kIndent);
      layout.beginLine(indent, false);
    }
    layout.write("}");
    begin = close + 1;
    if (begin == end)
      return;
    // `else`
    if (!pieces[begin].hasComments())
      layout.write(" ");
    else
      layout.breakLine(begin, indent);
  }
}

std::optional<std::string> tdc::formatFile(const SourceManager &sources,
                                           FileId file,
                                           DiagnosticEngine &diags) {
  {
    ast::Context context;
    unsigned errors = diags.getNumErrors();
    parseFile(sources, file, context, diags);
    if (diags.getNumErrors() != errors)
      return std::nullopt;
  }
  Pieces pieces = readPieces(sources, file);
  setSpacing(pieces.pieces);
  std::string text = Printer(pieces).print();
  if (text.empty())
    return text;
  text += '\n';
  llvm::StringRef source = sources.getText(file);
  if (source.starts_with(kByteOrderMark))
    text.insert(0, kByteOrderMark);
  // Such a comment is for the compiler only at the start of the file.
  else if (llvm::StringRef(text).starts_with("#tdc:") && source.front() != '#')
    text.insert(0, "\n");
  return text;
}
