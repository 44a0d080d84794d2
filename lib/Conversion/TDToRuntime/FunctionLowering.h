//===- FunctionLowering.h - one host function, op by op -------------------===//
//
// A single walk over the structured function emits the blocks of the new one.
// Scalar ops are moved as they are; every td op and all control flow is
// replaced by new ops. The old function stays complete until the end, because
// the memory plan refers to its values.
//
// One class, with a file per group of ops: FunctionLowering.cpp (the walk,
// inputs and outputs), ControlFlow.cpp, Tensors.cpp, Devices.cpp, Schedule.cpp,
// Text.cpp, Files.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_LIB_CONVERSION_TDTORUNTIME_FUNCTIONLOWERING_H
#define TDC_LIB_CONVERSION_TDTORUNTIME_FUNCTIONLOWERING_H

#include "Dialect/TD/IR/CarryingLoop.h"
#include "HostBuilder.h"
#include "MemoryPlan.h"

namespace tdc {

class FunctionLowering {
public:
  /// Lowers `function` to an LLVM function called `name`.
  FunctionLowering(mlir::func::FuncOp function, llvm::StringRef name,
                   const SlotTable &slots, const MemoryPlan &plan,
                   Globals &globals);

  /// Emits the new function. The old function is left as a shell to be erased.
  mlir::LogicalResult run();
  mlir::FlatSymbolRefAttr getSymbol() {
    return mlir::FlatSymbolRefAttr::get(code.function);
  }

private:
  /// The run-time values of a tensor or a handle. A tensor in an arena has no
  /// `pointer` here: its address is made from the plan where it is needed.
  struct Tensor {
    mlir::Value pointer;
    /// One i64 per `?` of the type.
    llvm::SmallVector<mlir::Value, 2> sizes;
  };

  // The walk.
  mlir::LogicalResult lowerBlock(mlir::Block &block);
  mlir::LogicalResult lower(mlir::Operation *op);
  mlir::LogicalResult lowerScalar(mlir::Operation *op);
  void lowerInputs();
  mlir::LogicalResult lower(mlir::func::ReturnOp op);

  // Control flow.
  mlir::LogicalResult lower(mlir::scf::ForOp op);
  mlir::LogicalResult lower(mlir::scf::WhileOp op);
  mlir::LogicalResult lowerLoop(td::CarryingLoop loop);
  mlir::Value countIterations(td::CarryingLoop loop);
  void beginLoop(unsigned loop, td::CarryingLoop op);
  /// The address of a field of the context's `loops[loop]`.
  mlir::Value getLoopField(unsigned loop, size_t offset);
  mlir::LogicalResult lower(mlir::scf::IfOp op);
  /// Emits an edge of control flow from `operands` to `receivers`: the copies,
  /// and the values that are returned to pass as block arguments.
  llvm::SmallVector<mlir::Value>
  pass(llvm::MutableArrayRef<mlir::OpOperand> operands,
       mlir::ValueRange receivers);
  void passTensor(mlir::OpOperand &operand, mlir::Value receiver,
                  llvm::SmallVectorImpl<mlir::Value> &arguments);
  /// Whether a tensor or handle is passed as block arguments: its pointer and
  /// its sizes.
  bool passesPointer(mlir::Value receiver) const {
    return isHandle(receiver) ||
           (isTensor(receiver) && (isHeap(receiver) || isRing(receiver)));
  }
  /// `receive` adds the block arguments for the values that `pass` returns;
  /// `bind` maps receivers to them.
  void receive(mlir::Block *block, mlir::ValueRange receivers);
  void bind(mlir::ValueRange receivers, mlir::ValueRange arguments);

  // Launches.
  mlir::LogicalResult lower(td::LaunchOp op);
  /// Appends the arguments of a kernel that follow its first one, without its
  /// blocks.
  void addKernelArguments(td::LaunchOp op,
                          llvm::SmallVectorImpl<mlir::Value> &arguments);
  mlir::LogicalResult launchOnGPU(td::LaunchOp op);
  /// Sets varyingLaunches. Must be called before loops become blocks.
  void findVaryingLaunches();
  /// Lets threads share the blocks of a launch. `arguments`: those of `callee`
  /// before its blocks.
  void shareLaunch(td::LaunchOp op, mlir::LLVM::LLVMFuncOp callee,
                   llvm::ArrayRef<mlir::Value> arguments);

