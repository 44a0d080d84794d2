//===- Emitter.h - the checker's interface to code generation -------------===//
//
// The checker walks a program once: it checks, evaluates what is constant and
// calls an Emitter for everything that happens at run time. MLIREmitter
// implements it with MLIR; a NullEmitter replaces it after the first error. So
// the checker links no MLIR, and there is no second tree between the AST and
// td IR.
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

/// How the command line of a program treats an `arg`.
enum class ArgumentKind : uint8_t {
  Value,
  Device, ///< takes a str: the name of a device that has code
  Fixed,  ///< cannot be given: its value was fixed at compile time
};

/// Operations on host scalars. Int is 64 bit and wraps; `/` of ints gives a
/// float; FloorDiv and Mod floor. A division by 0, a shift by a negative number
/// and an int to a negative power stop the program.
enum class HostOp : uint8_t {
  Add,
  Sub,
  Mul,
  Div,
  FloorDiv,
  Mod,
  Pow,
  ShiftLeft,
  ShiftRight,
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

/// Why a tensor or a slot moves to another place.
enum class Transfer : uint8_t {
  /// The program says so; ops before the move are not pulled to the new place.
  Written,
  /// The compiler moves it to where it is needed.
  Implied,
  /// The compiler moves it from or to the home of the tensors of files, loaders
  /// and callers.
  Home,
  /// The program says so, and the copy is made exactly there (--placement=off).
  Kept,
  /// An annotation: the tensor is computed there (--placement=optimize).
  Pinned,
  /// DataParallel brings a part of a batch, or of a result, to a GPU.
  Rows,
  /// DataParallel copies a tensor of a model to another GPU.
  Replica
};

/// The kind of a run-time check; the value is the number of the TR code that a
/// failure reports.
enum class Check : uint8_t {
  Assertion = 101,
  Division = 102,
  Index = 103,
  Size = 104,
  Power = 105,
  Int = 108
};

/// The coordinates of an operand as sums of multiples of the result's
/// coordinates. `numbers` has for each coordinate the factors of `dims` dims,
/// the factors of `offsets` offsets, and a constant.
struct CoordinateSums {
  unsigned dims, offsets;
  llvm::ArrayRef<int64_t> numbers;
};

/// An attribute of a compute op, by its name in td. Lists must outlive only the
/// call that takes the attribute.
struct OpAttribute {
  llvm::StringRef name;
  std::variant<int64_t, llvm::ArrayRef<int64_t>, td::ReduceKind,
               td::ComparePredicate, CoordinateSums, bool>
      value; ///< true is a unit attribute
};

/// The position of an operation in the source, and the calls that led there
/// (innermost first). Ranges point into loaded sources.
struct SourceLocation {
  SourceRange range;
  llvm::ArrayRef<SourceRange> callers;
};

/// A call of a random stream: the numbers depend on these two ints only.
struct RandomCall {
  Value seed, number;
};

class Emitter {
public:
  virtual ~Emitter() = default;

  /// Sets the location of everything emitted until the next call.
  virtual void setLocation(const SourceLocation &location) = 0;
  /// Gives a tensor its name in the program, for reports. The first name stays.
  virtual void nameTensor(Value tensor, llvm::StringRef name) = 0;
  /// Marks the tensor as read by code of the program that is not emitted, so
  /// that no warning says that it is unused.
  virtual void readElsewhere(Value tensor) = 0;
  /// Gives the words of the error for an index that is out of range here, with
  /// {index}, {size} and {last}, the largest index, for the numbers.
  virtual void nameIndices(llvm::StringRef words) = 0;

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
  /// A result of a loop that is not a carried value: `last` of the last
  /// iteration, or `initial` if no iteration ran. `initial` is null if no op
  /// reads the result in that case.
  struct Outcome {
    Value initial, last;
  };
  /// Ends the body with the next values of the carried values. Returns their
  /// final values, then the outcomes. If the bool `leaves` is given and true,
  /// the iteration is the last one.
  virtual llvm::SmallVector<Value> endFor(llvm::ArrayRef<Value> next,
                                          llvm::ArrayRef<Outcome> outcomes,
                                          Value leaves) = 0;

  /// Runs the body while the bool `goesOn` is true; endWhile takes its value
  /// for the next iteration. Returns the carried values in the body.
  virtual llvm::SmallVector<Value>
  beginWhile(Value goesOn, llvm::ArrayRef<Value> initial) = 0;
  virtual llvm::SmallVector<Value>
  endWhile(Value goesOn, llvm::ArrayRef<Value> next,
           llvm::ArrayRef<Outcome> outcomes) = 0;

