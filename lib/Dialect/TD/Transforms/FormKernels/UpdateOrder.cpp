//===- UpdateOrder.cpp - updates after the other readers ------------------===//
//
// An update can only work in place if it is the last op that reads the value:
// of the updates of a value, the last one.
//
//===----------------------------------------------------------------------===//

#include "FusionGraph.h"

using namespace mlir;

namespace tdc::td {

void FusionGraph::orderUpdates() {
  Followers followers = getFollowers();
  auto findLater = [&](Node *node) {
    llvm::BitVector later(nodes.size());
    SmallVector<Node *> work = {node};
    while (!work.empty())
      for (Node *next : followers.lookup(work.pop_back_val()))
        if (!later.test(next->index)) {
          later.set(next->index);
          work.push_back(next);
        }
    return later;
  };
  llvm::MapVector<Value, Node *> last; // by base
  for (auto &node : nodes) {
    auto update = dyn_cast<UpdateOp>(node->roots.front());
    if (update && update.getBase() && !node->mergedInto)
      last[update.getBase()] = node.get();
  }
  for (auto &entry : last) {
    Value base = entry.first;
    Node *node = entry.second;
    auto others = llvm::make_filter_range(readers[base], [&](Node *reader) {
      return reader != node && !reader->mergedInto &&
             reader->inputs.contains(base);
    });
    if (others.empty())
      continue;
    llvm::BitVector later = findLater(node);
    for (Node *reader : others)
      if (!later.test(reader->index) && node->after.insert(reader))
        followers[reader].push_back(node);
  }
}

} // namespace tdc::td
