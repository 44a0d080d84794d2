//===- TDStateOps.cpp - slots, gradients ----------------------------------===//

#include "OpHelpers.h"

using namespace mlir;
using namespace tdc;
using namespace tdc::td;

//===----------------------------------------------------------------------===//
// td.slot, td.read, td.write
//===----------------------------------------------------------------------===//

/// Whether a type's element type is one of td's.
static bool hasDType(RankedTensorType type) {
  Type element = type.getElementType();
  return element.isF64() || element.isF32() || element.isF16() ||
         element.isBF16() || element.isUnsignedInteger(64) ||
         element.isUnsignedInteger(32) || element.isUnsignedInteger(16) ||
         element.isUnsignedInteger(8) || element.isSignlessInteger(64) ||
         element.isSignlessInteger(32) || element.isSignlessInteger(16) ||
         element.isSignlessInteger(8) || element.isSignlessInteger(1);
}

static LogicalResult verifyAliases(SlotOp op) {
  // C2
  DictionaryAttr aliases = op.getAliasesAttr();
  if (!aliases)
    return success();
  for (NamedAttribute alias : aliases)
    if (!isa<StringAttr>(alias.getValue()))
      return op.emitOpError("expected a key for the alias ")
             << alias.getName() << ", got " << alias.getValue();
  return success();
}

LogicalResult SlotOp::verify() {
  // C1
  auto handle = dyn_cast<HandleType>(getType());
  auto type =
      handle ? handle.getTensor() : dyn_cast<RankedTensorType>(getType());
  bool hasSizes =
      type && (type.hasStaticShape() || getKind() == SlotKind::Value);
  if (hasSizes && hasDType(type) && isPlaceEncoding(type.getEncoding()))
    return verifyAliases(*this);
  return emitOpError("expected a tensor of a td dtype with static sizes, got ")
         << getType();
}

static LogicalResult verifySlotAccess(Operation *op, FlatSymbolRefAttr name,
                                      RankedTensorType type,
                                      SymbolTableCollection &symbols) {
  // C1
  SlotOp slot = lookupSlot(op, name, symbols);
  if (!slot)
    return failure();
  // C2. A slot that does not verify has been reported already.
  auto slotType = dyn_cast<RankedTensorType>(slot.getType());
  if (!slotType || (slotType.getShape() == type.getShape() &&
                    slotType.getElementType() == type.getElementType()))
    return success();
  return reportSlot(op, slot, "the shape and dtype", type);
}

LogicalResult ReadOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifySlotAccess(*this, getSlotAttr(), getType(), symbols);
}

LogicalResult WriteOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifySlotAccess(*this, getSlotAttr(), getValue().getType(), symbols);
}

SmallVector<StringAttr> ReadOp::getReadSlots() {
  return {getSlotAttr().getAttr()};
}
Value ReadOp::getReadValue() { return getResult(); }

SmallVector<StringAttr> WriteOp::getWrittenSlots() {
  return {getSlotAttr().getAttr()};
}
Value WriteOp::getWrittenValue() { return getValue(); }

void ReadOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), getSlotAttr(),
                       SlotResource::get());
}

void WriteOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  effects.emplace_back(MemoryEffects::Write::get(), getSlotAttr(),
                       SlotResource::get());
}

//===----------------------------------------------------------------------===//
// td.grad, td.backward
//===----------------------------------------------------------------------===//

static LogicalResult verifyTarget(Operation *op, RankedTensorType target) {
  if (target.getRank() == 0)
    return success();
  return op->emitOpError("expected a 0-d target, got ") << target;
}

LogicalResult RoundGradientOp::verify() {
  // C1
  Type from = getType().getElementType(), to = getElement();
  if (isNarrowFloat(to) && !isNarrowFloat(from))
    return success();
  return emitOpError("expected f16 or bf16 of a wider dtype, got ")
         << to << " of " << from;
}

LogicalResult GradOp::verify() {
  // C1
  if (failed(verifyTarget(*this, getTarget().getType())))
    return failure();
  // C2
  if (getGradients().getTypes() != getWrt().getTypes())
    return emitOpError("expected results of the types of wrt, ")
           << getWrt().getTypes() << ", got " << getGradients().getTypes();
  return success();
}

LogicalResult BackwardOp::verify() {
  // C1
  if (failed(verifyTarget(*this, getTarget().getType())))
    return failure();
  // C2
  if (getParameters().size() != getGradients().size())
    return emitOpError("expected a gradient per parameter, got ")
           << getGradients().size() << " for " << getParameters().size();
  if (getFlags() && getFlags()->size() != getParameters().size())
    return emitOpError("expected a flag per parameter, got ")
           << getFlags()->size() << " for " << getParameters().size();
  return success();
}

LogicalResult BackwardOp::verifySymbolUses(SymbolTableCollection &symbols) {
  // C3
  for (auto [parameterName, gradientName] :
       llvm::zip(getParameters().getAsRange<FlatSymbolRefAttr>(),
                 getGradients().getAsRange<FlatSymbolRefAttr>())) {
    SlotOp parameter = lookupSlot(*this, parameterName, symbols);
    if (!parameter)
      return failure();
    if (auto type = dyn_cast<RankedTensorType>(parameter.getType()))
      if (failed(verifySlotAccess(*this, gradientName, type, symbols)))
        return failure();
  }
  if (getFlags()) {
    auto type = RankedTensorType::get({}, IntegerType::get(getContext(), 1));
    for (auto flag : getFlags()->getAsRange<FlatSymbolRefAttr>())
      if (failed(verifySlotAccess(*this, flag, type, symbols)))
        return failure();
  }
  return success();
}

/// The op reads gradients as well: it adds to them.
SmallVector<StringAttr> BackwardOp::getReadSlots() {
  SmallVector<StringAttr> slots = getNames(getParameters());
  llvm::append_range(slots, getNames(getGradients()));
  return slots;
}
SmallVector<StringAttr> BackwardOp::getWrittenSlots() {
  SmallVector<StringAttr> slots = getNames(getGradients());
  if (getFlags())
    llvm::append_range(slots, getNames(*getFlags()));
  return slots;
}
