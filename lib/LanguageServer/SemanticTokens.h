//===- SemanticTokens.h - colours for names by their meaning --------------===//

#ifndef TDC_LIB_LANGUAGESERVER_SEMANTICTOKENS_H
#define TDC_LIB_LANGUAGESERVER_SEMANTICTOKENS_H

#include "Document.h"
#include "llvm/Support/JSON.h"

namespace tdc {

/// The types and modifiers that getSemanticTokens uses, for the client.
llvm::json::Object getSemanticTokensLegend();

/// All names of the document that have a known meaning.
llvm::json::Object getSemanticTokens(Document &document);

} // namespace tdc

#endif // TDC_LIB_LANGUAGESERVER_SEMANTICTOKENS_H
