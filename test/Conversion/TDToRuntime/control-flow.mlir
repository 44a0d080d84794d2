// RUN: tdc-opt %s --td-to-runtime --split-input-file | FileCheck %s

// Scalars and strings pass as block arguments, tensors of static size stay in
// their buffers.
llvm.func @make(!llvm.ptr, !llvm.ptr)
llvm.func @unary(!llvm.ptr, !llvm.ptr, !llvm.ptr)

// CHECK-LABEL: llvm.func internal @tdc_main
func.func @main() {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %s = td.format "s"
  %a = td.launch @make() in_place [] : () -> tensor<4xf32>
  // CHECK: %[[S:.*]] = llvm.mlir.addressof
  // CHECK: llvm.br ^[[HEAD:bb[0-9]+]](%{{.*}}, %{{.*}}, %[[S]] : i64, i64, !llvm.ptr)
  // CHECK: ^[[HEAD]](%{{.*}}: i64, %[[N:.*]]: i64, %[[T:.*]]: !llvm.ptr):
  %n, %t, %r = scf.for %i = %c0 to %c1 step %c1 iter_args(%x = %c1, %y = %s, %z = %a)
      -> (i64, !td.str, tensor<4xf32>) : i64 {
    // CHECK-NOT: llvm.intr.memcpy
    %x1 = arith.addi %x, %i : i64
    %y1 = td.format "{}{}" (%y, %x) : !td.str, i64
    %z1 = td.launch @unary(%z) in_place [0, 0] : (tensor<4xf32>) -> tensor<4xf32>
    // CHECK: llvm.br ^[[HEAD]](
    scf.yield %x1, %y1, %z1 : i64, !td.str, tensor<4xf32>
  }
  // CHECK: llvm.call @tdrt_out_str(%{{.*}}, %[[T]], %{{.*}})
  %u = td.format "{} {:>8}\0A" (%n, %t) : i64, !td.str
  td.print %u
  return
}

// -----

// Strings of an iteration are released at its end.
// CHECK-LABEL: llvm.func internal @tdc_main
func.func @main() {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  // CHECK: %[[MARK:.*]] = llvm.call @tdrt_str_mark
  scf.for %i = %c0 to %c1 step %c1 : i64 {
    // CHECK: llvm.call @tdrt_str_begin
    // CHECK: llvm.call @tdrt_str_end
    %p = td.format "{}.npy" (%i) : i64
    // CHECK: llvm.call @tdrt_exists
    %e = td.exists %p
    // CHECK: llvm.call @tdrt_str_release(%{{.*}}, %[[MARK]])
  }
  return
}

// -----

// A value of run-time size is handed from iteration to iteration; a copy is
// passed where the value is needed later.
llvm.func @make(!llvm.ptr, !llvm.ptr, i64)
llvm.func @unary(!llvm.ptr, !llvm.ptr, !llvm.ptr, i64, i64)

// CHECK-LABEL: llvm.func internal @tdc_main
func.func @main() {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  // CHECK: llvm.call @tdrt_alloc_tensor
  // CHECK: %[[A:.*]] = llvm.load
  // CHECK: llvm.call @make(%{{.*}}, %[[A]], %[[SIZE:[^)]*]])
  %a = td.launch @make() sizes(%c1) in_place [] : () -> tensor<?xf32>
  // CHECK: llvm.call @tdrt_alloc_tensor
  // CHECK: %[[COPY:.*]] = llvm.load
  // CHECK: "llvm.intr.memcpy"(%[[COPY]], %[[A]],
  // CHECK: llvm.br ^[[HEAD:bb[0-9]+]](%{{.*}}, %[[COPY]], %[[SIZE]] : i64, !llvm.ptr, i64)
  // CHECK: ^[[HEAD]](%{{.*}}: i64, %[[X:.*]]: !llvm.ptr, %[[XSIZE:.*]]: i64):
  %r = scf.for %i = %c0 to %c1 step %c1 iter_args(%x = %a) -> (tensor<?xf32>) : i64 {
    // CHECK: %[[Y:.*]] = llvm.load
    // CHECK: llvm.call @unary(%{{.*}}, %[[X]], %[[Y]], %[[XSIZE]], %[[YSIZE:[^)]*]])
    // CHECK: llvm.call @tdrt_free(%{{.*}}, %[[X]])
    %y = td.launch @unary(%x) sizes(%i) in_place [] : (tensor<?xf32>) -> tensor<?xf32>
    // CHECK: llvm.br ^[[HEAD]](%{{.*}}, %[[Y]], %[[YSIZE]] : i64, !llvm.ptr, i64)
    scf.yield %y : tensor<?xf32>
  }
  // CHECK: llvm.call @tdrt_out_tensor
  // CHECK: llvm.call @tdrt_free(%{{.*}}, %[[A]])
  // CHECK: llvm.call @tdrt_free(%{{.*}}, %[[X]])
  %s = td.format "{}{}" (%a, %r) : tensor<?xf32>, tensor<?xf32>
  td.print %s
  return
}

