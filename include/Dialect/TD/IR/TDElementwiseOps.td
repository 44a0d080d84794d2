//===- TDElementwiseOps.td - one element in, one element out --------------===//
//
// Operands have equal shapes, dtypes and places. td.broadcast, td.cast and
// td.fill express broadcasts, casts and scalars.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_DIALECT_TD_IR_TDELEMENTWISEOPS_TD
#define TDC_DIALECT_TD_IR_TDELEMENTWISEOPS_TD

include "Dialect/TD/IR/TDBase.td"

class TD_UnaryOp<string mnemonic, string what, TD_TensorOf tensor,
                 string error, string price, list<Trait> traits = [],
                 string type = "tensor<4xf32>">
    : TD_ComputeOp<mnemonic, !listconcat(
        [TD_ElementwiseTrait, SameOperandsAndResultType], traits)> {
  let family = "Unary";
  let dtypes = tensor.dtypes;
  let tolerance = error;
  let cost = price;
  let summary = what;
  let description = [{
    C1: operand and result have one type.

    Example:
    ```mlir
    %r = td.}] # mnemonic # " %x : " # type # [{
    ```
  }];
  let arguments = (ins tensor:$input);
  let results = (outs tensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($result)";
}

class TD_BinaryOp<string mnemonic, string what, TD_TensorOf tensor,
                  string error, string price, list<Trait> traits = [],
                  string type = "tensor<4xf32>", string more = "">
    : TD_ComputeOp<mnemonic, !listconcat(
        [TD_ElementwiseTrait, SameOperandsAndResultType], traits)> {
  let family = "Binary";
  let operands = 2;
  let dtypes = tensor.dtypes;
  let tolerance = error;
  let cost = price;
  let summary = what;
  let description = more # [{
    C1: operands and result have one type.

    Example:
    ```mlir
    %r = td.}] # mnemonic # " %a, %b : " # type # [{
    ```
  }];
  let arguments = (ins tensor:$lhs, tensor:$rhs);
  let results = (outs tensor:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($result)";
}

defvar Absorb = DeclareOpInterfaceMethods<TD_Absorbing>;
defvar Expand = DeclareOpInterfaceMethods<TD_Expandable>;

//===----------------------------------------------------------------------===//
// Unary
//===----------------------------------------------------------------------===//

