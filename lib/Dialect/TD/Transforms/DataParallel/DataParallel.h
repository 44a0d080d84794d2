//===- DataParallel.h - the parts of td-data-parallel ---------------------===//

#ifndef TDC_LIB_DIALECT_TD_TRANSFORMS_DATAPARALLEL_DATAPARALLEL_H
#define TDC_LIB_DIALECT_TD_TRANSFORMS_DATAPARALLEL_DATAPARALLEL_H

#include "Dialect/TD/IR/TD.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"

namespace tdc::td {

/// Values on the first GPU of a model with equal values on other GPUs.
class Twins {
public:
  void add(mlir::Value value, const Place &gpu, mlir::Value twin) {
    twins[value][gpu.ordinal] = twin;
  }
  mlir::Value find(mlir::Value value, const Place &gpu) const {
    auto found = twins.find(value);
    return found == twins.end() ? mlir::Value()
                                : found->second.lookup(gpu.ordinal);
  }
  bool has(mlir::Value value) const { return twins.contains(value); }

private:
  llvm::DenseMap<mlir::Value, llvm::SmallDenseMap<int64_t, mlir::Value>> twins;
};

/// The GPUs that have replicas of each slot, by their number. The model's own
/// GPU is not among them.
using ReplicaGPUs = llvm::MapVector<mlir::StringAttr, llvm::SmallVector<Place>>;
ReplicaGPUs findReplicas(mlir::ModuleOp module);

/// Adds GPUs to a list that is ordered by their number; true if it grows.
bool addGPUs(llvm::SmallVectorImpl<Place> &list, llvm::ArrayRef<Place> gpus);

/// Whether it is a copy with this role.
bool hasRole(mlir::Operation *op, CopyRole role);

/// A copy that the program does not write.
mlir::Value copyTo(mlir::OpBuilder &builder, mlir::Location loc,
                   mlir::Value tensor, const Place &place, CopyRole role);

/// Takes rows from where a batch is, and copies them from there to their GPU.
void copyRowsDirectly(mlir::ModuleOp module);

/// Orders the ops of a block so that those of different GPUs alternate.
void alternate(mlir::Block &block);

/// Sums each gradient of a block on all GPUs that have replicas of its
/// parameter, and adds the sums to the twins.
void sumGradients(mlir::Block &block, const ReplicaGPUs &replicas,
                  Twins &twins);

/// Gives each replica of a model its own slots, which change as the model's do.
void replicateState(mlir::ModuleOp module, const ReplicaGPUs &replicas,
                    const Twins &twins);

} // namespace tdc::td

#endif // TDC_LIB_DIALECT_TD_TRANSFORMS_DATAPARALLEL_DATAPARALLEL_H
