//===- Layout.cpp - the positions of a graph's nodes ----------------------===//
//
// A layered layout (Sugiyama and others, 1981). The layer of a node is one
// below the lowest layer of the nodes that it reads. An edge over several
// layers gets a position in each layer that it passes. Then each layer is
// sorted by the positions of its neighbours. The layout is deterministic.
//
//===----------------------------------------------------------------------===//

#include "Graph/Graph.h"
#include "llvm/ADT/STLExtras.h"

using namespace tdc;

// px
static constexpr int kGap = 30, kPassing = 20, kSpace = 34, kLabel = 18,
                     kMargin = 12, kLetter = 7;
static constexpr unsigned kSweeps = 8;

int tdc::getTextWidth(llvm::StringRef text) {
  return int(text.size()) * kLetter;
}

namespace {

/// A node, or the point where a long edge passes a layer.
struct Stop {
  unsigned layer = 0;
  int width = 0;
  double position = 0; ///< in its layer
  std::vector<unsigned> above, below;
  int x = 0;
};

class Layers {
public:
  explicit Layers(const Graph &graph) : graph(graph) {}
  GraphLayout layOut();

private:
  void addStops();
  void sortLayers();
  void sort(std::vector<unsigned> &layer, bool byAbove);
  void setPositions(const std::vector<unsigned> &layer);

  const Graph &graph;
  std::vector<Stop> stops; ///< the nodes first
  std::vector<std::vector<unsigned>> layers;
  std::vector<std::vector<unsigned>> paths; ///< the stops of each edge
};

void Layers::addStops() {
  stops.resize(graph.nodes.size());
  for (Stop &stop : stops)
    stop.width = GraphLayout::nodeWidth;
  // This ends because the graph has no cycles.
  for (bool changed = true; changed;) {
    changed = false;
    for (const GraphEdge &edge : graph.edges) {
      unsigned below = stops[edge.from].layer + 1;
      changed |= below > stops[edge.to].layer;
      stops[edge.to].layer = std::max(stops[edge.to].layer, below);
    }
  }
  for (const GraphEdge &edge : graph.edges) {
    std::vector<unsigned> &path = paths.emplace_back(1, edge.from);
    while (stops[path.back()].layer + 1 < stops[edge.to].layer) {
      Stop passing;
      passing.layer = stops[path.back()].layer + 1;
      passing.width = kPassing;
      path.push_back(stops.size());
      stops.push_back(passing);
    }
    path.push_back(edge.to);
    for (size_t i = 1; i != path.size(); ++i) {
      stops[path[i - 1]].below.push_back(path[i]);
      stops[path[i]].above.push_back(path[i - 1]);
    }
  }
  for (auto [i, stop] : llvm::enumerate(stops)) {
    if (stop.layer >= layers.size())
      layers.resize(stop.layer + 1);
    layers[stop.layer].push_back(i);
  }
}

void Layers::setPositions(const std::vector<unsigned> &layer) {
  for (auto [i, stop] : llvm::enumerate(layer))
    stops[stop].position = double(i) + 0.5 * (1 - double(layer.size()));
}

void Layers::sort(std::vector<unsigned> &layer, bool byAbove) {
  auto getCentre = [&](unsigned stop) {
    const std::vector<unsigned> &others =
        byAbove ? stops[stop].above : stops[stop].below;
    double sum = 0;
    for (unsigned other : others)
      sum += stops[other].position;
    return others.empty() ? stops[stop].position : sum / double(others.size());
  };
  std::vector<std::tuple<double, double, unsigned>> keys;
  keys.reserve(layer.size());
  for (unsigned stop : layer)
    keys.emplace_back(getCentre(stop), stops[stop].position, stop);
  llvm::sort(keys);
  for (auto [i, key] : llvm::enumerate(keys))
    layer[i] = std::get<2>(key);
  setPositions(layer);
}

void Layers::sortLayers() {
  for (const std::vector<unsigned> &layer : layers)
    setPositions(layer);
  for (unsigned sweep = 0; sweep != kSweeps; ++sweep)
    if (sweep % 2 == 0)
      for (std::vector<unsigned> &layer : layers)
        sort(layer, /*byAbove=*/true);
    else
      for (std::vector<unsigned> &layer : llvm::reverse(layers))
        sort(layer, /*byAbove=*/false);
}

GraphLayout Layers::layOut() {
  addStops();
  sortLayers();
  GraphLayout layout;
  auto getWidth = [&](const std::vector<unsigned> &layer) {
    int width = kGap * (int(layer.size()) - 1);
    for (unsigned stop : layer)
      width += stops[stop].width;
    return width;
  };
  for (const std::vector<unsigned> &layer : layers)
    layout.width = std::max(layout.width, getWidth(layer) + 2 * kMargin);
  for (const GraphEdge &edge : graph.edges)
    layout.width =
        std::max(layout.width, getTextWidth(edge.copy) + 2 * kMargin);
  for (const std::vector<unsigned> &layer : layers) {
    int x = (layout.width - getWidth(layer)) / 2;
    for (unsigned stop : layer) {
      stops[stop].x = x;
      x += stops[stop].width + kGap;
    }
  }
  // The label of each copy has its own line below the layer of its source.
  std::vector<int> labels(layers.size()), tops;
  for (const GraphEdge &edge : graph.edges)
    labels[stops[edge.from].layer] += !edge.copy.empty();
  int top = kMargin;
  for (int count : labels) {
    tops.push_back(top);
    top += GraphLayout::nodeHeight + kSpace + count * kLabel;
  }
  layout.height = top - kSpace + kMargin;
  for (size_t i = 0; i != graph.nodes.size(); ++i)
    layout.nodes.push_back({stops[i].x, tops[stops[i].layer]});
  std::vector<int> used(layers.size());
  for (auto [edge, path] : llvm::zip(graph.edges, paths)) {
    std::vector<GraphLayout::Point> &points = layout.edges.emplace_back();
    for (unsigned stop : path) {
      int x = stops[stop].x + stops[stop].width / 2;
      int y = tops[stops[stop].layer];
      if (stop != edge.from)
        points.push_back({x, y});
      if (stop != edge.to)
        points.push_back({x, y + GraphLayout::nodeHeight});
    }
    GraphLayout::Point label = points.front();
    if (!edge.copy.empty()) {
      unsigned layer = stops[edge.from].layer;
      label.y += kSpace / 2 + kLabel * used[layer]++ + 8;
      double part =
          double(label.y - points[0].y) / double(points[1].y - points[0].y);
      label.x += int((points[1].x - points[0].x) * part);
      int half = getTextWidth(edge.copy) / 2;
      label.x = std::clamp(label.x, half, layout.width - half);
    }
    layout.labels.push_back(label);
  }
  return layout;
}

} // namespace

GraphLayout tdc::layOut(const Graph &graph) { return Layers(graph).layOut(); }
