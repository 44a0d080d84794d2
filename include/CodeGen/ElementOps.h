//===- ElementOps.h - td arithmetic on scalars and vectors ----------------===//
//
// What one td op means for one element, or for a vector of them: arith and math
// ops whose operands are scalars or 1-d vectors of equal length. Booleans are
// i1 here and bytes in memory; u8 is a signless i8 whose sign the td type
// keeps; f16 and bf16 are f32 (NarrowFloats.h).
//
//===----------------------------------------------------------------------===//

#ifndef TDC_CODEGEN_ELEMENTOPS_H
#define TDC_CODEGEN_ELEMENTOPS_H

#include "Dialect/TD/IR/TD.h"
#include "mlir/IR/Builders.h"

namespace tdc {

/// The type a td element has in registers: ui8 becomes i8, bf16 becomes f32.
mlir::Type getRegisterType(mlir::Type element);
/// The type it has in memory: a bool takes a byte, a narrow float its 16 bits.
mlir::Type getMemoryType(mlir::Type element);
/// From the one to the other; `element` is the td type.
mlir::Value emitFromMemory(mlir::OpBuilder &builder, mlir::Location loc,
                           mlir::Value value, mlir::Type element);
mlir::Value emitToMemory(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::Value value, mlir::Type element);
/// `type`, or a vector of `type` where `like` is a vector.
mlir::Type getTypeLike(mlir::Type type, mlir::Value like);
/// A constant of `type`, splat where it is a vector.
mlir::Value makeConstant(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::Type type, double value);
mlir::Value makeIntConstant(mlir::OpBuilder &builder, mlir::Location loc,
                            mlir::Type type, int64_t value);

/// Converts as td.cast says; the element types are td's.
mlir::Value emitCast(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::Value value, mlir::Type from, mlir::Type to);

/// An elementwise td op on operands of one shape, rounded to the dtype of its
/// result.
mlir::Value emitElementOp(mlir::OpBuilder &builder, mlir::Operation *op,
                          mlir::ValueRange operands);

/// Where a reduction starts, in registers.
mlir::Value emitNeutral(mlir::OpBuilder &builder, mlir::Location loc,
                        td::ReduceKind kind, mlir::Type element,
                        mlir::Type type);
/// One step of a reduction.
mlir::Value emitCombine(mlir::OpBuilder &builder, mlir::Location loc,
                        td::ReduceKind kind, mlir::Type element,
                        mlir::Value accumulator, mlir::Value value);
/// The lanes of a vector accumulator combined into a scalar.
mlir::Value emitLaneReduction(mlir::OpBuilder &builder, mlir::Location loc,
                              td::ReduceKind kind, mlir::Type element,
                              mlir::Value vector);

} // namespace tdc

#endif // TDC_CODEGEN_ELEMENTOPS_H
