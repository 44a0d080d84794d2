//===- Lints.h - what is valid and rarely meant ---------------------------===//
//
// Warnings about training and evaluation that need what the checker knows of
// the whole program (TD610, TD612, TD614 to TD622), and about texts (TD223). A
// comment `# tdc: allow(TD612)` says that it is meant. Definitions:
// GradientLints.cpp for TD610 and TD612, EvaluationLints.cpp for TD615 to
// TD618, CheckpointLints.cpp for TD619, StepLints.cpp for TD620 to TD622, and
// Lints.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_LIB_FRONTEND_SEMA_LINTS_H
#define TDC_LIB_FRONTEND_SEMA_LINTS_H

#include "Builtins.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
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

  /// `backward` adds to these gradients.
  void addsTo(llvm::ArrayRef<std::string> gradients);
  /// The gradient of a parameter is cleared here.
  void clearsGradient(const Slot &slot);
  /// A call changes gradients for the step that comes next.
  void clips(llvm::ArrayRef<Slot *> parameters);
  /// A step of an optimizer; it changes the parameters `byGradients` by what
  /// `backward` left in their gradients.
  void steps(const OptimizerInfo &optimizer,
             llvm::ArrayRef<const Slot *> byGradients);

  /// A schedule of the optimizer's learning rate was made.
  void makesSchedule(const Val &optimizer);
  /// A schedule sets the rate of the optimizer's next steps.
  void stepsSchedule(const Val &optimizer);
  /// A part of a model is replaced.
  void replacesPart(const Val &former, const Val &part, SourceRange range);

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
  /// A checkpoint is saved with these values by keyword.
  void saves(const Val &path, llvm::ArrayRef<CallArgs::Keyword> keywords);

  /// Reports what only the whole program shows.
  void finish();

private:
  /// A loop over the batches of a loader.
  struct Rows {
    std::shared_ptr<LoaderInfo> loader;
    SourceRange range; ///< of what the loop calls it
    size_t trainings;  ///< loops with gradients before it
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

  /// The schedules of an optimizer.
  struct Scheduled {
    SourceRange made; ///< the last one
    bool isStepped = false;
    SourceRange early;       ///< a step of one before any step of the optimizer
    bool hasStepped = false; ///< the optimizer
  };
  /// A clip of gradients that no `backward` has added to since they were used
  /// or cleared.
  struct Clip {
    SourceRange range;
    std::vector<std::string> gradients;
    SourceRange step;    ///< that used them before, or else that uses them next
    bool isLate = false; ///< the step was before it
    bool isWithoutUse = false; ///< something else than a step comes next
  };
  /// A part that was replaced after an optimizer was made.
  struct Replaced {
    SourceRange range;
    std::shared_ptr<OptimizerInfo> optimizer;
    llvm::DenseSet<const Slot *> parameters; ///< of the new part
    bool isStepped = false, isLearned = false;
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
  /// Whether the point is reached in every iteration of the loop around it.
  bool isAlwaysReached() const;
  /// The iteration of the innermost loop, 0 outside of loops.
  unsigned iteration() const;
  void stepsScheduled(const OptimizerInfo &optimizer);
  void clearsClipped(const Slot &slot);
  void usesClipped(llvm::ArrayRef<const Slot *> byGradients);
  void stepsReplaced(const OptimizerInfo &optimizer);
  void checkSchedules();
  void checkClips();
  void checkReplaced();

  Checker &c;
  // What the program does; a walk aside is no part of it.
  std::vector<Rows> read, evaluated; ///< with gradients, and without
  std::vector<TrainingMode> modes;   ///< outside of loops
  std::vector<Restored> restored;
  llvm::MapVector<const OptimizerInfo *, Scheduled> scheduled;
  std::vector<Clip> clipped;
  llvm::StringSet<> unused; ///< gradients that `backward` left for a step
  /// The last step that used a gradient, and the loop that it is in.
  llvm::StringMap<std::pair<SourceRange, unsigned>> usedBy;
  std::vector<Replaced> replaced;
};

} // namespace tdc::sema

#endif // TDC_LIB_FRONTEND_SEMA_LINTS_H
