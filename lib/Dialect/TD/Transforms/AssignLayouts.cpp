//===- AssignLayouts.cpp - the order of dims in memory --------------------===//
//
// PyTorch's Linear keeps its weight as [out, in], and y = x @ weight.T needs
// the out dim contiguous, because the lanes of a vector run along it; so does a
// convolution with its weight [out, in, height, width]. Only files and prints
// can observe the order of a slot's dims in memory, so every slot, with its
// moments and gradients, gets the order for which the kernels that use it cost
// least.
//
//===----------------------------------------------------------------------===//

#include "Dialect/TD/Analysis/Kernels/Contraction.h"
#include "Dialect/TD/Analysis/Kernels/Vectorization.h"
#include "Dialect/TD/Transforms/Passes.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include <algorithm>
#include <cmath>

using namespace mlir;

namespace tdc::td {
#define GEN_PASS_DEF_ASSIGNLAYOUTSPASS
#include "Dialect/TD/Transforms/Passes.h.inc"

namespace {

/// A loop around a kernel counts as this many runs of it.
constexpr double kLoopWeight = 10;

/// Whether another order of dims changes the order of elements.
bool isMatrix(Value tensor) {
  auto type = dyn_cast<RankedTensorType>(tensor.getType());
  return type && type.getRank() >= 2 &&
         llvm::count_if(type.getShape(),
                        [](int64_t dim) { return dim != 1; }) >= 2;
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
    for (auto &group : groups)
      if (group->isLeader() && !isFixed(group->getData()))
        choose(group->getData());
    annotate();
  }

private:
  struct Kernel {
    KernelOp op;
    LoopNest nest;
    double weight;
  };

  void collect();
  void tieElementwise();
  void findUsers();
  void tie(Value a, Value b) { groups.unionSets(key(a), key(b)); }
  void *key(Value value) {
    void *pointer = value.getAsOpaquePointer();
    groups.insert(pointer);
    return pointer;
  }
  void *getGroup(void *member) { return groups.getLeaderValue(member); }
  /// Valid after collect(), since groups that are tied later are not fixed.
  bool isFixed(void *member) { return fixedGroups.contains(getGroup(member)); }
  /// Returns the value outside of a kernel for an argument or yielded value of
  /// it.
  Value outside(KernelOp kernel, Value inner);
  Layout getLayout(Value value);
  double getCost(ArrayRef<Kernel *> users);
  void choose(void *leader);
  bool mayBeBlocked(void *leader);
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
  llvm::DenseMap<Attribute, Value> slots; ///< a value of each slot
};

} // namespace

