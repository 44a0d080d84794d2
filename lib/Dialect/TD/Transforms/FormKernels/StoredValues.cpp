//===- StoredValues.cpp - which values of a block kernels store -----------===//

#include "../Speculation.h"
#include "Dialect/TD/Analysis/Sizes.h"
#include "FusionGraph.h"

using namespace mlir;

namespace tdc::td {

namespace {

/// kCheapCost for a factor of a product, which recomputes it for each of its
/// tiles. On a GPU a factor that is computed is not copied asynchronously
/// either: products of a layer norm's 4 instructions took 1.7 times as long.
constexpr unsigned kCheapPrologue = 2;
/// The most positions that read an element of such a factor.
constexpr int64_t kMostReaders = 64;
/// On a CPU, kCheapCost for a value that is broadcast to at least
/// kManyPositions times as many elements: each tile of a kernel would compute
/// it, as the scale of a batch norm after a convolution, and a square root and
/// a quotient take as long as 40 products.
constexpr unsigned kCheapScale = 3;
constexpr int64_t kManyPositions = 256;
/// The multiplications of a product that takes some microseconds.
constexpr int64_t kLargeProduct = 1 << 18;

/// Whether the operand is the index tensor of a scatter, which reads indices
/// element by element, in its own order.
bool isScatterIndex(Operation *op, Value operand) {
  return isa<UpdateOp>(op) && isa<Picker>(op) && op->getOperand(1) == operand;
}

/// Whether the op reads one element of its operand several times: for each
/// position along a dim that the operand does not have, or where different
/// positions add up to the same coordinate.
bool expands(Operation *op) {
  if (!hasFamily(op, OpFamily::Movement))
    return false;
  AccessMap access = cast<ComputeOp>(op).getAccess(0);
  auto sizes = cast<RankedTensorType>(op->getResult(0).getType()).getShape();
  int64_t dims = llvm::count_if(sizes, [](int64_t size) { return size != 1; });
  int64_t coordinates =
      llvm::count_if(access.map.getResults(), [&](AffineExpr coordinate) {
        return llvm::any_of(llvm::enumerate(sizes), [&](auto size) {
          return size.value() != 1 && coordinate.isFunctionOfDim(size.index());
        });
      });
  return access.symbols.empty() && dims > coordinates;
}

/// The multiplications of a product; 0 of any other op.
int64_t countProducts(Operation *op) {
  if (!hasFamily(op, OpFamily::Contraction))
    return 0;
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  return llvm::SaturatingMultiply<uint64_t>(
      estimateElements(type), estimateTerms(cast<ReductionOp>(op)));
}

/// Whether several tiles of a product read each element of the factor.
bool isReadByTiles(Operation *op, Value factor) {
  if (!hasFamily(op, OpFamily::Contraction))
    return false;
  int64_t elements = estimateElements(cast<RankedTensorType>(factor.getType()));
  return countProducts(op) / elements > kMostReaders;
}

/// Whether a CPU is faster if it transposes the factor first, as that of
/// x.T @ y: it reads neighbouring terms of a row, which are in few sets of its
/// caches if they are a large power of two apart.
bool isFasterTransposed(Operation *op, Value factor) {
  constexpr int64_t kBytesApart = 1024;
  // Measured: with fewer, a copy costs more than it saves.
  constexpr int64_t kFewestTerms = 256, kFewestTermsRead = 1 << 17;
  Operation *def = factor.getDefiningOp();
  if (isOnGPU(op) || !hasFamily(op, OpFamily::Contraction) ||
      factor != op->getOperand(0) || !hasFamily(def, OpFamily::Movement))
    return false;
  auto source = cast<RankedTensorType>(def->getOperand(0).getType());
  AccessMap access = cast<ComputeOp>(def).getAccess(0),
            product = cast<ComputeOp>(op).getAccess(0);
  if (source.getRank() != 2 || source.isDynamicDim(1) ||
      !access.hasDimsOnly() || !product.hasDimsOnly())
    return false;
  int64_t terms = estimateTerms(cast<ReductionOp>(op)),
          readers = countProducts(op) /
                    estimateElements(cast<RankedTensorType>(factor.getType())),
          apart = source.getDimSize(1) * source.getElementTypeBitWidth() / 8;
  AffineMap map = access.map.compose(product.map);
  return terms >= kFewestTerms && terms * readers >= kFewestTermsRead &&
         apart % kBytesApart == 0 &&
         map.getResult(0).isFunctionOfDim(map.getNumDims() - 1);
}

/// The ops from `op` to one that everything computed from `op` goes through, as
/// in x * sigmoid(x), without that one: elementwise work, which one kernel does
/// for one element after the other. Empty if there is no such op, or if it is
/// not near.
SmallVector<Operation *> findUntilJoin(Operation *op) {
  constexpr size_t kMostOps = 32;
  auto isBefore = [](Operation *a, Operation *b) {
    return a->isBeforeInBlock(b);
  };
  ArrayRef<int64_t> shape =
      cast<RankedTensorType>(op->getResult(0).getType()).getShape();
  SmallVector<Operation *> found;
  SmallVector<Operation *> users; // of what was found, each once
  for (Operation *next = op; found.size() < kMostOps;) {
    found.push_back(next);
    for (Operation *user : next->getUsers()) {
      if (user->getBlock() != op->getBlock())
        return {};
      if (!llvm::is_contained(users, user))
        users.push_back(user);
    }
    auto first = llvm::min_element(users, isBefore);
    if (first == users.end() || !(*first)->hasTrait<ElementwiseOp>() ||
        !isKernelOp(*first) ||
        cast<RankedTensorType>((*first)->getResult(0).getType()).getShape() !=
            shape)
      return {};
    if (users.size() == 1)
      return found;
    next = *first;
    users.erase(first);
  }
  return {};
}

/// Whether the op is a broadcast on a CPU to many more elements: each tile of a
/// kernel that reads them would compute the operand again.
bool repeatsOften(Operation *op) {
  return !isOnGPU(op) && expands(op) &&
         estimateElements(cast<RankedTensorType>(op->getResult(0).getType())) >=
             kManyPositions * estimateElements(cast<RankedTensorType>(
                                  op->getOperand(0).getType()));
}

/// Whether the op reads its operand at other coordinates than its result's own.
bool shifts(Operation *op) {
  return hasFamily(op, OpFamily::Movement) &&
         !cast<ComputeOp>(op).getAccess(0).hasDimsOnly();
}

} // namespace

bool isLargeProduct(Operation *op) { return countProducts(op) > kLargeProduct; }

/// Finds the steps of optimizers. A step is the same elementwise work on every
/// parameter, which a GPU can do in one launch for all of them
/// (merge-launches). For that, gradients are stored rather than used in the
/// kernel that sums them up. That costs a write and a read in addition to the
/// seven of Adam, and saves a launch for nearly every parameter.
void FusionGraph::findSteps(Block &block) {
  SmallVector<Value> work;
  for (auto write : block.getOps<WriteOp>())
    if (getPlace(write.getValue()).kind == Place::Kind::Cuda) {
      auto slot = SymbolTable::lookupNearestSymbolFrom<SlotOp>(
          write, write.getSlotAttr());
      if (slot.getKind() == SlotKind::Param ||
          slot.getKind() == SlotKind::Moment)
        work.push_back(write.getValue());
    }
  while (!work.empty()) {
    Operation *op = work.pop_back_val().getDefiningOp();
    if (op && op->getBlock() == &block && op->hasTrait<ElementwiseOp>() &&
        steps.insert(op).second)
      llvm::append_range(work, op->getOperands());
  }
}

bool FusionGraph::mustStore(Operation *op, Value operand,
                            const Unstored &unstored, unsigned seen) const {
  // A consumer that would read one element several times needs it stored; so
  // does a consumer that would compute it element by element where vectors are
  // possible.
  bool isAlone = isNeverFused(op);
  bool repeats = isa<ReductionOp>(op) || isAlone || expands(op) || shifts(op);
  bool asksAgain = hasFamily(op, OpFamily::Contraction) || expands(op);
  // Elementwise work on a stored value is an epilogue of that value's kernel.
  Operation *def = operand.getDefiningOp();
  bool isEpilogue = def->hasTrait<ElementwiseOp>() &&
                    llvm::any_of(def->getOperands(), [&](Value operand) {
                      return stored.contains(operand.getDefiningOp());
                    });
  return (unstored.reductions && (repeats || steps.contains(op))) ||
         (unstored.cost > kCheapCost && (asksAgain || isAlone)) ||
         (unstored.cost > kCheapPrologue && isReadByTiles(op, operand)) ||
         (unstored.cost > kCheapScale && repeatsOften(op)) ||
         (unstored.cost > 0 && asksAgain && isEpilogue) ||
         (unstored.mayFail && unstored.seenBefore != seen) ||
         isScatterIndex(op, operand);
}

/// Chooses the values to store: values that the host needs, values that are
/// expensive to recompute, values for which several consumers would repeat a
/// reduction, and values that may end the program if an observable op runs
/// between them and a consumer.
void FusionGraph::chooseRoots(Block &block) {
  llvm::DenseMap<Operation *, Unstored> unstored;
  // By op: the value that it and others are computed from, until they join.
  llvm::DenseMap<Operation *, Operation *> forks;
  auto storeResult = [&](Operation *op) {
    stored.insert(op);
    unstored[op] = Unstored();
  };
  // A narrow value is stored rather than its widening, which each reader
  // repeats, because products multiply narrow values directly: those of bf16,
  // and on the tensor cores of a GPU those of f16, too.
  auto store = [&](Value operand) {
    Operation *def = operand.getDefiningOp();
    // Others need what the work since the fork was computed from, too.
    if (Operation *fork = forks.lookup(def)) {
      for (Operation *part : findUntilJoin(fork)) {
        Unstored &known = unstored[part];
        known.reductions = known.products = 0;
        forks.erase(part);
      }
      operand = fork->getResult(0);
      def = fork;
    }
    if (!def || def->getBlock() != &block || !isKernelOp(def))
      return;
    Value widened = getWidened(operand);
    Operation *narrow = widened ? widened.getDefiningOp() : nullptr;
    bool isNarrow = narrow && narrow->getBlock() == &block &&
                    isKernelOp(narrow) &&
                    (isOnGPU(def) || getElementTypeOrSelf(widened).isBF16());
    storeResult(isNarrow ? narrow : def);
    if (isNarrow)
      unstored[def] = {0, 0, getCost(def), false, 0};
  };

  unsigned seen = 0;
  for (Operation &op : block) {
    op.walk([&](Operation *inner) { seen += isObservable(inner); });
    if (!isKernelOp(&op))
      continue;
    for (Value operand : op.getOperands()) {
      auto known = unstored.find(operand.getDefiningOp());
      if (known == unstored.end())
        continue;
      if (isFasterTransposed(&op, operand)) {
        transposed.insert(operand.getDefiningOp());
        store(operand);
      } else if (mustStore(&op, operand, known->second, seen)) {
        store(operand);
      }
    }
    auto countProductsAndReductions = [&](Value operand) {
      Unstored part = unstored.lookup(operand.getDefiningOp());
      return std::make_pair(part.products, part.reductions);
    };
    Unstored own;
    while (true) {
      own = {isa<ReductionOp>(op), isLargeProduct(&op), getCost(&op),
             !cannotFail(&op), seen};
      // Operands from one fork have the reductions before it in common.
      llvm::SmallDenseMap<Operation *, Unstored> common;
      for (Value operand : op.getOperands()) {
        Operation *def = operand.getDefiningOp();
        Unstored part = unstored.lookup(def);
        Operation *fork = forks.lookup(def);
        Unstored &counted = common[fork ? fork : def];
        auto addMore = [](unsigned &sum, unsigned &counted, unsigned part) {
          sum += part - std::min(part, counted);
          counted = std::max(part, counted);
        };
        addMore(own.reductions, counted.reductions, part.reductions);
        addMore(own.products, counted.products, part.products);
        own.cost += part.cost;
        own.mayFail |= part.mayFail;
      }
      if (own.reductions <= kMaxReductions && own.products <= 1)
        break;
      store(*llvm::max_element(op.getOperands(), [&](Value a, Value b) {
        return countProductsAndReductions(a) < countProductsAndReductions(b);
      }));
    }
    llvm::SmallPtrSet<Operation *, 4> users;
    bool isForHost = false;
    for (Operation *user : op.getUsers()) {
      users.insert(user);
      isForHost |= user->getBlock() != &block || !isKernelOp(user);
    }
    unstored[&op] = own;
    if (isForHost) {
      storeResult(&op);
    } else if (isNeverFused(&op) || own.cost > kMostCost) {
      store(op.getResult(0));
    } else if (users.size() > 1 && (own.reductions || own.cost > kCheapCost)) {
      SmallVector<Operation *> untilJoin = findUntilJoin(&op);
      if (untilJoin.empty())
        store(op.getResult(0));
      for (Operation *part : untilJoin)
        forks.try_emplace(part, &op);
    }
  }
}

} // namespace tdc::td
