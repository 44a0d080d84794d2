//===- DeviceBuilder.h - thread numbers, exchange, shared memory ----------===//
//
// The parts of the NVVM dialect that kernels use in addition to arithmetic:
// thread numbers, exchange within a warp, shared memory, barriers.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_LIB_CONVERSION_KERNELTOGPU_DEVICEBUILDER_H
#define TDC_LIB_CONVERSION_KERNELTOGPU_DEVICEBUILDER_H

#include "Target/TargetInfo.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"

namespace tdc {

/// Threads of a block, unless a schedule needs more or fewer.
inline constexpr int64_t kBlockThreads = 256;

/// Memory that the threads of a block share: an array of one type.
struct SharedArray {
  mlir::Type element;
  int64_t offset; ///< in the block's shared memory, in bytes
};

/// The array that represents a block's shared memory in a module of kernels.
/// The launch sets its size.
inline constexpr llvm::StringLiteral kSharedMemory = "shared_memory";

class DeviceBuilder {
public:
  DeviceBuilder(mlir::OpBuilder &builder, mlir::Location loc)
      : b(builder), loc(loc) {}

  mlir::Value i32(int64_t value);
  /// Arithmetic on unsigned i32.
  mlir::Value add(mlir::Value one, mlir::Value other);
  mlir::Value multiply(mlir::Value value, int64_t factor);
  mlir::Value divide(mlir::Value value, int64_t divisor);
  mlir::Value modulo(mlir::Value value, int64_t divisor);

  /// The thread's number in its block, and the block's number, as i32.
  mlir::Value getThread();
  mlir::Value getBlock();
  /// The number of blocks, as i32.
  mlir::Value getBlockCount();

  /// The value of the thread of this warp with a number that differs from this
  /// thread's in the bits of `mask`. All threads of the warp must execute this.
  mlir::Value exchange(mlir::Value value, int64_t mask);

  /// Waits for all threads of the block; their writes before it are visible
  /// after it.
  void wait();

  SharedArray makeShared(mlir::Type element, int64_t count);
  void store(const SharedArray &array, mlir::Value index, mlir::Value value);
  mlir::Value load(const SharedArray &array, mlir::Value index,
                   mlir::Type type);
  mlir::Value getAddress(const SharedArray &array, mlir::Value index);
  /// Bytes of all arrays made so far.
  int64_t getSharedBytes() const { return sharedBytes; }

private:
  mlir::OpBuilder &b;
  mlir::Location loc;
  int64_t sharedBytes = 0;
};

} // namespace tdc

#endif // TDC_LIB_CONVERSION_KERNELTOGPU_DEVICEBUILDER_H
