//===- Protocol.h - messages that LLVM's library lacks --------------------===//

#ifndef TDC_LIB_LANGUAGESERVER_PROTOCOL_H
#define TDC_LIB_LANGUAGESERVER_PROTOCOL_H

#include "llvm/Support/LSP/Protocol.h"

namespace tdc {

struct RenameParams : llvm::lsp::TextDocumentPositionParams {
  std::string newName;
};
bool fromJSON(const llvm::json::Value &value, RenameParams &params,
              llvm::json::Path path);

/// Any request about one document as a whole.
struct DocumentParams {
  llvm::lsp::TextDocumentIdentifier textDocument;
};
bool fromJSON(const llvm::json::Value &value, DocumentParams &params,
              llvm::json::Path path);

} // namespace tdc

#endif // TDC_LIB_LANGUAGESERVER_PROTOCOL_H
