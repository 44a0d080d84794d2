//===- Captures.cpp - values of the program in exported functions ---------===//
//
// An exported function uses the values of the top-level statements as they are
// at the end of these. They are values of @main, which has returned when the
// function is called. So a computed value is kept in a slot, and an op that
// means the same anywhere, such as a constant or an `arg`, is copied into the
// function.
//
//===----------------------------------------------------------------------===//

#include "Dialect/TD/IR/Locations.h"
#include "MLIREmitter.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace tdc {

/// Whether a copy of the op gives the same value in any function.
static bool canRepeat(Operation *op) {
  return op && op->getNumOperands() == 0 && op->getNumRegions() == 0 &&
         isPure(op);
}

bool MLIREmitter::isOutside(mlir::Value value) {
  return !function->op.getBody().isAncestor(value.getParentRegion());
}

bool MLIREmitter::canUse(Value value) {
  mlir::Value used = unwrap(value);
  return !isa<td::StrType>(used.getType()) || !isOutside(used) ||
         canRepeat(used.getDefiningOp());
}

void MLIREmitter::replaceCaptures() {
  llvm::DenseMap<mlir::Value, mlir::Value> inside;
  function->op.walk([&](Operation *op) {
    for (OpOperand &operand : op->getOpOperands()) {
      if (!isOutside(operand.get()))
        continue;
      mlir::Value &copy = inside[operand.get()];
      if (!copy)
        copy = bringIn(operand.get());
      operand.set(copy);
    }
  });
}

/// Makes a value of @main available at the top of the exported function.
mlir::Value MLIREmitter::bringIn(mlir::Value value) {
  OpBuilder::InsertionGuard guard(builder);
  if (Operation *op = value.getDefiningOp(); canRepeat(op)) {
    builder.setInsertionPointToStart(&function->op.front());
    unsigned result = llvm::cast<OpResult>(value).getResultNumber();
    return builder.clone(*op)->getResult(result);
  }
  td::SlotOp slot = keep(value);
  builder.setInsertionPointToStart(&function->op.front());
  auto type = dyn_cast<RankedTensorType>(value.getType());
  auto kept = td::ReadOp::create(
      builder, value.getLoc(),
      type ? type : llvm::cast<RankedTensorType>(slot.getType()),
      slot.getSymName());
  if (type)
    return kept;
  return td::ItemOp::create(builder, value.getLoc(), value.getType(), kept);
}

/// The slot into which the end of @main writes the value.
td::SlotOp MLIREmitter::keep(mlir::Value value) {
  td::SlotOp &slot = kept[value];
  if (slot)
    return slot;
  builder.setInsertionPointToEnd(&main.op.front());
  mlir::Value tensor = value;
  if (!isa<RankedTensorType>(value.getType()))
    tensor = td::FillOp::create(builder, value.getLoc(),
                                RankedTensorType::get({}, value.getType()),
                                value, ValueRange());
  auto type = llvm::cast<RankedTensorType>(tensor.getType());
  // Names of functions have no dot, so they do not clash with this one.
  llvm::StringRef variable = td::getVariableName(value.getLoc());
  std::string name =
      ("value." + (variable.empty() ? "unnamed" : variable)).str();
  std::string unique = name;
  for (unsigned i = 1; module->lookupSymbol(unique); ++i)
    unique = name + "." + std::to_string(i);
  td::WriteOp::create(builder, value.getLoc(), tensor, unique);
  if (lastSlot)
    builder.setInsertionPointAfter(lastSlot);
  else
    builder.setInsertionPointToStart(module->getBody());
  slot = td::SlotOp::create(builder, value.getLoc(), unique,
                            td::SlotKind::Value, unique, unique,
                            td::withPlace(type, Place()), /*aliases=*/nullptr);
  lastSlot = slot;
  return slot;
}

} // namespace tdc
