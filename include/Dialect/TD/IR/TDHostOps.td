//===- TDHostOps.td - input and output of the program ---------------------===//
//
// Prints, files, command line, errors: kept in program order.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_DIALECT_TD_IR_TDHOSTOPS_TD
#define TDC_DIALECT_TD_IR_TDHOSTOPS_TD

include "Dialect/TD/IR/TDBase.td"

class TD_HostOp<string mnemonic, list<Trait> traits = []>
    : TD_Op<mnemonic, !listconcat([MemoryEffects<[MemRead, MemWrite]>], traits)>;

def TD_DimOp : TD_Op<"dim", [Pure]> {
  let summary = "the size of one dim";
  let description = [{
    C1: the index is in range.

    Example:
    ```mlir
    %n = td.dim %x, 0 : tensor<?x10xf32>
    ```
  }];
  let arguments = (ins TD_Tensor:$input, I64Attr:$index);
  let results = (outs I64:$result);
  let assemblyFormat = "$input `,` $index attr-dict `:` type($input)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def TD_ItemOp : TD_Op<"item", [Pure, TD_HostReaderTrait]> {
  let summary = "the only element of a tensor as a host scalar";
  let description = [{
    Waits for the device.

    C1: the operand has one element (checked where static). C2: floats give f64,
    integers i64, bool i1.

    Example:
    ```mlir
    %l = td.item %loss : tensor<f32> -> f64
    ```
  }];
  let arguments = (ins TD_Tensor:$input);
  let results = (outs TD_Scalar:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def TD_FormatOp : TD_Op<"format", [Pure, TD_HostReaderTrait]> {
  let summary = "a string from a template";
  let description = [{
    The next operand replaces `{}` or `{:spec}` in the template; `{{` and `}}`
    are braces. Specs are Python's `[[fill]align][sign][#][0][width][,][.prec]
    [type]`; the checker has checked them.

    C1: the braces pair up, and every operand has its `{}`.

    Example:
    ```mlir
    %s = td.format "loss {:.4f}\0A"(%l) : f64
    ```
  }];
  let arguments = (ins StrAttr:$template_text, Variadic<TD_Printable>:$values);
  let results = (outs TD_StrType:$result);
  let assemblyFormat =
    "$template_text (`(` $values^ `)` `:` type($values))? attr-dict";
  let hasVerifier = 1;
}

def TD_StrEqualOp : TD_Op<"str_equal", [Pure, Commutative]> {
  let summary = "whether two strings have the same text";
  let description = [{
    Example:
    ```mlir
    %fast = td.str_equal %mode, %s
    ```
  }];
  let arguments = (ins TD_StrType:$lhs, TD_StrType:$rhs);
  let results = (outs I1:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict";
}

def TD_PickTextOp : TD_Op<"pick_text", [Pure]> {
  let summary = "one of several texts, by its number";
  let description = [{
    An index out of range gives the last text; a check reports it.

    C1: there are texts.

    Example:
    ```mlir
    %letter = td.pick_text %i of ["a", "b", "c"]
    ```
  }];
  let arguments = (ins I64:$index, StrArrayAttr:$texts);
  let results = (outs TD_StrType:$result);
  let assemblyFormat = "$index `of` $texts attr-dict";
  let hasVerifier = 1;
}

def TD_PrintOp : TD_HostOp<"print"> {
  let summary = "write a string to standard output";
  let description = [{
    Example:
    ```mlir
    td.print %s
    ```
  }];
  let arguments = (ins TD_StrType:$text);
  let assemblyFormat = "$text attr-dict";
}

def TD_AssertOp : TD_HostOp<"assert"> {
  let summary = "stop the program with a message unless the condition holds";
  let description = [{
    Example:
    ```mlir
    td.assert %ok, %message
    ```
  }];
  let arguments = (ins I1:$condition, TD_StrType:$message);
  let assemblyFormat = "$condition `,` $message attr-dict";
}

def TD_CheckDimOp : TD_HostOp<"check_dim"> {
  let summary = "stop the program unless two sizes agree";
  let description = [{
    A size fact that the checker could not decide. `what` names it to the user.

    Example:
    ```mlir
    td.check_dim %n, %m, "rows of x and y"
    ```
  }];
  let arguments = (ins I64:$lhs, I64:$rhs, StrAttr:$what);
  let assemblyFormat = "$lhs `,` $rhs `,` $what attr-dict";
}

def TD_CheckRandIntOp : TD_HostOp<"check_randint"> {
  let summary = "stop the program unless bounds fit random numbers";
  let description = [{
    There must be integers from `low` to below `high`, and `dtype` must
    represent all of them.

    Example:
    ```mlir
    td.check_randint %low, %high, i8
    ```
  }];
  let arguments = (ins I64:$low, I64:$high, TypeAttr:$dtype);
  let assemblyFormat = "$low `,` $high `,` $dtype attr-dict";
}

def TD_ArgOp : TD_Op<"arg", [Pure]> {
  let summary = "a command-line argument of the program";
  let description = [{
    Its type, default and help are in the module's argument table; the run-time
    system parses the command line before the program starts.

    Example:
    ```mlir
    %n = td.arg "epochs" : i64
    ```
  }];
  let arguments = (ins StrAttr:$arg_name);
  let results = (outs AnyTypeOf<[I64, F64, I1, TD_StrType]>:$result);
  let assemblyFormat = "$arg_name attr-dict `:` type($result)";
}

def TD_EnvOp : TD_Op<"env", [Pure]> {
  let summary = "an environment variable, or a default";
  let description = [{
    Example:
    ```mlir
    %home = td.env %name, %otherwise
    ```
  }];
  let arguments = (ins TD_StrType:$variable, TD_StrType:$default_value);
  let results = (outs TD_StrType:$result);
  let assemblyFormat = "$variable `,` $default_value attr-dict";
}

def TD_ExistsOp : TD_HostOp<"exists"> {
  let summary = "whether a file exists";
  let description = [{
    Example:
    ```mlir
    %there = td.exists %path
    ```
  }];
  let arguments = (ins TD_StrType:$path);
  let results = (outs I1:$result);
  let assemblyFormat = "$path attr-dict";
}

def TD_CudaDeviceNameOp : TD_HostOp<"cuda_device_name"> {
  let summary = "the driver's name of a GPU";
  let description = [{
    Stops the program if there is no such GPU.

    Example:
    ```mlir
    %name = td.cuda_device_name %index
    ```
  }];
  let arguments = (ins I64:$index);
  let results = (outs TD_StrType:$result);
  let assemblyFormat = "$index attr-dict";
}

def TD_CudaTotalMemoryOp : TD_HostOp<"cuda_total_memory"> {
  let summary = "the bytes of memory of a GPU";
  let description = [{
    Stops the program if there is no such GPU.

    Example:
    ```mlir
    %bytes = td.cuda_total_memory %index
    ```
  }];
  let arguments = (ins I64:$index);
  let results = (outs I64:$result);
  let assemblyFormat = "$index attr-dict";
}

def TD_CudaSynchronizeOp : TD_HostOp<"cuda_synchronize"> {
  let summary = "wait until the GPUs have done all their work";
  let description = [{
    Example:
    ```mlir
    td.cuda_synchronize
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def TD_LoadOp : TD_HostOp<"load"> {
  let summary = "read a tensor from a file";
  let description = [{
    `key` picks one tensor of a safetensors file. The file must have the
    result's dtype, rank and static sizes.

    Example:
    ```mlir
    %x = td.load %path : tensor<?x64xf32>
    ```
  }];
  let arguments = (ins TD_StrType:$path, OptionalAttr<StrAttr>:$key);
  let results = (outs TD_Tensor:$result);
  let assemblyFormat = "$path (`key` $key^)? attr-dict `:` type($result)";
}

def TD_SaveTensorOp : TD_HostOp<"save_tensor", [TD_HostReaderTrait]> {
  let summary = "write a tensor to a .npy file";
  let description = [{
    Example:
    ```mlir
    td.save_tensor %path, %x : tensor<4xf32>
    ```
  }];
  let arguments = (ins TD_StrType:$path, TD_Tensor:$value);
  let assemblyFormat = "$path `,` $value attr-dict `:` type($value)";
}

def TD_SaveOp : TD_Op<"save", [DeclareOpInterfaceMethods<SymbolUserOpInterface>,
    DeclareOpInterfaceMethods<TD_SlotUser, ["getReadSlots"]>,
    MemoryEffects<[MemRead, MemWrite, MemRead<TD_Slots>, MemRead<TD_RandomStream>]>]> {
  let summary = "write slots to a safetensors file";
  let description = [{
    With `full`, the file is a checkpoint: it also has the random counter, and
    the scalars under `names`. Without it the file has only weights. `keys` are
    the names in the file, one per slot. `aliases` has further names, each with
    the key of its slot; the file's metadata names them.

    C1: as many keys as slots. C2: as many names as values. C3: the symbols are
    td.slots. C4: each alias has one of the keys.

    Example:
    ```mlir
    td.slot @m.w param "w" of "m" : tensor<4xf32>
    td.save %path [@m.w] as ["w"] full ["epoch"](%e) : i64
    ```
  }];
  let arguments = (ins TD_StrType:$path,
                       TypedArrayAttrBase<FlatSymbolRefAttr, "slots">:$slots,
                       StrArrayAttr:$keys, UnitAttr:$full, StrArrayAttr:$names,
                       Variadic<TD_Scalar>:$values,
                       OptionalAttr<DictionaryAttr>:$aliases);
  let assemblyFormat = [{
    $path $slots `as` $keys (`full` $full^)? $names (`(` $values^ `)` `:` type($values))?
    attr-dict
  }];
  let hasVerifier = 1;
}

def TD_RestoreOp : TD_Op<"restore", [DeclareOpInterfaceMethods<SymbolUserOpInterface>,
    DeclareOpInterfaceMethods<TD_SlotUser, ["getReadSlots", "getWrittenSlots"]>,
    MemoryEffects<[MemRead, MemWrite, MemWrite<TD_Slots>, MemWrite<TD_RandomStream>]>]> {
  let summary = "read slots back from a safetensors file";
  let description = [{
    Nothing is written before the whole file has been checked. With `full` the
    random counter is restored, too. `lenient` ignores missing and unexpected
    keys. A tensor of another dtype is converted if that is exact; with `cast`,
    if that is possible. `aliases` has further names, each with the key of its
    slot: any one of them is enough, and where the file has several their values
    must be the same.

    C1: as many keys as slots. C2: the symbols are td.slots. C3: each alias has
    one of the keys.

    Example:
    ```mlir
    td.slot @m.w param "w" of "m" : tensor<4xf32>
    td.restore %path [@m.w] as ["w"] full
    ```
  }];
  let arguments = (ins TD_StrType:$path,
                       TypedArrayAttrBase<FlatSymbolRefAttr, "slots">:$slots,
                       StrArrayAttr:$keys, UnitAttr:$full, UnitAttr:$lenient,
                       UnitAttr:$cast,
                       OptionalAttr<DictionaryAttr>:$aliases);
  let assemblyFormat = [{
    $path $slots `as` $keys (`full` $full^)? (`lenient` $lenient^)?
    (`cast` $cast^)? attr-dict
  }];
  let hasVerifier = 1;
}

def TD_RestoreScalarOp : TD_HostOp<"restore_scalar"> {
  let summary = "read a named scalar of a checkpoint";
  let description = [{
    Example:
    ```mlir
    %e = td.restore_scalar %path "epoch" : i64
    ```
  }];
  let arguments = (ins TD_StrType:$path, StrAttr:$key);
  let results = (outs TD_Scalar:$result);
  let assemblyFormat = "$path $key attr-dict `:` type($result)";
}

#endif // TDC_DIALECT_TD_IR_TDHOSTOPS_TD
