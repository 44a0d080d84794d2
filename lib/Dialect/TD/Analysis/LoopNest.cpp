//===- LoopNest.cpp - the loops that compute a group of td values ---------===//

#include "Dialect/TD/Analysis/LoopNest.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tdc::td {

bool Coordinate::operator==(const Coordinate &other) const {
  return loop == other.loop && scale == other.scale &&
         constant == other.constant && terms == other.terms &&
         picker == other.picker && indexAt == other.indexAt;
}

LoopSet getLoops(const Coordinates &at) {
  LoopSet loops = 0;
  for (const Coordinate &coordinate : at)
    if (coordinate.loop >= 0)
      loops |= LoopSet(1) << coordinate.loop;
  return loops;
}

bool isUnitReshape(Operation *op) {
  auto reshape = dyn_cast<ReshapeOp>(op);
  if (!reshape)
    return false;
  auto nonUnit = [](Value value) {
    SmallVector<int64_t> dims;
    for (int64_t dim : cast<RankedTensorType>(value.getType()).getShape())
      if (dim != 1)
        dims.push_back(dim);
    return dims;
  };
  auto from = nonUnit(reshape.getInput()), to = nonUnit(reshape.getResult());
  if (from.size() != to.size())
    return false;
  // A run-time size is known to be the size that it becomes only if nothing
  // else could have changed.
  unsigned unknown = 0;
  for (auto [size, other] : llvm::zip_equal(from, to)) {
    bool isUnknown =
        ShapedType::isDynamic(size) || ShapedType::isDynamic(other);
    if (size != other && !isUnknown)
      return false;
    unknown += isUnknown;
  }
  return unknown <= 1;
}

bool isInlineOp(Operation *op) {
  if (op->hasTrait<ElementwiseOp>())
    return true;
  if (auto random = dyn_cast<RandomOp>(op))
    return random.getDistribution() != Distribution::Permutation;
  return isa<BroadcastOp, FillOp, GatherAlongOp, GatherOp, IotaOp, PermuteOp,
             SliceOp>(op) ||
         isUnitReshape(op);
}

bool isReductionOp(Operation *op) {
  return isa<ArgReduceOp, MatmulOp, ReduceOp>(op);
}

bool isUpdateOp(Operation *op) {
  return isa<ConcatOp, ScatterAddAlongOp, ScatterAddOp, UpdateSliceOp>(op);
}

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

/// Walks one root at a time into a nest.
class LoopNestBuilder {
public:
  LoopNestBuilder(LoopNest &nest, llvm::function_ref<bool(Operation *)> inside,
                  bool loopsOverOne)
      : nest(nest), isInside(inside), loopsOverOne(loopsOverOne) {}

  LogicalResult addRoot(Value root);

private:
  using Visits = llvm::MapVector<Value, SmallVector<const Coordinates *, 1>>;

  LogicalResult walkRoot(Value root, Visits &visits);
  LogicalResult walk(Value value, const Coordinates *at, Visits &visits);
  LogicalResult walkOperand(Operation *op, unsigned index, Coordinates at,
                            const Coordinates *resultAt, Visits &visits);
  /// A loop over dim `dim` of `tensor`; no loop where the size is 1, unless
  /// `overOne`.
  Coordinate makeLoop(Value tensor, unsigned dim, bool overOne = false);
  /// Ties the loops of `fresh`, numbered from `firstFresh`, to older ones.
  void findShared(const Visits &fresh, unsigned firstFresh);

  LoopNest &nest;
  llvm::function_ref<bool(Operation *)> isInside;
  const bool loopsOverOne;
  Visits visited;
  /// Dims whose loops the root being walked shares with earlier roots.
  llvm::DenseMap<std::pair<Value, unsigned>, int> shared;
};

Coordinate LoopNestBuilder::makeLoop(Value tensor, unsigned dim, bool overOne) {
  Coordinate at;
  int64_t extent = cast<RankedTensorType>(tensor.getType()).getDimSize(dim);
  if (extent == 1 && !overOne)
    return at;
  if (auto known = shared.find({tensor, dim}); known != shared.end()) {
    at.loop = known->second;
    return at;
  }
  at.loop = nest.loops.size();
  nest.loops.push_back({extent, tensor, dim});
  return at;
}

