//===- PlacementPlan.cpp - copies, and whether they are all needed --------===//

#include "Dialect/TD/Analysis/Placement/PlacementPlan.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

namespace tdc::td {

namespace {

/// The plan of one web, after its nodes have labels.
class WebPlan {
public:
  WebPlan(const ValueFlow &flow, llvm::ArrayRef<unsigned> nodes,
          std::vector<DeviceSet> &held)
      : flow(flow), nodes(nodes), held(held) {}

  /// Removes devices from the labels on which the value is neither needed nor
  /// copied from.
  void prune() {
    llvm::DenseMap<unsigned, DeviceSet> wanted;
    llvm::SmallVector<std::pair<unsigned, unsigned>> worklist;
    auto want = [&](unsigned node, unsigned device) {
      DeviceSet &known = wanted[node];
      if (known & deviceBit(device))
        return;
      known |= deviceBit(device);
      worklist.push_back({node, device});
    };
    for (unsigned node : nodes) {
      const FlowNode &info = flow.nodes[node];
      for (DeviceSet rest = info.needs; rest; rest &= rest - 1)
        want(node, llvm::countr_zero(rest));
      if (info.needsShape && !(info.needs & held[node]) && held[node])
        want(node, llvm::countr_zero(held[node]));
    }
    while (!worklist.empty()) {
      auto [node, device] = worklist.pop_back_val();
      for (unsigned edge : flow.nodes[node].in) {
        const FlowEdge &info = flow.edges[edge];
        if (info.moves)
          want(info.from, held[info.from] & deviceBit(device)
                              ? device
                              : llvm::countr_zero(held[info.from]));
      }
    }
    for (unsigned node : nodes)
      held[node] &= wanted.lookup(node);
  }

  void findCopies(llvm::SmallVectorImpl<PlannedCopy> &copies) {
    for (unsigned node : nodes)
      for (unsigned edge : flow.nodes[node].in) {
        const FlowEdge &info = flow.edges[edge];
        if (!info.moves)
          continue;
        DeviceSet added = held[node] & ~held[info.from];
        for (; added; added &= added - 1)
          copies.push_back({edge, unsigned(llvm::countr_zero(held[info.from])),
                            unsigned(llvm::countr_zero(added))});
      }
    llvm::sort(copies, [](const PlannedCopy &a, const PlannedCopy &b) {
      return std::pair(a.edge, a.to) < std::pair(b.edge, b.to);
    });
  }

  /// Whether every copy is needed on every path that follows it.
  bool areAnticipated(llvm::ArrayRef<PlannedCopy> copies) {
    if (copies.empty())
      return true;
    // Computes the greatest solution, starting with all devices.
    llvm::DenseMap<unsigned, DeviceSet> anticipated;
    for (unsigned node : nodes)
      anticipated[node] = ~DeviceSet(0);
    llvm::SmallVector<unsigned> worklist(llvm::reverse(nodes));
    llvm::DenseSet<unsigned> isWaiting(nodes.begin(), nodes.end());
    while (!worklist.empty()) {
      unsigned node = worklist.pop_back_val();
      isWaiting.erase(node);
      DeviceSet now = computeAnticipated(node, anticipated);
      if (now == anticipated[node])
        continue;
      anticipated[node] = now;
      for (unsigned edge : flow.nodes[node].in)
        if (isWaiting.insert(flow.edges[edge].from).second)
          worklist.push_back(flow.edges[edge].from);
    }
    return llvm::all_of(copies, [&](const PlannedCopy &copy) {
      return anticipated[flow.edges[copy.edge].to] & deviceBit(copy.to);
    });
  }

  /// Whether no value can be copied to a device twice: a copy to it reaches
  /// neither another copy to it nor itself again, and no value takes two paths
  /// that both lead to copies to it.
  bool areUnique(llvm::ArrayRef<PlannedCopy> copies) {
    for (const PlannedCopy &first : copies) {
      llvm::DenseSet<unsigned> reached = getReached(flow.edges[first.edge].to);
      for (const PlannedCopy &second : copies)
        if (first.to == second.to &&
            reached.contains(flow.edges[second.edge].from))
          return false;
    }
    llvm::SmallVector<llvm::DenseSet<unsigned>> sources;
    for (const PlannedCopy &copy : copies)
      sources.push_back(getSources(copy.edge));
    for (size_t i = 0; i != copies.size(); ++i)
      for (size_t j = i; j != copies.size(); ++j)
        if (copies[i].to == copies[j].to &&
            areOnBothWays(copies[i].edge, sources[i], copies[j].edge,
                          sources[j]))
          return false;
    return true;
  }

