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

/// A constant for each reason, such as kCheck, which is "check".
namespace not_pipelined {
#define NOT_PIPELINED(NAME, SPELLING, SENTENCE)                                \
  inline constexpr llvm::StringLiteral k##NAME = SPELLING;
#include "Dialect/TD/Transforms/NotPipelined.def"
} // namespace not_pipelined

} // namespace tdc::td

#endif // TDC_DIALECT_TD_TRANSFORMS_NOTPIPELINED_H
