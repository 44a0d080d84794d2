//===- Pieces.h - tokens with what their layout depends on ----------------===//
//
// A piece is a token of the file. The ends of statements are no pieces: the
// next piece starts a statement. Comments lie between pieces.
//
//===----------------------------------------------------------------------===//
#ifndef TDC_LIB_FRONTEND_FORMATTER_PIECES_H
#define TDC_LIB_FRONTEND_FORMATTER_PIECES_H

#include "Frontend/Lexer.h"

namespace tdc::format {

struct Comment {
  llvm::StringRef text;
  bool isTrailing = false; ///< on the line of the piece before it
  bool afterBlank = false; ///< below an empty line
  unsigned column = 0;     ///< in the source
};

/// How tightly a piece binds its two sides; a line that is too long is broken
/// at the loosest.
enum class Binding : uint8_t {
  Comma,
  Clause,   ///< `for` and `if` of a comprehension
  Else,     ///< of `a if c else b`
  Operator, ///< the loosest; the others follow in the order of Precedence
  None = UINT8_MAX ///< not an operator of two sides
};

struct Piece {
  Tok kind = Tok::End;
  llvm::StringRef text;
  unsigned line = 0;            ///< in the source
  bool startsStatement = false; ///< a line end or `;` precedes it
  bool afterBlank = false;      ///< it is below an empty line
  /// The comments between the piece before and this one, as indices.
  unsigned commentsBegin = 0, commentsEnd = 0;
  /// Of a bracket: the index of its partner.
  unsigned partner = 0;

  // Set by setSpacing.
  Binding binding = Binding::None;
  llvm::StringRef gap; ///< before it, if the piece before is on its line

  bool hasComments() const { return commentsBegin != commentsEnd; }
  bool isOpening() const { return kind == Tok::LParen || kind == Tok::LSquare; }
  bool isClosing() const { return kind == Tok::RParen || kind == Tok::RSquare; }
};

struct Pieces {
  std::vector<Piece> pieces; ///< the last one is End
  std::vector<Comment> comments;
};

/// Reads a file that parses without an error.
Pieces readPieces(const SourceManager &sources, FileId file);

/// Sets the gap and the binding of each piece.
void setSpacing(std::vector<Piece> &pieces);

} // namespace tdc::format

#endif // TDC_LIB_FRONTEND_FORMATTER_PIECES_H
