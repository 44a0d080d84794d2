//===- Values.h - what an expression can be while a program is checked ----===//
//
// A Val is a host scalar (known now, or computed when the program runs), a
// tensor, or something that exists only while compiling: a model, a list, a
// device, a function. Tensors and run-time scalars hold the emitter's handle.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_LIB_FRONTEND_SEMA_VALUES_H
#define TDC_LIB_FRONTEND_SEMA_VALUES_H

#include "Dialect/TD/OpTable/ShapeRules.h"
#include "Frontend/AST.h"
#include "Frontend/Emitter.h"
#include "Frontend/Typed/TypedBuilder.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"
#include <map>

namespace tdc::sema {

class Checker;
struct Builtin;
struct FileScope;

enum class ValKind : uint8_t {
  Error, ///< already reported; accepted everywhere in silence
  None,
  Int,
  Float,
  Bool,
  Str,
  Device,
  DType,
  Tensor,
  Tuple,
  List,
  Model,
  State, ///< `net.state_dict()`
  Class,
  Function,
  Builtin,
  Optimizer,
  ParameterGroup,
  Dataset,
  Sampler,
  Generator,
  Loader,
  Range,
  Enumerate,
  Zip, ///< of tensors, whose rows the running program picks
  Namespace,
};

struct Payload {
  virtual ~Payload() = default;
};

/// One value. Copying is cheap: large data is shared and immutable, except
/// models, optimizers, generators and loaders, which have identity.
struct Val {
  ValKind kind = ValKind::Error;
  /// Float, Bool and Str: the value is known now. Function: it is a BoundCall.
  /// Model: its parameters are meant, see `isParameters`.
  bool known = false;
  bool truth = false;
  double number = 0;
  /// Int: always; a run-time int is a size variable of its own.
  Size size;
  /// Bool: its value on the machine that is compiled for, if that is known.
  /// Types must not depend on it.
  std::optional<bool> onThisMachine;
  /// The emitter's value; null for a known scalar that no op has needed yet.
  Value value;
  /// The user's expression that gave the value, for diagnostics.
  SourceRange range;
  /// Int: its literal, through any names, or the name of the `arg`; invalid if
  /// the int is computed.
  SourceRange written;
  /// Tensor, Tuple and List: what PyTorch would share with other values
  /// (Sharing.h); 0 for a value that nothing else shares yet.
  unsigned shareId = 0;
  std::shared_ptr<Payload> data;

  bool is(ValKind k) const { return kind == k; }
  bool isError() const { return kind == ValKind::Error; }
  bool isHostScalar() const {
    return kind == ValKind::Int || kind == ValKind::Float ||
           kind == ValKind::Bool;
  }
  template <typename T> T &as() const { return static_cast<T &>(*data); }
  template <typename T> std::shared_ptr<T> share() const {
    return std::static_pointer_cast<T>(data);
  }
};

using Vals = llvm::SmallVector<Val, 4>;

/// By PyTorch's rule a value that was never placed is on the cpu.
inline bool isCpuOrFree(const Place &place) {
  return place.kind == Place::Kind::Free || place.kind == Place::Kind::Cpu;
}

struct Slot;

/// What the numbers of a classifier's result are.
enum class Scale : uint8_t { Any, Score, Probability, LogProbability };

struct TensorInfo : Payload {
  TensorType type;
  Scale scale = Scale::Any;
  /// The user's call that decided the scale, and what it was given.
  SourceRange scaled, unscaled;
  /// The slot of which this is an unmodified read, or null.
  std::shared_ptr<Slot> state;
  /// The slot whose gradient this is, if it is not read yet; see `isUnread`.
  std::shared_ptr<Slot> gradientOf;
  /// The parameter by which `grad` took this derivative, if it is unchanged.
  std::shared_ptr<Slot> derivativeBy;
  SourceRange placed; ///< where the place was decided; invalid while free
  /// The call that made it, if the call takes `device=` and has none.
  SourceRange made;

