//===- Residuals.h - forward values that the backward pass needs ----------===//
//
// The reverse of a region op is first written with uses of values inside the
// forward region, which is not legal. The functions here make it so: cheap
// values are computed again, the others become results of the forward op, one
// per value of an scf.if and a stack of all iterations' for scf.for.
// Private to td-grad.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_LIB_DIALECT_TD_TRANSFORMS_RESIDUALS_H
#define TDC_LIB_DIALECT_TD_TRANSFORMS_RESIDUALS_H

#include "Dialect/TD/Gradients/TensorBuilder.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tdc::td {

/// How often a loop runs, as a value in front of the loop.
class LoopTrip {
public:
  explicit LoopTrip(mlir::scf::ForOp loop);

  mlir::Value getCount() const { return count; }
  /// The count, or ShapedType::kDynamic.
  int64_t getStaticCount() const { return staticCount; }
  /// The number of the iteration that has the induction variable's value.
  mlir::Value numberOf(mlir::Value induction, TensorBuilder b) const;
  /// The induction variable of an iteration.
  mlir::Value inductionOf(mlir::Value number, TensorBuilder b) const;

private:
  mlir::Value lower, step, count;
  int64_t staticCount;
};

/// Whether a slot still holds what this read in the forward region gave.
using CanReadAgain = llvm::function_ref<bool(mlir::Operation *)>;

/// Gives `forward` the results that `backward`, its reverse with the same
/// condition, needs. Returns the op that replaced `forward`, or itself.
mlir::scf::IfOp exportResiduals(mlir::scf::IfOp forward,
                                mlir::scf::IfOp backward,
                                CanReadAgain canReadAgain);

/// Gives `forward` the stacks that `backward`, the loop over its iterations in
/// reverse, needs. Returns the loop that replaced `forward`, or itself; fails
/// after telling the user if a value's size may differ between iterations.
mlir::FailureOr<mlir::scf::ForOp> stackResiduals(mlir::scf::ForOp forward,
                                                 mlir::scf::ForOp backward,
                                                 const LoopTrip &trip,
                                                 CanReadAgain canReadAgain);

} // namespace tdc::td

#endif // TDC_LIB_DIALECT_TD_TRANSFORMS_RESIDUALS_H