LogicalResult LoopNestBuilder::walkOperand(Operation *op, unsigned index,
                                           Coordinates at,
                                           const Coordinates *resultAt,
                                           Visits &visits) {
  const Coordinates *operandAt = nest.intern(std::move(at));
  nest.operands[{op, index, resultAt}] = operandAt;
  return walk(op->getOperand(index), operandAt, visits);
}

LogicalResult LoopNestBuilder::walk(Value value, const Coordinates *at,
                                    Visits &visits) {
  SmallVector<const Coordinates *, 1> &seen = visits[value];
  if (llvm::is_contained(seen, at))
    return success();
  seen.push_back(at);
  if (nest.loops.size() > 64)
    return failure();

  Operation *op = value.getDefiningOp();
  if (!op || !isInside(op)) {
    nest.inputs.push_back({value, at});
    return success();
  }
  nest.inside.insert(op);
  auto operand = [&](unsigned index, Coordinates coordinates) {
    return walkOperand(op, index, std::move(coordinates), at, visits);
  };
  auto rankOf = [](Value tensor) {
    return cast<RankedTensorType>(tensor.getType()).getRank();
  };

  if (isReductionOp(op)) {
    // A nest computes a reduction once, at the position of its loops: what
    // reads it at a picked index or at a second position reads it from memory.
    if (const Reduction *known = nest.findReduction(op))
      return success(*known->at == *at);
    if (llvm::any_of(*at, [](const Coordinate &coordinate) {
          return coordinate.picker != nullptr;
        }))
      return failure();
    Reduction reduction{op, at, {}, 0};
    auto reduceOver = [&](Value tensor, unsigned dim) {
      Coordinate loop = makeLoop(tensor, dim);
      if (loop.loop >= 0)
        reduction.loops.push_back(loop.loop);
      return loop;
    };
    LogicalResult result = success();
    if (auto matmul = dyn_cast<MatmulOp>(op)) {
      unsigned rank = at->size();
      Coordinates lhs(*at), rhs(*at);
      lhs[rank - 1] = rhs[rank - 2] = reduceOver(matmul.getLhs(), rank - 1);
      result =
          success(succeeded(operand(0, lhs)) && succeeded(operand(1, rhs)));
    } else {
      SmallVector<int64_t> dims;
      if (auto reduce = dyn_cast<ReduceOp>(op))
        dims.assign(reduce.getDims().begin(), reduce.getDims().end());
      else
        dims.push_back(cast<ArgReduceOp>(op).getDim());
      Value input = op->getOperand(0);
      Coordinates inputAt;
      for (int64_t dim = 0, kept = 0; dim < rankOf(input); ++dim)
        inputAt.push_back(llvm::is_contained(dims, dim) ? reduceOver(input, dim)
                                                        : (*at)[kept++]);
      result = operand(0, inputAt);
    }
    reduction.parallel = getLoops(*at);
    nest.reductions.push_back(reduction);
    return result;
  }

  if (op->hasTrait<ElementwiseOp>()) {
    for (unsigned i = 0; i < op->getNumOperands(); ++i)
      if (failed(operand(i, *at)))
        return failure();
    return success();
  }
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case<FillOp, IotaOp, RandomOp>([](auto) { return success(); })
      .Case([&](BroadcastOp broadcast) {
        auto type = cast<RankedTensorType>(broadcast.getInput().getType());
        Coordinates inputAt(at->end() - type.getRank(), at->end());
        for (int64_t i = 0; i < type.getRank(); ++i)
          if (type.getDimSize(i) == 1)
            inputAt[i] = Coordinate();
        return operand(0, inputAt);
      })
      .Case([&](PermuteOp permute) {
        Coordinates inputAt(at->size());
        for (auto [i, from] : llvm::enumerate(permute.getPermutation()))
          inputAt[from] = (*at)[i];
        return operand(0, inputAt);
      })
      .Case([&](ReshapeOp reshape) {
        Coordinates rest;
        auto to = cast<RankedTensorType>(reshape.getResult().getType());
        for (auto [i, coordinate] : llvm::enumerate(*at))
          if (to.getDimSize(i) != 1)
            rest.push_back(coordinate);
        Coordinates inputAt;
        unsigned next = 0;
        auto from = cast<RankedTensorType>(reshape.getInput().getType());
        for (int64_t size : from.getShape())
          inputAt.push_back(size == 1 ? Coordinate() : rest[next++]);
        return operand(0, inputAt);
      })
      .Case([&](SliceOp slice) {
        Coordinates inputAt(*at);
        Coordinate &moved = inputAt[slice.getDim()];
        int64_t step = slice.getStep();
        moved.scale *= step;
        moved.constant *= step;
        for (auto &term : moved.terms)
          term.second *= step;
        moved.terms.push_back({slice.getStart(), 1});
        return operand(0, inputAt);
      })
      .Case([&](GatherOp gather) {
        int64_t dim = gather.getDim(), count = rankOf(gather.getIndices());
        Coordinates indexAt(at->begin() + dim, at->begin() + dim + count);
        if (failed(operand(1, indexAt)))
          return failure();
        Coordinates inputAt(at->begin(), at->begin() + dim);
        Coordinate picked;
        picked.picker = op;
        picked.indexAt = nest.operands[{op, 1, at}];
        inputAt.push_back(picked);
        inputAt.append(at->begin() + dim + count, at->end());
        return operand(0, inputAt);
      })
      .Case([&](GatherAlongOp gather) {
        if (failed(operand(1, *at)))
          return failure();
        Coordinates inputAt(*at);
        inputAt[gather.getDim()] = Coordinate();
        inputAt[gather.getDim()].picker = op;
        inputAt[gather.getDim()].indexAt = nest.operands[{op, 1, at}];
        return operand(0, inputAt);
      })
      .Default([](Operation *) { return failure(); });
}

