//===- Passes.td - passes over td -----------------------------------------===//
//
// Passes are listed in the order in which they run, after those of GradPasses.td.
// test/Dialect/TD/Transforms/examples.test runs each example.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_DIALECT_TD_TRANSFORMS_PASSES_TD
#define TDC_DIALECT_TD_TRANSFORMS_PASSES_TD

include "Dialect/TD/Transforms/GradPasses.td"

def TDResolvePass : Pass<"td-resolve", "::mlir::ModuleOp"> {
  let summary = "give every tensor a concrete place";
  let description = [{
    Code is generated for a device, so every tensor needs a known place. A
    symbol is replaced by the device that the module's attribute `td.devices`
    gives it. A tensor that the program left free is computed on the nearest
    pinned device that its results reach. If several are equally near or none is
    reached, it is computed on the one device of its operands; else on the cpu
    if a loader is made from it, and on the module's `td.default_device` (or the
    cpu) otherwise. A transfer that the program wrote is not crossed: it does
    not pull the ops before it to its target. A transfer from or to a tensor's
    `home` pins nothing. Constructors run on each device that needs their
    result.

    Afterwards every op has its operands on its device. Transfers that the
    program did not write are inserted before each use and marked `implied`.

    Before:
    ```mlir
    module attributes {td.devices = {device = #td.dev<cuda, 0>}}
    %y = td.to_device %x : tensor<4xf32> to tensor<4xf32, #td.dev<@device>>
    %z = td.neg %y : tensor<4xf32, #td.dev<@device>>
    ```
    After:
    ```mlir
    module attributes {td.devices = {device = #td.dev<cuda, 0>}}
    %y = td.to_device %x : tensor<4xf32, #td.dev<cpu>> to tensor<4xf32, #td.dev<cuda, 0>>
    %z = td.neg %y : tensor<4xf32, #td.dev<cuda, 0>>
    ```
  }];
  let options = [
    ListOption<"symbols", "symbols", "std::string",
               "devices of symbols, as name=cpu or name=cuda:1; they override "
               "`td.devices` of the module">
  ];
  let dependentDialects = ["::tdc::td::TDDialect"];
}