  /// Whether no copy brings a value to the device that made it, or copies a
  /// value that every device has, such as the zeros that a slot starts with.
  bool leaveHome(llvm::ArrayRef<PlannedCopy> copies) const {
    return llvm::all_of(copies, [&](const PlannedCopy &copy) {
      return llvm::none_of(getSources(copy.edge), [&](unsigned node) {
        return flow.nodes[node].isHomeless || flow.nodes[node].home == copy.to;
      });
    });
  }

private:
  DeviceSet
  computeAnticipated(unsigned node,
                     const llvm::DenseMap<unsigned, DeviceSet> &anticipated) {
    const FlowNode &info = flow.nodes[node];
    DeviceSet result = info.needs;
    DeviceSet byOutcome[5] = {};
    for (unsigned edge : info.out)
      if (flow.edges[edge].moves)
        byOutcome[flow.edges[edge].outcome] |=
            anticipated.lookup(flow.edges[edge].to);
    result |= byOutcome[FlowEdge::Always];
    if (info.fork == FlowNode::Branch)
      result |= byOutcome[FlowEdge::Then] & byOutcome[FlowEdge::Else];
    else if (info.fork == FlowNode::IterationEnd)
      result |= byOutcome[FlowEdge::Again] & byOutcome[FlowEdge::Leave];
    return result;
  }

  /// The nodes that the value of `start` can reach later.
  llvm::DenseSet<unsigned> getReached(unsigned start) const {
    return collect(start, &FlowNode::out, &FlowEdge::to);
  }
  /// The nodes from which `edge` is reached.
  llvm::DenseSet<unsigned> getSources(unsigned edge) const {
    return collect(flow.edges[edge].from, &FlowNode::in, &FlowEdge::from);
  }

  llvm::DenseSet<unsigned>
  collect(unsigned start, llvm::SmallVector<unsigned, 4> FlowNode::*edges,
          unsigned FlowEdge::*end) const {
    llvm::DenseSet<unsigned> found = {start};
    llvm::SmallVector<unsigned> worklist = {start};
    while (!worklist.empty())
      for (unsigned edge : flow.nodes[worklist.pop_back_val()].*edges)
        if (found.insert(flow.edges[edge].*end).second)
          worklist.push_back(flow.edges[edge].*end);
    return found;
  }

  static bool areExclusive(FlowEdge::Outcome a, FlowEdge::Outcome b) {
    return a != b && a != FlowEdge::Always && b != FlowEdge::Always;
  }

  /// Whether a value can take two paths, one to each edge (or both to one).
  bool areOnBothWays(unsigned first, const llvm::DenseSet<unsigned> &toFirst,
                     unsigned second,
                     const llvm::DenseSet<unsigned> &toSecond) const {
    auto leadsTo = [&](unsigned edge, unsigned goal,
                       const llvm::DenseSet<unsigned> &sources) {
      return edge == goal || sources.contains(flow.edges[edge].to);
    };
    for (unsigned node : toFirst) {
      if (!toSecond.contains(node))
        continue;
      for (unsigned a : flow.nodes[node].out)
        for (unsigned b : flow.nodes[node].out)
          if (a != b && leadsTo(a, first, toFirst) &&
              leadsTo(b, second, toSecond) &&
              !areExclusive(flow.edges[a].outcome, flow.edges[b].outcome))
            return true;
    }
    return false;
  }

  const ValueFlow &flow;
  llvm::ArrayRef<unsigned> nodes;
  std::vector<DeviceSet> &held;
};

} // namespace

PlacementPlan::PlacementPlan(const ValueFlow &flow)
    : held(flow.nodes.size()), isConditional(flow.numWebs), flow(flow) {
  std::vector<llvm::SmallVector<unsigned>> webs(flow.numWebs);
  for (unsigned node = 0; node != flow.nodes.size(); ++node)
    webs[flow.webOf(node)].push_back(node);
  for (unsigned web = 0; web != webs.size(); ++web) {
    solveWeb(flow, webs[web], held);
    WebPlan plan(flow, webs[web], held);
    plan.prune();
    llvm::SmallVector<PlannedCopy> own;
    plan.findCopies(own);
    isConditional[web] = !plan.areAnticipated(own) || !plan.areUnique(own) ||
                         !plan.leaveHome(own);
    llvm::append_range(copies, own);
  }
}

std::optional<unsigned> PlacementPlan::getSource(unsigned edge,
                                                 unsigned to) const {
  DeviceSet there = held[flow.edges[edge].from];
  if (there & deviceBit(to))
    return std::nullopt;
  return llvm::countr_zero(there);
}

} // namespace tdc::td
