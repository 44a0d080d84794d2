//===- Emitter.h - what the checker says to code generation ---------------===//
//
// The checker walks a program once: it checks, evaluates what is constant and
// calls an Emitter for everything that happens at run time. MLIREmitter
// implements it with MLIR; `tdc check` uses a NullEmitter. So the checker links
// no MLIR, and there is no second tree between the AST and td IR.
//
// Everything that arrives here has been checked: shapes fit, broadcasts and
// casts are explicit, scalars have become tensors where tensors are needed.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_FRONTEND_EMITTER_H
#define TDC_FRONTEND_EMITTER_H

#include "Dialect/TD/OpTable/Enums.h"
#include "Dialect/TD/OpTable/OpTable.h"
#include "Dialect/TD/OpTable/Types.h"
#include "Frontend/Source.h"
#include "llvm/ADT/ArrayRef.h"
#include <variant>

namespace tdc {

/// A run-time value: an opaque handle that only its emitter understands. The
/// null handle is "no value".
class Value {
public:
  Value() = default;
  explicit Value(void *handle) : handle(handle) {}
  void *getHandle() const { return handle; }
  explicit operator bool() const { return handle; }
  bool operator==(Value other) const { return handle == other.handle; }

private:
  void *handle = nullptr;
};

enum class HostType : uint8_t { Int, Float, Bool, Str };

/// What the command line of a program can do with an `arg`.
enum class ArgumentKind : uint8_t {
  Value,
  Device, ///< give a str, the name of a device that there is code for
  Fixed,  ///< nothing: it got its value when the program was compiled
};

/// Operations on host scalars. Int is 64 bit and wraps; `/` of ints gives a
/// float; FloorDiv and Mod floor; what has no result stops the program: a
/// division by 0, and an int to a negative power.
enum class HostOp : uint8_t {
  Add,
  Sub,
  Mul,
  Div,
  FloorDiv,
  Mod,
  Pow,
  Neg,
  Min,
  Max,
  Abs,
  Eq,
  Ne,
  Lt,
  Le,
  Gt,
  Ge,
  And,
  Or,
  Not,
  Sqrt,
  Exp,
  Log,
  Sin,
  Cos,
  Tanh,
  Floor,
  Ceil,
  Round,
  IntToFloat,
  FloatToInt,
  BoolToInt
};

/// Why a tensor or a slot changes its place.
enum class Transfer : uint8_t {
  /// The program says so: what stands before is not pulled across.
  Written,
  /// The compiler brings it where it is needed.
  Implied,
  /// The same from or to where files, loaders and callers have their tensors.
  Home,
  /// The program says so, and exactly there it is done (--placement=off).
  Kept,
  /// An annotation: the tensor is made there (--placement=optimize).
  Pinned
};

/// What a check that fails is reported as; the numbers of TR codes.
enum class Check : uint8_t {
  Assertion = 101,
  Division = 102,
  Index = 103,
  Size = 104,
  Power = 105
};

/// Coordinates of an operand as sums of multiples of those of the result: for
/// each coordinate the factors of `dims` dims, those of `offsets` offsets, and
/// a constant.
struct CoordinateSums {
  unsigned dims, offsets;
  llvm::ArrayRef<int64_t> numbers;
};

/// An attribute of a compute op, by its name in td. Lists live as long as the
/// call that takes it.
struct OpAttribute {
  llvm::StringRef name;
  std::variant<int64_t, llvm::ArrayRef<int64_t>, td::ReduceKind,
               td::ComparePredicate, CoordinateSums, bool>
      value; ///< true is a unit attribute
};

/// Where an operation stands in the source, and the calls that led there
/// (innermost first). Ranges point into loaded sources.
struct SourceLocation {
  SourceRange range;
  llvm::ArrayRef<SourceRange> callers;
};

class Emitter {
public:
  virtual ~Emitter() = default;

  /// Applies to everything emitted until the next call.
  virtual void setLocation(const SourceLocation &location) = 0;
  /// What the program calls a tensor, for reports. Its first name stays.
  virtual void nameTensor(Value tensor, llvm::StringRef name) = 0;
  /// A part of the program that is left out reads the tensor.
  virtual void readElsewhere(Value tensor) = 0;

