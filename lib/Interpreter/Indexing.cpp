//===- Indexing.cpp - the meaning of gathers and scatters -----------------===//
//
// An index out of range stops the run immediately. Compiled kernels continue
// with a clamped index and stop at the next wait, with the same error.
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

using namespace mlir;
using namespace tdc::td;

namespace tdc {

namespace {
/// The elements of the indexed tensor that are gathered or added to.
struct Picked {
  Extents dims;                 ///< of the gathered tensor
  std::vector<int64_t> offsets; ///< of each of its elements, row-major
};
} // namespace

/// Picks rows: result[a, j, b] is at [a, indices[j], b], where a are the dims
/// before `dim`. A negative index counts from the end.
static LogicalResult pickRows(Machine &m, Operation *op, const Tensor &x,
                              const Tensor &indices, int64_t dim,
                              Picked &picked) {
  llvm::ArrayRef<int64_t> before(x.dims.begin(), dim);
  llvm::ArrayRef<int64_t> after(x.dims.begin() + dim + 1, x.dims.end());
  picked.dims.assign(before.begin(), before.end());
  llvm::append_range(picked.dims, indices.dims);
  llvm::append_range(picked.dims, after);
  int64_t size = x.dims[dim], numBefore = countElements(before),
          numAfter = countElements(after);
  for (int64_t a = 0; a < numBefore; ++a)
    for (int64_t j = 0; j < indices.size(); ++j) {
      int64_t index = indices.getInt(j);
      if (index < -size || index >= size)
        return m.check(tdrt_fail_index(m.context(), index, size, m.site(op)));
      int64_t row = a * size + (index < 0 ? index + size : index);
      for (int64_t b = 0; b < numAfter; ++b)
        picked.offsets.push_back(row * numAfter + b);
    }
  return success();
}

/// Picks elements: result[..., j, ...] is at [..., indices[..., j, ...], ...].
static LogicalResult pickAlong(Machine &m, Operation *op, const Tensor &x,
                               const Tensor &indices, int64_t dim,
                               Picked &picked) {
  Extents expected = x.dims;
  expected[dim] = indices.dims[dim];
  if (indices.dims != expected)
    return op->emitOpError("has indices of other sizes");
  picked.dims = indices.dims;
  LogicalResult result = success();
  int64_t i = 0;
  forEachIndex(indices.dims, [&](llvm::ArrayRef<int64_t> at) {
    Extents from(at);
    from[dim] = indices.getInt(i++);
    if (succeeded(result) && (from[dim] < 0 || from[dim] >= x.dims[dim]))
      result = m.check(
          tdrt_fail_index(m.context(), from[dim], x.dims[dim], m.site(op)));
    picked.offsets.push_back(getOffset(x.dims, from));
  });
  return result;
}

template <typename OpTy, typename Pick>
static void gather(Machine &machine, Pick pick) {
  machine.on<OpTy>([pick](Machine &m, OpTy op) -> LogicalResult {
    const Tensor &x = m.tensor(op.getInput());
    Picked picked;
    if (failed(pick(m, op, x, m.tensor(op.getIndices()), op.getDim(), picked)))
      return failure();
    Tensor result = m.makeResult(op.getResult(), picked.dims);
    for (int64_t i = 0; i < result.size(); ++i)
      result.setCast(i, x, picked.offsets[i]);
    return m.set(op.getResult(), std::move(result));
  });
}

/// The element after an update; without a kind the update replaces it. Bools
/// are 0 and 1: any is their maximum, all their minimum.
template <typename T>
static T combine(std::optional<ReduceKind> kind, T element, T update) {
  if (!kind)
    return update;
  switch (*kind) {
  case ReduceKind::Sum:
    return element + update;
  case ReduceKind::Prod:
    return element * update;
  case ReduceKind::Any:
  case ReduceKind::Max:
    return element != element || element > update ? element : update;
  case ReduceKind::All:
  case ReduceKind::Min:
    return element != element || element < update ? element : update;
  }
  llvm_unreachable("all kinds are above");
}

/// Registers a scatter. Floats are rounded once, at the end; integers wrap.
template <typename OpTy, typename Pick>
static void scatter(Machine &machine, Pick pick) {
  machine.on<OpTy>([pick](Machine &m, OpTy op) -> LogicalResult {
    const Tensor &x = m.tensor(op.getInput()),
                 &updates = m.tensor(op.getUpdates());
    Picked picked;
    if (failed(pick(m, op, x, m.tensor(op.getIndices()), op.getDim(), picked)))
      return failure();
    if (updates.dims != picked.dims)
      return op.emitOpError("has updates of other sizes");
    Tensor result = m.makeResult(op.getResult(), x.dims);
    result.setElements(x);
    std::optional<ReduceKind> kind = op.getCombine();
    if (x.isFloat()) {
      std::vector<double> elements(x.size());
      for (int64_t i = 0; i < x.size(); ++i)
        elements[i] = x.getFloat(i);
      for (int64_t i = 0; i < updates.size(); ++i) {
        double &element = elements[picked.offsets[i]];
        element = combine(kind, element, updates.getFloat(i));
      }
      for (int64_t i = 0; i < x.size(); ++i)
        result.setFloat(i, elements[i]);
      return m.set(op.getResult(), std::move(result));
    }
    bool isSigned = !isUnsigned(x.dtype) && kind != ReduceKind::Sum &&
                    kind != ReduceKind::Prod; // these two wrap
    for (int64_t i = 0; i < updates.size(); ++i) {
      int64_t at = picked.offsets[i];
      int64_t old = result.getInt(at), update = updates.getInt(i);
      result.setInt(at, isSigned ? combine(kind, old, update)
                                 : int64_t(combine(kind, uint64_t(old),
                                                   uint64_t(update))));
    }
    return m.set(op.getResult(), std::move(result));
  });
}

void addIndexMeanings(Machine &machine) {
  gather<GatherOp>(machine, pickRows);
  gather<GatherAlongOp>(machine, pickAlong);
  scatter<ScatterOp>(machine, pickRows);
  scatter<ScatterAlongOp>(machine, pickAlong);
}

} // namespace tdc
