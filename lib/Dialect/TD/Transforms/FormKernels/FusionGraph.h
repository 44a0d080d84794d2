//===- FusionGraph.h - which ops of a block become which kernel -----------===//
//
// A graph over one block. A node is either a kernel in the making, known by its
// roots (the values it must store), or an op that stays on the host. Ops
// between a root and the inputs belong to every kernel that needs them:
// recomputing an elementwise op costs less than storing what it gives.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_DIALECT_TD_TRANSFORMS_FORMKERNELS_FUSIONGRAPH_H
#define TDC_DIALECT_TD_TRANSFORMS_FORMKERNELS_FUSIONGRAPH_H

#include "Dialect/TD/Analysis/Kernels/LoopNest.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SetVector.h"

namespace tdc::td {

/// Whether form-kernels puts the op into kernels; the other compute ops (random
/// numbers on the cpu, constants, reshapes that are another view of the same
/// bytes) are the host's.
bool isKernelOp(mlir::Operation *op);
/// Whether what the op gives is on a GPU, and the op runs there.
bool isOnGPU(mlir::Operation *op);

/// Whether the kernel of the op computes no other root: an update, a scan, or a
/// random permutation, which no loops over elements make.
bool standsAlone(mlir::Operation *op);

/// Roots above this number make code larger without saving traffic.
constexpr unsigned kMaxRoots = 16;
/// Reductions whose results one kernel puts together: a thread keeps them all,
/// and each has loops of its own, of which a nest has at most 64.
constexpr unsigned kMaxReductions = 8;

class FusionGraph {
public:
  struct Node {
    /// A kernel: the ops whose results it stores. A host op: the op itself.
    llvm::SmallVector<mlir::Operation *, 4> roots;
    bool isKernel = false;
    Node *mergedInto = nullptr; ///< if so, it is to be skipped
    /// Of a kernel: all ops it computes, roots included.
    llvm::SetVector<mlir::Operation *> body;
    /// What it needs from outside, in the order of first use.
    llvm::SetVector<mlir::Value> inputs;
    /// Nodes that must stay before it though it does not use their values.
    llvm::SetVector<Node *> after;
    /// Position in the block, to keep the program's order where it is free.
    unsigned position = 0;
    unsigned index = 0; ///< in `nodes`
  };

  explicit FusionGraph(mlir::Block &block);

  /// Merges kernels where that saves memory traffic.
  void mergeKernels();
  /// Merges kernels of a GPU that are stages of the work on one row.
  void mergeRows();

  /// All nodes left, each after everything that it needs.
  llvm::SmallVector<Node *> getOrder();

private:
  void findSteps(mlir::Block &block);
  /// The work between a value and the stored values that it is computed from.
  struct Unstored {
    unsigned reductions = 0;
    unsigned cost = 0;
    bool mayFail = false;
    unsigned seenBefore = 0; ///< observable ops that precede it
  };
  /// Whether `op` wants its operand stored rather than computed where it is
  /// read. `seen` observable ops precede `op`.
  bool mustStore(mlir::Operation *op, mlir::Value operand,
                 const Unstored &unstored, unsigned seen) const;
  void chooseRoots(mlir::Block &block);
  void collectBody(Node &node, mlir::Operation *op);
  void addOrderEdges(mlir::Block &block);
  llvm::SmallVector<Node *> getPredecessors(Node &node);
  unsigned getSegment(const Node &node);
  void joinSegments(const Node &a, const Node &b);
  llvm::BitVector findIndirect(Node &node, const Node &first);
  bool reaches(Node &from, Node &to);
  /// The nest that computes `roots` from what the nodes read.
  static mlir::FailureOr<LoopNest>
  getNest(llvm::ArrayRef<mlir::Operation *> roots,
          llvm::ArrayRef<const Node *> nodes);
  static bool hasTiledProduct(const Node &node);
  /// Whether the node is a part of the step of an optimizer on a GPU.
  bool isStep(const Node &node) const;
  /// Whether one kernel can compute both; `b` does not need `a` through a third
  /// node.
  bool canMerge(Node &a, Node &b);
  void merge(Node &a, Node &b);
  bool mergeRow(Node &a, Node &b);
  /// Notes who reads and computes what of a node, once it has more of it.
  void note(Node &node, const Node &more);
  /// The first kernel from number `from` on that reads a root of `node`; null
  /// if there is none.
  Node *findReader(const Node &node, unsigned from);
  /// The kernels before `node` that read what it reads, or compute it, in
  /// order: of each value only the nearest.
  llvm::SmallVector<Node *> findRelated(const Node &node);
  /// The roots of `node` that somebody else needs, `other` (which may be null)
  /// left out.
  llvm::SmallVector<mlir::Operation *, 4> getSharedRoots(Node &node,
                                                         Node *other);
  void dropInnerRoots();
  Node *find(mlir::Operation *op);

  std::vector<std::unique_ptr<Node>> nodes;
  /// The nodes in order, cut where none needs a later one: a node, or all from
  /// the first to the last of those that were merged. Each has the number of
  /// one before it in its segment; the first has its own.
  std::vector<unsigned> segments;
  llvm::DenseMap<mlir::Operation *, Node *> nodeOf;
  /// The nodes that have a value among their inputs, or an op in their body;
  /// and some that had.
  llvm::DenseMap<mlir::Value, llvm::SmallVector<Node *, 2>> readers;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<Node *, 2>> holders;
  llvm::DenseSet<mlir::Operation *> stored;
  /// Elementwise ops that lead to new parameters and moments on a GPU.
  llvm::DenseSet<mlir::Operation *> steps;
};

} // namespace tdc::td

#endif // TDC_DIALECT_TD_TRANSFORMS_FORMKERNELS_FUSIONGRAPH_H
