//===- Residuals.h - forward values that the backward pass needs ----------===//
//
// The reverse of a region op is first written with uses of values inside the
// forward region, which is not legal. The functions here make it legal: cheap
// values are computed again, the others become results of the forward op: one
// per value for an scf.if, a stack of all iterations' values for an scf.for.
// Private to td-grad.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_LIB_DIALECT_TD_TRANSFORMS_RESIDUALS_H
#define TDC_LIB_DIALECT_TD_TRANSFORMS_RESIDUALS_H

#include "Dialect/TD/Gradients/TensorBuilder.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tdc::td {

/// The trip count of a loop, as a value before the loop.
class LoopTrip {
public:
  explicit LoopTrip(mlir::scf::ForOp loop);

  mlir::Value getCount() const { return count; }
  /// The count, or ShapedType::kDynamic.
  int64_t getStaticCount() const { return staticCount; }
  /// The number of the iteration with this value of the induction variable.
  mlir::Value numberOf(mlir::Value induction, TensorBuilder b) const;
  /// The induction variable of the iteration with this number.
  mlir::Value inductionOf(mlir::Value number, TensorBuilder b) const;

private:
  mlir::Value lower, step, count;
  int64_t staticCount;
};

/// Whether the slot still holds the value that this read in the forward region
/// gave.
using CanReadAgain = llvm::function_ref<bool(mlir::Operation *)>;

/// Adds to `forward` the results that `backward`, its reverse with the same
/// condition, needs. Returns the op that replaced `forward`, or `forward`
/// itself.
mlir::scf::IfOp exportResiduals(mlir::scf::IfOp forward,
                                mlir::scf::IfOp backward,
                                CanReadAgain canReadAgain);

/// Adds to `forward` the stacks that `backward`, the loop over its iterations
/// in reverse, needs. Returns the loop that replaced `forward`, or `forward`
/// itself. Fails, after reporting it to the user, if the size of a value to
/// stack is known only at run time.
mlir::FailureOr<mlir::scf::ForOp> stackResiduals(mlir::scf::ForOp forward,
                                                 mlir::scf::ForOp backward,
                                                 const LoopTrip &trip,
                                                 CanReadAgain canReadAgain);

} // namespace tdc::td

#endif // TDC_LIB_DIALECT_TD_TRANSFORMS_RESIDUALS_H
