//===- Checker.h - the walk over a program, and its parts -----------------===//
//
// Abstract interpretation with elaboration: statements are executed in order,
// calls are walked in place with their argument values, and run-time actions go
// to the emitter.
//
// Each part owns its state and has a header of its own. A builtin has the
// checker and reaches the parts through it, as do most parts. The constructors
// of HostScalars, Devices and Formatting list what these parts use.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_LIB_FRONTEND_SEMA_CHECKER_H
#define TDC_LIB_FRONTEND_SEMA_CHECKER_H

#include "Calls.h"
#include "ControlFlow.h"
#include "DataParallel.h"
#include "Devices.h"
#include "Formatting.h"
#include "HostScalars.h"
#include "Indexing.h"
#include "Lints.h"
#include "Models.h"
#include "Places.h"
#include "Reporter.h"
#include "Scopes.h"
#include "Sharing.h"
#include "Tensors.h"
#include "Training.h"
#include "Types.h"

namespace tdc::sema {

class Checker : public Reporter {
public:
  Checker(SourceManager &sources, ast::Context &context,
          const CheckOptions &options, DiagnosticEngine &diags,
          Emitter &emitter)
      : Reporter(sources, diags, emitter, options.observer), context(context),
        options(options) {}

  ast::Context &context;
  const CheckOptions &options;

  Scopes scopes{*this};
  Sharing sharing{*this};
  HostScalars host{*this};
  Types types{*this};
  Devices devices{*this, options, scopes, host};
  Places places{*this};
  Tensors tensors{*this};
  Indexing indexing{*this};
  Formatting formatting{*this, host, places, tensors};
  Models models{*this};
  DataParallel dataParallel{*this};
  Training training{*this};
  Calls calls{*this};
  ControlFlow control{*this};
  Lints lints{*this};

  void run(FileId file, const ast::Program &program);

  // Statements (Statements.cpp, Assignments.cpp) ---------------------------//

  /// May also walk the statements that follow.
  Flow exec(const ast::Stmt &stmt, Rest &rest);
  Flow execBlock(const ast::Block &block);
  Flow execLet(const ast::LetStmt &stmt);
  Flow execAssign(const ast::AssignStmt &stmt);
  void bindTarget(const ast::Target &target, Val val, bool isVar = false,
                  bool warnUnused = false);
  bool unpack(const Val &val, size_t count, SourceRange range, Vals &parts);

  // Expressions (Expressions.cpp, Operators.cpp) ---------------------------//

  Val eval(const ast::Expr &expr, const ast::TypeExpr *expected = nullptr);
  /// The same, but a name of a tensor of a model may be left unread.
  Val evalUnread(const ast::Expr &expr,
                 const ast::TypeExpr *expected = nullptr);
  /// The same for what is changed in place: `net.fc.weight`, its `.data` and
  /// its `.grad` are not read.
  Val evalTarget(const ast::Expr &expr);
  /// With `isRead` false, a tensor of a model is returned without its value.
  Val evalMember(const ast::MemberExpr &expr, bool isRead = true);
  /// `changesFirst`: the function changes its first argument in place.
  bool evalArguments(llvm::ArrayRef<ast::Argument> args, CallArgs &out,
                     bool changesFirst = false);
  /// `[0] * 3` and `"-" * 10`.
  Val repeat(const Val &sequence, const Val &times, SourceRange range);
  Val binary(ast::BinaryOp op, const Val &lhs, const Val &rhs,
             SourceRange range);
  Val compareVals(ast::CompareOp op, const Val &lhs, const Val &rhs,
                  SourceRange range);
  Val negate(const Val &operand, SourceRange range);

  // What an editor shows (Observation.cpp) ---------------------------------//

  /// Tells the observer, if there is one, what an expression or a name is.
  void observe(SourceRange range, const Val &val);
  /// The same for a member of `base`.
  void observeMember(const Val &base, const ast::Identifier &name,
                     const Val &val);

  // Tensors of models that change in place (InPlace.cpp) -------------------//

