//===- KernelOutlining.h - td.kernel ops become launches ------------------===//
//
// The part of outlining that both back ends share. Each kernel takes the first
// strategy in the back end's list that matches it. The strategy writes the
// kernel's function, and a td.launch replaces the td.kernel. To add a strategy,
// add a file and a row in the list.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_CODEGEN_KERNELOUTLINING_H
#define TDC_CODEGEN_KERNELOUTLINING_H

#include "CodeGen/KernelFunction.h"
#include "llvm/ADT/FunctionExtras.h"

namespace tdc {

/// The functions of a module's kernels. Equal functions are shared.
class KernelLibrary {
public:
  /// Returns `function`, or an equal earlier function, and then erases
  /// `function`. Functions that report errors are equal only if their locations
  /// are equal too, so that an error names the right line.
  mlir::LLVM::LLVMFuncOp share(mlir::LLVM::LLVMFuncOp function, bool reports);
  /// The number of distinct functions.
  size_t size() const { return functions.size(); }

private:
  llvm::SmallVector<mlir::LLVM::LLVMFuncOp> functions;
};

/// The launch geometry of a kernel: its blocks, which on a GPU are blocks of
/// threads, and which the threads of a processor share. A kernel that runs on
/// one thread of a processor has none.
struct LaunchShape {
  /// Dims of the first result, linearized in row-major order. A block computes
  /// `extent` of their positions.
  struct TiledDims {
    llvm::SmallVector<unsigned, 2> dims;
    int64_t extent;
  };

  int64_t threads = 0;     ///< of a block
  int64_t sharedBytes = 0; ///< of a block
  /// Estimated work of a block, see estimateWork(); on a processor only.
  int64_t work = 0;
  /// Number of blocks; if absent, it follows from the size of the first result.
  std::optional<int64_t> blocks;
  /// Consecutive elements of the first result per block, if `blocks` is absent
  /// and `tile` is empty.
  int64_t elements = 0;
  /// The tile of the first result that `blocksOfTile` blocks compute, if
  /// `blocks` is absent.
  llvm::SmallVector<TiledDims, 3> tile;
  int64_t blocksOfTile = 1;
  /// If not 0, threads continue in strides of the grid: a launch has at most so
  /// many blocks, and at least one.
  int64_t mostBlocks = 0;
};

/// A kernel, as input of the strategies.
struct KernelCandidate {
  KernelFunction &function;
  /// The nest that computes all results; absent if there is none.
  std::optional<td::LoopNest> nest;
  /// Number of sections that the terms of its reductions are cut into
  /// (SplitReductions.h).
  int64_t sections = 1;
};

/// The op that gives the only result of the kernel; null if it is no `Op`, or
/// if there are several results.
template <typename Op> Op getOnlyRoot(td::KernelOp kernel) {
  mlir::Operation *yield = kernel.getBody().front().getTerminator();
  if (yield->getNumOperands() != 1)
    return {};
  return yield->getOperand(0).getDefiningOp<Op>();
}

/// The result of a strategy that matches a kernel.
struct KernelPlan {
  /// Whether the function takes the number of elements of a flat nest.
  bool isFlat = false;
  /// Whether the function computes only some of the kernel's blocks.
  bool hasBlocks = false;
  /// Pairs of inputs and results that may share a buffer, as in td.launch.
  /// `startsAsInput`: there is one pair, and its result starts as a copy of the
  /// input.
  llvm::SmallVector<int64_t> inPlace;
  bool startsAsInput = false;
  /// The type of memory that the kernel uses while it runs, if it needs any: an
  /// additional result of the launch, which nothing reads.
  mlir::RankedTensorType scratch;
  /// Writes the function's body at the builder and returns its launch shape.
  llvm::unique_function<mlir::FailureOr<LaunchShape>(KernelFunction &)> emit;
};

/// Returns a plan for the kernel, or none if the strategy does not match it. A
/// match may move the nest out of the candidate.
using Strategy = std::optional<KernelPlan> (*)(KernelCandidate &kernel);

class KernelOutliner {
public:
  virtual ~KernelOutliner() = default;

protected:
  /// Strategies in the order in which they are tried.
  KernelOutliner(mlir::ModuleOp module, llvm::ArrayRef<Strategy> strategies)
      : module(module), builder(module.getContext()), strategies(strategies) {}

  /// Replaces the kernel by a launch. `sections`: see KernelCandidate.
  mlir::LogicalResult outline(td::KernelOp kernel, int64_t sections = 1);

  /// Sets the properties of the device that the function may use.
  virtual void prepare(KernelFunction &function) = 0;
  /// The module that the function is added to, its name and its signature.
  virtual mlir::ModuleOp getCode() = 0;
  virtual std::string getName(td::KernelOp kernel) = 0;
  virtual KernelSignature getSignature() = 0;
  /// Called when the function's body is complete, to set its attributes.
  virtual void finish(mlir::LLVM::LLVMFuncOp function,
                      const LaunchShape &shape) = 0;
  /// Called for a function that is new in the library.
  virtual void declare(mlir::LLVM::LLVMFuncOp function,
                       const LaunchShape &shape, KernelReports reports) = 0;
  /// The number of blocks of the launch; null if the shape has none.
  mlir::Value makeBlocks(mlir::OpBuilder &host, td::KernelOp kernel,
                         const LaunchShape &shape);

  mlir::ModuleOp module;
  mlir::OpBuilder builder;
  KernelLibrary library;

private:
  std::optional<KernelPlan> match(KernelCandidate &kernel);

  llvm::ArrayRef<Strategy> strategies;
};

/// The number of elements of a tensor of the host code, as an i64.
mlir::Value getElementCount(mlir::OpBuilder &builder, mlir::Value tensor);

/// Whether the result of `root` may share the buffer of `input`: types and
/// layouts agree, and the nest reads each element of `input` only for the
/// result's element at the same position. The caller ensures that no element is
/// computed twice.
bool mayReplace(const KernelFunction &function, const td::LoopNest &nest,
                mlir::BlockArgument input, unsigned root);

} // namespace tdc

#endif // TDC_CODEGEN_KERNELOUTLINING_H
