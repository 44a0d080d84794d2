//===- InlayHints.h - types and copies between the words of a program -----===//

#ifndef TDC_LIB_LANGUAGESERVER_INLAYHINTS_H
#define TDC_LIB_LANGUAGESERVER_INLAYHINTS_H

#include "Document.h"
#include "llvm/Support/JSON.h"

namespace tdc {

/// The types of tensors that are declared in a range without a type, and the
/// copies to other devices there that the compiler adds.
llvm::json::Array getInlayHints(Document &document, lsp::Range range);

} // namespace tdc

#endif // TDC_LIB_LANGUAGESERVER_INLAYHINTS_H
