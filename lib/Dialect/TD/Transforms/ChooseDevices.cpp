//===- ChooseDevices.cpp - td-choose-devices: ops where they save bytes ---===//
//
// Stone's assignment of modules to two processors by minimum cut (H. S. Stone,
// "Multiprocessor scheduling with the aid of network flow algorithms", IEEE
// Trans. Software Eng. 3, 1977), with copies that are shared and control flow:
// the network of td-place, in which the ops that may move have a variable of
// their own. An op on the cpu wants its operands there and gives its result
// there.
//
//===----------------------------------------------------------------------===//

#include "Dialect/TD/Analysis/Frequencies.h"
#include "Dialect/TD/Analysis/MinCut.h"
#include "Dialect/TD/Analysis/TOps.h"
#include "Dialect/TD/Analysis/ValueFlow.h"
#include "Dialect/TD/Transforms/Passes.h"
#include "PlacementRemarks.h"
#include "llvm/ADT/SetVector.h"

namespace tdc::td {
#define GEN_PASS_DEF_TDCHOOSEDEVICESPASS
#include "Dialect/TD/Transforms/Passes.h.inc"
} // namespace tdc::td

using namespace mlir;

namespace tdc::td {
namespace {

int64_t bytesOf(Value value) {
  return estimateBytes(cast<RankedTensorType>(value.getType()));
}

/// What a value was before it was taken somewhere.
Value getContent(Value value) {
  while (auto transfer = value.getDefiningOp<ToDeviceOp>())
    value = transfer.getInput();
  return value;
}

//===----------------------------------------------------------------------===//
// Which ops may move
//===----------------------------------------------------------------------===//

/// Whether it is known how often each op runs.
bool isProfileExact(ModuleOp module) {
  return !module
              .walk([](Operation *op) {
                bool isUnknown = isa<scf::IfOp, scf::WhileOp>(op) ||
                                 (isa<scf::ForOp>(op) && !getTripCount(op));
                return isUnknown ? WalkResult::interrupt()
                                 : WalkResult::advance();
              })
              .wasInterrupted();
}

/// Whether the op, what it reads and the one op that reads its result run
/// together: then a move saves bytes on every run or on none.
bool isLocal(Operation *op) {
  Value result = op->getResult(0);
  while (result.hasOneUse() && isa<ToDeviceOp>(*result.user_begin()))
    result = result.user_begin()->getResult(0);
  if (!result.hasOneUse() ||
      result.user_begin()->getBlock() != op->getBlock() ||
      !result.user_begin()->hasTrait<ComputeOp>())
    return false;
  return llvm::all_of(op->getOperands(), [&](Value operand) {
    if (!isa<RankedTensorType>(operand.getType()))
      return true;
    Value content = getContent(operand);
    return content.getParentBlock() == op->getBlock() &&
           content.getDefiningOp() && llvm::hasSingleElement(operand.getUses());
  });
}

/// A part of a tensor is not worth the whole of it: what makes less of its
/// operand stays where that is, or goes there.
bool shrinksAtHome(Operation *op) {
  for (Value operand : op->getOperands()) {
    if (!isa<RankedTensorType>(operand.getType()))
      continue;
    Value content = getContent(operand);
    if (bytesOf(content) > bytesOf(op->getResult(0)) &&
        cast<RankedTensorType>(content.getType()).getEncoding() ==
            cast<RankedTensorType>(op->getResult(0).getType()).getEncoding())
      return true;
  }
  return false;
}

//===----------------------------------------------------------------------===//
// The cut
//===----------------------------------------------------------------------===//

class DeviceChooser {
public:
  DeviceChooser(const ValueFlow &flow, ArrayRef<Operation *> movable)
      : flow(flow), movable(movable) {
    for (unsigned node = 0; node != flow.nodes.size(); ++node)
      if (Operation *op = flow.nodes[node].mover)
        results[op].push_back(node);
    llvm::DenseSet<Operation *> isMovable(movable.begin(), movable.end());
    for (const FlowUse &use : flow.uses)
      if (isMovable.contains(use.op))
        operands[use.op].push_back(use.node);
    findUseful();
  }

  /// The ops that are to run on the cpu; the others run on the other device.
  llvm::DenseSet<Operation *> run() {
    MinCut cut;
    for (unsigned node = 0; node != flow.nodes.size(); ++node)
      if (isUseful[node]) {
        onCpu[node] = cut.addNode();
        notOnGpu[node] = cut.addNode();
        addNode(cut, node);
      }
    for (auto [i, edge] : llvm::enumerate(flow.edges))
      if (edge.moves && isUseful[edge.from] && isUseful[edge.to]) {
        Capacity cost = {flow.getCopyCost(i), 1 << 10};
        cut.addEdge(onCpu[edge.to], onCpu[edge.from], cost);
        cut.addEdge(notOnGpu[edge.from], notOnGpu[edge.to], cost);
      }
    llvm::DenseMap<Operation *, MinCut::Node> choices;
    for (Operation *op : movable) {
      MinCut::Node choice = choices[op] = cut.addNode();
      addOp(cut, op, choice);
    }
    cut.solve();
    llvm::DenseSet<Operation *> result;
    for (Operation *op : movable)
      if (cut.isOnSourceSide(choices[op]))
        result.insert(op);
    return result;
  }

private:
  void findUseful() {
    isUseful.assign(flow.nodes.size(), false);
    SmallVector<unsigned> worklist;
    auto mark = [&](unsigned node) {
      if (!isUseful[node]) {
        isUseful[node] = true;
        worklist.push_back(node);
      }
    };
    for (unsigned node = 0; node != flow.nodes.size(); ++node)
      if (flow.nodes[node].needs || flow.nodes[node].needsShape)
        mark(node);
    while (!worklist.empty()) {
      unsigned node = worklist.pop_back_val();
      for (unsigned edge : flow.nodes[node].in)
        if (flow.edges[edge].moves)
          mark(flow.edges[edge].from);
      if (Operation *op = flow.nodes[node].mover)
        llvm::for_each(operands[op], mark);
    }
  }

