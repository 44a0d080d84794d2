//===- TDInterfaces.td - what passes ask of td ops ------------------------===//

#ifndef TDC_DIALECT_TD_IR_TDINTERFACES_TD
#define TDC_DIALECT_TD_IR_TDINTERFACES_TD

include "mlir/IR/OpBase.td"

def TD_Differentiable : OpInterface<"Differentiable"> {
  let cppNamespace = "::tdc::td";
  let description = [{
    An op with a gradient rule. One rule per op, in `lib/Dialect/TD/Gradients`,
    one file per op family.
  }];
  let methods = [
    InterfaceMethod<[{
      Emits the vector-Jacobian product at the builder's insertion point.
      `cotangents` has one value per result (null = zero); the answer has one
      value per operand, of the operand's type (null = no gradient flows there:
      integers, indices, sizes).
    }], "::llvm::SmallVector<::mlir::Value>", "buildVJP",
    (ins "::mlir::OpBuilder &":$builder,
         "::mlir::ArrayRef<::mlir::Value>":$cotangents)>
  ];
}

#endif // TDC_DIALECT_TD_IR_TDINTERFACES_TD
