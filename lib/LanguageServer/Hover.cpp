//===- Hover.cpp - what is known of a position ----------------------------===//

#include "Hover.h"
#include "Frontend/ASTWalk.h"
#include "Reference.h"
#include "Symbols.h"
#include "llvm/ADT/StringExtras.h"

using namespace tdc;
namespace json = llvm::json;

static std::string asCode(llvm::StringRef text) {
  return ("```tdsl\n" + text + "\n```\n").str();
}

/// The word of the language for a kind of symbol.
static llvm::StringRef wordOf(Symbol::Kind kind) {
  switch (kind) {
  case Symbol::Var:
    return "var ";
  case Symbol::Argument:
    return "arg ";
  case Symbol::Variable:
    return "let ";
  default:
    return "";
  }
}

/// A function of the language.
static std::string describe(const LanguageFunction &function) {
  return asCode((function.name + "(" + function.parameters + ")").str()) +
         "\n" + function.description.str() + "\n";
}

/// What the last check knows of a name, one line for each meaning.
static std::string listMeanings(Document &document, const Occurrence &name,
                                const Symbol *symbol) {
  llvm::StringRef text = document.getSyntax().sources.getText(name.range);
  std::string lines;
  for (const Meaning &meaning : document.getMeanings(name.range)) {
    if (!lines.empty())
      lines += "\n";
    // A function is its own signature.
    if (!llvm::StringRef(meaning.text).contains((text + "(").str()))
      lines += ((symbol ? wordOf(symbol->kind) : "") + text + ": ").str();
    lines += meaning.text;
  }
  return lines;
}

static std::string describe(Document &document, const Occurrence &name) {
  const Syntax &syntax = document.getSyntax();
  int index = findSymbol(document, name);
  const Symbol *symbol = index < 0 ? nullptr : &syntax.names.getSymbol(index);
  const ast::Decl *decl = symbol ? symbol->decl : nullptr;
  if (!symbol && name.kind != Occurrence::Keyword) {
    llvm::StringRef text = syntax.sources.getText(name.range);
    if (const LanguageFunction *function = name.kind == Occurrence::Member
                                               ? findLanguageMethod(text)
                                               : findLanguageFunction(text))
      return describe(*function);
  }
  std::string code = llvm::isa_and_nonnull<ast::FnDecl, ast::ModelDecl>(decl)
                         ? ast::headOf(syntax.sources, *decl)
                         : listMeanings(document, name, symbol);
  std::string result = code.empty() ? "" : asCode(code);
  if (decl && !decl->doc.empty())
    result += "\n" + decl->doc.str() + "\n";
  return result;
}

/// The explanations of the diagnostics at an offset.
static std::string explain(const Document &document, uint32_t offset) {
  std::string result;
  const Analysis *analysis = document.getCurrent();
  if (!analysis)
    return result;
  for (const Diagnostic *report : analysis->getDiagnostics()) {
    const SourceRange &range = report->primary.range;
    if (range.file != analysis->getFile() || offset < range.begin ||
        offset > range.end)
      continue;
    const DiagInfo &info = getDiagInfo(report->code);
    result += ("\n**" + info.name + "** " + info.explanation + "\n").str();
  }
  return result;
}

json::Value tdc::getHover(Document &document, lsp::Position position) {
  uint32_t offset = document.text->getOffset(position);
  const Occurrence *name = document.getSyntax().names.find(offset);
  std::string text = name ? describe(document, *name) : "";
  text += explain(document, offset);
  if (text.empty())
    return nullptr;
  json::Object hover{
      {"contents",
       json::Object{{"kind", "markdown"}, {"value", json::fixUTF8(text)}}}};
  if (name)
    hover["range"] = document.getRange(name->range);
  return hover;
}