LogicalResult LoopNestBuilder::walkRoot(Value root, Visits &visits) {
  Coordinates at;
  unsigned rank = cast<RankedTensorType>(root.getType()).getRank();
  for (unsigned dim = 0; dim < rank; ++dim)
    at.push_back(makeLoop(root, dim, loopsOverOne && dim + 1 == rank));
  const Coordinates *interned = nest.intern(std::move(at));
  if (failed(walk(root, interned, visits)))
    return failure();
  nest.roots.push_back({root, interned});
  nest.rootLoops |= getLoops(*interned);
  return success();
}

/// A value that the new root and the nest both visit ties their loops together.
void LoopNestBuilder::findShared(const Visits &fresh, unsigned firstFresh) {
  SmallVector<int> tied(nest.loops.size() - firstFresh, -1);
  auto tie = [&](const Coordinate &ours, const Coordinate &theirs) {
    if (!ours.isLoop() || !theirs.isLoop())
      return;
    int &loop = tied[theirs.loop - firstFresh];
    if (loop < 0 && !llvm::is_contained(tied, ours.loop) &&
        nest.loops[ours.loop].extent == nest.loops[theirs.loop].extent)
      loop = ours.loop;
  };
  for (const auto &[value, visits] : fresh) {
    auto known = visited.find(value);
    if (known == visited.end())
      continue;
    for (const Coordinates *theirs : visits)
      for (const Coordinates *ours : known->second)
        for (auto [mine, other] : llvm::zip(*ours, *theirs))
          tie(mine, other);
  }
  for (auto [i, loop] : llvm::enumerate(tied)) {
    const Loop &own = nest.loops[firstFresh + i];
    if (loop >= 0)
      shared[{own.tensor, own.dim}] = loop;
  }
}

LogicalResult LoopNestBuilder::addRoot(Value root) {
  shared.clear();
  if (nest.roots.empty())
    return walkRoot(root, visited);

  // Walk it once on its own to learn what it shares, then again with the
  // shared loops. The trial must not find reductions of earlier roots, or it
  // would not ask for their loops.
  LoopNest before = nest;
  unsigned firstFresh = nest.loops.size();
  Visits fresh;
  nest.reductions.clear();
  if (failed(walkRoot(root, fresh)))
    return failure();
  findShared(fresh, firstFresh);
  bool hasLoops = nest.loops.size() > firstFresh;
  nest = std::move(before);
  if (hasLoops && shared.empty())
    return failure();
  return walkRoot(root, visited);
}

