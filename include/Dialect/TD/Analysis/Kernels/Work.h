//===- Work.h - how much a nest computes ----------------------------------===//

#ifndef TDC_DIALECT_TD_ANALYSIS_KERNELS_WORK_H
#define TDC_DIALECT_TD_ANALYSIS_KERNELS_WORK_H

#include "Dialect/TD/Analysis/Kernels/LoopNest.h"

namespace tdc::td {

/// The estimated work of a nest, in units of one term of a product of matrices
/// on one thread of a processor, which takes about 20 picoseconds: each op
/// costs what OpInfo says for each element that it computes, a reduction one
/// unit for each that it combines, and each element of a tensor one unit, or
/// several if the tensor is in memory. Run-time extents count as in
/// estimateSize(). Saturates at the largest int64_t.
int64_t estimateWork(const LoopNest &nest);

} // namespace tdc::td

#endif // TDC_DIALECT_TD_ANALYSIS_KERNELS_WORK_H
