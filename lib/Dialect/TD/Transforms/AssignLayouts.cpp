//===- AssignLayouts.cpp - the order of dims in memory --------------------===//
//
// PyTorch's Linear keeps its weight as [out, in], and y = x @ weight.T needs
// the out dim contiguous, because the lanes of a vector run along it; so does a
// convolution with its weight [out, in, height, width]. Only files and prints
// can observe the order of a slot's dims in memory, so every slot, with its
// moments and gradients, gets the order for which the kernels that use it cost
// least. So does a tensor with four and more dims that only kernels write and
// read: the images between convolutions, whose channels may be last, in blocks.
//
//===----------------------------------------------------------------------===//

#include "Dialect/TD/Analysis/Kernels/Contraction.h"
#include "Dialect/TD/Analysis/Kernels/Winograd.h"
#include "Dialect/TD/Transforms/Passes.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include <algorithm>
#include <cmath>

using namespace mlir;

namespace tdc::td {
#define GEN_PASS_DEF_ASSIGNLAYOUTSPASS
#include "Dialect/TD/Transforms/Passes.h.inc"

namespace {

/// A loop around a kernel counts as this many runs of it.
constexpr double kLoopWeight = 10;

/// The time of a product whose terms are on different pages, of that of one
/// whose terms are neighbours: from 1.7 to 3 in MobileNetV2.
constexpr double kFarTerms = 2;

/// Whether another order of dims changes the order of elements.
bool isMatrix(Value tensor) {
  auto type = dyn_cast<RankedTensorType>(tensor.getType());
  return type && type.getRank() >= 2 &&
         llvm::count_if(type.getShape(),
                        [](int64_t dim) { return dim != 1; }) >= 2;
}

/// The inputs and the results.
SmallVector<Value> getOuterValues(KernelOp kernel) {
  SmallVector<Value> values(kernel.getInputs());
  llvm::append_range(values, kernel.getResults());
  return values;
}

/// Whether the tensor may be a batch of images with channels.
bool isImage(Value tensor) {
  return isMatrix(tensor) &&
         cast<RankedTensorType>(tensor.getType()).getRank() >= 4;
}

class LayoutAssigner {
public:
  LayoutAssigner(ModuleOp module, int64_t lanes)
      : module(module), lanes(lanes) {}

  void run() {
    collect();
    for (void *member : fixed)
      fixedGroups.insert(getGroup(member));
    tieElementwise();
    findUsers();
    for (auto &[slot, value] : slots)
      ofSlots.insert(getGroup(value.getAsOpaquePointer()));
    // Twice: the first time, the layouts of later groups are not known.
    for (bool ofImages : {true, true, false})
      for (auto &group : groups)
        if (void *leader = group->getData(); group->isLeader() &&
                                             !isFixed(leader) &&
                                             isOfImages(leader) == ofImages)
          choose(leader);
    annotate();
  }

private:
  /// A nest of a kernel.
  struct Kernel {
    KernelOp op;
    LoopNest nest;
    double weight;
    /// The position of the nest's root in the kernel's result if it is a part
    /// of that; else the roots are the results.
    std::optional<Coordinates> position = {};
  };

  void collect();
  bool collect(KernelOp kernel);
  bool collectParts(UpdateOp update, KernelOp kernel, double weight);
  void tieElementwise();
  void findUsers();
  void tie(Value a, Value b) { groups.unionSets(key(a), key(b)); }
  void *key(Value value) {
    void *pointer = value.getAsOpaquePointer();
    groups.insert(pointer);
    return pointer;
  }
  void *getGroup(void *member) { return groups.getLeaderValue(member); }
  bool isOfImages(void *leader) {
    return !ofSlots.contains(leader) &&
           isImage(Value::getFromOpaquePointer(leader));
  }
  /// Valid after collect(), since groups that are tied later are not fixed.
  bool isFixed(void *member) { return fixedGroups.contains(getGroup(member)); }
  /// Returns the value outside of a kernel for an argument or yielded value of
  /// it.
  Value outside(KernelOp kernel, Value inner);
  /// The value that the root of a nest is written to.
  Value getResult(Kernel &kernel, Value root) {
    return kernel.position ? kernel.op.getResult(0) : outside(kernel.op, root);
  }
  /// The leader of the value's group; null if it is in none.
  void *findGroup(Value outer) {
    auto group = groups.findLeader(outer.getAsOpaquePointer());
    return group == groups.member_end() ? nullptr : *group;
  }
  Layout getLayout(Value value);
  bool hasFarTerms(const Kernel &kernel, const Contraction &product);
  double getCost(ArrayRef<Kernel *> users);
  SmallVector<RankedTensorType> getMembers(void *leader);
  SmallVector<void *> findWeights(void *leader);
  void choose(void *leader);
  bool sharesSets(void *leader);
  bool mayBeBlocked(void *leader);
  bool mayBeBlockedInSlot(void *leader);
  void annotate();

