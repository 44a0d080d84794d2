//===- WebLabels.cpp - the cheapest labelling of a web --------------------===//
//
// A copy to device d is on each edge a -> b where d is in the label of b but
// not in the label of a; it costs the value's bytes times the runs of the edge.
// For two devices p and q, the variables x = "p holds the value" and y = "q
// does not hold it" make all terms edges of a network: x(b) without x(a) and
// y(a) without y(b) cost a copy, and y without x is impossible, because some
// device must hold the value. With one home, the home keeps the value and each
// other device is a cut of its own. Several homes on more than two devices are
// improved by exchanges between two of them, each exchange a cut (Y. Boykov, O.
// Veksler, R. Zabih, "Fast approximate energy minimization via graph cuts",
// IEEE PAMI 23(11), 2001: alpha-beta swaps).
//
// Among cuts of equal cost the one with fewer copy sites is taken, then the one
// that holds fewer values.
//
//===----------------------------------------------------------------------===//

#include "Dialect/TD/Analysis/Placement/MinCut.h"
#include "Dialect/TD/Analysis/Placement/PlacementPlan.h"
#include "llvm/ADT/STLExtras.h"

namespace tdc::td {

namespace {

constexpr int64_t kHold = 1;

class WebSolver {
public:
  WebSolver(const ValueFlow &flow, llvm::ArrayRef<unsigned> nodes,
            std::vector<DeviceSet> &labels)
      : flow(flow), labels(labels) {
    for (unsigned node : nodes) {
      labels[node] = 0;
      if (flow.nodes[node].isRead)
        read.push_back(node);
    }
    for (unsigned node : read) {
      const FlowNode &info = flow.nodes[node];
      devices |= info.needs;
      if (info.home)
        homes |= deviceBit(*info.home);
      for (unsigned edge : info.out)
        if (flow.edges[edge].moves && flow.nodes[flow.edges[edge].to].isRead)
          edges.push_back(edge);
    }
    devices |= homes;
  }

  void solve() {
    if (llvm::popcount(homes) <= 1)
      return solveOneHome();
    if (llvm::popcount(devices) == 2) {
      unsigned first = llvm::countr_zero(devices);
      unsigned second = llvm::countr_zero(devices & (devices - 1));
      return solvePair(first, second);
    }
    solveByPairs();
  }

private:
  void solveOneHome() {
    DeviceSet rest = devices & ~homes;
    for (unsigned node : read)
      labels[node] = homes;
    for (; rest; rest &= rest - 1) {
      unsigned device = llvm::countr_zero(rest);
      MinCut cut;
      numberNodes(cut, /*variables=*/1);
      for (unsigned node : read) {
        const FlowNode &info = flow.nodes[node];
        if (info.needs & deviceBit(device))
          cut.addEdge(MinCut::source, variable(node), Capacity::infinite());
        if (info.home)
          cut.addEdge(variable(node), MinCut::sink, Capacity::infinite());
        cut.addEdge(variable(node), MinCut::sink, {0, kHold});
      }
      for (unsigned edge : edges)
        cut.addEdge(variable(flow.edges[edge].to),
                    variable(flow.edges[edge].from), flow.getCopyCost(edge));
      cut.solve();
      for (unsigned node : read)
        if (cut.isOnSourceSide(variable(node)))
          labels[node] |= deviceBit(device);
    }
    // Without a home, the value is held on all devices that need it.
    if (!homes)
      for (unsigned node : read)
        labels[node] |= devices ? devices : deviceBit(0);
  }

