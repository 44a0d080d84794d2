//===- GradientFlow.h - which values gradients pass through ---------------===//
//
// The analysis half of td-grad: it reads the program and edits nothing. The
// reverse sweep asks it about every value it meets, so ops that do not lie
// between the target and what it is differentiated by are never looked at.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_LIB_DIALECT_TD_TRANSFORMS_GRADIENTFLOW_H
#define TDC_LIB_DIALECT_TD_TRANSFORMS_GRADIENTFLOW_H

#include "Dialect/TD/IR/TD.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

namespace tdc::td {

/// One td.grad or td.backward: d target / d leaves. A leaf is an SSA value or a
/// slot; a slot stands for all reads of it that the target was computed from.
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
  /// The carrying ops that stand beside the request or outside of it, in
  /// program order; what is nested in them is theirs.
  llvm::SmallVector<mlir::Operation *> getTopLevelOps() const;
  /// A value that a loop around the request carries from one iteration to the
  /// next and through which the target depends on a leaf; null if none does.
  mlir::Value getCarriedDependence() const { return carriedDependence; }
  /// Where gradients end on the way from the target back to a leaf.
  llvm::SmallVector<mlir::Operation *> findCuts();

private:
  /// Ordered, so that the same program always gives the same code.
  using ValueSet = llvm::SetVector<mlir::Value>;
  /// What a slice follows.
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
