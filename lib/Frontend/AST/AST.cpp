//===- AST.cpp - how operators are written --------------------------------===//
//
// The spellings of the operators, in the order of their enumerations.
//
//===----------------------------------------------------------------------===//
#include "Frontend/AST.h"

using namespace tdc::ast;

template <size_t N, typename Op>
static llvm::StringRef pick(const llvm::StringLiteral (&spellings)[N], Op op) {
  assert(static_cast<size_t>(op) < N && "an operator without a spelling");
  return spellings[static_cast<size_t>(op)];
}

llvm::StringRef tdc::ast::getSpelling(UnaryOp op) {
  static constexpr llvm::StringLiteral spellings[] = {"-", "~", "not"};
  return pick(spellings, op);
}

llvm::StringRef tdc::ast::getSpelling(BinaryOp op) {
  static constexpr llvm::StringLiteral spellings[] = {
      "or", "and", "|", "^",  "&", "<<", ">>", "+",
      "-",  "*",   "/", "//", "%", "@",  "**"};
  return pick(spellings, op);
}

llvm::StringRef tdc::ast::getSpelling(CompareOp op) {
  static constexpr llvm::StringLiteral spellings[] = {"==", "!=", "<",
                                                      "<=", ">",  ">="};
  return pick(spellings, op);
}

llvm::StringRef tdc::ast::getSpelling(AssignOp op) {
  static constexpr llvm::StringLiteral spellings[] = {
      "=",   "+=", "-=", "*=", "/=", "//=", "%=",
      "**=", "@=", "|=", "^=", "&=", "<<=", ">>="};
  return pick(spellings, op);
}
