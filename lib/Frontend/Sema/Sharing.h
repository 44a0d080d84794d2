//===- Sharing.h - names that are one tensor or list in PyTorch -----------===//
//
// In Python `b = a` gives a tensor or list a second name, and so do a part
// (`a[0]`), a list that holds it, and a parameter. Here each name has a value
// of its own. This finds the changes of which the two languages would show
// different things: a change through one name, and a read through another
// after it. It looks at the text of one function or of the program.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_LIB_FRONTEND_SEMA_SHARING_H
#define TDC_LIB_FRONTEND_SEMA_SHARING_H

#include "Frontend/AST.h"
#include "Frontend/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <functional>
#include <string>
#include <vector>

namespace tdc::sema {

/// A change that PyTorch would show under another name.
struct SharedChange {
  std::string changed; ///< the name, or `net.weight`, by which it is changed
  std::string other;   ///< what is read afterwards
  SourceRange change;  ///< the statement or call that changes it
  SourceRange link;    ///< where both became one; invalid if they are one name
  SourceRange read;    ///< of the other; invalid if it is a tensor of a model
  bool isOfCaller = false; ///< the other is a name of a caller
};

/// What the program knows of names and expressions that the text does not say.
struct SharingFacts {
  /// The name is bound to a list: an element that is changed changes in it, but
  /// a list that grows changes none of its elements.
  std::function<bool(llvm::StringRef name)> isList;
  /// The index picks elements by a tensor, which makes a copy.
  std::function<bool(llvm::StringRef name)> isTensor;
};

class Sharing {
public:
  /// Of the statements of a function's body or of a program.
  Sharing(llvm::ArrayRef<const ast::Stmt *> body, SourceRange range,
          SharingFacts facts);

  /// A harmful change of something that shares with `name`, which is to be
  /// declared: it is the one that gets another name, or that is kept in a list.
  std::optional<SharedChange> findChange(llvm::StringRef name) const;

  /// What is read after `call` and is the tensor `changed` in PyTorch; with
  /// `orItself` that may be this name. None if nothing is.
  std::optional<SharedChange> findRead(llvm::StringRef changed,
                                       SourceRange call, bool orItself) const;
  /// The statements and calls that change a name in place.
  std::vector<SourceRange> changesOf(llvm::StringRef name) const;
  /// Those that change what it was at the start.
  std::vector<SourceRange> changesOfGiven(llvm::StringRef name) const;

  /// The name that `name` was made another name of, if both still are one at
  /// `place`; empty if there is none.
  std::string findSource(llvm::StringRef name, uint32_t place) const;

  /// Whether `name` still is at `place` what it was at the start.
  bool isUnchangedAt(llvm::StringRef name, uint32_t place) const;

  /// Whether `place` follows any assignment through a method or a call that
  /// may change tensors of models, after `start`.
  bool mayChangeModels(uint32_t start, uint32_t place) const;

  /// The tensor or list of which an expression is a name or a part: `a` of
  /// `a[0].T`; empty if it makes a new one.
  std::string findRoot(const ast::Expr &expr) const;

  /// The call that covers exactly this range; null if there is none.
  const ast::CallExpr *findCall(SourceRange range) const;

  /// Whether the range is a statement that is an expression.
  bool isStatement(SourceRange range) const {
    return llvm::is_contained(statements, range);
  }
  /// Every occurrence of a name but those that give it another value.
  std::vector<SourceRange> occurrencesOf(llvm::StringRef name) const;
  /// Whether the name is there one of a comprehension.
  bool isHiddenAt(llvm::StringRef name, SourceRange place) const;
  /// How often the name is assigned to as a whole.
  unsigned countAssignments(llvm::StringRef name) const;

private:
  struct Event {
    std::string name;
    SourceRange range;
    uint32_t at = 0;        ///< when it happens, as a position in the text
    SourceRange block = {}; ///< around it
  };
  struct Link {
    std::string target, source;
    SourceRange range;
    uint32_t at = 0;
    bool isKept = false; ///< the target is a list or field that holds it
    bool isPart = false;
  };

