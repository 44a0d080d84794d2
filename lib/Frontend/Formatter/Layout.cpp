//===- Layout.cpp - breaks a statement into lines -------------------------===//

#include "Layout.h"
#include "Frontend/Characters.h"
#include "llvm/ADT/STLExtras.h"

using namespace tdc;
using namespace tdc::format;

Layout::Layout(const Pieces &all) : pieces(all.pieces), comments(all.comments) {
  unsigned size = pieces.size();
  starts.resize(size);
  ends.resize(size);
  breaksBefore.resize(size);
  unsigned end = 0, breaks = 0;
  for (unsigned i = 0; i != size; ++i) {
    const Piece &piece = at(i);
    starts[i] = end + piece.gap.size();
    end = ends[i] = starts[i] + countCharacters(piece.text);
    bool isDotOnNewLine =
        piece.kind == Tok::Dot && i && piece.line != at(i - 1).line;
    bool isInKeptLines = i && at(i - 1).isOpening() && keepsLines(i - 1);
    breaks += piece.hasComments() || isDotOnNewLine || isInKeptLines;
    breaksBefore[i] = breaks;
  }
}

/// Whether the elements in a bracket stay on the lines that the author gave
/// them: there is a comment between two, or each comma ends a line.
bool Layout::keepsLines(unsigned open) const {
  unsigned close = at(open).partner;
  bool hasComma = false, eachEndsLine = true;
  for (unsigned i = open + 1; i < close; i = following(i)) {
    if (at(i).hasComments() &&
        (i == open + 1 || at(i - 1).binding == Binding::Comma))
      return true;
    if (at(i).binding != Binding::Comma)
      continue;
    hasComma = true;
    eachEndsLine &= at(i).line != at(i + 1).line;
  }
  return at(close).hasComments() || (hasComma && eachEndsLine);
}

/// Whether a line may begin with this piece: `var(x)` there is a declaration.
bool Layout::mayBegin(unsigned i) const { return at(i).kind != Tok::Var; }

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

void Layout::write(llvm::StringRef words) {
  text += words;
  column += countCharacters(words);
}

void Layout::beginLine(unsigned indent, bool afterBlank) {
  if (!text.empty())
    text += afterBlank ? "\n\n" : "\n";
  text.append(indent, ' ');
  column = indent;
  line += 1 + afterBlank;
}

void Layout::endLine(const Comment &comment) {
  write("  ");
  lineEnds.push_back({text.size(), line, column, comment.column});
  text += comment.text;
}

std::string Layout::takeText() {
  std::string aligned;
  size_t done = 0;
  for (llvm::ArrayRef<LineEnd> rest = lineEnds; !rest.empty();) {
    size_t count = 1;
    unsigned column = rest[0].column;
    for (; count != rest.size() && rest[count].line == rest[0].line + count &&
           rest[count].sourceColumn == rest[0].sourceColumn;
         ++count)
      column = std::max(column, rest[count].column);
    for (const LineEnd &end : rest.take_front(count)) {
      aligned.append(text, done, end.offset - done);
      aligned.append(column - end.column, ' ');
      done = end.offset;
    }
    rest = rest.drop_front(count);
  }
  return aligned.append(text, done);
}

void Layout::breakLine(unsigned i, unsigned indent, unsigned commentIndent) {
  bool isFirst = at(i - 1).isOpening();
  for (unsigned c = at(i).commentsBegin; c != at(i).commentsEnd; ++c) {
    if (c == at(i).commentsBegin && comments[c].isTrailing) {
      endLine(comments[c]);
      continue;
    }
    beginLine(commentIndent, comments[c].afterBlank && !isFirst);
    text += comments[c].text;
    isFirst = false;
  }
  beginLine(indent, at(i).afterBlank && !isFirst && !at(i).isClosing());
}

void Layout::writePiece(unsigned i) {
  text += at(i).text;
  column += ends[i] - starts[i];
}

void Layout::writeFlat(unsigned begin, unsigned end) {
  for (unsigned i = begin; i < end; ++i) {
    if (i != begin)
      write(at(i).gap);
    writePiece(i);
  }
}

