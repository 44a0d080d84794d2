//===- HostBuilder.h - emits the code of one host function ----------------===//
//
// Emits the primitives of host code: addresses, loads, and calls of the runtime
// with a check of their status. Code is appended to the current block; a
// failing call branches to the one exit block, which takes the status.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_LIB_CONVERSION_TDTORUNTIME_HOSTBUILDER_H
#define TDC_LIB_CONVERSION_TDTORUNTIME_HOSTBUILDER_H

#include "CodeGen/RuntimeFunctions.h"
#include "Globals.h"
#include <cstddef>

namespace tdc {

/// The launch of a kernel on a GPU.
struct Launch {
  mlir::Location location;
  int32_t device, kernel;
  /// The number of blocks, then the parameters.
  llvm::SmallVector<mlir::Value> words;
  /// Whether the words are expected to differ each time.
  bool varies;
};

class HostBuilder {
public:
  /// Starts a function `int32_t name(ptr context, ptr ...)` of a program with
  /// `stateBytes` bytes of state on the cpu.
  HostBuilder(mlir::ModuleOp module, Globals &globals, llvm::StringRef name,
              unsigned numPointers, int64_t stateBytes,
              mlir::Location location);

  /// Sets the location of everything that is emitted until the next call.
  void setLocation(mlir::Location at) { location = at; }
  mlir::Location getLocation() const { return location; }

  // Values.
  mlir::Value int32(int64_t value);
  mlir::Value int64(int64_t value);
  /// Index of the current location in the program's table of sites.
  mlir::Value site() { return int32(globals.getSite(location)); }
  mlir::Value null();
  /// The address of a global, or NULL.
  mlir::Value addressOf(mlir::FlatSymbolRefAttr symbol);
  mlir::Value text(llvm::StringRef content) {
    return addressOf(globals.getText(content));
  }
  mlir::Value address(mlir::Value base, int64_t offset);
  mlir::Value load(mlir::Type type, mlir::Value from);
  void store(mlir::Value value, mlir::Value to);
  void copy(mlir::Value to, mlir::Value from, mlir::Value bytes);
  mlir::Value compare(mlir::LLVM::ICmpPredicate predicate, mlir::Value lhs,
                      mlir::Value rhs);

  mlir::Value getContext() const { return context; }
  mlir::Value getArgument(unsigned index) {
    return function.getArgument(index);
  }
  /// An address in a device's arena. The base (the arena, or on the cpu the
  /// state) is loaded once at the beginning of the function; the offset is a
  /// constant.
  mlir::Value arenaAddress(int32_t device, int64_t offset);
  /// The address of the record to which the kernels of a GPU report.
  mlir::Value getRecord(int32_t device) {
    return loadDeviceField(device, offsetof(tdrt_device_memory, record));
  }
  /// Stack memory of the function that one call of the runtime reads or writes:
  /// the next use overwrites it.
  mlir::Value getScratchValue() { return address(getScratch(), 0); }
  mlir::Value getScratchTensor() { return address(getScratch(), 8); }
  mlir::Value getScratchSizes() { return address(getScratch(), 32); }
  /// Allocates `bytes` of stack memory of the function, for one use.
  mlir::Value allocateStack(int64_t bytes);

  // Control.
  mlir::Block *createBlock();
  void setBlock(mlir::Block *block) { builder.setInsertionPointToEnd(block); }
  void branch(mlir::Block *to, mlir::ValueRange arguments = {});
  void branchIf(mlir::Value condition, mlir::Block *onTrue,
                mlir::Block *onFalse);
  /// Continues in a new block if the condition holds; returns the block for the
  /// rare other case.
  mlir::Block *expect(mlir::Value condition);
  /// Leaves the function unless the status is 0.
  void check(mlir::Value status);
  void leave(mlir::Value status) { branch(exit, status); }
  /// Calls tdrt_poll if the context's `attention` flag is set.
  void poll();

  // Calls.

  /// Calls a function of the runtime, with arguments that match its number of
  /// parameters; returns its result.
  template <class Result, class... Parameters, size_t Count>
  auto call(const runtime::Function<Result(Parameters...)> &callee,
            const mlir::Value (&arguments)[Count]) {
    static_assert(Count == sizeof...(Parameters), "the number of arguments");
    mlir::LLVM::CallOp call = callRuntime(
        callee.name, runtime::getType(builder.getContext(), callee), arguments);
    if constexpr (!std::is_void_v<Result>)
      return call.getResult();
  }
  /// Calls a function that returns a status, and checks the status.
  template <class... Parameters, size_t Count>
  void callChecked(const runtime::Function<int32_t(Parameters...)> &callee,
                   const mlir::Value (&arguments)[Count]) {
    check(call(callee, arguments));
  }

  /// Calls a function of the module.
  mlir::LLVM::CallOp call(mlir::LLVM::LLVMFuncOp callee,
                          mlir::ValueRange arguments);
  /// Stores values of at most 64 bits, a word each, in memory that the next
  /// words overwrite; returns its address.
  mlir::Value storeWords(llvm::ArrayRef<mlir::Value> words);
  /// Launches a kernel before the next call and before the end of the block:
  /// until then launches are collected, to be requested together.
  void launch(Launch launch) { launches.push_back(std::move(launch)); }

  mlir::OpBuilder builder;
  Globals &globals;
  mlir::LLVM::LLVMFuncOp function;
  mlir::Type i8, i32, i64, pointer;

private:
  mlir::LLVM::CallOp callRuntime(llvm::StringRef name,
                                 mlir::LLVM::LLVMFunctionType type,
                                 mlir::ValueRange arguments);
  void emitLaunches();
  void emitLaunches(llvm::ArrayRef<Launch> sequence);
  mlir::Value getScratch();
  mlir::Value getArena(int32_t device);
  /// A pointer, loaded at the beginning of the function.
  mlir::Value loadAtStart(mlir::Value base, int64_t offset);
  /// Loads a pointer field of the context's tdrt_device_memory of a GPU.
  mlir::Value loadDeviceField(int32_t device, int64_t offset);

  mlir::Location location;
  mlir::Block *exit;
  mlir::Value context, scratch, state, pinned;
  int64_t stateBytes;
  /// Per device; null if it was not needed yet.
  llvm::SmallVector<mlir::Value> arenas;
  llvm::SmallVector<Launch, 0> launches;
  /// The memory of storeWords().
  mlir::Value wordRoom;
  unsigned wordCount = 0;
  /// The last address made for each device and offset.
  llvm::DenseMap<std::pair<int32_t, int64_t>, mlir::Value> arenaAddresses;
};

} // namespace tdc

#endif // TDC_LIB_CONVERSION_TDTORUNTIME_HOSTBUILDER_H
