//===- UpdateEmitter.cpp - kernels that write a part of their result ------===//
//
// First the result gets the op's own input, unless it lies there already; then
// the updates go on top, each through a nest of its own whose stores are moved
// to their places.
//
//===----------------------------------------------------------------------===//

#include "UpdateEmitter.h"
#include "NestEmitter.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tdc::td;

namespace tdc {

namespace {

class UpdateEmitter {
public:
  UpdateEmitter(KernelFunction &function, Operation *update)
      : function(function), b(function.builder), update(update),
        result(update->getResult(0)) {}

  LogicalResult emit();

private:
  /// Emits `value` element by element to the places that `place` makes of its
  /// coordinates, or adds it there. Dims in `serial` are not vectorised: two of
  /// their elements may go to one place.
  LogicalResult emitPart(Value value, bool accumulates,
                         ArrayRef<unsigned> serial,
                         llvm::function_ref<Coordinates(Coordinates)> place);
  LogicalResult emitBase(Value base);

  KernelFunction &function;
  OpBuilder &b;
  Operation *update;
  Value result;
};

} // namespace

LogicalResult
UpdateEmitter::emitPart(Value value, bool accumulates,
                        ArrayRef<unsigned> serial,
                        llvm::function_ref<Coordinates(Coordinates)> place) {
  FailureOr<LoopNest> nest =
      LoopNest::get(value, [](Operation *op) { return !isUpdateOp(op); });
  if (failed(nest))
    return update->emitError("no loops compute this kernel");
  const Coordinates &at = *nest->getRoots().front().at;
  LoopSet serialLoops = 0;
  for (unsigned dim : serial)
    if (at[dim].loop >= 0)
      serialLoops |= LoopSet(1) << at[dim].loop;
  emitNestTo(function, *nest,
             {result, place(at), function.resultPointers.front(),
              function.resultLayouts.front(), accumulates},
             serialLoops);
  return success();
}

LogicalResult UpdateEmitter::emitBase(Value base) {
  auto copy = [&] {
    return emitPart(base, false, {}, [](Coordinates at) { return at; });
  };
  if (!isa<BlockArgument>(base))
    return copy();
  Location loc = update->getLoc();
  Value isElsewhere = LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::ne,
                                           function.pointers.lookup(base),
                                           function.resultPointers.front());
  auto branch = scf::IfOp::create(b, loc, isElsewhere, /*withElse=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(branch.thenBlock()->getTerminator());
  return copy();
}

LogicalResult UpdateEmitter::emit() {
  return llvm::TypeSwitch<Operation *, LogicalResult>(update)
      .Case([&](UpdateSliceOp op) {
        if (failed(emitBase(op.getInput())))
          return failure();
        return emitPart(op.getUpdate(), false, {}, [&](Coordinates at) {
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
          LogicalResult done = emitPart(input, false, {}, [&](Coordinates at) {
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
        if (failed(emitBase(op.getInput())))
          return failure();
        unsigned dim = op.getDim(),
                 count = cast<RankedTensorType>(op.getIndices().getType())
                             .getRank();
        Coordinates indexAt;
        SmallVector<unsigned> indexDims =
            llvm::to_vector(llvm::seq<unsigned>(dim, dim + count));
        return emitPart(op.getUpdates(), true, indexDims, [&](Coordinates at) {
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
        if (failed(emitBase(op.getInput())))
          return failure();
        Coordinates indexAt;
        return emitPart(op.getUpdates(), true, {unsigned(op.getDim())},
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

LogicalResult emitUpdate(KernelFunction &function, Operation *update) {
  return UpdateEmitter(function, update).emit();
}

} // namespace tdc
