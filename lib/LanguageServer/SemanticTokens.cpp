//===- SemanticTokens.cpp - colours for names by their meaning ------------===//

#include "SemanticTokens.h"
#include "Dialect/TD/OpTable/Types.h"
#include "Reference.h"
#include "Symbols.h"

using namespace tdc;
namespace json = llvm::json;

namespace {

enum TokenType : uint8_t {
  Namespace,
  Type,
  Class,
  Function,
  Method,
  Property,
  Parameter,
  Variable
};
enum Modifier : uint8_t { Declaration = 1, ReadOnly = 2, DefaultLibrary = 4 };

struct Colour {
  TokenType type;
  unsigned modifiers;
};

} // namespace

json::Object tdc::getSemanticTokensLegend() {
  return json::Object{
      {"tokenTypes",
       json::Array{"namespace", "type", "class", "function", "method",
                   "property", "parameter", "variable"}},
      {"tokenModifiers",
       json::Array{"declaration", "readonly", "defaultLibrary"}}};
}

static Colour colourOf(const Symbol &symbol) {
  switch (symbol.kind) {
  case Symbol::Var:
    return {Variable, 0};
  case Symbol::Parameter:
  case Symbol::Size:
    return {Parameter, ReadOnly};
  case Symbol::Function:
  case Symbol::Imported:
    return {Function, 0};
  case Symbol::Model:
    return {Class, 0};
  case Symbol::Module:
    return {Namespace, 0};
  case Symbol::Method:
    return {Method, 0};
  case Symbol::Part:
    return {Property, 0};
  case Symbol::Variable:
  case Symbol::Argument:
    return {Variable, ReadOnly};
  }
  llvm_unreachable("unknown kind of symbol");
}

/// The colour of a name that the file does not declare, if it is known.
static std::optional<Colour> colourOf(const Occurrence &name,
                                      llvm::StringRef text) {
  if (name.kind == Occurrence::Keyword)
    return Colour{Parameter, 0};
  if (name.kind == Occurrence::Member)
    return findLanguageMethod(text) ? Colour{Method, DefaultLibrary}
                                    : Colour{Property, 0};
  if (parseDType(text) || text == "int" || text == "float" || text == "str")
    return Colour{Type, DefaultLibrary};
  if (findLanguageFunction(text))
    return Colour{Function, DefaultLibrary};
  return std::nullopt;
}

json::Object tdc::getSemanticTokens(Document &document) {
  const Syntax &syntax = document.getSyntax();
  json::Array data;
  lsp::Position last;
  uint32_t end = 0;
  for (const Occurrence &name : syntax.names.getAll()) {
    // A size may be declared where it is used; each text has one colour.
    if (name.range.begin < end)
      continue;
    int symbol = findSymbol(document, name);
    std::optional<Colour> colour =
        symbol >= 0 ? colourOf(syntax.names.getSymbol(symbol))
                    : colourOf(name, syntax.sources.getText(name.range));
    if (!colour)
      continue;
    if (name.kind == Occurrence::Declaration)
      colour->modifiers |= Declaration;
    lsp::Range range = document.getRange(name.range);
    int line = range.start.line - last.line;
    data.push_back(line);
    data.push_back(line == 0 ? range.start.character - last.character
                             : range.start.character);
    data.push_back(range.end.character - range.start.character);
    data.push_back(static_cast<int>(colour->type));
    data.push_back(static_cast<int>(colour->modifiers));
    last = range.start;
    end = name.range.end;
  }
  return json::Object{{"data", std::move(data)}};
}
