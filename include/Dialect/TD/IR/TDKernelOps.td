//===- TDKernelOps.td - groups of ops that become one function ------------===//

#ifndef TDC_DIALECT_TD_IR_TDKERNELOPS_TD
#define TDC_DIALECT_TD_IR_TDKERNELOPS_TD

include "Dialect/TD/IR/TDBase.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"

def TD_KernelOp : TD_Op<"kernel", [IsolatedFromAbove, SingleBlock, Pure,
    AttrSizedOperandSegments]> {
  let summary = "compute ops of one device, fused";
  let description = [{
    The body sees only its arguments (tensors and host scalars), holds td
    compute ops and ends in td.yield. td-form-kernels makes it; a backend turns
    it into one function. `sizes` holds one i64 per `?` of the results' types,
    so that the host can allocate them.

    C1: block arguments have the types of the operands. C2: the yielded values
    have the types of the results. C3: only compute ops and constants in the
    body. C4: inputs are tensors or host scalars. C5: one size per `?`.

    Example:
    ```mlir
    %r = td.kernel(%x, %y) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
      %s = td.add %a, %b : tensor<4xf32>
      td.yield %s : tensor<4xf32>
    }
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$inputs, Variadic<I64>:$sizes);
  let results = (outs Variadic<TD_Tensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `(` $inputs `)` (`sizes` `(` $sizes^ `)`)? attr-dict `:`
    functional-type($inputs, $results) $body
  }];
  let hasVerifier = 1;
}

def TD_YieldOp : TD_Op<"yield", [Pure, ReturnLike, Terminator,
    HasParent<"KernelOp">]> {
  let summary = "the results of a kernel";
  let description = [{
    Example:
    ```mlir
    td.yield %s : tensor<4xf32>
    ```
  }];
  let arguments = (ins Variadic<TD_Tensor>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}

def TD_LaunchOp : TD_Op<"launch", [Pure, AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "call a compiled kernel";
  let description = [{
    What a backend leaves of a td.kernel: the kernel is now the function
    `callee`, which takes the context, then in order a pointer per tensor input
    and the value of each scalar input, a pointer per result, and an i64 per `?`
    of the inputs' and results' types. `in_place` lists the pairs (input,
    result) that may share one buffer; of those that name one input or one
    result, at most one does.

    C1: the callee is a function of the module. C2: inputs are tensors or host
    scalars. C3: one size per `?` of the results. C4: in_place names pairs of a
    tensor input and a result of equal size in bytes.

    Example:
    ```mlir
    %r = td.launch @kernel_0(%p, %g) in_place [0, 0] : (tensor<50xf32>, tensor<50xf32>) -> tensor<50xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<AnyType>:$inputs,
                       Variadic<I64>:$sizes, DenseI64ArrayAttr:$in_place);
  let results = (outs Variadic<TD_Tensor>:$results);
  let assemblyFormat = [{
    $callee `(` $inputs `)` (`sizes` `(` $sizes^ `)`)? `in_place` $in_place attr-dict `:`
    functional-type($inputs, $results)
  }];
  let hasVerifier = 1;
}

#endif // TDC_DIALECT_TD_IR_TDKERNELOPS_TD
