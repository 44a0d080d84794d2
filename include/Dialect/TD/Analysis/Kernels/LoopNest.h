//===- LoopNest.h - the loops that compute a group of td values -----------===//
//
// Kernels pull their values: a loop nest runs over the elements of its root
// values, and each value that a root needs is computed at the coordinates at
// which it is read. This analysis follows these reads symbolically. It finds
// the loops, the loops that each value depends on, and the coordinates at which
// each input is read. Fusion uses it to decide whether two values can share
// loops, backends use it to emit code. It never edits IR.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_DIALECT_TD_ANALYSIS_KERNELS_LOOPNEST_H
#define TDC_DIALECT_TD_ANALYSIS_KERNELS_LOOPNEST_H

#include "Dialect/TD/IR/TD.h"
#include "llvm/ADT/MapVector.h"
#include <deque>
#include <map>
#include <memory>

namespace tdc::td {

/// One loop: from 0 to the extent of dim `dim` of `tensor`.
struct Loop {
  int64_t extent; ///< or ShapedType::kDynamic
  mlir::Value tensor;
  unsigned dim;
};

/// A term of a coordinate that is not a loop: an i64, the size of a dim, or an
/// element of an index tensor.
struct NestSymbol {
  AccessSymbol::Kind kind;
  mlir::Value value; ///< the i64, the tensor, or the index tensor
  unsigned dim = 0;  ///< of `value`, if the symbol is a size
  /// The op that uses the element as an index, and the coordinates at which the
  /// element is read.
  mlir::Operation *picker = nullptr;
  const llvm::SmallVector<mlir::AffineExpr, 4> *at = nullptr;

  bool isPicked() const { return kind == AccessSymbol::Element; }
  bool operator==(const NestSymbol &other) const;
};

/// The index at which a dim of a tensor is read. In the expression, dim i is
/// loop i and symbol i is symbol i of the nest. Equal coordinates are one
/// object.
using Coordinate = mlir::AffineExpr;
using Coordinates = llvm::SmallVector<Coordinate, 4>;

/// The number of the loop that the coordinate is; -1 if it is anything else.
int getLoop(Coordinate at);
/// The coordinate as a sum: its parts (loops, symbols) with their factors, and
/// a constant.
struct CoordinateSum {
  llvm::SmallVector<std::pair<mlir::AffineExpr, int64_t>, 4> parts;
  int64_t constant = 0;

  explicit CoordinateSum(Coordinate at);
  /// The growth of the coordinate per iteration of the loop; 0 if it does not
  /// depend on the loop.
  int64_t getFactor(unsigned loop) const;
};

/// A set of loops.
using LoopSet = uint64_t;

inline LoopSet toLoopSet(unsigned loop) { return LoopSet(1) << loop; }
LoopSet toLoopSet(llvm::ArrayRef<unsigned> loops);
inline bool contains(LoopSet set, unsigned loop) { return set >> loop & 1; }
/// The loops that the coordinates contain directly, without the loops at which
/// a picked index is read.
LoopSet getLoops(Coordinate at);
LoopSet getLoops(const Coordinates &at);

/// A reduction inside a nest.
struct Reduction {
  mlir::Operation *op;
  const Coordinates *at;                ///< coordinates of its result
  llvm::SmallVector<unsigned, 2> loops; ///< the loops that it sums over
  LoopSet parallel = 0;                 ///< the loops of `at`

  ReduceKind getCombination() const;
  /// Whether the result is the index of an element.
  bool givesIndex() const;
  /// Whether products of elements of two operands are summed.
  bool isContraction() const;
  /// The number of operands with elements that are combined; sizes follow these
  /// operands.
  unsigned countFactors() const;
  /// The row-major index of a term along the reduced dims.
  Coordinate getPosition() const;
};

/// The coordinates at which an input is read or a root is written.
struct Access {
  mlir::Value tensor;
  const Coordinates *at;
};

class LoopNest {
public:
  /// The nest that computes all elements of `roots`. Operands of the roots are
  /// followed through the ops for which `isInside` holds; all other values are
  /// inputs. Fails if a root shares no loop with the roots before it, if an
  /// inside op is not pulled, if more than 64 loops are needed, or if a
  /// reduction is read at two positions or at a picked index: a nest computes
  /// it once. A dim of size 1 has no loop, except, with `loopsOverOne`, the
  /// last dim of each root.
  static mlir::FailureOr<LoopNest>
  get(llvm::ArrayRef<mlir::Value> roots,
      llvm::function_ref<bool(mlir::Operation *)> isInside,
      bool loopsOverOne = false);
  /// The nest of roots in the body of a kernel: only arguments and results of
  /// updates and of stages are inputs.
  static mlir::FailureOr<LoopNest>
  getOfKernel(llvm::ArrayRef<mlir::Value> roots, bool loopsOverOne = false);

