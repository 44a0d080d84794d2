//===- TDHostOps.cpp - the host's side of a program -----------------------===//

#include "OpHelpers.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tdc;
using namespace tdc::td;

//===----------------------------------------------------------------------===//
// td.dim
//===----------------------------------------------------------------------===//

LogicalResult DimOp::verify() {
  // C1
  return verifyDimIndex(*this, getIndex(), getInput().getType());
}

OpFoldResult DimOp::fold(FoldAdaptor) {
  RankedTensorType type = getInput().getType();
  int64_t dim = getIndex();
  if (!type.isDynamicDim(dim))
    return IntegerAttr::get(getType(), type.getDimSize(dim));
  if (Value size = findSize(getInput(), dim))
    return size;
  TensorDim source = findEqualDim(getInput(), dim);
  if (!source.tensor)
    return {};
  getInputMutable().assign(source.tensor);
  setIndex(source.dim);
  return getResult();
}

//===----------------------------------------------------------------------===//
// td.item
//===----------------------------------------------------------------------===//

LogicalResult ItemOp::verify() {
  RankedTensorType type = getInput().getType();
  // C1
  for (int64_t dim : type.getShape())
    if (!dimsAgree(dim, 1))
      return emitOpError("expected one element, got ") << type;
  // C2
  Type element = type.getElementType();
  Type result = getType();
  bool fits = isa<FloatType>(element) ? result.isF64()
              : element.isInteger(1)  ? result.isInteger(1)
                                      : result.isInteger(64);
  if (!fits)
    return emitOpError("expected f64 for floats, i64 for integers, i1 for "
                       "bool, got ")
           << result << " for " << type;
  return success();
}

OpFoldResult ItemOp::fold(FoldAdaptor) {
  if (Attribute element = getUniform(getInput()))
    return convertElement(element, getType());
  // A scalar that the tensor holds as it is.
  auto fill = getInput().getDefiningOp<FillOp>();
  if (fill && fill.getValue().getType() == getType() &&
      fill.getType().getElementType() == getType())
    return fill.getValue();
  return {};
}

//===----------------------------------------------------------------------===//
// td.format
//===----------------------------------------------------------------------===//

LogicalResult FormatOp::verify() {
  // C1
  StringRef text = getTemplateText();
  size_t placeholders = 0;
  auto unpaired = [&](char brace) {
    return emitOpError("expected braces to pair up, got a single '")
           << brace << "' in the template";
  };
  while (true) {
    text = text.drop_until([](char c) { return c == '{' || c == '}'; });
    if (text.empty())
      break;
    if (text.consume_front("{{") || text.consume_front("}}"))
      continue;
    size_t end = text.find('}');
    if (text.front() == '}' || end == StringRef::npos)
      return unpaired(text.front());
    ++placeholders;
    text = text.drop_front(end + 1);
  }
  if (placeholders != getValues().size())
    return emitOpError("expected a value per placeholder, ")
           << placeholders << ", got " << getValues().size();
  return success();
}

//===----------------------------------------------------------------------===//
// td.pick_text
//===----------------------------------------------------------------------===//

LogicalResult PickTextOp::verify() {
  // C1
  return getTexts().empty() ? emitOpError("expected texts") : success();
}

//===----------------------------------------------------------------------===//
// td.save, td.restore
//===----------------------------------------------------------------------===//

static LogicalResult verifyKeys(Operation *op, ArrayAttr slots,
                                ArrayAttr keys) {
  if (slots.size() == keys.size())
    return success();
  return op->emitOpError("expected a key per slot, got ")
         << keys.size() << " for " << slots.size();
}

static LogicalResult verifyAliases(Operation *op, DictionaryAttr aliases,
                                   ArrayAttr keys) {
  if (!aliases)
    return success();
  for (NamedAttribute alias : aliases)
    if (!llvm::is_contained(keys, alias.getValue()))
      return op->emitOpError("expected a key for the alias ")
             << alias.getName() << ", got " << alias.getValue();
  return success();
}

LogicalResult SaveOp::verify() {
  // C1
  if (failed(verifyKeys(*this, getSlots(), getKeys())))
    return failure();
  // C4
  if (failed(verifyAliases(*this, getAliasesAttr(), getKeys())))
    return failure();
  // C2
  if (getNames().size() != getValues().size())
    return emitOpError("expected a name per value, got ")
           << getNames().size() << " for " << getValues().size();
  return success();
}

LogicalResult SaveOp::verifySymbolUses(SymbolTableCollection &symbols) {
  // C3
  return verifySlots(*this, getSlots(), symbols);
}

SmallVector<StringAttr> SaveOp::getReadSlots() {
  return td::getNames(getSlots());
}

LogicalResult RestoreOp::verify() {
  // C1
  if (failed(verifyKeys(*this, getSlots(), getKeys())))
    return failure();
  // C3
  return verifyAliases(*this, getAliasesAttr(), getKeys());
}

LogicalResult RestoreOp::verifySymbolUses(SymbolTableCollection &symbols) {
  // C2
  return verifySlots(*this, getSlots(), symbols);
}

/// A slot that the file does not have keeps its content, so all slots are read.
SmallVector<StringAttr> RestoreOp::getReadSlots() {
  return td::getNames(getSlots());
}
SmallVector<StringAttr> RestoreOp::getWrittenSlots() {
  return td::getNames(getSlots());
}
