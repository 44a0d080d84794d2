//===- GradientSums.cpp - gradients are summed on all GPUs ----------------===//
//
// td-grad leaves, for each parameter, a sum on the first GPU of its own part of
// the gradient and of copies of the other GPUs' parts. Here every GPU gets the
// sum, in two steps (Thakur, Rabenseifner and Gropp, "Optimization of
// Collective Communication Operations in MPICH", 2005: reduce-scatter and
// allgather):
//
//   1. Each GPU sums a section of the gradient, for which the others send their
//      parts of it. The parts are added in the order of the GPUs, so the sum
//      has the same bits in every run.
//   2. It sends the section's sum to the others.
//
// With n GPUs each one sends, and receives, 2 (n - 1) / n times the bytes of
// the gradient. Gradients that become known one after the other are summed
// together, in buckets, so that there are few copies, and most of them overlap
// with the rest of the backward pass.
//
//===----------------------------------------------------------------------===//

#include "DataParallel.h"
#include "Dialect/TD/Analysis/Sizes.h"
#include "Dialect/TD/Gradients/TensorBuilder.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace tdc::td {
namespace {

/// A bucket is full when it has this many bytes.
constexpr int64_t kBucketBytes = 4 << 20;

/// The gradient of one parameter.
struct Gradient {
  SumPartsOp op;
  llvm::SmallVector<Place> gpus; ///< that sum it; the model's own first
  /// The part of each GPU; null if it has none.
  llvm::SmallVector<Value> parts;
  Operation *known = nullptr; ///< the op that makes the last part
  Operation *read = nullptr;  ///< the first reader of the sum

  RankedTensorType getType() const {
    return cast<RankedTensorType>(SumPartsOp(op).getType());
  }
  int64_t countElements() const { return getType().getNumElements(); }
  int64_t countBytes() const { return estimateBytes(getType()); }
};

/// Elements `first` to `last` of a tensor of one dim.
struct Piece {
  Value tensor;
  int64_t first, last;
};

class GradientSums {
public:
  GradientSums(Block &block, const ReplicaGPUs &replicas, Twins &twins)
      : block(block), replicas(replicas), twins(twins) {}

  void run();

private:
  void findGradients();
  void addLeaves(Value sum, Gradient &gradient);
  void addPart(const Place &gpu, Value part, Gradient &gradient);
  std::vector<std::vector<Gradient *>> makeBuckets(ArrayRef<Place> gpus);
  void emit(llvm::ArrayRef<Gradient *> bucket, Operation *next);
  /// The op of the block that makes the value; null if it is there before.
  Operation *getMaker(Value value) {
    Operation *op = value.getDefiningOp();
    return op && op->getBlock() == &block ? op : nullptr;
  }
  OpBuilder builderAfter(Operation *op) {
    return OpBuilder(&block, op ? std::next(op->getIterator()) : block.begin());
  }
  Value getPart(TensorBuilder &b, Gradient &gradient, unsigned gpu);
  Value join(OpBuilder &builder, Location loc, llvm::ArrayRef<Piece> pieces);