def TD_NegOp : TD_UnaryOp<"neg", "-x; integers wrap", TD_NumberTensor, "Exact", "Simple", [Diff]> {
  let spelling = "-";
  let devices = "Scalars";
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}
def TD_AbsOp : TD_UnaryOp<"abs", "|x|; the gradient at 0 is 0", TD_NumberTensor, "Exact", "Simple", [Diff]>;
def TD_SignOp : TD_UnaryOp<"sign", "-1, 0 or 1; NaN stays NaN", TD_NumberTensor, "Exact", "Simple", [Diff]>;
def TD_ExpOp : TD_UnaryOp<"exp", "exponential, e to the x", TD_FloatTensor, "Transcendental", "Function", [Diff, Absorb]>;
def TD_Expm1Op : TD_UnaryOp<"expm1", "exponential minus 1, exact near 0", TD_FloatTensor, "Transcendental", "Function", [Diff]>;
def TD_LogOp : TD_UnaryOp<"log", "natural logarithm", TD_FloatTensor, "Transcendental", "Function", [Diff]>;
def TD_Log1pOp : TD_UnaryOp<"log1p", "natural logarithm of 1 + x, exact near 0", TD_FloatTensor, "Transcendental", "Function", [Diff]>;
def TD_SqrtOp : TD_UnaryOp<"sqrt", "square root, correctly rounded", TD_FloatTensor, "Rounded", "Slow", [Diff]>;
def TD_RsqrtOp : TD_UnaryOp<"rsqrt", "1 / sqrt(x)", TD_FloatTensor, "Transcendental", "Slow", [Diff]>;
def TD_SinOp : TD_UnaryOp<"sin", "sine of radians", TD_FloatTensor, "Transcendental", "Function", [Diff]>;
def TD_CosOp : TD_UnaryOp<"cos", "cosine of radians", TD_FloatTensor, "Transcendental", "Function", [Diff]>;
def TD_TanOp : TD_UnaryOp<"tan", "tangent of radians", TD_FloatTensor, "Transcendental", "Function", [Diff]>;
def TD_AsinOp : TD_UnaryOp<"asin", "arc sine in radians", TD_FloatTensor, "Transcendental", "Function", [Diff]>;
def TD_AcosOp : TD_UnaryOp<"acos", "arc cosine in radians", TD_FloatTensor, "Transcendental", "Function", [Diff]>;
def TD_AtanOp : TD_UnaryOp<"atan", "arc tangent in radians", TD_FloatTensor, "Transcendental", "Function", [Diff]>;
def TD_SinhOp : TD_UnaryOp<"sinh", "hyperbolic sine", TD_FloatTensor, "Transcendental", "Function", [Diff]>;
def TD_CoshOp : TD_UnaryOp<"cosh", "hyperbolic cosine", TD_FloatTensor, "Transcendental", "Function", [Diff]>;
def TD_TanhOp : TD_UnaryOp<"tanh", "hyperbolic tangent", TD_FloatTensor, "Transcendental", "Function", [Diff]>;
def TD_AcoshOp : TD_UnaryOp<"acosh", "inverse of the hyperbolic cosine", TD_FloatTensor, "Transcendental", "Function", [Diff]>;
def TD_ErfOp : TD_UnaryOp<"erf", "error function", TD_FloatTensor, "Transcendental", "Function", [Diff]>;
def TD_SigmoidOp : TD_UnaryOp<"sigmoid", "1 / (1 + exp(-x)), no overflow", TD_FloatTensor, "Transcendental", "Function", [Diff]>;
def TD_ReluOp : TD_UnaryOp<"relu", "max(x, 0), NaN stays NaN; the gradient at 0 is 0", TD_NumberTensor, "Exact", "Simple", [Diff]>;
def TD_FloorOp : TD_UnaryOp<"floor", "round towards minus infinity", TD_FloatTensor, "Exact", "Simple", [Diff]>;
def TD_CeilOp : TD_UnaryOp<"ceil", "round towards plus infinity", TD_FloatTensor, "Exact", "Simple", [Diff]>;
def TD_TruncOp : TD_UnaryOp<"trunc", "rounded towards zero", TD_FloatTensor, "Exact", "Simple", [Diff]>;
def TD_RoundOp : TD_UnaryOp<"round", "round to nearest, ties to even", TD_FloatTensor, "Exact", "Simple", [Diff]>;
def TD_WatchOp : TD_UnaryOp<"watch", "x, and a report when the program runs if an element is not finite", TD_FloatTensor, "Exact", "Simple"> {
  let spelling = "";
}
def TD_NotOp : TD_UnaryOp<"not", "bitwise complement; logical on bool", TD_BitsTensor, "Exact", "Simple", [], "tensor<4xi1>"> {
  let spelling = "~";
  let hasFolder = 1;
}

//===----------------------------------------------------------------------===//
// Binary
//===----------------------------------------------------------------------===//

class TD_ArithmeticOp<string mnemonic, string sign, string what,
                      TD_TensorOf tensor, string price,
                      list<Trait> traits = [], string more = "">
    : TD_BinaryOp<mnemonic, what, tensor, "Rounded", price, traits,
                  "tensor<4xf32>", more> {
  let spelling = sign;
  let devices = "Scalars";
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}

defvar zeroVanishes = [{
    A float operand filled with 0 or -0 is removed: `x + 0` becomes `x`. This
    changes only the sign of a zero result (-0.0 + 0.0 is 0.0), and accumulated
    gradients, which start as zeros, cost nothing.

}];

