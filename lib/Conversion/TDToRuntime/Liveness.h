//===- Liveness.h - when the tensors of a function are needed -------------===//
//
// Numbers the ops of a structured function and says for every tensor from which
// position to which its bytes must be kept. A value from outside a loop that is
// used inside is needed until the loop ends; one that is made and used in the
// body only for a part of the body. One that is used in both sides of a branch
// and not behind it is needed in neither behind its last use there.
//
// td.reshape makes no bytes: its result is another name of its operand, and all
// facts are about the operand, the *root*.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_LIB_CONVERSION_TDTORUNTIME_LIVENESS_H
#define TDC_LIB_CONVERSION_TDTORUNTIME_LIVENESS_H

#include "ArenaLayout.h"
#include "Dialect/TD/Analysis/ValueFlow.h"
#include "Dialect/TD/IR/TD.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

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
    /// From the definition to the last use, but for what only other sides of
    /// branches do.
    llvm::SmallVector<LiveRange, 1> ranges;
    /// Where the branches end that these are sides of, the first range has
    /// none.
    llvm::SmallVector<unsigned, 0> sides;
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
  void use(mlir::ValueRange values, mlir::Operation *user);
  void addUse(Facts &fact, llvm::ArrayRef<mlir::Operation *> ancestors,
              unsigned position);

  llvm::SmallVector<mlir::Value> roots;
  llvm::DenseMap<mlir::Value, Facts> facts;
  llvm::SmallVector<mlir::Operation *> ops;
  llvm::DenseMap<mlir::Operation *, std::pair<unsigned, unsigned>> extents;
};

} // namespace tdc

#endif // TDC_LIB_CONVERSION_TDTORUNTIME_LIVENESS_H
