//===- ASTWalk.h - what expressions and statements consist of -------------===//

#ifndef TDC_FRONTEND_ASTWALK_H
#define TDC_FRONTEND_ASTWALK_H

#include "Frontend/AST.h"
#include "Frontend/Source.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <string>

namespace tdc::ast {

/// Calls `visit` with each expression directly below `expr`, in text order.
void forEachChild(const Expr &expr,
                  llvm::function_ref<void(const Expr &)> visit);

/// The expressions that a statement has outside of its blocks, in text order,
/// the target of an assignment included. Declarations have none.
llvm::SmallVector<const Expr *, 2> expressionsOf(const Stmt &stmt);

/// The blocks of an `if`, a loop or a `with`, in text order.
llvm::SmallVector<const Block *, 2> blocksOf(const Stmt &stmt);

/// The parameters of a function or a model; other declarations have none.
llvm::ArrayRef<Param> paramsOf(const Decl &decl);

/// The text of a function or a model before its body, on one line.
std::string headOf(const SourceManager &sources, const Decl &decl);

/// Whether `isIt` is true of the expression or of one in it, at any depth.
bool anyExpr(const Expr &expr, llvm::function_ref<bool(const Expr &)> isIt);

/// Whether `isIt` is true of an expression in the statement, at any depth.
bool anyExpr(const Stmt &stmt, llvm::function_ref<bool(const Expr &)> isIt);

/// Whether `isIt` is true of an expression in the block, at any depth.
bool anyExpr(const Block &block, llvm::function_ref<bool(const Expr &)> isIt);

} // namespace tdc::ast

#endif // TDC_FRONTEND_ASTWALK_H
