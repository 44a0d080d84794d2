//===- SplitReductions.h - long reductions in two kernels -----------------===//
//
// A group of threads takes one result of a reduction, so that the sum of ten
// million elements would run on one block. Where there are few results and many
// terms, a first kernel cuts the terms into *sections* and gives the reduction
// of each, and the kernel itself goes on with those:
//
//   sum(exp(x)) / n   ->   p[s] = sum(exp(x[section s])),   sum(p) / n
//
// The sections follow from static sizes alone, so that a program gives the same
// bits in every run and on every GPU.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_CONVERSION_KERNELTOGPU_SPLITREDUCTIONS_H
#define TDC_CONVERSION_KERNELTOGPU_SPLITREDUCTIONS_H

#include "Dialect/TD/IR/TD.h"

namespace tdc {

/// A kernel whose results have one dim more than what it yields, the first, for
/// the sections.
struct SectionKernel {
  td::KernelOp kernel;
  int64_t sections;
};

/// Takes the long reductions out of a kernel, which then reads what the kernels
/// in front of it, returned, give. A kernel with several results may become one
/// for each: they are added to `rest`, as is the kernel itself.
llvm::SmallVector<SectionKernel>
splitReductions(td::KernelOp kernel, llvm::SmallVectorImpl<td::KernelOp> &rest);

} // namespace tdc

#endif // TDC_CONVERSION_KERNELTOGPU_SPLITREDUCTIONS_H