  /// Chooses which of two devices hold each value; the labels of other devices
  /// stay. The second variable of a node is "`q` does not hold it".
  void solvePair(unsigned p, unsigned q) {
    DeviceSet both = deviceBit(p) | deviceBit(q);
    MinCut cut;
    numberNodes(cut, /*variables=*/2);
    for (unsigned node : read) {
      const FlowNode &info = flow.nodes[node];
      MinCut::Node x = variable(node), y = x + 1;
      if (!(labels[node] & ~both))
        cut.addEdge(y, x, Capacity::infinite());
      if (info.home) {
        cut.fix(x, *info.home == p);
        cut.fix(y, *info.home != q);
      }
      if (info.needs & deviceBit(p))
        cut.fix(x, true);
      if (info.needs & deviceBit(q))
        cut.fix(y, false);
      cut.addEdge(x, MinCut::sink, {0, kHold});
      cut.addEdge(MinCut::source, y, {0, kHold});
    }
    for (unsigned edge : edges) {
      MinCut::Node from = variable(flow.edges[edge].from),
                   to = variable(flow.edges[edge].to);
      cut.addEdge(to, from, flow.getCopyCost(edge));
      cut.addEdge(from + 1, to + 1, flow.getCopyCost(edge));
    }
    cut.solve();
    for (unsigned node : read) {
      MinCut::Node x = variable(node);
      labels[node] &= ~both;
      if (cut.isOnSourceSide(x))
        labels[node] |= deviceBit(p);
      if (!cut.isOnSourceSide(x + 1))
        labels[node] |= deviceBit(q);
    }
  }

  /// Several homes on three devices or more: "some device holds it" is no
  /// longer a term of two variables. Improves two devices at a time, from
  /// several starts, and takes the best.
  void solveByPairs() {
    llvm::SmallVector<unsigned> all;
    for (DeviceSet rest = devices; rest; rest &= rest - 1)
      all.push_back(llvm::countr_zero(rest));
    std::vector<DeviceSet> best;
    Capacity least = Capacity::infinite();
    for (size_t start = 0; start <= all.size(); ++start) {
      for (unsigned node : read) {
        const FlowNode &info = flow.nodes[node];
        labels[node] = info.home            ? deviceBit(*info.home)
                       : start < all.size() ? deviceBit(all[start]) | info.needs
                                            : devices;
      }
      Capacity cost = improve(all);
      if (!(cost < least))
        continue;
      least = cost;
      best.clear();
      for (unsigned node : read)
        best.push_back(labels[node]);
    }
    for (auto [node, label] : llvm::zip(read, best))
      labels[node] = label;
  }

  Capacity improve(llvm::ArrayRef<unsigned> all) {
    Capacity cost = getCost();
    for (bool isBetter = true; isBetter;) {
      isBetter = false;
      for (size_t i = 0; i != all.size(); ++i)
        for (size_t j = i + 1; j != all.size(); ++j) {
          solvePair(all[i], all[j]);
          Capacity now = getCost();
          isBetter |= now < cost;
          cost = now;
        }
    }
    return cost;
  }

  Capacity getCost() const {
    Capacity sum;
    for (unsigned edge : edges) {
      DeviceSet added =
          labels[flow.edges[edge].to] & ~labels[flow.edges[edge].from];
      for (; added; added &= added - 1)
        sum = sum + flow.getCopyCost(edge);
    }
    for (unsigned node : read)
      sum.tie += llvm::popcount(labels[node]);
    return sum;
  }

  void numberNodes(MinCut &cut, unsigned variables) {
    for (unsigned node : read) {
      first[node] = cut.addNode();
      for (unsigned i = 1; i < variables; ++i)
        cut.addNode();
    }
  }
  MinCut::Node variable(unsigned node) const { return first.lookup(node); }

  const ValueFlow &flow;
  std::vector<DeviceSet> &labels;
  llvm::SmallVector<unsigned> read, edges;
  DeviceSet devices = 0, homes = 0;
  llvm::DenseMap<unsigned, MinCut::Node> first;
};

} // namespace

void solveWeb(const ValueFlow &flow, llvm::ArrayRef<unsigned> nodes,
              std::vector<DeviceSet> &labels) {
  WebSolver(flow, nodes, labels).solve();
}

} // namespace tdc::td
