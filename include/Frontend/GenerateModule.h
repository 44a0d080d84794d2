//===- GenerateModule.h - td IR of a checked program ----------------------===//
//
// The emitter made here (lib/Frontend/MLIREmitter) answers each call of the
// checker with ops of td, scf, arith and math. Apart from ops, the module
// holds:
//
//   func.func @main                          the top-level statements
//   func.func @NAME attributes {td.export}   an `export fn`; each parameter has
//                                            its name as `td.name`, and its doc
//                                            comment is `td.help`
//   td.arguments on the module               the `arg`s, in order: an array of
//       {name = "epochs", type = i64, default = "5", help = "…"}
//       (type i64, f64, i1 or !td.str; no `default` = the user must give it;
//       `device`: the text names a device; `fixed`: the user cannot give it)
//   td.name, td.help on the module           what --help of the program shows
//   td.code on a td.assert                   the error's number (else 101)
//   td.excerpts on the module                if asked for, by position:
//       [location, the source line and a mark, words for an index that is out
//       of range, with {index}, {size} and {last}, or ""]
//
// Every op's location is a position in the source. An op of a called function
// has a CallSiteLoc chain up to the top-level statement.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_FRONTEND_GENERATEMODULE_H
#define TDC_FRONTEND_GENERATEMODULE_H

#include "Frontend/Source.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace mlir {
class MLIRContext;
class ModuleOp;
} // namespace mlir

namespace tdc {

class Emitter;

/// The start of a program's `--help`: its name, and its description (may be
/// empty).
struct ProgramTitle {
  llvm::StringRef name;
  llvm::StringRef help;
};

/// Whether the program has excerpts of its source, for errors when it runs.
enum class EmbedSource : bool { No, Yes };

/// Runs `walk` with an emitter that builds a module. Returns the module, or
/// null if `walk` returns false (it has reported why). Loads the dialects that
/// it needs into `context`. Ranges given to the emitter point into `sources`.
mlir::OwningOpRef<mlir::ModuleOp>
generateModule(mlir::MLIRContext &context, const SourceManager &sources,
               const ProgramTitle &title, EmbedSource embed,
               llvm::function_ref<bool(Emitter &)> walk);

} // namespace tdc

#endif // TDC_FRONTEND_GENERATEMODULE_H