FailureOr<LoopNest> LoopNest::getOfKernel(ArrayRef<Value> roots,
                                          bool loopsOverOne) {
  return get(
      roots, [](Operation *op) { return !isUpdateOp(op); }, loopsOverOne);
}

FailureOr<LoopNest> LoopNest::get(ArrayRef<Value> roots,
                                  llvm::function_ref<bool(Operation *)> inside,
                                  bool loopsOverOne) {
  LoopNest nest;
  nest.pool = std::make_shared<std::deque<Coordinates>>();
  LoopNestBuilder builder(nest, inside, loopsOverOne);
  for (Value root : roots)
    if (failed(builder.addRoot(root)))
      return failure();
  return nest;
}

//===----------------------------------------------------------------------===//
// Queries
//===----------------------------------------------------------------------===//

const Coordinates *LoopNest::intern(Coordinates at) const {
  for (const Coordinates &known : *pool)
    if (known == at)
      return &known;
  pool->push_back(std::move(at));
  return &pool->back();
}

const Reduction *LoopNest::findReduction(Operation *op) const {
  const Reduction *known =
      llvm::find_if(reductions, [&](const Reduction &reduction) {
        return reduction.op == op;
      });
  return known == reductions.end() ? nullptr : known;
}

int64_t LoopNest::estimateExtent(unsigned loop) const {
  constexpr int64_t kRunTimeExtent = 256;
  int64_t extent = loops[loop].extent;
  return ShapedType::isDynamic(extent) ? kRunTimeExtent : extent;
}

const Coordinates &LoopNest::operandAt(Operation *op, unsigned index,
                                       const Coordinates &at) const {
  return *operands.at({op, index, &at});
}

Access LoopNest::getMoved(Value value, const Coordinates &at) const {
  Access moved = {value, &at};
  for (Operation *op = value.getDefiningOp();
       op && isInside(op) &&
       isa<BroadcastOp, PermuteOp, ReshapeOp, SliceOp>(op);
       op = moved.tensor.getDefiningOp())
    moved = {op->getOperand(0), &operandAt(op, 0, *moved.at)};
  return moved;
}

Access LoopNest::getSource(Value value, const Coordinates &at) const {
  Access moved = getMoved(value, at);
  if (Operation *op = moved.tensor.getDefiningOp(); op && isInside(op))
    moved.tensor = nullptr;
  return moved;
}

const LoopNest::Dependence &
LoopNest::getDependence(Value value, const Coordinates &at) const {
  auto [known, isNew] =
      dependence.try_emplace({value.getAsOpaquePointer(), &at});
  Dependence &result = known->second; // a map keeps its addresses
  if (!isNew)
    return result;
  auto add = [&](Value other, const Coordinates &otherAt) {
    const Dependence &on = getDependence(other, otherAt);
    result.loops |= on.loops;
    result.onReduction |= on.onReduction;
  };

  Operation *op = value.getDefiningOp();
  if (!op || !isInside(op) || isa<IotaOp, RandomOp>(op)) {
    result.loops = td::getLoops(at);
    for (const Coordinate &coordinate : at)
      if (coordinate.picker)
        add(coordinate.getIndices(), *coordinate.indexAt);
  } else if (const Reduction *reduction = findReduction(op)) {
    result = {reduction->parallel, true};
  } else if (!isa<FillOp>(op)) {
    for (unsigned i = 0; i < op->getNumOperands(); ++i)
      if (isa<RankedTensorType>(op->getOperand(i).getType()))
        add(op->getOperand(i), operandAt(op, i, at));
  }
  return result;
}

LoopSet LoopNest::getLoopsOf(Value value, const Coordinates &at) const {
  return getDependence(value, at).loops;
}

bool LoopNest::needsReduction(Value value, const Coordinates &at) const {
  return getDependence(value, at).onReduction;
}

bool LoopNest::isLaterStage(const Reduction &reduction) const {
  Operation *op = reduction.op;
  for (unsigned i = 0; i < op->getNumOperands(); ++i)
    if (needsReduction(op->getOperand(i), operandAt(op, i, *reduction.at)))
      return true;
  return false;
}

} // namespace tdc::td
