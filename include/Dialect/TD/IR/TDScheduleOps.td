//===- TDScheduleOps.td - copies that run beside kernels ------------------===//
//
// A GPU has a queue for its kernels, one for the copies of each direction and
// one for the copies from each other GPU; what is given to a queue runs in
// order, the queues run beside each other. A ticket is a place in a queue that
// others, and the host, can wait for.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_DIALECT_TD_IR_TDSCHEDULEOPS_TD
#define TDC_DIALECT_TD_IR_TDSCHEDULEOPS_TD

include "Dialect/TD/IR/TDBase.td"

def TD_NoTicketOp : TD_Op<"no_ticket", [Pure]> {
  let summary = "a ticket for nothing: nobody waits for it";
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
  let summary = "where the kernels of a GPU have got to";
  let description = [{
    The place in the GPU's queue of kernels behind all that it was given so far.

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
    The copy runs by itself, in the queue of its GPU and direction, or of the GPU
    that it goes to for the one that it comes from: from the host once the kernels
    in front of `after` are done, else once the kernels in front of the op are, of
    both GPUs if it has two. Nobody reads the result, and on a GPU nobody
    overwrites the operand, before a td.copy_wait for the ticket.

    `iteration`: the copy is made again in each iteration of a loop, while what the iteration
    before has copied is still in use. The result has two buffers, of which even
    iterations use the first, and so has the operand of an upload that a launch made for
    such copies alone; the bytes of any other are put aside. `implied` as for
    td.to_device.

    C1: shapes and dtypes of operand and result are equal. C2: they are on two
    devices. C3: what comes from the cpu, and nothing else, has `after`. C4: what
    comes from the cpu has `iteration`, and what goes from GPU to GPU has none.

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
    /// The GPU whose queue it runs in.
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
    What `device` does behind this it does when the copy is done: a GPU with its
    kernels, the cpu with everything. `tensors` are the results of the copy that
    are read behind this and its operands that may be overwritten behind this; of
    a copy between GPUs each end waits for its own.

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
