//===- TDDialect.cpp - the td dialect -------------------------------------===//

#include "Dialect/TD/IR/TD.h"
#include "Dialect/TD/OpTable/OpTable.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tdc;
using namespace tdc::td;

#include "Dialect/TD/IR/TDDialect.cpp.inc"
#include "Dialect/TD/IR/TDInterfaces.cpp.inc"

void TDDialect::initialize() {
  registerAttributesAndTypes();
  addOperations<
#define GET_OP_LIST
#include "Dialect/TD/IR/TDOps.cpp.inc"
      >();
}

/// Folders return host scalars (sizes, items) or whole tensors.
Operation *TDDialect::materializeConstant(OpBuilder &builder, Attribute value,
                                          Type type, Location loc) {
  if (auto elements = dyn_cast<ElementsAttr>(value))
    return elements.getType() == type
               ? ConstantOp::create(builder, loc, elements).getOperation()
               : nullptr;
  return arith::ConstantOp::materialize(builder, value, type, loc);
}
