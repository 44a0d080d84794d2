//===- Text.h - the text of a document ------------------------------------===//
//
// Editors count lines from 0 and columns in UTF-16 units; the compiler counts
// bytes.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_LIB_LANGUAGESERVER_TEXT_H
#define TDC_LIB_LANGUAGESERVER_TEXT_H

#include "Frontend/Source.h"
#include "llvm/Support/LSP/Protocol.h"
#include <optional>
#include <string>

namespace tdc {

namespace lsp = llvm::lsp;

class Text {
public:
  explicit Text(std::string content);

  llvm::StringRef get() const { return content; }

  /// The offset of a position. One after the end of a line, or of the text, is
  /// taken for that end, as the protocol says; so is one before the start.
  uint32_t getOffset(lsp::Position position) const;
  lsp::Position getPosition(uint32_t offset) const;
  lsp::Range getRange(uint32_t begin, uint32_t end) const {
    return {getPosition(begin), getPosition(end)};
  }

  /// The text after a change; without a range, all of it is new.
  Text apply(const lsp::TextDocumentContentChangeEvent &change) const;

private:
  std::string content;
  std::vector<uint32_t> lineStarts;
};

/// What differs between two versions of a text, as one part of it.
class Difference {
public:
  Difference(llvm::StringRef from, llvm::StringRef to);

  /// Where a range of the first version is in the second; none if some of it is
  /// in the part that differs.
  std::optional<SourceRange> follow(SourceRange range) const;

  /// The part that differs, in the first version.
  uint32_t getStart() const { return start; }
  uint32_t getEnd() const { return end; }

private:
  uint32_t start, end;
  int64_t shift; ///< of what follows the part
};

} // namespace tdc

#endif // TDC_LIB_LANGUAGESERVER_TEXT_H
