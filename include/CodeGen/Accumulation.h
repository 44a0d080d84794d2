//===- Accumulation.h - one step of a reduction ---------------------------===//
//
// What a reduction does with one more term, for scalars and for vectors that
// keep one accumulator per lane.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_CODEGEN_ACCUMULATION_H
#define TDC_CODEGEN_ACCUMULATION_H

#include "Dialect/TD/Analysis/Kernels/LoopNest.h"
#include "mlir/IR/Builders.h"

namespace tdc {

/// A reduction over some of its terms: `index` only of one that gives an index,
/// as i64.
struct Partial {
  mlir::Value value, index;
};

/// What loops carry of a reduction: takes it from the front of their values,
/// or puts it behind them.
Partial takePartial(const td::Reduction &reduction, mlir::ValueRange &carried);
void putPartial(Partial partial, llvm::SmallVectorImpl<mlir::Value> &carried);

/// The td element type of what it collects.
mlir::Type getElement(const td::Reduction &reduction);
/// Whether the reduction is a sum that rounds: of products, or of elements.
bool isFloatSum(const td::Reduction &reduction);

/// No term yet, in vectors of `lanes`, or scalars where that is 0.
Partial makeNeutral(mlir::OpBuilder &builder, mlir::Location loc,
                    const td::Reduction &reduction, int64_t lanes);
/// One more term: the reduction's operands there, of the type of
/// `before.value`, and if it gives an index where the term is, as i64.
Partial accumulate(mlir::OpBuilder &builder, mlir::Location loc,
                   const td::Reduction &reduction, Partial before,
                   mlir::ValueRange operands, mlir::Value position);
/// Two parts together; of equal values the first index is taken.
Partial combine(mlir::OpBuilder &builder, mlir::Location loc,
                const td::Reduction &reduction, Partial one, Partial other);
/// All terms collected: rounded to the dtype of the result of `op`, which is
/// the reduction or what finishes it.
mlir::Value roundResult(mlir::OpBuilder &builder, mlir::Location loc,
                        const td::Reduction &reduction, mlir::Operation *op,
                        mlir::Value result);

} // namespace tdc

#endif // TDC_CODEGEN_ACCUMULATION_H
