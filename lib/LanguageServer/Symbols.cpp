//===- Symbols.cpp - declarations and uses of a name ----------------------===//

#include "Symbols.h"
#include "Frontend/ASTWalk.h"
#include "llvm/ADT/STLExtras.h"

using namespace tdc;

llvm::SmallVector<int> tdc::findSymbols(Document &document,
                                        const Occurrence &name) {
  llvm::SmallVector<int> found;
  if (name.symbol >= 0 || name.kind != Occurrence::Member)
    return {name.symbol};
  const Names &names = document.getSyntax().names;
  for (const Meaning &meaning : document.getMeanings(name.range)) {
    auto declared = document.getCurrentRange(meaning.declared);
    if (!declared && meaning.declared.file == document.getAnalysis()->getFile())
      return {}; // it has changed since
    int symbol = declared ? names.findDeclared(*declared) : -1;
    if (!llvm::is_contained(found, symbol))
      found.push_back(symbol);
  }
  return found;
}

int tdc::findSymbol(Document &document, const Occurrence &name) {
  llvm::SmallVector<int> found = findSymbols(document, name);
  return found.size() == 1 ? found[0] : -1;
}

/// The name at a position, or null.
static const Occurrence *findName(Document &document, lsp::Position position) {
  return document.getSyntax().names.find(document.text->getOffset(position));
}

//===----------------------------------------------------------------------===//
// Definition and references
//===----------------------------------------------------------------------===//

/// Where the last check found declarations in other files.
static std::vector<lsp::Location> findInOtherFiles(Document &document,
                                                   const Occurrence &name) {
  const auto &analysis = document.getAnalysis();
  if (!analysis)
    return {};
  Locations locations(*analysis, document.uri);
  std::vector<lsp::Location> found;
  for (const Meaning &meaning : document.getMeanings(name.range))
    if (meaning.declared.file != analysis->getFile())
      if (auto at = locations.find(meaning.declared);
          at && !llvm::is_contained(found, *at))
        found.push_back(*at);
  return found;
}

std::vector<lsp::Location> tdc::getDefinition(Document &document,
                                              lsp::Position position) {
  const Occurrence *name = findName(document, position);
  if (!name)
    return {};
  std::vector<lsp::Location> found = findInOtherFiles(document, *name);
  if (name->symbol >= 0 && !found.empty())
    return found; // what an import declares
  for (int index : findSymbols(document, *name)) {
    if (index < 0)
      continue;
    // Of several declarations in one scope, the one that reaches the name.
    const Symbol &symbol = document.getSyntax().names.getSymbol(index);
    SourceRange declared = symbol.declared.front();
    for (SourceRange range : symbol.declared)
      if (range.begin <= name->range.begin)
        declared = range;
    found.emplace_back(document.uri, document.getRange(declared));
  }
  return found;
}

std::vector<lsp::Location> tdc::getReferences(Document &document,
                                              lsp::Position position,
                                              bool withDeclarations) {
  std::vector<lsp::Location> locations;
  const Occurrence *name = findName(document, position);
  if (!name)
    return locations;
  const Syntax &syntax = document.getSyntax();
  llvm::SmallVector<int> symbols = findSymbols(document, *name);
  for (const Occurrence &use : syntax.names.getAll()) {
    if (syntax.sources.getText(use.range) !=
            syntax.sources.getText(name->range) ||
        (!withDeclarations && use.kind == Occurrence::Declaration))
      continue;
    if (llvm::any_of(findSymbols(document, use), [&](int symbol) {
          return symbol >= 0 && llvm::is_contained(symbols, symbol);
        }))
      locations.push_back({document.uri, document.getRange(use.range)});
  }
  return locations;
}

//===----------------------------------------------------------------------===//
// The outline
//===----------------------------------------------------------------------===//

static lsp::DocumentSymbol makeSymbol(Document &document, llvm::StringRef name,
                                      lsp::SymbolKind kind, SourceRange range,
                                      SourceRange nameRange) {
  return lsp::DocumentSymbol(name, kind, document.getRange(range),
                             document.getRange(nameRange));
}

static void addMembers(Document &document,
                       llvm::ArrayRef<const ast::Decl *> members,
                       std::vector<lsp::DocumentSymbol> &symbols) {
  using lsp::SymbolKind;
  auto add = [&](const ast::Identifier &name, SymbolKind kind,
                 SourceRange range) {
    symbols.push_back(makeSymbol(document, name.text, kind, range, name.range));
  };
  for (const ast::Decl *member : members) {
    if (auto *field = llvm::dyn_cast<ast::FieldDecl>(member)) {
      add(field->name, SymbolKind::Field, field->range);
    } else if (auto *state = llvm::dyn_cast<ast::StateDecl>(member)) {
      add(state->name, SymbolKind::Field, state->range);
    } else if (auto *fn = llvm::dyn_cast<ast::FnDecl>(member)) {
      add(fn->name, SymbolKind::Method, fn->range);
      symbols.back().detail = ast::headOf(document.getSyntax().sources, *fn);
    } else if (auto *choice = llvm::dyn_cast<ast::MemberIfDecl>(member)) {
      addMembers(document, choice->thenMembers, symbols);
      addMembers(document, choice->elseMembers, symbols);
    }
  }
}

std::vector<lsp::DocumentSymbol> tdc::getDocumentSymbols(Document &document) {
  using lsp::SymbolKind;
  const Syntax &syntax = document.getSyntax();
  std::vector<lsp::DocumentSymbol> symbols;
  for (const ast::Stmt *item : syntax.program->items) {
    auto add = [&](llvm::StringRef name, SymbolKind kind, SourceRange at) {
      symbols.push_back(makeSymbol(document, name, kind, item->range, at));
    };
    if (auto *fn = llvm::dyn_cast<ast::FnDecl>(item)) {
      add(fn->name.text, SymbolKind::Function, fn->name.range);
      symbols.back().detail = ast::headOf(syntax.sources, *fn);
    } else if (auto *model = llvm::dyn_cast<ast::ModelDecl>(item)) {
      add(model->name.text, SymbolKind::Class, model->name.range);
      symbols.back().detail = ast::headOf(syntax.sources, *model);
      addMembers(document, model->members, symbols.back().children);
    } else if (auto *arg = llvm::dyn_cast<ast::ArgDecl>(item)) {
      add(arg->name.text, SymbolKind::Constant, arg->name.range);
    } else if (auto *let = llvm::dyn_cast<ast::LetStmt>(item);
               let && !let->target->isTuple()) {
      add(let->target->name, SymbolKind::Variable, let->target->range);
    }
  }
  return symbols;
}
