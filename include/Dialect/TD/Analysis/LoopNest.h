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

#ifndef TDC_DIALECT_TD_ANALYSIS_LOOPNEST_H
#define TDC_DIALECT_TD_ANALYSIS_LOOPNEST_H

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

struct Coordinate;
using Coordinates = llvm::SmallVector<Coordinate, 4>;

/// Where a dim of a tensor is read: scale * x + constant + Σ factor * term,
/// where x is a loop, an element of an index tensor, or nothing.
struct Coordinate {
  int loop = -1; ///< -1: no loop takes part
  /// The op that picks by index (gather and scatter ops, whose operand 0 is
  /// indexed along their dim by operand 1), or null …
  mlir::Operation *picker = nullptr;
  const Coordinates *indexAt = nullptr; ///< … and where its index is read
  int64_t scale = 1;
  int64_t constant = 0;
  llvm::SmallVector<std::pair<mlir::Value, int64_t>, 1> terms; ///< i64 scalars

  mlir::Value getIndices() const { return picker->getOperand(1); }
  bool isLoop() const {
    return loop >= 0 && scale == 1 && constant == 0 && terms.empty();
  }
  bool isZero() const {
    return loop < 0 && !picker && constant == 0 && terms.empty();
  }
  bool operator==(const Coordinate &other) const;
};

/// A set of loops.
using LoopSet = uint64_t;
/// The loops that stand in the coordinates themselves: not those of the places
/// where a picked index is read.
LoopSet getLoops(const Coordinates &at);

/// A reduction (td.reduce, td.matmul, td.arg_reduce) inside a nest.
struct Reduction {
  mlir::Operation *op;
  const Coordinates *at;                ///< coordinates of its result
  llvm::SmallVector<unsigned, 2> loops; ///< the loops that it sums over
  LoopSet parallel = 0;                 ///< the loops of `at`
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

  /// A line for each loop, root, reduction and input, with the coordinates at
  /// which they are asked for; `names` are those of the IR around.
  void print(llvm::raw_ostream &os, mlir::AsmState &names) const;

private:
  friend class LoopNestBuilder;

  const Coordinates *intern(Coordinates at) const;

  llvm::SmallVector<Loop> loops;
  llvm::SmallVector<Access> roots;
  llvm::SmallVector<Reduction> reductions;
  llvm::SmallVector<Access> inputs;
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

/// Whether the op is computed element by element where it is asked for, so that
/// it can be repeated in several kernels: elementwise ops, constructors, random
/// numbers and movement.
bool isInlineOp(mlir::Operation *op);
/// Whether the op is a reduction for LoopNest.
bool isReductionOp(mlir::Operation *op);
/// Whether the op writes only a part of its result and takes the rest from
/// elsewhere; it is never inside a LoopNest.
bool isUpdateOp(mlir::Operation *op);
/// Whether a reshape only adds or drops dims of size 1.
bool isUnitReshape(mlir::Operation *op);

} // namespace tdc::td

#endif // TDC_DIALECT_TD_ANALYSIS_LOOPNEST_H