  void visit(llvm::ArrayRef<const ast::Stmt *> stmts, SourceRange block);
  void visit(const ast::Stmt &stmt, SourceRange block);
  void visitBlock(const ast::Block *block);
  void visitTarget(const ast::Expr &target, const ast::AssignStmt &stmt,
                   SourceRange block);
  void visitLink(const ast::Expr &target, const ast::Expr &value,
                 SourceRange range);
  void bind(const ast::Target &target, uint32_t at, SourceRange block);
  /// Of a value that nothing uses before the whole is computed.
  void read(const ast::Expr *expr);
  /// What is only a name or a part is read at `at`, where it is used.
  void read(const ast::Expr &expr, uint32_t at);
  void readCall(const ast::CallExpr &call, uint32_t at);
  void change(const ast::Expr &target, SourceRange range, uint32_t at);
  void visitComprehension(const ast::ComprehensionExpr &expr,
                          llvm::function_ref<void(const ast::Expr &)> visit);
  void hide(const ast::Target &target, SourceRange scope);
  void keep(llvm::StringRef list, const ast::Expr &value, SourceRange range);
  std::string findRoot(const ast::Expr &expr, bool &isPart) const;

  bool isAlive(llvm::StringRef name, uint32_t from, uint32_t to) const;
  bool areSeparate(uint32_t from, uint32_t to) const;
  bool reaches(const Link &link, llvm::StringRef from, llvm::StringRef &to,
               const Event &change) const;
  std::optional<SharedChange> findRead(const Event &change,
                                       llvm::StringRef blamed, bool orItself,
                                       SourceRange ignored) const;
  void noteNames(const ast::Expr *expr);

  SourceRange whole;
  SharingFacts facts;
  std::vector<Event> assignments, changes, reads;
  std::vector<std::pair<llvm::StringRef, SourceRange>> names;
  std::vector<SourceRange> statements;
  /// Names of the comprehensions, and those around the visited expression.
  std::vector<std::pair<llvm::StringRef, SourceRange>> scopes;
  std::vector<llvm::StringRef> hidden;
  std::vector<Link> links;
  std::vector<SourceRange> loops, closed;
  std::vector<std::pair<SourceRange, SourceRange>> branches;
  std::vector<uint32_t> modelChanges;
  std::vector<const ast::CallExpr *> calls;
};

class Checker;
struct Val;

/// The statements around this point: those of frame `frame`, or of the program
/// if that is the number 0.
Sharing findSharing(Checker &c, size_t frame);

/// What is read after a call or statement and is in PyTorch the tensor or list
/// that `name` is, in the function that is being walked and its callers.
std::optional<SharedChange> findReadOf(Checker &c, llvm::StringRef name,
                                       SourceRange change, bool orItself);

/// The same of the changes of a parameter, or of an element in a loop over a
/// list, which are assignments here.
std::optional<SharedChange> findChangeOfGiven(Checker &c, llvm::StringRef name);

/// The same of a name of a function that is another name of a parameter.
std::optional<SharedChange> findChangeForCaller(Checker &c,
                                                llvm::StringRef name);

/// TD219 at the place where a name is to be declared.
Diagnostic &reportShared(Checker &c, const SharedChange &shared,
                         SourceRange range, bool isList);

/// `w = net.weight`, a name that the model's tensor has in PyTorch: offers to
/// write `net.weight` for it where that may be another tensor than it was.
/// False if a `let` means the same.
bool reportNameOfState(Checker &c, const ast::NameExpr &target,
                       const ast::AssignStmt &assign, const Val &val);

/// Whether that may be so of the assignment, if its value is such a tensor.
bool mayNameState(Checker &c, const ast::NameExpr &target,
                  const ast::AssignStmt &assign);

/// Reports a call that changes its argument in PyTorch, where that can be seen:
/// a layer with `inplace=true`, or `relu(x, inplace=true)`. False after a
/// report.
bool checkInPlaceCall(Checker &c, const ast::CallExpr &call, const Val &callee);

/// `self.relu(x)` as a statement, which changes `x` in PyTorch: reports it with
/// the assignment that does the same. False if it is something else.
bool reportInPlaceStatement(Checker &c, const ast::ExprStmt &stmt);

} // namespace tdc::sema

#endif // TDC_LIB_FRONTEND_SEMA_SHARING_H
