//===- MLIREmitter.h - the emitter that builds td IR ----------------------===//
//
// One class, one file per group of calls: MLIREmitter.cpp holds the module,
// locations and constants, Host.cpp host scalars, ControlFlow.cpp loops and
// branches, Tensors.cpp the compute ops, World.cpp state, files and prints.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_LIB_FRONTEND_MLIREMITTER_MLIREMITTER_H
#define TDC_LIB_FRONTEND_MLIREMITTER_MLIREMITTER_H

#include "Dialect/TD/IR/TD.h"
#include "Frontend/Emitter.h"
#include "Frontend/GenerateModule.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace tdc {

class MLIREmitter final : public Emitter {
public:
  MLIREmitter(mlir::MLIRContext &context, const SourceManager &sources,
              EmbedSource embed);

  /// Ends @main and returns the module.
  mlir::OwningOpRef<mlir::ModuleOp> finish();
  /// `td.excerpts` (GenerateModule.h).
  mlir::ArrayAttr getExcerpts();

  void setLocation(const SourceLocation &location) override;
  void nameTensor(Value tensor, llvm::StringRef name) override;
  void readElsewhere(Value tensor) override;
  void nameIndices(llvm::StringRef words) override;

  Value constantInt(int64_t value) override;
  Value constantFloat(double value) override;
  Value constantBool(bool value) override;
  Value constantString(llvm::StringRef text) override;
  Value host(HostOp op, llvm::ArrayRef<Value> operands) override;
  Value hostSelect(Value condition, Value onTrue, Value onFalse) override;

  Loop beginFor(Value from, Value to, Value step,
                llvm::ArrayRef<Value> initial) override;
  llvm::SmallVector<Value> endFor(llvm::ArrayRef<Value> next,
                                  llvm::ArrayRef<Outcome> outcomes,
                                  Value leaves) override;
  llvm::SmallVector<Value> beginWhile(Value goesOn,
                                      llvm::ArrayRef<Value> initial) override;
  llvm::SmallVector<Value> endWhile(Value goesOn, llvm::ArrayRef<Value> next,
                                    llvm::ArrayRef<Outcome> outcomes) override;
  void beginIf(Value condition) override;
  void beginElse() override;
  llvm::SmallVector<Value> endIf(llvm::ArrayRef<Value> thenValues,
                                 llvm::ArrayRef<Value> elseValues) override;

  void declareDevice(llvm::StringRef symbol, const Place &device) override;
  void optimizePlacement() override;
  void keepTransfers() override;
  llvm::SmallVector<Value>
  beginExport(llvm::StringRef name, llvm::StringRef help,
              llvm::ArrayRef<Parameter> parameters) override;
  void endExport(llvm::ArrayRef<Value> results) override;

  Value tensorConstant(llvm::ArrayRef<char> rowMajorBytes,
                       const TensorShape &type) override;
  RandomCall nextRandom() override;
  Value random(td::Distribution distribution, RandomCall call,
               llvm::ArrayRef<Value> bounds, llvm::ArrayRef<Value> sizes,
               const TensorShape &type) override;

  Value op(OpKind kind, llvm::ArrayRef<Value> operands,
           llvm::ArrayRef<OpAttribute> attributes,
           const TensorShape &type) override;
  Value toDevice(Value input, const TensorShape &type,
                 Transfer transfer) override;
  Value detach(Value input) override;
  Value roundGradient(Value input, const TensorShape &narrow) override;
  Value dim(Value tensor, int64_t index) override;
  Value item(Value tensor) override;

  void declareSlot(llvm::StringRef name, td::SlotKind kind, llvm::StringRef key,
                   llvm::StringRef instance, const TensorShape &type) override;
  void nameSlots(llvm::ArrayRef<SlotNames> slots,
                 llvm::ArrayRef<std::string> dropped) override;
  Value read(llvm::StringRef slot, const TensorShape &type) override;
  void write(llvm::StringRef slot, Value value) override;
  void moveSlot(llvm::StringRef slot, const Place &place,
                Transfer transfer) override;
  void seed(Value value) override;
  llvm::SmallVector<Value> grad(Value target,
                                llvm::ArrayRef<Value> wrt) override;
  void backward(Value target, llvm::ArrayRef<std::string> parameters,
                llvm::ArrayRef<std::string> gradients,
                llvm::ArrayRef<std::string> flags) override;

  Value format(llvm::StringRef templateText,
               llvm::ArrayRef<Value> values) override;
  Value pickText(Value index, llvm::ArrayRef<llvm::StringRef> texts) override;
  void print(Value text) override;
  void assertThat(Value condition, Value message, Check check) override;
  void checkDim(Value lhs, Value rhs, llvm::StringRef what) override;
  void declareArgument(llvm::StringRef name, HostType type, ArgumentKind kind,
                       std::optional<llvm::StringRef> defaultText,
                       llvm::StringRef help) override;
  Value argument(llvm::StringRef name, HostType type) override;
  Value environment(Value variable, Value defaultValue) override;
  Value exists(Value path) override;
  Value cudaDeviceName(Value index) override;
  Value cudaTotalMemory(Value index) override;
  void cudaSynchronize() override;
  Value load(Value path, llvm::StringRef key, const TensorShape &type) override;
  void saveTensor(Value path, Value tensor) override;
  void save(Value path, const Checkpoint &checkpoint) override;
  void restore(Value path, const Checkpoint &checkpoint,
               Tolerance tolerance) override;
  Value restoreScalar(Value path, llvm::StringRef name, HostType type) override;