  /// Gives an unread tensor of a model a new value; reports what does not fit.
  void writeTarget(const Val &target, Val val, SourceRange range,
                   Write how = Write::InPlace);

private:
  /// An option of the command line (Arguments.cpp).
  void execArg(const ast::ArgDecl &arg);
  Flow execExpr(const ast::ExprStmt &stmt);
  Flow execWith(const ast::WithStmt &stmt, Rest &rest);
  Flow execWithDevice(const ast::WithStmt &stmt, Rest &rest);
  Flow execAssert(const ast::AssertStmt &stmt);
  /// `isPlain`: of `x = v` as a whole, not of a part of `x` or `x += v`.
  void assignTo(const ast::Expr &target, const Val &val, SourceRange opRange,
                bool isPlain = false);
  void assignName(const ast::NameExpr &target, Val val, bool isPlain);
  void assignMember(const ast::MemberExpr &target, const Val &val,
                    bool isPlain);
  /// `net.classifier[6] = Linear(4096, 10)`; false if it does not mean that.
  bool replaceNumberedPart(const Val &base, const ast::SubscriptExpr &target,
                           const Val &val);
  // Lists that change (Lists.cpp)
  /// `xs[0] = v`.
  void assignElement(const ast::SubscriptExpr &target, Val list,
                     const Val &val);
  /// `xs.pop()` and other methods that change the list `target`.
  Val changeList(const ast::Expr &target, Val list,
                 const ast::Identifier &method, const CallArgs &args);
  void assignHostNumber(const ast::MemberExpr &target,
                        ModelInstance::Member &member, Val val);
  void assignState(const ast::MemberExpr &target, ModelInstance &model,
                   ModelInstance::Member &member, Val val, bool isPlain);
  /// `p.mul_(2)`, where `p` is an unread tensor of a model, which is the
  /// result.
  Val changeInPlace(const Val &target, const ast::Identifier &method,
                    CallArgs &args);
  /// Whether a value can be the new one of a tensor of a model; reports if not.
  bool fits(const Slot &slot, llvm::StringRef name, const Val &val,
            SourceRange range);
  /// `x.mul_(2)` and `init.ones_(x)`, where `x`, the target, is a variable or a
  /// part of one: the result is its new value.
  Val changeVariable(const ast::CallExpr &call, const ast::Expr &target,
                     const Val &old, const ast::Identifier &method,
                     CallArgs &args);
  /// What such calls changed: `x` for `x.mul_(2)` in `x.mul_(2).add_(1)`.
  llvm::DenseMap<const ast::Expr *, const ast::Expr *> chained;
  /// Reports `x[index][0] = v` and `x[index].add_(v)`, where PyTorch would
  /// change a copy of a part of `x` only.
  bool reportPickedTarget(const ast::Expr &target, const Val &picked);
  /// Whether the target is a variable or an element of a list, and not a tensor
  /// of a model.
  bool isVariable(const ast::Expr &target);
  /// The tensor of a model that a name or an element of a list is.
  std::optional<Val> findState(const ast::Expr &target);
  /// `p += x` and `p[0] = x`, where `p` is a tensor of a model; false if it is
  /// something else.
  bool assignUnread(const ast::Expr &target, const Val &val, SourceRange range);
  /// `p.requires_grad = false`, `p.data = x` and `p.grad = none`.
  void assignField(const Val &target, const ast::Identifier &field, Val val,
                   SourceRange range);
  /// The value of an assignment; a tensor of a model is not read (Ties.cpp).
  Val evalAssigned(const ast::AssignStmt &stmt);

  Val evalAny(const ast::Expr &expr, const ast::TypeExpr *expected);
  Val evalName(const ast::NameExpr &expr);
  Val evalFString(const ast::FStringExpr &expr);
  Val evalSelf(const ast::Expr &expr);
  Val evalElements(ValKind kind, llvm::ArrayRef<const ast::Expr *> elements,
                   const ast::TupleType *expected = nullptr);
  /// Evaluates a member before it is known whether it is called.
  Val memberOf(const ast::MemberExpr &expr, bool isRead = true);
  Val member(const Val &base, const ast::Identifier &name, SourceRange range);
  Val evalCall(const ast::CallExpr &expr, const ast::TypeExpr *expected);
  Val evalUnary(const ast::UnaryExpr &expr);
  Val evalBinary(const ast::BinaryExpr &expr);
  Val evalCompare(const ast::CompareExpr &expr);
};

} // namespace tdc::sema

#endif // TDC_LIB_FRONTEND_SEMA_CHECKER_H
