//===- ASTWalk.h - what an expression consists of -------------------------===//

#ifndef TDC_FRONTEND_ASTWALK_H
#define TDC_FRONTEND_ASTWALK_H

#include "Frontend/AST.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace tdc::ast {

/// Calls `visit` with the expressions directly below `expr`, in the order of
/// the text.
void forEachChild(const Expr &expr,
                  llvm::function_ref<void(const Expr &)> visit);

} // namespace tdc::ast

#endif // TDC_FRONTEND_ASTWALK_H
