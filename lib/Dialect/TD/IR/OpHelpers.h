//===- OpHelpers.h - helpers of the verifiers and folders of td -----------===//

#ifndef TDC_LIB_DIALECT_TD_IR_OPHELPERS_H
#define TDC_LIB_DIALECT_TD_IR_OPHELPERS_H

#include "Dialect/TD/IR/TD.h"
#include "Dialect/TD/OpTable/ShapeRules.h"
#include "mlir/IR/PatternMatch.h"

namespace tdc::td {

//===----------------------------------------------------------------------===//
// Verifying. `what` is the name of the value in messages: "result", "updates".
//===----------------------------------------------------------------------===//

/// Dims agree if they are equal or one of them is known at run time only.
bool dimsAgree(int64_t a, int64_t b);
bool dimsAgree(llvm::ArrayRef<int64_t> a, llvm::ArrayRef<int64_t> b);

/// "[4, ?]"
std::string spellDims(llvm::ArrayRef<int64_t> dims);

llvm::LogicalResult verifyDims(mlir::Operation *op, llvm::StringRef what,
                               llvm::ArrayRef<int64_t> expected,
                               llvm::ArrayRef<int64_t> got);
llvm::LogicalResult verifyDType(mlir::Operation *op, llvm::StringRef what,
                                mlir::RankedTensorType expected,
                                mlir::RankedTensorType got);
llvm::LogicalResult verifyDimIndex(mlir::Operation *op, int64_t dim,
                                   mlir::RankedTensorType type);
/// Verifies that there is one of `sizes` per `?` of the tensor types among
/// `types`.
llvm::LogicalResult verifySizes(mlir::Operation *op, mlir::TypeRange types,
                                mlir::ValueRange sizes);
/// Verifies that the inputs are tensors and host scalars only.
llvm::LogicalResult verifyKernelInputs(mlir::Operation *op,
                                       mlir::TypeRange types);
/// Reports that `op` reads or writes the type `actual`, which is not `what` of
/// the slot.
llvm::LogicalResult reportSlot(mlir::Operation *op, SlotOp slot,
                               llvm::StringRef what, mlir::Type actual);
/// The names in a list of symbols.
llvm::SmallVector<mlir::StringAttr> getNames(mlir::ArrayAttr symbols);
/// Verifies that every symbol of the list is a td.slot.
llvm::LogicalResult verifySlots(mlir::Operation *op, mlir::ArrayAttr slots,
                                mlir::SymbolTableCollection &symbols);
/// The td.slot of that name; null and an error at `op` if there is none.
SlotOp lookupSlot(mlir::Operation *op, mlir::FlatSymbolRefAttr slot,
                  mlir::SymbolTableCollection &symbols);

/// The sizes of a tensor as shape rules take them, a variable for each `?`.
Dims getSymbolicSizes(mlir::RankedTensorType type);
/// Verifies that a tensor has the shape that a rule gives.
llvm::LogicalResult verifyShape(mlir::Operation *op, llvm::StringRef what,
                                const ShapeAnswer &expected,
                                mlir::RankedTensorType got);

//===----------------------------------------------------------------------===//
// Folding
//===----------------------------------------------------------------------===//

/// Whether every value of `from` is a value of `to`, so that a cast keeps it.
bool isExactCast(DType from, DType to);

/// The value of every element, as an attribute of the element type, if `tensor`
/// is a td.fill of a constant or a splat td.constant; else null.
mlir::Attribute getUniform(mlir::Value tensor);
/// Whether every element of `tensor` is known to equal `value` (0 equals -0).
bool isUniform(mlir::Value tensor, int64_t value);

/// Converts a number as td.cast does, into an attribute of `elementType`.
mlir::Attribute convertElement(mlir::Attribute value, mlir::Type elementType);

/// A td.fill with a number of the element type. `sizes` as td.fill takes them.
FillOp createFill(mlir::OpBuilder &builder, mlir::Location loc,
                  mlir::Attribute element, mlir::ValueRange sizes,
                  mlir::RankedTensorType type);

/// Whether `size` is known to be the size of that dim of `tensor`.
bool isSizeOf(mlir::Value size, mlir::Value tensor, int64_t dim);

/// The size of a dim as an i64: a constant, an operand of the op that made
/// `tensor`, or else a new td.dim. Fails if a td.dim is needed inside a
/// td.kernel: its body may not have one.
llvm::FailureOr<mlir::Value> findOrMakeSize(mlir::PatternRewriter &rewriter,
                                            mlir::Operation *op,
                                            mlir::Value tensor, int64_t dim);
/// The sizes of all `?` of `tensor`, in order.
llvm::FailureOr<llvm::SmallVector<mlir::Value>>
findOrMakeSizes(mlir::PatternRewriter &rewriter, mlir::Operation *op,
                mlir::Value tensor);

} // namespace tdc::td

#endif // TDC_LIB_DIALECT_TD_IR_OPHELPERS_H
