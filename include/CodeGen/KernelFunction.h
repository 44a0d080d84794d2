//===- KernelFunction.h - the function that a kernel becomes --------------===//

#ifndef TDC_CODEGEN_KERNELFUNCTION_H
#define TDC_CODEGEN_KERNELFUNCTION_H

#include "Conversion/RuntimeFunctions.h"
#include "Dialect/TD/Analysis/Kernels/Vectorization.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"

namespace tdc {

/// The function that takes a bad index; all that kernels call.
inline constexpr llvm::StringLiteral kReportIndex =
    runtime::tdrt_kernel_error.name;

/// What a backend decides of its kernels' signatures.
struct KernelSignature {
  /// All scalars are passed as 64-bit integers or floats, as GPUs are handed
  /// their parameters: an i1 too.
  bool passesWords = false;
  /// Takes the number of elements of a flat nest.
  bool isFlat = false;
};

/// The kernel function being written: how td values of the body appear in it.
struct KernelFunction {
  /// With the layouts that assign-layouts left on the kernel.
  KernelFunction(mlir::OpBuilder &builder, td::KernelOp kernel);

  /// Makes the function, called `name`, at the end of `module`, and leaves the
  /// builder in it. Its arguments: the context, then in the order of the body's
  /// a pointer or a scalar each, the number of elements of a flat nest, a
  /// pointer per result, and an i64 per `?` of the inputs' and results' types.
  mlir::LLVM::LLVMFuncOp create(mlir::ModuleOp module, llvm::StringRef name,
                                KernelSignature signature);

  /// The function, once it is made.
  mlir::LLVM::LLVMFuncOp code;

  mlir::OpBuilder &builder;
  mlir::Location loc;
  td::KernelOp kernel;
  /// What a bad index is reported to, first argument of every kernel: the
  /// runtime's context, or on a GPU the device's error record.
  mlir::Value context;
  /// Tensor arguments of the body, and its results (by yielded position).
  llvm::DenseMap<mlir::Value, mlir::Value> pointers;
  llvm::SmallVector<mlir::Value> resultPointers;
  /// i64, f64 and i1 values of the body.
  llvm::DenseMap<mlir::Value, mlir::Value> scalars;
  /// Run-time sizes of tensor arguments, as i64.
  llvm::DenseMap<std::pair<mlir::Value, unsigned>, mlir::Value> sizes;
  /// Of a flat nest: how many elements there are, as an i64.
  mlir::Value flatSize;
  /// Order of dims in memory of tensor arguments; row-major where absent.
  llvm::DenseMap<mlir::Value, td::Layout> layouts;
  llvm::SmallVector<td::Layout> resultLayouts;
  /// Whether the kernel may report a bad index.
  bool reports = false;
  int64_t vectorBits = 0;
  int64_t vectorRegisters = 0;
  /// Bytes of whose multiples every tensor's address is one; 0: nothing is
  /// known.
  int64_t tensorAlignment = 0;
  /// The bits that positions and strides are computed with, 32 or 64.
  unsigned indexBits = 64;

  mlir::Value i64(int64_t value);
  /// A constant position or stride.
  mlir::Value index(int64_t value);
  /// An i64, or an i32 that is not negative, as a position or stride; it fits.
  mlir::Value toIndex(mlir::Value value);
  /// A position, or a vector of them, as i64.
  mlir::Value toI64(mlir::Value index);
  /// The size of a dim of a tensor of the body, as an i64.
  mlir::Value getSize(mlir::Value tensor, unsigned dim);
  /// The extent of a loop, as a position.
  mlir::Value getExtent(const td::Loop &loop);
  /// The size of the dim that a picker (td::Picker) indexes.
  mlir::Value getPickedSize(mlir::Operation *picker);
  /// Makes the program stop, after this kernel, at the picker's line.
  void reportIndex(mlir::OpBuilder &at, mlir::Operation *picker,
                   mlir::Value index);
  td::Layout getLayout(mlir::Value tensor) const;
};

/// Whether all tensors of the nest can be walked as one array: elementwise work
/// on tensors of one shape and one layout.
bool isFlatNest(const td::LoopNest &nest, const KernelFunction &function);

} // namespace tdc

#endif // TDC_CODEGEN_KERNELFUNCTION_H
