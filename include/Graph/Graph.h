//===- Graph.h - a model as a graph -----------------------------*- C++ -*-===//
//
// What `tdc emit --graph` draws: the calls and operators of the block that a
// program spends most of its work in, the devices that they run on, and what is
// copied between them.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_GRAPH_GRAPH_H
#define TDC_GRAPH_GRAPH_H

#include "Dialect/TD/IR/TD.h"
#include "Frontend/Source.h"
#include "mlir/IR/BuiltinOps.h"

namespace tdc {

struct GraphNode {
  std::string label;
  std::string file; ///< and line of the call; "" if none is known
  unsigned line = 0;
  Place device;
};

struct GraphEdge {
  unsigned from, to;
  std::string copy; ///< what is copied on it, and how many bytes, if it is
};

/// Edges go from the first node in the order of the program that has a value
/// to those that read it. Where they would close a circle, as gradients do on
/// their way back, there is none.
struct Graph {
  std::vector<GraphNode> nodes;
  std::vector<GraphEdge> edges;
};

/// Of a placed module; without nodes if it computes nothing.
Graph makeGraph(mlir::ModuleOp placed, const SourceManager &sources);

/// Where everything stands: nodes in layers from top to bottom.
struct GraphLayout {
  struct Point {
    int x, y;
  };
  static constexpr int nodeWidth = 170, nodeHeight = 40;

  int width = 0, height = 0;
  std::vector<Point> nodes;              ///< their left upper corners
  std::vector<std::vector<Point>> edges; ///< the points that each goes through
  std::vector<Point> labels; ///< of edges, the middle of the base line
};

GraphLayout layOut(const Graph &graph);
/// How wide a text is at most.
int getTextWidth(llvm::StringRef text);

/// As SVG, or a page around it.
void printGraph(llvm::raw_ostream &os, llvm::StringRef title,
                const Graph &graph, bool isPage);

} // namespace tdc

#endif // TDC_GRAPH_GRAPH_H
