//===- TDShapeOps.td - constructors and movement --------------------------===//
//
// Ops that make tensors from nothing or move elements without arithmetic.
// `sizes` holds one i64 per `?` of the result type, in order.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_DIALECT_TD_IR_TDSHAPEOPS_TD
#define TDC_DIALECT_TD_IR_TDSHAPEOPS_TD

include "Dialect/TD/IR/TDElementwiseOps.td"

defvar Update = DeclareOpInterfaceMethods<TD_Update>;
defvar AddableUpdate = DeclareOpInterfaceMethods<TD_Update, ["addTo"]>;

//===----------------------------------------------------------------------===//
// Constructors
//===----------------------------------------------------------------------===//

def TD_ConstantOp : TD_ComputeOp<"constant", [ConstantLike,
    AllTypesMatch<["value", "result"]>], ["isPulled"]> {
  let summary = "a tensor of literal values";
  let spelling = "tensor";
  let family = "Constructor";
  let operands = 0;
  let cost = "Free";
  let description = [{
    A program writes it as `tensor([...])`.

    C1: the result has the type of the attribute, place included.

    Example:
    ```mlir
    %c = td.constant dense<[1.0, 2.0]> : tensor<2xf32>
    ```
  }];
  let arguments = (ins ElementsAttr:$value);
  let results = (outs TD_Tensor:$result);
  let assemblyFormat = "$value attr-dict";
  let hasFolder = 1;
}

def TD_FillOp : TD_ComputeOp<"fill", [TD_Sized], ["getElement"]> {
  let summary = "a tensor with one host scalar in every element";
  let spelling = "full";
  let family = "Constructor";
  let operands = 0;
  let cost = "Free";
  let description = [{
    The scalar is converted as by td.cast.

    C1: one size per `?` of the result type.

    Example:
    ```mlir
    %z = td.fill %c0 sizes(%n) : f64 -> tensor<?x10xf32>
    ```
  }];
  let arguments = (ins TD_Scalar:$value, Variadic<I64>:$sizes);
  let results = (outs TD_Tensor:$result);
  let assemblyFormat = [{
    $value (`sizes` `(` $sizes^ `)`)? attr-dict `:` type($value) `->` type($result)
  }];
  let hasVerifier = 1;
}

def TD_IotaOp : TD_ComputeOp<"iota", [AllTypesMatch<["start", "step"]>, TD_Sized]> {
  let summary = "start, start + step, start + 2 step, …";
  let spelling = "arange";
  let family = "Constructor";
  let operands = 0;
  let dtypes = "kNumbers";
  let tolerance = "Rounded";
  let description = [{
    C1: the result has rank 1. C2: start and step are i64 for an integer result,
    f64 for a float result; a float element is (start + i * step) rounded once
    from f64. C3: one size per `?`.

    Example:
    ```mlir
    %r = td.iota %start, %step sizes(%n) : i64 -> tensor<?xi64>
    ```
  }];
  let arguments = (ins TD_Scalar:$start, TD_Scalar:$step, Variadic<I64>:$sizes);
  let results = (outs TD_NumberTensor:$result);
  let assemblyFormat = [{
    $start `,` $step (`sizes` `(` $sizes^ `)`)? attr-dict `:` type($start) `->` type($result)
  }];
  let hasVerifier = 1;
}

