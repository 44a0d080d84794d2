//===- ElementOps.h - td arithmetic on scalars and vectors ----------------===//
//
// Lowers one td op for one element, or for a vector of elements, to arith and
// math ops on scalars or on 1-d vectors of equal length. A bool is an i1 here
// and a byte in memory; u8 is a signless i8, and only the td type knows that it
// is unsigned; f16 and bf16 are f32 (NarrowFloats.h).
//
//===----------------------------------------------------------------------===//

#ifndef TDC_CODEGEN_ELEMENTOPS_H
#define TDC_CODEGEN_ELEMENTOPS_H

#include "Dialect/TD/IR/TD.h"
#include "mlir/IR/Builders.h"

namespace tdc {

/// The register type of a td element type: ui8 becomes i8, bf16 becomes f32.
mlir::Type getRegisterType(mlir::Type element);
/// Its memory type: a bool takes a byte, a narrow float its 16 bits.
mlir::Type getMemoryType(mlir::Type element);
/// Convert between the memory type and the register type; `element` is the td
/// type.
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

/// Converts as td.cast does; `from` and `to` are td element types.
mlir::Value emitCast(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::Value value, mlir::Type from, mlir::Type to);

/// Lowers an elementwise td op on operands of one shape; the result is rounded
/// to the dtype of the op's result.
mlir::Value emitElementOp(mlir::OpBuilder &builder, mlir::Operation *op,
                          mlir::ValueRange operands);

/// The neutral element of a reduction, in the register type `type`.
mlir::Value emitNeutral(mlir::OpBuilder &builder, mlir::Location loc,
                        td::ReduceKind kind, mlir::Type element,
                        mlir::Type type);
/// One step of a reduction: `accumulator` combined with `value`.
mlir::Value emitCombine(mlir::OpBuilder &builder, mlir::Location loc,
                        td::ReduceKind kind, mlir::Type element,
                        mlir::Value accumulator, mlir::Value value);
/// Combines the lanes of a vector accumulator into a scalar.
mlir::Value emitLaneReduction(mlir::OpBuilder &builder, mlir::Location loc,
                              td::ReduceKind kind, mlir::Type element,
                              mlir::Value vector);

} // namespace tdc

#endif // TDC_CODEGEN_ELEMENTOPS_H
