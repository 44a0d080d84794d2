//===- StreamedProduct.h - few rows times a large matrix ------------------===//
//
// A product of few rows reads each element of the matrix once or a few times,
// from memory. Memory is fast if it is read in long runs: several rows of the
// matrix at once, each from end to end, or on several threads from one end of a
// thread's columns to the other. Then the sums of all these columns are in
// progress at the same time, in scratch, which stays in the cache.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_LIB_CONVERSION_KERNELTOCPU_STREAMEDPRODUCT_H
#define TDC_LIB_CONVERSION_KERNELTOCPU_STREAMEDPRODUCT_H

#include "Dialect/TD/Analysis/Kernels/Contraction.h"
#include "NestLoops.h"

namespace tdc {

/// The rows of the matrix that are read at once: their factors, the elements of
/// `rows` rows, take at most half of the registers.
int64_t getStreamedTerms(const KernelFunction &function, int64_t rows);

/// Whether the contraction is such a product if `lane` runs on lanes.
bool isStreamedProduct(const KernelFunction &function, const td::LoopNest &nest,
                       const td::Contraction &contraction, unsigned lane);

/// Emits the nest of a streamed product: the sums, then the roots.
void emitStreamedProduct(KernelFunction &function, const td::LoopNest &nest,
                         const NestSchedule &schedule,
                         llvm::ArrayRef<StoreTarget> targets);

/// The type of the scratch.
mlir::RankedTensorType getStreamType(const td::LoopNest &nest,
                                     const NestSchedule &schedule);

} // namespace tdc

#endif // TDC_LIB_CONVERSION_KERNELTOCPU_STREAMEDPRODUCT_H