  bool canUse(Value value) override;

private:
  /// A function under construction. Each constant is created once, at its top.
  struct Function {
    mlir::func::FuncOp op;
    llvm::DenseMap<mlir::Attribute, mlir::Value> constants;
    mlir::Operation *lastConstant = nullptr;
  };

  mlir::Location getLocation();
  mlir::Location getFileLocation(SourceRange range);
  void beginFunction(llvm::StringRef name, mlir::TypeRange parameters);
  // Values of the top-level statements in exported functions (Captures.cpp).
  bool isOutside(mlir::Value value);
  void replaceCaptures();
  mlir::Value bringIn(mlir::Value value);
  td::SlotOp keep(mlir::Value value);

  /// The constant op of `attribute` at the top of the current function.
  mlir::Value getConstant(mlir::Attribute attribute);

  mlir::Value hostInt(HostOp op, mlir::ValueRange operands);
  mlir::Value hostFloat(HostOp op, mlir::ValueRange operands);
  mlir::Value hostBool(HostOp op, mlir::ValueRange operands);
  mlir::Value convertScalar(HostOp op, mlir::Value operand);
  mlir::Value floorDivide(HostOp op, mlir::Value lhs, mlir::Value rhs);
  mlir::Value shift(HostOp op, mlir::Value number, mlir::Value count);
  mlir::Value integerPower(mlir::Value base, mlir::Value exponent);
  mlir::Value floatToInt(mlir::Value value);
  void checkPower(mlir::Value base, mlir::Value exponent);
  void checkDivisor(mlir::Value divisor);

  /// A value that no op reads.
  mlir::Value makePlaceholder(mlir::Type type);
  mlir::Value countIterations(mlir::scf::ForOp loop);
  mlir::scf::WhileOp remakeLoop(mlir::Operation *open,
                                llvm::ArrayRef<mlir::Value> initial,
                                llvm::ArrayRef<mlir::Value> next,
                                llvm::ArrayRef<Outcome> outcomes);

  mlir::Type getHostType(HostType type);
  mlir::RankedTensorType getType(const TensorShape &shape) {
    return td::getTensorType(builder.getContext(), shape);
  }
  mlir::ArrayAttr getSymbols(llvm::ArrayRef<std::string> names);
  mlir::DictionaryAttr
  getDictionary(llvm::ArrayRef<std::pair<std::string, std::string>> entries);
  mlir::ArrayAttr getStrings(llvm::ArrayRef<std::string> texts);

  /// Creates an op at the insertion point, with the current location.
  template <typename Op, typename... Args> Op create(Args &&...args) {
    return Op::create(builder, getLocation(), std::forward<Args>(args)...);
  }

  const SourceManager &sources;
  const EmbedSource embed;
  mlir::OpBuilder builder;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::Operation *lastSlot = nullptr;
  /// Values of the top-level statements that exported functions use, and their
  /// slots.
  llvm::DenseMap<mlir::Value, td::SlotOp> kept;
  llvm::SmallVector<mlir::Attribute> arguments;

  Function main;
  Function exported;
  Function *function = &main;
  mlir::OpBuilder::InsertPoint mainPoint;
  /// The loops and branches that are open.
  llvm::SmallVector<mlir::Operation *> regions;
  /// Ops of tensors that no op reads.
  llvm::SetVector<mlir::Operation *> placeholders;

  SourceRange range;
  llvm::SmallVector<SourceRange> callers;
  std::optional<mlir::Location> callersLocation;
  std::optional<mlir::Location> location;
  /// By location in the user's code, what it points to; for EmbedSource::Yes.
  llvm::MapVector<mlir::Attribute, SourceRange> ranges;
  llvm::DenseMap<mlir::Attribute, std::string> indexWords;
};

inline mlir::Value unwrap(Value value) {
  return mlir::Value::getFromOpaquePointer(value.getHandle());
}
inline Value wrap(mlir::Value value) {
  return Value(value.getAsOpaquePointer());
}
inline llvm::SmallVector<mlir::Value> unwrap(llvm::ArrayRef<Value> values) {
  return llvm::map_to_vector(values, [](Value v) { return unwrap(v); });
}
inline llvm::SmallVector<Value> wrap(mlir::ValueRange values) {
  return llvm::map_to_vector(values, [](mlir::Value v) { return wrap(v); });
}

} // namespace tdc

#endif // TDC_LIB_FRONTEND_MLIREMITTER_MLIREMITTER_H
