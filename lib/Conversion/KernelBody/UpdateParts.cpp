//===- UpdateParts.cpp - kernels that write a part of their result --------===//

#include "Conversion/KernelBody/UpdateParts.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tdc::td;

namespace tdc {

namespace {

/// What the parts of one update have in common.
struct UpdatePart {
  UpdatePart(KernelFunction &function, Operation *update, PartEmitter emitNest)
      : function(function), update(update), emitNest(emitNest) {}

  /// Emits `value` element by element to the places that `place` makes of its
  /// coordinates, or adds it there. Two elements of the dims in `serial` may go
  /// to one place.
  LogicalResult emit(Value value, bool accumulates, ArrayRef<unsigned> serial,
                     llvm::function_ref<Coordinates(Coordinates)> place);

  KernelFunction &function;
  Operation *update;
  PartEmitter emitNest;
};

} // namespace

LogicalResult
UpdatePart::emit(Value value, bool accumulates, ArrayRef<unsigned> serial,
                 llvm::function_ref<Coordinates(Coordinates)> place) {
  FailureOr<LoopNest> nest = LoopNest::getOfKernel(value);
  if (failed(nest))
    return update->emitError("no loops compute this kernel");
  const Coordinates &at = *nest->getRoots().front().at;
  LoopSet serialLoops = 0;
  for (unsigned dim : serial)
    if (at[dim].loop >= 0)
      serialLoops |= LoopSet(1) << at[dim].loop;
  emitNest(*nest,
           {update->getResult(0), place(at), function.resultPointers.front(),
            function.resultLayouts.front(), accumulates},
           serialLoops);
  return success();
}

Value getUpdateBase(Operation *update) {
  return isa<ConcatOp>(update) ? Value() : update->getOperand(0);
}

LogicalResult emitUpdateBase(KernelFunction &function, Operation *update,
                             Value base, PartEmitter emitNest) {
  return UpdatePart(function, update, emitNest)
      .emit(base, false, {}, [](Coordinates at) { return at; });
}

LogicalResult emitUpdateParts(KernelFunction &function, Operation *update,
                              PartEmitter emitNest) {
  OpBuilder &b = function.builder;
  UpdatePart part(function, update, emitNest);

  return llvm::TypeSwitch<Operation *, LogicalResult>(update)
      .Case([&](UpdateSliceOp op) {
        return part.emit(op.getUpdate(), false, {}, [&](Coordinates at) {
          Coordinate &moved = at[op.getDim()];
          moved.scale *= op.getStep();
          moved.terms.push_back({op.getStart(), 1});
          return at;
        });
      })
      .Case([&](ConcatOp op) {
        Value before; // run-time sizes of the inputs so far
        int64_t constant = 0;
        unsigned dim = op.getDim();
        for (Value input : op.getInputs()) {
          LogicalResult done = part.emit(input, false, {}, [&](Coordinates at) {
            at[dim].constant += constant;
            if (before)
              at[dim].terms.push_back({before, 1});
            return at;
          });
          if (failed(done))
            return failure();
          auto type = cast<RankedTensorType>(input.getType());
          if (!type.isDynamicDim(dim)) {
            constant += type.getDimSize(dim);
            continue;
          }
          Value size = function.getSize(input, dim);
          before =
              before
                  ? Value(arith::AddIOp::create(b, op.getLoc(), before, size))
                  : size;
          function.scalars[before] = before;
        }
        return success();
      })
      .Case([&](ScatterAddOp op) {
        unsigned dim = op.getDim(),
                 count = cast<RankedTensorType>(op.getIndices().getType())
                             .getRank();
        Coordinates indexAt;
        SmallVector<unsigned> indexDims =
            llvm::to_vector(llvm::seq<unsigned>(dim, dim + count));
        return part.emit(op.getUpdates(), true, indexDims, [&](Coordinates at) {
          indexAt.assign(at.begin() + dim, at.begin() + dim + count);
          Coordinates placed(at.begin(), at.begin() + dim);
          Coordinate picked;
          picked.picker = op;
          picked.indexAt = &indexAt;
          placed.push_back(picked);
          placed.append(at.begin() + dim + count, at.end());
          return placed;
        });
      })
      .Case([&](ScatterAddAlongOp op) {
        Coordinates indexAt;
        return part.emit(op.getUpdates(), true, {unsigned(op.getDim())},
                         [&](Coordinates at) {
                           indexAt = at;
                           at[op.getDim()] = Coordinate();
                           at[op.getDim()].picker = op;
                           at[op.getDim()].indexAt = &indexAt;
                           return at;
                         });
      })
      .Default([](Operation *) { return failure(); });
}

} // namespace tdc