  /// The slot that an unread tensor (`isUnread`) names.
  Slot &slot() const { return gradientOf ? *gradientOf : *state; }
};

/// The text of a Str that is known, or else the template and the values from
/// which it is made when needed (so `print` can join it to its own template).
struct Text : Payload {
  std::string text;
  llvm::SmallVector<Value> values;
};

struct Sequence : Payload {
  Vals elements;
  size_t extent = 0;      ///< see `extentOf`
  bool hasUnread = false; ///< at any depth, see `isUnread`
};

struct DTypeInfo : Payload {
  DType dtype = DType::F32;
};

/// A device value. A free place is the place, not decided yet, of a tensor.
struct DeviceInfo : Payload {
  Place place;
  bool isWord = false; ///< bare `cuda`: `with device` says which one
  SourceRange made;
};

struct RangeInfo : Payload {
  Val from, to, step;
};

struct EnumerateInfo : Payload {
  Val inner;
  int64_t start = 0;
};

struct ZipInfo : Payload {
  Vals iterables;
};

struct ModelInstance;

/// A tensor of a model's state.
struct Slot : std::enable_shared_from_this<Slot> {
  std::string name; ///< of the emitter's slot; empty until the root is named
  td::SlotKind kind = td::SlotKind::Param;
  TensorType type;
  /// Declared as an int, float or bool: a 0-d tensor that stays on the cpu, and
  /// a host number in the program.
  bool isHostNumber = false;
  std::string gradName; ///< its grad slot, once there is one
  /// The slot that says whether there is a gradient; PyTorch's is none before
  /// the first `backward` and after `zero_grad`.
  std::string hasGradName;
  Value initial; ///< to be written when the slot gets its name
  /// The value that was last written, if it is known: not inside loops and
  /// conditions of the running program.
  Value written;
  SourceRange declared;
  ModelInstance *owner = nullptr; ///< one of `holders`
  /// The models that have it as a member: several if it is tied.
  llvm::SmallVector<ModelInstance *, 1> holders;
  /// The first use of its value: before that it can be tied.
  llvm::StringRef use; ///< a literal
  /// Where the first use was: the calls that led there, outermost first, and
  /// its place.
  llvm::SmallVector<SourceRange, 2> used;
};

/// `Module` is the type of all models, and makes none. A `DataParallel` has one
/// part, `module`, and `device_ids` and `output_device` in its `config`.
enum class NativeModel : uint8_t {
  None,
  Sequential,
  ModuleList,
  Module,
  DataParallel
};

/// The name of a native type of models.
llvm::StringRef spelling(NativeModel type);

/// The state of a model at one point of the program.
struct ModelState {
  Place place;
  SourceRange moved;
  std::optional<Place> otherwise; ///< its place on another path to this point
  enum Mode : uint8_t { Train, Eval, Unknown } mode = Train;
  /// Whether steps change its parameters; `Either` depends on the path.
  enum Learning : uint8_t { Learned, Frozen, Either } learning = Learned;
  unsigned learningSetAt = 0; ///< the number of the call that set it
  /// The same of the parameters that were set on their own since.
  std::map<const Slot *, std::pair<Learning, unsigned>> ownLearning;
  /// The number of the last iteration of a loop that had begun when the place,
  /// the mode, or the freezing was set; of several paths to this point, the
  /// earliest. An iteration around this point that began no later has set it on
  /// every path.
  unsigned placedInIteration = 0, modeSetInIteration = 0,
           learningSetInIteration = 0;
};

struct ModelInstance : Payload, ModelState {
  const ast::ModelDecl *decl = nullptr;
  FileScope *file = nullptr;
  NativeModel native = NativeModel::None;
  std::string typeName;
  std::string name; ///< of the instance; empty until named
  llvm::StringMap<Val> config;
  /// Members in order: a value, or a slot.
  struct Member {
    std::string name;
    Val val;
    std::shared_ptr<Slot> slot;
  };
  std::vector<Member> members;
  llvm::StringMap<size_t> index;
  bool adopted = false;  ///< it is a part of another model
  bool isFormer = false; ///< it was one, until another part replaced it

  /// Whether it is a list of models: a Sequential or a ModuleList.
  bool isList() const {
    return native == NativeModel::Sequential ||
           native == NativeModel::ModuleList;
  }
  SourceRange made; ///< the call in the user's code

