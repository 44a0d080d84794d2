//===- Memory.h - what a run keeps on each device -------------------------===//
//
// Counts by the tensors themselves: one that two values share is there once.
// A value keeps its tensor until the last op of its block that uses it, or has
// a use inside, has run; a loop takes over the values that it starts from. A
// slot has its bytes from the start, and a tensor that it holds is in them. A
// handle keeps its replicas. Knows nothing of how the compiler counts.
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
  /// What the loop that now starts takes over.
  void enterLoop(mlir::Operation *loop);
  /// What nobody needs behind `op` goes.
  void leave(mlir::Operation *op);

  /// The most that was needed at one time, by device.
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

  /// Values that go behind an op; those of a loop that it takes over.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<mlir::Value>> lastUses,
      takenOver;
  llvm::DenseSet<mlir::Value> isUsed;
  llvm::DenseMap<mlir::Value, Datum> values;
  llvm::StringMap<Slot> slots;
  llvm::DenseMap<const Tensor *, Owners> owners;
  llvm::DenseMap<const Replicas *, int64_t>
      handles; ///< by how many they are kept
  std::map<std::string, int64_t> bytes, peaks;
};

} // namespace tdc

#endif // TDC_LIB_INTERPRETER_MEMORY_H
