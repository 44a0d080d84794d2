//===- Formatting.cpp - the layout of a document --------------------------===//

#include "Formatting.h"
#include "Frontend/Formatter.h"

using namespace tdc;
namespace json = llvm::json;

llvm::Expected<json::Value> tdc::getFormatting(const Document &document) {
  SourceManager sources;
  FileId file = sources.add("", document.text->get());
  DiagnosticEngine diags(sources);
  std::optional<std::string> formatted = formatFile(sources, file, diags);
  if (!formatted)
    return llvm::make_error<lsp::LSPError>(
        "a program with syntax errors has no layout",
        lsp::ErrorCode::RequestFailed);
  llvm::StringRef before = document.text->get(), after = *formatted;
  if (before == after)
    return json::Array();
  Difference part(before, after);
  size_t begin = before.take_front(part.getStart()).rfind('\n') + 1;
  size_t end = std::min(before.find('\n', part.getEnd()), before.size());
  size_t rest = before.size() - end; // the same in both
  return json::Array{
      json::Object{{"range", document.text->getRange(begin, end)},
                   {"newText", after.slice(begin, after.size() - rest).str()}}};
}
