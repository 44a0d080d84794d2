//===- NullEmitter.h - checks without code --------------------------------===//
//
// Used for the rest of a walk after its first error, for walks that only ask
// for diagnostics (`tdc fix`), and by the fuzzer: it returns distinct handles
// without values and keeps none of them.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_FRONTEND_NULLEMITTER_H
#define TDC_FRONTEND_NULLEMITTER_H

#include "Frontend/Emitter.h"

namespace tdc {

class NullEmitter : public Emitter {
public:
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
  bool canUse(Value value) override;
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

private:
  /// A new handle, different from all others.
  Value some() { return Value(reinterpret_cast<void *>(++made)); }

  uintptr_t made = 0;
};

} // namespace tdc

#endif // TDC_FRONTEND_NULLEMITTER_H
