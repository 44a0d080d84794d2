//===- Graph.cpp - makes the graph of a program ---------------------------===//

#include "Graph/Graph.h"
#include "Dialect/TD/Analysis/Placement/OpCosts.h"
#include "Dialect/TD/Analysis/Reporting/UserNames.h"
#include "Dialect/TD/Analysis/Sizes.h"
#include "Dialect/TD/IR/CarryingLoop.h"
#include "Dialect/TD/IR/Locations.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringExtras.h"
#include <map>
#include <set>

using namespace tdc;

namespace {

class GraphMaker {
public:
  GraphMaker(const SourceManager &sources, mlir::Block &block)
      : sources(sources), block(block) {}

  Graph make();

private:
  struct Source {
    unsigned node;
    std::string copy;
  };

  void add(mlir::Operation *op);
  void connect(mlir::Value read, unsigned reader);
  void findSources(mlir::Value value, const std::string &copy,
                   std::vector<Source> &found);
  unsigned getNode(mlir::Location location, const Place &device,
                   std::string label);
  llvm::StringRef getCallee(mlir::FileLineColLoc location) const;
  std::string getLabel(mlir::Location location, llvm::StringRef other) const;
  bool reaches(unsigned from, unsigned to) const;
  void dropLoneNodes();

  const SourceManager &sources;
  mlir::Block &block;
  Graph graph;
  std::map<std::string, unsigned> nodes;
  llvm::DenseMap<mlir::Operation *, unsigned> nodeOf;
  std::set<std::tuple<unsigned, unsigned, std::string>> edges;
};

/// The name of the function or model called at a location, "self.fc1"; "" if
/// it has no call.
llvm::StringRef GraphMaker::getCallee(mlir::FileLineColLoc location) const {
  for (FileId id = 1; location && id <= sources.getNumFiles(); ++id) {
    if (sources.getName(id) != location.getFilename().getValue())
      continue;
    llvm::StringRef line =
        sources.getText(sources.getLine(id, location.getLine()));
    line = line.drop_front(
        std::min<size_t>(location.getColumn() - 1, line.size()));
    llvm::StringRef name = line.take_while(
        [](char c) { return llvm::isAlnum(c) || c == '_' || c == '.'; });
    return line.drop_front(name.size()).starts_with("(") ? name : "";
  }
  return "";
}

/// Appends to `key` the locations in the program's own files that lead to an
/// op: those of its callers, then its own.
void addLocations(mlir::Location location, std::string &key) {
  if (auto call = llvm::dyn_cast<mlir::CallSiteLoc>(location)) {
    addLocations(call.getCaller(), key);
    addLocations(call.getCallee(), key);
  } else if (mlir::FileLineColLoc user = td::getUserLocation(location)) {
    key += user.getFilename().str() + ":" + std::to_string(user.getLine()) +
           ":" + std::to_string(user.getColumn()) + " ";
  }
}

/// The value that an op copies, either immediately or when the copy is first
/// needed; null if the op is no copy.
mlir::Value getCopied(mlir::Operation *op) {
  if (auto transfer = llvm::dyn_cast_or_null<td::ToDeviceOp>(op))
    return transfer.getInput();
  if (auto replica = llvm::dyn_cast_or_null<td::ReplicaGetOp>(op))
    if (auto handle = replica.getHandle().getDefiningOp<td::HandleOp>())
      return handle.getInput();
  return {};
}

/// The callee at a location; without a call its variable; else `other`.
std::string GraphMaker::getLabel(mlir::Location location,
                                 llvm::StringRef other) const {
  llvm::StringRef callee = getCallee(td::getUserLocation(location));
  llvm::StringRef name = td::getVariableName(location);
  return (!callee.empty() ? callee : !name.empty() ? name : other).str();
}

unsigned GraphMaker::getNode(mlir::Location location, const Place &device,
                             std::string label) {
  mlir::FileLineColLoc user = td::getUserLocation(location);
  std::string key = spelling(device) + " ";
  addLocations(td::withoutName(location), key);
  if (getCallee(user).empty())
    key += td::getVariableName(location);
  auto [known, isNew] = nodes.try_emplace(key, graph.nodes.size());
  if (isNew)
    graph.nodes.push_back({std::move(label),
                           user ? user.getFilename().str() : "",
                           user ? user.getLine() : 0, device});
  return known->second;
}

bool GraphMaker::reaches(unsigned from, unsigned to) const {
  std::vector<bool> seen(graph.nodes.size());
  std::vector<unsigned> next = {from};
  while (!next.empty()) {
    unsigned node = next.back();
    next.pop_back();
    if (node == to)
      return true;
    if (seen[node])
      continue;
    seen[node] = true;
    for (const GraphEdge &edge : graph.edges)
      if (edge.from == node)
        next.push_back(edge.to);
  }
  return false;
}

/// Finds the nodes that a value comes from. A value that is made outside of the
/// block gets a new node, but only if it is copied inside.
void GraphMaker::findSources(mlir::Value value, const std::string &copy,
                             std::vector<Source> &found) {
  mlir::Operation *op = value.getDefiningOp();
  auto addElsewhere = [&] {
    if (!copy.empty())
      found.push_back(
          {getNode(value.getLoc(), td::getPlace(value),
                   getLabel(value.getLoc(), td::getValueName(value))),
           copy});
  };
  if (mlir::Value input = getCopied(op)) {
    auto type = llvm::cast<mlir::RankedTensorType>(value.getType());
    std::string label = td::getPlace(input) == td::getPlace(value)
                            ? copy
                            : td::getVariableName(op->getLoc()).str() + ", " +
                                  std::to_string(td::estimateBytes(type)) +
                                  " B";
    return findSources(input, label, found);
  }
  if (auto branch = llvm::dyn_cast_or_null<mlir::scf::IfOp>(op)) {
    unsigned index = llvm::cast<mlir::OpResult>(value).getResultNumber();
    for (mlir::Region &region : branch->getRegions())
      if (!region.empty())
        findSources(region.front().getTerminator()->getOperand(index), copy,
                    found);
    return;
  }
  if (auto known = nodeOf.find(op); op && known != nodeOf.end())
    found.push_back({known->second, copy});
  else if (llvm::isa<mlir::RankedTensorType>(value.getType()))
    addElsewhere();
}

void GraphMaker::connect(mlir::Value read, unsigned reader) {
  if (!llvm::isa<mlir::RankedTensorType>(read.getType()))
    return;
  std::vector<Source> found;
  findSources(read, "", found);
  for (Source &source : found)
    if (edges.insert({source.node, reader, source.copy}).second &&
        !reaches(reader, source.node))
      graph.edges.push_back({source.node, reader, std::move(source.copy)});
}

void GraphMaker::add(mlir::Operation *op) {
  Place device = getCpu();
  if (llvm::isa<td::ComputeOp>(op))
    device = td::getPlace(op->getResult(0));
  else if ((!op->hasTrait<td::HostReaderOp>() &&
            !llvm::isa<mlir::func::ReturnOp>(op)) ||
           op->getNumOperands() == 0)
    return;
  std::string label =
      getLabel(op->getLoc(), llvm::StringRef(td::getUserName(op)).trim('`'));
  unsigned node = getNode(op->getLoc(), device, label);
  // The last op of a location computes the result of the source expression, so
  // its label is the label of the node.
  graph.nodes[node].label = label;
  nodeOf[op] = node;
  for (mlir::Value operand : op->getOperands())
    connect(operand, node);
}

/// Drops nodes without edges, for example constants, unless no node has edges.
void GraphMaker::dropLoneNodes() {
  if (graph.edges.empty())
    return;
  std::set<unsigned> used;
  for (const GraphEdge &edge : graph.edges) {
    used.insert(edge.from);
    used.insert(edge.to);
  }
  std::vector<GraphNode> kept;
  std::vector<unsigned> numbers(graph.nodes.size());
  for (unsigned node : used) {
    numbers[node] = kept.size();
    kept.push_back(std::move(graph.nodes[node]));
  }
  for (GraphEdge &edge : graph.edges) {
    edge.from = numbers[edge.from];
    edge.to = numbers[edge.to];
  }
  graph.nodes = std::move(kept);
}

Graph GraphMaker::make() {
  block.walk([&](mlir::Operation *op) { add(op); });
  dropLoneNodes();
  return std::move(graph);
}

} // namespace

/// The iterations that a loop is assumed to have, as in Frequencies.cpp.
static constexpr double kIterations = 10;

Graph tdc::makeGraph(mlir::ModuleOp placed, const SourceManager &sources) {
  mlir::Block *largest = nullptr;
  double most = 0;
  placed.walk([&](mlir::Block *block) {
    mlir::Operation *parent = block->getParentOp();
    if (!llvm::isa<mlir::func::FuncOp>(parent) && !td::CarryingLoop(parent))
      return;
    double cost = 0;
    for (mlir::Operation &op : *block)
      if (llvm::isa<td::ComputeOp>(op))
        cost += td::getOpCost(&op, Place::Kind::Cpu);
    for (; parent; parent = parent->getParentOp())
      if (td::CarryingLoop(parent))
        cost *= kIterations;
    if (cost > most) {
      most = cost;
      largest = block;
    }
  });
  return largest ? GraphMaker(sources, *largest).make() : Graph();
}
