// RUN: tdc-opt %s --td-to-runtime --split-input-file | FileCheck %s

#cpu = #td.dev<cpu>
#gpu = #td.dev<cuda, 0>

// A copy within a device is a memcpy, not a transfer.
// CHECK-LABEL: llvm.func internal @tdc_main
llvm.func @make(!llvm.ptr, !llvm.ptr)
func.func @main() {
  %a = td.launch @make() in_place [] : () -> tensor<4xf32, #cpu>
  // CHECK-NOT: tdrt_transfer
  // CHECK: llvm.intr.memcpy
  %b = td.to_device %a : tensor<4xf32, #cpu> to tensor<4xf32, #cpu>
  // CHECK: llvm.call @tdrt_transfer
  %c = td.to_device %b : tensor<4xf32, #cpu> to tensor<4xf32, #gpu>
  return
}

// -----

#cpu = #td.dev<cpu>

// A value without uses is not copied; one of run-time size is NULL.
llvm.func @unary(!llvm.ptr, !llvm.ptr, !llvm.ptr)
// CHECK-LABEL: llvm.func internal @tdc_main
func.func @main() {
  %c0 = arith.constant 0 : i64
  %c2 = arith.constant 2 : i64
  %c1 = arith.constant 1 : i64
  %p = td.format "x.npy"
  %n = ub.poison : tensor<4xf32, #cpu>
  %m = ub.poison : tensor<?xf32, #cpu>
  %h = ub.poison : !td.handle<tensor<?xf32>>
  // CHECK-NOT: tdrt_handle_retain
  // CHECK-NOT: llvm.intr.memcpy
  // CHECK: %[[NULL:.*]] = llvm.mlir.zero : !llvm.ptr
  // CHECK: llvm.br ^[[HEAD:bb[0-9]+]](%{{.*}}, %[[NULL]], %{{.*}}, %{{.*}}, %{{.*}} : i64, !llvm.ptr, i64, !llvm.ptr, i64)
  %r:3 = scf.for %i = %c0 to %c2 step %c1 iter_args(%x = %n, %y = %m, %g = %h)
      -> (tensor<4xf32, #cpu>, tensor<?xf32, #cpu>, !td.handle<tensor<?xf32>>) : i64 {
    %z = td.load %p : tensor<4xf32, #cpu>
    %w = td.load %p : tensor<?xf32, #cpu>
    // A handle passes its sizes.
    // CHECK: llvm.call @tdrt_handle_create
    // CHECK: llvm.call @tdrt_handle_retain
    %k = td.handle %w : tensor<?xf32, #cpu> -> !td.handle<tensor<?xf32>>
    scf.yield %z, %w, %k : tensor<4xf32, #cpu>, tensor<?xf32, #cpu>, !td.handle<tensor<?xf32>>
  }
  // CHECK: llvm.call @tdrt_handle_get
  // CHECK: llvm.call @tdrt_out_tensor
  %s = td.replica_get %r#2 : !td.handle<tensor<?xf32>> -> tensor<?xf32, #cpu>
  %t = td.format "{} {}\0A" (%r#0, %s) : tensor<4xf32, #cpu>, tensor<?xf32, #cpu>
  td.print %t
  return
}

// -----

// A slot that the program moves while it runs.
td.slot @w param "w" of "m" : !td.handle<tensor<4xf32>>
// CHECK-LABEL: llvm.func internal @tdc_main
func.func @main() {
  // CHECK: llvm.call @tdrt_handle_move
  td.move @w to <cuda, 0>
  return
}

// -----

#far = #td.dev<cuda, 2>

// Devices below the highest ordinal that the program does not use are not opened.
// CHECK: constant @tdc_data_{{[0-9]+}}("\FF\FF\FF\FF\FF\FF\FF\FF\FF\FF\FF\FF\FF\FF\FF\FF@\00\00\00\00\00\00\00")
func.func @main() {
  %p = td.format "x.npy"
  %a = td.load %p : tensor<4xf32, #td.dev<cpu>>
  %b = td.to_device %a : tensor<4xf32, #td.dev<cpu>> to tensor<4xf32, #far>
  return
}
