//===- UpdateEmitter.cpp - kernels that write a part of their result ------===//
//
// The op's base is first copied to the result, unless it is there already; then
// the updates are stored on top. Dims along which two elements may be stored to
// the same position are not vectorised.
//
//===----------------------------------------------------------------------===//

#include "UpdateEmitter.h"
#include "CodeGen/UpdateParts.h"
#include "NestEmitter.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tdc::td;

namespace tdc {

static LogicalResult emitBase(KernelFunction &function, UpdateOp update,
                              PartEmitter emitNest) {
  Value base = update.getBase();
  if (!base)
    return success();
  if (!isa<BlockArgument>(base))
    return emitUpdateBase(function, update, base, emitNest);
  OpBuilder &b = function.builder;
  Value isElsewhere = LLVM::ICmpOp::create(
      b, update->getLoc(), LLVM::ICmpPredicate::ne,
      function.pointers.lookup(base), function.resultPointers.front());
  auto branch = scf::IfOp::create(b, update->getLoc(), isElsewhere,
                                  /*withElse=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(branch.thenBlock()->getTerminator());
  return emitUpdateBase(function, update, base, emitNest);
}

static LogicalResult emitUpdate(KernelFunction &function, UpdateOp update) {
  auto emitNest = [&](const LoopNest &nest, const StoreTarget &target,
                      LoopSet serial) {
    emitNestTo(function, nest, target, serial);
  };
  if (failed(emitBase(function, update, emitNest)))
    return failure();
  return emitUpdateParts(function, update, emitNest);
}

/// Whether the update reads its base nowhere but at each element that it
/// writes, before it does: x[i] = f(x[i]), and gradients that are added up.
static bool readsWhereItWrites(UpdateOp update, BlockArgument base) {
  SmallVector<UpdatePart> parts = update.getParts();
  if (parts.size() != 1 || parts.front().combine)
    return false;
  FailureOr<LoopNest> nest =
      LoopNest::getOfKernel(update->getOperand(parts.front().operand));
  if (failed(nest) || !nest->getReductions().empty())
    return false;
  Coordinates position = nest->getPosition(update, parts.front());
  return llvm::all_of(base.getUses(),
                      [&](OpOperand &use) {
                        Operation *user = use.getOwner();
                        return user == update ? use.getOperandNumber() == 0
                                              : nest->isInside(user);
                      }) &&
         llvm::all_of(nest->getInputs(), [&](const Access &input) {
           return input.tensor != base || *input.at == position;
         });
}

std::optional<KernelPlan> matchUpdate(KernelCandidate &kernel) {
  auto update = getOnlyRoot<UpdateOp>(kernel.function.kernel);
  if (!update)
    return std::nullopt;
  KernelPlan plan;
  auto input = dyn_cast_if_present<BlockArgument>(update.getBase());
  if (input && (input.hasOneUse() || readsWhereItWrites(update, input)))
    plan.inPlace = {int64_t(input.getArgNumber()), 0};
  plan.emit = [update](KernelFunction &function) -> FailureOr<LaunchShape> {
    if (failed(emitUpdate(function, update)))
      return failure();
    return LaunchShape();
  };
  return plan;
}

} // namespace tdc
