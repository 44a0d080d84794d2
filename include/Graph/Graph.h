//===- Graph.h - a model as a graph ---------------------------------------===//
//
// The graph that `tdc emit --graph` draws: the calls and operators of the block
// with the most work, the devices that they run on, and the copies between
// them.
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
  std::string file; ///< of the call; "" if not known
  unsigned line = 0;
  Place device;
};

struct GraphEdge {
  unsigned from, to;
  std::string copy; ///< the copied value and its bytes; "" if nothing is copied
};

/// An edge leads from the first node, in the order of the program, that has a
/// value to each node that reads the value. An edge that would close a cycle,
/// as those of gradients would, is left out.
struct Graph {
  std::vector<GraphNode> nodes;
  std::vector<GraphEdge> edges;
};

/// Makes the graph of a placed module; it has no nodes if the module computes
/// nothing.
Graph makeGraph(mlir::ModuleOp placed, const SourceManager &sources);

/// Positions in the drawing: nodes are in layers from top to bottom.
struct GraphLayout {
  struct Point {
    int x, y;
  };
  static constexpr int nodeWidth = 170, nodeHeight = 40;

  int width = 0, height = 0;
  std::vector<Point> nodes;              ///< their left upper corners
  std::vector<std::vector<Point>> edges; ///< the points along each edge
  std::vector<Point> labels; ///< of edges: the middle of the base line
};

GraphLayout layOut(const Graph &graph);
/// An upper bound of the width of a text.
int getTextWidth(llvm::StringRef text);

/// Prints the graph as SVG, or as an HTML page that contains the SVG.
void printGraph(llvm::raw_ostream &os, llvm::StringRef title,
                const Graph &graph, bool isPage);

} // namespace tdc

#endif // TDC_GRAPH_GRAPH_H
