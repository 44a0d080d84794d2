//===- GradientFlow.h - which values gradients pass through ---------------===//
//
// The analysis half of td-grad: it reads the program and changes nothing. The
// reverse sweep queries it about every value, so ops that are not on a path
// from a leaf to the target are never visited.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_LIB_DIALECT_TD_TRANSFORMS_GRADIENTFLOW_H
#define TDC_LIB_DIALECT_TD_TRANSFORMS_GRADIENTFLOW_H

#include "Dialect/TD/IR/TD.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

namespace tdc::td {

/// One td.grad or td.backward: d target / d leaves. A leaf is an SSA value or a
/// slot; a slot means all its reads that the target was computed from.
struct GradientRequest {
  mlir::Operation *at;
  mlir::Value target;
  llvm::SmallVector<mlir::Value> values;
  llvm::DenseSet<mlir::StringAttr> slots;
};

/// Whether gradients pass through an op: one with a rule, or a choice between
/// tensors by a host condition.
bool isDifferentiable(mlir::Operation *op);

/// The values on a path from a leaf to the target.
class GradientFlow {
public:
  explicit GradientFlow(const GradientRequest &request);

  bool carries(mlir::Value value) const { return carrying.contains(value); }
  /// A read of a leaf slot.
  bool isLeafRead(mlir::Operation *op) const;
  /// The reads of leaf slots that the target was computed from.
  llvm::ArrayRef<ReadOp> getReads() const { return reads; }
  /// The carrying ops in the request's block and in the blocks around it, in
  /// program order. Ops nested in their regions are not included.
  llvm::SmallVector<mlir::Operation *> getTopLevelOps() const;
  /// A value that a loop around the request carries from one iteration to the
  /// next and through which the target depends on a leaf; null if none does.
  mlir::Value getCarriedDependence() const { return carriedDependence; }
  /// Returns the ops at which gradients end on a path from the target back to a
  /// leaf.
  llvm::SmallVector<mlir::Operation *> findCuts();

private:
  /// Ordered, so that the same program always gives the same code.
  using ValueSet = llvm::SetVector<mlir::Value>;
  /// Which ops a slice follows.
  enum class Along : uint8_t { Gradients, AllOps };
  ValueSet slice(mlir::ValueRange from, bool followCarried,
                 Along along = Along::Gradients);
  void propagate(const ValueSet &useful);
  bool dependsOnLeaf(mlir::BlockArgument carried);
  bool hasLeaf(const ValueSet &values) const;

  const GradientRequest &request;
  llvm::DenseSet<mlir::Value> carrying;
  llvm::SmallVector<ReadOp> reads;
  llvm::SmallVector<mlir::BlockArgument> carriedAround;
  mlir::Value carriedDependence;
};

} // namespace tdc::td

#endif // TDC_LIB_DIALECT_TD_TRANSFORMS_GRADIENTFLOW_H