  ModuleOp module;
  int64_t lanes;
  std::vector<Kernel> kernels;
  llvm::EquivalenceClasses<void *> groups;
  llvm::DenseSet<void *> fixed;       ///< values
  llvm::DenseSet<void *> fixedGroups; ///< their leaders
  /// By the leader of a group: the dim that is last in memory, counted from the
  /// end; 0 or absent if it is the last one.
  llvm::DenseMap<void *, unsigned> lastInMemory;
  llvm::DenseSet<void *> blocked; ///< leaders of groups with blocked layouts
  /// By the leader of a group: the kernels that use matrices of the group.
  llvm::DenseMap<void *, SmallVector<Kernel *>> users;
  llvm::MapVector<Attribute, Value> slots; ///< a value of each slot
  llvm::DenseSet<void *> ofSlots;          ///< leaders of groups with slots
};

} // namespace

Value LayoutAssigner::outside(KernelOp kernel, Value inner) {
  if (auto argument = dyn_cast<BlockArgument>(inner))
    return kernel.getInputs()[argument.getArgNumber()];
  auto yielded = kernel.getBody().front().getTerminator()->getOperands();
  return kernel.getResult(llvm::find(yielded, inner) - yielded.begin());
}

/// Whether the dims of both tensors have the same loops, up to shifts and to
/// windows of the operand. Dims that are reduced to one element have none.
static bool haveSameOrder(const Coordinates &result,
                          const Coordinates &operand) {
  return result.size() == operand.size() &&
         llvm::all_of(llvm::zip(result, operand), [](auto pair) {
           LoopSet to = getLoops(std::get<0>(pair)),
                   from = getLoops(std::get<1>(pair));
           return !(to & ~from) && (to || !from);
         });
}

/// Collects the nests of the kernel; false if it expects row-major tensors.
bool LayoutAssigner::collect(KernelOp kernel) {
  // GPU kernels move matrices through shared memory where row-major is the
  // wrong order.
  if (kernel.isOnGPU())
    return false;
  double weight = 1;
  for (Operation *parent = kernel->getParentOp(); parent;
       parent = parent->getParentOp())
    if (isa<LoopLikeOpInterface>(parent))
      weight *= kLoopWeight;
  Block &body = kernel.getBody().front();
  SmallVector<Value> roots(body.getTerminator()->getOperands());
  auto updates = body.getOps<UpdateOp>();
  if (!updates.empty())
    return collectParts(*updates.begin(), kernel, weight);
  FailureOr<LoopNest> nest = LoopNest::getOfKernel(roots);
  if (failed(nest))
    return false;
  kernels.push_back({kernel, std::move(*nest), weight});
  return true;
}

/// The same for a kernel that puts tensors into a new one: a padding, a
/// concatenation.
bool LayoutAssigner::collectParts(UpdateOp update, KernelOp kernel,
                                  double weight) {
  Operation *end = kernel.getBody().front().getTerminator();
  Value base = update.getBase();
  auto made = base ? base.getDefiningOp<ComputeOp>() : ComputeOp();
  if (end->getOperands() != update->getResults() ||
      (base && (!made || made.getInfo().family != OpFamily::Constructor)))
    return false;
  std::vector<Kernel> parts;
  for (const UpdatePart &part : update.getParts()) {
    FailureOr<LoopNest> nest =
        LoopNest::getOfKernel(update->getOperand(part.operand));
    if (failed(nest) || part.combine)
      return false;
    Coordinates position = nest->getPosition(update, part);
    if (!haveSameOrder(*nest->getRoots().front().at, position) ||
        llvm::any_of(position,
                     [&](Coordinate at) { return nest->findPicked(at); }))
      return false;
    parts.push_back({kernel, std::move(*nest), weight, std::move(position)});
  }
  llvm::move(parts, std::back_inserter(kernels));
  return true;
}

void LayoutAssigner::collect() {
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    auto tieToSlot = [&](Attribute slot, Value value) {
      key(value);
      auto [known, isNew] = slots.try_emplace(slot, value);
      if (!isNew)
        tie(known->second, value);
    };
    if (auto read = dyn_cast<ReadOp>(op)) {
      tieToSlot(read.getSlotAttr(), read.getResult());
    } else if (auto write = dyn_cast<WriteOp>(op)) {
      Value value = write.getValue();
      tieToSlot(write.getSlotAttr(), value);
      // td-to-runtime knows a slot's order only where a kernel writes its
      // result directly into the slot's memory.
      if (!value.getDefiningOp<KernelOp>() || !value.hasOneUse() ||
          !write.getValue().getType().hasStaticShape())
        fixed.insert(key(value));
    } else if (auto kernel = dyn_cast<KernelOp>(op)) {
      bool isKnown = collect(kernel);
      // td-form-kernels made it for the order that it has.
      if (kernel.getTransposition())
        fixed.insert(key(kernel.getResult(0)));
      for (Value value : getOuterValues(kernel)) {
        if (!isKnown)
          fixed.insert(key(value));
        else if (isImage(value))
          key(value);
      }
      return WalkResult::skip();
    } else {
      // All other ops expect tensors in row-major order.
      for (ValueRange values :
           {ValueRange(op->getOperands()), ValueRange(op->getResults())})
        for (Value value : values)
          if (isMatrix(value) && !isa<DimOp, ItemOp>(op))
            fixed.insert(key(value));
      for (Region &region : op->getRegions())
        for (Block &block : region)
          for (Value argument : block.getArguments())
            if (isMatrix(argument))
              fixed.insert(key(argument));
    }
    return WalkResult::advance();
  });
}

