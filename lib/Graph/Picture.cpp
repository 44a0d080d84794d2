//===- Picture.cpp - prints a graph as SVG or as a page -------------------===//

#include "Graph/Graph.h"
#include "Markup/Markup.h"
#include "Markup/Style.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>
#include <set>

using namespace tdc;
using llvm::Twine;

static constexpr char kRules[] = R"css(
svg { background: var(--page); max-width: 100%; height: auto; }
text { fill: var(--text); font: 12px system-ui, sans-serif; text-anchor: middle; }
.node { fill: var(--device); }
.on { fill: var(--on); }
.edge { fill: none; stroke: var(--note); }
.head { fill: var(--note); }
.edge.copy { stroke: var(--device); stroke-width: 3; }
.head.copy { fill: var(--device); }
.label { paint-order: stroke; stroke: var(--page); stroke-width: 8; stroke-linejoin: round; }
)css";

namespace {

class Picture {
public:
  Picture(llvm::raw_ostream &os, const Graph &graph)
      : out(os), graph(graph), layout(layOut(graph)) {
    for (const GraphNode &node : graph.nodes)
      devices.insert(spelling(node.device));
  }

  void write(llvm::StringRef title, bool isPage);

private:
  void writeSVG(llvm::StringRef title, bool isPage);
  void writeEdge(const GraphEdge &edge,
                 llvm::ArrayRef<GraphLayout::Point> points);
  void writeNode(const GraphNode &node, GraphLayout::Point at);
  std::string getColour(const Place &device) const {
    return tdc::getColour(
        std::distance(devices.begin(), devices.find(spelling(device))));
  }
  /// The colour in attributes, which programs follow that do not know the
  /// variables of the style sheet.
  std::string getFill(const Place &device) const {
    return getLightColour(getColour(device));
  }

  Markup out;
  const Graph &graph;
  GraphLayout layout;
  std::set<std::string> devices; ///< the cpu comes first
};

/// The text, shortened to fit into `width`.
std::string shorten(const std::string &text, int width) {
  size_t most = width / getTextWidth("m");
  return text.size() <= most ? text : text.substr(0, most - 1) + "…";
}

std::string spell(double x, double y) {
  return llvm::formatv("{0:F1} {1:F1}", x, y).str();
}

void Picture::writeEdge(const GraphEdge &edge,
                        llvm::ArrayRef<GraphLayout::Point> points) {
  bool isCopy = !edge.copy.empty();
  Place device = graph.nodes[edge.from].device;
  std::string kind = isCopy ? " copy " + getColour(device) : "",
              colour = isCopy ? getFill(device) : getLightColour("note");
  // The line ends where the arrowhead begins.
  GraphLayout::Point tip = points.back(), before = points.drop_back().back();
  double dx = tip.x - before.x, dy = tip.y - before.y,
         length = std::max(std::hypot(dx, dy), 1.0);
  double size = isCopy ? 11 : 8, side = isCopy ? 5 : 3.5;
  dx /= length, dy /= length;
  double x = tip.x - size * dx, y = tip.y - size * dy;
  std::string path;
  for (GraphLayout::Point point : points.drop_back())
    path += (path.empty() ? "M" : "L") + std::to_string(point.x) + " " +
            std::to_string(point.y);
  out.element("path",
              {{"class", "edge" + kind},
               {"d", path + "L" + spell(x, y)},
               {"fill", "none"},
               {"stroke", colour}},
              "");
  out.element("path",
              {{"class", "head" + kind},
               {"d", "M" + std::to_string(tip.x) + " " + std::to_string(tip.y) +
                         "L" + spell(x - side * dy, y + side * dx) + "L" +
                         spell(x + side * dy, y - side * dx) + "Z"},
               {"fill", colour}},
              "");
}

void Picture::writeNode(const GraphNode &node, GraphLayout::Point at) {
  constexpr int width = GraphLayout::nodeWidth,
                height = GraphLayout::nodeHeight;
  std::string device = spelling(node.device);
  std::string where =
      node.line ? "line " + std::to_string(node.line) + ", " + device : device;
  out.element("g", {}, [&] {
    out.element("title", {},
                node.label + ", " +
                    (node.line
                         ? node.file + ":" + std::to_string(node.line) + ", "
                         : "") +
                    device);
    out.element("rect",
                {{"class", "node " + getColour(node.device)},
                 {"x", at.x},
                 {"y", at.y},
                 {"width", width},
                 {"height", height},
                 {"rx", 5},
                 {"fill", getFill(node.device)}},
                "");
    out.element("text",
                {{"class", "on"},
                 {"x", at.x + width / 2},
                 {"y", at.y + 17},
                 {"fill", getLightColour("on")}},
                shorten(node.label, width));
    out.element("text",
                {{"class", "on"},
                 {"x", at.x + width / 2},
                 {"y", at.y + 33},
                 {"fill", getLightColour("on")}},
                where);
  });
}

void Picture::writeSVG(llvm::StringRef title, bool isPage) {
  out.element(
      "svg",
      {{"xmlns", "http://www.w3.org/2000/svg"},
       {"role", "img"},
       {"aria-label", title},
       {"viewBox", "0 0 " + Twine(layout.width) + " " + Twine(layout.height)},
       {"width", layout.width},
       {"height", layout.height}},
      [&] {
        out.element("title", {}, title);
        if (!isPage)
          out.element("style", {}, [&] {
            out.raw(kColours);
            out.raw(kRules);
          });
        for (auto [edge, points] : llvm::zip(graph.edges, layout.edges))
          writeEdge(edge, points);
        for (auto [node, at] : llvm::zip(graph.nodes, layout.nodes))
          writeNode(node, at);
        for (auto [edge, at] : llvm::zip(graph.edges, layout.labels))
          if (!edge.copy.empty())
            out.element("text",
                        {{"class", "label"},
                         {"x", at.x},
                         {"y", at.y},
                         {"stroke", getLightColour("page")}},
                        edge.copy);
      });
}

void Picture::write(llvm::StringRef title, bool isPage) {
  if (!isPage) {
    writeSVG(title, isPage);
    return out.raw("\n");
  }
  out.raw("<!doctype html>\n");
  out.element("html", {{"lang", "en"}}, [&] {
    out.element("head", {}, [&] {
      out.empty("meta", {{"charset", "utf-8"}});
      out.element("title", {}, title);
      out.element("style", {}, [&] {
        out.raw(kColours);
        out.raw(kStyle);
        out.raw(kRules);
      });
    });
    out.element("body", {}, [&] {
      out.element("h1", {}, title);
      out.element(
          "p", {{"class", "note"}},
          "Each node is a call or an operator of the loop or function "
          "with the most work, on its device. An arrow leads to what reads a "
          "result; thick ones are copies.");
      writeSVG(title, isPage);
    });
  });
  out.raw("\n");
}

} // namespace

void tdc::printGraph(llvm::raw_ostream &os, llvm::StringRef title,
                     const Graph &graph, bool isPage) {
  Picture(os, graph).write(title, isPage);
}
