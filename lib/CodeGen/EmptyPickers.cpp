//===- EmptyPickers.cpp - picking from a dim without elements -------------===//

#include "CodeGen/EmptyPickers.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tdc::td;

namespace tdc {

/// The pickers of a nest that pick from a tensor that may be empty.
static llvm::SetVector<Operation *>
findDoubtfulPickers(const LoopNest &nest, ArrayRef<StoreTarget> targets) {
  llvm::SetVector<Operation *> pickers;
  auto add = [&](const Coordinates &at) {
    for (Coordinate coordinate : at)
      if (const NestSymbol *picked = nest.findPicked(coordinate))
        pickers.insert(picked->picker);
  };
  for (const Access &input : nest.getInputs())
    add(*input.at);
  for (const StoreTarget &target : targets)
    add(target.at);
  pickers.remove_if([](Operation *picker) {
    auto type = cast<RankedTensorType>(picker->getOperand(0).getType());
    return type.hasStaticShape() && type.getNumElements() > 0;
  });
  return pickers;
}

static void emitUnlessEmpty(KernelFunction &function,
                            ArrayRef<Operation *> pickers,
                            llvm::function_ref<void()> body) {
  if (pickers.empty())
    return body();
  OpBuilder &b = function.builder;
  Operation *picker = pickers.front();
  Location loc = picker->getLoc();
  Value indices = picker->getOperand(1), zero = function.i64(0);
  Value count = function.i64(1);
  for (unsigned dim = 0;
       dim < cast<RankedTensorType>(indices.getType()).getRank(); ++dim)
    count =
        arith::MulIOp::create(b, loc, count, function.getSize(indices, dim));
  auto is = [&](arith::CmpIPredicate predicate, Value value) -> Value {
    return arith::CmpIOp::create(b, loc, predicate, value, zero);
  };
  Value isBad = arith::AndIOp::create(
      b, loc, is(arith::CmpIPredicate::ne, count),
      is(arith::CmpIPredicate::eq, function.getPickedSize(picker)));
  auto branch = scf::IfOp::create(b, loc, isBad, /*withElse=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  function.reportIndex(b, picker, zero);
  b.setInsertionPointToStart(branch.elseBlock());
  emitUnlessEmpty(function, pickers.drop_front(), body);
}

void emitUnlessEmpty(KernelFunction &function, const LoopNest &nest,
                     ArrayRef<StoreTarget> targets,
                     llvm::function_ref<void()> body) {
  auto pickers = findDoubtfulPickers(nest, targets);
  emitUnlessEmpty(function, pickers.getArrayRef(), body);
}

} // namespace tdc
