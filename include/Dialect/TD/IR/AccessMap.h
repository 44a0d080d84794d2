//===- AccessMap.h - which element of an operand an op reads --------------===//
//
// An access map says which element of an operand a compute op reads for an
// element of its result. Loops are built from these maps.
//
//   td.permute [1, 0]     (d0, d1) -> (d1, d0)
//   td.slice dim 0 step 2 (d0, d1)[s0] -> (d0 * 2 + s0, d1)
//   td.window             (d0, d1) -> (d0 * 2 + d1)
//   td.matmul, operand 0  (d0, d1, d2) -> (d0, d2)
//   td.gather dim 0       (d0, d1)[s0] -> (s0, d1)
//
// A map leads from coordinates of the result, followed by one dim per reduced
// dim of the op (ReductionOp), to coordinates of the operand.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_DIALECT_TD_IR_ACCESSMAP_H
#define TDC_DIALECT_TD_IR_ACCESSMAP_H

#include "Dialect/TD/OpTable/Enums.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/SmallBitVector.h"

namespace tdc::td {

/// A run-time number, held by an operand.
struct AccessSymbol {
  enum Kind {
    Scalar,  ///< the value of an i64
    Element, ///< an element of an index tensor, which is read by an access of
             ///< its own
    Size     ///< the size of dim `dim` of a tensor
  };
  Kind kind;
  unsigned operand;
  unsigned dim = 0;
};

struct AccessMap {
  mlir::AffineMap map;
  llvm::SmallVector<AccessSymbol, 1> symbols; ///< of `map`, in order

  /// The dims of the domain that some coordinate depends on.
  llvm::SmallBitVector getUsedDims() const;
  /// Whether each coordinate is a dim of the domain or 0.
  bool hasDimsOnly() const;
};

/// Coordinate `index` of the map as a sum: the factors of its dims, then those
/// of its symbols, then the constant. Nullopt if it is no such sum.
std::optional<llvm::SmallVector<int64_t>> getFactors(mlir::AffineMap map,
                                                     unsigned index);

/// The coordinates of all maps that contain the dim.
unsigned countReadings(llvm::ArrayRef<mlir::AffineMap> maps, unsigned dim);

/// The first dim below `rank` that is in coordinate `index` of map number
/// `operand` and in no other coordinate of any map. In windows,
/// the dims of positions precede the dims of elements; choosing a position dim
/// makes the gradient as large as the operand.
std::optional<unsigned> findOwnDim(llvm::ArrayRef<mlir::AffineMap> maps,
                                   unsigned operand, unsigned index,
                                   unsigned rank);

/// A dim of an operand.
struct OperandDim {
  unsigned operand;
  unsigned dim;
};

/// A part of the result of an UpdateOp: all elements of an operand, in
/// row-major order, each written to a position or combined with the element
/// there.
struct UpdatePart {
  unsigned operand;
  /// The map from the coordinates of the operand to those of the result. The
  /// access of an index tensor has the same domain.
  AccessMap position;
  std::optional<ReduceKind> combine = {};
};

/// A dim of a tensor. findEqualDim() returns a dim of another tensor with the
/// same size as dim `dim` of `tensor`, found through the op that makes
/// `tensor`; its tensor is null if there is none.
struct TensorDim {
  mlir::Value tensor;
  unsigned dim = 0;
};
TensorDim findEqualDim(mlir::Value tensor, unsigned dim);

} // namespace tdc::td

#endif // TDC_DIALECT_TD_IR_ACCESSMAP_H
