//===- UpdateParts.cpp - kernels that write a part of their result --------===//

#include "CodeGen/UpdateParts.h"

using namespace mlir;
using namespace tdc::td;

namespace tdc {

/// The nest that computes `value` element by element.
static FailureOr<LoopNest> getNest(UpdateOp update, Value value) {
  FailureOr<LoopNest> nest = LoopNest::getOfKernel(value);
  if (failed(nest))
    return update->emitError("no loops compute this kernel");
  return nest;
}

static StoreTarget getTarget(const KernelFunction &function, UpdateOp update,
                             Coordinates at,
                             std::optional<ReduceKind> combine) {
  return {update->getResult(0), std::move(at), function.resultPointers.front(),
          function.resultLayouts.front(), combine};
}

LogicalResult emitUpdateBase(KernelFunction &function, UpdateOp update,
                             Value base, PartEmitter emitNest) {
  FailureOr<LoopNest> nest = getNest(update, base);
  if (failed(nest))
    return failure();
  emitNest(*nest,
           getTarget(function, update, *nest->getRoots().front().at,
                     /*combine=*/std::nullopt),
           /*serial=*/0);
  return success();
}

LogicalResult emitUpdateParts(KernelFunction &function, UpdateOp update,
                              PartEmitter emitNest) {
  for (const UpdatePart &part : update.getParts()) {
    FailureOr<LoopNest> nest =
        getNest(update, update->getOperand(part.operand));
    if (failed(nest))
      return failure();
    // Elements that differ only along a dim that the part's position does not
    // use have one position.
    const Coordinates &at = *nest->getRoots().front().at;
    llvm::SmallBitVector used = part.position.getUsedDims();
    LoopSet serial = 0;
    for (auto [dim, coordinate] : llvm::enumerate(at))
      if (!used[dim])
        serial |= getLoops(coordinate);
    Coordinates position = nest->getPosition(update, part);
    emitNest(*nest,
             getTarget(function, update, std::move(position), part.combine),
             serial);
  }
  return success();
}

} // namespace tdc
