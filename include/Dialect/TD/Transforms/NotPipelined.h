//===- NotPipelined.h - why a copy is not pipelined -----------------------===//

#ifndef TDC_DIALECT_TD_TRANSFORMS_NOTPIPELINED_H
#define TDC_DIALECT_TD_TRANSFORMS_NOTPIPELINED_H

#include "llvm/ADT/StringRef.h"

namespace tdc::td {

/// An attribute of a copy between the cpu and a GPU, in a loop, that
/// td-schedule does not pipeline: the reason, one of the strings below.
inline constexpr llvm::StringLiteral kNotPipelinedAttr = "td.not_pipelined";
/// An attribute of the same copy, if another op is the reason: the source
/// location of that op.
inline constexpr llvm::StringLiteral kNotPipelinedByAttr =
    "td.not_pipelined_by";

namespace not_pipelined {
/// The copied value depends on the previous iteration: on a carried value or a
/// slot.
inline constexpr llvm::StringLiteral kPreviousIteration = "previous-iteration";
/// The value is made from a result that a GPU computes in the same iteration.
inline constexpr llvm::StringLiteral kGPUResult = "gpu-result";
/// A check may end the program before the value is made: one in a kernel that
/// makes it, or one before that guards tensors of run-time size.
inline constexpr llvm::StringLiteral kCheck = "check";
/// The value is read from a file.
inline constexpr llvm::StringLiteral kFile = "file";
/// A branch or an inner loop makes the value, or decides whether it is copied.
inline constexpr llvm::StringLiteral kBranch = "branch";
/// The size of the tensor is known only at run time.
inline constexpr llvm::StringLiteral kSize = "size";
/// A branch or a loop passes the copy on, as a yielded or initial value.
inline constexpr llvm::StringLiteral kPassedOn = "passed-on";
/// The cpu uses the value, or a tensor that it is made from, as well.
inline constexpr llvm::StringLiteral kUsedByHost = "used-by-host";
/// An op that makes the value draws random numbers; the order of draws is
/// fixed.
inline constexpr llvm::StringLiteral kRandom = "random";
/// An op that makes the value may end the program, or is observable.
inline constexpr llvm::StringLiteral kEffect = "effect";
/// A GPU has no room for the second buffers of the loop's uploads, or to keep
/// the tensors that the host reads back until the end of the iteration.
inline constexpr llvm::StringLiteral kRoom = "room";
/// The body of the loop has no GPU kernel outside of branches and inner loops.
inline constexpr llvm::StringLiteral kNoKernels = "no-kernels";
/// Whether there is a next iteration is known only at the end of this one.
inline constexpr llvm::StringLiteral kEnd = "end";
/// The copy is made where it is written (--placement=off).
inline constexpr llvm::StringLiteral kAsWritten = "as-written";

// Only for tensors that the host reads back:

/// A GPU needs a value that the host makes from the tensor, in this iteration
/// or in the next.
inline constexpr llvm::StringLiteral kNeeded = "needed";
/// Another op of the iteration is observable or may end the program, and must
/// keep its order.
inline constexpr llvm::StringLiteral kOrder = "order";
/// Another tensor that the iteration reads back cannot be read later.
inline constexpr llvm::StringLiteral kOtherRead = "other-read";
/// The iteration copies a tensor on demand, when an op first needs it.
inline constexpr llvm::StringLiteral kOnDemand = "on-demand";
/// The host also needs other values of the same iteration that are not numbers,
/// such as tensors.
inline constexpr llvm::StringLiteral kTensors = "tensors";
/// The loop carries a text made from the tensor to the next iteration.
inline constexpr llvm::StringLiteral kText = "text";
/// The next iteration would run an inner loop before the tensor is read.
inline constexpr llvm::StringLiteral kInnerLoop = "inner-loop";
} // namespace not_pipelined

} // namespace tdc::td

#endif // TDC_DIALECT_TD_TRANSFORMS_NOTPIPELINED_H