  // Host scalars ----------------------------------------------------------//
  virtual Value constantInt(int64_t value) = 0;
  virtual Value constantFloat(double value) = 0;
  virtual Value constantBool(bool value) = 0;
  virtual Value constantString(llvm::StringRef text) = 0;
  /// Operands have equal types, except in conversions. Texts have Eq and Ne.
  virtual Value host(HostOp op, llvm::ArrayRef<Value> operands) = 0;
  /// `condition ? onTrue : onFalse` on values of one type (tensors too).
  virtual Value hostSelect(Value condition, Value onTrue, Value onFalse) = 0;

  // Control flow ----------------------------------------------------------//
  // Between begin and end, calls emit into the region. Values that change in a
  // region are passed in and out explicitly.

  struct Loop {
    Value index;
    llvm::SmallVector<Value> carried;
  };
  /// for index in [from, to) by step > 0. `initial` are the carried values.
  virtual Loop beginFor(Value from, Value to, Value step,
                        llvm::ArrayRef<Value> initial) = 0;
  /// A value that a loop gives and its body does not take: what the last
  /// iteration left, or else `initial`, which is null where nobody reads it
  /// then.
  struct Outcome {
    Value initial, last;
  };
  /// Ends the body with the carried values' next values; gives their last ones,
  /// and then the outcomes. If `leaves` is there, a bool, and holds, the
  /// iteration was the last one.
  virtual llvm::SmallVector<Value> endFor(llvm::ArrayRef<Value> next,
                                          llvm::ArrayRef<Outcome> outcomes,
                                          Value leaves) = 0;

  /// Runs the body as long as `goesOn`, a bool, holds; the iteration says at
  /// its end whether there is another. Gives the carried values in the body.
  virtual llvm::SmallVector<Value>
  beginWhile(Value goesOn, llvm::ArrayRef<Value> initial) = 0;
  virtual llvm::SmallVector<Value>
  endWhile(Value goesOn, llvm::ArrayRef<Value> next,
           llvm::ArrayRef<Outcome> outcomes) = 0;

  virtual void beginIf(Value condition) = 0;
  virtual void beginElse() = 0;
  /// Both lists pair up by type, but that a tensor of the first side without a
  /// place is brought to that of the second; a null value pairs up with any:
  /// nobody reads it. Gives the values of the side taken.
  virtual llvm::SmallVector<Value> endIf(llvm::ArrayRef<Value> thenValues,
                                         llvm::ArrayRef<Value> elseValues) = 0;

  // Devices ---------------------------------------------------------------//
  /// The device that a symbol stands for in this compilation.
  virtual void declareDevice(llvm::StringRef symbol, const Place &device) = 0;

  /// Costs decide which device an op runs on (--placement=optimize).
  virtual void optimizePlacement() = 0;
  /// Transfers stay as the program has them (--placement=off).
  virtual void keepTransfers() = 0;

  // Exported functions ----------------------------------------------------//
  struct Parameter {
    llvm::StringRef name;
    TensorShape type;
  };
  virtual llvm::SmallVector<Value>
  beginExport(llvm::StringRef name, llvm::StringRef help,
              llvm::ArrayRef<Parameter> parameters) = 0;
  virtual void endExport(llvm::ArrayRef<Value> results) = 0;
  /// Whether the function can use the value: values of the top-level statements
  /// are kept for it, but for texts that they made.
  virtual bool canUse(Value value) = 0;

  // Tensors: constructors -------------------------------------------------//
  // `sizes` holds an int per run-time dim of `type`, in order.
  virtual Value tensorConstant(llvm::ArrayRef<char> rowMajorBytes,
                               const TensorShape &type) = 0;
  /// Takes the next call number of the random stream. `bounds` is low and high
  /// for randint, else empty.
  virtual Value random(td::Distribution distribution,
                       llvm::ArrayRef<Value> bounds,
                       llvm::ArrayRef<Value> sizes,
                       const TensorShape &type) = 0;

  // Tensors: arithmetic and movement --------------------------------------//
  /// A compute op of the table. `operands` are its tensors and host scalars in
  /// order, and then, if it takes sizes, those of the run-time dims of `type`.
  virtual Value op(OpKind kind, llvm::ArrayRef<Value> operands,
                   llvm::ArrayRef<OpAttribute> attributes,
                   const TensorShape &type) = 0;
  /// A `type` without a place: where it goes is not decided yet.
  virtual Value toDevice(Value input, const TensorShape &type,
                         Transfer transfer) = 0;
  virtual Value detach(Value input) = 0;
  /// The input, whose gradient is rounded to the dtype of `narrow` and widened.
  virtual Value roundGradient(Value input, const TensorShape &narrow) = 0;

