//===- TensorBuilder.h - td ops for gradient code -------------------------===//
//
// Gradient rules and td-grad emit many small tensor ops. This builder makes the
// code short and adds the parts that are easy to forget: the place, the
// run-time sizes, the host constant of a fill.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_DIALECT_TD_GRADIENTS_TENSORBUILDER_H
#define TDC_DIALECT_TD_GRADIENTS_TENSORBUILDER_H

#include "Dialect/TD/IR/Locations.h"
#include "Dialect/TD/IR/TD.h"
#include "mlir/IR/Builders.h"

namespace tdc::td {

/// Emits td ops at the insertion point of a borrowed OpBuilder.
class TensorBuilder {
public:
  /// Removes the name from `loc`: a gradient must not have the name of the
  /// value that it belongs to.
  TensorBuilder(mlir::OpBuilder &builder, mlir::Location loc)
      : builder(builder), loc(withoutName(loc)) {}

  template <typename OpTy, typename... Args> mlir::Value make(Args &&...args) {
    return OpTy::create(builder, loc, std::forward<Args>(args)...);
  }

  mlir::Value constantInt(int64_t value);
  /// One i64 per `?` of the tensor's type: the sizes operand of an op with a
  /// result of the same shape.
  llvm::SmallVector<mlir::Value> sizesOf(mlir::Value tensor);
  /// The size of one dim as an i64.
  mlir::Value dim(mlir::Value tensor, int64_t index);

  /// A tensor of the type and sizes of `like` with `value` everywhere.
  mlir::Value full(double value, mlir::Value like);
  mlir::Value full(double value, mlir::RankedTensorType type,
                   mlir::ValueRange sizes = {});
  mlir::Value zeros(mlir::Value like) { return full(0.0, like); }

  mlir::Value add(mlir::Value a, mlir::Value b) { return make<AddOp>(a, b); }
  mlir::Value sub(mlir::Value a, mlir::Value b) { return make<SubOp>(a, b); }
  mlir::Value mul(mlir::Value a, mlir::Value b) { return make<MulOp>(a, b); }
  mlir::Value div(mlir::Value a, mlir::Value b) { return make<DivOp>(a, b); }
  mlir::Value neg(mlir::Value a) { return make<NegOp>(a); }
  mlir::Value compare(ComparePredicate predicate, mlir::Value a, mlir::Value b);
  mlir::Value select(mlir::Value condition, mlir::Value onTrue,
                     mlir::Value onFalse) {
    return make<SelectOp>(condition, onTrue, onFalse);
  }
  /// The tensor converted to a dtype (itself if it has it).
  mlir::Value cast(mlir::Value tensor, mlir::Type elementType);

  /// The tensor without `dims`, summed or otherwise combined along them.
  mlir::Value reduce(ReduceKind kind, mlir::Value tensor,
                     llvm::ArrayRef<int64_t> dims);
  /// The transpose of `reduce(sum)`: `reduced`, a tensor without `dims`,
  /// repeated along them into the shape of `like`.
  mlir::Value expand(mlir::Value reduced, mlir::Value like,
                     llvm::ArrayRef<int64_t> dims);
  /// Reshaped to the type and sizes of `like` (itself if it has the type).
  mlir::Value reshapeLike(mlir::Value tensor, mlir::Value like);
  mlir::Value permute(mlir::Value tensor, llvm::ArrayRef<int64_t> permutation);
  /// The last two dims swapped.
  mlir::Value transpose(mlir::Value matrix);
  /// For each element of `like` its row-major index along `dims`, as i64. Only
  /// the first of `dims` may have a run-time size.
  mlir::Value numbersAlong(mlir::Value like, llvm::ArrayRef<int64_t> dims);
  /// The elements along a dim in the opposite order.
  mlir::Value flip(mlir::Value tensor, int64_t dim);
  /// The slice of `tensor`, from `start` along `dim`, that has the shape of
  /// `like`.
  mlir::Value sliceLike(mlir::Value tensor, mlir::Value like, mlir::Value start,
                        int64_t dim, int64_t step);

private:
  mlir::OpBuilder &builder;
  mlir::Location loc;
};

/// `type` with another shape, and the same element type and place.
mlir::RankedTensorType withShape(mlir::RankedTensorType type,
                                 llvm::ArrayRef<int64_t> shape);
/// The tensor type of a value known to be a tensor.
mlir::RankedTensorType tensorType(mlir::Value value);
/// Whether gradients can flow through a value: a tensor of floats.
bool isFloatTensor(mlir::Value value);

} // namespace tdc::td

#endif // TDC_DIALECT_TD_GRADIENTS_TENSORBUILDER_H
