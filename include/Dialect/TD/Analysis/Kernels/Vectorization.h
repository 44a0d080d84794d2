//===- Vectorization.h - which loops of a nest run on vector lanes --------===//
//
// A nest has at most one lane loop open at a time. Either a root loop that all
// reductions share takes the lanes (every reduction keeps one accumulator per
// lane), or every reduction runs along its own lanes and adds them up at the
// end. The choice is made by summing the costs of all accesses; the same sum is
// used to choose the order of the dims of a tensor in memory.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_DIALECT_TD_ANALYSIS_KERNELS_VECTORIZATION_H
#define TDC_DIALECT_TD_ANALYSIS_KERNELS_VECTORIZATION_H

#include "Dialect/TD/Analysis/Kernels/LoopNest.h"

namespace tdc::td {

/// The order of a tensor's elements in memory.
struct Layout {
  /// The dims from the outermost to the innermost in memory.
  llvm::SmallVector<int64_t, 4> order;
  /// 0, or the block size of a blocked layout: the last dim of `order` is split
  /// into blocks of `block` contiguous elements, and the block index is the
  /// outermost dim in memory. Products read blocks in place of panels
  /// (PanelEmitter.h). `block` divides the size of the blocked dim, and all
  /// sizes are static, except that a tensor between kernels may have a run-time
  /// size of the first dim of `order`.
  int64_t block = 0;

  /// From and to the form of the `layouts` attribute: the order, followed by
  /// the block size if the layout is blocked.
  static Layout fromAttribute(llvm::ArrayRef<int64_t> attribute, unsigned rank);
  llvm::SmallVector<int64_t> toAttribute() const;
  int64_t getLast() const { return order.back(); } ///< the blocked dim
  bool operator==(const Layout &other) const {
    return order == other.order && block == other.block;
  }
  bool operator!=(const Layout &other) const { return !(*this == other); }
};
/// The row-major layout of the tensor: 0, 1, … for all dims.
Layout getRowMajor(mlir::Value tensor);
/// The layout of input or, after the inputs, result `index` of the kernel,
/// which td-assign-layouts chose. A tensor.
Layout getLayout(KernelOp kernel, unsigned index);
using LayoutFunction = llvm::function_ref<Layout(mlir::Value)>;

struct VectorPlan {
  /// Loops on lanes; of any two of them, neither runs inside the other.
  LoopSet lanes = 0;
  /// Estimated vector instructions.
  double cost = 0;
};

/// The positions that read an element of a factor from which it is worth
/// gathering it to a panel.
inline constexpr int64_t kFewReaders = 8;

/// The cheapest plan for vectors of `lanes` elements that leaves `serial` loops
/// alone. Run-time extents count as in estimateSize(). `panelBytes`: the
/// most bytes of a panel; 0: there are none. `cacheBytes`: inputs with more are
/// read from memory.
VectorPlan planVectors(const LoopNest &nest, LayoutFunction layoutOf,
                       int64_t lanes, LoopSet serial = 0,
                       int64_t panelBytes = 0, int64_t cacheBytes = INT64_MAX);

/// A cpu may copy operand `factor` of a product to a *panel*, where the
/// elements that it reads at once, along the loop `lane`, are next to each
/// other (PanelEmitter.h). Returns the loops over the rows of the panel: the
/// terms that the operand depends on. Empty if there can be no panel: the
/// operand depends on no term or not on `lane`, there are no terms, their
/// number is known only at run time, or even rows of `lanes` elements take more
/// than `mostBytes`.
llvm::SmallVector<unsigned, 2> getPanelRows(const LoopNest &nest,
                                            const Reduction &product,
                                            unsigned factor, unsigned lane,
                                            int64_t lanes, int64_t mostBytes);

/// The distance in memory of two neighbours along `loop`: 0 (the same element),
/// 1 (contiguous) or -1 (anything else). For a blocked layout, the number of
/// lanes divides the block size, and vectors begin at multiples of it.
int getLaneStride(const LoopNest &nest, const Access &access, unsigned loop,
                  const Layout &layout);

/// Whether vectors along `lane` are columns of rows that are contiguous along
/// `loop`, so that they can be transposed in registers rather than gathered.
bool isTransposed(const LoopNest &nest, const Access &access, unsigned lane,
                  unsigned loop, const Layout &layout);

} // namespace tdc::td

#endif // TDC_DIALECT_TD_ANALYSIS_KERNELS_VECTORIZATION_H