//===----------------------------------------------------------------------===//
// Brackets
//===----------------------------------------------------------------------===//

/// Writes a line whose bracket `broken` is broken, and so is each in which a
/// line must begin.
void Layout::writeBroken(unsigned begin, unsigned end, unsigned indent,
                         unsigned broken) {
  for (unsigned i = begin; i < end; i = following(i)) {
    if (i != begin)
      write(at(i).gap);
    if (i == broken || (at(i).isOpening() && mustBreakIn(i, following(i))))
      writeBrackets(i, indent);
    else
      writeFlat(i, following(i));
  }
}

/// Writes a bracket with its contents on lines of their own.
void Layout::writeBrackets(unsigned open, unsigned indent) {
  unsigned first = open + 1, close = at(open).partner;
  writePiece(open);
  bool isOneList = at(first).isOpening() && at(first).partner + 1 == close;
  if (isOneList && !at(first).hasComments() && !at(close).hasComments()) {
    writeBrackets(first, indent); // `tensor([`
  } else {
    unsigned inner = indent + kIndent;
    if (first != close)
      writeElements(first, close, inner, keepsLines(open));
    breakLine(close, indent, inner);
  }
  writePiece(close);
}

/// The end of the element that begins here, with its comma.
unsigned Layout::findElementEnd(unsigned begin, unsigned end) const {
  for (unsigned i = begin; i < end; i = following(i))
    if (at(i).binding == Binding::Comma)
      return i + 1;
  return end;
}

void Layout::writeElements(unsigned begin, unsigned end, unsigned indent,
                           bool keepLines) {
  if (mayBegin(begin))
    breakLine(begin, indent);
  if (!keepLines && fits(begin, end))
    return writeFlat(begin, end);
  // As many elements to a line as fit, unless they have brackets.
  bool fills =
      llvm::none_of(pieces.slice(begin, end - begin),
                    [](const Piece &piece) { return piece.isOpening(); });
  bool isOne = findElementEnd(begin, end) == end;
  for (unsigned i = begin, next; i < end; i = next) {
    next = findElementEnd(i, end);
    bool isOnNewLine = at(i).line != at(i - 1).line || at(i).hasComments();
    bool breaks = keepLines ? isOnNewLine : !fills;
    bool isFull = !isNarrow(column + at(i).gap.size(), i, next);
    if (i != begin && (breaks || isFull) && mayBegin(i))
      breakLine(i, indent);
    else if (i != begin)
      write(at(i).gap);
    writeLine(i, next, {indent, indent + (isOne ? 0 : kIndent)}, Part);
  }
}

//===----------------------------------------------------------------------===//
// Lines
//===----------------------------------------------------------------------===//

void Layout::writeLine(unsigned begin, unsigned end, Indents indents,
                       Kind kind) {
  // A comment ends its line, and a dot that begins a line stays there.
  for (unsigned i = following(begin); i < end; i = following(i)) {
    if (!mustBreakIn(i - 1, i + 1))
      continue;
    writeSegment(begin, i, indents, kind);
    breakLine(i, indents.next);
    begin = i;
    indents.first = indents.next;
    kind = Part;
  }
  writeSegment(begin, end, indents, kind);
}

/// Writes pieces between which a line must begin only within brackets.
void Layout::writeSegment(unsigned begin, unsigned end, Indents indents,
                          Kind kind) {
  if (fits(begin, end))
    return writeFlat(begin, end);
  if (isNarrow(column, begin, end))
    return writeBroken(begin, end, indents.first, end);

  unsigned parameters = kind == Statement ? findParameters(begin, end) : end;
  if (parameters != end)
    return writeBroken(begin, end, indents.first, parameters);

  unsigned operands = kind == Statement ? findOperands(begin, end) : begin;
  bool isAssigned = operands != begin && at(operands - 1).kind != Tok::In;
  bool restFits = isAssigned && isNarrow(indents.next, operands, end) &&
                  !mustBreakIn(operands, end);
  Binding loosest = findLoosest(operands, end);
  bool isFunction = at(begin).kind == Tok::Fn || at(begin).kind == Tok::Export;
  unsigned broken = end;
  if (!restFits || (loosest == Binding::None && !isFunction))
    broken = findWidest(begin, operands, end, indents.first, loosest);
  if (broken != end)
    return writeBroken(begin, end, indents.first, broken);
  if (isAssigned) {
    writeLine(begin, operands, indents, Part);
    breakLine(operands, indents.next);
    return writeLine(operands, end, {indents.next, indents.next}, Part);
  }
  if (loosest != Binding::None)
    return writeParts(begin, operands, end, indents, loosest);
  writeBroken(begin, end, indents.first, end);
}