  // Tensors.
  mlir::LogicalResult lower(td::ReadOp op);
  mlir::LogicalResult lower(td::WriteOp op);
  mlir::LogicalResult lower(td::ItemOp op);
  mlir::LogicalResult lower(td::DimOp op);
  mlir::LogicalResult lower(td::ReshapeOp op);
  mlir::LogicalResult lower(td::SeedOp op);
  /// The only element of a tensor as i64, f64 or i1.
  mlir::Value loadItem(mlir::Value tensor);
  mlir::LogicalResult lower(td::RandomOp op);
  mlir::LogicalResult lower(td::NextRandomOp op);
  mlir::LogicalResult lower(mlir::arith::SelectOp op);

  // Devices.
  /// The location of a copy op, with the name of the copied value.
  static mlir::Location getCopyLocation(mlir::Operation *copy);
  /// Emits a copy between devices; `location` is from getCopyLocation.
  void transfer(mlir::Location location, mlir::Value to, int32_t toDevice,
                mlir::Value from, int32_t fromDevice, mlir::Value bytes,
                bool isImplied);
  mlir::LogicalResult lower(td::ToDeviceOp op);
  mlir::LogicalResult lower(td::MoveOp op);
  mlir::LogicalResult lower(td::HandleOp op);
  mlir::LogicalResult lower(td::ReplicaGetOp op);
  mlir::LogicalResult lower(td::ReadHandleOp op);
  mlir::LogicalResult lower(td::WriteHandleOp op);
  /// Releases the references of the handles of a block, at its end.
  void releaseHandles(mlir::Block &block);

  // Asynchronous copies.
  mlir::LogicalResult lower(td::NoTicketOp op);
  mlir::LogicalResult lower(td::MarkOp op);
  mlir::LogicalResult lower(td::CopyStartOp op);
  mlir::LogicalResult lower(td::CopyWaitOp op);
  /// The buffer of a ring that a copy uses in `iteration`.
  mlir::Value getIterationPointer(const Storage &ring, mlir::Value iteration);

  // Text and checks.
  mlir::LogicalResult lower(td::FormatOp op);
  mlir::LogicalResult lower(td::PrintOp op);
  mlir::LogicalResult lower(td::AssertOp op);
  mlir::LogicalResult lower(td::CheckDimOp op);
  mlir::LogicalResult lower(td::CheckRandIntOp op);
  /// Appends a template's pieces to the line or string under construction.
  mlir::LogicalResult appendText(td::FormatOp op);
  mlir::LogicalResult appendValue(td::FormatOp op, mlir::Value value,
                                  llvm::StringRef spec);
  /// Appends a text and clears it.
  void appendLiteral(std::string &literal);
  mlir::Value endString();

  // Files, arguments, environment.
  mlir::LogicalResult lower(td::ArgOp op);
  mlir::LogicalResult lower(td::StrEqualOp op);
  mlir::LogicalResult lower(td::PickTextOp op);
  mlir::LogicalResult lower(td::EnvOp op);
  mlir::LogicalResult lower(td::ExistsOp op);
  mlir::LogicalResult lower(td::CudaDeviceNameOp op);
  mlir::LogicalResult lower(td::CudaTotalMemoryOp op);
  mlir::LogicalResult lower(td::CudaSynchronizeOp op);
  mlir::LogicalResult lower(td::LoadOp op);
  mlir::LogicalResult lower(td::SaveTensorOp op);
  mlir::LogicalResult lower(td::SaveOp op);
  mlir::LogicalResult lower(td::RestoreOp op);
  mlir::LogicalResult lower(td::RestoreScalarOp op);
  mlir::FlatSymbolRefAttr
  makeCheckpoint(mlir::ArrayAttr slotNames, mlir::ArrayAttr keys,
                 mlir::ArrayAttr names, mlir::ValueRange values, bool full,
                 bool lenient, bool casts, mlir::DictionaryAttr aliases);
  mlir::Value loadScalar(mlir::Type type, mlir::Value from);
  void storeScalar(mlir::Value value, mlir::Value to);

