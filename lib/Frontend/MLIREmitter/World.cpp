//===- World.cpp - state, gradients, files, prints, arguments -------------===//

#include "MLIREmitter.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace tdc {

Type MLIREmitter::getHostType(HostType type) {
  switch (type) {
  case HostType::Int:
    return builder.getI64Type();
  case HostType::Float:
    return builder.getF64Type();
  case HostType::Bool:
    return builder.getI1Type();
  case HostType::Str:
    return td::StrType::get(builder.getContext());
  }
  llvm_unreachable("not a host type");
}

ArrayAttr MLIREmitter::getSymbols(llvm::ArrayRef<std::string> names) {
  return builder.getArrayAttr(
      llvm::map_to_vector(names, [&](const std::string &name) -> Attribute {
        return FlatSymbolRefAttr::get(builder.getContext(), name);
      }));
}

DictionaryAttr MLIREmitter::getDictionary(
    llvm::ArrayRef<std::pair<std::string, std::string>> entries) {
  NamedAttrList list;
  for (const auto &[name, text] : entries)
    list.append(name, builder.getStringAttr(text));
  return list.empty() ? nullptr : list.getDictionary(builder.getContext());
}

ArrayAttr MLIREmitter::getStrings(llvm::ArrayRef<std::string> texts) {
  return builder.getArrayAttr(
      llvm::map_to_vector(texts, [&](const std::string &text) -> Attribute {
        return builder.getStringAttr(text);
      }));
}

//===----------------------------------------------------------------------===//
// State and gradients
//===----------------------------------------------------------------------===//

/// Slots are at the top of the module in the order of their declaration.
void MLIREmitter::declareSlot(llvm::StringRef name, td::SlotKind kind,
                              llvm::StringRef key, llvm::StringRef instance,
                              const TensorShape &type) {
  OpBuilder::InsertionGuard guard(builder);
  if (lastSlot)
    builder.setInsertionPointAfter(lastSlot);
  else
    builder.setInsertionPointToStart(module->getBody());
  lastSlot = create<td::SlotOp>(name, kind, key, instance, getType(type),
                                /*aliases=*/nullptr);
}

void MLIREmitter::nameSlots(llvm::ArrayRef<SlotNames> slots,
                            llvm::ArrayRef<std::string> dropped) {
  SymbolTable symbols(*module);
  llvm::StringSet<> isDropped;
  for (const std::string &slot : dropped)
    isDropped.insert(slot);
  llvm::StringMap<std::string> renamed;
  for (const SlotNames &row : slots) {
    auto slot = symbols.lookup<td::SlotOp>(row.slot);
    const SlotName &own = row.names.front();
    if (own.whole() != row.slot)
      renamed[row.slot] = own.whole();
    // It takes the position of the slot that had the name.
    if (isDropped.contains(own.whole()))
      slot->moveBefore(symbols.lookup(own.whole()));
    slot.setKey(own.key);
    slot.setInstance(own.instance);
    llvm::SmallVector<std::pair<std::string, std::string>> aliases;
    for (const SlotName &name : llvm::drop_begin(row.names))
      aliases.emplace_back(name.whole(), name.key);
    slot.setAliasesAttr(getDictionary(aliases));
  }

  AttrTypeReplacer names;
  names.addReplacement([&](FlatSymbolRefAttr slot) -> std::optional<Attribute> {
    auto found = renamed.find(slot.getValue());
    if (found == renamed.end())
      return std::nullopt;
    return FlatSymbolRefAttr::get(builder.getContext(), found->second);
  });
  module->walk([&](Operation *op) {
    if (isa<td::ReadOp, td::WriteOp, td::MoveOp>(op) &&
        isDropped.contains(
            op->getAttrOfType<FlatSymbolRefAttr>("slot").getValue()))
      return op->erase();
    if (auto slot = dyn_cast<td::SlotOp>(op)) {
      if (isDropped.contains(slot.getSymName()))
        return op->erase();
      if (auto found = renamed.find(slot.getSymName()); found != renamed.end())
        slot.setSymName(found->second);
    }
    names.replaceElementsIn(op);
  });
}

Value MLIREmitter::read(llvm::StringRef slot, const TensorShape &type) {
  return wrap(create<td::ReadOp>(getType(type), slot));
}

void MLIREmitter::write(llvm::StringRef slot, Value value) {
  create<td::WriteOp>(unwrap(value), slot);
}

void MLIREmitter::moveSlot(llvm::StringRef slot, const Place &place,
                           Transfer transfer) {
  create<td::MoveOp>(slot, td::getDevice(builder.getContext(), place),
                     transfer == Transfer::Implied, transfer == Transfer::Kept);
}

void MLIREmitter::optimizePlacement() {
  (*module)->setAttr(td::kOptimizeAttr, builder.getUnitAttr());
}

void MLIREmitter::keepTransfers() {
  (*module)->setAttr(td::kAsWrittenAttr, builder.getUnitAttr());
}

void MLIREmitter::declareDevice(llvm::StringRef symbol, const Place &device) {
  NamedAttrList devices(
      (*module)->getAttrOfType<DictionaryAttr>(td::kDevicesAttr));
  devices.set(symbol, td::getDevice(builder.getContext(), device));
  (*module)->setAttr(td::kDevicesAttr,
                     devices.getDictionary(builder.getContext()));
}

