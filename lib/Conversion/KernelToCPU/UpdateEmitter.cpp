//===- UpdateEmitter.cpp - kernels that write a part of their result ------===//
//
// First the result gets the op's own input, unless it lies there already; then
// the updates go on top. Dims of which two elements may go to one place are not
// vectorised.
//
//===----------------------------------------------------------------------===//

#include "UpdateEmitter.h"
#include "Conversion/KernelBody/UpdateParts.h"
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

LogicalResult emitUpdate(KernelFunction &function, UpdateOp update) {
  auto emitNest = [&](const LoopNest &nest, const StoreTarget &target,
                      LoopSet serial) {
    emitNestTo(function, nest, target, serial);
  };
  if (failed(emitBase(function, update, emitNest)))
    return failure();
  return emitUpdateParts(function, update, emitNest);
}

} // namespace tdc
