//===- Scopes.h - the names of a program ----------------------------------===//
//
// A name is looked up in the blocks around it, then among the file's own
// declarations, the builtins and the prelude. Functions and models of a file
// are declared before its statements run. Definitions: Scopes.cpp, and of the
// reports Declarations.cpp and NameReports.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_LIB_FRONTEND_SEMA_SCOPES_H
#define TDC_LIB_FRONTEND_SEMA_SCOPES_H

#include "Bindings.h"

namespace tdc::sema {

class Checker;

class Scopes {
public:
  explicit Scopes(Checker &c) : c(c) {}

  FileScope *file = nullptr; ///< the file that is being walked
  Scope *scope = nullptr;    ///< the innermost one

  // Blocks -----------------------------------------------------------------//

  void pushScope();
  void popScope();
  Binding *lookup(llvm::StringRef name);
  void bind(llvm::StringRef name, SourceRange range, Val val, bool isVar);
  /// Gives a tensor its name in the program; names of the prelude are not the
  /// program's.
  void nameTensor(const Val &val, llvm::StringRef name, SourceRange range);
  /// Marks the names in code that is not walked, because it is known not to
  /// run, as used.
  void useNamesIn(SourceRange range);
  /// The names of the program that are known here.
  std::vector<llvm::StringRef> variablesHere() const;

  // Files, the prelude and modules -----------------------------------------//

  FileScope *loadFile(FileId file, bool isPrelude);
  FileScope *findFile(FileId id) const { return filesById.lookup(id); }
  void importItems(const ast::ImportDecl &import);
  std::optional<Val> findGlobal(llvm::StringRef name);
  std::optional<Val> findInModule(llvm::StringRef module, llvm::StringRef name);
  std::optional<Val> findPrelude(llvm::StringRef name);
  /// A builtin, or what the prelude declares.
  std::optional<Val> findFunction(llvm::StringRef name);
  /// A function of the language that can be called as a method of its first
  /// argument.
  std::optional<Val> findMethod(llvm::StringRef name);
  /// Whether a member is a method with a meaning of its own, which can only be
  /// called.
  static bool hasMethod(const Val &base, llvm::StringRef name);
  /// Whether it is a method of models or of optimizers that calls nothing of
  /// the program.
  static bool callsNothing(llvm::StringRef method);
  /// The names of fields and methods, for `hasattr` and suggestions.
  std::vector<llvm::StringRef> membersOf(const Val &base);

  // Unknown names ----------------------------------------------------------//

  void reportUnknown(llvm::StringRef name, SourceRange range);
  /// Reports an assignment of `val` to a name that nothing declares.
  void reportUndeclared(const ast::NameExpr &target, const Val &val);
  /// Offers to declare a new name for a parameter or a loop variable that is
  /// assigned to; false if `declared` is neither.
  bool offerCopy(Diagnostic &report, const ast::NameExpr &target,
                 SourceRange declared);
  /// Offers to declare a name of the function that has the name of a variable
  /// of the program, as Python does; false if it would mean something else.
  bool offerOwn(Diagnostic &report, const ast::NameExpr &target);
  /// Declares a name that was reported, so that no second report follows.
  void poison(llvm::StringRef name, SourceRange range);
  /// Offers the candidate that a misspelt name was meant to be, if any.
  void offerNearest(Diagnostic &report, llvm::StringRef name, SourceRange range,
                    llvm::ArrayRef<llvm::StringRef> candidates);
  /// Says that a value has no member of this name, which ends `range`.
  Val reportNoMember(const Val &base, SourceRange range, llvm::StringRef name);
  Val reportNotInModule(llvm::StringRef module, const ast::Identifier &name);
  /// The same of a module that is a file, unless it could not be read as a
  /// whole.
  Val reportNotInFile(DiagCode code, const FileScope &module,
                      llvm::StringRef path, const ast::Identifier &name);
  /// Notes that the program has another use for a name of the language.
  void noteHidden(Diagnostic &report, llvm::StringRef name);

private:
  /// Notes where a name that is not known here is declared in another block;
  /// false if nowhere.
  bool noteOtherBlock(Diagnostic &report, llvm::StringRef name,
                      SourceRange use) const;
  /// Offers what to write for `args.epochs` or `if __name__ == "__main__"`;
  /// false if it is neither.
  bool offerOfScript(Diagnostic &report, llvm::StringRef name,
                     SourceRange range);
  /// Whether a name that is unknown here is one of PyTorch's; reports it then.
  /// `owner` is "." for a member of a tensor, "model." or "opt.".
  bool reportPyTorchName(llvm::StringRef name, SourceRange range,
                         llvm::StringRef owner);

  Checker &c;
  std::vector<std::unique_ptr<FileScope>> files;
  llvm::DenseMap<FileId, FileScope *> filesById;
};

} // namespace tdc::sema

#endif // TDC_LIB_FRONTEND_SEMA_SCOPES_H
