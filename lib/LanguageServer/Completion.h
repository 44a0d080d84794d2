//===- Completion.h - what can be typed at a position ---------------------===//

#ifndef TDC_LIB_LANGUAGESERVER_COMPLETION_H
#define TDC_LIB_LANGUAGESERVER_COMPLETION_H

#include "Document.h"

namespace tdc {

/// After a dot the members of the value, which takes a check up to there; in a
/// call the names of its parameters; the names that are visible, the functions
/// of the language and its keywords.
lsp::CompletionList getCompletion(Document &document, lsp::Position position,
                                  const OpenTexts &open);

} // namespace tdc

#endif // TDC_LIB_LANGUAGESERVER_COMPLETION_H
