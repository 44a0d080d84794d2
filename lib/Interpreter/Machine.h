//===- Machine.h - the state that the meaning of an op may use ------------===//
//
// The values of the running functions, and the world around them. The meaning
// of each op is a small function, registered with the machine. Each family of
// ops has a file in this folder.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_LIB_INTERPRETER_MACHINE_H
#define TDC_LIB_INTERPRETER_MACHINE_H

#include "Interpreter/Interpreter.h"
#include "Ledger.h"
#include "Memory.h"
#include "World.h"
#include <functional>

namespace tdc {

class Machine {
public:
  explicit Machine(mlir::ModuleOp module);

  //===--- Meanings -------------------------------------------------------===//

  using Meaning =
      std::function<llvm::LogicalResult(Machine &, mlir::Operation *)>;

  /// Registers the meaning of an op, called as meaning(machine, op).
  template <typename OpTy, typename Function> void on(Function meaning) {
    meanings[mlir::TypeID::get<OpTy>()] = [meaning](Machine &machine,
                                                    mlir::Operation *op) {
      return meaning(machine, llvm::cast<OpTy>(op));
    };
  }

  /// Runs a block with these arguments. Sets `results` to the operands of its
  /// terminator.
  llvm::LogicalResult runBlock(mlir::Block &block,
                               llvm::ArrayRef<Datum> arguments,
                               llvm::SmallVectorImpl<Datum> &results);

  //===--- Values ---------------------------------------------------------===//

  const Datum &get(mlir::Value value) { return values[value]; }
  llvm::SmallVector<Datum> get(mlir::ValueRange range);
  const Tensor &tensor(mlir::Value value) {
    return *std::get<TensorRef>(values[value]);
  }
  int64_t integer(mlir::Value value) {
    return std::get<int64_t>(values[value]);
  }
  double number(mlir::Value value) { return std::get<double>(values[value]); }
  const std::string &text(mlir::Value value) {
    return std::get<std::string>(values[value]);
  }

  /// Sets an SSA value. Fails if `datum` does not have its type; a tensor must
  /// have its dtype, rank, static sizes and place.
  llvm::LogicalResult set(mlir::Value value, Datum datum);
  llvm::LogicalResult set(mlir::Value value, Tensor tensor) {
    return set(value, std::make_shared<const Tensor>(std::move(tensor)));
  }
  llvm::LogicalResult set(mlir::ValueRange range, llvm::ArrayRef<Datum> data);

  /// Makes zeros with the dtype and the place of `value`'s type.
  Tensor makeResult(mlir::Value value, llvm::ArrayRef<int64_t> dims);
  /// The sizes of `value`'s type, with `sizes` in the place of its `?`.
  Extents getDims(mlir::Value value, mlir::ValueRange sizes);

  //===--- Devices --------------------------------------------------------===//

  Ledger ledger;
  Memory memory;
  /// Copies a value to a device for `op`, unless it is on that device.
  TensorRef copy(const TensorRef &tensor, const Place &device,
                 mlir::Operation *op);
  /// The table of replicas of the tensor's instance. There is one per instance.
  HandleRef getHandle(const TensorRef &tensor);
  void addReplica(const HandleRef &handle, const TensorRef &replica);
  void setSlot(llvm::StringRef name, Datum datum);
  /// The zeros of a slot that was never written, on the device that reads them.
  TensorRef getZeros(llvm::StringRef slot, const Tensor &zeros,
                     const Place &place);

  //===--- Failures -------------------------------------------------------===//

  /// Succeeds if `status` is 0; else stops the run with this status of the
  /// runtime.
  llvm::LogicalResult check(int32_t status);

  World world;
  tdrt_context *context() { return world.getContext(); }
  int32_t site(mlir::Operation *op) { return world.getSite(op); }
  /// Why the run stopped: the runtime's status, or kInvalidProgram.
  int32_t status = 0;

private:
  llvm::LogicalResult runOp(mlir::Operation *op);
  llvm::LogicalResult checkPlaces(mlir::Operation *op);

  llvm::DenseMap<mlir::TypeID, Meaning> meanings;
  llvm::DenseMap<mlir::Value, Datum> values;
  llvm::DenseMap<uint64_t, std::weak_ptr<Replicas>> handles;
  llvm::StringMap<TensorRef> slotZeros;
};

/// Each registers one family of ops; the family's file in this folder has its
/// meanings.
void addAffineMeanings(Machine &machine);
void addElementwiseMeanings(Machine &machine);
void addConstructorMeanings(Machine &machine);
void addMovementMeanings(Machine &machine);
void addIndexMeanings(Machine &machine);
void addReductionMeanings(Machine &machine);
void addStateMeanings(Machine &machine);
void addTransferMeanings(Machine &machine);
void addHostMeanings(Machine &machine);
void addFileMeanings(Machine &machine);
void addControlFlowMeanings(Machine &machine);
void addScalarMeanings(Machine &machine);

} // namespace tdc

#endif // TDC_LIB_INTERPRETER_MACHINE_H
