//===- StepLints.h - what misses the steps of an optimizer ----------------===//
//
// Schedules (TD620), clips (TD621) and parts of models (TD622). The order of
// events is that of the program's walk, in which the body of a loop comes once.
// Nothing is recorded in a walk aside.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_LIB_FRONTEND_SEMA_STEPLINTS_H
#define TDC_LIB_FRONTEND_SEMA_STEPLINTS_H

#include "Values.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace tdc::ast {
struct FnDecl;
} // namespace tdc::ast

namespace tdc::sema {

class Checker;

/// A call of the user's code.
struct CallSite {
  SourceRange range;
  unsigned iteration = 0; ///< of the innermost loop; 0 outside of loops
  const ast::FnDecl *function = nullptr; ///< around it; null in a file

  bool isNear(const CallSite &other) const {
    return iteration == other.iteration && function == other.function;
  }
};

/// A schedule that steps before its optimizer, or never (TD620).
class ScheduleLint {
public:
  explicit ScheduleLint(Checker &c) : c(c) {}

  /// A schedule of the optimizer's learning rate was made. `parts`: those that
  /// it steps.
  void makes(const Val &schedule, const Val &optimizer,
             llvm::ArrayRef<Val> parts);
  /// `counts`: each of its steps changes the rate, the first one, too.
  void steps(const Val &schedule, bool counts);
  void stepsOptimizer(const OptimizerInfo &optimizer);
  void report();

private:
  struct Schedule {
    std::shared_ptr<ModelInstance> model;
    std::shared_ptr<OptimizerInfo> optimizer;
    SourceRange made;
    bool isPart = false; ///< of another one
    bool isStepped = false, isOptimizerStepped = false;
    CallSite first; ///< its first step, if the optimizer has none before it
    bool isAhead = false; ///< one of the optimizer follows in the iteration
  };
  Schedule *find(const Val &schedule);

  Checker &c;
  std::vector<Schedule> schedules;
};

/// A clip of gradients that no step uses (TD621).
class ClipLint {
public:
  explicit ClipLint(Checker &c) : c(c) {}

  /// `backward` or the program leaves gradients of these parameters.
  void leaves(llvm::ArrayRef<const Slot *> parameters);
  void clears(const Slot &parameter);
  /// A call limits the gradients of these parameters.
  void limits(llvm::ArrayRef<Slot *> parameters);
  /// A step uses the gradients of these parameters.
  void steps(llvm::ArrayRef<const Slot *> parameters);
  void report();

private:
  /// A clip of gradients that were used or cleared since `backward` left them.
  struct Clip {
    CallSite site;
    llvm::DenseSet<const Slot *> parameters;
    std::optional<CallSite> step; ///< the one before it, or the next one
    bool isLate = false;          ///< the step is before it
  };
  /// Whether something else than a step comes next for some of the parameters.
  void overwrites(llvm::ArrayRef<const Slot *> parameters);

  Checker &c;
  std::vector<Clip> pending; ///< no event since
  std::vector<Clip> useless;
  llvm::DenseSet<const Slot *> left; ///< gradients for the next step
  llvm::DenseMap<const Slot *, CallSite> usedBy; ///< the last step
};

/// A part of a model that was replaced after its optimizer was made (TD622).
class PartLint {
public:
  explicit PartLint(Checker &c) : c(c) {}

  void replaces(const Val &former, const Val &part, SourceRange range);
  void stepsOptimizer(const OptimizerInfo &optimizer);
  void report();

private:
  struct Replaced {
    SourceRange range;
    Val part;
    std::shared_ptr<OptimizerInfo> optimizer; ///< of the former part
    bool isMissed = false; ///< a step while a model has the part
  };
  /// Whether `step` could change some parameter of the part.
  bool canLearn(const Val &part);

  Checker &c;
  std::vector<Replaced> replaced;
  llvm::DenseSet<const Slot *> stepped; ///< parameters of all steps
};

} // namespace tdc::sema

#endif // TDC_LIB_FRONTEND_SEMA_STEPLINTS_H
