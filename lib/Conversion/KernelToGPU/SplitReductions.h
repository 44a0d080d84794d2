//===- SplitReductions.h - long reductions in two kernels -----------------===//
//
// A group of threads computes one result of a reduction, so that the sum of ten
// million elements would run on one block. If there are few results and many
// terms, a first kernel cuts the terms into *sections* and computes the
// reduction of each, and the kernel itself continues with those:
//
//   sum(exp(x)) / n   ->   p[s] = sum(exp(x[section s])),   sum(p) / n
//
// The sections depend on static sizes only, so that a program gives the same
// bits in every run and on every GPU.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_LIB_CONVERSION_KERNELTOGPU_SPLITREDUCTIONS_H
#define TDC_LIB_CONVERSION_KERNELTOGPU_SPLITREDUCTIONS_H

#include "Dialect/TD/IR/TD.h"

namespace tdc {

/// A kernel with results that have an additional first dim, the sections,
/// compared with the values that it yields.
struct SectionKernel {
  td::KernelOp kernel;
  int64_t sections;
};

/// Moves the long reductions of `kernel` to new kernels before it, which are
/// returned; `kernel` then reads their results. Adds `kernel` to `rest`, or, if
/// it must be split, a kernel for each of its results.
llvm::SmallVector<SectionKernel>
splitReductions(td::KernelOp kernel, llvm::SmallVectorImpl<td::KernelOp> &rest);

} // namespace tdc

#endif // TDC_LIB_CONVERSION_KERNELTOGPU_SPLITREDUCTIONS_H
