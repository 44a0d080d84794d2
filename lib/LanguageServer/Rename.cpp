//===- Rename.cpp - another name for a symbol -----------------------------===//

#include "Frontend/Lexer.h"
#include "Reference.h"
#include "Symbols.h"
#include "llvm/ADT/STLExtras.h"

using namespace tdc;

static llvm::Error refuse(const llvm::Twine &why) {
  return llvm::make_error<lsp::LSPError>(why.str(),
                                         lsp::ErrorCode::RequestFailed);
}

/// Whether a text is one name and no keyword.
static bool isName(llvm::StringRef text) {
  SourceManager sources;
  FileId file = sources.add("", text);
  DiagnosticEngine diags(sources);
  std::vector<Token> tokens = lexFile(sources, file, diags).tokens;
  return !diags.hasErrors() && !tokens.empty() && tokens[0].kind == Tok::Name &&
         tokens[0].begin == 0 && tokens[0].end == text.size();
}

/// The symbol at a position, if it can be renamed.
static llvm::Expected<int> findRenamed(Document &document,
                                       const Occurrence *name) {
  const Syntax &syntax = document.getSyntax();
  if (!name)
    return refuse("there is no name here");
  std::string text = ("`" + syntax.sources.getText(name->range) + "`").str();
  if (syntax.hasErrors)
    return refuse("the program has syntax errors: not all uses of " + text +
                  " are known");
  int symbol = findSymbol(document, *name);
  if (symbol < 0)
    return refuse(text + " is not declared in this file");
  switch (syntax.names.getSymbol(symbol).kind) {
  case Symbol::Module:
  case Symbol::Imported:
    return refuse(text + " is declared in another file");
  case Symbol::Part:
    return refuse(text + " is a key of checkpoints");
  case Symbol::Method:
    if (text == "`forward`")
      return refuse("a call of a model calls `forward`");
    return symbol;
  default:
    return symbol;
  }
}

llvm::Expected<lsp::Range> tdc::prepareRename(Document &document,
                                              lsp::Position position) {
  const Occurrence *name =
      document.getSyntax().names.find(document.text->getOffset(position));
  llvm::Expected<int> symbol = findRenamed(document, name);
  if (!symbol)
    return symbol.takeError();
  return document.getRange(name->range);
}

/// Whether a name that is not known to mean the symbol may do so.
static bool mayMean(Document &document, const Occurrence &name,
                    const Symbol &symbol) {
  const Syntax &syntax = document.getSyntax();
  if (name.symbol >= 0 || syntax.sources.getText(name.range) != symbol.name)
    return false;
  if (name.kind == Occurrence::Member)
    return symbol.kind == Symbol::Method && findSymbols(document, name).empty();
  if (name.kind != Occurrence::Keyword || symbol.kind != Symbol::Parameter)
    return false;
  auto *callee = llvm::dyn_cast<ast::NameExpr>(name.callee);
  return !callee || !findLanguageFunction(callee->name);
}

/// Whether all names mean the same in both trees: names of this file are of the
/// same symbols, others of none.
static bool meanTheSame(const Names &before, const Names &after) {
  if (before.getAll().size() != after.getAll().size() ||
      before.getSymbols().size() != after.getSymbols().size())
    return false;
  std::map<int, int> toNew{{-1, -1}}, toOld{{-1, -1}};
  return llvm::all_of(
      llvm::zip(before.getAll(), after.getAll()), [&](auto both) {
        const auto &[old, now] = both;
        auto [ahead, first] = toNew.try_emplace(old.symbol, now.symbol);
        auto [back, only] = toOld.try_emplace(now.symbol, old.symbol);
        return old.kind == now.kind && ahead->second == now.symbol &&
               back->second == old.symbol;
      });
}

llvm::Expected<lsp::WorkspaceEdit> tdc::rename(Document &document,
                                               lsp::Position position,
                                               llvm::StringRef newName) {
  const Syntax &syntax = document.getSyntax();
  llvm::Expected<int> index = findRenamed(
      document, syntax.names.find(document.text->getOffset(position)));
  if (!index)
    return index.takeError();
  if (!isName(newName))
    return refuse("`" + newName + "` is not a name");
  const Symbol &symbol = syntax.names.getSymbol(*index);
  if (symbol.kind == Symbol::Method && newName == "forward")
    return refuse("a call of a model calls `forward`");
  std::vector<lsp::TextEdit> edits;
  std::string text;
  uint32_t done = 0;
  for (const Occurrence &name : syntax.names.getAll()) {
    std::string place =
        ("`" + symbol.name + "` in line " +
         llvm::Twine(document.getRange(name.range).start.line + 1))
            .str();
    if (mayMean(document, name, symbol))
      return refuse(place +
                    " may be the same: it is not known what it is a part of");
    llvm::SmallVector<int> found = findSymbols(document, name);
    if (!llvm::is_contained(found, *index))
      continue;
    if (found.size() > 1)
      return refuse(place + " has another meaning, too");
    edits.push_back({document.getRange(name.range), newName.str()});
    text += document.text->get().slice(done, name.range.begin);
    text += newName;
    done = name.range.end;
  }
  text += document.text->get().substr(done);
  Syntax renamed(text);
  if (renamed.hasErrors || !meanTheSame(syntax.names, renamed.names))
    return refuse("`" + newName + "` has another meaning where `" +
                  symbol.name + "` is used, or is declared there");
  lsp::WorkspaceEdit edit;
  edit.changes[document.uri.uri().str()] = std::move(edits);
  return edit;
}