  Member *find(llvm::StringRef name) {
    auto found = index.find(name);
    return found == index.end() ? nullptr : &members[found->second];
  }
  Member &add(llvm::StringRef name) {
    index[name] = members.size();
    members.emplace_back();
    members.back().name = name.str();
    return members.back();
  }
};

/// The states of all models at the end of a path through the program.
struct ModelStates {
  std::vector<ModelState> models;
  bool isLeft = false; ///< by `break`, `continue` or `return`: it ends there
};

struct ClassInfo : Payload {
  const ast::ModelDecl *decl = nullptr;
  FileScope *file = nullptr;
  NativeModel native = NativeModel::None;
};

struct FunctionInfo : Payload {
  const ast::FnDecl *decl = nullptr;
  FileScope *file = nullptr;
  std::shared_ptr<ModelInstance> self; ///< of a method
};

struct BuiltinInfo : Payload {
  const Builtin *builtin = nullptr;
};

struct NamespaceInfo : Payload {
  std::string name;
  FileScope *file = nullptr; ///< of an imported file
};

/// A function or builtin bound to its first argument: `x.relu`.
struct BoundCall : Payload {
  Val callee, receiver;
};

struct OptimizerKind;
struct OptimizerInfo;

/// Parameters with the same settings. Before it is part of an optimizer, it has
/// only what `group` was given, and no leaves.
struct ParameterGroup : Payload {
  Val parameters;
  llvm::StringMap<Val> settings; ///< lr, momentum, betas …
  /// The slots of the numbers of those settings that change: `lr`, and what the
  /// program assigns; also of `initial_lr`, once a schedule has asked for it.
  std::map<std::string, llvm::SmallVector<std::string, 2>> slots;
  OptimizerInfo *optimizer = nullptr;
  size_t index = 0; ///< in the optimizer
  struct Leaf {
    Slot *parameter;
    std::string path;
    /// The slots of the kind's moments; empty where the settings need none.
    llvm::SmallVector<std::string, 2> moments;
    /// Counts the steps in which the parameter had no gradient or was frozen.
    /// Empty if the kind does not count steps.
    std::string missedSlot;
  };
  std::vector<Leaf> leaves;
};

struct OptimizerInfo : Payload {
  SourceRange made;
  const OptimizerKind *kind = nullptr;
  std::string name;
  std::vector<std::shared_ptr<ParameterGroup>> groups;
  std::string stepSlot; ///< empty if the kind does not count steps
  bool hasStepped = false;

  /// The parameters of all groups.
  llvm::SmallVector<const ParameterGroup::Leaf *> leaves() const {
    llvm::SmallVector<const ParameterGroup::Leaf *> all;
    for (auto &group : groups)
      for (const ParameterGroup::Leaf &leaf : group->leaves)
        all.push_back(&leaf);
    return all;
  }
};

/// Rows of tensors: all of them, or those that `indices` names.
struct DatasetInfo : Payload {
  Vals tensors;
  std::optional<Val> indices; ///< i64[rows]: of the tensors
  Val chosen; ///< the same of the data set that it is a part of: `x.indices`
  Size rows;
};

/// Draws the rows of an epoch.
struct SamplerInfo : Payload {
  std::optional<Val> weights; ///< f64[N]: row i is drawn by its weight
  bool replacement = true;    ///< a row may be drawn again
  std::optional<Val> indices; ///< i64[count]: these rows in a new order
  Size count;                 ///< rows of an epoch
};

/// A random stream in addition to the program's. Its calls are counted while
/// compiling.
struct GeneratorInfo : Payload {
  Val seed;
  int64_t calls = 0;
};

struct LoaderInfo : Payload {
  std::shared_ptr<DatasetInfo> dataset;
  Vals tensors; ///< those of the data set, on the device that reads their rows
  /// Whether each tensor counts as free for the program.
  llvm::SmallVector<bool, 4> isFree;
  std::optional<Val> indices; ///< those of the data set
  std::shared_ptr<SamplerInfo> sampler;
  int64_t batchSize = 1;
  bool shuffle = false, dropLast = false;
  Size rows; ///< of an epoch
  /// Its position is kept for checkpoints, in slots of this name.
  std::string name;
  bool isLooped = false; ///< a loop over it is around this point