  llvm::ArrayRef<Loop> getLoops() const { return loops; }
  int64_t getExtent(unsigned loop) const { return loops[loop].extent; }
  /// The extent of a loop; for a run-time extent, the size that cost estimates
  /// use.
  int64_t estimateExtent(unsigned loop) const;
  /// Makes estimateExtent() return `extent` for run-time extents.
  void assumeRunTimeExtents(int64_t extent) { runTimeExtent = extent; }
  /// Makes the nest compute only the first `extent` positions along the loop.
  void cutLoop(unsigned loop, int64_t extent) { loops[loop].extent = extent; }
  /// Makes a root a value that it is computed from, at the same coordinates.
  void replaceRoot(unsigned root, const Access &by) { roots[root] = by; }
  /// The product of the estimated extents of `loops`.
  int64_t estimatePositions(llvm::ArrayRef<unsigned> loops) const;
  /// The same for a set; as a float, since that of all loops may be large.
  double estimatePositions(LoopSet loops) const;
  /// The bytes of the elements that the nest reads, or of those it stores.
  double estimateBytes(const Access &access) const;
  llvm::ArrayRef<Access> getRoots() const { return roots; }
  /// In dependency order.
  llvm::ArrayRef<Reduction> getReductions() const { return reductions; }
  /// The reductions in the same order, in runs that can share their loops:
  /// consecutive reductions over the same loops, of which only the first may be
  /// a later stage.
  llvm::SmallVector<llvm::ArrayRef<Reduction>> getReductionRuns() const;
  llvm::ArrayRef<Access> getInputs() const { return inputs; }

  /// Loops that some root runs over; the others are reduction loops.
  LoopSet getRootLoops() const { return rootLoops; }
  /// Loops that the result of some reduction runs over.
  LoopSet getResultLoops() const;
  /// The reduction of `op`; null if `op` is no reduction of the nest.
  const Reduction *findReduction(mlir::Operation *op) const;

  /// The coordinates at which operand `index` of `op` is read when result 0 of
  /// `op` is computed at `at`. `op` must be inside the nest.
  const Coordinates &operandAt(mlir::Operation *op, unsigned index,
                               const Coordinates &at) const;
  /// Operand `index` of a reduction, where its terms read it.
  Access getOperand(const Reduction &reduction, unsigned index) const {
    return {reduction.op->getOperand(index),
            &operandAt(reduction.op, index, *reduction.at)};
  }
  /// The computed value or input that `value` at `at` is moved from, and the
  /// coordinates at which it is read: follows the ops of the nest that only
  /// move elements.
  Access getMoved(mlir::Value value, const Coordinates &at) const;
  /// The input that the element of `value` at `at` is moved from, without any
  /// computation; the tensor is null if there is none.
  Access getSource(mlir::Value value, const Coordinates &at) const;
  /// The loops that `value` depends on when read at `at`.
  LoopSet getLoopsOf(mlir::Value value, const Coordinates &at) const;
  /// Whether `value` at `at` needs the result of a reduction of the nest.
  bool needsReduction(mlir::Value value, const Coordinates &at) const;
  /// Whether the terms of `reduction` need the result of a reduction, even if
  /// only as an index: the two cannot share their loops.
  bool isLaterStage(const Reduction &reduction) const;
  bool isInside(mlir::Operation *op) const { return inside.count(op); }

  /// The symbol of the nest that the expression `symbol` is.
  const NestSymbol &getSymbol(mlir::AffineExpr symbol) const {
    return symbols[llvm::cast<mlir::AffineSymbolExpr>(symbol).getPosition()];
  }
  /// The symbol in the coordinate that is an element of an index tensor; null
  /// if there is none.
  const NestSymbol *findPicked(Coordinate at) const;
  /// Whether an index tensor picks some position of the access.
  bool isPicked(const Access &access) const;
  /// Whether the coordinate contains an element of an index tensor that varies
  /// with the loop.
  bool isPickedBy(Coordinate at, unsigned loop) const;
  /// The coordinates at which `part` of `update` writes the elements of the
  /// root, which is the operand of that part.
  Coordinates getPosition(UpdateOp update, const UpdatePart &part);

  /// Prints a line for each loop, root, reduction and input, with the
  /// coordinates at which it is read; `names` has the names of the surrounding
  /// IR.
  void print(llvm::raw_ostream &os, mlir::AsmState &names) const;

private:
  friend class LoopNestBuilder;

  const Coordinates *intern(Coordinates at) const;
  mlir::AffineExpr getSymbol(const NestSymbol &symbol, mlir::MLIRContext *);
  /// The coordinates that `access` of `op` reads at `domain` when `op` is
  /// computed at `at`.
  Coordinates compose(mlir::Operation *op, const AccessMap &access,
                      llvm::ArrayRef<Coordinate> domain, const Coordinates *at);

  llvm::SmallVector<Loop> loops;
  llvm::SmallVector<Access> roots;
  llvm::SmallVector<Reduction> reductions;
  llvm::SmallVector<Access> inputs;
  llvm::SmallVector<NestSymbol> symbols;
  llvm::SmallPtrSet<mlir::Operation *, 16> inside;
  LoopSet rootLoops = 0;
  std::optional<int64_t> runTimeExtent;
  /// Owns all coordinates; a deque, so that they keep their addresses.
  std::shared_ptr<std::deque<Coordinates>> pool;
  std::map<std::tuple<mlir::Operation *, unsigned, const Coordinates *>,
           const Coordinates *>
      operands;
  struct Dependence {
    LoopSet loops = 0;
    bool onReduction = false;
  };
  const Dependence &getDependence(mlir::Value value,
                                  const Coordinates &at) const;
  mutable std::map<std::pair<void *, const Coordinates *>, Dependence>
      dependence;
};

} // namespace tdc::td

#endif // TDC_DIALECT_TD_ANALYSIS_KERNELS_LOOPNEST_H
