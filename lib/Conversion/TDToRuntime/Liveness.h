//===- Liveness.h - when the tensors of a function are needed -------------===//
//
// Numbers the ops of a structured function and says for every tensor from which
// position to which its bytes must be kept. A value from outside a loop that is
// used inside is needed until the loop ends; one that is made and used in the
// body only for a part of the body. A value whose last uses are in the two
// sides of a branch is live in each side up to its last use there.
//
// td.reshape makes no bytes: its result is another name of its operand, and all
// facts are about the operand, the *root*.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_LIB_CONVERSION_TDTORUNTIME_LIVENESS_H
#define TDC_LIB_CONVERSION_TDTORUNTIME_LIVENESS_H

#include "ArenaLayout.h"
#include "Dialect/TD/Analysis/Placement/ValueFlow.h"
#include "Dialect/TD/IR/TD.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"

namespace tdc {

/// The op that a td.format is made for: the print or assert of the same block
/// that is its only use. The text is then produced there, piece by piece, and
/// its operands are needed there. Null if the string is made where it stands.
mlir::Operation *getConsumer(td::FormatOp format);

using td::getRoot;

class Liveness {
public:
  /// What is known of one root.
  struct Facts {
    /// From the definition to the last use, in program order. If the last use
    /// is in an else side there is a gap: the rest of the then side after the
    /// last use in it.
    llvm::SmallVector<LiveRange, 1> ranges;
    /// The last op of the defining block that uses it, itself or in a region;
    /// null if there is no use.
    mlir::Operation *lastUser = nullptr;
    /// The last user has the use in one of its regions.
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

  /// The op that begins at a position, null where a region begins or its op
  /// ends.
  llvm::ArrayRef<mlir::Operation *> getOps() const { return ops; }
  unsigned getBegin(mlir::Operation *op) const {
    return extents.find(op)->second.first;
  }
  /// Where the last region of `op` is left; its beginning if it has none.
  unsigned getEnd(mlir::Operation *op) const {
    return extents.find(op)->second.second;
  }

private:
  void number(mlir::Block &block);
  void visit(mlir::Block &block);
  void define(mlir::ValueRange values, unsigned position);
  /// Where a value must still be live: at an op, or at the end of a loop that
  /// has the op in its body.
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
