// RUN: tdc-opt %s --td-to-runtime --split-input-file | FileCheck %s
// RUN: tdc-opt %s --td-print-memory-plan --split-input-file 2>&1 | FileCheck %s --check-prefix=PLAN

#cpu = #td.dev<cpu>
#gpu = #td.dev<cuda, 0>

// Double buffers on both devices: the loop carries the address of the current one.
// CHECK-LABEL: llvm.func internal @tdc_main
// CHECK: llvm.call @tdrt_mark
// CHECK: llvm.call @make
// CHECK: llvm.call @tdrt_copy_start(
// CHECK: llvm.br ^[[HEAD:bb[0-9]+]](%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : i64, !llvm.ptr, i64, i64)
// CHECK: ^[[HEAD]](%[[I:.*]]: i64, %[[X:.*]]: !llvm.ptr, %[[T:.*]]: i64, %[[BEFORE:.*]]: i64)
// CHECK: llvm.call @tdrt_copy_wait(%{{.*}}, %{{.*}}, %[[T]], %{{.*}})
// CHECK: llvm.call @tdrt_mark
// CHECK: llvm.call @tdrt_launch(
// CHECK: llvm.call @tdrt_copy_wait(%{{.*}}, %{{.*}}, %[[BEFORE]], %{{.*}})
// CHECK: %[[ODD:.*]] = llvm.and %{{.*}}, %{{.*}} : i64
// CHECK: %[[OFFSET:.*]] = llvm.mul %[[ODD]]
// CHECK: %[[SOURCE:.*]] = llvm.getelementptr inbounds %{{.*}}[%[[OFFSET]]]
// CHECK: llvm.call @make(%{{.*}}, %[[SOURCE]])
// CHECK: llvm.call @tdrt_copy_start(
// CHECK: llvm.call @tdrt_copy_wait
// PLAN: remark: result 0: ring pinned 0 + 128
// PLAN: remark: result 0: ring cuda:0 0 + 128
// PLAN: remark: result 0: arena cuda:0 128 + 16
// PLAN: remark: result 0: ring pinned 0 + 128
// PLAN: remark: result 0: ring cuda:0 0 + 128
// PLAN: remark: arena 0, 192
llvm.func @make(!llvm.ptr, !llvm.ptr)
td.gpu_kernel @exp threads 32 shared 0 parameters 3
func.func @main() {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c5 = arith.constant 5 : i64
  %m0 = td.mark #gpu : !td.ticket
  %a0 = td.launch @make() in_place [] : () -> tensor<4xf32, #cpu>
  %x0, %t0 = td.copy_start %a0 after %m0 iteration %c0 : tensor<4xf32, #cpu> to tensor<4xf32, #gpu>
  %none = td.no_ticket : !td.ticket
  %l:3 = scf.for %i = %c0 to %c5 step %c1 iter_args(%x = %x0, %t = %t0, %before = %none)
      -> (tensor<4xf32, #gpu>, !td.ticket, !td.ticket) : i64 {
    td.copy_wait %t by #gpu for %x : tensor<4xf32, #gpu>
    %m = td.mark #gpu : !td.ticket
    %y = td.launch @exp(%x) blocks(%c1) in_place [0, 0] : (tensor<4xf32, #gpu>) -> tensor<4xf32, #gpu>
    %next = arith.addi %i, %c1 : i64
    %more = arith.cmpi slt, %next, %c5 : i64
    %n:2 = scf.if %more -> (tensor<4xf32, #gpu>, !td.ticket) {
      td.copy_wait %before by #cpu
      %a = td.launch @make() in_place [] : () -> tensor<4xf32, #cpu>
      %b, %s = td.copy_start %a after %m iteration %next : tensor<4xf32, #cpu> to tensor<4xf32, #gpu>
      scf.yield %b, %s : tensor<4xf32, #gpu>, !td.ticket
    } else {
      %p = ub.poison : tensor<4xf32, #gpu>
      %q = td.no_ticket : !td.ticket
      scf.yield %p, %q : tensor<4xf32, #gpu>, !td.ticket
    }
    scf.yield %n#0, %n#1, %t : tensor<4xf32, #gpu>, !td.ticket, !td.ticket
  }
  td.copy_wait %l#2 by #cpu for %l#0 : tensor<4xf32, #gpu>
  return
}

// -----

#cpu = #td.dev<cpu>
#gpu = #td.dev<cuda, 0>

// Results that the host reads are copied to pinned memory; a ticket without a
// wait is not created.
// CHECK-LABEL: llvm.func internal @tdc_main
// CHECK: llvm.mlir.zero : !llvm.ptr
// CHECK: %[[NULL:.*]] = llvm.mlir.zero : !llvm.ptr
// CHECK: llvm.call @tdrt_launch(
// CHECK: llvm.call @tdrt_copy_start({{.*}}, %[[NULL]])
// CHECK: llvm.call @tdrt_copy_start(
// CHECK: llvm.call @tdrt_copy_wait
// PLAN: remark: result 0: arena cuda:0 0 + 4
// PLAN: remark: result 0: arena pinned 0 + 4
// PLAN: remark: result 0: arena pinned 64 + 4
td.gpu_kernel @make threads 32 shared 0 parameters 2
func.func @main() {
  %c1 = arith.constant 1 : i64
  %x = td.launch @make() blocks(%c1) in_place [] : () -> tensor<f32, #gpu>
  %a, %t = td.copy_start %x : tensor<f32, #gpu> to tensor<f32, #cpu>
  %b, %s = td.copy_start %x : tensor<f32, #gpu> to tensor<f32, #cpu>
  td.copy_wait %s by #cpu for %a, %b, %x : tensor<f32, #cpu>, tensor<f32, #cpu>, tensor<f32, #gpu>
  %i = td.item %a : tensor<f32, #cpu> -> f64
  %j = td.item %b : tensor<f32, #cpu> -> f64
  %text = td.format "{} {}\0A"(%i, %j) : f64, f64
  td.print %text
  return
}

// -----

#cpu = #td.dev<cpu>
#gpu = #td.dev<cuda, 0>

// A value that the host reads an iteration later is double-buffered in pinned memory;
// its source on the GPU is not.
// CHECK-LABEL: llvm.func internal @tdc_main
// CHECK: llvm.br ^[[HEAD:bb[0-9]+]](%{{.*}}, %[[NULL:.*]], %{{.*}} : i64, !llvm.ptr, i64)
// CHECK: ^[[HEAD]](%[[I:.*]]: i64, %[[Y:.*]]: !llvm.ptr, %[[T:.*]]: i64)
// CHECK: llvm.and %[[I]], %{{.*}} : i64
// CHECK: llvm.call @tdrt_launch(
// CHECK: llvm.call @tdrt_copy_start(
// CHECK: llvm.call @tdrt_copy_wait(
// CHECK: llvm.call @tdrt_copy_wait(%{{.*}}, %{{.*}}, %[[T]], %{{.*}})
// CHECK: llvm.load %[[Y]]
// PLAN: remark: result 0: arena cuda:0 0 + 4
// PLAN: remark: result 0: ring pinned 0 + 128
// PLAN: remark: result 0: ring pinned 0 + 128
// PLAN: remark: arena 0, 64
llvm.func @take(!llvm.ptr, f64)
td.gpu_kernel @make threads 32 shared 0 parameters 2
func.func @main() {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c5 = arith.constant 5 : i64
  %p = ub.poison : tensor<f32, #cpu>
  %none = td.no_ticket : !td.ticket
  %l:2 = scf.for %i = %c0 to %c5 step %c1 iter_args(%y = %p, %t = %none)
      -> (tensor<f32, #cpu>, !td.ticket) : i64 {
    %x = td.launch @make() blocks(%c1) in_place [] : () -> tensor<f32, #gpu>
    %a, %s = td.copy_start %x iteration %i : tensor<f32, #gpu> to tensor<f32, #cpu>
    td.copy_wait %s by #gpu for %x : tensor<f32, #gpu>
    %later = arith.cmpi sgt, %i, %c0 : i64
    scf.if %later {
      td.copy_wait %t by #cpu for %y : tensor<f32, #cpu>
      %f = td.item %y : tensor<f32, #cpu> -> f64
      %text = td.format "{}" (%f) : f64
      td.print %text
    }
    scf.yield %a, %s : tensor<f32, #cpu>, !td.ticket
  }
  return
}

// -----

#one = #td.dev<cuda, 0>
#two = #td.dev<cuda, 1>

// Between GPUs: the source keeps its memory until its own GPU waits, and a copy
// for a slot is made directly into the slot.
// CHECK-LABEL: llvm.func internal @tdc_main
// CHECK: llvm.call @tdrt_launch(
// CHECK: llvm.call @tdrt_copy_start(
// CHECK: %[[T:.*]] = llvm.load %{{.*}} : !llvm.ptr -> i64
// CHECK: llvm.call @tdrt_launch(
// CHECK: llvm.call @tdrt_copy_wait(%{{.*}}, %{{.*}}, %[[T]], %{{.*}})
// CHECK: llvm.call @tdrt_copy_wait(%{{.*}}, %{{.*}}, %[[T]], %{{.*}})
// PLAN: remark: result 0: arena cuda:0 0 + 16
// PLAN: remark: result 0: slot cuda:1 0 + 16
// PLAN: remark: result 0: arena cuda:0 64 + 16
// PLAN: remark: result 0: arena cuda:0 0 + 16
td.slot @s buffer "s" of "m" : tensor<4xf32, #two>
td.gpu_kernel @make threads 32 shared 0 parameters 2
func.func @main() {
  %c1 = arith.constant 1 : i64
  %x = td.launch @make() blocks(%c1) in_place [] : () -> tensor<4xf32, #one>
  %y, %t = td.copy_start %x : tensor<4xf32, #one> to tensor<4xf32, #two>
  %a = td.launch @make() blocks(%c1) in_place [] : () -> tensor<4xf32, #one>
  td.copy_wait %t by #two for %y : tensor<4xf32, #two>
  td.write %y, @s : tensor<4xf32, #two>
  td.copy_wait %t by #one for %x : tensor<4xf32, #one>
  %b = td.launch @make() blocks(%c1) in_place [] : () -> tensor<4xf32, #one>
  return
}