  /// The size of a dim as an int.
  virtual Value dim(Value tensor, int64_t index) = 0;
  /// The only element: float, int or bool by the tensor's dtype.
  virtual Value item(Value tensor) = 0;

  // State and gradients ---------------------------------------------------//
  virtual void declareSlot(llvm::StringRef name, td::SlotKind kind,
                           llvm::StringRef key, llvm::StringRef instance,
                           const TensorShape &type) = 0;
  /// The final names of a slot: its own is the first, the others are aliases.
  struct SlotName {
    std::string instance, key;
    std::string whole() const { return instance + "." + key; }
  };
  struct SlotNames {
    std::string slot;
    llvm::SmallVector<SlotName, 2> names;
  };
  virtual void nameSlots(llvm::ArrayRef<SlotNames> slots,
                         llvm::ArrayRef<std::string> dropped) = 0;
  virtual Value read(llvm::StringRef slot, const TensorShape &type) = 0;
  virtual void write(llvm::StringRef slot, Value value) = 0;
  /// What the slot holds goes to another place.
  virtual void moveSlot(llvm::StringRef slot, const Place &place,
                        Transfer transfer) = 0;
  virtual void seed(Value value) = 0;
  virtual llvm::SmallVector<Value> grad(Value target,
                                        llvm::ArrayRef<Value> wrt) = 0;
  /// Slot names pair up: parameters[i] accumulates into gradients[i].
  virtual void backward(Value target, llvm::ArrayRef<std::string> parameters,
                        llvm::ArrayRef<std::string> gradients) = 0;

  // The world -------------------------------------------------------------//
  /// `{}` and `{:spec}` in the template stand for the values in order.
  virtual Value format(llvm::StringRef templateText,
                       llvm::ArrayRef<Value> values) = 0;
  /// The text with this number, which a check keeps within them.
  virtual Value pickText(Value index,
                         llvm::ArrayRef<llvm::StringRef> texts) = 0;
  virtual void print(Value text) = 0;
  virtual void assertThat(Value condition, Value message,
                          Check check = Check::Assertion) = 0;
  /// Stops the program unless two ints agree; `what` says it to the user.
  virtual void checkDim(Value lhs, Value rhs, llvm::StringRef what) = 0;

  /// A command-line argument; `defaultText` is its default (or fixed value) as
  /// a user would type it, none if the argument is required.
  virtual void declareArgument(llvm::StringRef name, HostType type,
                               ArgumentKind kind,
                               std::optional<llvm::StringRef> defaultText,
                               llvm::StringRef help) = 0;
  virtual Value argument(llvm::StringRef name, HostType type) = 0;
  virtual Value environment(Value variable, Value defaultValue) = 0;
  virtual Value exists(Value path) = 0;

  /// The driver's name of GPU number `index`, and the bytes of its memory.
  virtual Value cudaDeviceName(Value index) = 0;
  virtual Value cudaTotalMemory(Value index) = 0;
  /// Waits for all GPUs.
  virtual void cudaSynchronize() = 0;

  /// `key` names a tensor of a safetensors file, empty for npy.
  virtual Value load(Value path, llvm::StringRef key,
                     const TensorShape &type) = 0;
  virtual void saveTensor(Value path, Value tensor) = 0;

  struct Checkpoint {
    llvm::SmallVector<std::string> slots; ///< names of slots …
    llvm::SmallVector<std::string> keys;  ///< … and their keys in the file
    /// Further names in the file, each with the key of its slot.
    llvm::SmallVector<std::pair<std::string, std::string>> aliases;
    llvm::SmallVector<std::string> names; ///< names of scalars …
    llvm::SmallVector<Value> values;      ///< … and their values
    bool full = false; ///< also the random counter: a checkpoint, not weights
  };
  virtual void save(Value path, const Checkpoint &checkpoint) = 0;
  /// How far a file may differ from what is restored of it.
  struct Tolerance {
    bool lenient = false; ///< keys may be missing and unexpected
    bool casts = false;   ///< values may be rounded to the dtype of the slot
  };
  virtual void restore(Value path, const Checkpoint &checkpoint,
                       Tolerance tolerance) = 0;
  virtual Value restoreScalar(Value path, llvm::StringRef name,
                              HostType type) = 0;
};

} // namespace tdc

#endif // TDC_FRONTEND_EMITTER_H
