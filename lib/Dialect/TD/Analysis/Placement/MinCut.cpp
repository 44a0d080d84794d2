//===- MinCut.cpp - max-flow by blocking flows ----------------------------===//

#include "Dialect/TD/Analysis/Placement/MinCut.h"
#include <algorithm>
#include <deque>

namespace tdc::td {

void MinCut::addEdge(Node from, Node to, Capacity capacity) {
  if (from == to || !capacity.isPositive())
    return;
  edges[from].push_back({to, unsigned(edges[to].size()), capacity});
  edges[to].push_back({from, unsigned(edges[from].size()) - 1, {}});
}

bool MinCut::assignLevels() {
  levels.assign(edges.size(), -1);
  levels[source] = 0;
  std::deque<Node> queue = {source};
  while (!queue.empty()) {
    Node node = queue.front();
    queue.pop_front();
    for (const Edge &edge : edges[node])
      if (edge.rest.isPositive() && levels[edge.to] < 0) {
        levels[edge.to] = levels[node] + 1;
        queue.push_back(edge.to);
      }
  }
  return levels[sink] >= 0;
}

/// Sends as much as possible along one shortest path and returns it; zero if no
/// path is left.
Capacity MinCut::augment() {
  std::vector<std::pair<Node, unsigned>> path; // nodes and the edge taken there
  Node node = source;
  while (node != sink) {
    bool goesOn = false;
    for (unsigned &i = next[node]; i != edges[node].size(); ++i) {
      const Edge &edge = edges[node][i];
      if (edge.rest.isPositive() && levels[edge.to] == levels[node] + 1) {
        path.emplace_back(node, i);
        node = edge.to;
        goesOn = true;
        break;
      }
    }
    if (goesOn)
      continue;
    if (path.empty())
      return {};
    node = path.back().first;
    ++next[node];
    path.pop_back();
  }
  Capacity least = Capacity::infinite();
  for (auto [from, i] : path)
    least = std::min(least, edges[from][i].rest);
  for (auto [from, i] : path) {
    Edge &edge = edges[from][i];
    edge.rest = edge.rest - least;
    Edge &back = edges[edge.to][edge.reverse];
    back.rest = back.rest + least;
  }
  return least;
}

Capacity MinCut::solve() {
  Capacity flow;
  while (assignLevels()) {
    next.assign(edges.size(), 0);
    for (Capacity more = augment(); more.isPositive(); more = augment())
      flow = flow + more;
  }
  return flow;
}

} // namespace tdc::td