  bool keepsPosition() const { return !name.empty(); }
  /// Whether an epoch takes a call of the random stream.
  bool draws() const { return shuffle || sampler; }
};

// Construction of values -------------------------------------------------//

inline Val makeVal(ValKind kind) {
  Val val;
  val.kind = kind;
  return val;
}
inline Val makeInt(Size size, Value value = {}) {
  Val val = makeVal(ValKind::Int);
  val.size = std::move(size);
  val.value = value;
  return val;
}
inline Val makeFloat(double number) {
  Val val = makeVal(ValKind::Float);
  val.known = true;
  val.number = number;
  return val;
}
inline Val makeBool(bool truth) {
  Val val = makeVal(ValKind::Bool);
  val.known = true;
  val.truth = truth;
  return val;
}
inline Val makeStr(llvm::StringRef text) {
  Val val = makeVal(ValKind::Str);
  val.known = true;
  auto data = std::make_shared<Text>();
  data->text = text.str();
  val.data = std::move(data);
  return val;
}
/// A Float, Bool or Str that is computed when the program runs.
inline Val makeRunTime(ValKind kind, Value value) {
  Val val = makeVal(kind);
  val.value = value;
  return val;
}
inline Val makeTensor(TensorType type, Value value, SourceRange placed = {}) {
  Val val = makeVal(ValKind::Tensor);
  auto data = std::make_shared<TensorInfo>();
  data->type = std::move(type);
  data->placed = placed;
  val.data = std::move(data);
  val.value = value;
  return val;
}
/// A tensor with its numbers on a scale, by the user's call `scaled` of
/// `unscaled`.
inline Val onScale(const Val &tensor, Scale scale, SourceRange scaled,
                   SourceRange unscaled) {
  Val val = tensor;
  auto info = std::make_shared<TensorInfo>(tensor.as<TensorInfo>());
  info->scale = scale;
  info->scaled = scaled;
  info->unscaled = unscaled;
  val.data = std::move(info);
  return val;
}
/// A result that has some of the numbers of `from`, on its scale.
inline Val onScaleOf(const Val &from, const Val &result) {
  if (!from.is(ValKind::Tensor) || !result.is(ValKind::Tensor))
    return result;
  auto &info = from.as<TensorInfo>();
  return info.scale == Scale::Any
             ? result
             : onScale(result, info.scale, info.scaled, info.unscaled);
}
/// A tensor as a plain value, no longer a read of a model's slot.
inline Val valueOf(const Val &tensor) {
  Val val = tensor;
  auto info = std::make_shared<TensorInfo>(tensor.as<TensorInfo>());
  info->state = nullptr;
  val.data = std::move(info);
  return val;
}
inline Val makeDType(DType dtype) {
  Val val = makeVal(ValKind::DType);
  auto data = std::make_shared<DTypeInfo>();
  data->dtype = dtype;
  val.data = std::move(data);
  return val;
}
inline Val makeDevice(Place place, SourceRange made) {
  Val val = makeVal(ValKind::Device);
  auto data = std::make_shared<DeviceInfo>();
  data->place = std::move(place);
  data->made = made;
  val.data = std::move(data);
  return val;
}

/// A tensor of a model that is named and not read: it has no value. It can be
/// changed in place, and a name that is bound to it is read where it is used.
inline Val stateOf(Slot &slot) {
  Val val = makeTensor(slot.type, Value());
  val.as<TensorInfo>().state = slot.shared_from_this();
  return val;
}

/// The same for the gradient that `backward` leaves.
inline Val gradientOf(Slot &slot) {
  Val val = makeTensor(slot.type, Value());
  val.as<TensorInfo>().gradientOf = slot.shared_from_this();
  return val;
}
inline bool isUnread(const Val &val) {
  return val.is(ValKind::Tensor) && !val.value;
}
/// Whether it is unread, or a list or tuple with such an element.
inline bool hasUnread(const Val &val) {
  if (val.is(ValKind::Tuple) || val.is(ValKind::List))
    return val.as<Sequence>().hasUnread;
  return isUnread(val);
}

/// `net.parameters()`: the model, of which a loop visits the parameters.
inline Val parametersOf(const Val &model) {
  Val val = model;
  val.known = true;
  return val;
}
inline bool isParameters(const Val &val) {
  return val.is(ValKind::Model) && val.known;
}

inline const TensorType &typeOf(const Val &val) {
  return val.as<TensorInfo>().type;
}
/// A tensor in the form that the typed builder takes.
inline Typed typedOf(const Val &tensor) {
  return {tensor.value, typeOf(tensor)};
}
inline llvm::StringRef textOf(const Val &val) { return val.as<Text>().text; }
/// A Str of a template and the values for its `{}`.
Val makeText(const std::string &templateText, llvm::SmallVector<Value> values);
inline llvm::ArrayRef<Val> elementsOf(const Val &val) {
  return val.as<Sequence>().elements;
}
/// The number of values in a list or tuple, at any depth, or of bytes in a
/// text. A shared part counts as often as it occurs: a walk visits it as often.
inline size_t extentOf(const Val &val) {
  if (val.is(ValKind::Tuple) || val.is(ValKind::List))
    return val.as<Sequence>().extent;
  return val.is(ValKind::Str) && val.data ? textOf(val).size() : 0;
}
inline Val makeSequence(ValKind kind, Vals elements) {
  Val val = makeVal(kind);
  auto data = std::make_shared<Sequence>();
  for (const Val &element : elements) {
    data->extent += 1 + extentOf(element);
    data->hasUnread |= hasUnread(element);
  }
  data->elements = std::move(elements);
  val.data = std::move(data);
  return val;
}

/// Whether a method changes the list that it is called on (Lists.cpp).
bool changesList(llvm::StringRef method);

/// Whether a name is one of a method that changes its tensor, as `add_`.
bool isInPlaceName(llvm::StringRef method);
/// Whether tensors have such a method (InPlaceMethods.cpp).
bool changesTensor(llvm::StringRef method);

// In the language's spelling (Printing.cpp) --------------------------------//

/// A noun for the kind of value.
std::string describe(const Val &val);

} // namespace tdc::sema

#endif // TDC_LIB_FRONTEND_SEMA_VALUES_H
