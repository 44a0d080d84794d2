// RUN: tdc-opt %s --gpu-to-image | FileCheck %s --implicit-check-not=gpu_code

// The lines that report a bad index are numbered; equal lines have one number.
// CHECK-DAG: #[[FIRST:.*]] = loc("rows.tdsl":4:9)
// CHECK-DAG: #[[SECOND:.*]] = loc("rows.tdsl":6:9)
// CHECK: module attributes {td.sites = [#[[FIRST]], #[[SECOND]]]}
// CHECK-NEXT: td.image ptx 80
// CHECK-SAME: .target sm_80
// CHECK-SAME: .entry pick_0(
// CHECK-SAME: [param3], 0;
// CHECK-SAME: call.uni tdrt_kernel_error
// CHECK-SAME: [param3], 1;
// CHECK-SAME: call.uni tdrt_kernel_error
// CHECK-SAME: [param3], 0;
module {
  module @gpu_code {
    llvm.func @tdrt_kernel_error(!llvm.ptr, i64, i64, i32)
    llvm.func @pick_0(%ctx: !llvm.ptr, %i: i64, %n: i64) attributes {nvvm.kernel} {
      %none = llvm.mlir.constant(-1 : i32) : i32
      llvm.call @tdrt_kernel_error(%ctx, %i, %n, %none) : (!llvm.ptr, i64, i64, i32) -> () loc("rows.tdsl":4:9)
      llvm.call @tdrt_kernel_error(%ctx, %n, %i, %none) : (!llvm.ptr, i64, i64, i32) -> () loc("rows.tdsl":6:9)
      llvm.call @tdrt_kernel_error(%ctx, %n, %n, %none) : (!llvm.ptr, i64, i64, i32) -> () loc("rows.tdsl":4:9)
      llvm.return
    }
  }
}
