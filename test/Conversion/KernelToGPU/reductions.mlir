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

// A long row: a block, whose warps meet in shared memory. What a thread adds up
// is cut into parts of some hundred terms where it is longer.
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

// Columns: threads side by side take columns side by side, and 32 threads of a
// block share one.
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