// -----

// CHECK-LABEL: llvm.func internal @tdc_main
func.func @main() {
  %c0 = arith.constant 0 : i64
  %p = td.format "a"
  %e = td.exists %p
  // CHECK: llvm.cond_br %{{.*}}, ^[[THEN:bb[0-9]+]], ^[[ELSE:bb[0-9]+]]
  %n = scf.if %e -> (i64) {
    // CHECK: ^[[THEN]]:
    // CHECK: %[[ONE:.*]] = arith.constant 1
    // CHECK: llvm.br ^[[AFTER:bb[0-9]+]](%[[ONE]] : i64)
    %c1 = arith.constant 1 : i64
    scf.yield %c1 : i64
  } else {
    // CHECK: ^[[ELSE]]:
    // CHECK: llvm.br ^[[AFTER]](%{{.*}} : i64)
    scf.yield %c0 : i64
  }
  // CHECK: ^[[AFTER]](%[[N:.*]]: i64):
  // CHECK: llvm.call @tdrt_seed(%{{.*}}, %[[N]])
  td.seed %n
  return
}

// -----

// A kernel that works in place takes over the memory of an input of run-time
// size that ends there, if the result has its sizes. The other input is freed.
llvm.func @make(!llvm.ptr, !llvm.ptr, i64)
llvm.func @add(!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, i64, i64, i64)
llvm.func @unary(!llvm.ptr, !llvm.ptr, !llvm.ptr, i64, i64)
// CHECK-LABEL: llvm.func internal @tdc_main
// CHECK-COUNT-2: llvm.call @tdrt_alloc_tensor
// CHECK-NOT: llvm.call @tdrt_alloc_tensor
// CHECK: llvm.call @add
// CHECK: llvm.call @tdrt_free
// CHECK: llvm.call @unary
// CHECK: llvm.call @tdrt_free
// CHECK-NOT: llvm.call @tdrt_free
// CHECK: llvm.return
func.func @main() {
  %c5 = arith.constant 5 : i64
  %a = td.launch @make() sizes(%c5) in_place [] : () -> tensor<?xf32>
  %b = td.launch @make() sizes(%c5) in_place [] : () -> tensor<?xf32>
  %c = td.launch @add(%a, %b) sizes(%c5) in_place [0, 0, 1, 0] : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %n = td.dim %c, 0 : tensor<?xf32>
  %d = td.launch @unary(%c) sizes(%n) in_place [0, 0] : (tensor<?xf32>) -> tensor<?xf32>
  return
}

// -----

// The sizes may differ, or the input is used again.
llvm.func @make(!llvm.ptr, !llvm.ptr, i64)
llvm.func @unary(!llvm.ptr, !llvm.ptr, !llvm.ptr, i64, i64)
// CHECK-LABEL: llvm.func internal @tdc_main
// CHECK-COUNT-4: llvm.call @tdrt_alloc_tensor
// CHECK-NOT: llvm.call @tdrt_alloc_tensor
func.func @main() {
  %c5 = arith.constant 5 : i64
  %c4 = arith.constant 4 : i64
  %a = td.launch @make() sizes(%c5) in_place [] : () -> tensor<?xf32>
  %b = td.launch @unary(%a) sizes(%c4) in_place [0, 0] : (tensor<?xf32>) -> tensor<?xf32>
  %c = td.launch @unary(%b) sizes(%c4) in_place [0, 0] : (tensor<?xf32>) -> tensor<?xf32>
  %d = td.launch @unary(%b) sizes(%c5) in_place [0, 0] : (tensor<?xf32>) -> tensor<?xf32>
  return
}
