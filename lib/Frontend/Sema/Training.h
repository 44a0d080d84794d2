//===- Training.h - gradients and optimizers of a program -----------------===//
//
// Definitions: Gradients.cpp and Optimizers.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_LIB_FRONTEND_SEMA_TRAINING_H
#define TDC_LIB_FRONTEND_SEMA_TRAINING_H

#include "Builtins.h"

namespace tdc::sema {

class Checker;

class Training {
public:
  explicit Training(Checker &c) : c(c) {}

  std::vector<std::shared_ptr<OptimizerInfo>> optimizers;
  unsigned noGrad = 0; ///< `with no_grad` blocks around this point
  /// Whether each `lr` is kept in a slot: the program assigns an `lr`, or it or
  /// an import saves or restores a checkpoint.
  bool keepsRates = false;
  bool unfreezes = false; ///< the program or an import may unfreeze, anywhere

  // Gradients --------------------------------------------------------------//

  Val backward(const Val &loss, SourceRange range);
  Val gradOf(const Val &target, const Val &wrt, SourceRange range);
  Val stopGradient(const Val &val);
  std::vector<Slot *> slotsWithGradients(const Val &model, SourceRange range);
  void zeroGrad(const Val &model, SourceRange range);
  void ensureGradSlot(Slot &slot);

  // Optimizers -------------------------------------------------------------//

  Val buildOptimizer(OptimizerKind kind, const Bound &args);
  Val callOptimizerMethod(const Val &optimizer, llvm::StringRef name,
                          CallArgs &args);
  Val learningRate(OptimizerInfo &optimizer);
  /// Requires that a setting of an optimizer is not negative: reported while
  /// compiling, or checked when the program runs.
  void requireNotNegative(const Val &setting, llvm::StringRef name,
                          SourceRange range);

private:
  /// Reads a setting such as `lr=`; false after a report.
  bool takeSetting(OptimizerInfo &info, const Bound &args, llvm::StringRef name,
                   const Val &otherwise);
  bool takeSettings(OptimizerInfo &info, const Bound &args);
  /// The parameters that steps change, with their moments.
  void addLeaves(OptimizerInfo &info, SourceRange range);
  void optimizerStep(OptimizerInfo &optimizer, const Val *gradients,
                     SourceRange range);

  Checker &c;
};

} // namespace tdc::sema

#endif // TDC_LIB_FRONTEND_SEMA_TRAINING_H
