//===- UpdateOrder.cpp - updates after the other readers ------------------===//
//
// An update can only work in place if it is the last op that reads the value:
// of the updates of a value, the last one.
//
//===----------------------------------------------------------------------===//

#include "FusionGraph.h"

using namespace mlir;

namespace tdc::td {

llvm::BitVector FusionGraph::findLater(Node &node, const Followers &followers) {
  llvm::BitVector later(nodes.size());
  SmallVector<Node *> work = {&node};
  auto enter = [&](Node *next) {
    if (later.test(next->index))
      return;
    later.set(next->index);
    work.push_back(next);
  };
  while (!work.empty()) {
    Node *next = work.pop_back_val();
    for (Operation *root : next->roots)
      for (Value result : root->getResults())
        for (Node *reader : readers.lookup(result))
          if (!reader->mergedInto && reader->inputs.contains(result))
            enter(reader);
    llvm::for_each(followers.lookup(next), enter);
  }
  return later;
}

void FusionGraph::orderUpdates() {
  Followers followers;
  llvm::MapVector<Value, Node *> last; // by base
  for (auto &node : nodes) {
    if (node->mergedInto)
      continue;
    for (Node *before : node->after) {
      while (before->mergedInto)
        before = before->mergedInto;
      followers[before].push_back(node.get());
    }
    auto update = dyn_cast<UpdateOp>(node->roots.front());
    if (update && update.getBase())
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
    llvm::BitVector later = findLater(*node, followers);
    for (Node *reader : others)
      if (!later.test(reader->index) && node->after.insert(reader))
        followers[reader].push_back(node);
  }
}

} // namespace tdc::td
