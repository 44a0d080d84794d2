//===- GroupMerger.h - a group becomes one kernel or two ------------------===//

#ifndef TDC_LIB_DIALECT_TD_TRANSFORMS_FUSESTAGES_GROUPMERGER_H
#define TDC_LIB_DIALECT_TD_TRANSFORMS_FUSESTAGES_GROUPMERGER_H

#include "Dialect/TD/IR/TD.h"

namespace tdc::td {

/// Merges the group (findGroup) if that saves memory traffic. If some of its
/// kernels wait for what others lead to, as the gradient of an attention waits
/// for the loss, they become a kernel of their own. It computes the scores
/// again, which are not stored in the meantime. Returns whether it merged.
bool mergeGroup(llvm::ArrayRef<KernelOp> group);

} // namespace tdc::td

#endif // TDC_LIB_DIALECT_TD_TRANSFORMS_FUSESTAGES_GROUPMERGER_H