def TD_RandomOp : TD_ComputeOp<"random", [AttrSizedOperandSegments, TD_Sized, Expand],
    ["isPulled", "isRepeatable", "mayFail", "getSpelling"]> {
  let summary = "counter-based random numbers";
  let family = "Constructor";
  let operands = 0;
  let dtypes = "kNumbers";
  let cost = "Function";
  let description = [{
    Element i is lane i mod 4 of Philox4x32-10 (Salmon et al., SC 2011) with key
    `seed` and counter (call, i / 4), so a value depends on nothing but its
    operands. `uniform` is in [0, 1); `normal` is standard; `randint` is in
    [bounds[0], bounds[1]); `permutation` (rank 1, i64) orders 0 … n-1.

    C1: float results for uniform and normal, integer for randint, i64 of rank 1
    for permutation. C2: two bounds for randint, else none. C3: one size per `?`.

    Example:
    ```mlir
    %x = td.random normal %seed, %call : tensor<100x10xf32>
    ```
  }];
  let arguments = (ins TD_DistributionAttr:$distribution, I64:$seed, I64:$call,
                       Variadic<I64>:$bounds, Variadic<I64>:$sizes);
  let results = (outs TD_NumberTensor:$result);
  let assemblyFormat = [{
    `` $distribution $seed `,` $call (`bounds` `(` $bounds^ `)`)?
    (`sizes` `(` $sizes^ `)`)? attr-dict `:` type($result)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Movement
//===----------------------------------------------------------------------===//

def TD_BroadcastOp : TD_ComputeOp<"broadcast", [Diff, TD_Sized], ["getAccess"]> {
  let summary = "repeat along new leading dims and along dims of size 1";
  let spelling = "";
  let family = "Movement";
  let cost = "Free";
  let devices = "Anywhere";
  let description = [{
    Shapes are aligned at the right.

    C1: every operand dim is 1 or the result's; a `?` is never stretched. C2: one
    size per `?` of the result. C3: dtypes are equal.

    Example:
    ```mlir
    %y = td.broadcast %b sizes(%n) : tensor<10xf32> to tensor<?x10xf32>
    ```
  }];
  let arguments = (ins TD_Tensor:$input, Variadic<I64>:$sizes);
  let results = (outs TD_Tensor:$result);
  let assemblyFormat = [{
    $input (`sizes` `(` $sizes^ `)`)? attr-dict `:` type($input) `to` type($result)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}

def TD_ReshapeOp : TD_ComputeOp<"reshape", [Diff, TD_Sized],
    ["isPulled", "getAccess", "getViewed"]> {
  let summary = "the same elements in row-major order under another shape";
  let family = "Movement";
  let cost = "Free";
  let devices = "Anywhere";
  let description = [{
    C1: equal numbers of elements (checked where static). C2: one size per `?`.
    C3: dtypes are equal.

    Example:
    ```mlir
    %y = td.reshape %x : tensor<4x1xf32> to tensor<4xf32>
    ```
  }];
  let arguments = (ins TD_Tensor:$input, Variadic<I64>:$sizes);
  let results = (outs TD_Tensor:$result);
  let assemblyFormat = [{
    $input (`sizes` `(` $sizes^ `)`)? attr-dict `:` type($input) `to` type($result)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}

def TD_PermuteOp : TD_ComputeOp<"permute", [Diff], ["getAccess"]> {
  let summary = "reorder the dims";
  let family = "Movement";
  let cost = "Free";
  let devices = "Anywhere";
  let description = [{
    Result dim i is operand dim `permutation[i]`.

    C1: `permutation` is one of the operand's dims. C2: the result's sizes follow.
    C3: dtypes are equal.

    Example:
    ```mlir
    %t = td.permute %w [1, 0] : tensor<50x10xf32> to tensor<10x50xf32>
    ```
  }];
  let arguments = (ins TD_Tensor:$input, DenseI64ArrayAttr:$permutation);
  let results = (outs TD_Tensor:$result);
  let assemblyFormat = [{
    $input $permutation attr-dict `:` type($input) `to` type($result)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}

def TD_SliceOp : TD_ComputeOp<"slice", [Diff, TD_Sized, Expand], ["getAccess"]> {
  let summary = "every step-th element from start along one dim";
  let spelling = "[...]";
  let family = "Movement";
  let cost = "Free";
  let devices = "Anywhere";
  let description = [{
    A start out of range is clamped, so that the op may run before the td.assert
    that reports it; td-form-kernels lets the host clamp it before the kernel.
    The size is in range: the checker has made it so, or a check precedes the
    op.

    C1: the dim is in range and step ≥ 1. C2: the other dims are unchanged. C3:
    one size per `?` of the result (all of them, also where the operand has the
    same `?`). C4: dtypes are equal. C5: the slice is not longer than the dim
    (checked where static).

    Example:
    ```mlir
    %y = td.slice %x[%i] dim 0 step 1 : tensor<100x10xf32> to tensor<20x10xf32>
    ```
  }];
  let arguments = (ins TD_Tensor:$input, I64:$start, I64Attr:$dim,
                       I64Attr:$step, Variadic<I64>:$sizes);
  let results = (outs TD_Tensor:$result);
  let assemblyFormat = [{
    $input `[` $start `]` `dim` $dim `step` $step (`sizes` `(` $sizes^ `)`)?
    attr-dict `:` type($input) `to` type($result)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}

def TD_DiagonalOp : TD_ComputeOp<"diagonal", [Diff, TD_Sized], ["getAccess"]> {
  let summary = "the elements [row + i, column + i] of the last two dims";
  let family = "Movement";
  let cost = "Free";
  let devices = "Anywhere";
  let description = [{
    result[a…, i] = input[a…, row + i, column + i], in range.

    C1: the operand has at least two dims. C2: the other dims are unchanged. C3:
    one size per `?` of the result. C4: dtypes are equal. C5: the result is not
    longer than either dim (checked where static).

    Example:
    ```mlir
    %d = td.diagonal %x[%c1, %c0] : tensor<8x5x5xf32> to tensor<8x4xf32>
    ```
  }];
  let arguments = (ins TD_Tensor:$input, I64:$row, I64:$column,
                       Variadic<I64>:$sizes);
  let results = (outs TD_Tensor:$result);
  let assemblyFormat = [{
    $input `[` $row `,` $column `]` (`sizes` `(` $sizes^ `)`)? attr-dict `:`
    type($input) `to` type($result)
  }];
  let hasVerifier = 1;
}

def TD_UpdateSliceOp : TD_ComputeOp<"update_slice", [
    AllTypesMatch<["input", "result"]>, Diff, AddableUpdate, Expand]> {
  let summary = "a tensor with a slice replaced";
  let spelling = "[...]";
  let family = "Update";
  let operands = 2;
  let description = [{
    The value of `input` after `input[start::step along dim] = update`. A start
    out of range is clamped as by td.slice.

    C1: the dim is in range and step ≥ 1. C2: `update` has `input`'s rank and
    dtype, and its sizes except along `dim`.

    Example:
    ```mlir
    %y = td.update_slice %x, %u[%i] dim 0 step 1 : tensor<100x10xf32>, tensor<20x10xf32>
    ```
  }];
  let arguments = (ins TD_Tensor:$input, TD_Tensor:$update, I64:$start,
                       I64Attr:$dim, I64Attr:$step);
  let results = (outs TD_Tensor:$result);
  let assemblyFormat = [{
    $input `,` $update `[` $start `]` `dim` $dim `step` $step attr-dict `:`
    type($input) `,` type($update)
  }];
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
}

def TD_ConcatOp : TD_ComputeOp<"concat", [Diff,
    DeclareOpInterfaceMethods<TD_Update, ["getBase"]>]> {
  let summary = "tensors one after the other along a dim";
  let spelling = "cat";
  let family = "Update";
  let operands = -1;
  let devices = "Anywhere";
  let description = [{
    C1: one input or more, and `dim` is in range. C2: equal ranks and dtypes.
    C3: equal sizes except along `dim`. C4: the sizes along `dim` add up.

    Example:
    ```mlir
    %c = td.concat %a, %b dim 0 : (tensor<2xf32>, tensor<3xf32>) -> tensor<5xf32>
    ```
  }];
  let arguments = (ins Variadic<TD_Tensor>:$inputs, I64Attr:$dim);
  let results = (outs TD_Tensor:$result);
  let assemblyFormat = [{
    $inputs `dim` $dim attr-dict `:` functional-type($inputs, $result)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

//===----------------------------------------------------------------------===//
// Indexing by tensors
//===----------------------------------------------------------------------===//

def TD_GatherOp : TD_ComputeOp<"gather", [Diff,
    DeclareOpInterfaceMethods<TD_Picker, ["countsFromEnd"]>],
    ["getAccess", "mayFail"]> {
  let summary = "rows picked by an index tensor";
  let family = "Movement";
  let operands = 2;
  let cost = "Slow";
  let devices = "Anywhere";
  let description = [{
    result[a…, j…, b…] = input[a…, indices[j…], b…] with a the dims before `dim`.
    A negative index counts from the end; one out of range stops the program.

    C1: the dim is in range. C2: the result's shape is input's with `dim` replaced
    by the shape of `indices`. C3: dtypes are equal.

    Example:
    ```mlir
    %r = td.gather %x, %i dim 0 : tensor<100x10xf32>, tensor<32xi64> -> tensor<32x10xf32>
    ```
  }];
  let arguments = (ins TD_Tensor:$input, TD_IndexTensor:$indices, I64Attr:$dim);
  let results = (outs TD_Tensor:$result);
  let assemblyFormat = [{
    $input `,` $indices `dim` $dim attr-dict `:` type($input) `,` type($indices)
    `->` type($result)
  }];
  let hasVerifier = 1;
}

def TD_ScatterOp : TD_ComputeOp<"scatter", [
    AllTypesMatch<["input", "result"]>, Diff, AddableUpdate, Expand,
    DeclareOpInterfaceMethods<TD_Picker, ["countsFromEnd"]>],
    ["getAccess", "mayFail"]> {
  let summary = "write rows at the positions of an index tensor, or combine them";
  let family = "Update";
  let operands = 3;
  let tolerance = "Accumulating";
  let description = [{
    `input` with `updates[a…, j…, b…]` written at [a…, indices[j…], b…], in order
    of j: the last one stays. With `combine` each update is combined with the
    element there; `combine sum` is the transpose of td.gather. A negative index
    counts from the end; one out of range stops the program.

    C1: the dim is in range. C2: the shape of `updates` is the result shape of the
    matching td.gather. C3: dtypes are equal. C4: bools, and only they, are combined by any
    or all.

    Example:
    ```mlir
    %r = td.scatter %x, %i, %u dim 0 combine sum : tensor<100x10xf32>, tensor<32xi64>, tensor<32x10xf32>
    ```
  }];
  let arguments = (ins TD_Tensor:$input, TD_IndexTensor:$indices,
                       TD_Tensor:$updates, I64Attr:$dim,
                       OptionalAttr<TD_ReduceKindAttr>:$combine);
  let results = (outs TD_Tensor:$result);
  let assemblyFormat = [{
    $input `,` $indices `,` $updates `dim` $dim (`combine` $combine^)? attr-dict
    `:` type($input) `,` type($indices) `,` type($updates)
  }];
  let hasVerifier = 1;
}

def TD_GatherAlongOp : TD_ComputeOp<"gather_along", [Diff, TD_Picker],
    ["getAccess", "mayFail"]> {
  let summary = "one element per index, along one dim (torch.gather)";
  let family = "Movement";
  let operands = 2;
  let cost = "Slow";
  let description = [{
    result[…, j, …] = input[…, indices[…, j, …], …]. An index out of range, a
    negative one included, stops the program.

    C1: the dim is in range. C2: `indices` has input's rank and its sizes except
    along `dim`. C3: the result has the shape of `indices` and the dtype of the
    input.

    Example:
    ```mlir
    %r = td.gather_along %x, %i dim 1 : tensor<32x10xf32>, tensor<32x1xi64> -> tensor<32x1xf32>
    ```
  }];
  let arguments = (ins TD_Tensor:$input, TD_IndexTensor:$indices, I64Attr:$dim);
  let results = (outs TD_Tensor:$result);
  let assemblyFormat = [{
    $input `,` $indices `dim` $dim attr-dict `:` type($input) `,` type($indices)
    `->` type($result)
  }];
  let hasVerifier = 1;
}

def TD_ScatterAlongOp : TD_ComputeOp<"scatter_along", [
    AllTypesMatch<["input", "result"]>, Diff, Update, Expand, TD_Picker],
    ["mayFail"]> {
  let summary = "write one element per index, along one dim (torch.scatter)";
  let family = "Update";
  let operands = 3;
  let tolerance = "Accumulating";
  let description = [{
    `input` with `updates[…, j, …]` written at […, indices[…, j, …], …], in order
    of j: the last one stays. With `combine` each update is combined with the
    element there; `combine sum` is the transpose of td.gather_along. An index
    out of range, a negative one included, stops the program. With one index per
    row, `combine sum` and an input of zeros, this op becomes a td.select, and a
    td.gather_along checks the index.

    C1: the dim is in range. C2: `indices` and `updates` have one shape; it is
    input's except along `dim`. C3: dtypes are equal. C4: bools, and only they, are combined by any
    or all.

    Example:
    ```mlir
    %r = td.scatter_along %x, %i, %u dim 1 combine sum : tensor<32x10xf32>, tensor<32x1xi64>, tensor<32x1xf32>
    ```
  }];
  let arguments = (ins TD_Tensor:$input, TD_IndexTensor:$indices,
                       TD_Tensor:$updates, I64Attr:$dim,
                       OptionalAttr<TD_ReduceKindAttr>:$combine);
  let results = (outs TD_Tensor:$result);
  let assemblyFormat = [{
    $input `,` $indices `,` $updates `dim` $dim (`combine` $combine^)? attr-dict
    `:` type($input) `,` type($indices) `,` type($updates)
  }];
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
}

#endif // TDC_DIALECT_TD_IR_TDSHAPEOPS_TD
