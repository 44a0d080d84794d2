//===- LanguageServer.h - .tdsl in editors --------------------------------===//
//
// A server of the Language Server Protocol, 3.17 (docs/Editors.md).
//
//===----------------------------------------------------------------------===//

#ifndef TDC_LANGUAGESERVER_LANGUAGESERVER_H
#define TDC_LANGUAGESERVER_LANGUAGESERVER_H

#include "llvm/Support/raw_ostream.h"
#include <cstdio>

namespace tdc {

/// Answers the client of `in` and `out` until it ends the server. Returns
/// whether it asked for the shutdown first, as the protocol says. What is wrong
/// with messages goes to stderr.
bool runLanguageServer(std::FILE *in, llvm::raw_ostream &out);

} // namespace tdc

#endif // TDC_LANGUAGESERVER_LANGUAGESERVER_H
