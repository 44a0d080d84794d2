//===- Reductions.cpp - the meaning of reductions and products ------------===//
//
// Floats are accumulated in f64 in row-major order and rounded once.
//
//===----------------------------------------------------------------------===//

#include "Machine.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace tdc::td;

namespace tdc {

//===----------------------------------------------------------------------===//
// td.reduce
//===----------------------------------------------------------------------===//

static double emptyFloat(ReduceKind kind) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  return kind == ReduceKind::Max    ? -infinity
         : kind == ReduceKind::Min  ? infinity
         : kind == ReduceKind::Prod ? 1
                                    : 0;
}

static double combine(ReduceKind kind, double a, double b) {
  switch (kind) {
  case ReduceKind::Sum:
    return a + b;
  case ReduceKind::Prod:
    return a * b;
  case ReduceKind::Max:
    return std::isnan(a) || a > b ? a : b;
  default:
    return std::isnan(a) || a < b ? a : b;
  }
}

/// The result for no elements. For bool, max and min are `any` and `all`.
static int64_t emptyInt(ReduceKind kind, DType dtype) {
  bool startsAtZero = isUnsigned(dtype) || dtype == DType::Bool;
  unsigned bits = dtype == DType::Bool ? 1 : 8 * byteSize(dtype);
  switch (kind) {
  case ReduceKind::Sum:
    return 0;
  case ReduceKind::Prod:
    return 1;
  case ReduceKind::Max:
  case ReduceKind::Any:
    return startsAtZero ? 0 : llvm::minIntN(bits);
  case ReduceKind::Min:
  case ReduceKind::All:
    return startsAtZero ? int64_t(llvm::maxUIntN(bits)) : llvm::maxIntN(bits);
  }
  llvm_unreachable("all kinds are above");
}

static int64_t combine(ReduceKind kind, DType dtype, int64_t a, int64_t b) {
  switch (kind) {
  case ReduceKind::Sum:
    return uint64_t(a) + uint64_t(b);
  case ReduceKind::Prod:
    return uint64_t(a) * uint64_t(b);
  case ReduceKind::Max:
  case ReduceKind::Any:
    return isLess(dtype, a, b) ? b : a;
  case ReduceKind::Min:
  case ReduceKind::All:
    return isLess(dtype, b, a) ? b : a;
  }
  llvm_unreachable("all kinds are above");
}

/// The sizes of the dims that are in `dims`, or of those that are not.
static Extents chooseDims(llvm::ArrayRef<int64_t> all,
                          llvm::ArrayRef<int64_t> dims, bool isChosen) {
  Extents chosen;
  for (size_t d = 0; d < all.size(); ++d)
    if (llvm::is_contained(dims, int64_t(d)) == isChosen)
      chosen.push_back(all[d]);
  return chosen;
}

static LogicalResult runReduce(Machine &m, ReduceOp op) {
  const Tensor &x = m.tensor(op.getInput());
  ReduceKind kind = op.getKind();
  Extents dims = chooseDims(x.dims, op.getDims(), false);
  Tensor result = m.makeResult(op.getResult(), dims);
  std::vector<double> floats(result.size(), emptyFloat(kind));
  std::vector<int64_t> ints(result.size(), emptyInt(kind, x.dtype));
  int64_t i = 0;
  forEachIndex(x.dims, [&](llvm::ArrayRef<int64_t> index) {
    int64_t to = getOffset(dims, chooseDims(index, op.getDims(), false));
    if (x.isFloat())
      floats[to] = combine(kind, floats[to], x.getFloat(i++));
    else
      ints[to] = combine(kind, x.dtype, ints[to], x.getInt(i++));
  });
  for (int64_t i = 0; i < result.size(); ++i) {
    if (x.isFloat())
      result.setFloat(i, floats[i]);
    else
      result.setInt(i, ints[i]);
  }
  return m.set(op.getResult(), std::move(result));
}

//===----------------------------------------------------------------------===//
// td.arg_reduce, td.scan, td.logsumexp, td.softmax, td.log_softmax
//===----------------------------------------------------------------------===//

/// Calls visit(offsets of the elements along `dim`) for each row, in order.
static void
forEachRow(llvm::ArrayRef<int64_t> dims, int64_t dim,
           llvm::function_ref<void(llvm::ArrayRef<int64_t>)> visit) {
  Extents rows(dims);
  rows[dim] = 1;
  forEachIndex(rows, [&](llvm::ArrayRef<int64_t> index) {
    Extents at(index);
    std::vector<int64_t> offsets;
    for (at[dim] = 0; at[dim] < dims[dim]; ++at[dim])
      offsets.push_back(getOffset(dims, at));
    visit(offsets);
  });
}

/// Whether the search prefers element i to element j: it is larger (smaller),
/// or the first NaN.
static bool isBetter(const Tensor &x, bool isMax, int64_t i, int64_t j) {
  if (!x.isFloat())
    return isMax ? isLess(x.dtype, x.getInt(j), x.getInt(i))
                 : isLess(x.dtype, x.getInt(i), x.getInt(j));
  double a = x.getFloat(i), b = x.getFloat(j);
  if (std::isnan(a) || std::isnan(b))
    return !std::isnan(b);
  return isMax ? a > b : a < b;
}

