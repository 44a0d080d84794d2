//===- MinCut.h - the cheapest cut of a network ---------------------------===//
//
// Max-flow by blocking flows: E. A. Dinic, "Algorithm for solution of a problem
// of maximum flow in a network with power estimation", Soviet Math. Doklady 11
// (1970). Capacities are pairs in lexicographic order, which form an ordered
// group: first the cost of a cut, then a number that decides between cuts of
// equal cost.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_DIALECT_TD_ANALYSIS_PLACEMENT_MINCUT_H
#define TDC_DIALECT_TD_ANALYSIS_PLACEMENT_MINCUT_H

#include <cstdint>
#include <vector>

namespace tdc::td {

/// The cost of cutting an edge.
struct Capacity {
  int64_t cost = 0;
  int64_t tie = 0; ///< compared if costs are equal

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
  /// The capacity of an edge that is never cut. Sums of flows stay far below
  /// the limits of 64 bits.
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
  /// Adds an edge. It is cut if `from` is on the source's side and `to` is not.
  void addEdge(Node from, Node to, Capacity capacity);
  /// Forces the node to the source's side, or to the other side.
  void fix(Node node, bool onSourceSide) {
    if (onSourceSide)
      addEdge(source, node, Capacity::infinite());
    else
      addEdge(node, sink, Capacity::infinite());
  }

  /// Finds the cheapest cut, of several the one with the smallest source side,
  /// and returns its cost.
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
  std::vector<unsigned> next; ///< the first edge that is not exhausted
};

} // namespace tdc::td

#endif // TDC_DIALECT_TD_ANALYSIS_PLACEMENT_MINCUT_H
