//===- Passes.td - from td to machine-level dialects ----------------------===//
//
// The conversion passes. lib/Pipelines/Phases.cpp has their order.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_CONVERSION_PASSES_TD
#define TDC_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def KernelToCPUPass : Pass<"kernel-to-cpu", "::mlir::ModuleOp"> {
  let summary = "convert each td.kernel to a function of loops and vectors";
  let description = [{
    A kernel's body is emitted from its results: loops run over the elements of
    the yielded values, and every value is computed, on vectors, where it is
    used. Reductions keep their accumulators in registers, in tiles that reuse
    the elements that they load; so a matrix product with all its fused ops is
    one loop nest. Elementwise kernels walk memory as one array and take its
    size as an argument, so that equal kernels share one function. A kernel with
    much work has blocks, tiles of its outer loops, for threads to share; its
    function takes the first and the end of those that it computes.

    Before:
    ```mlir
    %r = td.kernel(%x) : (tensor<50xf32>) -> tensor<50xf32> {
    ^bb0(%a: tensor<50xf32>):
      %e = td.exp %a : tensor<50xf32>
      td.yield %e : tensor<50xf32>
    }
    ```
    After:
    ```mlir
    llvm.func @kernel_0(!llvm.ptr, !llvm.ptr, i64, !llvm.ptr, i64, i64)
    %n = arith.constant 50 : i64
    %blocks = arith.constant 13 : i64
    %r = td.launch @kernel_0(%x, %n) blocks(%blocks) work 58 in_place [0, 0] : (tensor<50xf32>, i64) -> tensor<50xf32>
    ```
    The body of @kernel_0 is in llvm, scf, arith, math and vector.
  }];
  let options = [
    Option<"vectorBits", "vector-bits", "int64_t", "TargetInfo().vectorBits",
           "width of a vector register of the target">,
    Option<"vectorRegisters", "vector-registers", "int64_t",
           "TargetInfo().vectorRegisters",
           "number of vector registers of the target">,
    Option<"multipliesAndAdds", "multiplies-and-adds", "bool",
           "TargetInfo().multipliesAndAdds",
           "x * y + z is one instruction">,
    Option<"multipliesBF16Pairs", "multiplies-bf16-pairs", "bool",
           "TargetInfo().multipliesBF16Pairs",
           "whether the target has AVX512-BF16">,
    Option<"alwaysPanels", "always-panels", "bool", "false",
           "copy factors of products to panels whatever it costs, for tests">,
    Option<"alwaysThreads", "always-threads", "bool", "false",
           "let threads share kernels that compute little, too, for tests">
  ];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect",
    "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"];
}

def KernelToGPUPass : Pass<"kernel-to-gpu", "::mlir::ModuleOp"> {
  let summary = "convert each td.kernel of a GPU to a CUDA kernel";
  let description = [{
    As in kernel-to-cpu, values are computed where they are used; but the loops
    around are spread over threads. Elementwise kernels make one access of 128
    bits per thread and tensor. Each result of a reduction has a group of threads
    (a warp or a part of it, a column of a block, or a block); their partial
    results are combined in a fixed order by shuffles and shared memory, so that
    the same program gives the same bits in every run. A reduction with few
    results and many terms becomes two kernels; the first reduces sections of
    it. Contractions that are large enough (Analysis/Kernels/Contraction) are
    computed tile by tile in shared memory: f16 and bf16 on tensor cores, f32 too
    if the module has `td.tf32`, any other dtype by threads.

    The functions are in a separate module, `gpu_code`, in llvm, nvvm, scf and
    arith; the host keeps a td.gpu_kernel of each.

    Before:
    ```mlir
    %r = td.kernel(%x) : (tensor<512x64xf32, #td.dev<cuda, 0>>) -> tensor<512xf32, #td.dev<cuda, 0>> {
    ^bb0(%a: tensor<512x64xf32, #td.dev<cuda, 0>>):
      %s = td.reduce sum %a [1] : tensor<512x64xf32, #td.dev<cuda, 0>> to tensor<512xf32, #td.dev<cuda, 0>>
      td.yield %s : tensor<512xf32, #td.dev<cuda, 0>>
    }
    ```
    After:
    ```mlir
    td.gpu_kernel @reduce_0 threads 256 shared 0 parameters 3
    %b = arith.constant 64 : i64
    %r = td.launch @reduce_0(%x) blocks(%b) in_place [] : (tensor<512x64xf32, #td.dev<cuda, 0>>) -> tensor<512xf32, #td.dev<cuda, 0>>
    ```
  }];
  let options = [
    Option<"splits", "split", "bool", "true",
           "cut long reductions into sections (tests compare with and without)">
  ];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect",
    "::mlir::NVVM::NVVMDialect", "::mlir::math::MathDialect",
    "::mlir::scf::SCFDialect"];
}

