//===- MergeLaunches.cpp - merges launches of one kernel ------------------===//
//
// The step of an optimizer launches one kernel for every parameter. This pass
// merges such launches: it chooses them and moves ops where needed.
// MergedKernel makes the kernel that does their work.
//
//===----------------------------------------------------------------------===//

#include "CodeGen/KernelOutlining.h"
#include "Conversion/KernelToGPU.h"
#include "Dialect/TD/IR/Views.h"
#include "MergedKernel.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace tdc::td;

namespace tdc {
#define GEN_PASS_DEF_MERGELAUNCHESPASS
#include "Conversion/Passes.h.inc"

namespace {

bool needsDeviceMemory(Value value) {
  return isa<HandleType>(value.getType()) ||
         (isa<RankedTensorType>(value.getType()) &&
          getPlace(value).kind == Place::Kind::Cuda);
}

/// Whether all results go to slots: then the launch needs no memory of its own.
bool updatesState(LaunchOp launch) {
  return llvm::all_of(launch.getResults(), [&](Value result) {
    return llvm::any_of(result.getUsers(), [&](Operation *user) {
      return isa<WriteOp>(user) && user->getBlock() == launch->getBlock();
    });
  });
}

/// Whether launches may not move past the op. Then a move needs no memory:
/// values that it keeps live longer were live at the first launch already, and
/// new values are stored in slots.
bool endsRun(Operation &op) {
  if (auto launch = dyn_cast<LaunchOp>(op); launch && launch.isOnGPU())
    return !updatesState(launch);
  if (isView(&op) || isa<NextRandomOp, ReadOp, WriteOp>(op))
    return false;
  return op.getNumRegions() || !isMemoryEffectFree(&op) ||
         llvm::any_of(op.getResults(), needsDeviceMemory);
}

/// Ops of a run that must stay after some launches.
class Followers {
public:
  void addLaunch(LaunchOp launch) {
    ops.insert(launch);
    for (Value input : launch.getInputs())
      if (auto read = getRoot(input).getDefiningOp<ReadOp>())
        slotsRead.insert(read.getSlotAttr().getAttr());
  }
  void add(Operation *op) {
    ops.insert(op);
    if (auto launch = dyn_cast<LaunchOp>(op))
      return addLaunch(launch);
    if (auto user = dyn_cast<SlotUser>(op)) {
      slotsRead.insert_range(user.getReadSlots());
      slotsWritten.insert_range(user.getWrittenSlots());
    }
  }
  /// Whether `op`, which follows all of these, must stay after them: it uses
  /// their results, reads or writes a slot that they write, or writes a slot
  /// that they read.
  bool contains(Operation *op) const {
    if (llvm::any_of(op->getOperands(), [&](Value operand) {
          return ops.contains(operand.getDefiningOp());
        }))
      return true;
    auto user = dyn_cast<SlotUser>(op);
    if (!user)
      return false;
    return llvm::any_of(
               user.getReadSlots(),
               [&](StringAttr slot) { return slotsWritten.contains(slot); }) ||
           llvm::any_of(user.getWrittenSlots(), [&](StringAttr slot) {
             return slotsWritten.contains(slot) || slotsRead.contains(slot);
           });
  }

private:
  llvm::DenseSet<Operation *> ops;
  llvm::DenseSet<StringAttr> slotsRead, slotsWritten;
};

class LaunchMerger {
public:
  explicit LaunchMerger(ModuleOp module)
      : module(module), code(module.lookupSymbol<ModuleOp>(kGPUCode)) {}

  void run();

private:
  /// Merges launches of a run; `ops` are in program order.
  void runOn(SmallVector<Operation *> ops);
  /// Merges the launch at `first` with the launches that can join it; returns
  /// whether there are any.
  bool merge(SmallVector<Operation *> &ops, size_t first);
  bool canMerge(LaunchOp launch);
  LaunchOp launchMerged(ArrayRef<LaunchOp> members, const MergedLayout &layout);
  void eraseUnused();

