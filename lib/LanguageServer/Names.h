//===- Names.h - the names of one file ------------------------------------===//
//
// Resolves names by the rules of scopes alone, without a check, so that it is
// complete for code that the checker does not walk. What follows a dot needs
// the checker, unless it follows `self`.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_LIB_LANGUAGESERVER_NAMES_H
#define TDC_LIB_LANGUAGESERVER_NAMES_H

#include "Frontend/AST.h"
#include "llvm/ADT/StringMap.h"

namespace tdc {

/// Something that has a name in the file. Declarations of one name in one scope
/// are one symbol.
struct Symbol {
  enum Kind : uint8_t {
    Variable,  ///< `let`, and the targets of loops
    Var,       ///< `var`
    Parameter, ///< of a function or a model
    Size,      ///< `B` of `f32[B, 10]`
    Argument,  ///< `arg`
    Function,
    Model,
    Module,   ///< `import a`
    Imported, ///< `from a import b`
    Method,
    Part ///< a field, `param` or `buffer` of a model
  };
  Kind kind;
  llvm::StringRef name;
  std::vector<SourceRange> declared; ///< in text order; at least one
  /// Function, Model, Method, Part, Argument, Module and Imported.
  const ast::Decl *decl = nullptr;
  const ast::ModelDecl *owner = nullptr; ///< Method and Part

  bool isMember() const { return kind == Method || kind == Part; }
};

/// A name in the text.
struct Occurrence {
  enum Kind : uint8_t {
    Declaration,
    Use,
    Member, ///< after a dot
    Keyword ///< of an argument
  };
  SourceRange range;
  Kind kind;
  int symbol;                      ///< -1: not a name of this file, or unknown
  const ast::Expr *base = nullptr; ///< Member: what precedes the dot
  const ast::Expr *callee = nullptr; ///< Keyword: the function
};

class Names {
public:
  explicit Names(const ast::Program &program);

  llvm::ArrayRef<Symbol> getSymbols() const { return symbols; }
  const Symbol &getSymbol(int index) const { return symbols[index]; }
  /// All names, in text order.
  llvm::ArrayRef<Occurrence> getAll() const { return occurrences; }
  /// The name at an offset or just before it, or null.
  const Occurrence *find(uint32_t offset) const;
  /// The member of a model, -1 if there is none.
  int findMember(const ast::ModelDecl &model, llvm::StringRef name) const;
  /// The parameter of a function or a model, -1 if there is none.
  int findParameter(int function, llvm::StringRef name) const;
  /// The symbol that is declared at a range, -1 if there is none.
  int findDeclared(SourceRange range) const;
  /// What the names around an offset mean, innermost scope first; a name that
  /// is hidden is not listed.
  std::vector<int> getVisible(uint32_t offset) const;
  /// Whether another file can say the symbol's name: it is declared at the top
  /// level, or is a method or a parameter.
  bool isShared(int symbol) const;
  /// The model around an offset, or null.
  const ast::ModelDecl *findModel(uint32_t offset) const;

private:
  friend class Resolver;

  struct Scope {
    int parent;
    SourceRange range;
    llvm::StringMap<int> names;
  };

  std::vector<Symbol> symbols;
  std::vector<Occurrence> occurrences;
  std::vector<Scope> scopes;
};

} // namespace tdc

#endif // TDC_LIB_LANGUAGESERVER_NAMES_H
