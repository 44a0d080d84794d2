//===- Memory.h - the memory of a run on each device ----------------------===//
//
// Counts tensors, not values: a tensor that two values share is counted once. A
// value keeps its tensor until the last op of its block that uses it, or that
// contains a use, has run. A loop takes over its initial values. The bytes of a
// slot are counted from the start of the run, and include the tensor that the
// slot holds. A handle keeps its replicas. The count does not depend on the
// compiler's memory analysis.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_LIB_INTERPRETER_MEMORY_H
#define TDC_LIB_INTERPRETER_MEMORY_H

#include "Dialect/TD/IR/TD.h"
#include "Interpreter/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringMap.h"
#include <map>

namespace tdc {

class Memory {
public:
  explicit Memory(mlir::ModuleOp module);

  //===--- A run ----------------------------------------------------------===//

  void setValue(mlir::Value value, const Datum &datum);
  void setSlot(llvm::StringRef name, const Datum &datum);
  void addReplica(const HandleRef &handle, const TensorRef &replica);
  /// Drops the values that `loop`, which now starts, takes over.
  void enterLoop(mlir::Operation *loop);
  /// Drops the values that no op after `op` uses.
  void leave(mlir::Operation *op);

  /// The peak bytes by device.
  const std::map<std::string, int64_t> &getPeaks() const { return peaks; }

private:
  struct Slot {
    std::string device;
    int64_t bytes;
    Datum held;
  };
  struct Owners {
    int64_t others = 0, slots = 0;
  };

  void addLastUses(mlir::Operation *op);
  void addLastUse(mlir::Value value);
  void addSlot(td::SlotOp op);
  void drop(mlir::Value value);
  void keep(const Datum &datum, int64_t count);
  void keep(const Tensor &tensor, int64_t others, int64_t slots);
  void add(const std::string &device, int64_t bytes);

  /// Values to drop after an op, and values that a loop takes over.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<mlir::Value>> lastUses,
      takenOver;
  llvm::DenseSet<mlir::Value> isUsed;
  llvm::DenseMap<mlir::Value, Datum> values;
  llvm::StringMap<Slot> slots;
  llvm::DenseMap<const Tensor *, Owners> owners;
  llvm::DenseMap<const Replicas *, int64_t>
      handles; ///< the number of owners of each
  std::map<std::string, int64_t> bytes, peaks;
};

} // namespace tdc

#endif // TDC_LIB_INTERPRETER_MEMORY_H