/// Ties values that a kernel reads and writes at the same coordinates, and
/// images with the same loops in each dim, because elementwise work, and
/// windows over images, are cheapest if they have one order. Fixed values are
/// not tied: a weight must not stay row-major because the values that it is
/// initialized from do.
void LayoutAssigner::tieElementwise() {
  for (Kernel &kernel : kernels)
    for (const Access &root : kernel.nest.getRoots())
      for (const Access &input : kernel.nest.getInputs()) {
        Value result = getResult(kernel, root.tensor),
              operand = outside(kernel.op, input.tensor);
        const Coordinates &at = kernel.position ? *kernel.position : *root.at;
        bool isAlike = at == *input.at ||
                       (isImage(operand) && haveSameOrder(at, *input.at));
        if (isAlike && !isFixed(key(result)) && !isFixed(key(operand)))
          tie(result, operand);
      }
}

Layout LayoutAssigner::getLayout(Value value) {
  Layout layout = getRowMajor(value);
  void *group = findGroup(value);
  if (!group)
    return layout;
  auto &order = layout.order;
  if (unsigned last = lastInMemory.lookup(group); last < order.size())
    std::rotate(order.end() - 1 - last, order.end() - last, order.end());
  if (blocked.contains(group))
    layout.block = lanes;
  return layout;
}

