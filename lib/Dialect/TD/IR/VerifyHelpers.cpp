//===- VerifyHelpers.cpp - rules that several families of ops share -------===//

#include "OpHelpers.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tdc;
using namespace tdc::td;

bool td::dimsAgree(int64_t a, int64_t b) {
  return a == b || ShapedType::isDynamic(a) || ShapedType::isDynamic(b);
}

bool td::dimsAgree(ArrayRef<int64_t> a, ArrayRef<int64_t> b) {
  return a.size() == b.size() && llvm::all_of(llvm::zip(a, b), [](auto pair) {
           return dimsAgree(std::get<0>(pair), std::get<1>(pair));
         });
}

std::string td::spellDims(ArrayRef<int64_t> dims) {
  auto text = [](int64_t dim) {
    return ShapedType::isDynamic(dim) ? "?" : std::to_string(dim);
  };
  return "[" + llvm::join(llvm::map_range(dims, text), ", ") + "]";
}

LogicalResult td::verifyDims(Operation *op, StringRef what,
                             ArrayRef<int64_t> expected,
                             ArrayRef<int64_t> got) {
  if (dimsAgree(expected, got))
    return success();
  return op->emitOpError("expected ")
         << what << " of shape " << spellDims(expected) << ", got "
         << spellDims(got);
}

LogicalResult td::verifyDType(Operation *op, StringRef what,
                              RankedTensorType expected, RankedTensorType got) {
  if (expected.getElementType() == got.getElementType())
    return success();
  return op->emitOpError("expected ")
         << what << " of dtype "
         << spelling(getDType(expected.getElementType())) << ", got "
         << spelling(getDType(got.getElementType()));
}

LogicalResult td::verifyDimIndex(Operation *op, int64_t dim,
                                 RankedTensorType type) {
  if (dim >= 0 && dim < type.getRank())
    return success();
  return op->emitOpError("expected a dim in [0, ")
         << type.getRank() << "), got " << dim;
}

LogicalResult td::verifySizes(Operation *op, TypeRange types,
                              ValueRange sizes) {
  int64_t expected = 0;
  for (Type type : types)
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      expected += tensor.getNumDynamicDims();
  if (expected == int64_t(sizes.size()))
    return success();
  return op->emitOpError("expected one size per '?' of the result, ")
         << expected << ", got " << sizes.size();
}

LogicalResult td::verifyKernelInputs(Operation *op, TypeRange types) {
  for (auto [i, type] : llvm::enumerate(types))
    if (!isa<RankedTensorType>(type) && !type.isInteger(64) &&
        !type.isInteger(1) && !type.isF64())
      return op->emitOpError("expected tensors, i64, f64 and i1 as inputs, "
                             "but input ")
             << i << " is " << type;
  return success();
}

SlotOp td::lookupSlot(Operation *op, FlatSymbolRefAttr slot,
                      SymbolTableCollection &symbols) {
  Operation *symbol = symbols.lookupNearestSymbolFrom(op, slot);
  if (auto found = dyn_cast_if_present<SlotOp>(symbol))
    return found;
  InFlightDiagnostic diag = op->emitOpError("expected ")
                            << slot << " to be a td.slot";
  if (symbol)
    diag.attachNote(symbol->getLoc())
        << "it is a '" << symbol->getName() << "'";
  return {};
}

LogicalResult td::reportSlot(Operation *op, SlotOp slot, StringRef what,
                             Type actual) {
  return (op->emitOpError("expected ")
          << what << " of @" << slot.getSymName() << ", " << slot.getType()
          << ", got " << actual)
             .attachNote(slot.getLoc())
         << "declared here";
}

SmallVector<StringAttr> td::getNames(ArrayAttr symbols) {
  return llvm::map_to_vector(
      symbols.getAsRange<FlatSymbolRefAttr>(),
      [](FlatSymbolRefAttr symbol) { return symbol.getAttr(); });
}

LogicalResult td::verifySlots(Operation *op, ArrayAttr slots,
                              SymbolTableCollection &symbols) {
  for (auto slot : slots.getAsRange<FlatSymbolRefAttr>())
    if (!lookupSlot(op, slot, symbols))
      return failure();
  return success();
}

Dims td::getSymbolicSizes(RankedTensorType type) {
  Dims sizes;
  for (int64_t size : type.getShape())
    sizes.push_back(ShapedType::isDynamic(size) ? Size::variable("?")
                                                : Size(size));
  return sizes;
}

LogicalResult td::verifyShape(Operation *op, StringRef what,
                              const ShapeAnswer &expected,
                              RankedTensorType got) {
  if (!expected)
    return op->emitOpError() << expected.problem;
  SmallVector<int64_t> dims;
  for (const Size &size : expected.dims)
    dims.push_back(size.isConstant() ? size.getConstant()
                                     : ShapedType::kDynamic);
  return verifyDims(op, what, dims, got.getShape());
}

//===----------------------------------------------------------------------===//
// Traits
//===----------------------------------------------------------------------===//

static auto tensorTypes(Operation *op) {
  SmallVector<RankedTensorType> types;
  for (Type type : op->getOperandTypes())
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      types.push_back(tensor);
  for (Type type : op->getResultTypes())
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      types.push_back(tensor);
  return types;
}

static std::string spellPlace(RankedTensorType type) {
  std::string text = spelling(getPlace(type));
  return text.empty() ? "free" : text;
}

LogicalResult td::detail::verifyOnePlace(Operation *op) {
  SmallVector<RankedTensorType> types = tensorTypes(op);
  for (RankedTensorType type : types)
    if (type.getEncoding() != types.front().getEncoding())
      return op->emitOpError("expected all tensors at one place, got '")
             << spellPlace(types.front()) << "' and '" << spellPlace(type)
             << "'";
  return success();
}

LogicalResult td::detail::verifyOneShape(Operation *op) {
  SmallVector<RankedTensorType> types = tensorTypes(op);
  for (RankedTensorType type : types)
    if (type.getShape() != types.front().getShape())
      return op->emitOpError("expected all tensors of one shape, got ")
             << spellDims(types.front().getShape()) << " and "
             << spellDims(type.getShape());
  return success();
}
