//===- Affine.cpp - the meaning of ops that read at sums of coordinates ---===//

#include "Machine.h"

using namespace mlir;
using namespace tdc::td;

namespace tdc {

namespace {
/// The offsets at which an affine map reads a tensor.
class Reading {
public:
  Reading(Machine &m, AffineMap map, ValueRange offsets, const Tensor &tensor)
      : tensor(tensor) {
    for (unsigned i = 0; i < map.getNumResults(); ++i) {
      SmallVector<int64_t> sum = *getFactors(map, i);
      for (auto [factor, offset] :
           llvm::zip(llvm::drop_begin(sum, map.getNumDims()), offsets))
        sum.back() += factor * m.integer(offset);
      factors.push_back(std::move(sum));
    }
  }

  /// The offset of the element that is read at `index`; -1 out of range.
  int64_t getOffset(llvm::ArrayRef<int64_t> index) const {
    Extents at;
    for (const SmallVector<int64_t> &coordinate : factors) {
      int64_t sum = coordinate.back();
      for (auto [factor, number] : llvm::zip(coordinate, index))
        sum += factor * number;
      if (sum < 0 || sum >= tensor.dims[at.size()])
        return -1;
      at.push_back(sum);
    }
    return tdc::getOffset(tensor.dims, at);
  }

private:
  const Tensor &tensor;
  SmallVector<SmallVector<int64_t>> factors; ///< of dims; the constant is last
};
} // namespace

static LogicalResult runWindow(Machine &m, WindowOp op) {
  const Tensor &x = m.tensor(op.getInput());
  Reading reading(m, op.getMap(), op.getOffsets(), x);
  Extents dims = m.getDims(op.getResult(), op.getSizes());
  Tensor result = m.makeResult(op.getResult(), dims);
  int64_t i = 0;
  bool isInside = true;
  forEachIndex(dims, [&](llvm::ArrayRef<int64_t> index) {
    int64_t from = reading.getOffset(index);
    isInside &= from >= 0;
    if (isInside)
      result.setCast(i++, x, from);
  });
  if (!isInside)
    return op.emitOpError("reads out of range");
  return m.set(op.getResult(), std::move(result));
}

static LogicalResult runInset(Machine &m, InsetOp op) {
  const Tensor &x = m.tensor(op.getInput()), &update = m.tensor(op.getUpdate());
  Tensor result = m.makeResult(op.getResult(), x.dims);
  result.setElements(x);
  int64_t i = 0;
  bool isInside = true;
  forEachIndex(update.dims, [&](llvm::ArrayRef<int64_t> index) {
    Extents to;
    for (size_t d = 0; d < index.size(); ++d) {
      to.push_back(m.integer(op.getLow()[d]) + index[d] * op.getStep()[d]);
      isInside &= to.back() >= 0 && to.back() < x.dims[d];
    }
    if (isInside)
      result.setCast(tdc::getOffset(x.dims, to), update, i++);
  });
  if (!isInside)
    return op.emitOpError("writes out of range");
  return m.set(op.getResult(), std::move(result));
}

static LogicalResult runContract(Machine &m, ContractOp op) {
  const Tensor &x = m.tensor(op.getLhs()), &y = m.tensor(op.getRhs());
  Reading left(m, op.getLhsMap(), op.getOffsets(), x),
      right(m, op.getRhsMap(), op.getOffsets(), y);
  Extents dims = m.getDims(op.getResult(), op.getSizes()), terms;
  for (OperandDim dim : op.getReducedDims())
    terms.push_back(m.tensor(op.getOperand(dim.operand)).dims[dim.dim]);
  Tensor result = m.makeResult(op.getResult(), dims);
  int64_t to = 0;
  bool isInside = true;
  forEachIndex(dims, [&](llvm::ArrayRef<int64_t> index) {
    double sum = 0;
    uint64_t wrapped = 0;
    forEachIndex(terms, [&](llvm::ArrayRef<int64_t> term) {
      Extents at(index);
      at.append(term.begin(), term.end());
      int64_t i = left.getOffset(at), j = right.getOffset(at);
      isInside &= i >= 0 && j >= 0;
      if (!isInside)
        return;
      if (x.isFloat())
        sum += x.getFloat(i) * y.getFloat(j);
      else
        wrapped += uint64_t(x.getInt(i)) * uint64_t(y.getInt(j));
    });
    if (x.isFloat())
      result.setFloat(to++, sum);
    else
      result.setInt(to++, wrapped);
  });
  if (!isInside)
    return op.emitOpError("reads out of range");
  return m.set(op.getResult(), std::move(result));
}

void addAffineMeanings(Machine &machine) {
  machine.on<WindowOp>(runWindow);
  machine.on<InsetOp>(runInset);
  machine.on<ContractOp>(runContract);
}

} // namespace tdc
