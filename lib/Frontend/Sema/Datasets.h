//===- Datasets.h - rows of tensors ---------------------------------------===//

#ifndef TDC_LIB_FRONTEND_SEMA_DATASETS_H
#define TDC_LIB_FRONTEND_SEMA_DATASETS_H

#include "Values.h"

namespace tdc::sema {

class Checker;

/// A data set of tensors with equally many rows; null after a report. `what` is
/// the function that takes them.
std::shared_ptr<DatasetInfo> makeDataset(Checker &c,
                                         llvm::ArrayRef<Val> tensors,
                                         llvm::StringRef what,
                                         SourceRange range);

} // namespace tdc::sema

#endif // TDC_LIB_FRONTEND_SEMA_DATASETS_H
