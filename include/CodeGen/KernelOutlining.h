//===- KernelOutlining.h - a td.kernel leaves a td.launch -----------------===//
//
// What both back ends share: a kernel goes to the first strategy of the back
// end's list that is for it, which writes its function; the kernel itself
// becomes a launch. A new strategy is a file and a row of the list.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_CODEGEN_KERNELOUTLINING_H
#define TDC_CODEGEN_KERNELOUTLINING_H

#include "CodeGen/KernelFunction.h"
#include "llvm/ADT/FunctionExtras.h"

namespace tdc {

/// The functions of a module's kernels. Two that come out alike are one.
class KernelLibrary {
public:
  /// The function, or an earlier one that does the same; then it is erased.
  /// What reports an error does so with the line of its own program.
  mlir::LLVM::LLVMFuncOp share(mlir::LLVM::LLVMFuncOp function, bool reports);
  /// How many there are.
  size_t size() const { return functions.size(); }

private:
  llvm::SmallVector<mlir::LLVM::LLVMFuncOp> functions;
};

/// How a kernel is launched on a grid. A processor's runs once: it has none.
struct LaunchShape {
  /// Dims of the first result, counted row by row as one, of which a block has
  /// `extent` positions.
  struct TiledDims {
    llvm::SmallVector<unsigned, 2> dims;
    int64_t extent;
  };

  int64_t threads = 0;     ///< of a block
  int64_t sharedBytes = 0; ///< of a block
  /// Blocks, or none if their number follows from the size of the first result.
  std::optional<int64_t> blocks;
  /// Then each block does so many elements of it in a row …
  int64_t elements = 0;
  /// … or, where this is given, a tile.
  llvm::SmallVector<TiledDims, 3> tile;
  /// Whether threads go on in strides of the grid, so that fewer blocks do too.
  bool isStrided = false;
};

/// A kernel that looks for its strategy.
struct KernelCandidate {
  KernelFunction &function;
  /// The nest that computes all results; none if there is no such one.
  std::optional<td::LoopNest> nest;
  /// Parts that the terms of its reductions are cut into (SplitReductions.h).
  int64_t sections = 1;

  /// The op that gives the first result.
  template <typename Op> Op getRoot() const {
    td::KernelOp kernel = function.kernel;
    mlir::Value root = kernel.getBody().front().getTerminator()->getOperand(0);
    return root.getDefiningOp<Op>();
  }
};

/// What a strategy has found out about a kernel that it is for.
struct KernelPlan {
  /// Whether the function takes the number of elements of a flat nest.
  bool isFlat = false;
  /// Pairs of inputs and results that may share a buffer, as td.launch has
  /// them, and whether the only one starts as a copy of the input.
  llvm::SmallVector<int64_t> inPlace;
  bool startsAsInput = false;
  /// Writes the function's body at the builder, and returns how it is launched.
  llvm::unique_function<mlir::FailureOr<LaunchShape>(KernelFunction &)> emit;
};

/// The plan for a kernel; none if the strategy is not for it.
using Strategy = std::optional<KernelPlan> (*)(KernelCandidate &kernel);

class KernelOutliner {
public:
  virtual ~KernelOutliner() = default;

protected:
  /// Strategies in the order in which they are tried.
  KernelOutliner(mlir::ModuleOp module, llvm::ArrayRef<Strategy> strategies)
      : module(module), builder(module.getContext()), strategies(strategies) {}

  /// Makes a launch of the kernel, whose terms are cut into sections.
  mlir::LogicalResult outline(td::KernelOp kernel, int64_t sections = 1);

  /// Says what the function may use of its device.
  virtual void prepare(KernelFunction &function) = 0;
  /// Where the function goes, and what it takes.
  virtual mlir::ModuleOp getCode() = 0;
  virtual std::string getName(td::KernelOp kernel) = 0;
  virtual KernelSignature getSignature() = 0;
  /// The function is complete, but for its attributes.
  virtual void finish(mlir::LLVM::LLVMFuncOp function,
                      const LaunchShape &shape) = 0;
  /// It is none that was there before.
  virtual void declare(mlir::LLVM::LLVMFuncOp function,
                       const LaunchShape &shape, bool reports) = 0;
  /// The number of blocks; null where there are none.
  virtual mlir::Value makeBlocks(mlir::OpBuilder &host, td::KernelOp kernel,
                                 const LaunchShape &shape) = 0;

  mlir::ModuleOp module;
  mlir::OpBuilder builder;
  KernelLibrary library;

private:
  std::optional<KernelPlan> match(KernelCandidate &kernel);

  llvm::ArrayRef<Strategy> strategies;
};

/// The number of elements of a tensor of the host part, as an i64.
mlir::Value getElementCount(mlir::OpBuilder &builder, mlir::Value tensor);

/// Whether nothing of an input is read but the element on which the root will
/// stand, so that both may share a buffer if no element is computed twice.
bool mayStandOn(const KernelFunction &function, const td::LoopNest &nest,
                mlir::BlockArgument input, unsigned root);

} // namespace tdc

#endif // TDC_CODEGEN_KERNELOUTLINING_H
