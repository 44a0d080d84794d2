//===- ASTWalk.h - the direct children of an expression -------------------===//

#ifndef TDC_FRONTEND_ASTWALK_H
#define TDC_FRONTEND_ASTWALK_H

#include "Frontend/AST.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace tdc::ast {

/// Calls `visit` with each expression directly below `expr`, in text order.
void forEachChild(const Expr &expr,
                  llvm::function_ref<void(const Expr &)> visit);

} // namespace tdc::ast

#endif // TDC_FRONTEND_ASTWALK_H
