//===- Lints.h - what is valid and rarely meant ---------------------------===//
//
// Warnings about training and evaluation that need what the checker knows of
// the whole program (TD610, TD612, TD614 to TD622), and about texts (TD223). A
// comment `# tdc: allow(TD612)` says that it is meant. Definitions:
// GradientLints.cpp for TD610 and TD612, EvaluationLints.cpp for TD615 to
// TD618, CheckpointLints.cpp for TD619, and Lints.cpp; StepLints.h has TD620 to
// TD622.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_LIB_FRONTEND_SEMA_LINTS_H
#define TDC_LIB_FRONTEND_SEMA_LINTS_H

#include "Builtins.h"
#include "StepLints.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringSet.h"

namespace tdc::sema {

class Checker;
struct LoopRecord;

/// A call of `backward`.
struct Backward {
  struct Model {
    std::string name;
    std::vector<std::string> gradients; ///< the slots that may be added to
  };
  SourceRange range;
  std::vector<Model> models;
};

/// A call without gradients of what is for training alone.
struct TrainingMode {
  SourceRange call;  ///< of a model of the program, or `layer`
  SourceRange layer; ///< the user's call that led to it
  std::string does;
  bool isInEval = false; ///< the model has `eval()`: the layer does not ask it
};

/// A call without gradients that changes images at random.
struct Augmentation {
  SourceRange call; ///< the user's
  std::string does;
};

/// A loss of inputs on a scale, as a function and as a model.
struct OtherLoss {
  Scale scale = Scale::Any;
  llvm::StringRef function, model;
};

class Lints {
public:
  explicit Lints(Checker &c) : schedules(c), clips(c), parts(c), c(c) {}

  ScheduleLint schedules;
  ClipLint clips;
  PartLint parts;
  SourceRange statement; ///< the expression that is a statement of its own

  /// Checks the order of `backward`, `zero_grad` and `step` in a block (TD612).
  void checkOrder(llvm::ArrayRef<const ast::Stmt *> stmts);

  /// The gradient of a parameter is cleared here.
  void clearsGradient(const Slot &slot);
  /// The program reads the gradient of a parameter.
  void readsGradient(const Slot &slot);
  /// The program writes the gradient of a parameter: this may clear it.
  void writesGradient(const Slot &slot);
  /// A step of an optimizer; it changes the parameters `byGradients` by what
  /// `backward` left in their gradients.
  void steps(const OptimizerInfo &optimizer,
             llvm::ArrayRef<const Slot *> byGradients);

  /// Checks a text for the names of variables in braces, as in an f-string
  /// (TD223).
  void checkText(const ast::StringExpr &expr);

  /// A loss is given `input`, which it takes to be on the scale `expected`
  /// (TD614). `other`: the same loss of another scale, if there is one.
  void checkInput(const Val &input, Scale expected, const OtherLoss &other);

  /// Code runs that is for training alone: it `does` something else than in
  /// evaluation (TD615).
  void runsForTraining(llvm::StringRef does);
  /// Images change at random: the code `does` that.
  void augments(llvm::StringRef does);
  /// A loop begins over the batches of a loader; its number, if it is recorded.
  std::optional<size_t> loopsOver(const Val &loader, const ast::ForStmt &loop);
  void endLoop(LoopRecord &loop);

  /// A checkpoint is read into models.
  void restores(SourceRange range, const Val &path,
                llvm::ArrayRef<const Val *> models, bool hasOptimizer);
  /// A checkpoint is saved with these values by keyword.
  void saves(const Val &path, llvm::ArrayRef<CallArgs::Keyword> keywords);

  /// Reports what only the whole program shows.
  void finish();

private:
  /// A loop over the batches of a loader.
  struct Rows {
    std::shared_ptr<LoaderInfo> loader;
    SourceRange range; ///< of what the loop calls it
    bool hasGradients; ///< it is not in a `with no_grad`
    bool isNamedTest;
    bool mayStop; ///< it is for a look at some batches
    bool trains = false;

    bool isEvaluation() const {
      return !mayStop && (!hasGradients || (isNamedTest && !trains));
    }
  };
  struct NamedVal {
    std::string name;
    Val val;
  };
  /// A checkpoint that is read without an optimizer.
  struct Restored {
    SourceRange range;
    SourceRange
        outermost; ///< the call in the program's statements that led here
    Val path;
    Vals models; ///< they own the parameters
    llvm::DenseSet<const Slot *> parameters;
    /// The optimizers and models that have a name at this point.
    llvm::SmallVector<NamedVal> named;
    bool isStepped = false;
    /// What is saved there later, with its keyword, an optimizer among it.
    llvm::SmallVector<NamedVal> saved;
  };

  void checkStep(llvm::ArrayRef<const ast::Stmt *> around,
                 llvm::ArrayRef<const ast::Stmt *> before,
                 const ast::Stmt &stmt);
  void checkAccumulation(llvm::ArrayRef<const ast::Stmt *> block,
                         const ast::IfStmt &branch);
  void reportOrder(const ast::Stmt &backward, const ast::Stmt &cleared,
                   const ast::Stmt &step, bool mayExchange);
  bool clears(const ast::Expr &cleared, const ast::Expr &optimizer);
  void checkClearing(LoopRecord &loop);
  void reportAdded(const Backward &backward);
  std::string nameOf(const LoaderInfo &loader, SourceRange range);
  /// The loop around this point that evaluates by what its loader is called,
  /// outside of a `with no_grad`; null if there is none.
  LoopRecord *findTest();
  void checkRows();
  void stepsRestored(const OptimizerInfo &optimizer);
  void checkRestored();

  Checker &c;
  // What the program does; a walk aside is no part of it.
  std::vector<Rows> rows;          ///< in the order of their loops
  std::vector<TrainingMode> modes; ///< outside of loops
  std::vector<Restored> restored;
};

} // namespace tdc::sema

#endif // TDC_LIB_FRONTEND_SEMA_LINTS_H
