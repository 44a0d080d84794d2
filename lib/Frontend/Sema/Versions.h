//===- Versions.h - one program on different machines ---------------------===//

#ifndef TDC_LIB_FRONTEND_SEMA_VERSIONS_H
#define TDC_LIB_FRONTEND_SEMA_VERSIONS_H

#include "Frontend/AST.h"
#include "Frontend/FrontEnd.h"

namespace tdc::sema {

/// Implements FrontEnd::check for a program that was parsed from `file`. Adds
/// imported files and prelude files to `sources` and `context`.
Machines checkVersions(SourceManager &sources, ast::Context &context,
                       FileId file, const ast::Program &program,
                       const CheckOptions &options, DiagnosticEngine &diags,
                       Emitter &emitter);

} // namespace tdc::sema

#endif // TDC_LIB_FRONTEND_SEMA_VERSIONS_H
