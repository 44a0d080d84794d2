//===- TDAffineOps.td - elements at sums of coordinates -------------------===//
//
// Windows, and products over them. A map gives the coordinates of an operand as
// sums of multiples of the coordinates of the result:
//
//   (n, c, y, x, i, j) -> (n, c, 2 * y + i, 2 * x + j)
//
// is a window of stride 2. The symbols of a map are the `offsets` of the op,
// which are host ints. Positions must be in range; those of td.inset, which sets
// borders around a tensor, are clamped as those of td.slice. The gradient of an
// operand reads the gradient of the result at sums of coordinates as well. This
// requires that each coordinate is a dim alone, or has a dim of the result that
// no other coordinate has.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_DIALECT_TD_IR_TDAFFINEOPS_TD
#define TDC_DIALECT_TD_IR_TDAFFINEOPS_TD

include "Dialect/TD/IR/TDReductionOps.td"
include "Dialect/TD/IR/TDShapeOps.td"

def TD_WindowOp : TD_ComputeOp<"window", [AttrSizedOperandSegments, Diff,
                                          TD_Sized], ["getAccess"]> {
  let summary = "elements at sums of coordinates: windows, flips";
  let family = "Movement";
  let cost = "Free";
  let devices = "Anywhere";
  let description = [{
    result[i…] = input[map(i…)].

    C1: the map has the dims of the result, a symbol per offset, and a
    coordinate per dim of the operand. C2: a coordinate is a sum of multiples of
    dims and symbols. It is either a dim alone, which has the size of the
    operand's dim and is no other coordinate, or a sum with a dim that is in no
    other coordinate. C3: positions are in range (checked where they are known).
    C4: one size per `?` of the result. C5: dtypes are equal.

    Example:
    ```mlir
    %w = td.window %x at affine_map<(d0, d1) -> (d0 * 2 + d1)> : tensor<9xf32> to tensor<4x3xf32>
    %f = td.window %y[%last] at affine_map<(d0)[s0] -> (s0 - d0)> sizes(%n) : tensor<?xf32> to tensor<?xf32>
    ```
  }];
  let arguments = (ins TD_Tensor:$input, Variadic<I64>:$offsets,
                       AffineMapAttr:$map, Variadic<I64>:$sizes);
  let results = (outs TD_Tensor:$result);
  let assemblyFormat = [{
    $input (`[` $offsets^ `]`)? `at` $map (`sizes` `(` $sizes^ `)`)? attr-dict `:`
    type($input) `to` type($result)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}

def TD_InsetOp : TD_ComputeOp<"inset", [AllTypesMatch<["input", "result"]>, Diff,
                                        Expand, Update]> {
  let summary = "a tensor set into another one, with a step between its elements";
  let spelling = "pad";
  let family = "Update";
  let operands = 2;
  let description = [{
    The value of `input` with `input[low + i * step] = update[i]` in all dims.
    If `input` is a td.fill, this is padding.

    C1: a low and a step ≥ 1 per dim. C2: `update` has input's rank and dtype. C3:
    it fits (checked where that is known).

    Example:
    ```mlir
    %p = td.inset %zeros, %x[%c1, %c0] step [1, 2] : tensor<6x9xf32>, tensor<4x5xf32>
    ```
  }];
  let arguments = (ins TD_Tensor:$input, TD_Tensor:$update, Variadic<I64>:$low,
                       DenseI64ArrayAttr:$step);
  let results = (outs TD_Tensor:$result);
  let assemblyFormat = [{
    $input `,` $update `[` $low `]` `step` $step attr-dict `:` type($input) `,`
    type($update)
  }];
  let hasVerifier = 1;
}

def TD_ContractOp : TD_ComputeOp<"contract", [AttrSizedOperandSegments, Diff,
                                              Expand, Reduction, TD_Sized],
                                 ["getAccess"]> {
  let summary = "sums of products of elements at sums of coordinates";
  let spelling = "convolution";
  let family = "Contraction";
  let operands = 2;
  let dtypes = "kNumbers";
  let tolerance = "Accumulating";
  let description = [{
    result[i…] = Σ_k… lhs[lhs_map(i…, k…)] * rhs[rhs_map(i…, k…)]: a convolution
    if a map has windows. Each k runs over the size of the operand dims that
    have k as their coordinate.

    C1: maps have the dims of the result first, the same number of dims, a
    symbol per offset, and a coordinate per dim of their operand. C2:
    coordinates are as in td.window. C3: there is a dim to sum over, and each of
    them is alone a coordinate of an operand. C4: positions are in range
    (checked where they are known). C5: one size per `?` of the result. C6:
    dtypes are equal.

    Example:
    ```mlir
    %y = td.contract %x, %w at affine_map<(d0, d1, d2, d3) -> (d0 + d2, d3)>,
        affine_map<(d0, d1, d2, d3) -> (d1, d2, d3)> : tensor<9x3xf32>, tensor<8x3x3xf32> -> tensor<7x8xf32>
    ```
  }];
  let arguments = (ins TD_NumberTensor:$lhs, TD_NumberTensor:$rhs,
                       Variadic<I64>:$offsets, AffineMapAttr:$lhs_map,
                       AffineMapAttr:$rhs_map, Variadic<I64>:$sizes);
  let results = (outs TD_NumberTensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs (`[` $offsets^ `]`)? `at` $lhs_map `,` $rhs_map
    (`sizes` `(` $sizes^ `)`)? attr-dict `:` type($lhs) `,` type($rhs) `->`
    type($result)
  }];
  let hasVerifier = 1;
}

#endif // TDC_DIALECT_TD_IR_TDAFFINEOPS_TD
