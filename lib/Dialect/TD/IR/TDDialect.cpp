//===- TDDialect.cpp - the td dialect and its op table check --------------===//

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

/// Folders answer with host scalars (sizes, items) or whole tensors.
Operation *TDDialect::materializeConstant(OpBuilder &builder, Attribute value,
                                          Type type, Location loc) {
  if (auto elements = dyn_cast<ElementsAttr>(value))
    return elements.getType() == type
               ? ConstantOp::create(builder, loc, elements).getOperation()
               : nullptr;
  return arith::ConstantOp::materialize(builder, value, type, loc);
}

static bool isElementwise(OpFamily family) { return family <= OpFamily::Cast; }

bool td::checkOpTable(MLIRContext *context, raw_ostream &os) {
  context->loadDialect<TDDialect>();
  bool agree = true;
  auto report = [&](StringRef mnemonic) -> raw_ostream & {
    agree = false;
    return os << "error: td." << mnemonic << ' ';
  };

  for (RegisteredOperationName op :
       context->getRegisteredOperationsByDialect("td"))
    if (op.hasInterface<ComputeOp>() && !lookupOp(op.stripDialect()))
      report(op.stripDialect()) << "is a compute op without a row in Ops.def\n";

  for (const OpInfo &row : getOpTable()) {
    auto op =
        RegisteredOperationName::lookup(("td." + row.mnemonic).str(), context);
    if (!op || !op->hasInterface<ComputeOp>()) {
      report(row.mnemonic) << "has a row in Ops.def but is no compute op\n";
      continue;
    }
    if (op->hasInterface<Differentiable>() != row.hasGradient)
      report(row.mnemonic) << "disagrees with Ops.def on having a gradient\n";
    if (op->hasTrait<ElementwiseOp>() != isElementwise(row.family))
      report(row.mnemonic) << "disagrees with Ops.def on being elementwise\n";
  }
  return agree;
}
