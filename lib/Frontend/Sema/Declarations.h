//===- Declarations.h - where a declaration is missing --------------------===//

#ifndef TDC_LIB_FRONTEND_SEMA_DECLARATIONS_H
#define TDC_LIB_FRONTEND_SEMA_DECLARATIONS_H

#include "Frontend/AST.h"

namespace tdc::sema {

/// How many errors compare their name with all others of the program. Each
/// comparison takes time, and the author of so many errors looks at the first
/// ones.
constexpr unsigned kMostExplained = 1000;

/// How to declare a name that Python would declare by assigning to it.
struct MissingDeclaration {
  /// The assignment that should be a declaration, or null if it is not there.
  const ast::AssignStmt *assignment = nullptr;
  bool isPlain = false;  ///< it is `name = …` or `a, name = …`
  bool isInBody = false; ///< it is in the outermost of the blocks
  bool isVar = false;    ///< it is assigned again
  bool isOnly = false;   ///< nothing else assigns to it anywhere
  /// Every use of the name follows an assignment in a block around it.
  bool reachesAll = false;
  bool isRead = false;
  /// An `if` before which the name can be declared: both sides give it a value,
  /// and all uses are in it or follow it in its block.
  const ast::IfStmt *choice = nullptr;
};

/// Looks at how `name` is used in the statements of a block or a program, which
/// end at `end`. `at` is where it is assigned.
MissingDeclaration findMissing(llvm::ArrayRef<const ast::Stmt *> body,
                               uint32_t end, llvm::StringRef name,
                               SourceRange at);

/// The body of the loop among these statements that declares a name at `at`;
/// null if there is none.
const ast::Block *findLoopBody(llvm::ArrayRef<const ast::Stmt *> stmts,
                               SourceRange at);

} // namespace tdc::sema

#endif // TDC_LIB_FRONTEND_SEMA_DECLARATIONS_H
