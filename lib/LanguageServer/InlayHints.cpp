//===- InlayHints.cpp - types and copies between the words of a program ---===//

#include "InlayHints.h"
#include "Dialect/TD/OpTable/Types.h"

using namespace tdc;
namespace json = llvm::json;

/// Whether a meaning is the type of a tensor: `f32[B, 10] @cuda:0`.
static bool isTensor(llvm::StringRef meaning) {
  auto [dtype, rest] = meaning.split('[');
  return dtype.size() != meaning.size() && parseDType(dtype);
}

static json::Object makeHint(lsp::Position position, const llvm::Twine &label,
                             const llvm::Twine &tooltip, bool isApart) {
  return json::Object{{"position", position},
                      {"label", label.str()},
                      {"tooltip", tooltip.str()},
                      {"paddingLeft", isApart}};
}

json::Array tdc::getInlayHints(Document &document, lsp::Range range) {
  json::Array hints;
  const Syntax &syntax = document.getSyntax();
  llvm::StringRef text = document.text->get();
  uint32_t begin = document.text->getOffset(range.start),
           end = document.text->getOffset(range.end);
  for (const Occurrence &name : syntax.names.getAll()) {
    if (name.kind != Occurrence::Declaration || name.range.end < begin ||
        name.range.begin > end ||
        text.substr(name.range.end).ltrim().starts_with(":"))
      continue;
    auto kind = syntax.names.getSymbol(name.symbol).kind;
    if (kind != Symbol::Variable && kind != Symbol::Var)
      continue;
    for (const Meaning &meaning : document.getMeanings(name.range))
      if (isTensor(meaning.text)) {
        hints.push_back(makeHint(document.text->getPosition(name.range.end),
                                 ": " + meaning.text, "what the compiler found",
                                 false));
        break;
      }
  }
  if (!document.getAnalysis())
    return hints;
  for (const Analysis::Copy &copy : document.getAnalysis()->getCopies()) {
    auto at = document.getCurrentRange(copy.range);
    if (at && begin <= at->end && at->end <= end)
      hints.push_back(
          makeHint(document.text->getPosition(at->end), "→ " + copy.place,
                   "the compiler brings this to " + copy.place +
                       "; the program does not say `.to(" + copy.place + ")`",
                   true));
  }
  return hints;
}
