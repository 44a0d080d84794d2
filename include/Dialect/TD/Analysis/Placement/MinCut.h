//===- MinCut.h - the cheapest cut of a network ---------------------------===//
//
// Max-flow by blocking flows: E. A. Dinic, "Algorithm for solution of a problem
// of maximum flow in a network with power estimation", Soviet Math. Doklady 11
// (1970). Capacities are pairs in lexicographic order, which form an ordered
// group: first what a cut costs, then what decides between cuts of equal cost.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_DIALECT_TD_ANALYSIS_PLACEMENT_MINCUT_H
#define TDC_DIALECT_TD_ANALYSIS_PLACEMENT_MINCUT_H

#include <cstdint>
#include <vector>

namespace tdc::td {

/// What an edge costs when it is cut.
struct Capacity {
  int64_t cost = 0;
  int64_t tie = 0; ///< compared where costs are equal

  Capacity operator+(Capacity other) const {
    return {cost + other.cost, tie + other.tie};
  }
  Capacity operator-(Capacity other) const {
    return {cost - other.cost, tie - other.tie};
  }
  bool operator<(Capacity other) const {
    return cost != other.cost ? cost < other.cost : tie < other.tie;
  }
  bool isPositive() const { return Capacity() < *this; }
  /// Of an edge that is never cut. Sums of flows stay far below the limits of
  /// 64 bits.
  static Capacity infinite() { return {int64_t(1) << 60, 0}; }
};

class MinCut {
public:
  using Node = unsigned;
  static constexpr Node source = 0, sink = 1;

  MinCut() : edges(2) {}
  Node addNode() {
    edges.emplace_back();
    return edges.size() - 1;
  }
  /// An edge that is cut if `from` is on the source's side and `to` is not.
  void addEdge(Node from, Node to, Capacity capacity);
  /// Puts the node on the source's side for certain, or on the other.
  void fix(Node node, bool onSourceSide) {
    if (onSourceSide)
      addEdge(source, node, Capacity::infinite());
    else
      addEdge(node, sink, Capacity::infinite());
  }

  /// Finds the cheapest cut, of several the one with the smallest source side;
  /// gives what it costs.
  Capacity solve();
  /// Whether the node is on the source's side. After solve().
  bool isOnSourceSide(Node node) const { return levels[node] >= 0; }

private:
  struct Edge {
    Node to;
    unsigned reverse; ///< its index among the edges of `to`
    Capacity rest;
  };

  bool assignLevels();
  Capacity augment();

  std::vector<std::vector<Edge>> edges;
  std::vector<int> levels;    ///< distance from the source, -1: not reached
  std::vector<unsigned> next; ///< the first edge that may still lead on
};

} // namespace tdc::td

#endif // TDC_DIALECT_TD_ANALYSIS_PLACEMENT_MINCUT_H
