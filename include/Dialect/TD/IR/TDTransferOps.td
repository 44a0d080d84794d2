//===- TDTransferOps.td - changing place, changing dtype ------------------===//

#ifndef TDC_DIALECT_TD_IR_TDTRANSFEROPS_TD
#define TDC_DIALECT_TD_IR_TDTRANSFEROPS_TD

include "Dialect/TD/IR/TDBase.td"

def TD_ToDeviceOp : TD_Op<"to_device", [AlwaysSpeculatable,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<TD_Differentiable>]> {
  let summary = "copy a tensor to a device";
  let description = [{
    The operand stays where it is. If it is already on the device, the result is
    the operand itself. A result without a place has a place that is not decided
    yet.

    `implied`: the program does not write the copy. The compiler brings the
    tensor where it is needed and, unless the copy is `kept`, may instead run
    the op that makes the tensor there. `kept`: the copy runs exactly here,
    where the program has it or, if implied, needs it, even if no op reads it
    (`--placement=off`). `pinned`: the op that makes the operand runs on the
    device of the result, whatever that costs (`--placement=optimize`). `home`:
    an implied copy from or to the place where a file, a loader or a caller has
    its tensors; the program chose no device there. `role`: a copy for a
    DataParallel model: of the `rows` of a batch for one GPU, or of those of a
    result; of what another GPU needs for its `replica` of the model's state; or of
    parts and sums of a `gradient`.

    C1: shapes and dtypes of operand and result are equal. C2: a copy with a role
    is implied.

    Example:
    ```mlir
    %y = td.to_device %x : tensor<4xf32, #td.dev<cpu>> to tensor<4xf32, #td.dev<cuda, 0>>
    ```
  }];
  let arguments = (ins TD_Tensor:$input, UnitAttr:$implied, UnitAttr:$kept,
                       UnitAttr:$pinned, UnitAttr:$home,
                       OptionalAttr<TD_CopyRoleAttr>:$role);
  let results = (outs TD_Tensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `to` type($result)";
  let builders = [OpBuilder<(ins "::mlir::Type":$result, "::mlir::Value":$input,
                                 CArg<"bool", "false">:$implied,
                                 CArg<"bool", "false">:$kept,
                                 CArg<"bool", "false">:$pinned,
                                 CArg<"bool", "false">:$home), [{
    build($_builder, $_state, result, input, implied, kept, pinned, home,
          CopyRoleAttr());
  }]>];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def TD_MoveOp : TD_Op<"move", [DeclareOpInterfaceMethods<SymbolUserOpInterface>,
    DeclareOpInterfaceMethods<TD_SlotUser, ["getReadSlots", "getWrittenSlots"]>,
    MemoryEffects<[MemRead<TD_Slots>, MemWrite<TD_Slots>]>]> {
  let summary = "move the content of a slot to a device";
  let description = [{
    `model.to(device)` is one td.move for each slot of the model, its gradients
    and its optimizers' moments. `implied` and `kept` as for td.to_device.

    C1: the symbol is a td.slot.

    Example:
    ```mlir
    td.slot @model.fc1.weight param "fc1.weight" of "model" : tensor<50x10xf32>
    td.move @model.fc1.weight to <cuda, 0>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$slot, TD_DeviceAttr:$device,
                       UnitAttr:$implied, UnitAttr:$kept);
  let assemblyFormat = "$slot `to` $device attr-dict";
}

//===----------------------------------------------------------------------===//
// Replicas
//===----------------------------------------------------------------------===//
// For values of which only a run knows whether they are needed on another
// device, or on which device they are made.

def TD_HandleOp : TD_Op<"handle", [Pure]> {
  let summary = "one value and its replicas on other devices";
  let description = [{
    C1: the handle's type is the tensor's without its place.

    Example:
    ```mlir
    %h = td.handle %x : tensor<4xf32, #td.dev<cpu>> -> !td.handle<tensor<4xf32>>
    ```
  }];
  let arguments = (ins TD_Tensor:$input);
  let results = (outs TD_HandleType:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
}

def TD_ReplicaGetOp : TD_Op<"replica_get", [NoMemoryEffect]> {
  let summary = "the replica of a value on a device";
  let description = [{
    Copies the value there the first time, from any device that has it, and
    remembers the replica: all handles of one value share its replicas.

    C1: the handle's type is the tensor's without its place.

    Example:
    ```mlir
    %y = td.replica_get %h : !td.handle<tensor<4xf32>> -> tensor<4xf32, #td.dev<cuda, 0>>
    ```
  }];
  let arguments = (ins TD_HandleType:$handle);
  let results = (outs TD_Tensor:$result);
  let assemblyFormat = "$handle attr-dict `:` type($handle) `->` type($result)";
  let hasVerifier = 1;
}

def TD_ReadHandleOp : TD_Op<"read_handle", [
    DeclareOpInterfaceMethods<SymbolUserOpInterface>,
    DeclareOpInterfaceMethods<TD_SlotUser, ["getReadSlots", "getReadValue"]>,
    MemoryEffects<[MemRead<TD_Slots>]>]> {
  let summary = "the value of a slot of handles now";
  let description = [{
    C1: the symbol is a td.slot of this type.

    Example:
    ```mlir
    td.slot @model.fc1.weight param "fc1.weight" of "model" : !td.handle<tensor<50x10xf32>>
    %h = td.read_handle @model.fc1.weight : !td.handle<tensor<50x10xf32>>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$slot);
  let results = (outs TD_HandleType:$result);
  let assemblyFormat = "$slot attr-dict `:` type($result)";
}

def TD_WriteHandleOp : TD_Op<"write_handle", [
    DeclareOpInterfaceMethods<SymbolUserOpInterface>,
    DeclareOpInterfaceMethods<TD_SlotUser, ["getWrittenSlots", "getWrittenValue"]>,
    MemoryEffects<[MemWrite<TD_Slots>]>]> {
  let summary = "give a slot of handles a new value";
  let description = [{
    C1: the symbol is a td.slot of this type.

    Example:
    ```mlir
    td.slot @model.fc1.weight param "fc1.weight" of "model" : !td.handle<tensor<50x10xf32>>
    td.write_handle %h, @model.fc1.weight : !td.handle<tensor<50x10xf32>>
    ```
  }];
  let arguments = (ins TD_HandleType:$handle, FlatSymbolRefAttr:$slot);
  let assemblyFormat = "$handle `,` $slot attr-dict `:` type($handle)";
}

//===----------------------------------------------------------------------===//
// td.cast
//===----------------------------------------------------------------------===//

def TD_CastOp : TD_ComputeOp<"cast", [TD_ElementwiseTrait, Diff],
                             ["getSpelling"]> {
  let summary = "convert the elements to another dtype";
  let family = "Cast";
  let devices = "Anywhere";
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