void MLIREmitter::seed(Value value) { create<td::SeedOp>(unwrap(value)); }

llvm::SmallVector<Value> MLIREmitter::grad(Value target,
                                           llvm::ArrayRef<Value> wrt) {
  auto op = create<td::GradOp>(unwrap(target), ValueRange(unwrap(wrt)));
  return wrap(op.getGradients());
}

void MLIREmitter::backward(Value target, llvm::ArrayRef<std::string> parameters,
                           llvm::ArrayRef<std::string> gradients,
                           llvm::ArrayRef<std::string> flags) {
  create<td::BackwardOp>(unwrap(target), getSymbols(parameters),
                         getSymbols(gradients), getSymbols(flags));
}

//===----------------------------------------------------------------------===//
// Strings, prints, checks
//===----------------------------------------------------------------------===//

Value MLIREmitter::format(llvm::StringRef templateText,
                          llvm::ArrayRef<Value> values) {
  return wrap(create<td::FormatOp>(templateText, unwrap(values)));
}

Value MLIREmitter::pickText(Value index,
                            llvm::ArrayRef<llvm::StringRef> texts) {
  return wrap(
      create<td::PickTextOp>(unwrap(index), builder.getStrArrayAttr(texts)));
}

void MLIREmitter::print(Value text) { create<td::PrintOp>(unwrap(text)); }

void MLIREmitter::assertThat(Value condition, Value message, Check check) {
  auto op = create<td::AssertOp>(unwrap(condition), unwrap(message));
  if (check != Check::Assertion)
    op->setAttr("td.code",
                builder.getI32IntegerAttr(static_cast<int32_t>(check)));
}

void MLIREmitter::checkDim(Value lhs, Value rhs, llvm::StringRef what) {
  create<td::CheckDimOp>(unwrap(lhs), unwrap(rhs), what);
}

//===----------------------------------------------------------------------===//
// Command line and environment
//===----------------------------------------------------------------------===//

void MLIREmitter::declareArgument(llvm::StringRef name, HostType type,
                                  ArgumentKind kind,
                                  std::optional<llvm::StringRef> defaultText,
                                  llvm::StringRef help) {
  NamedAttrList row;
  row.append("name", builder.getStringAttr(name));
  row.append("type", TypeAttr::get(getHostType(type)));
  row.append("help", builder.getStringAttr(help));
  if (defaultText)
    row.append("default", builder.getStringAttr(*defaultText));
  if (kind != ArgumentKind::Value)
    row.append(kind == ArgumentKind::Fixed ? "fixed" : "device",
               builder.getUnitAttr());
  arguments.push_back(row.getDictionary(builder.getContext()));
}

Value MLIREmitter::argument(llvm::StringRef name, HostType type) {
  return wrap(create<td::ArgOp>(getHostType(type), name));
}

Value MLIREmitter::environment(Value variable, Value defaultValue) {
  return wrap(create<td::EnvOp>(getHostType(HostType::Str), unwrap(variable),
                                unwrap(defaultValue)));
}

Value MLIREmitter::cudaDeviceName(Value index) {
  return wrap(
      create<td::CudaDeviceNameOp>(getHostType(HostType::Str), unwrap(index)));
}

Value MLIREmitter::cudaTotalMemory(Value index) {
  return wrap(
      create<td::CudaTotalMemoryOp>(getHostType(HostType::Int), unwrap(index)));
}

void MLIREmitter::cudaSynchronize() { create<td::CudaSynchronizeOp>(); }

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

Value MLIREmitter::exists(Value path) {
  return wrap(create<td::ExistsOp>(getHostType(HostType::Bool), unwrap(path)));
}

Value MLIREmitter::load(Value path, llvm::StringRef key,
                        const TensorShape &type) {
  StringAttr keyAttr = key.empty() ? StringAttr() : builder.getStringAttr(key);
  return wrap(create<td::LoadOp>(getType(type), unwrap(path), keyAttr));
}

void MLIREmitter::saveTensor(Value path, Value tensor) {
  create<td::SaveTensorOp>(unwrap(path), unwrap(tensor));
}

void MLIREmitter::save(Value path, const Checkpoint &checkpoint) {
  create<td::SaveOp>(unwrap(path), getSymbols(checkpoint.slots),
                     getStrings(checkpoint.keys), checkpoint.full,
                     getStrings(checkpoint.names), unwrap(checkpoint.values),
                     getDictionary(checkpoint.aliases));
}

void MLIREmitter::restore(Value path, const Checkpoint &checkpoint,
                          Tolerance tolerance) {
  create<td::RestoreOp>(unwrap(path), getSymbols(checkpoint.slots),
                        getStrings(checkpoint.keys), checkpoint.full,
                        tolerance.lenient, tolerance.casts,
                        getDictionary(checkpoint.aliases));
}

Value MLIREmitter::restoreScalar(Value path, llvm::StringRef name,
                                 HostType type) {
  return wrap(
      create<td::RestoreScalarOp>(getHostType(type), unwrap(path), name));
}

} // namespace tdc