  ModuleOp module, code;
  KernelLibrary library;
};

} // namespace

bool LaunchMerger::canMerge(LaunchOp launch) {
  if (!launch || !launch.isOnGPU() || launch.getStartsAs())
    return false;
  auto kernel = module.lookupSymbol<GPUKernelOp>(launch.getCallee());
  auto function = code.lookupSymbol<LLVM::LLVMFuncOp>(launch.getCallee());
  if (function.getNumArguments() != kernel.getParameters())
    return false; // already merged
  // A kernel with loops in strides of the grid needs the size of its own grid.
  return !function
              .walk([](NVVM::GridDimXOp) { return WalkResult::interrupt(); })
              .wasInterrupted();
}

bool LaunchMerger::merge(SmallVector<Operation *> &ops, size_t first) {
  SmallVector<LaunchOp> members = {cast<LaunchOp>(ops[first])};
  MergedLayout layout(members.front());
  Followers followers;
  followers.addLaunch(members.front());
  SmallVector<Operation *> between,
      after; // ops before and after the merged launch
  size_t last = first, numBetween = 0, numAfter = 0;
  for (size_t i = first + 1; i < ops.size(); ++i) {
    auto launch = dyn_cast<LaunchOp>(ops[i]);
    if (followers.contains(ops[i])) {
      followers.add(ops[i]);
      after.push_back(ops[i]);
    } else if (launch && layout.isAlike(launch)) {
      if (!layout.add(launch))
        break;
      followers.addLaunch(launch);
      members.push_back(launch);
      last = i;
      numBetween = between.size();
      numAfter = after.size();
    } else {
      between.push_back(ops[i]);
    }
  }
  if (members.size() == 1)
    return false;

  after.resize(numAfter);
  between.resize(numBetween);
  Operation *at = launchMerged(members, layout);
  SmallVector<Operation *> order(ops.begin(), ops.begin() + first);
  llvm::append_range(order, between);
  order.push_back(at);
  for (Operation *op : after) {
    op->moveAfter(at);
    at = op;
    order.push_back(op);
  }
  order.append(ops.begin() + last + 1, ops.end());
  ops = std::move(order);
  return true;
}

LaunchOp LaunchMerger::launchMerged(ArrayRef<LaunchOp> members,
                                    const MergedLayout &layout) {
  LaunchOp first = members.front();
  Location loc = first.getLoc();
  OpBuilder b(members.back());
  SmallVector<Value> inputs, sizes;
  for (auto [i, input] : llvm::enumerate(first.getInputs()))
    if (layout.isShared(i))
      inputs.push_back(input);
  Value blocks = arith::ConstantIntOp::create(b, loc, 0, 64);
  for (LaunchOp member : members) {
    inputs.push_back(blocks);
    blocks = b.createOrFold<arith::AddIOp>(loc, blocks, member.getBlocks());
  }
  SmallVector<Type> types;
  SmallVector<int64_t> inPlace;
  for (LaunchOp member : members) {
    llvm::DenseMap<int64_t, int64_t> numbers;
    for (auto [i, input] : llvm::enumerate(member.getInputs()))
      if (!layout.isShared(i)) {
        numbers[i] = inputs.size();
        inputs.push_back(input);
      }
    ArrayRef<int64_t> pairs = member.getInPlace();
    for (size_t i = 0; i < pairs.size(); i += 2) {
      inPlace.push_back(numbers.at(pairs[i]));
      inPlace.push_back(types.size() + pairs[i + 1]);
    }
    llvm::append_range(types, member.getResultTypes());
    llvm::append_range(sizes, member.getSizes());
  }

  auto body = code.lookupSymbol<LLVM::LLVMFuncOp>(first.getCallee());
  auto kernel = module.lookupSymbol<GPUKernelOp>(first.getCallee());
  LLVM::LLVMFuncOp made =
      makeMergedKernel(body, layout,
                       (first.getCallee() + "_x" + Twine(members.size()) + "_" +
                        Twine(library.size()))
                           .str());
  LLVM::LLVMFuncOp function =
      library.share(made, kernel.getReports() || kernel.getWatches());
  if (function == made) {
    OpBuilder declarations(kernel);
    GPUKernelOp::create(declarations, kernel.getLoc(), function.getSymName(),
                        kernel.getThreads(), kernel.getShared(),
                        layout.countWords(), kernel.getReports(),
                        kernel.getWatches());
  }
  auto merged =
      LaunchOp::create(b, loc, types, function.getSymName(), inputs, sizes,
                       blocks, /*work=*/IntegerAttr(),
                       /*scratch=*/false, inPlace, DenseI64ArrayAttr());
  ResultRange results = merged.getResults();
  for (LaunchOp member : members) {
    member.replaceAllUsesWith(results.take_front(member.getNumResults()));
    results = results.drop_front(member.getNumResults());
    member.erase();
  }
  return merged;
}

void LaunchMerger::runOn(SmallVector<Operation *> ops) {
  for (size_t i = 0; i < ops.size();)
    if (!canMerge(dyn_cast<LaunchOp>(ops[i])) || !merge(ops, i))
      ++i;
}

/// Erases kernels that are launched only by merged launches.
void LaunchMerger::eraseUnused() {
  llvm::DenseSet<StringAttr> used;
  module.walk(
      [&](LaunchOp launch) { used.insert(launch.getCalleeAttr().getAttr()); });
  for (auto kernel : llvm::make_early_inc_range(module.getOps<GPUKernelOp>()))
    if (!used.contains(kernel.getSymNameAttr())) {
      code.lookupSymbol(kernel.getSymName())->erase();
      kernel.erase();
    }
}

void LaunchMerger::run() {
  if (!code)
    return;
  SmallVector<SmallVector<Operation *>> runs;
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op == code)
      return WalkResult::skip();
    for (Region &region : op->getRegions())
      for (Block &block : region) {
        runs.emplace_back();
        for (Operation &inner : block)
          if (endsRun(inner))
            runs.emplace_back();
          else
            runs.back().push_back(&inner);
      }
    return WalkResult::advance();
  });
  for (SmallVector<Operation *> &ops : runs)
    runOn(std::move(ops));
  eraseUnused();
}

namespace {
struct MergeLaunchesPass : impl::MergeLaunchesPassBase<MergeLaunchesPass> {
  void runOnOperation() override { LaunchMerger(getOperation()).run(); }
};
} // namespace
} // namespace tdc
