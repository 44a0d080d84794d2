//===- Models.h - models of a program and their state ---------------------===//
//
// Models are made while compiling; their tensors are slots of the running
// program. Definitions: Models.cpp (making them), ModelMethods.cpp (calling
// them), ModelParts.cpp (listing their parts), ModelCopies.cpp (copying them),
// ModelPrinting.cpp, Slots.cpp (their state), Ties.cpp (tensors with two names)
// and InPlace.cpp (tensors that change in place).
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

/// What the program calls a slot: `w` for the `w.w` of `param w`, and without
/// the dtype that follows a colon (Models::castState).
llvm::StringRef shownName(llvm::StringRef slot);

/// How a tensor of a model gets a new value in PyTorch: other names of it show
/// the new value, or keep the old one.
enum class Write : uint8_t { InPlace, Replace };

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
  /// `param w = …` outside of a model: the name of its tensor, not read.
  Val makeParameter(const ast::LetStmt &stmt);
  Val callModel(const Val &model, CallArgs &args);
  Val callModelMethod(const Val &model, llvm::StringRef name, CallArgs &args);
  std::optional<Val> modelMember(const Val &model, llvm::StringRef name);

  // Names ------------------------------------------------------------------//

  std::string uniqueName(llvm::StringRef wanted);
  /// Names of models and optimizers, each with its last numeric suffix.
  llvm::StringMap<unsigned> usedNames;
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
  /// A value with the tensors in it that are not read yet (`isUnread`) read.
  Val readAll(const Val &val, SourceRange range);
  void writeSlot(Slot &slot, const Val &val, Write how = Write::InPlace);
  void rawWrite(llvm::StringRef slot, Value value);
  /// Records the first use of a slot's value.
  void useSlot(Slot &slot, llvm::StringRef use, SourceRange range);
  /// Forgets the cached reads, of one slot or of all.
  void forgetRead(llvm::StringRef slot) { readCache.erase(slot); }
  void forgetReads() { readCache.clear(); }
  /// State in order with its checkpoint keys, each slot once.
  void collectSlots(const Val &model, llvm::StringRef prefix,
                    std::vector<NamedSlot> &slots);
  /// `Block.expansion`: a field whose value needs no argument; nothing if the
  /// type of models has no field of this name.
  std::optional<Val> classMember(const ClassInfo &type, llvm::StringRef name,
                                 SourceRange range);
  std::vector<NamedSlot> slotsOf(const std::shared_ptr<ModelInstance> &model);
  /// Adds the slots of a save or load.
  void addToCheckpoint(Emitter::Checkpoint &checkpoint,
                       llvm::ArrayRef<NamedSlot> slots, llvm::StringRef use);
  // Parts (ModelParts.cpp) -------------------------------------------------//

  /// Tensors of a model with their keys, each once; they are not read.
  std::vector<NamedSlot> slotsOfKind(const Val &model, td::SlotKind kind);
  llvm::DenseSet<const Slot *> parameterSlotsOf(const Val &model);
  /// `net.parameters()`, `net.named_modules()` and similar methods.
  static bool isListOfParts(llvm::StringRef name);
  Val listParts(const Val &model, llvm::StringRef name, CallArgs &args);
  /// `net.apply(f)`: calls `f` for all parts, and then for the model.
  Val apply(const Val &model, CallArgs &args);

  // Copies and dtypes (ModelCopies.cpp) ------------------------------------//

  /// A model of its own with the current values.
  Val clone(const Val &model, SourceRange range);
  /// `target.load_state_dict(net.state_dict())`
  Val loadState(const Val &target, CallArgs &args);
  /// Converts the float tensors of a model; false after a report.
  bool castState(const Val &model, DType dtype, SourceRange range);
  std::shared_ptr<ModelInstance> makeModel();

  /// `b.weight = a.weight`: one tensor with two names.
  void tie(const ast::MemberExpr &target, ModelInstance &model,
           ModelInstance::Member &member, const Val &source);
  /// `net.fc = Linear(512, 10)`: whether it can mean that, and what it does.
  static bool canReplace(const ModelInstance::Member &member, const Val &val);
  /// Whether another model has it as a part.
  bool isPart(const ModelInstance &part) const;
  void replacePart(ModelInstance &model, ModelInstance::Member &member,
                   const Val &val, SourceRange range);

  // train, eval, freeze ----------------------------------------------------//

  /// Freezes one parameter, or ends that.
  void setLearning(Slot &slot, ModelState::Learning learning);
  /// Whether it is a parameter that is not frozen; that must be known here.
  bool isLearned(const Slot &slot, SourceRange range);

private:
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
  std::vector<std::string> droppedSlots; ///< those that no model holds any more
  unsigned learningCalls = 0; ///< calls of `freeze` and `unfreeze` so far
};

/// Whether steps change the parameter by this state of one of its models, and
/// the number of the call that decided it.
std::pair<ModelState::Learning, unsigned> learningOf(const ModelState &model,
                                                     const Slot *slot);

/// The model type that made a model.
Val typeOfModel(const ModelInstance &model);

/// Calls `visit` for a model and all models in it.
void forEachModel(ModelInstance &model,
                  llvm::function_ref<void(ModelInstance &)> visit);

} // namespace tdc::sema

#endif // TDC_LIB_FRONTEND_SEMA_MODELS_H
