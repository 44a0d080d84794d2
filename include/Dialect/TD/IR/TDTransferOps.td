//===- TDTransferOps.td - changing place, changing dtype ------------------===//

#ifndef TDC_DIALECT_TD_IR_TDTRANSFEROPS_TD
#define TDC_DIALECT_TD_IR_TDTRANSFEROPS_TD

include "Dialect/TD/IR/TDBase.td"

def TD_ToDeviceOp : TD_Op<"to_device", [Pure, DeclareOpInterfaceMethods<TD_Differentiable>]> {
  let summary = "copy a tensor to a device";
  let description = [{
    The only op that changes a place. The operand stays where it is. An operand
    that is already there is the result itself. A result without a place only
    comes from a gradient that goes back to a free tensor.

    C1: shapes and dtypes of operand and result are equal.

    Example:
    ```mlir
    %y = td.to_device %x : tensor<4xf32, #td.dev<cpu>> to tensor<4xf32, #td.dev<cuda, 0>>
    ```
  }];
  let arguments = (ins TD_Tensor:$input);
  let results = (outs TD_Tensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `to` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def TD_CastOp : TD_ComputeOp<"cast", [TD_ElementwiseTrait,
    DeclareOpInterfaceMethods<TD_Differentiable>]> {
  let summary = "convert the elements to another dtype";
  let description = [{
    The only op that changes the dtype of a value. Float to integer truncates
    towards zero and saturates, NaN gives 0; integer to integer wraps; float to
    float and integer to float round to nearest even; bool counts as 0 or 1;
    anything to bool is `x != 0`.

    C1: shapes and places of operand and result are equal.

    Example:
    ```mlir
    %y = td.cast %x : tensor<4xf32> to tensor<4xi64>
    ```
  }];
  let arguments = (ins TD_Tensor:$input);
  let results = (outs TD_Tensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `to` type($result)";
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}

#endif // TDC_DIALECT_TD_IR_TDTRANSFEROPS_TD
