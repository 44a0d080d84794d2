//===- Passes.td - passes over td -----------------------------------------===//
//
// In the order they run. Each one's examples are real: they are the first cases
// of test/Dialect/TD/Transforms/<pass>.mlir.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_DIALECT_TD_TRANSFORMS_PASSES_TD
#define TDC_DIALECT_TD_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def TDUnusedLoopsPass : Pass<"td-unused-loops", "::mlir::ModuleOp"> {
  let summary = "warn of loops that compute what nothing uses";
  let description = [{
    td-simplify removes them, so what was to be measured by them takes no time.
    Runs before td-grad, while each loop and each use is one of the source.
    Warns (TD606) of a loop if no tensor that it computes is live, and its only
    effect is to advance the random counter. An op with `td.read_elsewhere` is
    used by a part of the program that was left out while checking, as
    `if verbose { … }` where `verbose` is known to be false; the attribute goes.

    Before:
    ```mlir
    %y = td.exp %x {td.read_elsewhere} : tensor<4xf32>
    ```
    After:
    ```mlir
    %y = td.exp %x : tensor<4xf32>
    ```
  }];
}

def TDGradPass : Pass<"td-grad", "::mlir::ModuleOp"> {
  let summary = "replace td.grad and td.backward by the ops that compute them";
  let description = [{
    Later phases know no gradients: placement and kernels see forward and
    backward ops alike. Each request is served where it stands: from the target
    back to what it depends on, the rule of each op (interface Differentiable)
    is emitted in reverse, contributions to one value are added. td.detach stops
    the way back, td.round_gradient rounds what comes; both are removed in the end.

    A slot stands for all its reads that the target was computed from.
    td.backward adds to the grad slots, in the order of its list; a parameter
    that the target does not depend on is left alone. A target that depends on
    no leaf is TD602. Reads of grad slots that no td.backward adds to, at a place
    where all are such, are warned of: TD605.

    scf.if is reversed by an scf.if on the same condition, scf.for by a loop
    from the last iteration to the first. Forward values that the way back needs
    become results of the op: for a loop, stacks of all iterations.

    Before:
    ```mlir
    td.slot @w param "w" of "m" : tensor<4xf32>
    td.slot @grad.w grad "w" of "m" : tensor<4xf32>
    %w = td.read @w : tensor<4xf32>
    %y = td.mul %w, %x : tensor<4xf32>
    %l = td.reduce sum %y [0] : tensor<4xf32> to tensor<f32>
    td.backward %l [@w] into [@grad.w] : tensor<f32>
    ```
    After:
    ```mlir
    td.slot @w param "w" of "m" : tensor<4xf32>
    td.slot @grad.w grad "w" of "m" : tensor<4xf32>
    %w = td.read @w : tensor<4xf32>
    %y = td.mul %w, %x : tensor<4xf32>
    %l = td.reduce sum %y [0] : tensor<4xf32> to tensor<f32>
    %c1 = arith.constant 1.0 : f64
    %one = td.fill %c1 : f64 -> tensor<f32>
    %dy = td.broadcast %one : tensor<f32> to tensor<4xf32>
    %dw = td.mul %dy, %x : tensor<4xf32>
    %old = td.read @grad.w : tensor<4xf32>
    %new = td.add %old, %dw : tensor<4xf32>
    td.write %new, @grad.w : tensor<4xf32>
    ```

    Errors of the program: TD611, a slot written between the forward pass and
    its gradient; TD900, a loop that carries a dependence into the iteration
    that asks for the gradient, or values of run-time size through a loop.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect", "::tdc::td::TDDialect"];
}

def TDVerifyGradPass : Pass<"td-verify-grad", "::mlir::ModuleOp"> {
  let summary = "check that no gradient is left to compute";
  let description = [{
    The gate after td-grad: fails on ops that only td-grad reads (ForGradientOp):
    td.grad, td.backward, td.detach and td.round_gradient.
  }];
}

def TDSimplifyPass : Pass<"td-simplify", "::mlir::ModuleOp"> {
  let summary = "forward slots, fold, share, hoist and drop what nobody needs";
  let description = [{
    Gradient code and elaborated models are naive: they read a slot for every
    use, accumulate into zeros, compute gradients of constants. This pass makes
    one round over the module, in this order:

    1. Slots: a read after a write or a read becomes that value; a write that is
       overwritten before any read goes. All slots are zero when @main starts.
       A region that writes a slot makes it unknown, unless a loop leaves in it
       the constant that it held before.
    2. Folds, and movement of constants: the broadcast of a fill is a fill.
    3. Common subexpressions.
    4. Loop-invariant arithmetic leaves loops. Fills, broadcasts and views stay:
       inside a kernel they cost nothing, outside they would be memory.
    5. What is left and has no effect goes: ops, carried values of loops,
       writes to slots that nobody reads, and such slots themselves.

    Before:
    ```mlir
    td.slot @g grad "g" of "m" : tensor<4xf32>
    td.write %zero, @g : tensor<4xf32>
    %old = td.read @g : tensor<4xf32>
    %sum = td.add %old, %dw : tensor<4xf32>
    td.write %sum, @g : tensor<4xf32>
    %grad = td.read @g : tensor<4xf32>
    %step = td.mul %grad, %rate : tensor<4xf32>
    ```
    After:
    ```mlir
    %sum = td.add %zero, %dw : tensor<4xf32>
    %step = td.mul %sum, %rate : tensor<4xf32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect", "::tdc::td::TDDialect"];
}

def TDResolvePass : Pass<"td-resolve", "::mlir::ModuleOp"> {
  let summary = "give every tensor a concrete place";
  let description = [{
    Code is made for devices, so a place must be known. A symbol stands for the
    device that the module's attribute `td.devices` says. A tensor that the
    program left free is made on the nearest pinned device that its results
    reach; if several are equally near or none is reached, on the device where
    pins put its operands; else on the cpu for a loader, and on the module's
    `td.default_device` (or the cpu) for all others. What precedes a transfer
    that the program wrote is not pulled across, and a transfer from or to a
    tensor's `home` pins nothing. Constructors run on each device that demands
    them.

    Afterwards every op has its operands on its device, by transfers that are
    `implied` where the program did not write them, in front of each use.

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
               "devices of symbols, as name=cpu or name=cuda:1, instead of those "
               "that the module says">
  ];
  let dependentDialects = ["::tdc::td::TDDialect"];
}

def TDNormalizePass : Pass<"td-normalize", "::mlir::ModuleOp"> {
  let summary = "bring loops and choices into the form that td-place expects";
  let description = [{
    What nobody needs goes. A loop that may have no iteration gets a branch around it:
    what stands in front of it there runs only if the loop does. A choice between
    two tensors becomes a branch. Modules that use one device stay as they are.

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
  let summary = "run ops that give the same bits anywhere where that saves bytes";
  let description = [{
    A conversion, a movement of elements or the arithmetic of single numbers
    gives the same bits on every device (Analysis/TOps). Such an op moves across
    a transfer where fewer bytes cross then: bytes are moved before they become
    floats, halves after. One minimum cut over the ways of all values chooses.

    Only what saves bytes on every run moves: ops whose operands and use run as
    often as they do, ops whose operands are at the use anyway, or any if all loops of the program have known bounds and
    there is no branch. An op that makes less of a tensor is never taken away
    from it: the whole would be moved instead of the part. Modules with more than
    two devices stay as they are.

    With `td.optimize` on the module (`--placement=optimize`) the program's own
    devices are hints, and the cut weighs the time to compute (Analysis/OpCosts)
    against the bytes to copy: every op may move but those that read or give a
    parameter of a model that the program moved, or whose result has an annotation
    (`td.to_device {pinned}`, gone afterwards). A T-op whose result is read on
    both devices may run on both. TD900, more than two devices.

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
    td-place leaves out both ways of %f.
  }];
  let dependentDialects = ["::tdc::td::TDDialect"];
}

def TDPlacePass : Pass<"td-place", "::mlir::ModuleOp"> {
  let summary = "put transfers where they cost least";
  let description = [{
    Ops have their devices; transfers are forgotten and made anew. Along the ways
    of each value (Analysis/ValueFlow) a minimum cut decides on which devices it
    is held at each point, and copies stand where a device is added: in front of
    a loop rather than in it, in the branch that needs them rather than before.
    If it depends on the run which copies are needed, the value is a handle, and
    copies are made when an op first needs them. Every run makes exactly as many
    copies as it cannot do without: one for each value and device other than its
    own that an op reads it on.

    A slot that lives on several devices becomes one slot for each.

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
  let summary = "let tensors leave a device that would have too many";
  let description = [{
    Only where the module's attribute `td.working_set` says how many bytes may be
    live on a device, and more would be at one time (Analysis/DeviceMemory). Copies
    to the device and constructors then wait for their first use, and where that is
    not enough values leave it. First those that are used again behind the most loops; of
    these first those that a constructor makes anew, then those that are on the
    cpu, last those that have to be copied there, once, when they are made; of
    these those whose next use is furthest. A value that a loop reads may have
    to come back in every iteration.

    Slots stay, and so do replicas of handles, and what an op reads and makes. So
    more may be live than there should be: whether a program fits is known when its
    kernels are made, and td-verify-memory says it.

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
  let summary = "check that everything is where it is read";
  let description = [{
    The gate after td-place, which it shares no code with: every tensor is on a
    device, every op reads tensors on its own, the host and files read and write
    those on the cpu, and a slot has the type of what goes in and out of it.
  }];
}

def TDTrackSlotsPass : Pass<"td-track-slots", "::mlir::ModuleOp"> {
  let summary = "make handles of slots that a program moves";
  let description = [{
    In a program that is compiled as it is written (`--placement=off`) a slot is
    where the last td.move has taken it. A slot that is on several devices
    becomes a slot of handles, which td.move then changes; a file is read and
    written by way of a slot on the cpu. Nothing changes in other programs.

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

def FormKernelsPass : Pass<"td-form-kernels", "::mlir::ModuleOp"> {
  let summary = "group compute ops into kernels";
  let description = [{
    Values that must lie in memory are few: what the host needs, what several
    consumers would have to repeat a reduction for, and what is dear to compute
    twice. Each becomes a root of a kernel, and every op between it and other
    such values is part of that kernel, repeated where several need it. Kernels
    that run over the same elements are merged. Softmax is written out first, so
    that it fuses like anything else.

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
    The gate after td-form-kernels, with which it shares no code. A kernel
    computes a reduction, a product or an arg_reduce once in each iteration of
    its loops. What reads it at another position, as a picked row of a sum beside
    the sum, or a product beside its transpose, must be another kernel.
  }];
}

def TDPrintNestsPass : Pass<"td-print-nests", "::mlir::ModuleOp"> {
  let summary = "print the loop nest of each kernel";
  let description = [{
    For tests of LoopNest and Contraction, on which fusion and both back ends
    are built; no program is compiled with it. Written to standard output: the
    loops of a kernel, at which coordinates (`l0` is loop 0) roots, reductions
    and inputs are asked for, and the product that a GPU would compute tile by
    tile.

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
    Slots, and values that only kernels touch, may lie in memory in any order of
    their dims. Values that an elementwise kernel walks together, and a slot with
    all that is read from it or written to it, form a group; each group of
    matrices takes the order in which the kernels around it cost least. Values
    that anyone but a kernel sees stay row-major.

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
    result; absent where all are row-major.
  }];
  let options = [Option<"lanes", "lanes", "int64_t", "16",
                        "elements in a vector of the target">];
}

def HoistScalarsPass : Pass<"td-hoist-scalars", "::mlir::ModuleOp"> {
  let summary = "move host arithmetic in front of kernels";
  let description = [{
    Host scalars are computed where their operands are known, not where they are
    used: their latency then passes beside the kernels in between. A scalar slot
    on the host is read right after it was last written. Nothing moves out of a
    loop or past an op that may change what it reads.

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
  let summary = "let copies run beside kernels";
  let description = [{
    Which copies are made does not change, only when. A transfer becomes a
    td.copy_start and td.copy_waits where there is something that it can run
    beside:

    * what an iteration of a loop uploads and can be made without the previous iteration is
      made and copied in the previous iteration, into one of two buffers. What takes rows
      by indices that may be out of range stays as it is, and so does what takes
      them of a tensor of run-time size behind a check of that: the error would
      come too early;
    * what the host reads from a GPU in each iteration of a loop it reads in the iteration
      behind, when it has queued the kernels of that, with all that depends on it
      and all that is seen;
    * what else it reads is waited for behind the kernels of the block that do not
      depend on it;
    * what one GPU copies from another begins behind what makes it. The first op
      of the block that reads it waits, and the GPU that it comes from at the end
      of the block, or in front of what overwrites it, if one of both has kernels
      to run meanwhile.

    `td.room` says how much more a GPU holds; a second buffer for which there is no
    room is not made, and copies between GPUs need room at both ends. With
    `td.as_written` nothing changes.

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
  let summary = "find what does not wait for a copy";
  let description = [{
    Who reads the result of a td.copy_start has waited for it; who overwrites
    what a copy reads or what kernels still read of the copy before has waited
    too. Changes nothing.
  }];
}

#endif // TDC_DIALECT_TD_TRANSFORMS_PASSES_TD
