//===- NullEmitter.cpp - checks without code ------------------------------===//

#include "Frontend/NullEmitter.h"

using namespace tdc;

void NullEmitter::setLocation(const SourceLocation &) {}
void NullEmitter::nameTensor(Value, llvm::StringRef) {}
void NullEmitter::readElsewhere(Value) {}
void NullEmitter::nameIndices(llvm::StringRef) {}
Value NullEmitter::constantInt(int64_t) { return some(); }
Value NullEmitter::constantFloat(double) { return some(); }
Value NullEmitter::constantBool(bool) { return some(); }
Value NullEmitter::constantString(llvm::StringRef) { return some(); }
Value NullEmitter::host(HostOp, llvm::ArrayRef<Value>) { return some(); }
Value NullEmitter::hostSelect(Value, Value, Value) { return some(); }
Emitter::Loop NullEmitter::beginFor(Value, Value, Value,
                                    llvm::ArrayRef<Value> initial) {
  Loop loop;
  loop.index = some();
  loop.carried.assign(initial.size(), some());
  return loop;
}
llvm::SmallVector<Value> NullEmitter::endFor(llvm::ArrayRef<Value> next,
                                             llvm::ArrayRef<Outcome> outcomes,
                                             Value) {
  return llvm::SmallVector<Value>(next.size() + outcomes.size(), some());
}
llvm::SmallVector<Value>
NullEmitter::beginWhile(Value, llvm::ArrayRef<Value> initial) {
  return llvm::SmallVector<Value>(initial.size(), some());
}
llvm::SmallVector<Value>
NullEmitter::endWhile(Value, llvm::ArrayRef<Value> next,
                      llvm::ArrayRef<Outcome> outcomes) {
  return llvm::SmallVector<Value>(next.size() + outcomes.size(), some());
}
void NullEmitter::beginIf(Value) {}
void NullEmitter::beginElse() {}
llvm::SmallVector<Value> NullEmitter::endIf(llvm::ArrayRef<Value> thenValues,
                                            llvm::ArrayRef<Value>) {
  return llvm::SmallVector<Value>(thenValues.size(), some());
}
void NullEmitter::declareDevice(llvm::StringRef, const Place &) {}
void NullEmitter::optimizePlacement() {}
void NullEmitter::keepTransfers() {}
llvm::SmallVector<Value>
NullEmitter::beginExport(llvm::StringRef, llvm::StringRef,
                         llvm::ArrayRef<Parameter> parameters) {
  return llvm::SmallVector<Value>(parameters.size(), some());
}
void NullEmitter::endExport(llvm::ArrayRef<Value>) {}
bool NullEmitter::canUse(Value) { return true; }
Value NullEmitter::tensorConstant(llvm::ArrayRef<char>, const TensorShape &) {
  return some();
}
RandomCall NullEmitter::nextRandom() { return {some(), some()}; }
Value NullEmitter::random(td::Distribution, RandomCall, llvm::ArrayRef<Value>,
                          llvm::ArrayRef<Value>, const TensorShape &) {
  return some();
}
Value NullEmitter::op(OpKind, llvm::ArrayRef<Value>,
                      llvm::ArrayRef<OpAttribute>, const TensorShape &) {
  return some();
}
Value NullEmitter::toDevice(Value, const TensorShape &, Transfer) {
  return some();
}
Value NullEmitter::detach(Value) { return some(); }
Value NullEmitter::roundGradient(Value, const TensorShape &) { return some(); }
Value NullEmitter::dim(Value, int64_t) { return some(); }
Value NullEmitter::item(Value) { return some(); }
void NullEmitter::declareSlot(llvm::StringRef, td::SlotKind, llvm::StringRef,
                              llvm::StringRef, const TensorShape &) {}
void NullEmitter::nameSlots(llvm::ArrayRef<SlotNames>,
                            llvm::ArrayRef<std::string>) {}
Value NullEmitter::read(llvm::StringRef, const TensorShape &) { return some(); }
void NullEmitter::write(llvm::StringRef, Value) {}
void NullEmitter::moveSlot(llvm::StringRef, const Place &, Transfer) {}
void NullEmitter::seed(Value) {}
llvm::SmallVector<Value> NullEmitter::grad(Value, llvm::ArrayRef<Value> wrt) {
  return llvm::SmallVector<Value>(wrt.size(), some());
}
void NullEmitter::backward(Value, llvm::ArrayRef<std::string>,
                           llvm::ArrayRef<std::string>,
                           llvm::ArrayRef<std::string>) {}
Value NullEmitter::format(llvm::StringRef, llvm::ArrayRef<Value>) {
  return some();
}
Value NullEmitter::pickText(Value, llvm::ArrayRef<llvm::StringRef>) {
  return some();
}
void NullEmitter::print(Value) {}
void NullEmitter::assertThat(Value, Value, Check) {}
void NullEmitter::checkDim(Value, Value, llvm::StringRef) {}
void NullEmitter::declareArgument(llvm::StringRef, HostType, ArgumentKind,
                                  std::optional<llvm::StringRef>,
                                  llvm::StringRef) {}
Value NullEmitter::argument(llvm::StringRef, HostType) { return some(); }
Value NullEmitter::environment(Value, Value) { return some(); }
Value NullEmitter::exists(Value) { return some(); }
Value NullEmitter::cudaDeviceName(Value) { return some(); }
Value NullEmitter::cudaTotalMemory(Value) { return some(); }
void NullEmitter::cudaSynchronize() {}
Value NullEmitter::load(Value, llvm::StringRef, const TensorShape &) {
  return some();
}
void NullEmitter::saveTensor(Value, Value) {}
void NullEmitter::save(Value, const Checkpoint &) {}
void NullEmitter::restore(Value, const Checkpoint &, Tolerance) {}
Value NullEmitter::restoreScalar(Value, llvm::StringRef, HostType) {
  return some();
}
