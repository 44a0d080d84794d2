//===- TDKernelOps.td - groups of ops that become one function ------------===//

#ifndef TDC_DIALECT_TD_IR_TDKERNELOPS_TD
#define TDC_DIALECT_TD_IR_TDKERNELOPS_TD

include "Dialect/TD/IR/TDBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"

def TD_KernelOp : TD_Op<"kernel", [IsolatedFromAbove, SingleBlock, Pure,
    AttrSizedOperandSegments, TD_Sized]> {
  let summary = "compute ops of one device, fused";
  let description = [{
    The body sees only its arguments (tensors and host scalars), holds td
    compute ops and ends in td.yield. td-form-kernels makes it; a backend
    converts it to one function. `sizes` holds one i64 per `?` of the results'
    types, so that the host can allocate them. `transposition`: td-form-kernels
    made a transposed copy of a product's factor, because the product reads it
    faster in that order.

    C1: block arguments have the types of the operands. C2: the yielded values
    have the types of the results. C3: only compute ops, stages and constants in
    the body. C4: inputs are tensors or host scalars. C5: one size per `?`.

    Example:
    ```mlir
    %r = td.kernel(%x, %y) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
      %s = td.add %a, %b : tensor<4xf32>
      td.yield %s : tensor<4xf32>
    }
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$inputs, Variadic<I64>:$sizes,
                       UnitAttr:$transposition);
  let results = (outs Variadic<TD_Tensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let extraClassDeclaration = [{
    /// Whether a GPU runs it.
    bool isOnGPU();
  }];
  let assemblyFormat = [{
    `(` $inputs `)` (`sizes` `(` $sizes^ `)`)? attr-dict `:`
    functional-type($inputs, $results) $body
  }];
  let hasVerifier = 1;
}

def TD_StageOp : TD_Op<"stage", [Pure, HasParent<"KernelOp">,
    DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "values that a kernel passes from a nest to later ones";
  let description = [{
    Up to here the kernel is a nest of its own, which is computed for a block of
    rows before the nests that read the values (Analysis/Kernels/Stages.h). Only
    such a block is in memory, in the orders of dims that `layouts` says, as
    those of slots. A value that the kernel yields is in memory as a whole. The
    results are the operands. td-fuse-stages makes it, in kernels on a cpu.

    C1: `layouts` has an order for each value.

    Example:
    ```mlir
    %r = td.kernel(%x, %y, %z) : (tensor<64x8xf32>, tensor<8x64xf32>, tensor<64x8xf32>) -> tensor<64x8xf32> {
    ^bb0(%a: tensor<64x8xf32>, %b: tensor<8x64xf32>, %c: tensor<64x8xf32>):
      %p = td.matmul %a, %b : tensor<64x8xf32>, tensor<8x64xf32> -> tensor<64x64xf32>
      %s = td.stage %p : tensor<64x64xf32>
      %q = td.matmul %s, %c : tensor<64x64xf32>, tensor<64x8xf32> -> tensor<64x8xf32>
      td.yield %q : tensor<64x8xf32>
    }
    ```
  }];
  let arguments = (ins Variadic<TD_Tensor>:$inputs,
                       OptionalAttr<ArrayAttr>:$layouts);
  let results = (outs Variadic<TD_Tensor>:$results);
  let assemblyFormat = "$inputs attr-dict `:` type($inputs)";
  let hasVerifier = 1;
}

def TD_YieldOp : TD_Op<"yield", [Pure, ReturnLike, Terminator,
    HasParent<"KernelOp">]> {
  let summary = "the results of a kernel";
  let description = [{
    Example:
    ```mlir
    %r = td.kernel(%x) : (tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%a: tensor<4xf32>):
      %s = td.exp %a : tensor<4xf32>
      td.yield %s : tensor<4xf32>
    }
    ```
  }];
  let arguments = (ins Variadic<TD_Tensor>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}

def TD_LaunchOp : TD_Op<"launch", [Pure, AttrSizedOperandSegments, TD_Sized,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "call a compiled kernel";
  let description = [{
    A backend replaces a td.kernel by this op. The kernel is now `callee`, a
    function of the host or a td.gpu_kernel. It takes the context (on a GPU the
    device's error record), then in order a pointer per tensor input and the
    value of each scalar input, a pointer per result, and an i64 per `?` of the
    inputs' and results' types. A GPU runs it in `blocks` blocks of threads; the
    threads of a processor share the blocks of a function, which takes the first
    and the end of those that it computes as its last arguments. `work` is the
    estimated work of such a block (td::estimateWork). With `scratch`, the last
    result is memory that the kernel uses while it runs, which nothing reads.

    `in_place` lists the pairs (input, result) that may share one buffer; of the
    pairs that name the same input or the same result, at most one does.
    `starts_as` is one of the pairs, for a kernel that writes only a part of its
    result: the result is a copy of the input before the kernel starts, unless
    both share a buffer.

    C1: the callee is a function or a td.gpu_kernel of the module. C2: inputs are
    tensors or host scalars. C3: one size per `?` of the results. C4: in_place
    names pairs of a tensor input and a result of equal size in bytes. C5: blocks
    are given if the callee is a td.gpu_kernel, blocks and work both or neither
    if it is a function. C6: starts_as is a pair of in_place.

    Example:
    ```mlir
    llvm.func @kernel_0(!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr)
    llvm.func @kernel_1(!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, i64, i64)
    td.gpu_kernel @add_0 threads 256 shared 0 parameters 4
    %r = td.launch @kernel_0(%p, %g) in_place [0, 0] : (tensor<50xf32>, tensor<50xf32>) -> tensor<50xf32>
    %m = td.launch @kernel_1(%r, %w) blocks(%n) work 5000 in_place [] : (tensor<50xf32>, tensor<50x99xf32>) -> tensor<99xf32>
    %s = td.launch @add_0(%r, %g) blocks(%b) in_place [0, 0] : (tensor<50xf32>, tensor<50xf32>) -> tensor<50xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<AnyType>:$inputs,
                       Variadic<I64>:$sizes, Optional<I64>:$blocks,
                       OptionalAttr<I64Attr>:$work, UnitAttr:$scratch,
                       DenseI64ArrayAttr:$in_place,
                       OptionalAttr<DenseI64ArrayAttr>:$starts_as);
  let results = (outs Variadic<TD_Tensor>:$results);
  let extraClassDeclaration = [{
    /// Whether a GPU runs it.
    bool isOnGPU();
    /// The sizes of a result's `?`.
    mlir::OperandRange getSizesOf(mlir::OpResult result);
  }];
  let assemblyFormat = [{
    $callee `(` $inputs `)` (`sizes` `(` $sizes^ `)`)?
    (`blocks` `(` $blocks^ `)`)? (`work` $work^)?
    (`scratch` $scratch^)? `in_place` $in_place
    (`starts_as` $starts_as^)? attr-dict `:` functional-type($inputs, $results)
  }];
  let hasVerifier = 1;
}

