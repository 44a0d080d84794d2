//===- TDTransferOps.cpp - td.to_device, td.cast --------------------------===//

#include "OpHelpers.h"

using namespace mlir;
using namespace tdc;
using namespace tdc::td;

//===----------------------------------------------------------------------===//
// td.to_device
//===----------------------------------------------------------------------===//

LogicalResult ToDeviceOp::verify() {
  RankedTensorType from = getInput().getType(), to = getType();
  // C1
  if (from.getShape() != to.getShape() ||
      from.getElementType() != to.getElementType())
    return emitOpError("expected operand and result of one shape and dtype, "
                       "got ")
           << from << " and " << to;
  // C2
  if (getRole() && !getImplied())
    return emitOpError("expected a copy with a role to be implied");
  return success();
}

OpFoldResult ToDeviceOp::fold(FoldAdaptor) {
  bool changesNothing = getInput().getType() == getType() && !getPinned();
  return changesNothing ? getInput() : Value();
}

void ToDeviceOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  if (getKept())
    effects.emplace_back(MemoryEffects::Write::get());
}

//===----------------------------------------------------------------------===//
// Slots and replicas
//===----------------------------------------------------------------------===//

LogicalResult MoveOp::verifySymbolUses(SymbolTableCollection &symbols) {
  // C1
  return success(lookupSlot(*this, getSlotAttr(), symbols));
}

SmallVector<StringAttr> MoveOp::getReadSlots() {
  return {getSlotAttr().getAttr()};
}
SmallVector<StringAttr> MoveOp::getWrittenSlots() {
  return {getSlotAttr().getAttr()};
}

static LogicalResult verifyHandle(Operation *op, HandleType handle,
                                  RankedTensorType tensor) {
  // C1
  if (handle.getTensor() == withPlace(tensor, Place()))
    return success();
  return op->emitOpError("expected one type but for the place, got ")
         << handle << " and " << tensor;
}

LogicalResult HandleOp::verify() {
  return verifyHandle(*this, getType(), getInput().getType());
}

LogicalResult ReplicaGetOp::verify() {
  return verifyHandle(*this, getHandle().getType(), getType());
}

static LogicalResult verifyHandleSlot(Operation *op, FlatSymbolRefAttr name,
                                      HandleType type,
                                      SymbolTableCollection &symbols) {
  // C1
  SlotOp slot = lookupSlot(op, name, symbols);
  if (!slot || slot.getType() == type)
    return success(slot);
  return reportSlot(op, slot, "the type", type);
}

LogicalResult ReadHandleOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyHandleSlot(*this, getSlotAttr(), getType(), symbols);
}

LogicalResult WriteHandleOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyHandleSlot(*this, getSlotAttr(), getHandle().getType(), symbols);
}

SmallVector<StringAttr> ReadHandleOp::getReadSlots() {
  return {getSlotAttr().getAttr()};
}
Value ReadHandleOp::getReadValue() { return getResult(); }

SmallVector<StringAttr> WriteHandleOp::getWrittenSlots() {
  return {getSlotAttr().getAttr()};
}
Value WriteHandleOp::getWrittenValue() { return getHandle(); }

//===----------------------------------------------------------------------===//
// td.cast
//===----------------------------------------------------------------------===//

/// Whether a cast a -> b -> c is the cast a -> c: b holds every value of a, and
/// the second step treats b as it would treat a (integers wrap where floats
/// saturate).
static bool isOneCast(DType a, DType b, DType c) {
  bool otherOverflow = isInteger(a) && isFloat(b) && isInteger(c);
  return isExactCast(a, b) && (!otherOverflow || isExactCast(a, c));
}

static DType dtypeOf(Value tensor) {
  return getDType(cast<RankedTensorType>(tensor.getType()).getElementType());
}

OpFoldResult CastOp::fold(FoldAdaptor) {
  if (getInput().getType() == getType())
    return getInput();
  auto inner = getInput().getDefiningOp<CastOp>();
  if (!inner || !isOneCast(dtypeOf(inner.getInput()), dtypeOf(getInput()),
                           dtypeOf(getResult())))
    return {};
  if (inner.getInput().getType() == getType())
    return inner.getInput();
  getInputMutable().assign(inner.getInput());
  return getResult();
}

static DType dtypeOfScalar(Value scalar) {
  return scalar.getType().isF64()         ? DType::F64
         : scalar.getType().isInteger(64) ? DType::I64
                                          : DType::Bool;
}

/// cast(fill(v)) -> fill(v'), v' the constant converted, or v itself where the
/// tensor's dtype held it exactly.
LogicalResult CastOp::canonicalize(CastOp op, PatternRewriter &rewriter) {
  auto fill = op.getInput().getDefiningOp<FillOp>();
  if (!fill)
    return rewriter.notifyMatchFailure(op, "the operand is no td.fill");
  if (isOneCast(dtypeOfScalar(fill.getValue()), dtypeOf(fill), dtypeOf(op))) {
    rewriter.replaceOpWithNewOp<FillOp>(op, op.getType(), fill.getValue(),
                                        fill.getSizes());
    return success();
  }
  Attribute element = getUniform(fill);
  if (!element)
    return rewriter.notifyMatchFailure(op, "the scalar is no constant");
  rewriter.replaceOp(
      op, createFill(rewriter, op.getLoc(),
                     convertElement(element, op.getType().getElementType()),
                     fill.getSizes(), op.getType()));
  return success();
}

std::string CastOp::getSpelling() {
  return (".to(" + spelling(getDType(getType().getElementType())) + ")").str();
}

Value td::getWidened(Value tensor) {
  auto cast = tensor.getDefiningOp<CastOp>();
  if (!cast)
    return {};
  Type to = cast.getType().getElementType();
  bool widens = isa<FloatType>(to) && !isNarrowFloat(to) &&
                isNarrowFloat(cast.getInput().getType().getElementType());
  return widens ? cast.getInput() : Value();
}
