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

def TD_Picker : OpInterface<"Picker"> {
  let cppNamespace = "::tdc::td";
  let description = [{
    An op whose operand 0 is indexed along a dim by the elements of operand 1. An
    index out of range stops the program.
  }];
  let methods = [InterfaceMethod<"The dim.", "uint64_t", "getDim">];
}

def TD_SlotUser : OpInterface<"SlotUser"> {
  let cppNamespace = "::tdc::td";
  let description = [{
    An op that reads or writes slots. One that may leave what a slot holds as it
    is reads it, too.
  }];
  let methods = [
    InterfaceMethod<"The names of the slots that it reads.",
      "::llvm::SmallVector<::mlir::StringAttr>", "getReadSlots", (ins), "",
      "return {};">,
    InterfaceMethod<"The names of the slots that it writes.",
      "::llvm::SmallVector<::mlir::StringAttr>", "getWrittenSlots", (ins), "",
      "return {};">
  ];
}

#endif // TDC_DIALECT_TD_IR_TDINTERFACES_TD
