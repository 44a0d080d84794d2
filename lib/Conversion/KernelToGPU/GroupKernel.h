//===- GroupKernel.h - one kernel for several launches of another ---------===//
//
// Its blocks are those of the launches, one launch after the other, and its
// only parameter is a table of words:
//
//   the record of errors
//   scalars that all launches are given alike
//   the number of the first block of each launch
//   the other inputs of each launch
//   the results of each launch
//   the run-time sizes of the inputs of each launch, then of the results
//
// which is the order in which one td.launch with all their inputs and results
// passes them.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_CONVERSION_KERNELTOGPU_GROUPKERNEL_H
#define TDC_CONVERSION_KERNELTOGPU_GROUPKERNEL_H

#include "Dialect/TD/IR/TD.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/BitVector.h"

namespace tdc {

/// Where the words of the members of a group stand in its table.
class GroupLayout {
public:
  /// A group of one.
  explicit GroupLayout(td::LaunchOp first);

  /// Whether the launch is one of the same kernel, on the same device, with the
  /// same kinds of words.
  bool isAlike(td::LaunchOp launch) const;
  /// Takes one that is alike into the group, unless the table would then be too
  /// long for the parameters of a kernel.
  bool add(td::LaunchOp launch);

  int64_t countMembers() const { return members; }
  int64_t countWords() const { return countWords(members, shared.count()); }
  /// Whether all members are given the same scalar as this input.
  bool isShared(unsigned input) const { return shared.test(input); }

  /// The word of a member: `base` + its number * `stride`.
  struct Position {
    int64_t base, stride;
  };
  Position getFirstBlock() const { return {1 + int64_t(shared.count()), 1}; }
  /// Of all parameters of the kernel that the members launch.
  llvm::SmallVector<Position> getParameters() const;

private:
  int64_t countWords(int64_t members, int64_t shared) const;

  mutable td::LaunchOp first; ///< only asked
  int64_t members = 1;
  llvm::BitVector shared; ///< by input
  /// Run-time sizes of one member.
  int64_t inputSizes = 0, resultSizes = 0;
};

/// Makes the kernel `name` of a group whose members launch `body`.
mlir::LLVM::LLVMFuncOp makeGroupKernel(mlir::LLVM::LLVMFuncOp body,
                                       const GroupLayout &layout,
                                       llvm::StringRef name);

} // namespace tdc

#endif // TDC_CONVERSION_KERNELTOGPU_GROUPKERNEL_H
