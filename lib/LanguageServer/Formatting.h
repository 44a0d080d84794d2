//===- Formatting.h - the layout of a document ----------------------------===//

#ifndef TDC_LIB_LANGUAGESERVER_FORMATTING_H
#define TDC_LIB_LANGUAGESERVER_FORMATTING_H

#include "Document.h"
#include "llvm/Support/JSON.h"

namespace tdc {

/// The edit that makes a document look as `tdc fmt` writes it, of the lines
/// from the first to the last that change. An error if the document does not
/// parse.
llvm::Expected<llvm::json::Value> getFormatting(const Document &document);

} // namespace tdc

#endif // TDC_LIB_LANGUAGESERVER_FORMATTING_H