def TD_GPUKernelOp : TD_Op<"gpu_kernel", [Symbol, HasParent<"mlir::ModuleOp">]> {
  let summary = "a kernel of the program's GPU images, as the host knows it";
  let description = [{
    `threads` is the number of threads of a block, `shared` the bytes of shared
    memory in addition to the kernel's own, and `parameters` the number of
    parameters, of 8 bytes each. `reports`: the kernel may find and report a bad
    index; `watches`: a value that is not finite.

    Example:
    ```mlir
    td.gpu_kernel @add_0 threads 256 shared 0 parameters 4
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, I64Attr:$threads,
                       I64Attr:$shared, I64Attr:$parameters,
                       UnitAttr:$reports, UnitAttr:$watches);
  let assemblyFormat = [{
    $sym_name `threads` $threads `shared` $shared `parameters` $parameters
    (`reports` $reports^)? (`watches` $watches^)? attr-dict
  }];
}

def TD_ImageOp : TD_Op<"image", [HasParent<"mlir::ModuleOp">]> {
  let summary = "the program's kernels as code for GPUs";
  let description = [{
    PTX text, or with `cubin` the machine code, for the compute capability
    `architecture` (80 is sm_80).

    Example:
    ```mlir
    td.image ptx 80 ".version 8.0"
    ```
  }];
  let arguments = (ins UnitAttr:$cubin, I64Attr:$architecture, StrAttr:$data);
  let assemblyFormat = [{
    (`cubin` $cubin^):(`ptx`)? $architecture $data attr-dict
  }];
}

#endif // TDC_DIALECT_TD_IR_TDKERNELOPS_TD
