//===- Symbols.h - declarations and uses of a name ------------------------===//

#ifndef TDC_LIB_LANGUAGESERVER_SYMBOLS_H
#define TDC_LIB_LANGUAGESERVER_SYMBOLS_H

#include "Document.h"
#include "llvm/Support/Error.h"

namespace tdc {

/// What a name is, by its scope or, after a dot, by the last check, which may
/// have found several: -1 for what is declared in another file or in none.
/// Empty if nothing is known.
llvm::SmallVector<int> findSymbols(Document &document, const Occurrence &name);

/// The only symbol that a name is; -1 if there is none.
int findSymbol(Document &document, const Occurrence &name);

/// Where a name is declared: for each of its meanings. None if it is not known,
/// or part of the language.
std::vector<lsp::Location> getDefinition(Document &document,
                                         lsp::Position position);

/// All uses in the document of the name at a position, and the declarations.
std::vector<lsp::Location> getReferences(Document &document,
                                         lsp::Position position,
                                         bool withDeclarations);

/// The range of the name that can be renamed at a position, or the reason why
/// there is none.
llvm::Expected<lsp::Range> prepareRename(Document &document,
                                         lsp::Position position);

/// The edits that rename the symbol at a position, or the reason why that would
/// change what the names of the document mean. Other files are not considered.
llvm::Expected<lsp::WorkspaceEdit>
rename(Document &document, lsp::Position position, llvm::StringRef newName);

/// The functions, models and variables of the program, with their parts.
std::vector<lsp::DocumentSymbol> getDocumentSymbols(Document &document);

} // namespace tdc

#endif // TDC_LIB_LANGUAGESERVER_SYMBOLS_H
