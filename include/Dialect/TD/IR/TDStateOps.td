//===- TDStateOps.td - slots, gradients, random state ---------------------===//

#ifndef TDC_DIALECT_TD_IR_TDSTATEOPS_TD
#define TDC_DIALECT_TD_IR_TDSTATEOPS_TD

include "Dialect/TD/IR/TDBase.td"

def TD_SlotOp : TD_Op<"slot", [Symbol]> {
  let summary = "declare one tensor of state";
  let description = [{
    A slot has one fixed address and a name that is its key in checkpoints:
    `fc1.weight` for a parameter or buffer, `opt.<optimizer>.<leaf>` for a
    moment, `grad.<leaf>` for an accumulated gradient. `instance` names the
    model instance or optimizer it belongs to. It starts as zeros. A `value` is
    a result of the top-level statements that an exported function uses: it is
    in no file, and @main writes it once, at its end.

    A parameter that is tied to others is one slot. `aliases` has the other
    names, each with its key.

    C1: the type is a tensor of a td dtype with static sizes, or a handle of
    one; the sizes of a `value` may be known only at run time. C2: the keys of
    the aliases are strings.

    Example:
    ```mlir
    td.slot @model.fc1.weight param "fc1.weight" of "model" : tensor<50x10xf32>
    td.slot @m.wte.weight param "wte.weight" of "m"
      {aliases = {m.head.weight = "head.weight"}} : tensor<5x4xf32>
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TD_SlotKindAttr:$kind,
                       StrAttr:$key, StrAttr:$instance, TypeAttr:$type,
                       OptionalAttr<DictionaryAttr>:$aliases);
  let assemblyFormat = [{
    $sym_name `` $kind $key `of` $instance attr-dict `:` $type
  }];
  let hasVerifier = 1;
}

def TD_ReadOp : TD_Op<"read", [DeclareOpInterfaceMethods<SymbolUserOpInterface>,
    DeclareOpInterfaceMethods<TD_SlotUser, ["getReadSlots", "getReadValue"]>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "the value of a slot now";
  let description = [{
    C1: the symbol is a td.slot. C2: shape and dtype are the slot's.

    Example:
    ```mlir
    td.slot @model.fc1.weight param "fc1.weight" of "model" : tensor<50x10xf32>
    %w = td.read @model.fc1.weight : tensor<50x10xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$slot);
  let results = (outs TD_Tensor:$result);
  let assemblyFormat = "$slot attr-dict `:` type($result)";
}

def TD_WriteOp : TD_Op<"write", [DeclareOpInterfaceMethods<SymbolUserOpInterface>,
    DeclareOpInterfaceMethods<TD_SlotUser, ["getWrittenSlots", "getWrittenValue"]>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "give a slot a new value";
  let description = [{
    C1: the symbol is a td.slot. C2: shape and dtype are the slot's.

    Example:
    ```mlir
    td.slot @model.fc1.weight param "fc1.weight" of "model" : tensor<50x10xf32>
    td.write %w, @model.fc1.weight : tensor<50x10xf32>
    ```
  }];
  let arguments = (ins TD_Tensor:$value, FlatSymbolRefAttr:$slot);
  let assemblyFormat = "$value `,` $slot attr-dict `:` type($value)";
}

def TD_SeedOp : TD_Op<"seed", [MemoryEffects<[MemWrite<TD_RandomStream>]>]> {
  let summary = "set the seed of the program's random stream, counter to 0";
  let description = [{
    Example:
    ```mlir
    td.seed %n
    ```
  }];
  let arguments = (ins I64:$value);
  let assemblyFormat = "$value attr-dict";
}

def TD_NextRandomOp : TD_Op<"next_random", [
    MemoryEffects<[MemRead<TD_RandomStream>, MemWrite<TD_RandomStream>]>]> {
  let summary = "take the next call number of the random stream";
  let description = [{
    Yields the seed and the call number that td.random takes. Random calls are
    numbered in program order.

    Example:
    ```mlir
    %seed, %call = td.next_random
    ```
  }];
  let results = (outs I64:$seed, I64:$call);
  let assemblyFormat = "attr-dict";
}

def TD_DetachOp : TD_Op<"detach", [Pure, SameOperandsAndResultType,
    TD_ForGradientTrait]> {
  let summary = "the same value, constant to gradients; td-grad removes it";
  let description = [{
    Example:
    ```mlir
    %y = td.detach %x : tensor<4xf32>
    ```
  }];
  let arguments = (ins TD_Tensor:$input);
  let results = (outs TD_Tensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($result)";
}

def TD_SumPartsOp : TD_Op<"sum_parts", [Pure, SameOperandsAndResultType,
    DeclareOpInterfaceMethods<TD_Differentiable>]> {
  let summary = "the gradient of a parameter that has replicas";
  let description = [{
    The operand adds up the parts of the gradient of `slot` that several GPUs
    have: td.to_device copies them with the role `gradient`. td-data-parallel
    removes the op.

    Example:
    ```mlir
    td.slot @net.bias param "bias" of "net" : tensor<4xf32>
    %y = td.sum_parts @net.bias, %x : tensor<4xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$slot, TD_Tensor:$input);
  let results = (outs TD_Tensor:$result);
  let assemblyFormat = "$slot `,` $input attr-dict `:` type($result)";
}

def TD_RoundGradientOp : TD_Op<"round_gradient", [Pure, SameOperandsAndResultType,
    TD_ForGradientTrait, DeclareOpInterfaceMethods<TD_Differentiable>]> {
  let summary = "the same value with a rounded gradient; td-grad removes it";
  let description = [{
    The gradient is rounded to `element` and widened again, so that products
    with it have a narrow factor.

    C1: `element` is f16 or bf16, and narrower than the operand's dtype.

    Example:
    ```mlir
    %y = td.round_gradient %x to bf16 : tensor<4xf32>
    ```
  }];
  let arguments = (ins TD_FloatTensor:$input, TypeAttr:$element);
  let results = (outs TD_FloatTensor:$result);
  let assemblyFormat = "$input `to` $element attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def TD_GradOp : TD_Op<"grad", [Pure, TD_ForGradientTrait]> {
  let summary = "gradients of a 0-d value; td-grad removes it";
  let description = [{
    One result per `wrt`, of its type: d target / d wrt, zero where target does
    not depend on it.

    C1: the target is a 0-d float tensor. C2: every wrt is a float tensor and
    results have the types of the wrt.

    Example:
    ```mlir
    %g = td.grad %loss wrt(%w) : (tensor<f32>, tensor<50x10xf32>) -> tensor<50x10xf32>
    ```
  }];
  let arguments = (ins TD_FloatTensor:$target, Variadic<TD_FloatTensor>:$wrt);
  let results = (outs Variadic<TD_FloatTensor>:$gradients);
  let assemblyFormat = [{
    $target `wrt` `(` $wrt `)` attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let builders = [OpBuilder<(ins "::mlir::Value":$target,
                                 "::mlir::ValueRange":$wrt), [{
    build($_builder, $_state, wrt.getTypes(), target, wrt);
  }]>];
}

def TD_BackwardOp : TD_Op<"backward", [TD_ForGradientTrait,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>,
    DeclareOpInterfaceMethods<TD_SlotUser, ["getReadSlots", "getWrittenSlots"]>,
    MemoryEffects<[MemRead<TD_Slots>, MemWrite<TD_Slots>]>]> {
  let summary = "add gradients to the grad slots; td-grad removes it";
  let description = [{
    For every i such that the target was computed from parameters[i]:
    gradients[i] += d target / d parameters[i], and flags[i], if there are
    flags, becomes true.

    C1: the target is a 0-d float tensor. C2: as many gradients as parameters,
    and as many flags or none. C3: the symbols are td.slots, a gradient has its
    parameter's shape and dtype, and a flag is one bool.

    Example:
    ```mlir
    td.slot @m.w param "w" of "m" : tensor<4xf32>
    td.slot @grad.m.w grad "grad.w" of "m" : tensor<4xf32>
    td.slot @grad.m.w.is_there grad "grad.w.is_there" of "m" : tensor<i1>
    td.backward %loss [@m.w] into [@grad.m.w] flags [@grad.m.w.is_there]
      : tensor<f32>
    ```
  }];
  let arguments = (ins TD_FloatTensor:$target,
                       TypedArrayAttrBase<FlatSymbolRefAttr, "slots">:$parameters,
                       TypedArrayAttrBase<FlatSymbolRefAttr, "slots">:$gradients,
                       OptionalAttr<TypedArrayAttrBase<FlatSymbolRefAttr, "slots">>:$flags);
  let assemblyFormat = [{
    $target $parameters `into` $gradients (`flags` $flags^)? attr-dict
    `:` type($target)
  }];
  let hasVerifier = 1;
}

#endif // TDC_DIALECT_TD_IR_TDSTATEOPS_TD
