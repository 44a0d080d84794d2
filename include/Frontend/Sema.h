//===- Sema.h - the checker's entry ---------------------------------------===//
//
// One walk over a program checks it, evaluates what is constant and tells an
// Emitter what happens at run time. All errors of the author are found here.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_FRONTEND_SEMA_H
#define TDC_FRONTEND_SEMA_H

#include "Frontend/AST.h"
#include "Frontend/FrontEnd.h"

namespace tdc {

/// Checks the program that was parsed from `file` and emits its version for a
/// machine with the devices of the options. Imported files and prelude files
/// are added to `sources` and `context`. After the first error nothing more
/// reaches `emitter`, so its contents are useful only if `diags` has no errors
/// afterwards. `context` must outlive the emitter's use of source locations.
///
/// Returns the numbers of GPUs for which the program has versions of its own,
/// largest first. With final devices it returns the number of GPUs of the
/// machine if the program or `--device` names one, else nothing.
llvm::SmallVector<int64_t> check(SourceManager &sources, ast::Context &context,
                                 FileId file, const ast::Program &program,
                                 const CheckOptions &options,
                                 DiagnosticEngine &diags, Emitter &emitter);

} // namespace tdc

#endif // TDC_FRONTEND_SEMA_H