/// Writes each operand of some operators on lines of its own.
void Layout::writeParts(unsigned begin, unsigned operands, unsigned end,
                        Indents indents, Binding binding) {
  unsigned inner = indents.next + kIndent;
  Indents part = {indents.first, inner};
  for (unsigned i = operands; i < end; i = following(i)) {
    if (at(i).binding != binding || !isSplit(i, begin, end))
      continue;
    unsigned next = findNextPart(i);
    writeLine(begin, next, part, Part);
    breakLine(next, indents.next);
    begin = next;
    part.first = indents.next;
  }
  writeLine(begin, end, part, Part);
}

/// Where the line begins if it is broken at an operator.
unsigned Layout::findNextPart(unsigned i) const {
  bool isBefore =
      at(i).binding == Binding::Clause || at(i).binding == Binding::Else;
  return isBefore ? i : i + 1;
}

/// Whether a line can be broken at this piece.
bool Layout::isSplit(unsigned i, unsigned begin, unsigned end) const {
  unsigned next = findNextPart(i);
  return at(i).binding != Binding::None && next > begin && next < end &&
         mayBegin(next);
}

Binding Layout::findLoosest(unsigned begin, unsigned end) const {
  Binding loosest = Binding::None;
  for (unsigned i = begin; i < end; i = following(i))
    if (isSplit(i, begin, end))
      loosest = std::min(loosest, at(i).binding);
  return loosest;
}

/// The first piece after `=` or, in a loop, after `in`; else `begin`.
unsigned Layout::findOperands(unsigned begin, unsigned end) const {
  bool isLoop = at(begin).kind == Tok::For;
  for (unsigned i = begin; i + 1 < end; i = following(i)) {
    Tok kind = at(i).kind;
    if (isLoop ? kind == Tok::In : isAssignment(kind))
      return i + 1;
  }
  return begin;
}

/// The bracket of the parameters of a function or model with a block; `end` if
/// there are none.
unsigned Layout::findParameters(unsigned begin, unsigned end) const {
  bool isModel = at(begin).text == "model" && at(begin + 1).kind == Tok::Name;
  bool isDeclaration =
      isModel || at(begin).kind == Tok::Fn || at(begin).kind == Tok::Export;
  if (!isDeclaration || at(end - 1).kind != Tok::LBrace)
    return end;
  for (unsigned i = begin; i < end; ++i)
    if (at(i).isOpening())
      return at(i).partner == i + 1 ? end : i;
  return end;
}

/// The bracket to break: the widest in the operands or, if there is none,
/// before them. The lines with its two ends must fit. Between operators it must
/// have half of the width. `end` if there is no such bracket.
unsigned Layout::findWidest(unsigned begin, unsigned operands, unsigned end,
                            unsigned indent, Binding loosest) const {
  auto findIn = [&](unsigned from, unsigned to, unsigned atLeast) {
    unsigned widest = end;
    for (unsigned i = from; i < to; i = following(i)) {
      unsigned close = at(i).partner, size = width(i, following(i));
      if (at(i).isOpening() && close != i + 1 && size >= atLeast &&
          isNarrow(column, begin, i + 1) && isNarrow(indent, close, end)) {
        widest = i;
        atLeast = size;
      }
    }
    return widest;
  };
  if (loosest == Binding::Comma)
    return end;
  if (loosest != Binding::None)
    return findIn(operands, end, width(operands, end) / 2);
  unsigned found = findIn(operands, end, 0);
  return found == end ? findIn(begin, operands, 0) : found;
}
