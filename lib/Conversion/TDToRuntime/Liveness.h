//===- Liveness.h - live ranges of a function's tensors -------------------===//
//
// Numbers the ops of a structured function and computes, for every tensor, the
// positions at which its bytes must be kept. A value that is defined outside of
// a loop and used inside is live until the loop ends; a value that is defined
// and used in the body is live only in a part of the body. A value with its
// last uses in the two sides of a branch is live in each side up to its last
// use there.
//
// td.reshape allocates no bytes: its result is an alias of its operand, and all
// facts are about the operand, the *root*.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_LIB_CONVERSION_TDTORUNTIME_LIVENESS_H
#define TDC_LIB_CONVERSION_TDTORUNTIME_LIVENESS_H

#include "ArenaLayout.h"
#include "Dialect/TD/IR/Views.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"

namespace tdc {

/// If the only use of a td.format is a print or assert in the same block,
/// returns that op: it produces the text piece by piece, so the format's
/// operands are needed there, and no string is made. Otherwise null.
mlir::Operation *getConsumer(td::FormatOp format);

using td::getRoot;

class Liveness {
public:
  /// The facts about one root.
  struct Facts {
    /// From the definition to the last use, in program order. If the last use
    /// is in an else side, there is a gap: the rest of the then side after its
    /// last use there.
    llvm::SmallVector<LiveRange, 1> ranges;
    /// The last op in the defining block that uses the root, directly or in one
    /// of its regions; null if there is no use.
    mlir::Operation *lastUser = nullptr;
    /// Whether the last user uses it in one of its regions.
    bool usedInRegion = false;

    unsigned getDefinition() const { return ranges.front().first; }
    unsigned getLastUse() const { return ranges.back().last; }
  };

  explicit Liveness(mlir::func::FuncOp function);

  /// All roots in program order.
  llvm::ArrayRef<mlir::Value> getRoots() const { return roots; }
  const Facts &getFacts(mlir::Value root) const {
    return facts.find(root)->second;
  }

  /// The op that begins at each position; null where a region begins or an op
  /// with regions ends.
  llvm::ArrayRef<mlir::Operation *> getOps() const { return ops; }
  unsigned getBegin(mlir::Operation *op) const {
    return extents.find(op)->second.first;
  }
  /// The position at the end of the last region of `op`; its beginning if it
  /// has none.
  unsigned getEnd(mlir::Operation *op) const {
    return extents.find(op)->second.second;
  }

private:
  void number(mlir::Block &block);
  void visit(mlir::Block &block);
  void define(mlir::ValueRange values, unsigned position);
  /// A position at which a value must be live: an op, or the end of a loop that
  /// contains the op.
  struct Use {
    mlir::Operation *op;
    unsigned position;
  };
  void use(mlir::ValueRange values, mlir::Operation *user);
  void addFacts(mlir::Value root, llvm::ArrayRef<Use> uses);
  void addRanges(Facts &fact, mlir::Block &block, llvm::ArrayRef<Use> uses);
  /// The position before the first op of a side of a branch.
  unsigned getBegin(mlir::Block &side) const {
    return getBegin(&side.front()) - 1;
  }

  llvm::SmallVector<mlir::Value> roots;
  llvm::DenseMap<mlir::Value, Facts> facts;
  llvm::MapVector<mlir::Value, llvm::SmallVector<Use, 2>> uses;
  llvm::SmallVector<mlir::Operation *> ops;
  llvm::DenseMap<mlir::Operation *, std::pair<unsigned, unsigned>> extents;
};

} // namespace tdc

#endif // TDC_LIB_CONVERSION_TDTORUNTIME_LIVENESS_H
