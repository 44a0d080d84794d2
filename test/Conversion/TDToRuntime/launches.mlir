// RUN: tdc-opt %s --td-to-runtime --split-input-file | FileCheck %s

#gpu = #td.dev<cuda, 0>

// Consecutive kernels are launched by one call, whatever is computed between
// them: each kernel's words are its blocks and its parameters.
// CHECK: llvm.mlir.global internal constant @tdc_sequences{{.*}} !llvm.array<1 x
// CHECK: %[[LAUNCHES:.*]] = llvm.mlir.constant(2 : i32)
// CHECK-NEXT: llvm.insertvalue %[[LAUNCHES]], %{{.*}}[1]
// CHECK-NEXT: %[[WORDS:.*]] = llvm.mlir.constant(7 : i32)
// CHECK-NEXT: llvm.insertvalue %[[WORDS]], %{{.*}}[2]
// CHECK-LABEL: llvm.func internal @tdc_main
// CHECK: %[[ROOM:.*]] = llvm.alloca %{{.*}} x i8 {alignment = 16 : i64}
// CHECK: llvm.store %{{.*}}, %[[ROOM]] : i64, !llvm.ptr
// CHECK: %[[ERRORS:.*]] = llvm.getelementptr inbounds %[[ROOM]][8]
// CHECK: llvm.store %{{.*}}, %[[ERRORS]] : !llvm.ptr, !llvm.ptr
// CHECK: %[[RESULT:.*]] = llvm.getelementptr inbounds %[[ROOM]][16]
// CHECK: llvm.store %{{.*}}, %[[RESULT]] : !llvm.ptr, !llvm.ptr
// CHECK: %[[SECOND:.*]] = llvm.getelementptr inbounds %[[ROOM]][24]
// CHECK: llvm.store %{{.*}}, %[[SECOND]] : i64, !llvm.ptr
// CHECK: llvm.call @tdrt_launch_sequence(%{{.*}}, %{{.*}}, %[[ROOM]])
// CHECK-NOT: tdrt_launch
td.gpu_kernel @make threads 32 shared 0 parameters 2
td.gpu_kernel @exp threads 32 shared 0 parameters 3
func.func @main() {
  %c1 = arith.constant 1 : i64
  %x = td.launch @make() blocks(%c1) in_place [] : () -> tensor<4xf32, #gpu>
  %c2 = arith.addi %c1, %c1 : i64
  %y = td.launch @exp(%x) blocks(%c2) in_place [] : (tensor<4xf32, #gpu>) -> tensor<4xf32, #gpu>
  return
}

// -----

#gpu = #td.dev<cuda, 0>
#two = #td.dev<cuda, 1>

// A kernel with a different number in each iteration is launched by a call of its
// own. Sequences are per GPU, and a branch ends them.
// CHECK: llvm.mlir.global internal constant @tdc_sequences{{.*}} !llvm.array<3 x
// CHECK-LABEL: llvm.func internal @tdc_main
// CHECK: llvm.call @tdrt_launch_sequence
// CHECK: llvm.call @tdrt_launch(
// CHECK: llvm.call @tdrt_launch_sequence
// CHECK: llvm.call @tdrt_launch_sequence
// CHECK-NOT: tdrt_launch
// CHECK: llvm.cond_br
// CHECK: llvm.call @tdrt_launch(
// CHECK-NOT: tdrt_launch
// CHECK: llvm.call @tdrt_fail_check
td.gpu_kernel @make threads 32 shared 0 parameters 2
td.gpu_kernel @fill threads 32 shared 0 parameters 3
func.func @main() {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c5 = arith.constant 5 : i64
  scf.for %i = %c0 to %c5 step %c1 : i64 {
    %a = td.launch @make() blocks(%c1) in_place [] : () -> tensor<4xf32, #gpu>
    %b = td.launch @fill(%c5) blocks(%c1) in_place [] : (i64) -> tensor<4xf32, #gpu>
    %c = td.launch @fill(%i) blocks(%c1) in_place [] : (i64) -> tensor<4xf32, #gpu>
    %d = td.launch @make() blocks(%c1) in_place [] : () -> tensor<4xf32, #gpu>
    %e = td.launch @make() blocks(%c1) in_place [] : () -> tensor<4xf32, #gpu>
    %f = td.launch @make() blocks(%c1) in_place [] : () -> tensor<4xf32, #two>
    %g = td.launch @make() blocks(%c1) in_place [] : () -> tensor<4xf32, #two>
    %small = arith.cmpi slt, %i, %c5 : i64
    %text = td.format "too many"
    td.assert %small, %text {td.code = 101 : i32}
    %h = td.launch @make() blocks(%c1) in_place [] : () -> tensor<4xf32, #gpu>
  }
  return
}
