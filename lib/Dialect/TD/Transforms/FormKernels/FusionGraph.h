//===- FusionGraph.h - how the ops of a block form kernels ----------------===//
//
// A graph over one block. A node is either a future kernel, identified by its
// roots (the values it must store), or an op that stays on the host. Ops
// between a root and the inputs belong to every kernel that needs them:
// recomputing an elementwise op costs less than storing its result.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_LIB_DIALECT_TD_TRANSFORMS_FORMKERNELS_FUSIONGRAPH_H
#define TDC_LIB_DIALECT_TD_TRANSFORMS_FORMKERNELS_FUSIONGRAPH_H

#include "Dialect/TD/Analysis/Kernels/LoopNest.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SetVector.h"

namespace tdc::td {

/// Whether td-form-kernels puts the op into kernels. The host runs the other
/// compute ops: random numbers on the cpu, constants, and reshapes that only
/// view the same bytes.
bool isKernelOp(mlir::Operation *op);
/// Whether the op's result is on a GPU, and so the op runs there.
bool isOnGPU(mlir::Operation *op);

/// Whether the kernel of the op computes no other root: an update, a scan, or a
/// random permutation, which loops over single elements cannot compute.
bool isNeverFused(mlir::Operation *op);

/// Whether the product takes so long that it has a kernel without another one:
/// schedules are made for one product.
bool isLargeProduct(mlir::Operation *op);

/// Instructions per element of the op.
unsigned getCost(mlir::Operation *op);
/// Instructions per element above which a value is stored rather than
/// recomputed.
constexpr unsigned kCheapCost = 8;
/// The most roots of a kernel: more make the code larger without saving memory
/// traffic.
constexpr unsigned kMaxRoots = 16;
/// The most reductions of a kernel: a thread keeps the results of all of them,
/// and each has its own loops, of which a nest has at most 64.
constexpr unsigned kMaxReductions = 8;
/// The most instructions per element of a kernel: compared with them one more
/// store costs nothing, and code generation takes more than linear time for a
/// kernel.
constexpr unsigned kMostCost = 500;

class FusionGraph {
public:
  struct Node {
    /// For a kernel, the ops with results that it stores; for a host op, the op
    /// itself.
    llvm::SmallVector<mlir::Operation *, 4> roots;
    bool isKernel = false;
    Node *mergedInto = nullptr; ///< if set, this node is skipped
    /// All ops that a kernel computes, roots included.
    llvm::SetVector<mlir::Operation *> body;
    /// Values that it needs from outside, in the order of first use.
    llvm::SetVector<mlir::Value> inputs;
    /// Nodes that must precede it although it does not use their values.
    llvm::SetVector<Node *> after;
    /// Position in the block: the program's order is kept where dependences
    /// allow several.
    unsigned position = 0;
    unsigned index = 0; ///< in `nodes`
  };

  explicit FusionGraph(mlir::Block &block);

  /// Merges kernels where that saves memory traffic.
  void mergeKernels();
  /// Merges kernels that are stages of the work on one row.
  void mergeRows();
  /// Merges kernels on the CPU with the border that is made around their
  /// result.
  void mergeBorders();

  /// Orders the last kernel that updates a part of a value after its other
  /// readers.
  void orderUpdates();

  /// Returns the nodes that are left, each after all nodes that it needs.
  llvm::SmallVector<Node *> getOrder();

  /// Whether the node is a transposed copy of a factor.
  bool isTransposed(const Node &node) const;

private:
  void findSteps(mlir::Block &block);
  /// The work between a value and the stored values that it is computed from.
  struct Unstored {
    unsigned reductions = 0;
    unsigned products = 0; ///< large ones
    unsigned cost = 0;
    bool mayFail = false;
    unsigned seenBefore = 0; ///< observable ops that precede it
  };
  /// Whether `operand` must be stored rather than computed where `op` reads it.
  /// `seen` is the number of observable ops that precede `op`.
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
  /// By node, the nodes that it must precede: each once.
  using Followers = llvm::DenseMap<Node *, llvm::SmallVector<Node *>>;
  Followers getFollowers();
  /// The nest that computes `roots` from the inputs of `nodes`.
  static mlir::FailureOr<LoopNest>
  getNest(llvm::ArrayRef<mlir::Operation *> roots,
          llvm::ArrayRef<const Node *> nodes);
  static bool hasTiledContraction(const Node &node);
  /// Whether the node is part of an optimizer's step on a GPU.
  bool isStep(const Node &node) const;
  /// Whether the work of both is not too much for one kernel.
  static bool fitsOneKernel(const Node &a, const Node &b);
  /// Whether one kernel can compute both. Expects that `b` does not need `a`
  /// through a third node.
  bool canMerge(Node &a, Node &b);
  void merge(Node &a, Node &b);
  bool mergeRow(Node &a, Node &b);
  bool mergeBorder(Node &a, Node &b);
  /// Records `node` in `readers` and `holders` for the inputs and the body of
  /// `more`.
  void note(Node &node, const Node &more);
  /// The first kernel with index `from` or higher that reads a root of `node`;
  /// null if there is none.
  Node *findReader(const Node &node, unsigned from);
  /// The kernels before `node`, in order, that read or compute one of its
  /// inputs: of each input only the nearest ones.
  llvm::SmallVector<Node *> findRelated(const Node &node);
  /// The roots of `node` that a third node reads; `other`, which may be null,
  /// does not count.
  llvm::SmallVector<mlir::Operation *, 4> getSharedRoots(Node &node,
                                                         Node *other);
  void dropInnerRoots();
  Node *find(mlir::Operation *op);

  std::vector<std::unique_ptr<Node>> nodes;
  /// Cuts the nodes in order into segments, so that no node needs a node of a
  /// later segment. A segment is one node, or all nodes from the first to the
  /// last of a merge. Union-find: a node has the index of an earlier node of
  /// its segment, the first node its own.
  std::vector<unsigned> segments;
  llvm::DenseMap<mlir::Operation *, Node *> nodeOf;
  /// By value, the nodes that have it among their inputs; by op, the nodes that
  /// have it in their body. Some of the nodes may no longer have it.
  llvm::DenseMap<mlir::Value, llvm::SmallVector<Node *, 2>> readers;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<Node *, 2>> holders;
  llvm::DenseSet<mlir::Operation *> stored;
  /// Elementwise ops that compute new parameters and moments on a GPU.
  llvm::DenseSet<mlir::Operation *> steps;
  /// Factors of products on a CPU that are transposed before.
  llvm::DenseSet<mlir::Operation *> transposed;
};

} // namespace tdc::td

#endif // TDC_LIB_DIALECT_TD_TRANSFORMS_FORMKERNELS_FUSIONGRAPH_H
