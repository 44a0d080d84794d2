// RUN: tdc-opt %s --split-input-file --kernel-to-gpu | FileCheck %s

!x = tensor<10x4xf32, #td.dev<cuda, 0>>
!i = tensor<6xi64, #td.dev<cuda, 0>>
!u = tensor<6x4xf32, #td.dev<cuda, 0>>

// One kernel makes the initial value; in the next one each thread has a column
// and adds the rows in order, because two indices may be equal. An index out of
// range is reported.
// CHECK: %[[ZEROS:.*]] = td.launch @fill_0
// CHECK: td.launch @scatter_1(%{{.*}}, %{{.*}}, %{{.*}}, %[[ZEROS]]) blocks(%{{.*}}) in_place [3, 0] starts_as [3, 0]
// CHECK: td.gpu_kernel @scatter_1 threads 256 shared 0 parameters 6 reports
// CHECK: llvm.func @scatter_1
// CHECK: scf.if
// CHECK: scf.for
// CHECK: llvm.call @tdrt_kernel_error
// CHECK: llvm.func internal @tdrt_kernel_error
// CHECK: llvm.cmpxchg
func.func @scatter(%i: !i, %u: !u, %zero: f64) -> !x {
  %r = td.kernel(%i, %u, %zero) : (!i, !u, f64) -> !x {
  ^bb0(%a: !i, %b: !u, %z: f64):
    %f = td.fill %z : f64 -> !x
    %s = td.scatter %f, %a, %b dim 0 combine sum : !x, !i, !u
    td.yield %s : !x
  }
  return %r : !x
}

// -----

!x = tensor<65x32xf32, #td.dev<cuda, 0>>
!i = tensor<4096xi64, #td.dev<cuda, 0>>
!u = tensor<4096x32xf32, #td.dev<cuda, 0>>

// Many indices: each of the 32 columns has 64 threads. Each thread goes through
// all indices and adds those whose row is its number modulo 64.
// CHECK-LABEL: func.func @shares
// CHECK: td.launch @scatter_0({{.*}}) blocks(%c8_i64)
// CHECK: llvm.func @scatter_0
// CHECK: %[[SHARE:.*]] = arith.divui
// CHECK: scf.for
// CHECK: %[[OWNER:.*]] = arith.remui
// CHECK: %[[OWN:.*]] = arith.cmpi eq, %[[OWNER]], %[[SHARE]]
// CHECK: scf.if %[[OWN]]
// CHECK: arith.addf
func.func @shares(%x: !x, %i: !i, %u: !u) -> !x {
  %r = td.kernel(%x, %i, %u) : (!x, !i, !u) -> !x {
  ^bb0(%f: !x, %a: !i, %b: !u):
    %s = td.scatter %f, %a, %b dim 0 combine sum : !x, !i, !u
    td.yield %s : !x
  }
  return %r : !x
}

// -----

!a = tensor<1024xf32, #td.dev<cuda, 0>>
!b = tensor<4096xf32, #td.dev<cuda, 0>>
!c = tensor<5120xf32, #td.dev<cuda, 0>>

// The largest part determines the grid: threads go through each part in strides,
// and none reads past the end of a smaller one.
// CHECK-LABEL: func.func @parts
// CHECK: td.launch @concat_0({{.*}}) blocks(%c4_i64)
// CHECK: llvm.func @concat_0
// CHECK: scf.for %{{.*}} to %c256_i32
// CHECK: scf.if
// CHECK: scf.for %{{.*}} to %c1024_i32
// CHECK: scf.if
func.func @parts(%x: !a, %y: !b) -> !c {
  %r = td.kernel(%x, %y) : (!a, !b) -> !c {
  ^bb0(%a: !a, %b: !b):
    %s = td.concat %a, %b dim 0 : (!a, !b) -> !c
    td.yield %s : !c
  }
  return %r : !c
}

// -----

!x = tensor<8x4xi64, #td.dev<cuda, 0>>

// The updates are the target tensor itself: the kernel reads the original and
// changes a copy.
// CHECK-LABEL: func.func @onto_itself
// CHECK: %[[COPY:.*]] = td.launch @copy_0(%arg0
// CHECK: td.launch @scatter_along_1(%arg0, %arg1, %[[COPY]]) {{.*}} in_place [2, 0] starts_as [2, 0]
func.func @onto_itself(%x: !x, %i: !x) -> !x {
  %r = td.kernel(%x, %i) : (!x, !x) -> !x {
  ^bb0(%a: !x, %b: !x):
    %s = td.scatter_along %a, %b, %a dim 0 combine sum : !x, !x, !x
    td.yield %s : !x
  }
  return %r : !x
}
