//===- Pieces.cpp - reads tokens and the comments between them ------------===//

#include "Pieces.h"
#include "Frontend/Characters.h"

using namespace tdc;
using namespace tdc::format;

namespace {

class Reader {
public:
  Reader(const SourceManager &sources, FileId file)
      : sources(sources), file(file), text(sources.getText(file)) {}

  Pieces read() {
    DiagnosticEngine ignored(sources);
    TokenStream stream = lexFile(sources, file, ignored);
    result.pieces.reserve(stream.tokens.size());
    bool startsStatement = true;
    for (const Token &token : stream.tokens) {
      if (token.kind == Tok::Newline) {
        startsStatement = true;
        continue;
      }
      addPiece(token, startsStatement);
      startsStatement = false;
    }
    return std::move(result);
  }

private:
  void addPiece(const Token &token, bool startsStatement) {
    Piece piece;
    piece.kind = token.kind;
    piece.text = text.slice(token.begin, token.end);
    piece.startsStatement = startsStatement;
    piece.commentsBegin = result.comments.size();
    piece.afterBlank = readGap(text.slice(end, token.begin));
    piece.commentsEnd = result.comments.size();
    piece.line = line;
    line += piece.text.count('\n'); // in a string, after a backslash
    end = token.end;
    // The comments before a comma follow it: `a  # note` and then `, b`.
    if (!result.pieces.empty() && result.pieces.back().kind == Tok::Comma) {
      Piece &comma = result.pieces.back();
      piece.commentsBegin = comma.commentsBegin;
      comma.commentsEnd = comma.commentsBegin;
    }
    matchBracket(piece);
    result.pieces.push_back(piece);
  }

  /// Adds the comments in the text between two tokens. Returns whether the
  /// second one is below an empty line.
  bool readGap(llvm::StringRef gap) {
    unsigned lineEnds = result.pieces.empty();
    while (!gap.empty()) {
      if (gap.front() == '#') {
        auto [comment, rest] = gap.split('\n');
        result.comments.push_back({comment.rtrim(), lineEnds == 0, lineEnds > 1,
                                   columnOf(comment.begin())});
        lineEnds = 0;
        gap = gap.drop_front(comment.size());
        continue;
      }
      if (gap.front() == '\n') {
        ++line;
        ++lineEnds;
      }
      gap = gap.drop_front();
    }
    return lineEnds > 1;
  }

  unsigned columnOf(const char *place) const {
    llvm::StringRef before(text.begin(), place - text.begin());
    return countCharacters(before.substr(before.rfind('\n') + 1));
  }

  void matchBracket(Piece &piece) {
    unsigned index = result.pieces.size();
    if (piece.isOpening() || piece.kind == Tok::LBrace) {
      open.push_back(index);
    } else if (piece.isClosing() || piece.kind == Tok::RBrace) {
      piece.partner = open.back();
      result.pieces[open.back()].partner = index;
      open.pop_back();
    }
  }

  const SourceManager &sources;
  const FileId file;
  const llvm::StringRef text;
  Pieces result;
  uint32_t end = 0;  ///< of the last token
  unsigned line = 1; ///< at `end`
  std::vector<unsigned> open;
};

} // namespace

Pieces format::readPieces(const SourceManager &sources, FileId file) {
  return Reader(sources, file).read();
}
