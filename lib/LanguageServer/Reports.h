//===- Reports.h - diagnostics and their fixes in an editor ---------------===//

#ifndef TDC_LIB_LANGUAGESERVER_REPORTS_H
#define TDC_LIB_LANGUAGESERVER_REPORTS_H

#include "Document.h"
#include "llvm/Support/JSON.h"

namespace tdc {

/// The diagnostics of an analysis in the form of the protocol, by document. The
/// document itself is always among them.
std::map<std::string, llvm::json::Array> getReports(const Analysis &analysis,
                                                    const lsp::URIForFile &uri);

/// The fixes of the diagnostics that touch a range, and all safe fixes of the
/// document together. Empty if the check of the latest text has not ended.
llvm::json::Array getCodeActions(const Document &document, lsp::Range range,
                                 llvm::ArrayRef<std::string> kinds);

} // namespace tdc

#endif // TDC_LIB_LANGUAGESERVER_REPORTS_H
