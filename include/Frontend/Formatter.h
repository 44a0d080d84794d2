//===- Formatter.h - the layout of a source file --------------------------===//
//
// Rewrites the white space of a file in the one layout that docs/Formatting.md
// describes. It needs the tokens only, so it works on a file whose imports are
// missing or that has mistakes of names and types.
//
//===----------------------------------------------------------------------===//
#ifndef TDC_FRONTEND_FORMATTER_H
#define TDC_FRONTEND_FORMATTER_H

#include "Frontend/Diagnostics.h"
#include <optional>
#include <string>

namespace tdc {

/// The formatted text of a file: the same tokens and comments in the same
/// order. Formatting it again changes nothing. Returns nullopt if the file does
/// not parse; the errors go to `diags`, as those of parseFile.
std::optional<std::string> formatFile(const SourceManager &sources, FileId file,
                                      DiagnosticEngine &diags);

} // namespace tdc

#endif // TDC_FRONTEND_FORMATTER_H
