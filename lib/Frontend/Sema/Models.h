//===- Models.h - models of a program and their state ---------------------===//
//
// Models are made while compiling; their tensors are slots of the running
// program. Definitions: Models.cpp (making them), ModelMethods.cpp (calling
// them), Slots.cpp (their state) and Ties.cpp (tensors with two names).
//
//===----------------------------------------------------------------------===//

#ifndef TDC_LIB_FRONTEND_SEMA_MODELS_H
#define TDC_LIB_FRONTEND_SEMA_MODELS_H

#include "Builtins.h"

namespace tdc::sema {

class Checker;

/// A tensor of a model with its key in a checkpoint.
struct NamedSlot {
  std::string key;
  Slot *slot;
  llvm::SmallVector<std::string, 1> aliases; ///< further keys
};

class Models {
public:
  explicit Models(Checker &c) : c(c) {}
  ~Models();

  std::vector<std::shared_ptr<ModelInstance>> all;
  /// The models under construction; innermost last.
  std::vector<ModelInstance *> building;
  std::string nameHint; ///< the binding that is being made

  // Making and calling -----------------------------------------------------//

  Val construct(const ClassInfo &cls, CallArgs &args);
  /// TD216: a model or an optimizer is made where it may be made again.
  Diagnostic &reportMadeOnce(llvm::StringRef what, SourceRange range);
  Val callModel(const Val &model, CallArgs &args);
  Val callModelMethod(const Val &model, llvm::StringRef name, CallArgs &args);
  std::optional<Val> modelMember(const Val &model, llvm::StringRef name);

  // Names ------------------------------------------------------------------//

  std::string uniqueName(llvm::StringRef wanted);
  void nameModels(const Val &val, llvm::StringRef name);
  void ensureSlotNamed(Slot &slot);
  /// Precedes a branch or loop of the running program: models are named once,
  /// before it.
  void nameAllModels();
  /// Tells the emitter the names that slots have in the end.
  void nameAliases();

  // State ------------------------------------------------------------------//

  /// The type of a slot. It has no place, because its contents can move.
  TensorShape slotShape(const TensorType &type);
  Val readSlot(Slot &slot, SourceRange range);
  void writeSlot(Slot &slot, const Val &val);
  void rawWrite(llvm::StringRef slot, Value value);
  /// Records the first use of a slot's value.
  void useSlot(Slot &slot, llvm::StringRef use, SourceRange range);
  /// Forgets the cached reads, of one slot or of all.
  void forgetRead(llvm::StringRef slot) { readCache.erase(slot); }
  void forgetReads() { readCache.clear(); }
  /// State in order with its checkpoint keys, each slot once.
  void collectSlots(const Val &model, llvm::StringRef prefix,
                    std::vector<NamedSlot> &slots);
  std::vector<NamedSlot> slotsOf(const std::shared_ptr<ModelInstance> &model);
  /// Adds the slots of a save or load.
  void addToCheckpoint(Emitter::Checkpoint &checkpoint,
                       llvm::ArrayRef<NamedSlot> slots, llvm::StringRef use);
  /// `b.weight = a.weight`: one tensor with two names.
  void tie(const ast::MemberExpr &target, ModelInstance &model,
           ModelInstance::Member &member, const Val &source);
  /// `net.fc = Linear(512, 10)`: whether it can mean that, and what it does.
  static bool canReplace(const ModelInstance::Member &member, const Val &val);
  void replacePart(ModelInstance &model, ModelInstance::Member &member,
                   const Val &val, SourceRange range);

  // train, eval, freeze ----------------------------------------------------//

  /// Whether it is a parameter that is not frozen; that must be known here.
  bool isLearned(const Slot &slot, SourceRange range);

private:
  std::shared_ptr<ModelInstance> makeModel();
  Val constructNative(const ClassInfo &cls, CallArgs &args);
  void buildMembers(ModelInstance &model,
                    llvm::ArrayRef<const ast::Decl *> members);
  void buildState(ModelInstance &model, const ast::StateDecl &decl);
  /// `buffer n: int = 0`.
  void buildHostNumber(ModelInstance &model, const ast::StateDecl &decl,
                       DType dtype);
  /// Makes the models in a value parts of the one that is being built. False
  /// after an error.
  bool adopt(const Val &val, SourceRange range);
  /// Whether another model has it as a part.
  bool isPart(const ModelInstance &part) const;
  Val callSequential(const Val &model, CallArgs &args);
  void nameRoot(ModelInstance &model, llvm::StringRef name);
  void declareSlot(Slot &slot, llvm::StringRef key, llvm::StringRef instance);
  void setMode(ModelInstance &model, ModelState::Mode mode);
  bool isTraining(const Val &model, SourceRange range, bool &training);
  void setLearning(ModelInstance &model, ModelState::Learning learning);

  Checker &c;
  /// All models that were made, including those that the program dropped.
  std::vector<std::weak_ptr<ModelInstance>> instances;
  size_t namedModels = 0; ///< how many of `all` have a name, or are parts
  llvm::StringMap<Value> readCache;
  /// Names of models and optimizers, each with its last numeric suffix.
  llvm::StringMap<unsigned> usedNames;
  std::vector<std::string> droppedSlots; ///< those that no model holds any more
  unsigned learningCalls = 0; ///< calls of `freeze` and `unfreeze` so far
};

/// Calls `visit` for a model and all models in it.
void forEachModel(ModelInstance &model,
                  llvm::function_ref<void(ModelInstance &)> visit);

} // namespace tdc::sema

#endif // TDC_LIB_FRONTEND_SEMA_MODELS_H
