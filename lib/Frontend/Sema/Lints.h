//===- Lints.h - what is valid and rarely meant ---------------------------===//
//
// Warnings about training and evaluation that need what the checker knows of
// the whole program (TD610, TD612, TD614 to TD619), and about texts (TD223). A
// comment `# tdc: allow(TD612)` says that it is meant. Definitions:
// GradientLints.cpp for TD610 and TD612, EvaluationLints.cpp for TD615 to
// TD618, CheckpointLints.cpp for TD619, and Lints.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_LIB_FRONTEND_SEMA_LINTS_H
#define TDC_LIB_FRONTEND_SEMA_LINTS_H

#include "Values.h"
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
  explicit Lints(Checker &c) : c(c) {}

  /// Checks the order of `backward`, `zero_grad` and `step` in a block (TD612).
  void checkOrder(llvm::ArrayRef<const ast::Stmt *> stmts);

  /// The gradient of a parameter is cleared here.
  void clearsGradient(const Slot &slot);
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
  /// A loop begins over the batches of a loader.
  void loopsOver(const Val &loader, const ast::ForStmt &loop);
  void endLoop(LoopRecord &loop);

  /// A checkpoint is read into models.
  void restores(SourceRange range, const Val &path,
                llvm::ArrayRef<const Val *> models, bool hasOptimizer);
  /// An optimizer is saved to a checkpoint by this keyword.
  void savesOptimizer(const Val &path, llvm::StringRef keyword,
                      const Val &optimizer);

  /// Reports what only the whole program shows.
  void finish();

private:
  /// A loop over the batches of a loader.
  struct Rows {
    std::shared_ptr<LoaderInfo> loader;
    SourceRange range; ///< of what the loop calls it
    size_t trainings;  ///< loops with gradients before it
  };
  /// A checkpoint that is read without an optimizer.
  struct Restored {
    SourceRange range;
    SourceRange
        outermost; ///< the call in the program's statements that led here
    Val path;
    Vals models; ///< they own the parameters
    llvm::DenseSet<const Slot *> parameters;
    /// The optimizers that have a name at this point.
    std::vector<std::pair<std::string, std::shared_ptr<OptimizerInfo>>>
        optimizers;
    bool isStepped = false;
    /// The optimizer that is saved there later, and its keyword.
    std::shared_ptr<OptimizerInfo> saved;
    std::string keyword;
  };

  void checkStep(llvm::ArrayRef<const ast::Stmt *> around,
                 llvm::ArrayRef<const ast::Stmt *> before,
                 const ast::Stmt &stmt);
  void reportOrder(const ast::Stmt &backward, const ast::Stmt &cleared,
                   const ast::Stmt &step);
  bool clears(const ast::Expr &cleared, const ast::Expr &optimizer);
  void checkClearing(LoopRecord &loop);
  void reportAdded(const Backward &backward);
  std::string nameOf(const Rows &rows);
  void checkRows();
  void stepsRestored(const OptimizerInfo &optimizer);
  void checkRestored();

  Checker &c;
  // What the program does; a walk aside is no part of it.
  std::vector<Rows> read, evaluated; ///< with gradients, and without
  std::vector<TrainingMode> modes;   ///< outside of loops
  std::vector<Restored> restored;
};

} // namespace tdc::sema

#endif // TDC_LIB_FRONTEND_SEMA_LINTS_H
