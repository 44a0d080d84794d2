//===- TDReductionOps.td - reductions, products, scans, softmax -----------===//

#ifndef TDC_DIALECT_TD_IR_TDREDUCTIONOPS_TD
#define TDC_DIALECT_TD_IR_TDREDUCTIONOPS_TD

include "Dialect/TD/IR/TDElementwiseOps.td"

defvar Reduction = DeclareOpInterfaceMethods<TD_Reduction>;

def TD_ReduceOp : TD_ComputeOp<"reduce", [Diff, Reduction],
    ["getAccess", "getSpelling"]> {
  let summary = "combine all elements along dims";
  let family = "Reduction";
  let tolerance = "Accumulating";
  let description = [{
    The result does not have the named dims. An empty sum is 0, an empty product
    1, an empty max the smallest value (-inf for floats), an empty min the
    largest; `any` and `all` take and give bool. f16 and bf16 accumulate in f32.
    max and min propagate NaN; their gradient goes evenly to all elements that
    equal the result, or, with `first`, to the one that td.arg_reduce finds.

    C1: dims are ascending and in range. C2: sum, prod, max, min on numbers,
    any and all on bool. C3: the result has the remaining dims, the dtype and
    the place of the operand. C4: `first` is for max and min, of dims of which
    all but the first have static sizes.

    Example:
    ```mlir
    %s = td.reduce sum %x [0] : tensor<100x10xf32> to tensor<10xf32>
    ```
  }];
  let arguments = (ins TD_ReduceKindAttr:$kind, UnitAttr:$first,
                       TD_Tensor:$input, DenseI64ArrayAttr:$dims);
  let results = (outs TD_Tensor:$result);
  let assemblyFormat = [{
    `` $kind (`first` $first^)? $input $dims attr-dict `:` type($input) `to`
    type($result)
  }];
  let builders = [
    OpBuilder<(ins "::mlir::Type":$type, "::tdc::td::ReduceKind":$kind,
                   "::mlir::Value":$input, "::mlir::ArrayRef<int64_t>":$dims), [{
      build($_builder, $_state, type, kind, /*first=*/false, input, dims);
    }]>
  ];
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
}

def TD_ArgReduceOp : TD_ComputeOp<"arg_reduce", [
    DeclareOpInterfaceMethods<TD_Reduction, ["givesIndex"]>], ["getAccess"]> {
  let summary = "index of the largest or smallest element along dims";
  let family = "Reduction";
  let dtypes = "kNumbers";
  let description = [{
    Elements along several dims are numbered row by row. Of several equal
    elements the first one counts; a NaN counts as largest (max) or smallest
    (min).

    C1: kind is max or min. C2: dims are ascending, in range, and at least one;
    all but the first have static sizes. C3: the result has the remaining dims.
    C4: no dim is empty (checked where static).

    Example:
    ```mlir
    %i = td.arg_reduce max %x [1] : tensor<32x10xf32> to tensor<32xi64>
    ```
  }];
  let arguments = (ins TD_ReduceKindAttr:$kind, TD_NumberTensor:$input,
                       DenseI64ArrayAttr:$dims);
  let results = (outs TD_IndexTensor:$result);
  let assemblyFormat =
    "`` $kind $input $dims attr-dict `:` type($input) `to` type($result)";
  let hasVerifier = 1;
}

def TD_MatmulOp : TD_ComputeOp<"matmul", [Diff, Reduction], ["getAccess"]> {
  let summary = "matrix product of the last two dims";
  let spelling = "@";
  let family = "Contraction";
  let operands = 2;
  let dtypes = "kNumbers";
  let tolerance = "Accumulating";
  let description = [{
    result[…, m, n] = Σ_k lhs[…, m, k] * rhs[…, k, n]. A transposed operand is a
    td.permute, which kernels read in place.

    C1: ranks are equal and ≥ 2. C2: leading dims are equal. C3: k agrees. C4:
    equal dtypes. C5: the result is […, m, n].

    Example:
    ```mlir
    %c = td.matmul %a, %b : tensor<100x10xf32>, tensor<10x50xf32> -> tensor<100x50xf32>
    ```
  }];
  let arguments = (ins TD_NumberTensor:$lhs, TD_NumberTensor:$rhs);
  let results = (outs TD_NumberTensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs) `->` type($result)
  }];
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
}

def TD_ScanOp : TD_ComputeOp<"scan", [SameOperandsAndResultType, Diff],
    ["getSpelling"]> {
  let summary = "combine the elements along a dim up to each of them";
  let family = "Scan";
  let dtypes = "kNumbers";
  let tolerance = "Accumulating";
  let description = [{
    result[…, i, …] combines input[…, 0, …] to input[…, i, …]. f16 and bf16
    accumulate in f32, f32 in f64: an error would grow with the dim.

    C1: dim is in range. C2: kind is sum or prod.

    Example:
    ```mlir
    %s = td.scan sum %x dim 1 : tensor<32x10xf32>
    ```
  }];
  let arguments = (ins TD_ReduceKindAttr:$kind, TD_NumberTensor:$input,
                       I64Attr:$dim);
  let results = (outs TD_NumberTensor:$result);
  let assemblyFormat = "`` $kind $input `dim` $dim attr-dict `:` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def TD_LogSumExpOp : TD_ComputeOp<"logsumexp", [Diff, Expand]> {
  let summary = "log Σ exp(x) along dims, without overflow";
  let family = "Softmax";
  let dtypes = "kFloats";
  let tolerance = "Transcendental";
  let description = [{
    Computed with the maximum subtracted; of no elements it is -inf. f16 and
    bf16 are computed in f32 and rounded once.

    C1: dims are ascending and in range. C2: the result has the remaining dims,
    and the dtype of the operand.

    Example:
    ```mlir
    %l = td.logsumexp %x [1] : tensor<32x10xf32> to tensor<32xf32>
    ```
  }];
  let arguments = (ins TD_FloatTensor:$input, DenseI64ArrayAttr:$dims);
  let results = (outs TD_FloatTensor:$result);
  let assemblyFormat =
    "$input $dims attr-dict `:` type($input) `to` type($result)";
  let hasVerifier = 1;
}

class TD_SoftmaxLikeOp<string mnemonic, string what>
    : TD_ComputeOp<mnemonic, [SameOperandsAndResultType, Diff, Expand]> {
  let summary = what;
  let family = "Softmax";
  let dtypes = "kFloats";
  let tolerance = "Transcendental";
  let description = [{
    Computed with the maximum subtracted.

    C1: dim is in range.

    Example:
    ```mlir
    %y = td.}] # mnemonic # [{ %x dim 1 : tensor<32x10xf32>
    ```
  }];
  let arguments = (ins TD_FloatTensor:$input, I64Attr:$dim);
  let results = (outs TD_FloatTensor:$result);
  let assemblyFormat = "$input `dim` $dim attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def TD_SoftmaxOp : TD_SoftmaxLikeOp<"softmax", "shares exp(x) / Σ exp(x) along a dim">;
def TD_LogSoftmaxOp : TD_SoftmaxLikeOp<"log_softmax", "logarithm of softmax, x - log Σ exp(x) along a dim">;

#endif // TDC_DIALECT_TD_IR_TDREDUCTIONOPS_TD
