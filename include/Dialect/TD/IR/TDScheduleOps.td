//===- TDScheduleOps.td - copies that overlap with kernels ----------------===//
//
// A GPU has a queue for its kernels, one for the copies of each direction and
// one for the copies from each other GPU; the entries of one queue run in
// order, different queues run concurrently. A ticket is a position in a queue
// that other queues, and the host, can wait for.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_DIALECT_TD_IR_TDSCHEDULEOPS_TD
#define TDC_DIALECT_TD_IR_TDSCHEDULEOPS_TD

include "Dialect/TD/IR/TDBase.td"

def TD_NoTicketOp : TD_Op<"no_ticket", [Pure]> {
  let summary = "a ticket for nothing: a wait for it returns at once";
  let description = [{
    Example:
    ```mlir
    %t = td.no_ticket : !td.ticket
    ```
  }];
  let results = (outs TD_TicketType:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def TD_MarkOp : TD_Op<"mark", [MemoryEffects<[MemWrite<TD_Queues>]>]> {
  let summary = "the current end of a GPU's queue of kernels";
  let description = [{
    The position in the GPU's queue of kernels after everything that was given
    to it so far.

    C1: the device is a GPU.

    Example:
    ```mlir
    %t = td.mark <cuda, 0> : !td.ticket
    ```
  }];
  let arguments = (ins TD_DeviceAttr:$device);
  let results = (outs TD_TicketType:$ticket);
  let assemblyFormat = "$device attr-dict `:` type($ticket)";
  let hasVerifier = 1;
}

def TD_CopyStartOp : TD_Op<"copy_start", [AttrSizedOperandSegments,
    MemoryEffects<[MemWrite<TD_Queues>]>]> {
  let summary = "begin to copy a tensor from or to a GPU";
  let description = [{
    The copy runs asynchronously, in the queue of its GPU and direction, or,
    between GPUs, in the target's queue for copies from the source. A copy from
    the host starts when the kernels before `after` are done. Any other copy
    starts when the kernels before this op are done, on both GPUs if there are
    two. No op reads the result, and on a GPU no op overwrites the operand,
    before a td.copy_wait for the ticket.

    `iteration`: the copy runs in each iteration of a loop, while the result of
    the previous iteration is still in use. The result is double-buffered: even
    iterations use the first buffer. The operand of an upload is
    double-buffered, too, if a launch makes it for such copies alone; the bytes
    of any other operand are put aside when the copy starts. `implied` as for
    td.to_device.

    C1: shapes and dtypes of operand and result are equal. C2: they are on two
    devices. C3: a copy from the cpu, and no other, has `after`. C4: a copy from
    the cpu has `iteration`, and a copy from GPU to GPU has none.

    Example:
    ```mlir
    %y, %t = td.copy_start %x after %m iteration %i : tensor<4xf32, #td.dev<cpu>> to tensor<4xf32, #td.dev<cuda, 0>>
    ```
  }];
  let arguments = (ins TD_Tensor:$input, Optional<TD_TicketType>:$after,
                       Optional<I64>:$iteration, UnitAttr:$implied);
  let results = (outs TD_Tensor:$result, TD_TicketType:$ticket);
  let assemblyFormat = [{
    $input (`after` $after^)? (`iteration` $iteration^)? attr-dict `:` type($input) `to`
    type($result)
  }];
  let builders = [OpBuilder<(ins "::mlir::Type":$result, "::mlir::Value":$input,
                                 "::mlir::Value":$after, "::mlir::Value":$iteration,
                                 "bool":$implied)>];
  let extraClassDeclaration = [{
    Place getSource();
    Place getTarget();
    /// The GPU with the queue that the copy runs in.
    Place getGPU();
    bool isUpload();
    bool isBetweenGPUs();
    /// Whether both run in one queue, and so in order.
    bool sharesQueueWith(CopyStartOp other);
  }];
  let hasVerifier = 1;
}

def TD_CopyWaitOp : TD_Op<"copy_wait", [MemoryEffects<[MemWrite<TD_Queues>]>]> {
  let summary = "wait for a copy";
  let description = [{
    `device` waits for the copy: a GPU runs its later kernels only after the
    copy is done, the cpu all later ops. `tensors` are the results of the copy
    that later ops read, and its operands that later ops may overwrite. Of a
    copy between GPUs, each GPU waits for its own tensor.

    Example:
    ```mlir
    td.copy_wait %t by #td.dev<cuda, 0> for %y : tensor<4xf32, #td.dev<cuda, 0>>
    ```
  }];
  let arguments = (ins TD_TicketType:$ticket, TD_DeviceAttr:$device,
                       Variadic<TD_Tensor>:$tensors);
  let assemblyFormat = [{
    $ticket `by` $device (`for` $tensors^ `:` type($tensors))? attr-dict
  }];
}

#endif // TDC_DIALECT_TD_IR_TDSCHEDULEOPS_TD
