//===- Flow.h - how statements and blocks end -----------------------------===//

#ifndef TDC_LIB_FRONTEND_SEMA_FLOW_H
#define TDC_LIB_FRONTEND_SEMA_FLOW_H

#include "Frontend/AST.h"
#include <functional>

namespace tdc::sema {

/// How a statement ended: whether the next statement of its block runs. The
/// variables of `exits` hold the rest of what `break`, `continue` and `return`
/// decide.
enum class Flow : uint8_t {
  Next,
  Left,
  Perhaps, ///< is known only at run time
};

/// The statements of a block after one of them.
struct Rest {
  llvm::ArrayRef<const ast::Stmt *> stmts;
  /// The statements that follow the block in the same scope; null if the scope
  /// ends with the block.
  Rest *around = nullptr;
  /// Called before the statements are walked.
  std::function<void()> before;
  bool isWalked = false;
};

} // namespace tdc::sema

#endif // TDC_LIB_FRONTEND_SEMA_FLOW_H