/// Whether the product reads images whose neighbouring terms are all on
/// different pages: those of a 1x1 convolution of large images, if channels are
/// not last.
bool LayoutAssigner::hasFarTerms(const Kernel &kernel,
                                 const Contraction &product) {
  constexpr int64_t kElementsOfPage = 1 << 10; // of 4 KB, as f32
  auto isFar = [&](const Access &factor) {
    Access source = kernel.nest.getSource(factor.tensor, *factor.at);
    if (!isa_and_present<BlockArgument>(source.tensor))
      return false;
    Value images = outside(kernel.op, source.tensor);
    if (!isImage(images) || ofSlots.contains(findGroup(images)))
      return false;
    auto shape = cast<RankedTensorType>(images.getType()).getShape();
    Layout layout = getLayout(images);
    int64_t distance = 1;
    for (int64_t dim : llvm::reverse(layout.order)) {
      if (getLoops((*source.at)[dim]) & toLoopSet(product.terms))
        return distance >= kElementsOfPage;
      // A size that is not known counts as 1.
      bool isBlock = layout.block && dim == layout.getLast();
      distance *= isBlock ? layout.block : std::max<int64_t>(shape[dim], 1);
    }
    return false;
  };
  return isFar(product.left) || isFar(product.right);
}

/// Whether the product multiplies one or two rows with a matrix in memory: it
/// takes as long as reading the matrix, in whatever order.
static bool isReadOnce(const LoopNest &nest, const Contraction &product) {
  constexpr int64_t kFewRows = 2;
  auto isFar = [&](const Access &factor, ArrayRef<unsigned> others) {
    Access source = nest.getSource(factor.tensor, *factor.at);
    return source.tensor && nest.estimateBytes(source) > cpu::kL3Bytes &&
           nest.estimatePositions(others) <= kFewRows;
  };
  return isFar(product.left, product.columns) ||
         isFar(product.right, product.rows);
}

double LayoutAssigner::getCost(ArrayRef<Kernel *> users) {
  double cost = 0;
  for (Kernel *kernel : users) {
    auto layoutOf = [&](Value inner) {
      bool isPart =
          kernel->position && inner == kernel->nest.getRoots().front().tensor;
      return getLayout(isPart ? kernel->op.getResult(0)
                              : outside(kernel->op, inner));
    };
    double own = planVectors(kernel->nest, layoutOf, lanes, /*serial=*/0,
                             cpu::kPanelBytes, cpu::kL2Bytes)
                     .cost;
    std::optional<Contraction> product = Contraction::get(kernel->nest);
    if (product && isReadOnce(kernel->nest, *product))
      continue;
    if (product && WinogradLoops::find(kernel->nest, *product, layoutOf, lanes))
      own *= WinogradLoops::kCost;
    if (product && hasFarTerms(*kernel, *product))
      own *= kFarTerms;
    cost += kernel->weight * own;
  }
  return cost;
}

/// The types of the group's tensors: they have the same rank, and other sizes.
SmallVector<RankedTensorType> LayoutAssigner::getMembers(void *leader) {
  llvm::SetVector<Type> types;
  for (Kernel *kernel : users[leader])
    for (Value value : getOuterValues(kernel->op))
      if (findGroup(value) == leader)
        types.insert(value.getType());
  return llvm::map_to_vector(
      types, [](Type type) { return cast<RankedTensorType>(type); });
}

void LayoutAssigner::findUsers() {
  for (Kernel &kernel : kernels)
    for (Value value : getOuterValues(kernel.op)) {
      void *group = findGroup(value);
      if (!isMatrix(value) || !group)
        continue;
      SmallVector<Kernel *> &known = users[group];
      if (known.empty() || known.back() != &kernel)
        known.push_back(&kernel);
    }
}

/// The groups of the weights that the kernels of the group read, too.
SmallVector<void *> LayoutAssigner::findWeights(void *leader) {
  llvm::SetVector<void *> weights;
  for (Kernel *kernel : users[leader])
    for (Value value : kernel->op.getInputs())
      if (void *group = findGroup(value); group && ofSlots.contains(group) &&
                                          !isFixed(group) &&
                                          users.contains(group))
        weights.insert(group);
  return weights.takeVector();
}

