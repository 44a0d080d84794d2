//===- DeviceCut.cpp - the cheapest devices for ops -----------------------===//

#include "DeviceCut.h"
#include "Dialect/TD/Analysis/Placement/OpCosts.h"

using namespace mlir;

namespace tdc::td {

DeviceCut::DeviceCut(const ValueFlow &flow, ArrayRef<FreeOp> ops)
    : flow(flow), ops(ops) {
  for (unsigned node = 0; node != flow.nodes.size(); ++node)
    if (Operation *op = flow.nodes[node].mover)
      results[op].push_back(node);
  for (const FreeOp &free : ops)
    operands[free.op];
  for (const FlowUse &use : flow.uses)
    if (auto found = operands.find(use.op); found != operands.end())
      found->second.push_back(use.node);
}

SmallVector<DeviceSet> DeviceCut::solve() {
  for (unsigned node = 0; node != flow.nodes.size(); ++node)
    if (flow.nodes[node].isRead)
      addNode(node);
  for (auto [i, edge] : llvm::enumerate(flow.edges))
    if (edge.moves && flow.nodes[edge.from].isRead &&
        flow.nodes[edge.to].isRead) {
      Capacity cost = flow.getCopyCost(i);
      cut.addEdge(onCpu[edge.to], onCpu[edge.from], cost);
      cut.addEdge(notOnGpu[edge.from], notOnGpu[edge.to], cost);
    }
  for (const FreeOp &free : ops)
    addOp(free);
  cut.solve();
  return llvm::map_to_vector(ops, [&](const FreeOp &free) {
    DeviceSet devices = 0;
    if (auto choice = runsOnCpu.find(free.op); choice != runsOnCpu.end()) {
      if (cut.isOnSourceSide(choice->second))
        devices |= deviceBit(0);
      if (!cut.isOnSourceSide(runsNotOnGpu[free.op]))
        devices |= deviceBit(1);
    }
    return devices;
  });
}

void DeviceCut::addNode(unsigned node) {
  const FlowNode &info = flow.nodes[node];
  MinCut::Node x = onCpu[node] = cut.addNode();
  MinCut::Node y = notOnGpu[node] = cut.addNode();
  cut.addEdge(y, x, Capacity::infinite());
  if (info.home) {
    cut.fix(x, *info.home == 0);
    cut.fix(y, *info.home == 0);
  }
  if (info.needs & deviceBit(0))
    cut.fix(x, true);
  if (info.needs & ~deviceBit(0))
    cut.fix(y, false);
}

void DeviceCut::addOp(const FreeOp &free) {
  auto made = results.find(free.op);
  if (made == results.end() || !flow.nodes[made->second.front()].isRead)
    return;
  auto tie = [&](MinCut::Node a, MinCut::Node b) {
    cut.addEdge(a, b, Capacity::infinite());
    cut.addEdge(b, a, Capacity::infinite());
  };
  MinCut::Node x = runsOnCpu[free.op] = cut.addNode(), y = x;
  if (free.isReplicable) {
    y = cut.addNode();
    cut.addEdge(y, x, Capacity::infinite());
  }
  runsNotOnGpu[free.op] = y;
  if (free.hasCost) {
    unsigned way = flow.nodes[made->second.front()].out.front();
    addCosts(free.op, flow.edges[way].frequency);
  }
  // If a move saves nothing, the op stays where the program has it.
  Value result = free.op->getResult(0);
  if (getPlace(cast<RankedTensorType>(result.getType())) == getCpu())
    cut.addEdge(MinCut::source, y, {0, 1});
  else
    cut.addEdge(x, MinCut::sink, {0, 1});
  for (unsigned node : made->second) {
    tie(x, onCpu[node]);
    tie(y, notOnGpu[node]);
  }
  for (unsigned node : operands[free.op])
    if (flow.nodes[node].isRead) {
      cut.addEdge(x, onCpu[node], Capacity::infinite());
      cut.addEdge(notOnGpu[node], y, Capacity::infinite());
    }
}

/// Adds the time to compute `op`; `runs` is how often it runs per run of the
/// program.
void DeviceCut::addCosts(Operation *op, double runs) {
  auto costOn = [&](Place::Kind device) {
    return flow.getCost(runs * getOpCost(op, device));
  };
  cut.addEdge(runsOnCpu[op], MinCut::sink, costOn(Place::Kind::Cpu));
  cut.addEdge(MinCut::source, runsNotOnGpu[op], costOn(Place::Kind::Cuda));
}

} // namespace tdc::td
