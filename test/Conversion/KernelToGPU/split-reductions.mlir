// RUN: tdc-opt %s --split-input-file --kernel-to-gpu | FileCheck %s

!x = tensor<10000000xf32, #td.dev<cuda, 0>>
!s = tensor<f32, #td.dev<cuda, 0>>

// A sum of ten million terms uses the whole GPU: each block sums a section of 5
// iterations of 1024 threads with 4 neighbours each, then one block adds up the
// sections and runs the epilogue. Only the first kernel computes the terms.
// CHECK-LABEL: func.func @sum
// CHECK: %[[P:.*]] = td.launch @reduce_0(%arg0) blocks(%c489_i64) in_place [] : (tensor<10000000xf32, #td.dev<cuda, 0>>) -> tensor<489xf32, #td.dev<cuda, 0>>
// CHECK: td.launch @reduce_1(%arg1, %[[P]]) blocks(%c1_i64)
// CHECK: td.gpu_kernel @reduce_0 threads 1024
// CHECK: llvm.func @reduce_0
// CHECK: arith.divui
// CHECK: arith.minui
// CHECK: scf.for
// CHECK: nvvm.shfl.sync
// CHECK: llvm.func @reduce_1
// CHECK: nvvm.shfl.sync
// CHECK: arith.divf
func.func @sum(%x: !x, %n: f64) -> !s {
  %r = td.kernel(%x, %n) : (!x, f64) -> !s {
  ^bb0(%a: !x, %m: f64):
    %e = td.exp %a : !x
    %t = td.reduce sum %e [0] : !x to !s
    %f = td.fill %m : f64 -> !s
    %d = td.div %t, %f : !s
    td.yield %d : !s
  }
  return %r : !s
}

// -----

!x = tensor<64x1000000xbf16, #td.dev<cuda, 0>>
!s = tensor<64xbf16, #td.dev<cuda, 0>>

// Rows of narrow floats: partial sums are f32, not rounded.
// CHECK-LABEL: func.func @rows
// CHECK: td.launch @reduce_0(%arg0) blocks(%{{.*}}) {{.*}} -> tensor<16x64xf32, #td.dev<cuda, 0>>
// CHECK: td.launch @reduce_1({{.*}} -> tensor<64xbf16, #td.dev<cuda, 0>>
func.func @rows(%x: !x) -> !s {
  %r = td.kernel(%x) : (!x) -> !s {
  ^bb0(%a: !x):
    %t = td.reduce sum %a [1] : !x to !s
    td.yield %t : !s
  }
  return %r : !s
}

// -----

!x = tensor<1000000x64xf32, #td.dev<cuda, 0>>
!s = tensor<64xi64, #td.dev<cuda, 0>>

// Columns. The arg-max of the sections is taken from their best values and the
// indices of these.
// CHECK-LABEL: func.func @columns
// CHECK: %[[P:.*]]:2 = td.launch @reduce_0(%arg0) blocks(%c1010_i64) in_place [] : {{.*}} -> (tensor<505x64xf32, #td.dev<cuda, 0>>, tensor<505x64xi64, #td.dev<cuda, 0>>)
// CHECK: td.launch @reduce_1(%[[P]]#0, %[[P]]#1)
func.func @columns(%x: !x) -> !s {
  %r = td.kernel(%x) : (!x) -> !s {
  ^bb0(%a: !x):
    %t = td.arg_reduce max %a [0] : !x to !s
    td.yield %t : !s
  }
  return %r : !s
}

// -----

!x = tensor<1000000xf32, #td.dev<cuda, 0>>
!y = tensor<2000000xf32, #td.dev<cuda, 0>>
!s = tensor<f32, #td.dev<cuda, 0>>

// Reductions of different tensors get one kernel each in the first step; in the
// second, two results from one tensor get one kernel each as well.
// CHECK-LABEL: func.func @several
// CHECK: %[[P:.*]]:2 = td.launch @reduce_0(%arg0)
// CHECK: %[[Q:.*]] = td.launch @reduce_1(%arg1)
// CHECK: td.launch @reduce_2(%[[P]]#0, %[[Q]])
// CHECK: td.launch @reduce_3(%[[P]]#1)
func.func @several(%x: !x, %y: !y) -> (!s, !s) {
  %r:2 = td.kernel(%x, %y) : (!x, !y) -> (!s, !s) {
  ^bb0(%a: !x, %b: !y):
    %t = td.reduce sum %a [0] : !x to !s
    %m = td.reduce max %a [0] : !x to !s
    %u = td.reduce sum %b [0] : !y to !s
    %d = td.div %t, %u : !s
    td.yield %d, %m : !s, !s
  }
  return %r#0, %r#1 : !s, !s
}

// -----

!x = tensor<1000x64xf32, #td.dev<cuda, 0>>
!s = tensor<64xf32, #td.dev<cuda, 0>>

// A second launch would cost more than it saves.
// CHECK-LABEL: func.func @short
// CHECK: td.launch
// CHECK-NOT: td.launch
func.func @short(%x: !x) -> !s {
  %r = td.kernel(%x) : (!x) -> !s {
  ^bb0(%a: !x):
    %t = td.reduce sum %a [0] : !x to !s
    td.yield %t : !s
  }
  return %r : !s
}
