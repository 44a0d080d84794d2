// RUN: tdc-opt %s --split-input-file --kernel-to-gpu | FileCheck %s

!p = tensor<100xi64, #td.dev<cuda, 0>>

// Each swap depends on the ones before it, but the source of an element can be
// traced back through lists of the steps that touch a position. One kernel builds
// the lists, the next has each thread trace its element.
// CHECK: %[[NONE:.*]] = td.launch @fill_0
// CHECK: %[[LISTS:.*]]:2 = td.launch @random_1(%arg0, %arg1, %[[NONE]]) blocks(%{{.*}}) in_place [2, 0] starts_as [2, 0]
// CHECK: td.launch @random_2(%arg0, %arg1, %[[LISTS]]#0, %[[LISTS]]#1) blocks(%{{.*}}) in_place []
// CHECK: llvm.func @random_1
// CHECK: arith.mului_extended
// CHECK: llvm.atomicrmw xchg
// CHECK: llvm.store
// CHECK: llvm.func @random_2
// CHECK: scf.while
// CHECK: scf.while
// CHECK: llvm.store
func.func @permutation(%s: i64, %c: i64) -> !p {
  %r = td.kernel(%s, %c) : (i64, i64) -> !p {
  ^bb0(%a: i64, %b: i64):
    %m = td.random permutation %a, %b : !p
    td.yield %m : !p
  }
  return %r : !p
}

// -----

!g = tensor<100xf32, #td.dev<cuda, 0>>

// Four neighbours are the four words of one counter.
// CHECK: td.gpu_kernel @random_0 threads 256 shared 0
// CHECK: llvm.func @random_0
func.func @normal(%s: i64, %c: i64) -> !g {
  %r = td.kernel(%s, %c) : (i64, i64) -> !g {
  ^bb0(%a: i64, %b: i64):
    %m = td.random normal %a, %b : !g
    td.yield %m : !g
  }
  return %r : !g
}

// -----

!g = tensor<16x32xf32, #td.dev<cuda, 0>>
!t = tensor<32x16xf32, #td.dev<cuda, 0>>

// Random numbers are counted in the order of the op that draws them, not in the
// order of the result, so the kernel cannot use flat indices.
// CHECK: llvm.func @permute_0
// CHECK: arith.remui
// CHECK: arith.divui
func.func @turned(%s: i64, %c: i64) -> !t {
  %r = td.kernel(%s, %c) : (i64, i64) -> !t {
  ^bb0(%a: i64, %b: i64):
    %m = td.random normal %a, %b : !g
    %p = td.permute %m [1, 0] : !g to !t
    td.yield %p : !t
  }
  return %r : !t
}

// -----

!x = tensor<300x27xf32, #td.dev<cuda, 0>>
!s = tensor<f32, #td.dev<cuda, 0>>

// LLVM hoists the round keys of each random op. Those of two do not fit into
// the registers of a thread in a block of 1,024.
// CHECK: td.gpu_kernel @reduce_0 threads 1024
// CHECK: td.gpu_kernel @reduce_1 threads 256
func.func @one(%s: i64, %c: i64) -> !s {
  %r = td.kernel(%s, %c) : (i64, i64) -> !s {
  ^bb0(%a: i64, %b: i64):
    %m = td.random uniform %a, %b : !x
    %t = td.reduce sum %m [0, 1] : !x to !s
    td.yield %t : !s
  }
  return %r : !s
}
func.func @two(%s: i64, %c: i64) -> !s {
  %r = td.kernel(%s, %c) : (i64, i64) -> !s {
  ^bb0(%a: i64, %b: i64):
    %m = td.random uniform %a, %b : !x
    %n = td.random uniform %b, %a : !x
    %d = td.sub %m, %n : !x
    %t = td.reduce sum %d [0, 1] : !x to !s
    td.yield %t : !s
  }
  return %r : !s
}
