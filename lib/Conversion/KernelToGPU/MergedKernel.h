//===- MergedKernel.h - one kernel for several launches of another --------===//
//
// The kernel has the blocks of all launches, one launch after the other. Its
// only parameter is a table of words:
//
//   the record of errors
//   the scalars that are the same for all launches
//   the number of the first block of each launch
//   the other inputs of each launch
//   the results of each launch
//   the run-time sizes of the inputs of each launch, then of the results
//
// This is the order of arguments of one td.launch with all their inputs and
// results.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_LIB_CONVERSION_KERNELTOGPU_MERGEDKERNEL_H
#define TDC_LIB_CONVERSION_KERNELTOGPU_MERGEDKERNEL_H

#include "Dialect/TD/IR/TD.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/BitVector.h"

namespace tdc {

/// The positions of the members' words in the table of a merged launch.
class MergedLayout {
public:
  /// Starts with one member.
  explicit MergedLayout(td::LaunchOp first);

  /// Whether the launch is of the same kernel, on the same device, with the
  /// same kinds of words.
  bool isAlike(td::LaunchOp launch) const;
  /// Adds a launch, for which isAlike holds. Returns false if the
  /// table would be too long for the parameters of a kernel.
  bool add(td::LaunchOp launch);

  int64_t countMembers() const { return members; }
  int64_t countWords() const { return countWords(members, shared.count()); }
  /// Whether this input is the same scalar for all members.
  bool isShared(unsigned input) const { return shared.test(input); }

  /// The position of a member's word: `base` + the member's number * `stride`.
  struct Position {
    int64_t base, stride;
  };
  Position getFirstBlock() const { return {1 + int64_t(shared.count()), 1}; }
  /// The positions of all parameters of the kernel that the members launch.
  llvm::SmallVector<Position> getParameters() const;

private:
  int64_t countWords(int64_t members, int64_t shared) const;

  mutable td::LaunchOp first; ///< read only
  int64_t members = 1;
  llvm::BitVector shared; ///< per input
  /// Number of run-time sizes of one member.
  int64_t inputSizes = 0, resultSizes = 0;
};

/// Creates the kernel `name` for members that launch `body`.
mlir::LLVM::LLVMFuncOp makeMergedKernel(mlir::LLVM::LLVMFuncOp body,
                                        const MergedLayout &layout,
                                        llvm::StringRef name);

} // namespace tdc

#endif // TDC_LIB_CONVERSION_KERNELTOGPU_MERGEDKERNEL_H