def TD_AddOp : TD_ArithmeticOp<"add", "+", "sum a + b; integers wrap", TD_NumberTensor, "Simple", [Commutative, Diff], zeroVanishes>;
def TD_SubOp : TD_ArithmeticOp<"sub", "-", "difference a - b; integers wrap", TD_NumberTensor, "Simple", [Diff, Absorb], zeroVanishes>;
def TD_MulOp : TD_ArithmeticOp<"mul", "*", "product a * b; integers wrap", TD_NumberTensor, "Simple", [Commutative, Diff, Absorb]>;
def TD_DivOp : TD_ArithmeticOp<"div", "/", "quotient a / b of floats (IEEE)", TD_FloatTensor, "Slow", [Diff, Absorb]>;
def TD_FloorDivOp : TD_BinaryOp<"floordiv", "quotient rounded down, exactly: 1.0 and 0.1 give 9; an integer divided by 0 gives 0", TD_NumberTensor, "Rounded", "Slow"> {
  let spelling = "//";
}
def TD_ModOp : TD_BinaryOp<"mod", "remainder a - b * floor(a / b); an integer modulo 0 gives 0", TD_NumberTensor, "Rounded", "Slow", [Diff]> {
  let spelling = "%";
}
def TD_PowOp : TD_BinaryOp<"pow", "power a to the b; integers wrap, a negative integer exponent gives 0 unless |a| = 1", TD_NumberTensor, "Transcendental", "Function", [Diff]> {
  let spelling = "**";
}
def TD_MaxOp : TD_BinaryOp<"max", "the larger of two elements; NaN wins; ties share the gradient", TD_NumberTensor, "Exact", "Simple", [Commutative, Diff]> {
  let spelling = "maximum";
}
def TD_MinOp : TD_BinaryOp<"min", "the smaller of two elements; NaN wins; ties share the gradient", TD_NumberTensor, "Exact", "Simple", [Commutative, Diff]> {
  let spelling = "minimum";
}
def TD_CopysignOp : TD_BinaryOp<"copysign", "the magnitude of the first, the sign of the second; the gradient at 0 is 0", TD_FloatTensor, "Exact", "Simple", [Diff]>;
def TD_Atan2Op : TD_BinaryOp<"atan2", "angle in radians of the point (other, input), from -pi to pi", TD_FloatTensor, "Transcendental", "Function", [Diff]>;
def TD_AndOp : TD_BinaryOp<"and", "bitwise and; logical on bool", TD_BitsTensor, "Exact", "Simple", [Commutative], "tensor<4xi64>"> {
  let spelling = "&";
}
def TD_OrOp : TD_BinaryOp<"or", "bitwise or; logical on bool", TD_BitsTensor, "Exact", "Simple", [Commutative], "tensor<4xi64>"> {
  let spelling = "|";
}
def TD_XorOp : TD_BinaryOp<"xor", "bitwise exclusive or", TD_BitsTensor, "Exact", "Simple", [Commutative], "tensor<4xi64>"> {
  let spelling = "^";
}
def TD_ShlOp : TD_BinaryOp<"shl", "a * 2 to the b; bits past the end are lost, and a count below 0 or of all bits gives 0", TD_IntegerTensor, "Exact", "Simple", [], "tensor<4xi64>"> {
  let spelling = "<<";
}
def TD_ShrOp : TD_BinaryOp<"shr", "floor(a / 2 to the b); a count below 0 or of all bits gives 0, or -1 for a negative a", TD_IntegerTensor, "Exact", "Simple", [], "tensor<4xi64>"> {
  let spelling = ">>";
}

//===----------------------------------------------------------------------===//
// Comparison and choice
//===----------------------------------------------------------------------===//

def TD_CompareOp : TD_ComputeOp<"compare", [TD_ElementwiseTrait,
    SameTypeOperands], ["getSpelling"]> {
  let summary = "compare element by element";
  let family = "Compare";
  let operands = 2;
  let devices = "Scalars";
  let description = [{
    A comparison with NaN is false, except `ne`, which is true.

    C1: the result has the shape and place of the operands, with dtype bool.

    Example:
    ```mlir
    %m = td.compare gt %a, %b : tensor<4xf32> -> tensor<4xi1>
    ```
  }];
  let arguments = (ins TD_ComparePredicateAttr:$predicate, TD_Tensor:$lhs,
                       TD_Tensor:$rhs);
  let results = (outs TD_BoolTensor:$result);
  let assemblyFormat =
    "`` $predicate $lhs `,` $rhs attr-dict `:` type($lhs) `->` type($result)";
  let hasCanonicalizeMethod = 1;
}

def TD_SelectOp : TD_ComputeOp<"select", [TD_ElementwiseTrait,
    AllTypesMatch<["on_true", "on_false", "result"]>, Diff, Absorb]> {
  let summary = "on_true where the condition holds, else on_false";
  let spelling = "where";
  let family = "Select";
  let operands = 3;
  let description = [{
    C1: the condition has the shape and place of the result.

    Example:
    ```mlir
    %r = td.select %m, %a, %b : tensor<4xi1>, tensor<4xf32>
    ```
  }];
  let arguments = (ins TD_BoolTensor:$condition, TD_Tensor:$on_true,
                       TD_Tensor:$on_false);
  let results = (outs TD_Tensor:$result);
  let assemblyFormat = [{
    $condition `,` $on_true `,` $on_false attr-dict `:` type($condition) `,` type($result)
  }];
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}

#endif // TDC_DIALECT_TD_IR_TDELEMENTWISEOPS_TD
