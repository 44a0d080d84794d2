//===- ReverseSweep.h - emitting the backward pass ------------------------===//
//
// The editing half of td-grad: walks carrying ops in reverse and emits each
// one's rule at a builder's insertion point. Private to td-grad.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_LIB_DIALECT_TD_TRANSFORMS_REVERSESWEEP_H
#define TDC_LIB_DIALECT_TD_TRANSFORMS_REVERSESWEEP_H

#include "GradientFlow.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace tdc::td {

/// The gradients collected so far in one region of the backward pass.
struct Adjoints {
  llvm::DenseMap<mlir::Value, mlir::Value> values;
  llvm::DenseMap<mlir::StringAttr, mlir::Value> slots;
};

class ReverseSweep {
public:
  ReverseSweep(const GradientFlow &flow, mlir::OpBuilder &builder)
      : flow(flow), builder(builder) {}

  /// Emits the gradients of `ops`, the carrying ops of one region in program
  /// order: computes the adjoints of their operands and slots from the adjoints
  /// of their results. Fails after reporting to the user what is not built.
  mlir::LogicalResult run(llvm::ArrayRef<mlir::Operation *> ops,
                          Adjoints &adjoints);

  /// Adds a contribution to a value's gradient.
  void accumulate(Adjoints &adjoints, mlir::Value value, mlir::Value gradient);

private:
  /// The values and slots outside of a region op that its regions use and that
  /// gradients pass through. Each slot has one of its reads, for the type.
  struct Captures {
    llvm::SetVector<mlir::Value> values;
    llvm::MapVector<mlir::StringAttr, ReadOp> slots;
  };

  void reverseOp(mlir::Operation *op, mlir::Value cotangent,
                 Adjoints &adjoints);
  mlir::LogicalResult reverseIf(mlir::scf::IfOp branch, Adjoints &outer);
  mlir::LogicalResult reverseFor(mlir::scf::ForOp loop, Adjoints &outer);
  mlir::LogicalResult runBody(mlir::Block &body, Adjoints &adjoints);

  /// Whether the op reads a slot that td-grad knows is not written in between.
  bool isUnchangedRead(mlir::Operation *op) const {
    return flow.isLeafRead(op) && flow.carries(op->getResult(0));
  }
  Captures findCaptures(mlir::Operation *regionOp) const;
  void appendZeros(const Captures &captures, mlir::Location loc,
                   llvm::SmallVectorImpl<mlir::Value> &values);
  void addSlot(Adjoints &adjoints, mlir::StringAttr slot, mlir::Value gradient);
  void addCaptured(const Captures &captures, mlir::ValueRange gradients,
                   Adjoints &outer);

  const GradientFlow &flow;
  mlir::OpBuilder &builder;
};

} // namespace tdc::td

#endif // TDC_LIB_DIALECT_TD_TRANSFORMS_REVERSESWEEP_H
