//===- KernelFunction.h - the function that a kernel becomes --------------===//

#ifndef TDC_CODEGEN_KERNELFUNCTION_H
#define TDC_CODEGEN_KERNELFUNCTION_H

#include "CodeGen/RuntimeFunctions.h"
#include "Dialect/TD/Analysis/Kernels/Vectorization.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"

namespace tdc {

/// The functions that report a bad index, and a value that is not finite;
/// kernels call no other function.
inline constexpr auto kReportIndex = runtime::tdrt_kernel_error;
inline constexpr auto kReportValue = runtime::tdrt_kernel_value;

/// What a kernel may report.
struct KernelReports {
  bool indices = false;
  bool values = false;

  bool any() const { return indices || values; }
};

/// The choices of a back end for the signatures of its kernels.
struct KernelSignature {
  /// All scalars, an i1 too, are passed as 64-bit integers or floats, the form
  /// of a GPU kernel's parameters.
  bool passesWords = false;
  /// The function takes the number of elements of a flat nest.
  bool isFlat = false;
  /// The function takes a pointer to memory that it uses while it runs.
  bool hasScratch = false;
  /// The function takes the blocks that it computes, from the first up to
  /// another that is not one of them: the threads of a processor share the
  /// blocks of a kernel.
  bool hasBlocks = false;
};

/// The kernel function that is being written. Maps the td values of the
/// kernel's body to values of the function.
struct KernelFunction {
  /// Takes the layouts that td-assign-layouts left on `kernel`.
  KernelFunction(mlir::OpBuilder &builder, td::KernelOp kernel);

  /// Creates the function `name` at the end of `module` and leaves the builder
  /// in it. Its arguments, in this order:
  ///   - the context
  ///   - per argument of the body, a pointer or a scalar
  ///   - of a flat nest, the number of elements
  ///   - per result, a pointer
  ///   - if it has scratch, a pointer
  ///   - per `?` in the types of the inputs and results, an i64
  ///   - if it has blocks, the first of them and the end, as i64
  mlir::LLVM::LLVMFuncOp create(mlir::ModuleOp module, llvm::StringRef name,
                                KernelSignature signature);

  /// The function; null before `create`.
  mlir::LLVM::LLVMFuncOp code;

  mlir::OpBuilder &builder;
  mlir::Location loc;
  td::KernelOp kernel;
  /// The first argument of every kernel, to which it reports: the runtime's
  /// context, or on a GPU the device's record.
  mlir::Value context;
  /// Pointers of the body's tensor arguments and of what its stages pass on,
  /// and of its results (by yielded position).
  llvm::DenseMap<mlir::Value, mlir::Value> pointers;
  llvm::SmallVector<mlir::Value> resultPointers;
  /// The scratch; null if there is none.
  mlir::Value scratch;
  /// i64, f64 and i1 values of the body.
  llvm::DenseMap<mlir::Value, mlir::Value> scalars;
  /// Run-time sizes of tensor arguments, as i64.
  llvm::DenseMap<std::pair<mlir::Value, unsigned>, mlir::Value> sizes;
  /// The number of elements of a flat nest, as an i64; null for other nests.
  mlir::Value flatSize;
  /// The blocks that the function computes: the first, and the end; null if it
  /// computes all.
  mlir::Value firstBlock, endBlock;
  /// Order of dims in memory of tensor arguments, and of what stages pass on;
  /// row-major where absent.
  llvm::DenseMap<mlir::Value, td::Layout> layouts;
  llvm::SmallVector<td::Layout> resultLayouts;
  /// The types of parts of tensors, where only a part is in memory: the pointer
  /// is where the tensor would begin, and the sizes of the part give strides.
  llvm::DenseMap<mlir::Value, mlir::RankedTensorType> parts;
  KernelReports reports;
  int64_t vectorBits = 0;
  int64_t vectorRegisters = 0;
  /// See TargetInfo.
  bool multipliesBF16Pairs = false;
  bool multipliesAndAdds = false;
  /// Whether factors of products are copied to panels whatever it costs.
  bool alwaysPanels = false;
  /// Whether threads share the blocks of each kernel, however little it
  /// computes.
  bool alwaysThreads = false;
  /// Bytes of the program's state on the CPU. A weight that is read once for
  /// each call is not in a cache that does not hold all of them.
  int64_t stateBytes = 0;
  /// Every tensor's address is a multiple of this many bytes; 0: unknown.
  int64_t tensorAlignment = 0;
  /// Bit width of positions and strides: 32 or 64.
  unsigned indexBits = 64;

  mlir::Value i64(int64_t value);
  /// A constant position or stride.
  mlir::Value index(int64_t value);
  /// Converts an i64, or a non-negative i32, to a position or stride. The value
  /// must fit.
  mlir::Value toIndex(mlir::Value value);
  /// Converts a position, or a vector of them, to i64.
  mlir::Value toI64(mlir::Value index);
  /// The size of a dim of a tensor of the body, as an i64.
  mlir::Value getSize(mlir::Value tensor, unsigned dim);
  /// The extent of a loop, as a position.
  mlir::Value getExtent(const td::Loop &loop);
  /// The size of the dim that a picker (td::Picker) indexes.
  mlir::Value getPickedSize(mlir::Operation *picker);
  /// Reports `index` as out of range for `picker`: the program stops after this
  /// kernel, with an error at the picker's line.
  void reportIndex(mlir::OpBuilder &at, mlir::Operation *picker,
                   mlir::Value index);
  /// Reports `value`, an f64 that is not finite, as the result of `watch`.
  void reportValue(mlir::OpBuilder &at, mlir::Operation *watch,
                   mlir::Value value);
  td::Layout getLayout(mlir::Value tensor) const;
  /// The type whose sizes and layout give the strides of the tensor.
  mlir::RankedTensorType getTypeInMemory(mlir::Value tensor) const;
};

/// Gives each report in the functions of `module` the number of its source
/// line.
void numberReports(
    mlir::ModuleOp module,
    llvm::function_ref<int32_t(mlir::Location location)> getNumber);

/// Whether the nest can walk all its tensors as one array: it is elementwise,
/// on tensors of one shape and one layout.
bool isFlatNest(const td::LoopNest &nest, const KernelFunction &function);

} // namespace tdc

#endif // TDC_CODEGEN_KERNELFUNCTION_H
