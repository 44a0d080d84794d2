// RUN: tdc-opt %s --split-input-file --kernel-to-gpu | FileCheck %s

!x = tensor<100x16xf32, #td.dev<cuda, 0>>

// A short line: one thread scans it.
// CHECK: td.gpu_kernel @scan_0 threads 256 shared 0
// CHECK: scf.for {{.*}} iter_args
// CHECK: llvm.load
// CHECK: arith.addf
// CHECK: llvm.store
// CHECK: scf.yield
// CHECK-NOT: nvvm.shfl
// CHECK-NOT: nvvm.barrier
func.func @short(%x: !x) -> !x {
  %r = td.kernel(%x) : (!x) -> !x {
  ^bb0(%a: !x):
    %m = td.scan sum %a dim 1 : !x
    td.yield %m : !x
  }
  return %r : !x
}

// -----

!x = tensor<5000x100xf32, #td.dev<cuda, 0>>

// Lines that are adjacent in memory, where adjacent threads would read adjacent
// elements; but they are too few to keep a GPU busy, so each has a block.
// CHECK: td.gpu_kernel @scan_0 threads 1024 shared 256
func.func @few_columns(%x: !x) -> !x {
  %r = td.kernel(%x) : (!x) -> !x {
  ^bb0(%a: !x):
    %m = td.scan sum %a dim 0 : !x
    td.yield %m : !x
  }
  return %r : !x
}

// -----

!x = tensor<100x8192xf32, #td.dev<cuda, 0>>

// Many such lines: one thread for each.
// CHECK: td.gpu_kernel @scan_0 threads 256 shared 0
// CHECK-NOT: nvvm.shfl
func.func @many_columns(%x: !x) -> !x {
  %r = td.kernel(%x) : (!x) -> !x {
  ^bb0(%a: !x):
    %m = td.scan sum %a dim 0 : !x
    td.yield %m : !x
  }
  return %r : !x
}

// -----

!x = tensor<100x200xf32, #td.dev<cuda, 0>>

// A line of some hundred: a warp, 32 elements at a time, in five exchanges of
// two halves of an f64.
// CHECK: td.gpu_kernel @scan_0 threads 256 shared 0
// CHECK: scf.for {{.*}} iter_args
// CHECK-COUNT-10: nvvm.shfl.sync bfly
// CHECK-NOT: nvvm.shfl
// CHECK: llvm.store
// CHECK-NOT: nvvm.barrier
func.func @warps(%x: !x) -> !x {
  %r = td.kernel(%x) : (!x) -> !x {
  ^bb0(%a: !x):
    %m = td.scan sum %a dim 1 : !x
    td.yield %m : !x
  }
  return %r : !x
}

// -----

!x = tensor<100x5000xf32, #td.dev<cuda, 0>>

// A long line: a block scans 1024 elements at a time. The warps store their
// totals, in f64, in shared memory, and the first warp scans these. A barrier
// precedes the next section, after all warps have read them.
// CHECK: td.gpu_kernel @scan_0 threads 1024 shared 256
// CHECK: scf.for {{.*}} iter_args
// CHECK-COUNT-10: nvvm.shfl.sync bfly
// CHECK: nvvm.barrier0
// CHECK-COUNT-10: nvvm.shfl.sync bfly
// CHECK-COUNT-2: nvvm.barrier0
// CHECK-NOT: nvvm.barrier0
// CHECK: llvm.store
// CHECK: scf.yield
func.func @blocks(%x: !x) -> !x {
  %r = td.kernel(%x) : (!x) -> !x {
  ^bb0(%a: !x):
    %m = td.scan sum %a dim 1 : !x
    td.yield %m : !x
  }
  return %r : !x
}
