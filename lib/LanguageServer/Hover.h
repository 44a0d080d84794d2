//===- Hover.h - what is known of a position ------------------------------===//

#ifndef TDC_LIB_LANGUAGESERVER_HOVER_H
#define TDC_LIB_LANGUAGESERVER_HOVER_H

#include "Document.h"
#include "llvm/Support/JSON.h"

namespace tdc {

/// The type, the sizes and the device of a name, the signature and the comment
/// of a function, and the explanations of the diagnostics at the position. Null
/// if nothing is known.
llvm::json::Value getHover(Document &document, lsp::Position position);

} // namespace tdc

#endif // TDC_LIB_LANGUAGESERVER_HOVER_H