def MergeLaunchesPass : Pass<"merge-launches", "::mlir::ModuleOp"> {
  let summary = "merge launches of one kernel";
  let description = [{
    The step of an optimizer launches one kernel for every parameter; a launch
    takes microseconds, and its work often less. Launches of one kernel become
    one launch with all their blocks if their results go to slots and none uses a
    result of another. The new kernel has all parameters in a table; each block
    finds the launch that it belongs to by its number. The results are the same
    to the last bit. A table has at most 4,096 bytes; launches that do not fit
    are merged to another launch.

    To merge launches, the pass moves a launch after later ones, with the ops
    that depend on it. It never moves a launch past an op that needs memory of a
    GPU, so that a program needs no more of it than before.

    ```mlir
    %a = td.launch @sub_0(%p, %g, %n) blocks(%b) in_place [0, 0] : …
    td.write %a, @p : …
    %c = td.launch @sub_0(%q, %h, %m) blocks(%b) in_place [0, 0] : …
    td.write %c, @q : …
    ```
    becomes
    ```mlir
    %a, %c = td.launch @sub_0_x2_0(%zero, %b, %p, %g, %n, %q, %h, %m) blocks(%both) in_place [2, 0, 5, 1] : …
    td.write %a, @p : …
    td.write %c, @q : …
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect",
    "::mlir::NVVM::NVVMDialect"];
}

def TDSplitReadsPass : Pass<"td-split-reads", "::mlir::ModuleOp"> {
  let summary = "copy slots to row-major order for readers that need it";
  let description = [{
    Kernels read a slot in its physical order. If that order is not row-major,
    all other readers get a row-major copy, from a separate read. The memory
    planner runs after this pass.

    Before:
    ```mlir
    td.slot @w param "w" of "m" {layout = array<i64: 1, 0>} : tensor<2x3xf32>
    llvm.func @kernel_0(!llvm.ptr, !llvm.ptr, !llvm.ptr)
    %w = td.read @w : tensor<2x3xf32>
    %y = td.launch @kernel_0(%w) in_place [] : (tensor<2x3xf32>) -> tensor<2x3xf32>
    td.save_tensor %file, %w : tensor<2x3xf32>
    ```
    After:
    ```mlir
    td.slot @w param "w" of "m" {layout = array<i64: 1, 0>} : tensor<2x3xf32>
    llvm.func @kernel_0(!llvm.ptr, !llvm.ptr, !llvm.ptr)
    %w = td.read @w : tensor<2x3xf32>
    %r = td.read @w {row_major} : tensor<2x3xf32>
    %y = td.launch @kernel_0(%w) in_place [] : (tensor<2x3xf32>) -> tensor<2x3xf32>
    td.save_tensor %file, %r : tensor<2x3xf32>
    ```
  }];
}

def TDToRuntimePass : Pass<"td-to-runtime", "::mlir::ModuleOp"> {
  let summary = "lower the host part to calls of the runtime";
  let description = [{
    The kernels are functions already; the rest of a program is its host part:
    slots, launches, loops, prints, files. This pass

    * assigns memory to every tensor value: slots and values of static size get
      fixed offsets in one arena, values of run-time size are allocated where
      they are defined and freed after their last use. Where no other access to
      the slot is affected, `td.read` gives the slot's address and a launch
      writes its result directly into the slot;
    * converts the structured host code to basic blocks, because every call that
      can fail leaves the function at once;
    * emits the constant `tdc_program` that the runtime starts from.

    A training step is then a sequence of kernel calls with addresses that are
    constants relative to the arena: no allocation, no look-up, no copy.

    ```mlir
    %w = td.read @w : tensor<50xf32>
    %r = td.launch @kernel_0(%w, %g) in_place [0, 0]
      : (tensor<50xf32>, tensor<50xf32>) -> tensor<50xf32>
    td.write %r, @w : tensor<50xf32>
    ```
    becomes
    ```mlir
    %w = llvm.getelementptr inbounds %arena[0] : (!llvm.ptr) -> !llvm.ptr, i8
    %g = llvm.getelementptr inbounds %arena[256] : (!llvm.ptr) -> !llvm.ptr, i8
    llvm.call @kernel_0(%ctx, %w, %g, %w) : (!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> ()
    ```
    The functions then contain only llvm, arith and math.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def TDSplitFunctionsPass : Pass<"td-split-functions", "::mlir::ModuleOp"> {
  let summary = "cut long host functions into pieces";
  let description = [{
    LLVM takes more than twice the time for a function of twice the length. A
    host function that is longer than two pieces becomes calls of pieces. A
    piece is a sequence of blocks with one entry, its first block, and one
    successor; it can also return the status of an error. Values that are live
    after a piece are returned in a buffer on the caller's stack; constants are
    rematerialized.

    ```mlir
    %status = llvm.call @tdc_main.0(%ctx, %arena, %buffer) : (!llvm.ptr, !llvm.ptr, !llvm.ptr) -> i32
    %is_good = llvm.icmp "eq" %status, %zero : i32
    llvm.cond_br %is_good, ^after, ^exit(%status : i32)
    ```
    A program of usual length does not change.
  }];
  let options = [
    Option<"mostWeight", "most-weight", "unsigned", /*default=*/"800",
           "most operations of a piece, without constants and addresses at "
           "constant offsets">,
    Option<"loopWeight", "loop-weight", "unsigned", /*default=*/"50",
           "weight of a loop in addition to its operations">
  ];
}

def GPUToImagePass : Pass<"gpu-to-image", "::mlir::ModuleOp"> {
  let summary = "compile the code of GPU kernels to PTX";
  let description = [{
    Replaces the module `gpu_code`, in llvm and nvvm, by a td.image with PTX for
    the oldest GPU that tdc supports. Kernels report a bad index with the number
    of a source line; the pass numbers these lines and lists them as `td.sites`
    of the program's module.
  }];
  let dependentDialects = ["::tdc::td::TDDialect"];
}

def TDPrintMemoryPlanPass : Pass<"td-print-memory-plan", "::mlir::ModuleOp"> {
  let summary = "report the memory plan of td-to-runtime in remarks";
  let description = [{
    Emits one remark per tensor value: its place in the arena, or that it is a
    slot, a constant, an input or a run-time allocation; and one remark per
    remaining copy. For tests and for reading a plan; the IR does not change.
  }];
}

def TDVerifyBuffersPass : Pass<"td-verify-buffers", "::mlir::ModuleOp"> {
  let summary = "find bytes that are overwritten before their last read";
  let description = [{
    Plans the memory and analyses each function in the order of execution: both
    sides of branches, and each loop as if it ran many iterations. Each read of
    planned bytes must find its value, no kernel may overwrite an input that it
    still reads, and a slot must hold its value at each td.read and td.save and
    at the end of an iteration and of the function.
  }];
}

def TDVerifyMemoryPass : Pass<"td-verify-memory", "::mlir::ModuleOp"> {
  let summary = "report an arena that does not fit on its device";
  let description = [{
    Runs only if the module's attribute `td.memory` has the bytes of a device.
    td-fit-memory has counted tensors; this pass plans the memory, and so
    includes the bytes for rounding and for copies ahead of their use. An arena
    that is too large is error TD512, with a list of the tensors in it.
  }];
}

#endif // TDC_CONVERSION_PASSES_TD
