//===- InLine.h - why a copy waits for its turn among the kernels ---------===//

#ifndef TDC_DIALECT_TD_TRANSFORMS_INLINE_H
#define TDC_DIALECT_TD_TRANSFORMS_INLINE_H

#include "llvm/ADT/StringRef.h"

namespace tdc::td {

/// On a td.to_device of a loop that brings a tensor from the cpu to a GPU, and
/// that td-schedule leaves among the kernels: one of these.
inline constexpr llvm::StringLiteral kInLineAttr = "td.in_line";

namespace in_line {
/// What makes it depends on the turn before.
inline constexpr llvm::StringLiteral kTurnBefore = "turn-before";
/// It is made from what a GPU computes in the same turn.
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
/// The second buffers of the loop's uploads do not fit on one of their GPUs.
inline constexpr llvm::StringLiteral kRoom = "room";
/// No kernels of a GPU stand in the loop itself.
inline constexpr llvm::StringLiteral kNoKernels = "no-kernels";
/// Whether there is a next turn is known when this one is over.
inline constexpr llvm::StringLiteral kEnd = "end";
/// --placement=off
inline constexpr llvm::StringLiteral kAsWritten = "as-written";
} // namespace in_line

} // namespace tdc::td

#endif // TDC_DIALECT_TD_TRANSFORMS_INLINE_H
