//===- Border.h - tensors within a border ---------------------------------===//
//
// Padding makes a tensor with a border around another one. If a kernel computes
// what is inside, it stores it there, and the tensor without the border needs
// no memory and no copy.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_DIALECT_TD_ANALYSIS_KERNELS_BORDER_H
#define TDC_DIALECT_TD_ANALYSIS_KERNELS_BORDER_H

#include "Dialect/TD/IR/TD.h"

namespace tdc::td {

/// The result of an update as a tensor within a border.
struct Border {
  /// A side of the border: the elements from `begin` on along `dim`.
  struct Side {
    unsigned dim;
    int64_t begin, extent;
  };

  mlir::Value base;  ///< every element equals one scalar
  mlir::Value inner; ///< neighbours are neighbours in the result, too
  /// Sides share the corners.
  llvm::SmallVector<Side, 4> sides;

  /// The border that the update makes; nullopt if its result is anything else,
  /// or if a side has an extent that only the run knows.
  static std::optional<Border> find(UpdateOp update);
};

} // namespace tdc::td

#endif // TDC_DIALECT_TD_ANALYSIS_KERNELS_BORDER_H
