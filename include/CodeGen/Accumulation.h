//===- Accumulation.h - one step of a reduction ---------------------------===//
//
// Emits the steps of a reduction: a neutral start, one more term, two partial
// results combined, the final rounding. Works on scalars, and on vectors that
// keep one accumulator per lane.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_CODEGEN_ACCUMULATION_H
#define TDC_CODEGEN_ACCUMULATION_H

#include "Dialect/TD/Analysis/Kernels/LoopNest.h"
#include "mlir/IR/Builders.h"

namespace tdc {

/// The result of a reduction over some of its terms. `index` (i64) is set only
/// for a reduction that gives an index.
struct Partial {
  mlir::Value value, index;
};

/// The values of a reduction that a loop carries. takePartial removes them from
/// the front of `carried`; putPartial appends them.
Partial takePartial(const td::Reduction &reduction, mlir::ValueRange &carried);
void putPartial(Partial partial, llvm::SmallVectorImpl<mlir::Value> &carried);

/// The results that the reductions of a nest accumulate at the same time.
/// `factors`: per loop, the elements or vectors of a tile.
int64_t countChains(llvm::ArrayRef<td::Reduction> reductions,
                    llvm::ArrayRef<int64_t> factors);
/// The registers that these take: one each, two if the reduction gives an
/// index.
int64_t countAccumulators(llvm::ArrayRef<td::Reduction> reductions,
                          llvm::ArrayRef<int64_t> factors);

/// The td element type of the reduction's first operand.
mlir::Type getElement(const td::Reduction &reduction);
/// Whether the reduction is a sum that rounds: of products, or of elements.
bool isFloatSum(const td::Reduction &reduction);

/// The partial result of no terms, in vectors of `lanes`, or in scalars if
/// `lanes` is 0.
Partial makeNeutral(mlir::OpBuilder &builder, mlir::Location loc,
                    const td::Reduction &reduction, int64_t lanes);
/// Adds one term to `before`. `operands`: the reduction's operands at the term,
/// of the type of `before.value`. `position` (i64): the position of the term,
/// used only if the reduction gives an index.
Partial accumulate(mlir::OpBuilder &builder, mlir::Location loc,
                   const td::Reduction &reduction, Partial before,
                   mlir::ValueRange operands, mlir::Value position);
/// Combines two partial results; of equal values it takes the smaller index.
Partial combine(mlir::OpBuilder &builder, mlir::Location loc,
                const td::Reduction &reduction, Partial one, Partial other);
/// Rounds the complete result to the dtype of the result of `op`, which is the
/// reduction or the op that finishes it.
mlir::Value roundResult(mlir::OpBuilder &builder, mlir::Location loc,
                        const td::Reduction &reduction, mlir::Operation *op,
                        mlir::Value result);

} // namespace tdc

#endif // TDC_CODEGEN_ACCUMULATION_H
