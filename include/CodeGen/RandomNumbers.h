//===- RandomNumbers.h - counter-based random numbers in kernels ----------===//

#ifndef TDC_CODEGEN_RANDOMNUMBERS_H
#define TDC_CODEGEN_RANDOMNUMBERS_H

#include "Dialect/TD/IR/TD.h"
#include "mlir/IR/Builders.h"

namespace tdc {

/// Element `index` (row-major, an i64) of what td.random makes, except
/// permutations: the same bits that the runtime makes
/// (runtime/src/program/RandomCore.h says how). `operands` are the op's own,
/// seed, call and bounds, as i64.
mlir::Value emitRandom(mlir::OpBuilder &builder, td::RandomOp op,
                       mlir::ValueRange operands, mlir::Value index);

/// A random i64 from 0 to below `end`, from word `index` of a call.
mlir::Value emitBelow(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::Value seed, mlir::Value call, mlir::Value index,
                      mlir::Value end);

} // namespace tdc

#endif // TDC_CODEGEN_RANDOMNUMBERS_H