/// Chooses the layout of a group, and of one of images together with those of
/// the weights.
void LayoutAssigner::choose(void *leader) {
  auto found = users.find(leader);
  if (found == users.end())
    return;
  ArrayRef<Kernel *> kernels = found->second;
  bool hasImages = isOfImages(leader);
  SmallVector<void *> weights;
  if (hasImages)
    weights = findWeights(leader);
  auto setLayout = [&](unsigned last, bool isBlocked) {
    lastInMemory[leader] = last;
    blocked.erase(leader);
    if (isBlocked)
      blocked.insert(leader);
  };
  auto tryLayout = [&](unsigned last, bool isBlocked) {
    setLayout(last, isBlocked);
    for (void *weight : weights)
      choose(weight);
    return getCost(kernels);
  };
  auto type =
      cast<RankedTensorType>(Value::getFromOpaquePointer(leader).getType());
  // The cost of lanes along a run-time dim is unknown, so activations that have
  // one stay row-major.
  if (!hasImages && !ofSlots.contains(leader) && !type.hasStaticShape())
    return;
  double least = INFINITY;
  std::pair<unsigned, bool> best;
  for (unsigned last = 0; last < unsigned(type.getRank()); ++last) {
    lastInMemory[leader] = last;
    // Images that are not row-major are in blocks if they may be.
    bool isBlocked = hasImages && last > 0 && mayBeBlocked(leader);
    if (hasImages && last > 0 && !isBlocked && sharesSets(leader))
      continue;
    if (double cost = tryLayout(last, isBlocked); cost < least) {
      least = cost;
      best = {last, isBlocked};
    }
  }
  // The layouts of the weights are chosen after those of all images.
  setLayout(best.first, best.second);
  if (ofSlots.contains(leader) && mayBeBlocked(leader) &&
      tryLayout(best.first, /*isBlocked=*/true) > least)
    setLayout(best.first, /*isBlocked=*/false);
}

/// Whether neighbours along the other dims may be in few sets of the nearest
/// cache, because the size of the last dim is unknown or a multiple of a large
/// power of two.
bool LayoutAssigner::sharesSets(void *leader) {
  constexpr int64_t kElements = 128;
  int64_t last = getLayout(Value::getFromOpaquePointer(leader)).getLast();
  return llvm::any_of(getMembers(leader), [&](RankedTensorType type) {
    int64_t size = type.getDimSize(last);
    return ShapedType::isDynamic(size) || size % kElements == 0;
  });
}

/// Whether blocks divide the last dim, sizes are known (of images, except that
/// of the outermost dim) and not 0, no kernel writes to a shifted position of
/// the last dim, and a slot has no other use that costs more than blocks save.
bool LayoutAssigner::mayBeBlocked(void *leader) {
  bool isOfSlot = ofSlots.contains(leader);
  Layout layout = getLayout(Value::getFromOpaquePointer(leader));
  int64_t last = layout.getLast();
  auto mayHaveBlocks = [&](RankedTensorType type) {
    auto isKnown = [&](int64_t dim) { return !type.isDynamicDim(dim); };
    ArrayRef<int64_t> known(layout.order);
    return llvm::all_of(isOfSlot ? known : known.drop_front(), isKnown) &&
           type.getDimSize(last) % lanes == 0 &&
           !llvm::is_contained(type.getShape(), 0);
  };
  auto isShifted = [&](Kernel *kernel) {
    return kernel->position && findGroup(kernel->op.getResult(0)) == leader &&
           getLoop((*kernel->position)[last]) < 0;
  };
  return llvm::all_of(getMembers(leader), mayHaveBlocks) &&
         llvm::none_of(users[leader], isShifted) &&
         (!isOfSlot || mayBeBlockedInSlot(leader));
}