  Block &block;
  const ReplicaGPUs &replicas;
  Twins &twins;
  std::vector<Gradient> gradients;
};

Operation *later(Operation *a, Operation *b) {
  if (!a || !b)
    return a ? a : b;
  return a->isBeforeInBlock(b) ? b : a;
}

/// Whether `a` comes first, where null is the start of the block.
bool isBefore(Operation *a, Operation *b) {
  return a && b ? a->isBeforeInBlock(b) : !a && b;
}

/// Whether one op alone reads the value, a sum or the copy of a part.
bool isInner(Value value, Block &block) {
  Operation *op = value.getDefiningOp();
  return op && op->getBlock() == &block && value.hasOneUse() &&
         (isa<AddOp>(op) || hasRole(op, CopyRole::Gradient));
}

void GradientSums::addPart(const Place &gpu, Value part, Gradient &gradient) {
  auto *found = llvm::find(gradient.gpus, gpu);
  size_t index = found - gradient.gpus.begin();
  if (found == gradient.gpus.end()) {
    // In the order of their numbers.
    for (index = 1; index != gradient.gpus.size() &&
                    gradient.gpus[index].ordinal < gpu.ordinal;)
      ++index;
    gradient.gpus.insert(gradient.gpus.begin() + index, gpu);
    gradient.parts.insert(gradient.parts.begin() + index, part);
    return;
  }
  Value &known = gradient.parts[index];
  if (!known) {
    known = part;
    return;
  }
  OpBuilder builder = builderAfter(later(getMaker(known), getMaker(part)));
  known = AddOp::create(builder, gradient.op.getLoc(), known, part);
}

/// Adds the parts that a sum consists of.
void GradientSums::addLeaves(Value sum, Gradient &gradient) {
  auto addOwn = [&](Value part) { addPart(gradient.gpus[0], part, gradient); };
  Operation *op = sum.getDefiningOp();
  if (hasRole(op, CopyRole::Gradient)) {
    Value part = cast<ToDeviceOp>(op).getInput();
    addPart(getPlace(part), part, gradient);
    return;
  }
  if (auto both = dyn_cast_or_null<AddOp>(op);
      both &&
      (isInner(both.getLhs(), block) || isInner(both.getRhs(), block))) {
    for (Value side : op->getOperands())
      if (isInner(side, block))
        addLeaves(side, gradient);
      else
        addOwn(side);
    return;
  }
  // The first GPU's part is added to the sum of the others in place.
  auto update = dyn_cast_or_null<UpdateOp>(op);
  if (update && update.getBase() && isInner(update.getBase(), block)) {
    addLeaves(update.getBase(), gradient);
    OpBuilder builder(op);
    Operation *own = builder.clone(*op);
    unsigned base =
        llvm::find(op->getOperands(), update.getBase()) - op->operand_begin();
    builder.setInsertionPoint(own);
    own->setOperand(
        base, TensorBuilder(builder, op->getLoc()).zeros(update.getBase()));
    addOwn(own->getResult(0));
    return;
  }
  addOwn(sum);
}

void GradientSums::findGradients() {
  for (auto op : block.getOps<SumPartsOp>()) {
    Gradient &gradient = gradients.emplace_back();
    gradient.op = op;
    gradient.gpus = {getPlace(op.getType())};
    auto found = replicas.find(op.getSlotAttr().getAttr());
    if (found != replicas.end())
      llvm::append_range(gradient.gpus, found->second);
    gradient.parts.resize(gradient.gpus.size());
    addLeaves(op.getInput(), gradient);
    for (Value part : gradient.parts)
      if (part)
        gradient.known = later(gradient.known, getMaker(part));
    for (Operation *user : op->getUsers()) {
      Operation *reader = block.findAncestorOpInBlock(*user);
      if (!gradient.read || reader->isBeforeInBlock(gradient.read))
        gradient.read = reader;
    }
  }
  llvm::erase_if(gradients, [](const Gradient &one) { return !one.read; });
  llvm::sort(gradients, [](const Gradient &a, const Gradient &b) {
    return isBefore(a.known, b.known);
  });
}

/// Gradients on these GPUs that become known one after the other, of one dtype.
std::vector<std::vector<Gradient *>>
GradientSums::makeBuckets(ArrayRef<Place> gpus) {
  std::vector<std::vector<Gradient *>> buckets;
  int64_t bytes = 0;
  Operation *read = nullptr; // the first reader of the last bucket
  for (Gradient &gradient : gradients) {
    if (ArrayRef<Place>(gradient.gpus) != gpus)
      continue;
    bool fits = !buckets.empty() && bytes < kBucketBytes &&
                isBefore(gradient.known, read) &&
                buckets.back()[0]->getType().getElementType() ==
                    gradient.getType().getElementType();
    if (!fits) {
      buckets.emplace_back();
      bytes = 0;
      read = gradient.read;
    }
    buckets.back().push_back(&gradient);
    bytes += gradient.countBytes();
    if (gradient.read->isBeforeInBlock(read))
      read = gradient.read;
  }
  return buckets;
}

/// The part of a GPU as a tensor of one dim.
Value GradientSums::getPart(TensorBuilder &b, Gradient &gradient,
                            unsigned gpu) {
  RankedTensorType type = withPlace(gradient.getType(), gradient.gpus[gpu]);
  RankedTensorType flat = withShape(type, gradient.countElements());
  Value part = gradient.parts[gpu];
  if (!part)
    return b.full(0.0, flat);
  return type == flat ? part : b.make<ReshapeOp>(flat, part, ValueRange());
}

Value GradientSums::join(OpBuilder &builder, Location loc,
                         ArrayRef<Piece> pieces) {
  TensorBuilder b(builder, loc);
  SmallVector<Value> parts;
  int64_t count = 0;
  for (const Piece &piece : pieces) {
    auto type = cast<RankedTensorType>(piece.tensor.getType());
    bool isWhole = piece.last - piece.first == type.getNumElements();
    parts.push_back(
        isWhole ? piece.tensor
                : b.make<SliceOp>(withShape(type, piece.last - piece.first),
                                  piece.tensor, b.constantInt(piece.first),
                                  /*dim=*/0, /*step=*/1, ValueRange()));
    count += piece.last - piece.first;
  }
  if (parts.size() == 1)
    return parts[0];
  auto type = cast<RankedTensorType>(parts[0].getType());
  return b.make<ConcatOp>(withShape(type, count), parts, /*dim=*/0);
}

/// Calls `copy` for each pair of GPUs, a sender and a receiver, in an order in
/// which no two copies that follow each other wait for one GPU.
void forEachPair(int64_t gpus,
                 llvm::function_ref<void(int64_t, int64_t)> copy) {
  for (int64_t distance = 1; distance < gpus; ++distance)
    for (int64_t sender = 0; sender < gpus; ++sender)
      copy(sender, (sender + distance) % gpus);
}

/// Removes a sum that nothing reads any more.
void eraseUnused(Operation *op) {
  if (!op || !isOpTriviallyDead(op))
    return;
  SmallVector<Value> operands(op->getOperands());
  op->erase();
  for (Value operand : operands)
    if (operand.use_empty())
      eraseUnused(operand.getDefiningOp());
}

/// `next`: the op that makes the next bucket known, or null. The sections are
/// summed after it: until then their parts are on the way.
void GradientSums::emit(ArrayRef<Gradient *> bucket, Operation *next) {
  Operation *known = nullptr, *read = nullptr;
  int64_t count = 0;
  SmallVector<int64_t> offsets;
  for (Gradient *gradient : bucket) {
    known = later(known, gradient->known);
    if (!read || gradient->read->isBeforeInBlock(read))
      read = gradient->read;
    offsets.push_back(count);
    count += gradient->countElements();
  }
  Location loc = bucket[0]->op.getLoc();
  SmallVector<Place> gpus = bucket[0]->gpus;
  int64_t n = gpus.size();
  auto sectionStart = [&](int64_t section) { return section * count / n; };

  OpBuilder builder = builderAfter(known);
  SmallVector<SmallVector<Value>> flat(n); // by GPU
  for (int64_t gpu = 0; gpu < n; ++gpu)
    for (Gradient *gradient : bucket) {
      TensorBuilder b(builder, gradient->op.getLoc());
      flat[gpu].push_back(getPart(b, *gradient, gpu));
    }
  // By GPU, then by section: the GPU's part of the section.
  SmallVector<SmallVector<Value>> parts(n, SmallVector<Value>(n));
  auto makePart = [&](int64_t gpu, int64_t section) {
    int64_t from = sectionStart(section), to = sectionStart(section + 1);
    SmallVector<Piece> pieces;
    for (auto [tensor, offset, gradient] :
         llvm::zip_equal(flat[gpu], offsets, bucket)) {
      int64_t first = std::max<int64_t>(from - offset, 0);
      int64_t last = std::min(to - offset, gradient->countElements());
      if (first < last)
        pieces.push_back({tensor, first, last});
    }
    if (from < to)
      parts[gpu][section] = copyTo(builder, loc, join(builder, loc, pieces),
                                   gpus[section], CopyRole::Gradient);
  };
  forEachPair(n, makePart);
  for (int64_t gpu = 0; gpu < n; ++gpu)
    makePart(gpu, gpu);

  if (isBefore(known, next) && isBefore(next, read))
    builder.setInsertionPointAfter(next);
  // By GPU, then by section: the sum of the section.
  SmallVector<SmallVector<Value>> sums(n, SmallVector<Value>(n));
  for (int64_t section = 0; section < n; ++section) {
    Value &sum = sums[section][section];
    for (int64_t gpu = 0; gpu < n; ++gpu)
      if (Value part = parts[gpu][section])
        sum = sum ? AddOp::create(builder, loc, sum, part).getResult() : part;
  }
  forEachPair(n, [&](int64_t section, int64_t receiver) {
    if (Value sum = sums[section][section])
      sums[receiver][section] =
          copyTo(builder, loc, sum, gpus[receiver], CopyRole::Gradient);
  });

  builder.setInsertionPoint(read);
  for (auto [offset, gradient] : llvm::zip_equal(offsets, bucket)) {
    SmallVector<Value> onGPU(n);
    for (int64_t gpu = 0; gpu < n; ++gpu) {
      SmallVector<Piece> pieces;
      for (int64_t section = 0; section < n; ++section) {
        int64_t from = sectionStart(section), to = sectionStart(section + 1);
        int64_t first = std::max(offset, from);
        int64_t last = std::min(offset + gradient->countElements(), to);
        if (first < last)
          pieces.push_back({sums[gpu][section], first - from, last - from});
      }
      Value sum = join(builder, loc, pieces);
      RankedTensorType type = withPlace(gradient->getType(), gpus[gpu]);
      if (sum.getType() != type)
        sum = ReshapeOp::create(builder, loc, type, sum, ValueRange());
      onGPU[gpu] = sum;
    }
    for (int64_t gpu = 1; gpu < n; ++gpu)
      twins.add(onGPU[0], gpus[gpu], onGPU[gpu]);
    gradient->op.replaceAllUsesWith(onGPU[0]);
    eraseUnused(gradient->op);
  }
}

void GradientSums::run() {
  findGradients();
  SmallVector<SmallVector<Place>> lists;
  for (const Gradient &gradient : gradients)
    if (!llvm::is_contained(lists, gradient.gpus))
      lists.push_back(gradient.gpus);
  for (ArrayRef<Place> gpus : lists) {
    std::vector<std::vector<Gradient *>> buckets = makeBuckets(gpus);
    for (auto [i, bucket] : llvm::enumerate(buckets)) {
      Operation *next = nullptr;
      if (i + 1 != buckets.size())
        for (Gradient *gradient : buckets[i + 1])
          next = later(next, gradient->known);
      emit(bucket, next);
    }
  }
  // Those that nothing reads.
  for (auto op : llvm::make_early_inc_range(block.getOps<SumPartsOp>()))
    eraseUnused(op);
}

} // namespace

void sumGradients(Block &block, const ReplicaGPUs &replicas, Twins &twins) {
  GradientSums(block, replicas, twins).run();
}

} // namespace tdc::td