  // Kinds of values.
  static bool isTensor(mlir::Value value) {
    return llvm::isa<mlir::RankedTensorType>(value.getType());
  }
  /// The type of a tensor, or of the tensor of a handle.
  static mlir::RankedTensorType getType(mlir::Value tensor) {
    if (auto handle = llvm::dyn_cast<td::HandleType>(tensor.getType()))
      return handle.getTensor();
    return llvm::cast<mlir::RankedTensorType>(tensor.getType());
  }
  static bool isHandle(mlir::Value value) {
    return llvm::isa<td::HandleType>(value.getType());
  }
  static bool isTicket(mlir::Value value) {
    return llvm::isa<td::TicketType>(value.getType());
  }
  static bool isString(mlir::Value value) {
    return llvm::isa<td::StrType>(value.getType());
  }
  bool isHeap(mlir::Value tensor) const {
    return plan.getStorage(tensor).kind == Storage::Kind::Heap;
  }
  bool isRing(mlir::Value tensor) const {
    return plan.getStorage(tensor).kind == Storage::Kind::Ring;
  }
  /// The lowered value of a scalar, a ticket or a string.
  mlir::Value get(mlir::Value value);
  mlir::Value getPointer(mlir::Value tensor);
  mlir::Value getArenaPointer(const Storage &storage) {
    return code.arenaAddress(storage.device, storage.buffer.offset);
  }
  llvm::SmallVector<mlir::Value, 2> getSizes(mlir::Value tensor) const {
    return tensors.lookup(tensor).sizes;
  }
  mlir::Value getSize(mlir::Value tensor, int64_t dim);
  mlir::Value getNumElements(mlir::Value tensor);
  mlir::Value getNumBytes(mlir::Value tensor);
  /// Registers a result with its sizes. Allocates a heap value; selects the
  /// buffer of a ring.
  void define(mlir::Value result, mlir::ValueRange sizes);
  /// Allocates memory on a device for a tensor with the sizes of `like`.
  mlir::Value allocate(mlir::Value like, int32_t device);
  /// Writes all sizes of a tensor to memory.
  void storeSizes(mlir::Value tensor, mlir::Value to);
  /// The address of a descriptor of the tensor, valid for the next call only.
  mlir::Value describe(mlir::Value tensor);
  mlir::Value getDType(mlir::Value tensor) {
    return code.int32(int32_t(td::getDType(getType(tensor).getElementType())));
  }
  void fillDescriptor(mlir::Value descriptor, mlir::Value tensor,
                      mlir::Value pointer, mlir::Value sizes);
  /// Copies within a device.
  void copyBytes(int32_t device, mlir::Value to, mlir::Value from,
                 mlir::Value bytes);
  void copyTensor(mlir::Value to, mlir::Value tensor);
  /// The address of a slot's pointer, which its run-time sizes follow.
  mlir::Value getPointerAddress(mlir::FlatSymbolRefAttr slot);
  llvm::SmallVector<mlir::Value, 2> loadSizes(mlir::Value address,
                                              mlir::RankedTensorType type);
  void storeSizesAfter(mlir::Value address, mlir::ValueRange sizes);
  void freeDead(mlir::Operation *op);

  mlir::func::FuncOp function;
  const SlotTable &slots;
  const MemoryPlan &plan;
  HostBuilder code;
  llvm::DenseMap<mlir::Value, Tensor> tensors;
  llvm::DenseMap<mlir::Value, mlir::Value> strings, tickets;
  /// Launches with words that differ in each iteration of a loop.
  llvm::DenseSet<mlir::Operation *> varyingLaunches;
};

} // namespace tdc

#endif // TDC_LIB_CONVERSION_TDTORUNTIME_FUNCTIONLOWERING_H
