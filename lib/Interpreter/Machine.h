//===- Machine.h - what the meaning of an op may use ----------------------===//
//
// The values of the functions that are running, and the world around them. The
// meaning of each op is a small function, grouped by family in the files beside
// this one and registered with the machine.
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

  /// Runs a block with these arguments. `results` are what its terminator
  /// passes on.
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

  /// Gives an SSA value its value, which must have its type: a tensor the
  /// dtype, rank, static sizes and place.
  llvm::LogicalResult set(mlir::Value value, Datum datum);
  llvm::LogicalResult set(mlir::Value value, Tensor tensor) {
    return set(value, std::make_shared<const Tensor>(std::move(tensor)));
  }
  llvm::LogicalResult set(mlir::ValueRange range, llvm::ArrayRef<Datum> data);

  /// Zeros of the dtype and at the place of `value`'s type.
  Tensor makeResult(mlir::Value value, llvm::ArrayRef<int64_t> dims);
  /// The sizes of `value`'s type, `sizes` standing for its `?`.
  Dims getDims(mlir::Value value, mlir::ValueRange sizes);

  //===--- Devices --------------------------------------------------------===//

  Ledger ledger;
  Memory memory;
  /// Copies a value to a device, unless it is there, on behalf of `op`.
  TensorRef copy(const TensorRef &tensor, const Place &device,
                 mlir::Operation *op);
  /// The one table of replicas of the tensor's instance.
  HandleRef getHandle(const TensorRef &tensor);
  void addReplica(const HandleRef &handle, const TensorRef &replica);
  void setSlot(llvm::StringRef name, Datum datum);
  /// The zeros of a slot that nothing was written to, where they are read.
  TensorRef getZeros(llvm::StringRef slot, const Tensor &zeros,
                     const Place &place);

  //===--- Failures -------------------------------------------------------===//

  /// Stops with the runtime's status, if it is one: 0 is success.
  llvm::LogicalResult check(int32_t status);

  World world;
  tdrt_context *context() { return world.getContext(); }
  int32_t site(mlir::Operation *op) { return world.getSite(op); }
  /// Why the run stopped; kInvalidProgram unless the runtime said.
  int32_t status = 0;

private:
  llvm::LogicalResult runOp(mlir::Operation *op);
  llvm::LogicalResult checkPlaces(mlir::Operation *op);

  llvm::DenseMap<mlir::TypeID, Meaning> meanings;
  llvm::DenseMap<mlir::Value, Datum> values;
  llvm::DenseMap<uint64_t, std::weak_ptr<Replicas>> handles;
  llvm::StringMap<TensorRef> slotZeros;
};

/// The families, in the order of the files of include/Dialect/TD/IR.
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
