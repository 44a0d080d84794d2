//===- Training.h - gradients and optimizers of a program -----------------===//
//
// Definitions: Gradients.cpp, Optimizers.cpp, OptimizerSettings.cpp and
// OptimizerSteps.cpp.
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
  bool unfreezes = false; ///< the program or an import may unfreeze, anywhere

  // Gradients --------------------------------------------------------------//

  Val backward(const Val &loss, SourceRange range);
  /// `y.backward(v, retain_graph=true)`
  Val backward(const Val &output, const CallArgs &args);
  Val gradOf(const Val &target, const Val &wrt, SourceRange range);
  Val stopGradient(const Val &val);
  std::vector<Slot *> slotsWithGradients(const Val &parameters,
                                         SourceRange range);
  /// `zero_grad(set_to_none=true)`.
  void zeroGrad(llvm::ArrayRef<Slot *> slots, const CallArgs &args);
  void ensureGradSlot(Slot &slot);
  /// `net.weight.grad`: what `backward` left; stops the program if there is
  /// none.
  Val gradientLeft(Slot &slot, SourceRange range);
  void requireGradient(Slot &slot, SourceRange range);
  /// Whether there is one, as a bool of the running program.
  Val hasGradient(Slot &slot);

  // Optimizers -------------------------------------------------------------//

  /// The optimizer whose name the arguments were bound for.
  Val buildOptimizer(const Bound &args);
  Val buildGroup(const Bound &args);
  /// The slots of a model, of a parameter, or of several in a list; false after
  /// a report.
  bool collectParameters(const Val &val, SourceRange range,
                         std::vector<NamedSlot> &slots);
  Val callOptimizerMethod(const Val &optimizer, llvm::StringRef name,
                          CallArgs &args);
  /// `.param_groups` of an optimizer, and the settings of a group; those of an
  /// optimizer are its only group's. Nothing if there is no such member.
  std::optional<Val> settingMember(const Val &base, llvm::StringRef name,
                                   SourceRange range);
  void assignSetting(const Val &base, llvm::StringRef name, const Val &val,
                     SourceRange range);
  /// The names that `settingMember` knows.
  std::vector<llvm::StringRef> settingNames(const Val &base);
  /// The value of a setting now.
  Val readSetting(const ParameterGroup &group, llvm::StringRef name);
  /// Requires that a setting of an optimizer is not negative: reported while
  /// compiling, or checked when the program runs.
  void requireNotNegative(const Val &setting, llvm::StringRef name,
                          SourceRange range);
  /// The slots of a parameter's moments that are on its device.
  std::vector<std::string> tensorsOf(const OptimizerInfo &optimizer,
                                     const Slot &parameter) const;
  void addToCheckpoint(Emitter::Checkpoint &checkpoint,
                       const OptimizerInfo &optimizer, llvm::StringRef name);
  /// The type of a host number: it is on the cpu, wherever the model is.
  static TensorType hostNumber(DType dtype);
  /// Reads and writes such a number in a slot.
  Val readNumber(llvm::StringRef slot, DType dtype);
  void writeNumber(llvm::StringRef slot, const Val &number, DType dtype);
  /// Declares the slot of a number that an optimizer or a loader keeps.
  void declareNumber(llvm::StringRef slot, llvm::StringRef instance,
                     const Val &initial, DType dtype);
  /// The same for an optimizer; returns the name of the slot.
  std::string declareNumber(const OptimizerInfo &optimizer, llvm::StringRef key,
                            const Val &initial, DType dtype);
  /// Whether a number or a flag is 0 or false, whatever the run.
  static bool isOff(const Val &setting);

private:
  ParameterGroup *onlyGroup(const Val &base, llvm::StringRef name,
                            SourceRange range);
  /// Declares the slots of a setting, with its value.
  void keepInSlots(ParameterGroup &group, llvm::StringRef name, const Val &val);
  /// The `initial_lr` of a group is its `lr` when it is first asked for; false
  /// after a report.
  bool ensureInitialRate(ParameterGroup &group, SourceRange range);
  /// Checks the settings of a group and takes those that it was not given from
  /// the optimizer's arguments; false after a report.
  bool completeSettings(const OptimizerKind &kind, ParameterGroup &group,
                        const Bound &args);
  /// The parameters that steps change, with their moments; false after a
  /// report.
  bool addLeaves(OptimizerInfo &info, SourceRange range);
  /// Declares the moments that need a setting, where there are none yet.
  void addMoments(ParameterGroup &group, llvm::StringRef setting);
  void addLeaf(OptimizerInfo &info, ParameterGroup &group,
               const NamedSlot &named, SourceRange range);
  void optimizerStep(OptimizerInfo &optimizer, const Val *gradients,
                     SourceRange range);

  Checker &c;
};

} // namespace tdc::sema

#endif // TDC_LIB_FRONTEND_SEMA_TRAINING_H
