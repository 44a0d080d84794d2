//===- LoopNest.cpp - the loops that compute a group of td values ---------===//

#include "Dialect/TD/Analysis/Kernels/LoopNest.h"
#include "Dialect/TD/Analysis/Sizes.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include <functional>

using namespace mlir;

namespace tdc::td {

//===----------------------------------------------------------------------===//
// Coordinates
//===----------------------------------------------------------------------===//

bool NestSymbol::operator==(const NestSymbol &other) const {
  return kind == other.kind && value == other.value && dim == other.dim &&
         picker == other.picker && at == other.at;
}

int getLoop(Coordinate at) {
  auto loop = dyn_cast<AffineDimExpr>(at);
  return loop ? int(loop.getPosition()) : -1;
}

CoordinateSum::CoordinateSum(Coordinate at) {
  auto add = [&](AffineExpr part) {
    int64_t factor = 1;
    if (part.getKind() == AffineExprKind::Mul) {
      auto product = cast<AffineBinaryOpExpr>(part);
      factor = cast<AffineConstantExpr>(product.getRHS()).getValue();
      part = product.getLHS();
    }
    if (auto number = dyn_cast<AffineConstantExpr>(part))
      constant += number.getValue();
    else
      parts.push_back({part, factor});
  };
  SmallVector<AffineExpr> later;
  for (; at.getKind() == AffineExprKind::Add;
       at = cast<AffineBinaryOpExpr>(at).getLHS())
    later.push_back(cast<AffineBinaryOpExpr>(at).getRHS());
  add(at);
  for (AffineExpr part : llvm::reverse(later))
    add(part);
}

int64_t CoordinateSum::getFactor(unsigned loop) const {
  for (auto [part, factor] : parts)
    if (getLoop(part) == int(loop))
      return factor;
  return 0;
}

LoopSet toLoopSet(ArrayRef<unsigned> loops) {
  LoopSet set = 0;
  for (unsigned loop : loops)
    set |= toLoopSet(loop);
  return set;
}

LoopSet getLoops(Coordinate at) {
  LoopSet loops = 0;
  for (auto [part, factor] : CoordinateSum(at).parts)
    if (int loop = getLoop(part); loop >= 0)
      loops |= toLoopSet(loop);
  return loops;
}

LoopSet getLoops(const Coordinates &at) {
  LoopSet loops = 0;
  for (Coordinate coordinate : at)
    loops |= getLoops(coordinate);
  return loops;
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

ReduceKind Reduction::getCombination() const {
  return cast<ReductionOp>(op).getCombination();
}

bool Reduction::givesIndex() const {
  return cast<ReductionOp>(op).givesIndex();
}

bool Reduction::isContraction() const {
  return hasFamily(op, OpFamily::Contraction);
}

unsigned Reduction::countFactors() const {
  return cast<ComputeOp>(op).getInfo().operands;
}

Coordinate Reduction::getPosition() const {
  auto reduction = cast<ReductionOp>(op);
  Coordinate position = getAffineConstantExpr(0, op->getContext());
  const unsigned *loop = loops.begin();
  for (OperandDim dim : reduction.getReducedDims()) {
    int64_t size = cast<RankedTensorType>(op->getOperand(dim.operand).getType())
                       .getDimSize(dim.dim);
    if (size == 1) // no loop is made for it
      continue;
    if (loop != loops.begin())
      position = position * size;
    position = position + getAffineDimExpr(*loop++, op->getContext());
  }
  return position;
}

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

/// Adds roots to a nest, one at a time.
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
  LogicalResult walkReduction(ReductionOp op, const Coordinates *at,
                              Visits &visits);
  /// Walks the operands of `op`, which are read at `domain` when the result is
  /// computed at `at`.
  LogicalResult walkOperands(ComputeOp op, const Coordinates *at,
                             ArrayRef<Coordinate> domain, Visits &visits);
  /// The coordinate of a loop over dim `dim` of `tensor`; 0, without a loop, if
  /// the size is 1, unless `overOne`.
  Coordinate makeLoop(Value tensor, unsigned dim, bool overOne = false);
  /// Finds loops of `fresh`, numbered from `firstFresh`, that are the same as
  /// older ones.
  void findShared(const Visits &fresh, unsigned firstFresh);

  LoopNest &nest;
  llvm::function_ref<bool(Operation *)> isInside;
  const bool loopsOverOne;
  Visits visited;
  /// By tensor and dim: the loop that the root being walked shares with earlier
  /// roots.
  llvm::DenseMap<std::pair<Value, unsigned>, int> shared;
};

Coordinate LoopNestBuilder::makeLoop(Value tensor, unsigned dim, bool overOne) {
  MLIRContext *context = tensor.getContext();
  int64_t extent = cast<RankedTensorType>(tensor.getType()).getDimSize(dim);
  if (extent == 1 && !overOne)
    return getAffineConstantExpr(0, context);
  unsigned loop = nest.loops.size();
  if (auto known = shared.find({tensor, dim}); known != shared.end())
    loop = known->second;
  else
    nest.loops.push_back({extent, tensor, dim});
  return getAffineDimExpr(loop, context);
}

LogicalResult LoopNestBuilder::walkOperands(ComputeOp op, const Coordinates *at,
                                            ArrayRef<Coordinate> domain,
                                            Visits &visits) {
  llvm::SmallDenseSet<unsigned, 4> walked;
  std::function<LogicalResult(unsigned)> walkOperand = [&](unsigned index) {
    if (!walked.insert(index).second)
      return success();
    AccessMap access = op.getAccess(index);
    for (const AccessSymbol &symbol : access.symbols)
      if (symbol.kind == AccessSymbol::Element &&
          failed(walkOperand(symbol.operand)))
        return failure();
    const Coordinates *operandAt =
        nest.intern(nest.compose(op, access, domain, at));
    nest.operands[{op, index, at}] = operandAt;
    return walk(op->getOperand(index), operandAt, visits);
  };
  for (OpOperand &operand : op->getOpOperands())
    if (isa<RankedTensorType>(operand.get().getType()) &&
        failed(walkOperand(operand.getOperandNumber())))
      return failure();
  return success();
}

LogicalResult LoopNestBuilder::walkReduction(ReductionOp op,
                                             const Coordinates *at,
                                             Visits &visits) {
  // A nest computes a reduction once, at the position of its loops. A reader at
  // a picked index or at a second position must read it from memory.
  if (const Reduction *known = nest.findReduction(op))
    return success(*known->at == *at);
  if (llvm::any_of(*at, [&](Coordinate one) { return nest.findPicked(one); }))
    return failure();
  Reduction reduction{op, at, {}, getLoops(*at)};
  Coordinates domain(*at);
  for (OperandDim dim : op.getReducedDims()) {
    domain.push_back(makeLoop(op->getOperand(dim.operand), dim.dim));
    if (int loop = getLoop(domain.back()); loop >= 0)
      reduction.loops.push_back(loop);
  }
  LogicalResult result = walkOperands(cast<ComputeOp>(*op), at, domain, visits);
  nest.reductions.push_back(reduction);
  return result;
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
  auto compute = dyn_cast<ComputeOp>(op);
  if (!compute || !compute.isPulled())
    return failure();
  nest.inside.insert(op);
  if (auto reduction = dyn_cast<ReductionOp>(op))
    return walkReduction(reduction, at, visits);
  return walkOperands(compute, at, *at, visits);
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

/// If the new root and the nest both visit a value, its coordinates identify
/// their loops.
void LoopNestBuilder::findShared(const Visits &fresh, unsigned firstFresh) {
  SmallVector<int> tied(nest.loops.size() - firstFresh, -1);
  auto tie = [&](int ours, int theirs) {
    if (ours < 0 || theirs < 0)
      return;
    int &loop = tied[theirs - firstFresh];
    if (loop < 0 && !llvm::is_contained(tied, ours) &&
        nest.loops[ours].extent == nest.loops[theirs].extent)
      loop = ours;
  };
  for (const auto &[value, visits] : fresh) {
    auto known = visited.find(value);
    if (known == visited.end())
      continue;
    for (const Coordinates *theirs : visits)
      for (const Coordinates *ours : known->second)
        for (auto [mine, other] : llvm::zip(*ours, *theirs))
          tie(getLoop(mine), getLoop(other));
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

  // Walk the root once on its own to find the loops that it shares, then again
  // with the shared loops. The trial must not find reductions of earlier roots,
  // or it would make no loops for them.
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
      roots, [](Operation *op) { return !isa<StageOp, UpdateOp>(op); },
      loopsOverOne);
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

AffineExpr LoopNest::getSymbol(const NestSymbol &symbol, MLIRContext *context) {
  auto *known = llvm::find(symbols, symbol);
  unsigned position = known - symbols.begin();
  if (known == symbols.end())
    symbols.push_back(symbol);
  return getAffineSymbolExpr(position, context);
}

Coordinates LoopNest::compose(Operation *op, const AccessMap &access,
                              ArrayRef<Coordinate> domain,
                              const Coordinates *at) {
  SmallVector<AffineExpr> numbers;
  for (const AccessSymbol &symbol : access.symbols) {
    NestSymbol own{symbol.kind, op->getOperand(symbol.operand), symbol.dim};
    if (own.isPicked()) {
      own.picker = op;
      own.at = operands.at({op, symbol.operand, at});
    }
    numbers.push_back(getSymbol(own, op->getContext()));
  }
  Coordinates composed;
  for (AffineExpr coordinate : access.map.getResults())
    composed.push_back(
        simplifyAffineExpr(coordinate.replaceDimsAndSymbols(domain, numbers),
                           loops.size(), symbols.size()));
  return composed;
}

Coordinates LoopNest::getPosition(UpdateOp update, const UpdatePart &part) {
  auto compute = cast<ComputeOp>(*update);
  MLIRContext *context = update->getContext();
  const Coordinates *at = roots.front().at;
  for (const AccessSymbol &symbol : part.position.symbols)
    if (symbol.kind == AccessSymbol::Element)
      operands[{update, symbol.operand, at}] =
          intern(compose(update, compute.getAccess(symbol.operand), *at, at));
  Coordinates position = compose(update, part.position, *at, at);
  // Constants that the access map keeps as symbols (accessBy) are numbers, too:
  // the loops of the part have been made.
  SmallVector<AffineExpr> numbers;
  for (auto [i, symbol] : llvm::enumerate(symbols)) {
    std::optional<int64_t> known = getConstantIntValue(symbol.value);
    numbers.push_back(known ? getAffineConstantExpr(*known, context)
                            : getAffineSymbolExpr(i, context));
  }
  for (Coordinate &coordinate : position)
    coordinate =
        simplifyAffineExpr(coordinate.replaceDimsAndSymbols({}, numbers),
                           loops.size(), symbols.size());
  return position;
}

const NestSymbol *LoopNest::findPicked(Coordinate at) const {
  for (auto [part, factor] : CoordinateSum(at).parts)
    if (isa<AffineSymbolExpr>(part) && getSymbol(part).isPicked())
      return &getSymbol(part);
  return nullptr;
}

bool LoopNest::isPicked(const Access &access) const {
  return llvm::any_of(*access.at,
                      [&](Coordinate at) { return findPicked(at); });
}

bool LoopNest::isPickedBy(Coordinate at, unsigned loop) const {
  const NestSymbol *picked = findPicked(at);
  return picked && llvm::any_of(*picked->at, [&](Coordinate index) {
           return contains(td::getLoops(index), loop) ||
                  isPickedBy(index, loop);
         });
}

const Reduction *LoopNest::findReduction(Operation *op) const {
  const Reduction *known =
      llvm::find_if(reductions, [&](const Reduction &reduction) {
        return reduction.op == op;
      });
  return known == reductions.end() ? nullptr : known;
}

int64_t LoopNest::estimateExtent(unsigned loop) const {
  int64_t extent = loops[loop].extent;
  return ShapedType::isDynamic(extent) && runTimeExtent ? *runTimeExtent
                                                        : estimateSize(extent);
}

int64_t LoopNest::estimatePositions(ArrayRef<unsigned> some) const {
  int64_t positions = 1;
  for (unsigned loop : some)
    positions *= estimateExtent(loop);
  return positions;
}

double LoopNest::estimatePositions(LoopSet some) const {
  double positions = 1;
  for (unsigned loop = 0; loop < loops.size(); ++loop)
    if (contains(some, loop))
      positions *= double(estimateExtent(loop));
  return positions;
}

double LoopNest::estimateBytes(const Access &access) const {
  DType dtype = getDType(getElementTypeOrSelf(access.tensor.getType()));
  return estimatePositions(getLoopsOf(access.tensor, *access.at)) *
         double(byteSize(dtype));
}

const Coordinates &LoopNest::operandAt(Operation *op, unsigned index,
                                       const Coordinates &at) const {
  return *operands.at({op, index, &at});
}

Access LoopNest::getMoved(Value value, const Coordinates &at) const {
  Access moved = {value, &at};
  for (Operation *op = value.getDefiningOp();
       op && isInside(op) && hasFamily(op, OpFamily::Movement) &&
       !isa<Picker>(op);
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
  auto compute = dyn_cast_if_present<ComputeOp>(op);
  bool isMade = op && isInside(op);
  if (const Reduction *reduction = isMade ? findReduction(op) : nullptr) {
    result = {reduction->parallel, true};
  } else if (isMade && compute.getInfo().family != OpFamily::Constructor) {
    for (unsigned i = 0; i < op->getNumOperands(); ++i)
      if (isa<RankedTensorType>(op->getOperand(i).getType()))
        add(op->getOperand(i), operandAt(op, i, at));
  } else if (!isMade || !compute.getElement()) {
    result.loops = td::getLoops(at);
    for (Coordinate coordinate : at)
      if (const NestSymbol *picked = findPicked(coordinate))
        add(picked->value, *picked->at);
  }
  return result;
}

LoopSet LoopNest::getLoopsOf(Value value, const Coordinates &at) const {
  return getDependence(value, at).loops;
}

bool LoopNest::needsReduction(Value value, const Coordinates &at) const {
  return getDependence(value, at).onReduction;
}

SmallVector<ArrayRef<Reduction>> LoopNest::getReductionRuns() const {
  SmallVector<ArrayRef<Reduction>> runs;
  for (ArrayRef<Reduction> rest = reductions; !rest.empty();) {
    size_t length = 1;
    while (length < rest.size() && rest[length].loops == rest.front().loops &&
           !isLaterStage(rest[length]))
      ++length;
    runs.push_back(rest.take_front(length));
    rest = rest.drop_front(length);
  }
  return runs;
}

LoopSet LoopNest::getResultLoops() const {
  LoopSet loops = 0;
  for (const Reduction &reduction : reductions)
    loops |= reduction.parallel;
  return loops;
}

bool LoopNest::isLaterStage(const Reduction &reduction) const {
  Operation *op = reduction.op;
  for (unsigned i = 0; i < reduction.countFactors(); ++i)
    if (needsReduction(op->getOperand(i), operandAt(op, i, *reduction.at)))
      return true;
  return false;
}

} // namespace tdc::td
