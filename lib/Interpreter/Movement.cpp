//===- Movement.cpp - the meaning of ops that move elements ---------------===//

#include "Machine.h"

using namespace mlir;
using namespace tdc::td;

namespace tdc {

static LogicalResult runBroadcast(Machine &m, BroadcastOp op) {
  const Tensor &x = m.tensor(op.getInput());
  Extents dims = m.getDims(op.getResult(), op.getSizes());
  llvm::ArrayRef<int64_t> own = op.getInput().getType().getShape();
  size_t added = dims.size() - own.size();
  // A `?` is never stretched, not even if its size is 1.
  for (size_t d = 0; d < own.size(); ++d)
    if (own[d] != 1 && x.dims[d] != dims[added + d])
      return op.emitOpError("stretches a dim of size ")
             << x.dims[d] << " to " << dims[added + d];
  Tensor result = m.makeResult(op.getResult(), dims);
  int64_t i = 0;
  forEachIndex(dims, [&](llvm::ArrayRef<int64_t> index) {
    Extents from(index.drop_front(added));
    for (size_t d = 0; d < from.size(); ++d)
      if (own[d] == 1)
        from[d] = 0;
    result.setCast(i++, x, getOffset(x.dims, from));
  });
  return m.set(op.getResult(), std::move(result));
}

static LogicalResult runReshape(Machine &m, ReshapeOp op) {
  const Tensor &x = m.tensor(op.getInput());
  Tensor result =
      m.makeResult(op.getResult(), m.getDims(op.getResult(), op.getSizes()));
  if (x.size() != result.size())
    return op.emitOpError("changes the number of elements from ")
           << x.size() << " to " << result.size();
  result.setElements(x);
  return m.set(op.getResult(), std::move(result));
}

static LogicalResult runPermute(Machine &m, PermuteOp op) {
  const Tensor &x = m.tensor(op.getInput());
  llvm::ArrayRef<int64_t> permutation = op.getPermutation();
  Extents dims;
  for (int64_t dim : permutation)
    dims.push_back(x.dims[dim]);
  Tensor result = m.makeResult(op.getResult(), dims);
  int64_t i = 0;
  forEachIndex(dims, [&](llvm::ArrayRef<int64_t> index) {
    Extents from(index.size());
    for (size_t d = 0; d < index.size(); ++d)
      from[permutation[d]] = index[d];
    result.setCast(i++, x, getOffset(x.dims, from));
  });
  return m.set(op.getResult(), std::move(result));
}

/// The start of a slice of `size` elements, `step` apart, which must be within
/// `whole`. A start out of range is clamped.
static FailureOr<int64_t> findStart(Operation *op, int64_t start, int64_t step,
                                    int64_t size, int64_t whole) {
  int64_t top = whole - 1 - (size - 1) * step;
  if (size < 0 || (size > 0 && top < 0))
    return op->emitOpError("takes ")
           << size << " elements, " << step << " apart, of " << whole;
  return std::max<int64_t>(std::min(start, top), 0);
}

static LogicalResult runSlice(Machine &m, SliceOp op) {
  const Tensor &x = m.tensor(op.getInput());
  int64_t dim = op.getDim(), step = op.getStep();
  Extents dims = m.getDims(op.getResult(), op.getSizes());
  FailureOr<int64_t> start =
      findStart(op, m.integer(op.getStart()), step, dims[dim], x.dims[dim]);
  if (failed(start))
    return failure();
  Extents others = x.dims;
  others[dim] = dims[dim];
  if (others != dims)
    return op.emitOpError("changes sizes of other dims");
  Tensor result = m.makeResult(op.getResult(), dims);
  int64_t i = 0;
  forEachIndex(dims, [&](llvm::ArrayRef<int64_t> index) {
    Extents from(index);
    from[dim] = *start + index[dim] * step;
    result.setCast(i++, x, getOffset(x.dims, from));
  });
  return m.set(op.getResult(), std::move(result));
}

static LogicalResult runDiagonal(Machine &m, DiagonalOp op) {
  const Tensor &x = m.tensor(op.getInput());
  Extents dims = m.getDims(op.getResult(), op.getSizes());
  int64_t row = m.integer(op.getRow()), column = m.integer(op.getColumn());
  Tensor result = m.makeResult(op.getResult(), dims);
  if (result.size() > 0 && (row + dims.back() > x.dims[x.dims.size() - 2] ||
                            column + dims.back() > x.dims.back()))
    return op.emitOpError("is longer than the diagonal");
  int64_t i = 0;
  forEachIndex(dims, [&](llvm::ArrayRef<int64_t> index) {
    Extents from(index);
    from.back() += row;
    from.push_back(index.back() + column);
    result.setCast(i++, x, getOffset(x.dims, from));
  });
  return m.set(op.getResult(), std::move(result));
}

static LogicalResult runUpdateSlice(Machine &m, UpdateSliceOp op) {
  const Tensor &x = m.tensor(op.getInput()), &update = m.tensor(op.getUpdate());
  int64_t dim = op.getDim(), step = op.getStep();
  FailureOr<int64_t> start = findStart(op, m.integer(op.getStart()), step,
                                       update.dims[dim], x.dims[dim]);
  if (failed(start))
    return failure();
  Extents others = x.dims;
  others[dim] = update.dims[dim];
  if (others != update.dims)
    return op.emitOpError("has an update of other sizes");
  Tensor result = m.makeResult(op.getResult(), x.dims);
  result.setElements(x);
  int64_t i = 0;
  forEachIndex(update.dims, [&](llvm::ArrayRef<int64_t> index) {
    Extents to(index);
    to[dim] = *start + index[dim] * step;
    result.setCast(getOffset(x.dims, to), update, i++);
  });
  return m.set(op.getResult(), std::move(result));
}

static LogicalResult runConcat(Machine &m, ConcatOp op) {
  int64_t dim = op.getDim();
  Extents dims = m.tensor(op.getInputs().front()).dims;
  dims[dim] = 0;
  for (Value input : op.getInputs()) {
    Extents own = m.tensor(input).dims;
    int64_t size = std::exchange(own[dim], dims[dim]);
    if (own != dims)
      return op.emitOpError("has inputs of different sizes");
    dims[dim] += size;
  }
  Tensor result = m.makeResult(op.getResult(), dims);
  int64_t start = 0;
  for (Value input : op.getInputs()) {
    const Tensor &x = m.tensor(input);
    int64_t i = 0;
    forEachIndex(x.dims, [&](llvm::ArrayRef<int64_t> index) {
      Extents to(index);
      to[dim] += start;
      result.setCast(getOffset(dims, to), x, i++);
    });
    start += x.dims[dim];
  }
  return m.set(op.getResult(), std::move(result));
}

void addMovementMeanings(Machine &machine) {
  machine.on<BroadcastOp>(runBroadcast);
  machine.on<ReshapeOp>(runReshape);
  machine.on<PermuteOp>(runPermute);
  machine.on<SliceOp>(runSlice);
  machine.on<DiagonalOp>(runDiagonal);
  machine.on<UpdateSliceOp>(runUpdateSlice);
  machine.on<ConcatOp>(runConcat);
  auto passOn = [](Machine &m, auto op) {
    return m.set(op.getResult(), m.get(op.getInput()));
  };
  machine.on<DetachOp>(passOn);
  machine.on<RoundGradientOp>(passOn);
}

} // namespace tdc
