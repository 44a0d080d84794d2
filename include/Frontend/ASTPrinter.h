//===- ASTPrinter.h - a syntax tree as text -------------------------------===//
//
// For tests, and to show how the parser read a text. Statements are one per
// line, indented by their blocks; expressions are prefix forms in which every
// grouping is visible: `a + b * c` prints as `(+ a (* b c))`.
//
//===----------------------------------------------------------------------===//
#ifndef TDC_FRONTEND_ASTPRINTER_H
#define TDC_FRONTEND_ASTPRINTER_H

#include "Frontend/AST.h"
#include "llvm/Support/raw_ostream.h"

namespace tdc::ast {

void print(llvm::raw_ostream &os, const Program &program);
void print(llvm::raw_ostream &os, const Stmt &stmt);
void print(llvm::raw_ostream &os, const TypeExpr &type);
void print(llvm::raw_ostream &os, const Expr &expr);

} // namespace tdc::ast

#endif // TDC_FRONTEND_ASTPRINTER_H
