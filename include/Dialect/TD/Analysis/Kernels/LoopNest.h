//===- LoopNest.h - the loops that compute a group of td values -----------===//
//
// Kernels are written by pulling: a loop nest runs over the elements of its
// root values, and every value a root needs is computed at the coordinates at
// which it is asked for. This analysis follows those questions symbolically. It
// answers which loops there are, which of them a value depends on, and how
// every input is walked. Fusion asks it whether two values can share loops,
// backends ask it what to emit. It never edits IR.
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
  unsigned dim = 0;  ///< of which the size is asked
  /// The op that picks by the element, and where the element is read.
  mlir::Operation *picker = nullptr;
  const llvm::SmallVector<mlir::AffineExpr, 4> *at = nullptr;

  bool isPicked() const { return kind == AccessSymbol::Element; }
  bool operator==(const NestSymbol &other) const;
};

/// Where a dim of a tensor is read: dim i of the expression is loop i, symbol i
/// is symbol i of the nest. Equal coordinates are one object.
using Coordinate = mlir::AffineExpr;
using Coordinates = llvm::SmallVector<Coordinate, 4>;

/// The loop that the coordinate is, or -1.
int getLoop(Coordinate at);
/// The coordinate as a sum: its parts (loops, symbols) with their factors, and
/// a constant.
struct CoordinateSum {
  llvm::SmallVector<std::pair<mlir::AffineExpr, int64_t>, 4> parts;
  int64_t constant = 0;

  explicit CoordinateSum(Coordinate at);
  /// What the coordinate grows by when the loop does; 0 if it does not depend
  /// on it.
  int64_t getFactor(unsigned loop) const;
};

/// A set of loops.
using LoopSet = uint64_t;
/// The loops that stand in the coordinates themselves: not those of the places
/// where a picked index is read.
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
  /// The operands whose elements are combined; sizes follow them.
  unsigned countFactors() const;
  /// Where a term is along the dims that are reduced, counted row by row.
  Coordinate getPosition() const;
};

/// How an input is read or a root is written.
struct Access {
  mlir::Value tensor;
  const Coordinates *at;
};

class LoopNest {
public:
  /// The nest that computes `roots`, each in full; operands of the roots are
  /// followed through the ops for which `isInside` holds, all others are
  /// inputs. Fails when a root cannot share the first one's loops, when more
  /// than 64 loops are needed, or when a reduction is read at two positions or
  /// at a picked index: a nest computes it once. No loop is made for dims of
  /// size 1, but, with `loopsOverOne`, for the last one of each root.
  static mlir::FailureOr<LoopNest>
  get(llvm::ArrayRef<mlir::Value> roots,
      llvm::function_ref<bool(mlir::Operation *)> isInside,
      bool loopsOverOne = false);
  /// The same of roots in the body of a kernel: only updates are inputs.
  static mlir::FailureOr<LoopNest>
  getOfKernel(llvm::ArrayRef<mlir::Value> roots, bool loopsOverOne = false);

  llvm::ArrayRef<Loop> getLoops() const { return loops; }
  /// The extent of a loop; one that only a run knows is taken for some hundred.
  int64_t estimateExtent(unsigned loop) const;
  /// Of all loops together.
  int64_t estimatePositions(llvm::ArrayRef<unsigned> loops) const;
  llvm::ArrayRef<Access> getRoots() const { return roots; }
  /// In dependency order.
  llvm::ArrayRef<Reduction> getReductions() const { return reductions; }
  llvm::ArrayRef<Access> getInputs() const { return inputs; }

  /// Loops that some root runs over; the others are reduction loops.
  LoopSet getRootLoops() const { return rootLoops; }
  /// The reduction that computes `op`, null for any other op.
  const Reduction *findReduction(mlir::Operation *op) const;

  /// The coordinates at which operand `index` of `op` is read when result 0 of
  /// `op` is asked for at `at`. `op` is inside the nest.
  const Coordinates &operandAt(mlir::Operation *op, unsigned index,
                               const Coordinates &at) const;
  /// The computed value or input that `value` is a view of: what remains after
  /// following the nest's ops that only move elements, and where it is read.
  Access getMoved(mlir::Value value, const Coordinates &at) const;
  /// The input of which the value at `at` is an element, moved but not
  /// computed; without a tensor if there is none.
  Access getSource(mlir::Value value, const Coordinates &at) const;
  /// The loops on which the value depends when asked for at `at`.
  LoopSet getLoopsOf(mlir::Value value, const Coordinates &at) const;
  /// Whether a reduction of the nest has to be done before.
  bool needsReduction(mlir::Value value, const Coordinates &at) const;
  /// Whether the terms of a reduction need the result of one, if only to be
  /// picked by it: the two cannot share their loops.
  bool isLaterStage(const Reduction &reduction) const;
  bool isInside(mlir::Operation *op) const { return inside.count(op); }

  /// The symbol that the expression is.
  const NestSymbol &getSymbol(mlir::AffineExpr symbol) const {
    return symbols[llvm::cast<mlir::AffineSymbolExpr>(symbol).getPosition()];
  }
  /// The symbol of a coordinate that is picked by an index tensor, null if none
  /// is.
  const NestSymbol *findPicked(Coordinate at) const;
  /// Whether an element of an index tensor that varies with the loop is in the
  /// coordinate.
  bool isPickedBy(Coordinate at, unsigned loop) const;
  /// Where `part` of `update` writes the elements of the root, which is its
  /// operand.
  Coordinates getPlace(UpdateOp update, const UpdatePart &part);

  /// A line for each loop, root, reduction and input, with the coordinates at
  /// which they are asked for; `names` are those of the IR around.
  void print(llvm::raw_ostream &os, mlir::AsmState &names) const;

private:
  friend class LoopNestBuilder;

  const Coordinates *intern(Coordinates at) const;
  mlir::AffineExpr getSymbol(const NestSymbol &symbol, mlir::MLIRContext *);
  /// What `access` of `op` reads at `domain` when the op is asked for at `at`.
  Coordinates compose(mlir::Operation *op, const AccessMap &access,
                      llvm::ArrayRef<Coordinate> domain, const Coordinates *at);

  llvm::SmallVector<Loop> loops;
  llvm::SmallVector<Access> roots;
  llvm::SmallVector<Reduction> reductions;
  llvm::SmallVector<Access> inputs;
  llvm::SmallVector<NestSymbol> symbols;
  llvm::SmallPtrSet<mlir::Operation *, 16> inside;
  LoopSet rootLoops = 0;
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
