// RUN: tdc-opt %s --split-input-file --kernel-to-gpu | FileCheck %s

!g = tensor<1000xf32, #td.dev<cuda, 0>>

// Contiguous memory: a thread computes four neighbours; their number is an argument.
// CHECK: %[[N:.*]] = arith.constant 1000 : i64
// CHECK: %[[B:.*]] = arith.constant 1 : i64
// CHECK: td.launch @mul_0(%{{.*}}, %{{.*}}, %[[N]]) blocks(%[[B]]) in_place [0, 0, 1, 0]
// CHECK: td.gpu_kernel @mul_0 threads 256 shared 0 parameters 5
// CHECK: module @gpu_code
// CHECK: llvm.func @mul_0(%{{.*}}: !llvm.ptr {llvm.align = 64 : i64}, {{.*}}) attributes {nvvm.kernel, nvvm.maxntid = array<i32: 256, 1, 1>, nvvm.minctasm = 1 : i32}
// CHECK: scf.if
// CHECK: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr -> f32
// CHECK-COUNT-4: arith.mulf
// CHECK: llvm.store %{{.*}} {alignment = 16 : i64} : f32
// The remainder is computed one element at a time.
// CHECK: else
// CHECK: scf.for
// CHECK: arith.mulf
// CHECK-NOT: arith.mulf
func.func @flat(%x: !g, %y: !g) -> !g {
  %r = td.kernel(%x, %y) : (!g, !g) -> !g {
  ^bb0(%a: !g, %b: !g):
    %m = td.mul %a, %b : !g
    td.yield %m : !g
  }
  return %r : !g
}

// -----

!g = tensor<30x50xf32, #td.dev<cuda, 0>>
!t = tensor<50x30xf32, #td.dev<cuda, 0>>

// Threads read elements that other threads write, so no buffer is reused in
// place. 50 is not a multiple of 4: vectors of two.
// CHECK: td.launch @permute_0(%{{.*}}) blocks(%{{.*}}) in_place []
// CHECK: llvm.func @permute_0
// CHECK-COUNT-2: llvm.store
// CHECK-NOT: llvm.store
func.func @transpose(%x: !t) -> !g {
  %r = td.kernel(%x) : (!t) -> !g {
  ^bb0(%a: !t):
    %m = td.permute %a [1, 0] : !t to !g
    td.yield %m : !g
  }
  return %r : !g
}

// -----

!c = tensor<8xf32, #td.dev<cpu>>

// The pass leaves kernels of the cpu alone.
// CHECK: td.kernel
// CHECK-NOT: gpu_code
func.func @cpu(%x: !c) -> !c {
  %r = td.kernel(%x) : (!c) -> !c {
  ^bb0(%a: !c):
    %m = td.exp %a : !c
    td.yield %m : !c
  }
  return %r : !c
}

// -----

// Results of one element with different ranks: they have no loop in common.
// CHECK-LABEL: func.func @ranks
// CHECK: td.launch @neg_0(%arg0) blocks(%{{.*}}) in_place [0, 1]
!none = tensor<f32, #td.dev<cuda, 0>>
!one = tensor<1xf32, #td.dev<cuda, 0>>
func.func @ranks(%x: !one) -> (!none, !one) {
  %r:2 = td.kernel(%x) : (!one) -> (!none, !one) {
  ^bb0(%a: !one):
    %e = td.exp %a : !one
    %n = td.reshape %e : !one to !none
    %m = td.neg %e : !one
    td.yield %n, %m : !none, !one
  }
  return %r#0, %r#1 : !none, !one
}

// -----

!x = tensor<f32, #td.dev<cuda, 0>>

// A value that is not finite is reported. No download waits for it.
// CHECK: td.gpu_kernel @watch_0 threads {{.*}} watches
// CHECK: llvm.func @watch_0
// CHECK: arith.cmpf uge
// CHECK: scf.if
// CHECK: llvm.call @tdrt_kernel_value
// CHECK: llvm.func internal @tdrt_kernel_value(%[[RECORD:.*]]: !llvm.ptr, %[[VALUE:.*]]: f64, %[[SITE:.*]]: i32)
// CHECK: %[[TAKEN:.*]] = llvm.getelementptr %[[RECORD]][24]
// CHECK: llvm.cmpxchg %[[TAKEN]]
// CHECK: %[[TO:.*]] = llvm.getelementptr %[[RECORD]][32]
// CHECK: llvm.store %[[VALUE]], %[[TO]]
// CHECK: %[[LINE:.*]] = llvm.getelementptr %[[RECORD]][28]
// CHECK: llvm.store %[[SITE]], %[[LINE]]
func.func @watch(%x: !x) -> !x {
  %r = td.kernel(%x) : (!x) -> !x {
  ^bb0(%a: !x):
    %w = td.watch %a : !x
    td.yield %w : !x
  }
  return %r : !x
}