Value LayoutAssigner::outside(KernelOp kernel, Value inner) {
  if (auto argument = dyn_cast<BlockArgument>(inner))
    return kernel.getInputs()[argument.getArgNumber()];
  auto yielded = kernel.getBody().front().getTerminator()->getOperands();
  return kernel.getResult(llvm::find(yielded, inner) - yielded.begin());
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
      Block &body = kernel.getBody().front();
      SmallVector<Value> roots(body.getTerminator()->getOperands());
      FailureOr<LoopNest> nest = LoopNest::getOfKernel(roots);
      // GPU kernels expect row-major tensors: they move matrices through shared
      // memory where that is the wrong order.
      if (kernel.isOnGPU() || failed(nest) ||
          llvm::any_of(body,
                       [](Operation &inner) { return isa<UpdateOp>(inner); })) {
        for (ValueRange values :
             {ValueRange(kernel.getInputs()), ValueRange(kernel.getResults())})
          for (Value value : values)
            fixed.insert(key(value));
        return WalkResult::skip();
      }
      double weight = 1;
      for (Operation *parent = kernel->getParentOp(); parent;
           parent = parent->getParentOp())
        if (isa<LoopLikeOpInterface>(parent))
          weight *= kLoopWeight;
      kernels.push_back({kernel, std::move(*nest), weight});
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

/// Ties values that a kernel reads and writes at the same coordinates, because
/// elementwise work is cheapest if they have one order. Fixed values are not
/// tied: a weight must not stay row-major because the values that it is
/// initialized from do.
void LayoutAssigner::tieElementwise() {
  for (Kernel &kernel : kernels)
    for (const Access &root : kernel.nest.getRoots())
      for (const Access &input : kernel.nest.getInputs()) {
        Value result = outside(kernel.op, root.tensor),
              operand = outside(kernel.op, input.tensor);
        if (*root.at == *input.at && !isFixed(key(result)) &&
            !isFixed(key(operand)))
          tie(result, operand);
      }
}

Layout LayoutAssigner::getLayout(Value value) {
  Layout layout = getRowMajor(value);
  auto known = groups.findLeader(value.getAsOpaquePointer());
  if (known == groups.member_end())
    return layout;
  auto &order = layout.order;
  if (unsigned last = lastInMemory.lookup(*known); last < order.size())
    std::rotate(order.end() - 1 - last, order.end() - last, order.end());
  if (blocked.contains(*known))
    layout.block = lanes;
  return layout;
}

double LayoutAssigner::getCost(ArrayRef<Kernel *> users) {
  double cost = 0;
  for (Kernel *kernel : users)
    cost +=
        kernel->weight *
        planVectors(
            kernel->nest,
            [&](Value inner) { return getLayout(outside(kernel->op, inner)); },
            lanes, /*serial=*/0, cpu::kPanelBytes, cpu::kL2Bytes)
            .cost;
  return cost;
}

void LayoutAssigner::findUsers() {
  for (Kernel &kernel : kernels)
    for (ValueRange values : {ValueRange(kernel.op.getInputs()),
                              ValueRange(kernel.op.getResults())})
      for (Value value : values) {
        auto group = groups.findLeader(value.getAsOpaquePointer());
        if (!isMatrix(value) || group == groups.member_end())
          continue;
        SmallVector<Kernel *> &known = users[*group];
        if (known.empty() || known.back() != &kernel)
          known.push_back(&kernel);
      }
}

void LayoutAssigner::choose(void *leader) {
  ArrayRef<Kernel *> kernels = users[leader];
  if (kernels.empty())
    return;
  auto type =
      cast<RankedTensorType>(Value::getFromOpaquePointer(leader).getType());
  double least = getCost(kernels);
  unsigned best = 0;
  for (unsigned last = 1; last < unsigned(type.getRank()); ++last) {
    lastInMemory[leader] = last;
    if (double cost = getCost(kernels); cost < least) {
      least = cost;
      best = last;
    }
  }
  lastInMemory[leader] = best;
  if (!mayBeBlocked(leader))
    return;
  blocked.insert(leader);
  if (getCost(kernels) > least)
    blocked.erase(leader);
}

/// Whether only products read the tensors of the group, and only elementwise
/// kernels outside of loops write them. Any other use of a blocked layout costs
/// more than products save.
bool LayoutAssigner::mayBeBlocked(void *leader) {
  Value value = Value::getFromOpaquePointer(leader);
  auto type = cast<RankedTensorType>(value.getType());
  if (!type.hasStaticShape() || type.getNumElements() == 0 ||
      type.getDimSize(getLayout(value).getLast()) % lanes != 0)
    return false;
  bool isFactor = false;
  for (Kernel *kernel : users[leader]) {
    auto isMember = [&](Value outer) {
      auto group = groups.findLeader(outer.getAsOpaquePointer());
      return group != groups.member_end() && *group == leader;
    };
    if (llvm::any_of(kernel->op.getResults(), isMember)) {
      if (kernel->weight > 1 || !kernel->nest.getReductions().empty())
        return false;
      continue;
    }
    std::optional<Contraction> product = Contraction::get(kernel->nest);
    auto isMemberInside = [&](Value inner) {
      return isa<BlockArgument>(inner) && isMember(outside(kernel->op, inner));
    };
    auto isRead = [&](const Access &factor) {
      Value source = kernel->nest.getSource(factor.tensor, *factor.at).tensor;
      return source && isMemberInside(source);
    };
    if (!product ||
        llvm::count_if(kernel->nest.getInputs(),
                       [&](const Access &input) {
                         return isMemberInside(input.tensor);
                       }) != 1 ||
        isRead(product->left) == isRead(product->right))
      return false;
    isFactor = true;
  }
  return isFactor;
}

void LayoutAssigner::annotate() {
  Builder builder(module.getContext());
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
    llvm::for_each(kernel.op.getInputs(), add);
    llvm::for_each(kernel.op.getResults(), add);
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
