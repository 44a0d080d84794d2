//===- NotPipelined.h - why a copy is not made ahead, or read late
//--------------===//

#ifndef TDC_DIALECT_TD_TRANSFORMS_NOTPIPELINED_H
#define TDC_DIALECT_TD_TRANSFORMS_NOTPIPELINED_H

#include "llvm/ADT/StringRef.h"

namespace tdc::td {

/// On a copy of a loop between the cpu and a GPU that td-schedule leaves in its
/// iteration: one of these.
inline constexpr llvm::StringLiteral kNotPipelinedAttr = "td.not_pipelined";
/// The place of the op that is the reason, where it is another one.
inline constexpr llvm::StringLiteral kNotPipelinedByAttr =
    "td.not_pipelined_by";

namespace not_pipelined {
/// What makes it depends on the previous iteration.
inline constexpr llvm::StringLiteral kPreviousIteration = "previous-iteration";
/// It is made from what a GPU computes in the same iteration.
inline constexpr llvm::StringLiteral kGPUResult = "gpu-result";
/// A check of the program may end it before this is made.
inline constexpr llvm::StringLiteral kCheck = "check";
inline constexpr llvm::StringLiteral kFile = "file";
/// A branch or an inner loop makes it, or decides whether it is copied.
inline constexpr llvm::StringLiteral kBranch = "branch";
/// Only a run knows how large it is.
inline constexpr llvm::StringLiteral kSize = "size";
/// A branch or a loop hands the copy on.
inline constexpr llvm::StringLiteral kPassedOn = "passed-on";
/// The cpu uses what is copied as well.
inline constexpr llvm::StringLiteral kUsedByHost = "used-by-host";
/// What makes it draws random numbers, which have their order.
inline constexpr llvm::StringLiteral kRandom = "random";
/// What makes it may end the program, or be seen.
inline constexpr llvm::StringLiteral kEffect = "effect";
/// The second buffers of the loop's copies do not fit on one of their GPUs.
inline constexpr llvm::StringLiteral kRoom = "room";
/// No kernels of a GPU stand in the loop itself.
inline constexpr llvm::StringLiteral kNoKernels = "no-kernels";
/// Whether there is a next iteration is known when this one is over.
inline constexpr llvm::StringLiteral kEnd = "end";
/// --placement=off
inline constexpr llvm::StringLiteral kAsWritten = "as-written";

// Of what the host reads alone:

/// A GPU needs what the host makes of it, in this iteration or in the next.
inline constexpr llvm::StringLiteral kNeeded = "needed";
/// Something in the iteration is seen from outside, or may end the program.
inline constexpr llvm::StringLiteral kOrder = "order";
/// Another read of the iteration cannot come later.
inline constexpr llvm::StringLiteral kOtherRead = "other-read";
/// Something is copied when the iteration first asks for it.
inline constexpr llvm::StringLiteral kOnDemand = "on-demand";
/// The host needs more tensors of the same iteration.
inline constexpr llvm::StringLiteral kTensors = "tensors";
/// A text made of it is handed to the next iteration.
inline constexpr llvm::StringLiteral kText = "text";
/// An inner loop would run before it is read.
inline constexpr llvm::StringLiteral kInnerLoop = "inner-loop";
} // namespace not_pipelined

} // namespace tdc::td

#endif // TDC_DIALECT_TD_TRANSFORMS_NOTPIPELINED_H