static LogicalResult runArgReduce(Machine &m, ArgReduceOp op) {
  const Tensor &x = m.tensor(op.getInput());
  Extents dims = chooseDims(x.dims, op.getDims(), false),
          row = chooseDims(x.dims, op.getDims(), true);
  Tensor result = m.makeResult(op.getResult(), dims);
  if (llvm::is_contained(row, 0) && result.size() > 0)
    return op.emitOpError("looks for the index of nothing");
  std::vector<int64_t> best(result.size(), -1);
  int64_t i = 0;
  forEachIndex(x.dims, [&](llvm::ArrayRef<int64_t> index) {
    int64_t to = getOffset(dims, chooseDims(index, op.getDims(), false));
    if (best[to] < 0 ||
        isBetter(x, op.getKind() == ReduceKind::Max, i, best[to])) {
      best[to] = i;
      result.setInt(to, getOffset(row, chooseDims(index, op.getDims(), true)));
    }
    ++i;
  });
  return m.set(op.getResult(), std::move(result));
}

static LogicalResult runScan(Machine &m, ScanOp op) {
  const Tensor &x = m.tensor(op.getInput());
  ReduceKind kind = op.getKind();
  Tensor result = m.makeResult(op.getResult(), x.dims);
  forEachRow(x.dims, op.getDim(), [&](llvm::ArrayRef<int64_t> offsets) {
    double number = emptyFloat(kind);
    int64_t integer = emptyInt(kind, x.dtype);
    for (int64_t i : offsets)
      if (x.isFloat())
        result.setFloat(i, number = combine(kind, number, x.getFloat(i)));
      else
        result.setInt(i,
                      integer = combine(kind, x.dtype, integer, x.getInt(i)));
  });
  return m.set(op.getResult(), std::move(result));
}

static LogicalResult runLogSumExp(Machine &m, LogSumExpOp op) {
  const Tensor &x = m.tensor(op.getInput());
  Extents dims = chooseDims(x.dims, op.getDims(), false);
  Tensor result = m.makeResult(op.getResult(), dims);
  std::vector<double> largest(result.size(), emptyFloat(ReduceKind::Max)),
      sums(result.size(), 0);
  auto forEach = [&](llvm::function_ref<void(int64_t, double)> visit) {
    int64_t i = 0;
    forEachIndex(x.dims, [&](llvm::ArrayRef<int64_t> index) {
      visit(getOffset(dims, chooseDims(index, op.getDims(), false)),
            x.getFloat(i++));
    });
  };
  forEach([&](int64_t to, double one) {
    largest[to] = combine(ReduceKind::Max, largest[to], one);
  });
  forEach([&](int64_t to, double one) {
    double shift = std::isinf(largest[to]) ? 0 : largest[to];
    sums[to] += std::exp(one - shift);
  });
  for (int64_t i = 0; i < result.size(); ++i)
    result.setFloat(i, std::log(sums[i]) +
                           (std::isinf(largest[i]) ? 0 : largest[i]));
  return m.set(op.getResult(), std::move(result));
}

template <typename OpTy> static void softmax(Machine &machine, bool isLog) {
  machine.on<OpTy>([isLog](Machine &m, OpTy op) {
    const Tensor &x = m.tensor(op.getInput());
    Tensor result = m.makeResult(op.getResult(), x.dims);
    forEachRow(x.dims, op.getDim(), [&](llvm::ArrayRef<int64_t> offsets) {
      double largest = emptyFloat(ReduceKind::Max), sum = 0;
      for (int64_t i : offsets)
        largest = combine(ReduceKind::Max, largest, x.getFloat(i));
      for (int64_t i : offsets)
        sum += std::exp(x.getFloat(i) - largest);
      for (int64_t i : offsets) {
        double shifted = x.getFloat(i) - largest;
        result.setFloat(i, isLog ? shifted - std::log(sum)
                                 : std::exp(shifted) / sum);
      }
    });
    return m.set(op.getResult(), std::move(result));
  });
}

//===----------------------------------------------------------------------===//
// td.matmul
//===----------------------------------------------------------------------===//

static LogicalResult runMatmul(Machine &m, MatmulOp op) {
  const Tensor &x = m.tensor(op.getLhs()), &y = m.tensor(op.getRhs());
  size_t rank = x.dims.size();
  llvm::ArrayRef<int64_t> leading(x.dims.begin(), rank - 2);
  int64_t rows = x.dims[rank - 2], depth = x.dims[rank - 1],
          columns = y.dims[rank - 1];
  if (leading != llvm::ArrayRef(y.dims).drop_back(2) ||
      y.dims[rank - 2] != depth)
    return op.emitOpError("has operands of different sizes");
  Extents dims(leading);
  dims.append({rows, columns});
  Tensor result = m.makeResult(op.getResult(), dims);
  for (int64_t b = 0; b < countElements(leading); ++b)
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t c = 0; c < columns; ++c) {
        double sum = 0;
        uint64_t wrapped = 0;
        for (int64_t k = 0; k < depth; ++k) {
          int64_t i = (b * rows + r) * depth + k;
          int64_t j = (b * depth + k) * columns + c;
          if (x.isFloat())
            sum += x.getFloat(i) * y.getFloat(j);
          else
            wrapped += uint64_t(x.getInt(i)) * uint64_t(y.getInt(j));
        }
        int64_t to = (b * rows + r) * columns + c;
        if (x.isFloat())
          result.setFloat(to, sum);
        else
          result.setInt(to, wrapped);
      }
  return m.set(op.getResult(), std::move(result));
}

void addReductionMeanings(Machine &machine) {
  machine.on<ReduceOp>(runReduce);
  machine.on<ArgReduceOp>(runArgReduce);
  machine.on<ScanOp>(runScan);
  machine.on<LogSumExpOp>(runLogSumExp);
  machine.on<MatmulOp>(runMatmul);
  softmax<SoftmaxOp>(machine, /*isLog=*/false);
  softmax<LogSoftmaxOp>(machine, /*isLog=*/true);
}

} // namespace tdc
