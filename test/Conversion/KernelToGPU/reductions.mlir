// RUN: tdc-opt %s --split-input-file --kernel-to-gpu | FileCheck %s

!x = tensor<64x128xf32, #td.dev<cuda, 0>>
!r = tensor<64xf32, #td.dev<cuda, 0>>

// A short row: a warp, four terms a thread at once, then five exchanges.
// CHECK: td.gpu_kernel @reduce_0 threads 256 shared 0
// CHECK-COUNT-4: arith.addf
// CHECK-COUNT-5: nvvm.shfl.sync bfly
// CHECK-NOT: nvvm.shfl
// CHECK-NOT: nvvm.barrier
// One thread of the warp stores.
// CHECK: scf.if
// CHECK: llvm.store
func.func @rows(%x: !x) -> !r {
  %r = td.kernel(%x) : (!x) -> !r {
  ^bb0(%a: !x):
    %m = td.reduce sum %a [1] : !x to !r
    td.yield %m : !r
  }
  return %r : !r
}

// -----

!x = tensor<64x10000xf32, #td.dev<cuda, 0>>
!r = tensor<64xf32, #td.dev<cuda, 0>>

// A long row: a block, whose warps exchange their sums in shared memory. A
// thread with more terms adds them up in parts of a few hundred.
// CHECK: td.gpu_kernel @reduce_0 threads 1024 shared 128
// CHECK: scf.for
// CHECK-COUNT-5: nvvm.shfl.sync bfly
// CHECK: llvm.mlir.addressof @shared_memory : !llvm.ptr<3>
// CHECK: nvvm.barrier0
// CHECK-COUNT-32: llvm.load %{{.*}} : !llvm.ptr<3> -> f32
func.func @long_rows(%x: !x) -> !r {
  %r = td.kernel(%x) : (!x) -> !r {
  ^bb0(%a: !x):
    %m = td.reduce sum %a [1] : !x to !r
    td.yield %m : !r
  }
  return %r : !r
}

// -----

!x = tensor<4096x96xf32, #td.dev<cuda, 0>>
!r = tensor<96xf32, #td.dev<cuda, 0>>

// Columns: neighbouring threads have neighbouring columns, and 32 threads of a
// block share a column.
// CHECK: td.gpu_kernel @reduce_0 threads 1024 shared 4096
// CHECK: scf.for
// CHECK: nvvm.barrier0
// CHECK-COUNT-32: llvm.load %{{.*}} : !llvm.ptr<3> -> f32
func.func @columns(%x: !x) -> !r {
  %r = td.kernel(%x) : (!x) -> !r {
  ^bb0(%a: !x):
    %m = td.reduce sum %a [0] : !x to !r
    td.yield %m : !r
  }
  return %r : !r
}

// -----

!x = tensor<2x3x4xf32, #td.dev<cuda, 0>>
!a = tensor<2x3x3xf32, #td.dev<cuda, 0>>

// A thread computes all rows of both products, and the row index is a term of
// the second: an unrolled loop has constant offsets, no induction variable.
// CHECK: td.gpu_kernel @matmul_0
// CHECK: scf.for {{.*}} -> (f32, f32, f32, f32, f32, f32)
// CHECK: arith.constant 2 : i32
// CHECK: arith.sitofp
func.func @held(%a: !a, %x: !x) -> (!x, !x) {
  %0:2 = td.kernel(%a, %x) : (!a, !x) -> (!x, !x) {
  ^bb0(%b: !a, %y: !x):
    %start = arith.constant 0.0 : f64
    %step = arith.constant 1.0 : f64
    %1 = td.matmul %b, %y : !a, !x -> !x
    %2 = td.iota %start, %step : f64 -> tensor<3xf32, #td.dev<cuda, 0>>
    %3 = td.reshape %2 : tensor<3xf32, #td.dev<cuda, 0>> to tensor<3x1xf32, #td.dev<cuda, 0>>
    %4 = td.broadcast %3 : tensor<3x1xf32, #td.dev<cuda, 0>> to !a
    %5 = td.matmul %4, %y : !a, !x -> !x
    td.yield %1, %5 : !x, !x
  }
  return %0#0, %0#1 : !x, !x
}

// -----

!x = tensor<4x3x100000xf32, #td.dev<cuda, 0>>
!r = tensor<100000xf32, #td.dev<cuda, 0>>

// A thread that computes a whole sum runs the nested loops of its terms: it does
// not divide a flat index to find an element.
// CHECK: td.gpu_kernel @reduce_0 threads 256 shared 0
// CHECK: scf.for {{.*}} iter_args(%[[OUTER:.*]] = %{{.*}}) -> (f32)
// CHECK: scf.for {{.*}} iter_args(%[[SUM:.*]] = %[[OUTER]]) -> (f32)
// CHECK-NOT: arith.divui
// CHECK: arith.addf %[[SUM]]
func.func @alone(%x: !x) -> !r {
  %r = td.kernel(%x) : (!x) -> !r {
  ^bb0(%a: !x):
    %m = td.reduce sum %a [0, 1] : !x to !r
    td.yield %m : !r
  }
  return %r : !r
}
