//===- Stages.cpp - nests that a kernel runs block by block ---------------===//

#include "Dialect/TD/Analysis/Kernels/Stages.h"
#include "Dialect/TD/Analysis/Sizes.h"
#include "mlir/IR/TypeUtilities.h"
#include <numeric>

using namespace mlir;

namespace tdc::td {

static RankedTensorType getType(Value tensor) {
  return cast<RankedTensorType>(tensor.getType());
}

/// Makes the first dims of what is read or written the shared ones of the
/// stage, or compares them. Each must be a loop of its own, over all `extents`.
static bool setRows(Stage &stage, const Access &access,
                    ArrayRef<int64_t> extents) {
  const Coordinates &at = *access.at;
  if (at.size() < extents.size())
    return false;
  for (auto [dim, extent] : llvm::enumerate(extents)) {
    int loop = getLoop(at[dim]);
    if (extent == 1) {
      if (getType(access.tensor).getDimSize(dim) != 1)
        return false;
      loop = -1;
    } else if (loop < 0 || stage.nest.getLoops()[loop].extent != extent) {
      return false;
    }
    if (dim == stage.rows.size()) {
      if (loop >= 0 && llvm::is_contained(stage.rows, loop))
        return false;
      stage.rows.push_back(loop);
    } else if (stage.rows[dim] != loop) {
      return false;
    }
  }
  return true;
}

/// Whether a root has the loop as one of its coordinates.
static bool runsOver(const Access &root, int loop) {
  return llvm::any_of(*root.at,
                      [&](Coordinate at) { return getLoop(at) == loop; });
}

/// Whether every result and every reduction of the stage has its own value for
/// each position of `loops`.
static bool isComputedBy(const Stage &stage, ArrayRef<int> loops) {
  LoopSet rows = 0;
  for (int loop : loops)
    if (loop >= 0)
      rows |= toLoopSet(unsigned(loop));
  return llvm::all_of(stage.nest.getRoots(),
                      [&](const Access &root) {
                        return llvm::all_of(loops, [&](int loop) {
                          return loop < 0 || runsOver(root, loop);
                        });
                      }) &&
         llvm::all_of(stage.nest.getReductions(),
                      [&](const Reduction &reduction) {
                        return (reduction.parallel & rows) == rows;
                      });
}

/// Whether the stage has nothing but a sum over the last shared dim, with one
/// value for each position of the others. Blocks may add to it in memory, which
/// rounds narrow floats each time.
static bool isSumOfRows(const Stage &stage) {
  ArrayRef<Reduction> reductions = stage.nest.getReductions();
  ArrayRef<Access> roots = stage.nest.getRoots();
  if (roots.size() != 1 || stage.results[0] < 0 || reductions.size() != 1 ||
      stage.rows.back() < 0)
    return false;
  const Reduction &sum = reductions.front();
  const Access &root = roots.front();
  return llvm::is_contained(sum.loops, unsigned(stage.rows.back())) &&
         isComputedBy(stage, ArrayRef(stage.rows).drop_back()) &&
         sum.getCombination() == ReduceKind::Sum && !sum.givesIndex() &&
         stage.nest.getMoved(root.tensor, *root.at).tensor ==
             sum.op->getResult(0) &&
         isa<Float32Type, Float64Type>(getElementTypeOrSelf(root.tensor));
}

SmallVector<unsigned, 2> Stage::getPassedRoots() const {
  SmallVector<unsigned, 2> passed;
  for (auto [root, result] : llvm::enumerate(results))
    if (result < 0)
      passed.push_back(unsigned(root));
  return passed;
}

Value Stage::getPassed(unsigned root) const {
  return StageOp(op).getResult(root);
}

Layout Stage::getLayout(unsigned root) const {
  StageOp stage = op;
  Value passed = getPassed(root);
  if (!stage.getLayouts())
    return getRowMajor(passed);
  auto layout = cast<DenseI64ArrayAttr>((*stage.getLayouts())[root]);
  return Layout::fromAttribute(layout.asArrayRef(),
                               unsigned(getType(passed).getRank()));
}

RankedTensorType Stages::getTypeOfBlock(Value passed) const {
  RankedTensorType type = getType(passed);
  SmallVector<int64_t> shape(type.getShape());
  std::fill_n(shape.begin(), extents.size() - 1, 1);
  shape[extents.size() - 1] = rowsOfBlock;
  return type.clone(shape);
}

bool Stages::shareDims(unsigned count) {
  const Stage *first = llvm::find_if(stages, [](const Stage &stage) {
    return !stage.getPassedRoots().empty();
  });
  ArrayRef<int64_t> shape =
      getType(first->getPassed(first->getPassedRoots().front())).getShape();
  extents.assign(shape.begin(), shape.begin() + count);
  llvm::SmallPtrSet<Operation *, 4> sums;
  for (Stage &stage : stages) {
    stage.rows.clear();
    for (unsigned root : stage.getPassedRoots())
      if (!setRows(stage, stage.nest.getRoots()[root], extents))
        return false;
    for (const Access &input : stage.nest.getInputs())
      if (auto read = input.tensor.getDefiningOp<StageOp>())
        if (sums.contains(read) || !setRows(stage, input, extents))
          return false;
    if (stage.rows.empty())
      return false;
    stage.addsUp = !isComputedBy(stage, stage.rows);
    if (stage.addsUp && !isSumOfRows(stage))
      return false;
    if (stage.addsUp)
      sums.insert(stage.op);
  }
  return true;
}

/// The number that divides the rows of each block but the last: where a layout
/// has blocks along the rows, vectors begin at multiples of its size. Nullopt
/// if it has them along another shared dim, of which a block has one position.
std::optional<int64_t> Stages::getUnit(KernelOp kernel) const {
  int64_t unit = 1;
  bool mayBeParted = true;
  auto add = [&](const Layout &layout, ArrayRef<int> rows,
                 const Access &access) {
    if (!layout.block)
      return;
    int loop = getLoop((*access.at)[layout.getLast()]);
    if (loop >= 0 && loop == rows.back())
      unit = std::lcm(unit, layout.block);
    else if (loop >= 0 && llvm::is_contained(rows, loop))
      mayBeParted = false;
  };
  auto inputs = unsigned(kernel.getInputs().size());
  for (const Stage &stage : stages) {
    for (auto [root, access] : llvm::enumerate(stage.nest.getRoots())) {
      int result = stage.results[root];
      add(result < 0 ? stage.getLayout(root)
                     : td::getLayout(kernel, inputs + unsigned(result)),
          stage.rows, access);
    }
    for (const Access &input : stage.nest.getInputs())
      if (auto outer = dyn_cast<BlockArgument>(input.tensor))
        add(td::getLayout(kernel, outer.getArgNumber()), stage.rows, input);
  }
  return mayBeParted ? std::optional(unit) : std::nullopt;
}

/// As many rows as have `mostBytes`, and fewer if threads would have few
/// blocks, but enough for the tiles of products; a number that divides all rows
/// if there is one, and a multiple of `unit`. Fails if all rows are fewer, if
/// rows are matrices that are larger, or if few threads could share blocks that
/// add to the same sums.
bool Stages::chooseBlock(int64_t unit, int64_t mostBytes) {
  int64_t bytesOfRow = 0, rows = extents.back();
  rowsOfBlock = 1;
  bool areMatrices = false;
  for (const Stage &stage : stages)
    for (unsigned root : stage.getPassedRoots()) {
      Value passed = stage.getPassed(root);
      auto ofRow = getType(passed).getShape().drop_front(extents.size());
      auto dims = llvm::count_if(ofRow, [](int64_t size) { return size > 1; });
      areMatrices |= dims > 1;
      // One number for each row must not make half a block of a power of two.
      if (dims > 0)
        bytesOfRow += estimateBytes(getTypeOfBlock(passed));
    }
  constexpr int64_t kFewestRows = 32, kManyBlocks = 16, kFewestParts = 8;
  int64_t parts = 1;
  for (int64_t extent : ArrayRef(extents).drop_back())
    parts *= extent;
  int64_t most = mostBytes / std::max<int64_t>(bytesOfRow, 1);
  if (!addsUp())
    most = std::min(most, parts * rows / kManyBlocks);
  else if (parts < kFewestParts)
    return false;
  if (areMatrices && bytesOfRow > mostBytes)
    return false;
  most = std::max(most, areMatrices ? unit : kFewestRows);
  most = std::min(rows, most) / unit * unit;
  rowsOfBlock = most;
  for (int64_t part = most; part * 2 > most; part -= unit)
    if (rows % part == 0) {
      rowsOfBlock = part;
      break;
    }
  return most > 0;
}

bool Stages::addStage(StageOp op, ArrayRef<Value> roots,
                      ArrayRef<int> results) {
  FailureOr<LoopNest> nest = LoopNest::getOfKernel(roots);
  if (failed(nest))
    return false;
  stages.push_back({op, std::move(*nest), llvm::to_vector<1>(results)});
  return true;
}

std::optional<Stages> Stages::find(KernelOp kernel, int64_t mostBytes) {
  Stages found;
  Block &body = kernel.getBody().front();
  // Updates and scans are no nests.
  for (auto op : body.getOps<ComputeOp>())
    if (!op.isPulled())
      return std::nullopt;
  llvm::DenseMap<Value, int> results;
  SmallVector<Value> others;
  SmallVector<int> ofOthers;
  for (OpOperand &result : body.getTerminator()->getOpOperands()) {
    auto number = int(result.getOperandNumber());
    if (result.get().getDefiningOp<StageOp>()) {
      results[result.get()] = number;
      continue;
    }
    others.push_back(result.get());
    ofOthers.push_back(number);
  }
  // Of what is passed on, one value has more dims than those that are shared.
  unsigned least = std::numeric_limits<unsigned>::max(), most = 0;
  for (auto op : body.getOps<StageOp>()) {
    SmallVector<int, 1> own;
    for (Value passed : op.getResults()) {
      if (!getType(passed).hasStaticShape())
        return std::nullopt;
      auto result = results.find(passed);
      own.push_back(result == results.end() ? -1 : result->second);
      unsigned rank = unsigned(getType(passed).getRank());
      if (own.back() < 0) {
        least = std::min(least, rank);
        most = std::max(most, rank);
      }
    }
    if (!found.addStage(op, SmallVector<Value>(op.getInputs()), own))
      return std::nullopt;
  }
  if (most == 0 || others.empty() || !found.addStage({}, others, ofOthers))
    return std::nullopt;
  for (unsigned count = std::min(least, most - 1); count > 0; --count) {
    if (!found.shareDims(count))
      continue;
    std::optional<int64_t> unit = found.getUnit(kernel);
    if (unit && found.chooseBlock(*unit, mostBytes))
      return found;
  }
  return std::nullopt;
}

LoopNest Stages::getPart(const Stage &stage, int64_t rows) const {
  LoopNest nest = stage.nest;
  for (auto [dim, loop] : llvm::enumerate(stage.rows))
    if (loop >= 0)
      nest.cutLoop(unsigned(loop), dim + 1 < extents.size() ? 1 : rows);
  return nest;
}

bool Stages::addsUp() const {
  return llvm::any_of(stages, [](const Stage &stage) { return stage.addsUp; });
}

int64_t Stages::countBlocks() const {
  int64_t count = llvm::divideCeil(extents.back(), rowsOfBlock);
  for (int64_t extent : ArrayRef(extents).drop_back())
    count *= extent;
  return count;
}

int64_t Stages::countSerialBlocks() const {
  return addsUp() ? llvm::divideCeil(extents.back(), rowsOfBlock) : 1;
}

int64_t Stages::getBytesPassed() const {
  int64_t bytes = 0;
  for (const Stage &stage : stages)
    for (unsigned root : stage.getPassedRoots())
      bytes += estimateBytes(getType(stage.getPassed(root)));
  return bytes;
}

int64_t Stages::getBytesReadAgain() const {
  int64_t bytes = 0;
  for (const Stage &stage : stages) {
    LoopNest part = getPart(stage, rowsOfBlock);
    for (auto [whole, own] :
         llvm::zip(stage.nest.getInputs(), part.getInputs()))
      if (!whole.tensor.getDefiningOp<StageOp>())
        bytes += countBlocks() * int64_t(part.estimateBytes(own)) -
                 int64_t(stage.nest.estimateBytes(whole));
    if (stage.addsUp)
      bytes += 2 * countSerialBlocks() *
               estimateBytes(getType(stage.nest.getRoots().front().tensor));
  }
  return bytes;
}

} // namespace tdc::td
