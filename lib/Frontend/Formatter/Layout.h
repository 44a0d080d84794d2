//===- Layout.h - breaks a statement into lines ---------------------------===//
//
// A line that is longer than 100 columns is broken at the operator that binds
// loosest, or in the widest of its brackets; the parts likewise. The decision
// uses the widths of the pieces, but not the lines of the source, so the result
// is broken in the same way again. Lists and comments that the author gave
// lines of their own keep them.
//
//===----------------------------------------------------------------------===//
#ifndef TDC_LIB_FRONTEND_FORMATTER_LAYOUT_H
#define TDC_LIB_FRONTEND_FORMATTER_LAYOUT_H

#include "Pieces.h"
#include <string>

namespace tdc::format {

constexpr unsigned kColumns = 100;
constexpr unsigned kIndent = 4;

/// The columns at which a line begins: its first part, and those that follow
/// where it is broken.
struct Indents {
  unsigned first;
  unsigned next;
};

class Layout {
public:
  /// `pieces` have their spacing and must outlive the layout.
  explicit Layout(const Pieces &pieces);

  /// Begins a line, after an empty one if `afterBlank`.
  void beginLine(unsigned indent, bool afterBlank);
  /// Writes a comment at the end of the line.
  void endLine(const Comment &comment);
  void write(llvm::StringRef text);
  /// Begins the line of a piece, below the comments before it.
  void breakLine(unsigned i, unsigned indent) { breakLine(i, indent, indent); }

  /// Writes the pieces [begin, end) from here on. Those of a `statement` are
  /// outside of brackets.
  enum Kind : uint8_t { Statement, Part };
  void writeLine(unsigned begin, unsigned end, Indents indents, Kind kind);

  /// Whether the pieces fit on this line, and nothing in them needs a line of
  /// its own.
  bool fits(unsigned begin, unsigned end) const {
    return isNarrow(column, begin, end) && !mustBreakIn(begin, end);
  }
  /// Sets the columns of the lines that follow; 0 for no limit.
  void setColumns(unsigned columns) { limit = columns ? columns : ~0u; }

  /// The text. Comments at the ends of consecutive lines that begin in one
  /// column of the source begin in one column here.
  std::string takeText();

private:
  const Piece &at(unsigned i) const { return pieces[i]; }
  /// The piece after this one, or after the bracket that opens here.
  unsigned following(unsigned i) const {
    return at(i).isOpening() ? at(i).partner + 1 : i + 1;
  }
  unsigned width(unsigned begin, unsigned end) const {
    return end <= begin ? 0 : ends[end - 1] - starts[begin];
  }
  bool isNarrow(unsigned from, unsigned begin, unsigned end) const {
    return from + width(begin, end) <= limit;
  }
  /// Whether a line must begin between two of the pieces.
  bool mustBreakIn(unsigned begin, unsigned end) const {
    return end > begin && breaksBefore[end - 1] != breaksBefore[begin];
  }
  bool keepsLines(unsigned open) const;
  bool mayBegin(unsigned i) const;

  void breakLine(unsigned i, unsigned indent, unsigned commentIndent);
  void writePiece(unsigned i);
  void writeFlat(unsigned begin, unsigned end);
  void writeBroken(unsigned begin, unsigned end, unsigned indent,
                   unsigned broken);
  void writeBrackets(unsigned open, unsigned indent);
  void writeElements(unsigned begin, unsigned end, unsigned indent,
                     bool keepLines);
  unsigned findElementEnd(unsigned begin, unsigned end) const;

  void writeSegment(unsigned begin, unsigned end, Indents indents, Kind kind);
  void writeParts(unsigned begin, unsigned operands, unsigned end,
                  Indents indents, Binding binding);
  unsigned findNextPart(unsigned i) const;
  bool isSplit(unsigned i, unsigned begin, unsigned end) const;
  Binding findLoosest(unsigned begin, unsigned end) const;
  unsigned findOperands(unsigned begin, unsigned end) const;
  unsigned findParameters(unsigned begin, unsigned end) const;
  unsigned findWidest(unsigned begin, unsigned operands, unsigned end,
                      unsigned indent, Binding loosest) const;

  llvm::ArrayRef<Piece> pieces;
  llvm::ArrayRef<Comment> comments;
  std::vector<unsigned> starts, ends; ///< columns, if all were on one line
  /// How many pieces up to each must begin a line.
  std::vector<unsigned> breaksBefore;
  /// A comment at the end of a line.
  struct LineEnd {
    size_t offset; ///< in the text
    unsigned line, column;
    unsigned sourceColumn;
  };
  std::vector<LineEnd> lineEnds;
  std::string text;
  unsigned line = 0, column = 0;
  unsigned limit = kColumns;
};

} // namespace tdc::format

#endif // TDC_LIB_FRONTEND_FORMATTER_LAYOUT_H
