//===- CausalMask.h - stages that need a triangle of their columns --------===//
//
// A causal attention masks the scores of the keys after each query: they are
// minus infinity, and become weights of 0. Neither scores nor weights of keys
// after all queries of a block need to be computed.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_DIALECT_TD_ANALYSIS_KERNELS_CAUSALMASK_H
#define TDC_DIALECT_TD_ANALYSIS_KERNELS_CAUSALMASK_H

#include "Dialect/TD/Analysis/Kernels/Stages.h"

namespace tdc::td {

struct CausalMask {
  /// The first column that is masked in row `i` of the last shared dim is
  /// `i + offset`; at least 1, so that no row is masked as a whole.
  int64_t offset;
  /// The value that the root of the first stage selects where it is not masked,
  /// if it is read at the coordinates of the root; else null.
  Access unmasked;
  /// Per stage: the loops over columns. Positions that are masked in all rows
  /// of a block change no result of the kernel, if what it reads there is
  /// finite, and not 0 where it divides (AbsorbingOp).
  llvm::SmallVector<LoopSet, 4> columns;

  /// The mask that the first stage applies; nullopt if there is none, or if a
  /// later stage needs the masked elements.
  static std::optional<CausalMask> find(const Stages &stages);
};

} // namespace tdc::td

#endif // TDC_DIALECT_TD_ANALYSIS_KERNELS_CAUSALMASK_H
