//===- Flow.h - how statements and blocks end -----------------------------===//

#ifndef TDC_LIB_FRONTEND_SEMA_FLOW_H
#define TDC_LIB_FRONTEND_SEMA_FLOW_H

#include "Frontend/AST.h"
#include <functional>

namespace tdc::sema {

/// How a statement ended: whether the next one of its block runs. What else
/// `break`, `continue` and `return` decide is in the variables of `exits`.
enum class Flow : uint8_t {
  Next,
  Left,
  Perhaps, ///< is known only at run time
};

/// The statements of a block after one of them.
struct Rest {
  llvm::ArrayRef<const ast::Stmt *> stmts;
  /// What follows the block in the same scope, if that is not its end.
  Rest *around = nullptr;
  /// To be done first.
  std::function<void()> before;
  bool isWalked = false;
};

} // namespace tdc::sema

#endif // TDC_LIB_FRONTEND_SEMA_FLOW_H