  void addNode(MinCut &cut, unsigned node) {
    const FlowNode &info = flow.nodes[node];
    cut.addEdge(notOnGpu[node], onCpu[node], Capacity::infinite());
    if (info.home) {
      cut.fix(onCpu[node], *info.home == 0);
      cut.fix(notOnGpu[node], *info.home == 0);
    }
    if (info.needs & deviceBit(0))
      cut.fix(onCpu[node], true);
    if (info.needs & ~deviceBit(0))
      cut.fix(notOnGpu[node], false);
  }

  void addOp(MinCut &cut, Operation *op, MinCut::Node choice) {
    Place own = getPlace(cast<RankedTensorType>(op->getResult(0).getType()));
    // Where nothing is saved it stays where the program has it.
    if (own == getCpu())
      cut.addEdge(MinCut::source, choice, {0, 1});
    else
      cut.addEdge(choice, MinCut::sink, {0, 1});
    auto tie = [&](MinCut::Node a, MinCut::Node b) {
      cut.addEdge(a, b, Capacity::infinite());
      cut.addEdge(b, a, Capacity::infinite());
    };
    for (unsigned node : results[op])
      if (isUseful[node]) {
        tie(choice, onCpu[node]);
        tie(choice, notOnGpu[node]);
      }
    for (unsigned node : operands[op])
      if (isUseful[node]) {
        cut.addEdge(choice, onCpu[node], Capacity::infinite());
        cut.addEdge(notOnGpu[node], choice, Capacity::infinite());
      }
  }

  const ValueFlow &flow;
  ArrayRef<Operation *> movable;
  llvm::DenseMap<Operation *, SmallVector<unsigned, 2>> results, operands;
  std::vector<bool> isUseful;
  llvm::DenseMap<unsigned, MinCut::Node> onCpu, notOnGpu;
};

struct ChooseDevicesPass
    : public impl::TDChooseDevicesPassBase<ChooseDevicesPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (!needsPlacement(module) || areTOpsFixed(module))
      return;
    bool isExact = isProfileExact(module);
    llvm::SetVector<Operation *> movable;
    module.walk([&](Operation *op) {
      if (isTOp(op) && !shrinksAtHome(op) && (isExact || isLocal(op)))
        movable.insert(op);
    });
    ValueFlow flow(module, [&](Operation *op) { return movable.contains(op); });
    // One cut separates two devices.
    if (flow.devices.size() != 2 || movable.empty())
      return;
    llvm::DenseSet<Operation *> onCpu =
        DeviceChooser(flow, movable.getArrayRef()).run();
    // From the last on: what an op's result is taken for is known then.
    for (Operation *op : llvm::reverse(movable))
      move(op, flow.devices.getPlace(onCpu.contains(op) ? 0 : 1));
  }

  /// The op runs at `place`; what it reads and gives is brought.
  void move(Operation *op, const Place &place) {
    Value result = op->getResult(0);
    auto type = cast<RankedTensorType>(result.getType());
    if (getPlace(type) == place)
      return;
    int64_t saved = bytesOf(result);
    for (Value operand : op->getOperands())
      if (isa<RankedTensorType>(operand.getType()))
        saved -= bytesOf(operand);
    remarkMovedOp(op, getPlace(type), place, saved);
    // Operands cross instead of the result: if the program writes that this
    // does, it writes that they do.
    bool isWritten = llvm::any_of(result.getUsers(), [&](Operation *user) {
      auto copy = dyn_cast<ToDeviceOp>(user);
      return copy && !copy.getImplied() && getPlace(copy.getType()) == place;
    });
    OpBuilder builder(op);
    auto bring = [&](Value value, RankedTensorType to, bool isImplied) {
      return ToDeviceOp::create(builder, op->getLoc(), to, value, isImplied,
                                /*kept=*/false);
    };
    for (OpOperand &operand : op->getOpOperands())
      if (auto from = dyn_cast<RankedTensorType>(operand.get().getType()))
        operand.set(bring(operand.get(), withPlace(from, place), !isWritten));
    result.setType(withPlace(type, place));
    builder.setInsertionPointAfter(op);
    Value back = bring(result, type, /*isImplied=*/true);
    result.replaceAllUsesExcept(back, back.getDefiningOp());
  }
};

} // namespace
} // namespace tdc::td
