//===- RandomNumbers.h - counter-based random numbers in kernels ----------===//

#ifndef TDC_CODEGEN_RANDOMNUMBERS_H
#define TDC_CODEGEN_RANDOMNUMBERS_H

#include "Dialect/TD/IR/TD.h"
#include "mlir/IR/Builders.h"

namespace tdc {

/// Registers that each random op of a loop keeps over all iterations: the keys
/// of the ten rounds, which LLVM hoists.
inline constexpr int64_t kRoundKeys = 20;

/// Element `index` (row-major, an i64) of the result of td.random, except for
/// permutations. The bits equal the runtime's (defined in
/// runtime/src/program/RandomCore.h). `operands` are the op's seed, call and
/// bounds, as i64.
mlir::Value emitRandom(mlir::OpBuilder &builder, td::RandomOp op,
                       mlir::ValueRange operands, mlir::Value index);

/// A random i64 in [0, `end`), from word `index` of a call.
mlir::Value emitBelow(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::Value seed, mlir::Value call, mlir::Value index,
                      mlir::Value end);

} // namespace tdc

#endif // TDC_CODEGEN_RANDOMNUMBERS_H
