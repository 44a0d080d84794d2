//===- Text.cpp - positions in UTF-16 -------------------------------------===//

#include "Text.h"
#include "llvm/ADT/STLExtras.h"

using namespace tdc;

Text::Text(std::string text) : content(std::move(text)), lineStarts{0} {
  for (size_t at = content.find('\n'); at != std::string::npos;
       at = content.find('\n', at + 1))
    lineStarts.push_back(at + 1);
}

/// The UTF-16 units of the character that a byte begins; 0 for the bytes that
/// follow it in the character.
static unsigned unitsOf(unsigned char byte) {
  if (byte >= 0xf0)
    return 2;
  return byte < 0x80 || byte >= 0xc0 ? 1 : 0;
}

uint32_t Text::getOffset(lsp::Position position) const {
  if (position.line < 0)
    return 0;
  if (static_cast<size_t>(position.line) >= lineStarts.size())
    return content.size();
  uint32_t offset = lineStarts[position.line];
  llvm::StringRef line = get().substr(offset).split('\n').first.rtrim('\r');
  int left = position.character;
  size_t at = 0;
  while (at < line.size()) {
    left -= static_cast<int>(unitsOf(line[at]));
    if (left < 0)
      break;
    ++at;
  }
  return offset + at;
}

lsp::Position Text::getPosition(uint32_t offset) const {
  offset = std::min<uint32_t>(offset, content.size());
  auto next = llvm::upper_bound(lineStarts, offset);
  auto line = static_cast<int>(next - lineStarts.begin()) - 1;
  int column = 0;
  for (char c : get().slice(lineStarts[line], offset))
    column += static_cast<int>(unitsOf(c));
  return {line, column};
}

Text Text::apply(const lsp::TextDocumentContentChangeEvent &change) const {
  if (!change.range)
    return Text(change.text);
  uint32_t begin = getOffset(change.range->start);
  uint32_t end = std::max(begin, getOffset(change.range->end));
  return Text(
      (get().take_front(begin) + change.text + get().substr(end)).str());
}

Difference::Difference(llvm::StringRef from, llvm::StringRef to)
    : shift(static_cast<int64_t>(to.size()) -
            static_cast<int64_t>(from.size())) {
  size_t most = std::min(from.size(), to.size()), before = 0, after = 0;
  while (before < most && from[before] == to[before])
    ++before;
  while (after < most - before &&
         from[from.size() - 1 - after] == to[to.size() - 1 - after])
    ++after;
  start = before;
  end = from.size() - after;
}

std::optional<SourceRange> Difference::follow(SourceRange range) const {
  if (range.end <= start)
    return range;
  if (range.begin < end)
    return std::nullopt;
  return SourceRange{range.file, static_cast<uint32_t>(range.begin + shift),
                     static_cast<uint32_t>(range.end + shift)};
}
