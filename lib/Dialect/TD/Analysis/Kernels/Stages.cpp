//===- Stages.cpp - nests that a kernel runs block by block ---------------===//

#include "Dialect/TD/Analysis/Kernels/Stages.h"
#include "Dialect/TD/Analysis/Sizes.h"
#include "mlir/IR/TypeUtilities.h"
#include <numeric>

using namespace mlir;

namespace tdc::td {

static RankedTensorType getType(const Stage &stage) {
  return cast<RankedTensorType>(stage.getPassed().getType());
}

/// The bytes of the elements that the nest reads of an input.
static int64_t getBytes(const LoopNest &nest, const Access &input) {
  LoopSet own = nest.getLoopsOf(input.tensor, *input.at);
  int64_t bytes =
      byteSize(getDType(getElementTypeOrSelf(input.tensor.getType())));
  for (unsigned loop = 0; loop < nest.getLoops().size(); ++loop)
    if (contains(own, loop))
      bytes *= nest.estimateExtent(loop);
  return bytes;
}

/// Makes the first dims of `at` the shared ones of the stage, or compares them.
/// Each must be a loop of its own, over all `extents`.
static bool setRows(Stage &stage, const Coordinates &at,
                    ArrayRef<int64_t> extents) {
  for (auto [dim, extent] : llvm::enumerate(extents)) {
    int loop = getLoop(at[dim]);
    if (extent == 1) {
      loop = -1;
    } else if (loop < 0 || stage.nest.getLoops()[loop].extent != extent) {
      return false;
    }
    if (dim == stage.rows.size())
      stage.rows.push_back(loop);
    else if (stage.rows[dim] != loop)
      return false;
  }
  return true;
}

/// Whether every result and every reduction of the stage has its own value for
/// each row.
static bool isComputedByRow(const Stage &stage) {
  LoopSet rows = 0;
  for (int loop : stage.rows)
    if (loop >= 0)
      rows |= toLoopSet(unsigned(loop));
  auto hasRows = [&](const Access &root) {
    return llvm::all_of(stage.rows, [&](int loop) {
      return loop < 0 ||
             llvm::any_of(
                 *root.at, [&](Coordinate at) { return getLoop(at) == loop; });
    });
  };
  return llvm::all_of(stage.nest.getRoots(), hasRows) &&
         llvm::all_of(stage.nest.getReductions(),
                      [&](const Reduction &reduction) {
                        return (reduction.parallel & rows) == rows;
                      });
}

Value Stage::getPassed() const { return StageOp(op).getResult(); }

Layout Stage::getLayout() const {
  StageOp stage = op;
  unsigned rank = stage.getType().getRank();
  return stage.getLayout() ? Layout::fromAttribute(*stage.getLayout(), rank)
                           : getRowMajor(stage.getResult());
}

RankedTensorType Stages::getTypeOfBlock(const Stage &stage) const {
  RankedTensorType type = getType(stage);
  SmallVector<int64_t> shape(type.getShape());
  std::fill_n(shape.begin(), extents.size() - 1, 1);
  shape[extents.size() - 1] = rowsOfBlock;
  return type.clone(shape);
}

bool Stages::shareDims(unsigned count) {
  ArrayRef<int64_t> shape = getType(stages.front()).getShape();
  extents.assign(shape.begin(), shape.begin() + count);
  for (Stage &stage : stages) {
    stage.rows.clear();
    if (stage.op && !setRows(stage, *stage.nest.getRoots().front().at, extents))
      return false;
    for (const Access &input : stage.nest.getInputs())
      if (input.tensor.getDefiningOp<StageOp>() &&
          !setRows(stage, *input.at, extents))
        return false;
    if (stage.rows.empty() || !isComputedByRow(stage))
      return false;
  }
  return true;
}

/// As many rows as have `mostBytes`, and fewer if threads would have few
/// blocks; a number that divides all rows if there is one. Fails if blocked
/// layouts do not allow parts of such a form.
bool Stages::chooseBlock(int64_t mostBytes) {
  int64_t bytesOfRow = 0, rows = extents.back(), unit = 1;
  rowsOfBlock = 1;
  for (const Stage &stage : stages)
    if (stage.op) {
      bytesOfRow += estimateBytes(getTypeOfBlock(stage));
      Layout layout = stage.getLayout();
      if (layout.block && layout.getLast() + 1 < int64_t(extents.size()))
        return false;
      if (layout.block && layout.getLast() + 1 == int64_t(extents.size()))
        unit = std::lcm(unit, layout.block);
    }
  constexpr int64_t kFewestRows = 32, kManyBlocks = 16;
  int64_t all = std::accumulate(extents.begin(), extents.end(), int64_t(1),
                                std::multiplies<>());
  int64_t most =
      std::min(mostBytes / std::max<int64_t>(bytesOfRow, 1), all / kManyBlocks);
  most = std::min(rows, std::max(kFewestRows, most)) / unit * unit;
  rowsOfBlock = most;
  for (int64_t part = most; part * 2 > most; part -= unit)
    if (rows % part == 0) {
      rowsOfBlock = part;
      break;
    }
  return most > 0;
}

std::optional<Stages> Stages::find(KernelOp kernel, int64_t mostBytes) {
  Stages found;
  Block &body = kernel.getBody().front();
  // Updates and scans are no nests.
  for (auto op : body.getOps<ComputeOp>())
    if (!op.isPulled())
      return std::nullopt;
  unsigned most = UINT_MAX;
  auto addStage = [&](StageOp op, ArrayRef<Value> roots) {
    FailureOr<LoopNest> nest = LoopNest::getOfKernel(roots);
    if (failed(nest))
      return false;
    found.stages.push_back({op, std::move(*nest), {}});
    return true;
  };
  for (auto op : body.getOps<StageOp>()) {
    if (!op.getType().hasStaticShape() || !addStage(op, op.getInput()))
      return std::nullopt;
    most = std::min(most, unsigned(op.getType().getRank()));
  }
  if (found.stages.empty() ||
      !addStage({}, SmallVector<Value>(body.getTerminator()->getOperands())))
    return std::nullopt;
  for (unsigned count = most; count-- > 1;)
    if (found.shareDims(count) && found.chooseBlock(mostBytes))
      return found;
  return std::nullopt;
}

LoopNest Stages::getPart(const Stage &stage, int64_t rows) const {
  LoopNest nest = stage.nest;
  for (auto [dim, loop] : llvm::enumerate(stage.rows))
    if (loop >= 0)
      nest.cutLoop(unsigned(loop), dim + 1 < extents.size() ? 1 : rows);
  return nest;
}

int64_t Stages::countBlocks() const {
  int64_t count = llvm::divideCeil(extents.back(), rowsOfBlock);
  for (int64_t extent : ArrayRef(extents).drop_back())
    count *= extent;
  return count;
}

int64_t Stages::getBytesPassed() const {
  int64_t bytes = 0;
  for (const Stage &stage : stages)
    if (stage.op)
      bytes += estimateBytes(getType(stage));
  return bytes;
}

int64_t Stages::getBytesReadAgain() const {
  int64_t bytes = 0;
  for (const Stage &stage : stages) {
    LoopNest part = getPart(stage, rowsOfBlock);
    for (auto [whole, own] :
         llvm::zip(stage.nest.getInputs(), part.getInputs()))
      if (!whole.tensor.getDefiningOp<StageOp>())
        bytes +=
            countBlocks() * getBytes(part, own) - getBytes(stage.nest, whole);
  }
  return bytes;
}

} // namespace tdc::td
