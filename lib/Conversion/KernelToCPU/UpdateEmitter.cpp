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

std::optional<KernelPlan> matchUpdate(KernelCandidate &kernel) {
  auto update = getOnlyRoot<UpdateOp>(kernel.function.kernel);
  if (!update)
    return std::nullopt;
  KernelPlan plan;
  // The op's own input may be overwritten in place, if the written values do
  // not read it too.
  auto input = dyn_cast_if_present<BlockArgument>(update.getBase());
  if (input && input.hasOneUse())
    plan.inPlace = {int64_t(input.getArgNumber()), 0};
  plan.emit = [update](KernelFunction &function) -> FailureOr<LaunchShape> {
    if (failed(emitUpdate(function, update)))
      return failure();
    return LaunchShape();
  };
  return plan;
}

} // namespace tdc