  virtual void beginIf(Value condition) = 0;
  virtual void beginElse() = 0;
  /// Pairs of values have equal types, with two exceptions: a tensor of the
  /// first side without a place is brought to the place of the second side's
  /// tensor, and a null value pairs with any value because no op reads that
  /// result. Returns the results.
  virtual llvm::SmallVector<Value> endIf(llvm::ArrayRef<Value> thenValues,
                                         llvm::ArrayRef<Value> elseValues) = 0;

  // Devices ---------------------------------------------------------------//
  /// Declares the device that a symbol is in this compilation.
  virtual void declareDevice(llvm::StringRef symbol, const Place &device) = 0;

  /// Costs decide which device an op runs on (--placement=optimize).
  virtual void optimizePlacement() = 0;
  /// Copies between devices stay as the program has them (--placement=off).
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
  /// Whether the exported function can use the value: values of the top-level
  /// statements are kept for it, except texts that they computed.
  virtual bool canUse(Value value) = 0;

  // Tensors: constructors -------------------------------------------------//
  // `sizes` holds an int per run-time dim of `type`, in order.
  virtual Value tensorConstant(llvm::ArrayRef<char> rowMajorBytes,
                               const TensorShape &type) = 0;
  /// Takes the next call of the program's random stream.
  virtual RandomCall nextRandom() = 0;
  /// `bounds` is low and high for randint, else empty.
  virtual Value random(td::Distribution distribution, RandomCall call,
                       llvm::ArrayRef<Value> bounds,
                       llvm::ArrayRef<Value> sizes,
                       const TensorShape &type) = 0;

  // Tensors: arithmetic and movement --------------------------------------//
  /// A compute op of the table. `operands` are its tensors and host scalars in
  /// order, followed by the run-time sizes of `type` if the op takes sizes.
  virtual Value op(OpKind kind, llvm::ArrayRef<Value> operands,
                   llvm::ArrayRef<OpAttribute> attributes,
                   const TensorShape &type) = 0;
  /// Moves a tensor to the place of `type`; a `type` without a place leaves the
  /// destination open.
  virtual Value toDevice(Value input, const TensorShape &type,
                         Transfer transfer) = 0;
  virtual Value detach(Value input) = 0;
  /// Returns the input; its gradient is rounded to the dtype of `narrow` and
  /// widened again.
  virtual Value roundGradient(Value input, const TensorShape &narrow) = 0;

  /// The size of a dim as an int.
  virtual Value dim(Value tensor, int64_t index) = 0;
  /// The only element: float, int or bool by the tensor's dtype.
  virtual Value item(Value tensor) = 0;

  // State and gradients ---------------------------------------------------//
  virtual void declareSlot(llvm::StringRef name, td::SlotKind kind,
                           llvm::StringRef key, llvm::StringRef instance,
                           const TensorShape &type) = 0;
  /// The final names of a slot: the first is its own, the others are aliases.
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
  /// Moves the contents of a slot to another place.
  virtual void moveSlot(llvm::StringRef slot, const Place &place,
                        Transfer transfer) = 0;
  virtual void seed(Value value) = 0;
  virtual llvm::SmallVector<Value> grad(Value target,
                                        llvm::ArrayRef<Value> wrt) = 0;
  /// Slot names pair up: parameters[i] accumulates into gradients[i], and
  /// flags[i] becomes true.
  virtual void backward(Value target, llvm::ArrayRef<std::string> parameters,
                        llvm::ArrayRef<std::string> gradients,
                        llvm::ArrayRef<std::string> flags) = 0;

  // Prints, arguments, files, devices --------------------------------------//
  /// Formats the values, in order, for each `{}` and `{:spec}` of the template.
  virtual Value format(llvm::StringRef templateText,
                       llvm::ArrayRef<Value> values) = 0;
  /// Returns `texts[index]`; the caller has emitted a check of the index.
  virtual Value pickText(Value index,
                         llvm::ArrayRef<llvm::StringRef> texts) = 0;
  virtual void print(Value text) = 0;
  virtual void assertThat(Value condition, Value message,
                          Check check = Check::Assertion) = 0;
  /// Stops the program unless the two ints are equal; `what` is the user's
  /// message.
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

  /// `key` names a tensor of a safetensors file; empty for npy.
  virtual Value load(Value path, llvm::StringRef key,
                     const TensorShape &type) = 0;
  virtual void saveTensor(Value path, Value tensor) = 0;

  struct Checkpoint {
    llvm::SmallVector<std::string> slots; ///< names of slots
    llvm::SmallVector<std::string> keys;  ///< keys of the slots in the file
    /// Further names in the file, each with the key of its slot.
    llvm::SmallVector<std::pair<std::string, std::string>> aliases;
    llvm::SmallVector<std::string> names; ///< names of scalars
    llvm::SmallVector<Value> values;      ///< values of the scalars
    bool full = false; ///< also the random counter: a checkpoint, not weights
  };
  virtual void save(Value path, const Checkpoint &checkpoint) = 0;
  /// How far a file may differ from the state that is restored from it.
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
