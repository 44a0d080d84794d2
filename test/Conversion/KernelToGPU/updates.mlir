// RUN: tdc-opt %s --split-input-file --kernel-to-gpu | FileCheck %s

!x = tensor<10x4xf32, #td.dev<cuda, 0>>
!i = tensor<6xi64, #td.dev<cuda, 0>>
!u = tensor<6x4xf32, #td.dev<cuda, 0>>

// What the sum starts from is made first; then each thread takes one column and
// goes through the rows in order, because two may go to one place. A bad index
// is reported.
// CHECK: %[[ZEROS:.*]] = td.launch @fill_0
// CHECK: td.launch @scatter_add_1(%{{.*}}, %{{.*}}, %{{.*}}, %[[ZEROS]]) blocks(%{{.*}}) in_place [3, 0] starts_as [3, 0]
// CHECK: td.gpu_kernel @scatter_add_1 threads 256 shared 0 parameters 6 reports
// CHECK: llvm.func @scatter_add_1
// CHECK: scf.if
// CHECK: scf.for
// CHECK: llvm.call @tdrt_kernel_error
// CHECK: llvm.func internal @tdrt_kernel_error
// CHECK: llvm.cmpxchg
func.func @scatter(%i: !i, %u: !u, %zero: f64) -> !x {
  %r = td.kernel(%i, %u, %zero) : (!i, !u, f64) -> !x {
  ^bb0(%a: !i, %b: !u, %z: f64):
    %f = td.fill %z : f64 -> !x
    %s = td.scatter_add %f, %a, %b dim 0 : !x, !i, !u
    td.yield %s : !x
  }
  return %r : !x
}
