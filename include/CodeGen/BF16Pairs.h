//===- BF16Pairs.h - two bf16 numbers in 32 bits --------------------------===//
//
// Processors with AVX512-BF16 multiply pairs of bf16 numbers: for each f32 of a
// vector they add two products in one step, and take numbers below 2^-126 as 0.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_CODEGEN_BF16PAIRS_H
#define TDC_CODEGEN_BF16PAIRS_H

#include "mlir/IR/Builders.h"

namespace tdc {

/// Pairs as i32, or a vector of it. `first` and `second`: f32, or vectors of
/// it, with values that bf16 can represent.
mlir::Value emitBF16Pairs(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::Value first, mlir::Value second);

/// `sum` plus the products of both numbers of each pair. `sum`: 16 x f32, `x`
/// and `y`: 16 pairs.
mlir::Value emitBF16PairProduct(mlir::OpBuilder &builder, mlir::Location loc,
                                mlir::Value sum, mlir::Value x, mlir::Value y);

} // namespace tdc

#endif // TDC_CODEGEN_BF16PAIRS_H
