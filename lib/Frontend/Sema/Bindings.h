//===- Bindings.h - names and what they are bound to ----------------------===//

#ifndef TDC_LIB_FRONTEND_SEMA_BINDINGS_H
#define TDC_LIB_FRONTEND_SEMA_BINDINGS_H

#include "Values.h"

namespace tdc::sema {

struct Binding {
  Val val;
  SourceRange declared;
  /// An annotated `var` keeps its type.
  const ast::TypeExpr *annotation = nullptr;
  bool isVar = false;
  bool used = false;
  bool warnUnused = false;
  bool isSize = false; ///< introduced by a type: `B` of `f32[B, 10]`
};

struct Scope {
  Scope *parent = nullptr;
  llvm::StringMap<Binding> names;

  Binding *lookup(llvm::StringRef name) {
    for (Scope *scope = this; scope; scope = scope->parent) {
      auto found = scope->names.find(name);
      if (found != scope->names.end())
        return &found->second;
    }
    return nullptr;
  }
};

/// A file: its declarations and its top-level bindings.
struct FileScope {
  FileId id = 0;
  const ast::Program *program = nullptr;
  bool hasSyntaxErrors = false; ///< some of its names may be missing
  Scope scope;
};

/// Variables that no program can name; they record how the walk of a block
/// ended. They are carried and joined like all others.
namespace exits {
/// The rest of a loop's iteration is skipped.
inline constexpr llvm::StringLiteral kSkips = "continue";
/// A loop has no further iteration.
inline constexpr llvm::StringLiteral kBreaks = "break";
/// A function is over.
inline constexpr llvm::StringLiteral kReturns = "return";
/// The function's result: an error value before anything was returned.
inline constexpr llvm::StringLiteral kResult = "return value";
} // namespace exits
bool isExit(llvm::StringRef name);

/// Only literals, names and operators: no call.
bool isConstantExpr(const ast::Expr &expr);

} // namespace tdc::sema

#endif // TDC_LIB_FRONTEND_SEMA_BINDINGS_H