def TDDataParallelPass : Pass<"td-data-parallel", "::mlir::ModuleOp"> {
  let summary = "let each GPU of a DataParallel model keep its replica";
  let description = [{
    Rows of a batch are copied to their GPU from where the batch is. The ops of
    several GPUs alternate. Gradients are summed on all GPUs, a section on each,
    and the optimizer's step is repeated on all GPUs, with slots of their own
    for what it changes: then no parameter is copied in a step. A step that
    would have to send more bytes than the parameter has is not repeated; its
    result is sent instead. Modules with `td.as_written` are not changed.

    Before:
    ```mlir
    td.slot @m.w param "w" of "m" : tensor<2xf32, #td.dev<cuda, 0>>
    %w = td.read @m.w : tensor<2xf32, #td.dev<cuda, 0>>
    %copy = td.to_device %w {implied, role = #td<role replica>} : tensor<2xf32, #td.dev<cuda, 0>> to tensor<2xf32, #td.dev<cuda, 1>>
    %own = td.exp %w : tensor<2xf32, #td.dev<cuda, 0>>
    %part = td.exp %copy : tensor<2xf32, #td.dev<cuda, 1>>
    %sent = td.to_device %part {implied, role = #td<role gradient>} : tensor<2xf32, #td.dev<cuda, 1>> to tensor<2xf32, #td.dev<cuda, 0>>
    %both = td.add %sent, %own : tensor<2xf32, #td.dev<cuda, 0>>
    %sum = td.sum_parts @m.w, %both : tensor<2xf32, #td.dev<cuda, 0>>
    %next = td.sub %w, %sum : tensor<2xf32, #td.dev<cuda, 0>>
    td.write %next, @m.w : tensor<2xf32, #td.dev<cuda, 0>>
    ```
    After:
    ```mlir
    td.slot @m.w param "w" of "m" : tensor<2xf32, #td.dev<cuda, 0>>
    td.slot @replica1.m.w buffer "w" of "replica1.m" {td.replica_of = "m.w"} : tensor<2xf32, #td.dev<cuda, 1>>
    %w0 = td.read @m.w : tensor<2xf32, #td.dev<cuda, 0>>
    %w1 = td.read @replica1.m.w : tensor<2xf32, #td.dev<cuda, 1>>
    %part0 = td.exp %w0 : tensor<2xf32, #td.dev<cuda, 0>>
    %part1 = td.exp %w1 : tensor<2xf32, #td.dev<cuda, 1>>
    %c0 = arith.constant 1 : i64
    %second0 = td.slice %part0[%c0] dim 0 step 1 : tensor<2xf32, #td.dev<cuda, 0>> to tensor<1xf32, #td.dev<cuda, 0>>
    %sent0 = td.to_device %second0 {implied, role = #td<role gradient>} : tensor<1xf32, #td.dev<cuda, 0>> to tensor<1xf32, #td.dev<cuda, 1>>
    %c1 = arith.constant 0 : i64
    %first1 = td.slice %part1[%c1] dim 0 step 1 : tensor<2xf32, #td.dev<cuda, 1>> to tensor<1xf32, #td.dev<cuda, 1>>
    %sent1 = td.to_device %first1 {implied, role = #td<role gradient>} : tensor<1xf32, #td.dev<cuda, 1>> to tensor<1xf32, #td.dev<cuda, 0>>
    %c2 = arith.constant 0 : i64
    %first0 = td.slice %part0[%c2] dim 0 step 1 : tensor<2xf32, #td.dev<cuda, 0>> to tensor<1xf32, #td.dev<cuda, 0>>
    %c3 = arith.constant 1 : i64
    %second1 = td.slice %part1[%c3] dim 0 step 1 : tensor<2xf32, #td.dev<cuda, 1>> to tensor<1xf32, #td.dev<cuda, 1>>
    %sum0 = td.add %first0, %sent1 : tensor<1xf32, #td.dev<cuda, 0>>
    %sum1 = td.add %sent0, %second1 : tensor<1xf32, #td.dev<cuda, 1>>
    %got1 = td.to_device %sum0 {implied, role = #td<role gradient>} : tensor<1xf32, #td.dev<cuda, 0>> to tensor<1xf32, #td.dev<cuda, 1>>
    %got0 = td.to_device %sum1 {implied, role = #td<role gradient>} : tensor<1xf32, #td.dev<cuda, 1>> to tensor<1xf32, #td.dev<cuda, 0>>
    %all0 = td.concat %sum0, %got0 dim 0 : (tensor<1xf32, #td.dev<cuda, 0>>, tensor<1xf32, #td.dev<cuda, 0>>) -> tensor<2xf32, #td.dev<cuda, 0>>
    %all1 = td.concat %got1, %sum1 dim 0 : (tensor<1xf32, #td.dev<cuda, 1>>, tensor<1xf32, #td.dev<cuda, 1>>) -> tensor<2xf32, #td.dev<cuda, 1>>
    %next0 = td.sub %w0, %all0 : tensor<2xf32, #td.dev<cuda, 0>>
    %next1 = td.sub %w1, %all1 : tensor<2xf32, #td.dev<cuda, 1>>
    td.write %next0, @m.w : tensor<2xf32, #td.dev<cuda, 0>>
    td.write %next1, @replica1.m.w : tensor<2xf32, #td.dev<cuda, 1>>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::tdc::td::TDDialect"];
}

def TDVerifyReplicasPass : Pass<"td-verify-replicas", "::mlir::ModuleOp"> {
  let summary = "check that the replicas of a model stay equal to it";
  let description = [{
    Runs after td-data-parallel. A slot with the attribute `td.replica_of` is a
    replica of the slot that it names. It gets each new value of that slot once,
    in the same block and before any op with regions: a copy of the value, or
    what the same ops make of equal values. No op reads it in between. td.move
    keeps values and is not looked at. Not verified is which reads of replicas
    td-data-parallel puts in the place of copies.
  }];
}

def TDNormalizePass : Pass<"td-normalize", "::mlir::ModuleOp"> {
  let summary = "bring loops and selects into the form that td-place expects";
  let description = [{
    Removes dead code. A loop that may have no iteration gets a branch around
    it: ops that precede the loop in this branch run only if the loop does. A
    select between two tensors becomes a branch. Modules without a tensor on a
    GPU or a moved slot, and modules with `td.as_written`, are not changed.

    Before:
    ```mlir
    %r = scf.for %i = %a to %n step %one iter_args(%s = %x) -> (tensor<4xf32, #td.dev<cuda, 0>>) : i64 {
      %y = td.exp %s : tensor<4xf32, #td.dev<cuda, 0>>
      scf.yield %y : tensor<4xf32, #td.dev<cuda, 0>>
    }
    %h = td.to_device %r : tensor<4xf32, #td.dev<cuda, 0>> to tensor<4xf32, #td.dev<cpu>>
    ```
    After:
    ```mlir
    %runs = arith.cmpi slt, %a, %n : i64
    %r = scf.if %runs -> (tensor<4xf32, #td.dev<cuda, 0>>) {
      %last = scf.for %i = %a to %n step %one iter_args(%s = %x) -> (tensor<4xf32, #td.dev<cuda, 0>>) : i64 {
        %y = td.exp %s : tensor<4xf32, #td.dev<cuda, 0>>
        scf.yield %y : tensor<4xf32, #td.dev<cuda, 0>>
      }
      scf.yield %last : tensor<4xf32, #td.dev<cuda, 0>>
    } else {
      scf.yield %x : tensor<4xf32, #td.dev<cuda, 0>>
    }
    %h = td.to_device %r : tensor<4xf32, #td.dev<cuda, 0>> to tensor<4xf32, #td.dev<cpu>>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect", "::mlir::ub::UBDialect"];
}

def TDChooseDevicesPass : Pass<"td-choose-devices", "::mlir::ModuleOp"> {
  let summary = "move ops across transfers where that saves copied bytes";
  let description = [{
    A conversion, a movement of elements or arithmetic of single numbers gives
    the same bits on every device (a T-op, Analysis/TOps). A T-op moves across a
    transfer if fewer bytes are copied then: bytes are copied before they are
    converted to floats, halves after. One minimum cut over the flow of all
    values (Analysis/Placement/ValueFlow) decides.

    A T-op moves only if that saves bytes on every run: its one use is in its
    block, and each operand is made there for this op alone or is read on the
    device of the use anyway. If the program has no branch and all its loops
    have known bounds, any T-op may move. An op with a result smaller than its
    operand never leaves the operand's device: the whole would be copied instead
    of the part. Modules with more than two devices are not changed.

    With `td.optimize` on the module (`--placement=optimize`) the program's own
    devices are hints, and the cut weighs the time to compute
    (Analysis/Placement/OpCosts) against the bytes to copy. Every compute op may
    move, except for constructors, ops that read or produce a parameter of a
    model that the program moved, ops with an annotated result (td.to_device
    with `pinned`, which the pass removes), and ops that read a part of a very
    large tensor. A T-op may run on both devices if both read its result. More
    than two devices are error TD900.

    Before:
    ```mlir
    %f = td.cast %u : tensor<4xui8, #td.dev<cpu>> to tensor<4xf32, #td.dev<cpu>>
    %g = td.to_device %f : tensor<4xf32, #td.dev<cpu>> to tensor<4xf32, #td.dev<cuda, 0>>
    ```
    After:
    ```mlir
    %b = td.to_device %u : tensor<4xui8, #td.dev<cpu>> to tensor<4xui8, #td.dev<cuda, 0>>
    %f = td.cast %b : tensor<4xui8, #td.dev<cuda, 0>> to tensor<4xf32, #td.dev<cuda, 0>>
    %h = td.to_device %f {implied} : tensor<4xf32, #td.dev<cuda, 0>> to tensor<4xf32, #td.dev<cpu>>
    %g = td.to_device %h : tensor<4xf32, #td.dev<cpu>> to tensor<4xf32, #td.dev<cuda, 0>>
    ```
    td-place then removes both copies of %f.
  }];
  let dependentDialects = ["::tdc::td::TDDialect"];
}

def TDPlacePass : Pass<"td-place", "::mlir::ModuleOp"> {
  let summary = "put transfers where they cost least";
  let description = [{
    The devices of ops are given; transfers are discarded and placed again.
    Along the flow of each value (Analysis/Placement/ValueFlow) a minimum cut
    decides which devices hold it at each point. A copy is made where a device
    is added: before a loop rather than in it, in the branch that needs it
    rather than before the branch. If only a run can tell which copies are
    needed, the value becomes a handle, and a copy is made when an op first
    needs it. Every run makes exactly the copies that it cannot avoid: one for
    each value and each device, other than its own, on which an op reads it.

    A slot that is held on several devices becomes one slot for each device.

    Before:
    ```mlir
    %r = scf.for %i = %a to %n step %one iter_args(%s = %x) -> (tensor<4xf32, #td.dev<cuda, 0>>) : i64 {
      %g = td.to_device %w : tensor<4xf32, #td.dev<cpu>> to tensor<4xf32, #td.dev<cuda, 0>>
      %y = td.add %s, %g : tensor<4xf32, #td.dev<cuda, 0>>
      scf.yield %y : tensor<4xf32, #td.dev<cuda, 0>>
    }
    ```
    After:
    ```mlir
    %g = td.to_device %w : tensor<4xf32, #td.dev<cpu>> to tensor<4xf32, #td.dev<cuda, 0>>
    %r = scf.for %i = %a to %n step %one iter_args(%s = %x) -> (tensor<4xf32, #td.dev<cuda, 0>>) : i64 {
      %y = td.add %s, %g : tensor<4xf32, #td.dev<cuda, 0>>
      scf.yield %y : tensor<4xf32, #td.dev<cuda, 0>>
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect", "::mlir::ub::UBDialect"];
}

def TDFitMemoryPass : Pass<"td-fit-memory", "::mlir::ModuleOp"> {
  let summary = "evict tensors from a device that would run out of memory";
  let description = [{
    Handles the devices for which the module's attribute `td.working_set` limits
    the live bytes, if more would be live at some point
    (Analysis/Placement/DeviceMemory). Copies from the cpu and constructors are
    then sunk to their first use; where that is not enough, values are evicted
    and brought back before their next use. Victims are chosen in this order:

    * values used again only after leaving the most loops;
    * among equals, values that a constructor makes again, then values that have
      a copy on the cpu, last values that must be copied to the cpu first (once,
      when they are made);
    * among equals, values with the furthest next use.

    A value that a loop reads may have to be copied back in every iteration.

    Slots, replicas of handles, and the operands and results of the op at hand
    are never evicted, so more than the limit may stay live. Whether a program
    fits is known only once its kernels are made; td-verify-memory reports it.

    Before, with room for three tensors:
    ```mlir
    module attributes {td.working_set = {"cuda:0" = 48}}
    %a = td.to_device %x : tensor<4xf32, #td.dev<cpu>> to tensor<4xf32, #td.dev<cuda, 0>>
    %b = td.sin %a : tensor<4xf32, #td.dev<cuda, 0>>
    %c = td.sin %b : tensor<4xf32, #td.dev<cuda, 0>>
    %d = td.mul %c, %b : tensor<4xf32, #td.dev<cuda, 0>>
    %e = td.mul %d, %a : tensor<4xf32, #td.dev<cuda, 0>>
    ```
    After:
    ```mlir
    module attributes {td.working_set = {"cuda:0" = 48}}
    %a = td.to_device %x : tensor<4xf32, #td.dev<cpu>> to tensor<4xf32, #td.dev<cuda, 0>>
    %b = td.sin %a : tensor<4xf32, #td.dev<cuda, 0>>
    %c = td.sin %b : tensor<4xf32, #td.dev<cuda, 0>>
    %d = td.mul %c, %b : tensor<4xf32, #td.dev<cuda, 0>>
    %again = td.to_device %x : tensor<4xf32, #td.dev<cpu>> to tensor<4xf32, #td.dev<cuda, 0>>
    %e = td.mul %d, %again : tensor<4xf32, #td.dev<cuda, 0>>
    ```
  }];
  let dependentDialects = ["::tdc::td::TDDialect"];
}

def TDVerifyPlacementPass
    : Pass<"td-verify-placement", "::mlir::ModuleOp"> {
  let summary = "check that every tensor is on the device that reads it";
  let description = [{
    Runs after td-place and shares no code with it. Checks that every tensor is
    on a device, that every op reads tensors on its own device, that the host
    and files read and write tensors on the cpu, and that loops, branches and
    slots pass tensors on without changing their type.
  }];
}

def TDTrackSlotsPass : Pass<"td-track-slots", "::mlir::ModuleOp"> {
  let summary = "convert slots that a program moves to slots of handles";
  let description = [{
    In a program that is compiled as written (`--placement=off`) a slot is on
    the device to which the last td.move has taken it. A slot that is on several
    devices becomes a slot of handles, which td.move then updates; files are
    read and written through a slot on the cpu. Other programs are not changed.

    Before:
    ```mlir
    module attributes {td.as_written}
    td.slot @w param "w" of "m" : tensor<4xf32>
    td.write %a, @w : tensor<4xf32, #td.dev<cpu>>
    td.move @w to <cuda, 0>
    %b = td.read @w : tensor<4xf32, #td.dev<cuda, 0>>
    ```
    After:
    ```mlir
    module attributes {td.as_written}
    td.slot @w param "w" of "m" : !td.handle<tensor<4xf32>>
    %h = td.handle %a : tensor<4xf32, #td.dev<cpu>> -> !td.handle<tensor<4xf32>>
    td.write_handle %h, @w : !td.handle<tensor<4xf32>>
    td.move @w to <cuda, 0>
    %i = td.read_handle @w : !td.handle<tensor<4xf32>>
    %b = td.replica_get %i : !td.handle<tensor<4xf32>> -> tensor<4xf32, #td.dev<cuda, 0>>
    ```
  }];
}

def SinkReshapesPass : Pass<"td-sink-reshapes", "::mlir::ModuleOp"> {
  let summary = "move work before the reshapes that would cut kernels";
  let description = [{
    A reshape that changes more than dims of size 1 views a stored tensor. An
    elementwise op or a reduction after it is computed with the shape before it,
    where it can be an epilogue: its other operands must be broadcast, filled,
    or stored in any case. A reshape of floats that a cast widens comes before
    the cast, so that the narrow floats are stored.

    Before:
    ```mlir
    %p = td.matmul %x, %w : tensor<32x8xf32>, tensor<8x16xf32> -> tensor<32x16xf32>
    %q = td.reshape %p : tensor<32x16xf32> to tensor<4x8x16xf32>
    %b = td.broadcast %v : tensor<16xf32> to tensor<4x8x16xf32>
    %y = td.add %q, %b : tensor<4x8x16xf32>
    ```
    After:
    ```mlir
    %p = td.matmul %x, %w : tensor<32x8xf32>, tensor<8x16xf32> -> tensor<32x16xf32>
    %b = td.broadcast %v : tensor<16xf32> to tensor<32x16xf32>
    %z = td.add %p, %b : tensor<32x16xf32>
    %y = td.reshape %z : tensor<32x16xf32> to tensor<4x8x16xf32>
    ```
  }];
}

def FormKernelsPass : Pass<"td-form-kernels", "::mlir::ModuleOp"> {
  let summary = "group compute ops into kernels";
  let description = [{
    Only a few values must be in memory: values that the host needs, values for
    which several consumers would repeat a reduction, and values that are
    expensive to compute twice. Each becomes a root of a kernel. Every op
    between a root and the stored values that it is computed from is part of
    that kernel, and is repeated if several kernels need it. Kernels that run
    over the same elements are merged, and so are the stages of the work on one
    row: on the cpu if the row stays in the nearest cache, and on a GPU if there
    are at least 128 rows, or rows of fewer than 2^18 terms, or one row of at
    most 2^13 elements for one result. Ops such as softmax are expanded first,
    so that they fuse like anything else.

    On the cpu a factor whose terms are far apart in memory is transposed by a
    kernel of its own, and a scale that is broadcast to many positions is
    computed before. The last update of a value comes after its other readers.

    Before:
    ```mlir
    %a = td.mul %x, %y : tensor<4xf32>
    %b = td.exp %a : tensor<4xf32>
    ```
    After:
    ```mlir
    %b = td.kernel (%x, %y) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%p: tensor<4xf32>, %q: tensor<4xf32>):
      %m = td.mul %p, %q : tensor<4xf32>
      %e = td.exp %m : tensor<4xf32>
      td.yield %e : tensor<4xf32>
    }
    ```
  }];
  let options = [
    Option<"merges", "merge", "bool", "true",
           "merge kernels that run over the same elements (tests compare with "
           "and without)">
  ];
}

def TDVerifyKernelsPass : Pass<"td-verify-kernels", "::mlir::ModuleOp"> {
  let summary = "check that a kernel reads each of its reductions at one position";
  let description = [{
    Runs after td-form-kernels and shares no code with it. A kernel computes a
    reduction, a product or an arg_reduce once in each iteration of its loops.
    An op that reads the result at another position must be in another kernel:
    for example, one kernel cannot give both a sum and a picked row of it, or
    both a product and its transpose.
  }];
}

def TDPrintNestsPass : Pass<"td-print-nests", "::mlir::ModuleOp"> {
  let summary = "print the loop nest of each kernel";
  let description = [{
    For tests of LoopNest and Contraction, on which fusion and both back ends
    are built; the compiler does not run it. Prints to standard output the loops
    of each kernel, the coordinates (`l0` is loop 0) at which roots, reductions
    and inputs are read, and the product that a GPU would compute tile by tile.

    ```mlir
    %y = td.kernel(%x, %w) : (tensor<64x16xf32>, tensor<16x32xf32>) -> tensor<64x32xf32> {
    ^bb0(%a: tensor<64x16xf32>, %b: tensor<16x32xf32>):
      %p = td.matmul %a, %b : tensor<64x16xf32>, tensor<16x32xf32> -> tensor<64x32xf32>
      td.yield %p : tensor<64x32xf32>
    }
    ```
    Printed:
    ```
    kernel of %0
      loop 0 of 64: dim 0 of %1
      loop 1 of 32: dim 1 of %1
      loop 2 of 16: dim 1 of %arg2
      root %1[l0, l1]
      matmul %1[l0, l1] over [2]
      input %arg2[l0, l2]
      input %arg3[l2, l1]
      tiles of %arg2[l0, l2] * %arg3[l2, l1]: batch [], rows 0, columns 1, terms 2
    ```
  }];
}

def AssignLayoutsPass : Pass<"td-assign-layouts", "::mlir::ModuleOp"> {
  let summary = "choose the order of dims in memory";
  let description = [{
    Slots, and values that only kernels use, may be stored with any of their
    dims as the last one in memory. Values that a kernel reads and writes at the
    same coordinates form a group, and so do images (tensors with four and more
    dims) that it reads and writes with the same loops in each dim, shifted or in
    windows, and a slot and all values that are read from it or written to it.
    Each group gets the order for which the kernels that use it cost least, one of
    images together with the weights that its kernels read. Costs are those of
    vector instructions, and of products whose terms are on different pages.
    Values that other ops or GPU kernels use, and transposed copies of factors,
    stay row-major; if such an op writes one to a slot, a kernel copies it to the
    slot's order, except in loops.

    Before:
    ```mlir
    td.slot @w param "w" of "m" : tensor<50x10xf32>
    %w = td.read @w : tensor<50x10xf32>
    %y = td.kernel(%x, %w) : (tensor<32x10xf32>, tensor<50x10xf32>) -> tensor<32x50xf32> {
    ^bb0(%a: tensor<32x10xf32>, %b: tensor<50x10xf32>):
      %t = td.permute %b [1, 0] : tensor<50x10xf32> to tensor<10x50xf32>
      %p = td.matmul %a, %t : tensor<32x10xf32>, tensor<10x50xf32> -> tensor<32x50xf32>
      td.yield %p : tensor<32x50xf32>
    }
    ```
    After:
    ```mlir
    td.slot @w param "w" of "m" {layout = array<i64: 1, 0>} : tensor<50x10xf32>
    %w = td.read @w : tensor<50x10xf32>
    %y = td.kernel(%x, %w) {layouts = [array<i64: 0, 1>, array<i64: 1, 0>, array<i64: 0, 1>]} : (tensor<32x10xf32>, tensor<50x10xf32>) -> tensor<32x50xf32> {
    ^bb0(%a: tensor<32x10xf32>, %b: tensor<50x10xf32>):
      %t = td.permute %b [1, 0] : tensor<50x10xf32> to tensor<10x50xf32>
      %p = td.matmul %a, %t : tensor<32x10xf32>, tensor<10x50xf32> -> tensor<32x50xf32>
      td.yield %p : tensor<32x50xf32>
    }
    ```
    A kernel has the attribute `layouts`: one array per input, then one per
    result; it is absent if all are row-major.

    A weight that only products read, and that no loop writes, gets a blocked
    layout: the last dim in memory is split into blocks of one vector, and the
    block index is outermost. Products read blocks in place, where they would copy
    panels of a large matrix in each call (pairs of bf16 are copied nevertheless).
    The block size follows the order of the dims: `array<i64: 1, 0, 16>`. An
    image that is not row-major gets blocks if they divide its last dim, all sizes
    but that of the outermost dim are static, and no kernel writes a part of it at
    an offset in the last dim.
  }];
  let options = [Option<"lanes", "lanes", "int64_t", "TargetInfo().getLanes()",
                        "elements per vector of the target">];
}

def FuseStagesPass : Pass<"td-fuse-stages", "::mlir::ModuleOp"> {
  let summary = "run kernels that pass on large values block by block";
  let description = [{
    A kernel of the CPU whose result only one other kernel reads, row by row, is
    merged with it if the result does not fit the cache: as stages, which the
    kernel runs one after the other for a block of rows. Merges as many kernels
    as save memory traffic: what they pass on, less what a block reads again
    because a block before it read it, too.

    All kernels that read such values and make others as large are merged at
    once, if they are nests by rows or sums over rows, as in the gradient of an
    attention. Blocks add to a sum one after the other; threads share the sums.
    Where some of these kernels wait for results of the others, as a gradient
    for the loss, they become a kernel of their own, which computes the large
    values again instead of reading them: if what these are computed from takes
    much less memory.

    Before:
    ```mlir
    %s = td.kernel(%q, %k) : (tensor<4096x64xf32>, tensor<4096x64xf32>) -> tensor<4096x4096xf32> {
    ^bb0(%a: tensor<4096x64xf32>, %b: tensor<4096x64xf32>):
      %t = td.permute %b [1, 0] : tensor<4096x64xf32> to tensor<64x4096xf32>
      %p = td.matmul %a, %t : tensor<4096x64xf32>, tensor<64x4096xf32> -> tensor<4096x4096xf32>
      td.yield %p : tensor<4096x4096xf32>
    }
    %y = td.kernel(%s, %v) : (tensor<4096x4096xf32>, tensor<4096x64xf32>) -> tensor<4096x64xf32> {
    ^bb0(%a: tensor<4096x4096xf32>, %b: tensor<4096x64xf32>):
      %p = td.matmul %a, %b : tensor<4096x4096xf32>, tensor<4096x64xf32> -> tensor<4096x64xf32>
      td.yield %p : tensor<4096x64xf32>
    }
    ```
    After:
    ```mlir
    %y = td.kernel(%q, %k, %v) : (tensor<4096x64xf32>, tensor<4096x64xf32>, tensor<4096x64xf32>) -> tensor<4096x64xf32> {
    ^bb0(%a: tensor<4096x64xf32>, %b: tensor<4096x64xf32>, %c: tensor<4096x64xf32>):
      %t = td.permute %b [1, 0] : tensor<4096x64xf32> to tensor<64x4096xf32>
      %p = td.matmul %a, %t : tensor<4096x64xf32>, tensor<64x4096xf32> -> tensor<4096x4096xf32>
      %s = td.stage %p : tensor<4096x4096xf32>
      %r = td.matmul %s, %c : tensor<4096x4096xf32>, tensor<4096x64xf32> -> tensor<4096x64xf32>
      td.yield %r : tensor<4096x64xf32>
    }
    ```
  }];
}

def HoistScalarsPass : Pass<"td-hoist-scalars", "::mlir::ModuleOp"> {
  let summary = "hoist host arithmetic above kernels";
  let description = [{
    Host scalars are computed where their operands are known, not where they are
    used, so that the kernels in between hide their latency. A scalar slot on
    the host is read right after the last write to it. No op moves out of a loop
    or past an op that may change the values it reads.

    Before:
    ```mlir
    td.slot @step moment "step" of "adam" : tensor<i64, #td.dev<cpu>>
    %b = td.kernel(%x) : (tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%p: tensor<4xf32>):
      %e = td.exp %p : tensor<4xf32>
      td.yield %e : tensor<4xf32>
    }
    %t = td.read @step : tensor<i64, #td.dev<cpu>>
    %i = td.item %t : tensor<i64, #td.dev<cpu>> -> i64
    ```
    After:
    ```mlir
    td.slot @step moment "step" of "adam" : tensor<i64, #td.dev<cpu>>
    %t = td.read @step : tensor<i64, #td.dev<cpu>>
    %i = td.item %t : tensor<i64, #td.dev<cpu>> -> i64
    %b = td.kernel(%x) : (tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%p: tensor<4xf32>):
      %e = td.exp %p : tensor<4xf32>
      td.yield %e : tensor<4xf32>
    }
    ```
  }];
}

def TDSchedulePass : Pass<"td-schedule", "::mlir::ModuleOp"> {
  let summary = "overlap copies with kernels";
  let description = [{
    The pass changes when copies are made, not which copies. A transfer becomes
    a td.copy_start and td.copy_waits if it can overlap with kernels:

    * Uploads in a loop: a tensor that an iteration uploads, and that can be
      made without the previous iteration, is made and copied during the
      previous iteration, into one of two buffers. An upload is not pipelined if
      an op that makes it takes rows by indices that may be out of range, or
      takes rows of a tensor of run-time size that a check guards: the error
      would come too early.
    * Downloads in a loop: a tensor that the host reads back from a GPU in each
      iteration is read in the next iteration, after its kernels are queued. All
      ops that depend on it move with it; if one of them is observable, all
      observable ops do.
    * Other downloads: the host waits after the kernels of the block that do not
      depend on the tensor.
    * Copies between GPUs: the copy starts after the op that makes its operand.
      The target GPU waits before the first op of the block that reads the
      result; the source GPU waits at the end of the block, or before the op
      that overwrites the operand. This is done if one of the two GPUs has
      kernels to run meanwhile.

    `td.room` says how many more bytes a GPU can hold. A copy is pipelined only
    if there is room for its second buffer; a copy between GPUs needs room on
    both. With `td.as_written` all copies stay where they are. Copies in loops
    that are not pipelined get the reason as an attribute (NotPipelined.h).

    Before:
    ```mlir
    %a = td.kernel(%x) : (tensor<4xf32, #td.dev<cuda, 0>>) -> tensor<4xf32, #td.dev<cuda, 0>> {
    ^bb0(%p: tensor<4xf32, #td.dev<cuda, 0>>):
      %e = td.exp %p : tensor<4xf32, #td.dev<cuda, 0>>
      td.yield %e : tensor<4xf32, #td.dev<cuda, 0>>
    }
    %h = td.to_device %a : tensor<4xf32, #td.dev<cuda, 0>> to tensor<4xf32, #td.dev<cpu>>
    %b = td.kernel(%a) : (tensor<4xf32, #td.dev<cuda, 0>>) -> tensor<4xf32, #td.dev<cuda, 0>> {
    ^bb0(%p: tensor<4xf32, #td.dev<cuda, 0>>):
      %e = td.exp %p : tensor<4xf32, #td.dev<cuda, 0>>
      td.yield %e : tensor<4xf32, #td.dev<cuda, 0>>
    }
    %text = td.format "{}"(%h) : tensor<4xf32, #td.dev<cpu>>
    td.print %text
    ```
    After:
    ```mlir
    %a = td.kernel(%x) : (tensor<4xf32, #td.dev<cuda, 0>>) -> tensor<4xf32, #td.dev<cuda, 0>> {
    ^bb0(%p: tensor<4xf32, #td.dev<cuda, 0>>):
      %e = td.exp %p : tensor<4xf32, #td.dev<cuda, 0>>
      td.yield %e : tensor<4xf32, #td.dev<cuda, 0>>
    }
    %h, %ticket = td.copy_start %a : tensor<4xf32, #td.dev<cuda, 0>> to tensor<4xf32, #td.dev<cpu>>
    %b = td.kernel(%a) : (tensor<4xf32, #td.dev<cuda, 0>>) -> tensor<4xf32, #td.dev<cuda, 0>> {
    ^bb0(%p: tensor<4xf32, #td.dev<cuda, 0>>):
      %e = td.exp %p : tensor<4xf32, #td.dev<cuda, 0>>
      td.yield %e : tensor<4xf32, #td.dev<cuda, 0>>
    }
    td.copy_wait %ticket by <cpu> for %h, %a : tensor<4xf32, #td.dev<cpu>>, tensor<4xf32, #td.dev<cuda, 0>>
    %text = td.format "{}"(%h) : tensor<4xf32, #td.dev<cpu>>
    td.print %text
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
    "::mlir::scf::SCFDialect", "::mlir::ub::UBDialect"];
}

def TDVerifySchedulePass : Pass<"td-verify-schedule", "::mlir::ModuleOp"> {
  let summary = "check that uses of copied tensors wait for the copy";
  let description = [{
    Checks that each op that reads the result of a td.copy_start follows a wait
    for it, and that memory is overwritten only after a wait: the operand of a
    copy, and a buffer of an earlier copy that kernels may still read. Changes
    nothing.
  }];
}

#endif // TDC_DIALECT_TD_TRANSFORMS_PASSES_TD