/// Whether only products read the tensors of the group, none with its terms
/// along a block, and only elementwise kernels outside of loops write them. Any
/// other use of a blocked slot costs more than products save: with the terms
/// along a block, each row is read in pieces that are far apart in memory.
bool LayoutAssigner::mayBeBlockedInSlot(void *leader) {
  bool isFactor = false;
  int64_t last = getLayout(Value::getFromOpaquePointer(leader)).getLast();
  for (Kernel *kernel : users[leader]) {
    if (llvm::any_of(kernel->op.getResults(), [&](Value result) {
          return findGroup(result) == leader;
        })) {
      if (kernel->weight > 1 || !kernel->nest.getReductions().empty())
        return false;
      continue;
    }
    std::optional<Contraction> product = Contraction::get(kernel->nest);
    auto isMemberInside = [&](Value inner) {
      return isa<BlockArgument>(inner) &&
             findGroup(outside(kernel->op, inner)) == leader;
    };
    auto isRead = [&](const Access &factor) {
      Value source = kernel->nest.getSource(factor.tensor, *factor.at).tensor;
      return source && isMemberInside(source);
    };
    if (!product || isRead(product->left) == isRead(product->right))
      return false;
    auto reads = llvm::make_filter_range(
        kernel->nest.getInputs(),
        [&](const Access &input) { return isMemberInside(input.tensor); });
    if (!llvm::hasSingleElement(reads) ||
        getLoops((*(*reads.begin()).at)[last]) & toLoopSet(product->terms))
      return false;
    isFactor = true;
  }
  return isFactor;
}

void LayoutAssigner::annotate() {
  Builder builder(module.getContext());
  // A kernel with several parts gets the same attribute several times.
  for (Kernel &kernel : kernels) {
    SmallVector<Attribute> layouts;
    bool isDefault = true;
    auto add = [&](Value value) {
      Layout layout;
      if (isa<RankedTensorType>(value.getType())) {
        layout = getLayout(value);
        isDefault &= layout == getRowMajor(value);
      }
      layouts.push_back(builder.getDenseI64ArrayAttr(layout.toAttribute()));
    };
    llvm::for_each(getOuterValues(kernel.op), add);
    if (!isDefault)
      kernel.op->setAttr("layouts", builder.getArrayAttr(layouts));
  }
  for (auto slot : module.getOps<SlotOp>()) {
    Value value = slots.lookup(FlatSymbolRefAttr::get(slot.getSymNameAttr()));
    if (!value)
      continue;
    Layout layout = getLayout(value);
    if (layout != getRowMajor(value))
      slot->setAttr("layout",
                    builder.getDenseI64ArrayAttr(layout.toAttribute()));
  }
}

namespace {

/// Kernels that copy what other ops write to slots, so that the slots may have
/// an order of their own: a weight that the program loads on its own, say.
class SlotCopies {
public:
  explicit SlotCopies(ModuleOp module) {
    module.walk([&](WriteOp write) {
      Value value = write.getValue();
      auto type = cast<RankedTensorType>(value.getType());
      if (!value.getDefiningOp<KernelOp>() && isMatrix(value) &&
          type.hasStaticShape() && getPlace(value).kind != Place::Kind::Cuda &&
          !write->getParentOfType<LoopLikeOpInterface>())
        copy(write);
    });
  }

  /// Erases the copies to slots that stayed row-major.
  void eraseNeedless() {
    for (KernelOp kernel : kernels)
      if (!kernel->hasAttr("layouts")) {
        kernel->replaceAllUsesWith(kernel.getInputs());
        kernel.erase();
      }
  }

private:
  void copy(WriteOp write) {
    OpBuilder b(write);
    Location loc = write.getLoc();
    Value value = write.getValue();
    auto kernel = KernelOp::create(b, loc, value.getType(), value,
                                   /*sizes=*/ValueRange());
    Block &body = kernel.getBody().emplaceBlock();
    Value read = body.addArgument(value.getType(), loc);
    b.setInsertionPointToEnd(&body);
    YieldOp::create(b, loc, read);
    write.getValueMutable().assign(kernel.getResult(0));
    kernels.push_back(kernel);
  }

  SmallVector<KernelOp> kernels;
};

struct AssignLayoutsPass : impl::AssignLayoutsPassBase<AssignLayoutsPass> {
  using AssignLayoutsPassBase::AssignLayoutsPassBase;

  void runOnOperation() override {
    SlotCopies copies(getOperation());
    LayoutAssigner(getOperation(), lanes).run();
    copies.eraseNeedless();
  }
};
} // namespace
} // namespace tdc::td
