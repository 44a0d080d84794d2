//===- FusionGraph.cpp - how the ops of a block form kernels --------------===//

#include "FusionGraph.h"
#include "../Speculation.h"
#include "Dialect/TD/Analysis/Kernels/Contraction.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/PriorityQueue.h"
#include <numeric>

using namespace mlir;

namespace tdc::td {

namespace {

/// For each value, a kernel is compared with at most this many of the nearest
/// kernels before it that read the value: each pair costs a nest.
constexpr unsigned kMostRelated = 64;
/// The most accumulators that sibling reductions may need at the same time.
constexpr int64_t kMaxUnrolled = 20;

} // namespace

bool isKernelOp(Operation *op) {
  if (isa<RandomOp>(op)) // on the CPU the runtime makes random numbers
    return isOnGPU(op);
  auto compute = dyn_cast<ComputeOp>(op);
  return compute && (compute.isPulled() || isa<UpdateOp>(op) ||
                     hasFamily(op, OpFamily::Scan));
}

unsigned getCost(Operation *op) {
  return unsigned(cast<ComputeOp>(op).getInfo().cost);
}

bool isNeverFused(Operation *op) { return !cast<ComputeOp>(op).isPulled(); }

FusionGraph::FusionGraph(Block &block) {
  findSteps(block);
  chooseRoots(block);
  unsigned position = 0;
  for (Operation &op : block) {
    ++position;
    bool isKernel = isKernelOp(&op);
    if (isKernel && !stored.contains(&op))
      continue;
    auto node = std::make_unique<Node>();
    node->roots.push_back(&op);
    node->isKernel = isKernel;
    node->position = position;
    if (isKernel) {
      collectBody(*node, &op);
    } else {
      node->inputs.insert(op.operand_begin(), op.operand_end());
      if (op.getNumRegions())
        getUsedValuesDefinedAbove(op.getRegions(), node->inputs);
    }
    nodeOf[&op] = node.get();
    node->index = nodes.size();
    note(*node, *node);
    nodes.push_back(std::move(node));
  }
  segments.resize(nodes.size());
  std::iota(segments.begin(), segments.end(), 0);
  addOrderEdges(block);
}

void FusionGraph::collectBody(Node &node, Operation *op) {
  if (!node.body.insert(op))
    return;
  for (Value operand : op->getOperands()) {
    Operation *def = operand.getDefiningOp();
    bool isInside = def && def->getBlock() == op->getBlock() &&
                    isKernelOp(def) && !stored.contains(def);
    if (isInside)
      collectBody(node, def);
    else if (!node.body.contains(def))
      node.inputs.insert(operand);
  }
}

/// Adds edges that keep effects in the program's order. Each line is one
/// sequence of effects: on the outside world, on the random state, and one for
/// the reads and writes of each slot. An op that may end the program, or relies
/// on an earlier check, counts as a read of the world.
void FusionGraph::addOrderEdges(Block &block) {
  struct Line {
    Node *lastWrite = nullptr;
    SmallVector<Node *> readsSince;
  };
  Builder builder(block.getParentOp()->getContext());
  const Attribute world = builder.getStringAttr("world"),
                  random = builder.getStringAttr("random");
  llvm::MapVector<Attribute, Line> lines; // slots: by symbol
  lines[world];
  lines[random];
  Node *lastOnAll = nullptr;
  auto touch = [&](Attribute what, Node *node, bool writes) {
    if (lastOnAll && lastOnAll != node)
      node->after.insert(lastOnAll);
    Line &line = lines[what];
    if (line.lastWrite && line.lastWrite != node)
      node->after.insert(line.lastWrite);
    if (!writes) {
      line.readsSince.push_back(node);
      return;
    }
    for (Node *read : line.readsSince)
      if (read != node)
        node->after.insert(read);
    line.readsSince.clear();
    line.lastWrite = node;
  };

  for (auto &owner : nodes) {
    Node *node = owner.get();
    if (node->isKernel) {
      if (!llvm::all_of(node->body, mayRunUnasked))
        touch(world, node, false);
      continue;
    }
    Operation &op = *node->roots.front();
    if (op.hasTrait<OpTrait::IsTerminator>())
      continue;
    bool touchesAll = false;
    op.walk([&](Operation *inner) {
      if (auto read = dyn_cast<ReadOp>(inner))
        touch(read.getSlotAttr(), node, false);
      else if (auto write = dyn_cast<WriteOp>(inner))
        touch(write.getSlotAttr(), node, true);
      else if (isa<SaveOp, RestoreOp>(inner))
        touchesAll = true;
      else if (isa<NextRandomOp, SeedOp>(inner))
        touch(random, node, true);
      else if (!inner->getNumRegions() && !mayRunUnasked(inner))
        touch(world, node, isObservable(inner));
    });
    if (!touchesAll)
      continue;
    for (auto &line : lines)
      touch(line.first, node, true);
    lastOnAll = node;
  }
}

FusionGraph::Node *FusionGraph::find(Operation *op) {
  return nodeOf.lookup(op);
}

SmallVector<FusionGraph::Node *> FusionGraph::getPredecessors(Node &node) {
  SmallVector<Node *> predecessors;
  for (Value input : node.inputs)
    if (Operation *def = input.getDefiningOp())
      if (Node *from = find(def); from && from != &node)
        predecessors.push_back(from);
  for (Node *from : node.after) {
    while (from->mergedInto)
      from = from->mergedInto;
    if (from != &node)
      predecessors.push_back(from);
  }
  return predecessors;
}

/// The segment of a node: the number of its first node.
unsigned FusionGraph::getSegment(const Node &node) {
  unsigned segment = node.index;
  while (segments[segment] != segment)
    segment = segments[segment] = segments[segments[segment]];
  return segment;
}

/// Joins the segments of `a` and `b` and all segments between them into one.
void FusionGraph::joinSegments(const Node &a, const Node &b) {
  auto [first, last] = std::minmax({getSegment(a), getSegment(b)});
  while (last != first) {
    segments[last] = last - 1;
    last = getSegment(*nodes[last]);
  }
}

/// Returns the indices of the nodes that `node` needs through a third node.
/// Segments before the segment of `first` are not searched. Positions alone
/// could not bound the search: an earlier node can need a node that was merged
/// into a later one. Both are in one segment then, and no node needs a later
/// segment.
llvm::BitVector FusionGraph::findIndirect(Node &node, const Node &first) {
  const unsigned begin = getSegment(first);
  llvm::BitVector entered(nodes.size()), indirect(nodes.size());
  SmallVector<Node *> work;
  auto enter = [&](Node *before) {
    if (getSegment(*before) < begin || entered.test(before->index))
      return;
    entered.set(before->index);
    work.push_back(before);
  };
  llvm::for_each(getPredecessors(node), enter);
  while (!work.empty())
    for (Node *before : getPredecessors(*work.pop_back_val())) {
      indirect.set(before->index);
      enter(before);
    }
  return indirect;
}

/// Whether `to` needs `from` through a third node.
bool FusionGraph::reaches(Node &from, Node &to) {
  return getSegment(from) <= getSegment(to) &&
         findIndirect(to, from).test(from.index);
}

bool isOnGPU(Operation *op) {
  return getPlace(op->getResult(0)).kind == Place::Kind::Cuda;
}

FailureOr<LoopNest> FusionGraph::getNest(ArrayRef<Operation *> roots,
                                         ArrayRef<const Node *> nodes) {
  SmallVector<Value> values;
  for (Operation *root : roots)
    values.push_back(root->getResult(0));
  return LoopNest::get(values, [&](Operation *op) {
    return llvm::any_of(
        nodes, [&](const Node *node) { return node->body.contains(op); });
  });
}

/// Whether a GPU computes the nest tile by tile.
static bool isTiled(const LoopNest &nest) {
  std::optional<Contraction> contraction = Contraction::get(nest);
  return contraction && contraction->findTiles(nest);
}

/// Whether a GPU computes the kernel tile by tile: a product with tiles must be
/// the kernel's only one, and the rest of the kernel must be its epilogue.
bool FusionGraph::hasTiledContraction(const Node &node) {
  if (!isOnGPU(node.roots.front()) ||
      llvm::none_of(node.body, [](Operation *op) {
        return hasFamily(op, OpFamily::Contraction);
      }))
    return false;
  FailureOr<LoopNest> nest = getNest(node.roots, &node);
  return succeeded(nest) && isTiled(*nest);
}

bool FusionGraph::fitsOneKernel(const Node &a, const Node &b) {
  llvm::SmallPtrSet<Operation *, 2> products;
  unsigned cost = 0;
  for (const Node *node : {&a, &b})
    for (Operation *op : node->body) {
      cost += getCost(op);
      if (isLargeProduct(op))
        products.insert(op);
    }
  return cost <= kMostCost && products.size() <= 1;
}

bool FusionGraph::canMerge(Node &a, Node &b) {
  if (a.roots.size() + b.roots.size() > kMaxRoots)
    return false;
  if (!fitsOneKernel(a, b))
    return false;
  auto reduces = [](Node &node) {
    return llvm::any_of(node.body,
                        [](Operation *op) { return isa<ReductionOp>(op); });
  };
  // Other kernels read and write along other dims.
  if (isTransposed(a) || isTransposed(b))
    return false;
  // Elementwise work next to a reduction would be repeated for each register
  // tile of the reduction, unless it is an epilogue.
  if (llvm::any_of(a.body, isNeverFused) || llvm::any_of(b.body, isNeverFused))
    return false;
  bool isMixed = reduces(a) != reduces(b);
  if (isMixed && (isStep(a) || isStep(b)))
    return false;
  if (isMixed) {
    Node &reducing = reduces(a) ? a : b, &work = reduces(a) ? b : a;
    if (llvm::none_of(work.inputs, [&](Value input) {
          return reducing.body.contains(input.getDefiningOp());
        }))
      return false;
  }

  SmallVector<Operation *> roots(a.roots.begin(), a.roots.end());
  llvm::append_range(roots, b.roots);
  FailureOr<LoopNest> nest = getNest(roots, {&a, &b});
  if (failed(nest) ||
      ((hasTiledContraction(a) || hasTiledContraction(b)) && !isTiled(*nest)))
    return false;

  // Every root must run over all root loops, except for a few loops that a
  // register tile can hold in full; reductions must share their loops.
  LoopSet common = nest->getRootLoops();
  for (const Access &root : nest->getRoots())
    common &= nest->getLoopsOf(root.tensor, *root.at);
  if (isMixed && (nest->getRootLoops() & ~common))
    return false;
  int64_t unrolled = 1;
  for (unsigned loop = 0; loop < nest->getLoops().size(); ++loop)
    if (contains(nest->getRootLoops() & ~common, loop)) {
      int64_t extent = nest->getLoops()[loop].extent;
      // An empty tile would skip the other roots, too.
      if (!reduces(a) || ShapedType::isDynamic(extent) || extent == 0)
        return false;
      unrolled *= extent;
      if (unrolled > kMaxUnrolled)
        return false;
    }
  for (const Reduction &reduction : nest->getReductions())
    if (reduction.loops != nest->getReductions().front().loops ||
        nest->isLaterStage(reduction))
      return false;
  // If `b` depends on the result of a reduction in `a`, it is a later stage.
  if (!isMixed && reduces(a) && llvm::any_of(b.inputs, [&](Value input) {
        return a.body.contains(input.getDefiningOp());
      }))
    return false;
  return !reaches(b, a);
}

bool FusionGraph::isStep(const Node &node) const {
  return llvm::any_of(node.roots,
                      [&](Operation *root) { return steps.contains(root); });
}

bool FusionGraph::isTransposed(const Node &node) const {
  return transposed.contains(node.roots.front());
}

void FusionGraph::note(Node &node, const Node &more) {
  for (Value input : more.inputs)
    readers[input].push_back(&node);
  for (Operation *op : more.body)
    holders[op].push_back(&node);
}

FusionGraph::Node *FusionGraph::findReader(const Node &node, unsigned from) {
  Node *first = nullptr;
  for (Operation *root : node.roots)
    for (Node *reader : readers[root->getResult(0)])
      if (reader != &node && reader->isKernel && !reader->mergedInto &&
          reader->index >= from && (!first || reader->index < first->index) &&
          reader->inputs.contains(root->getResult(0)))
        first = reader;
  return first;
}

SmallVector<FusionGraph::Node *> FusionGraph::findRelated(const Node &node) {
  SmallVector<Node *> related;
  // Later entries belong to later nodes, except for merged ones.
  auto addNearest = [&](ArrayRef<Node *> noted, auto isRelated) {
    unsigned count = 0;
    for (Node *other : llvm::reverse(noted)) {
      if (count == kMostRelated)
        break;
      if (other->isKernel && !other->mergedInto && other->index < node.index &&
          isRelated(*other)) {
        related.push_back(other);
        ++count;
      }
    }
  };
  for (Value input : node.inputs) {
    if (!isa<RankedTensorType>(input.getType()))
      continue;
    addNearest(readers[input],
               [&](Node &other) { return other.inputs.contains(input); });
    if (Operation *op = input.getDefiningOp())
      addNearest(holders[op], [](Node &) { return true; });
  }
  llvm::sort(related, [](Node *a, Node *b) { return a->index < b->index; });
  related.erase(llvm::unique(related), related.end());
  return related;
}

void FusionGraph::merge(Node &a, Node &b) {
  note(a, b);
  joinSegments(a, b);
  a.roots.append(b.roots.begin(), b.roots.end());
  a.body.insert(b.body.begin(), b.body.end());
  a.inputs.insert(b.inputs.begin(), b.inputs.end());
  a.inputs.remove_if([&](Value input) {
    return input.getDefiningOp() && a.body.contains(input.getDefiningOp());
  });
  a.after.insert(b.after.begin(), b.after.end());
  a.position = std::min(a.position, b.position);
  for (Operation *root : b.roots)
    nodeOf[root] = &a;
  b.mergedInto = &a;
}

SmallVector<Operation *, 4> FusionGraph::getSharedRoots(Node &node,
                                                        Node *other) {
  SmallVector<Operation *, 4> roots;
  for (Operation *root : node.roots)
    if (llvm::any_of(readers[root->getResult(0)], [&](Node *user) {
          return user != &node && user != other && !user->mergedInto &&
                 user->inputs.contains(root->getResult(0));
        }))
      roots.push_back(root);
  return roots;
}

/// Drops roots that no other node reads: a value was to be stored because
/// several ops need it, but all of them are now in its kernel. The remaining
/// roots must still run over the same elements without it, and compute each
/// reduction once.
void FusionGraph::dropInnerRoots() {
  for (auto &node : nodes) {
    if (!node->isKernel || node->mergedInto || node->roots.size() == 1)
      continue;
    SmallVector<Operation *, 4> shared = getSharedRoots(*node, nullptr);
    if (shared.empty() || shared.size() == node->roots.size())
      continue;
    FailureOr<LoopNest> nest = getNest(shared, node.get());
    if (succeeded(nest) &&
        llvm::all_of(nest->getReductions(), [&](const Reduction &reduction) {
          return reduction.parallel == nest->getRootLoops();
        }))
      node->roots = shared;
  }
}

void FusionGraph::mergeKernels() {
  // Kernels that read one value or feed each other are candidates.
  for (auto &node : nodes) {
    Node &b = *node;
    if (!b.isKernel || b.mergedInto)
      continue;
    SmallVector<Node *> related = findRelated(b);
    if (related.empty())
      continue;
    llvm::BitVector indirect = findIndirect(b, *related.front());
    for (Node *a : related)
      if (!indirect.test(a->index) && canMerge(*a, b)) {
        merge(*a, b);
        break;
      }
  }
  dropInnerRoots();
}

FusionGraph::Followers FusionGraph::getFollowers() {
  Followers followers;
  for (auto &node : nodes) {
    if (node->mergedInto)
      continue;
    llvm::SmallPtrSet<Node *, 8> before;
    for (Node *predecessor : getPredecessors(*node))
      if (before.insert(predecessor).second)
        followers[predecessor].push_back(node.get());
  }
  return followers;
}

SmallVector<FusionGraph::Node *> FusionGraph::getOrder() {
  Followers followers = getFollowers();
  llvm::DenseMap<Node *, unsigned> waitsFor;
  for (auto &[node, next] : followers)
    for (Node *follower : next)
      ++waitsFor[follower];
  auto isLater = [](Node *a, Node *b) { return a->position > b->position; };
  llvm::PriorityQueue<Node *, std::vector<Node *>, decltype(isLater)> ready(
      isLater);
  for (auto &node : nodes)
    if (!node->mergedInto && !waitsFor.contains(node.get()))
      ready.push(node.get());
  SmallVector<Node *> order;
  while (!ready.empty()) {
    Node *node = ready.top();
    ready.pop();
    order.push_back(node);
    for (Node *follower : followers.lookup(node))
      if (--waitsFor[follower] == 0)
        ready.push(follower);
  }
  return order;
}

} // namespace tdc::td
