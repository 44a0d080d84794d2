// RUN: tdc-opt %s --td-split-reads --td-to-runtime --split-input-file | FileCheck %s

// Literal tensors are padded: a kernel may read a vector past the end.
// CHECK-DAG: llvm.mlir.global internal constant @[[BOOLS:.*]]("\01\00\01\00\00\00\00{{[\\0]+}}") {{.*}}alignment = 64
// CHECK-DAG: llvm.mlir.global internal constant @[[ONES:.*]]("\00\00\80?\00\00\80?\00\00\00\00{{[\\0]+}}") {{.*}}alignment = 64
llvm.func @binary(!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> i32
// CHECK-LABEL: llvm.func internal @tdc_main
func.func @main() {
  // CHECK-DAG: %[[B:.*]] = llvm.mlir.addressof @[[BOOLS]]
  // CHECK-DAG: %[[O:.*]] = llvm.mlir.addressof @[[ONES]]
  %b = td.constant dense<[true, false, true]> : tensor<3xi1>
  %o = td.constant dense<1.0> : tensor<2xf32>
  // A kernel's status is checked if it has one.
  // CHECK: %[[STATUS:.*]] = llvm.call @binary(%{{.*}}, %[[B]], %[[O]], %{{.*}})
  // CHECK: llvm.icmp "eq" %[[STATUS]]
  %r = td.launch @binary(%b, %o) in_place [1, 0] : (tensor<3xi1>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

// The runtime makes random tensors, directly in the slot.
td.slot @w param "w" of "m" : tensor<8xf32>
// CHECK-LABEL: llvm.func internal @tdc_main
// CHECK-SAME: %[[CTX:[^:]*]]: !llvm.ptr
func.func @main() {
  // CHECK: %[[AT_STATE:.*]] = llvm.getelementptr inbounds %[[CTX]][80]
  // CHECK-NEXT: %[[STATE:.*]] = llvm.load %[[AT_STATE]]
  // CHECK: %[[CALL:.*]] = llvm.call @tdrt_next_random(%[[CTX]], %[[AT:.*]]) :
  // CHECK: %[[SEED:.*]] = llvm.load %[[AT]]
  %seed, %call = td.next_random
  // CHECK: %[[FIRST:.*]] = llvm.mlir.constant(0 : i64)
  // CHECK: %[[COUNT:.*]] = llvm.mlir.constant(8 : i64)
  // CHECK: llvm.call @tdrt_random_normal_f32(%[[STATE]], %[[FIRST]], %[[COUNT]], %[[SEED]], %[[CALL]])
  %n = td.random normal %seed, %call : tensor<8xf32>
  td.write %n, @w : tensor<8xf32>
  // CHECK: llvm.call @tdrt_random_randint_i64(%[[CTX]],
  // CHECK: llvm.icmp
  %i = td.random randint %seed, %call bounds(%seed, %call) : tensor<8xi64>
  // The bounds of a randint that is cast to a narrow dtype are checked first.
  // CHECK: %[[U8:.*]] = llvm.mlir.constant(8 : i32)
  // CHECK: llvm.call @tdrt_check_randint(%[[CTX]], %[[SEED]], %[[CALL]], %[[U8]],
  // CHECK: llvm.icmp
  // CHECK: llvm.call @tdrt_random_randint_i32(%[[CTX]],
  td.check_randint %seed, %call, ui8
  %j = td.random randint %seed, %call bounds(%seed, %call) : tensor<8xi32>
  // CHECK: llvm.call @tdrt_random_permutation_i64(%{{.*}}, %{{.*}}, %[[SEED]], %[[CALL]])
  %p = td.random permutation %seed, %call : tensor<8xi64>
  return
}

// -----

// The value of the only element, for each dtype.
llvm.func @make(!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr)
// CHECK-LABEL: llvm.func internal @tdc_main
func.func @main() {
  %h, %u, %i, %b = td.launch @make() in_place []
    : () -> (tensor<f16>, tensor<1xui8>, tensor<i32>, tensor<1x1xi1>)
  // CHECK: %[[H:.*]] = llvm.load %{{.*}} : !llvm.ptr -> f16
  // CHECK: %[[S:.*]] = arith.extf %[[H]] : f16 to f32
  // CHECK: arith.extf %[[S]] : f32 to f64
  %0 = td.item %h : tensor<f16> -> f64
  // CHECK: %[[U:.*]] = llvm.load %{{.*}} : !llvm.ptr -> i8
  // CHECK: llvm.zext %[[U]] : i8 to i64
  %1 = td.item %u : tensor<1xui8> -> i64
  // CHECK: %[[I:.*]] = llvm.load %{{.*}} : !llvm.ptr -> i32
  // CHECK: llvm.sext %[[I]] : i32 to i64
  %2 = td.item %i : tensor<i32> -> i64
  // CHECK: %[[B:.*]] = llvm.load %{{.*}} : !llvm.ptr -> i8
  // CHECK: llvm.icmp "ne" %[[B]]
  %3 = td.item %b : tensor<1x1xi1> -> i1
  return
}

// -----

// A slot that is not row-major: kernels use it as it is, other ops get a
// row-major copy, and values made row-major are reordered.
td.slot @w param "w" of "m" {layout = array<i64: 1, 0>} : tensor<2x3xf32>
llvm.func @unary(!llvm.ptr, !llvm.ptr, !llvm.ptr)
// CHECK-LABEL: llvm.func internal @tdc_main
// CHECK-SAME: %[[CTX:[^:]*]]: !llvm.ptr
func.func @main() {
  // CHECK: %[[AT_STATE:.*]] = llvm.getelementptr inbounds %[[CTX]][80]
  // CHECK-NEXT: %[[STATE:.*]] = llvm.load %[[AT_STATE]]
  // CHECK: llvm.call @tdrt_random_normal_f32(%[[ROWS:[^,]*]], %
  // CHECK: llvm.call @tdrt_slot_write(%[[CTX]], %{{.*}}, %[[ROWS]])
  %seed, %call = td.next_random
  %n = td.random normal %seed, %call : tensor<2x3xf32>
  td.write %n, @w : tensor<2x3xf32>
  // CHECK: llvm.call @tdrt_slot_read(%[[CTX]], %{{.*}}, %[[COPY:[^,)]*]]) :
  // CHECK: llvm.call @unary(%[[CTX]], %[[STATE]], %[[STATE]])
  // CHECK-NOT: tdrt_slot_write
  %w = td.read @w : tensor<2x3xf32>
  %r = td.launch @unary(%w) in_place [0, 0] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  td.write %r, @w : tensor<2x3xf32>
  // CHECK: llvm.store %[[COPY]]
  // CHECK: llvm.call @tdrt_out_tensor
  %s = td.format "{}" (%w) : tensor<2x3xf32>
  td.print %s
  return
}

// -----

// A select of tensors copies the chosen one; a reshape copies nothing.
llvm.func @make(!llvm.ptr, !llvm.ptr, !llvm.ptr)
llvm.func @use(!llvm.ptr, !llvm.ptr, !llvm.ptr)
// CHECK-LABEL: llvm.func internal @tdc_main
func.func @main() {
  %path = td.format "p"
  %c = td.exists %path
  // CHECK: llvm.call @make(%{{[^,]*}}, %[[A:[^,]*]], %[[B:[^,)]*]])
  %a, %b = td.launch @make() in_place [] : () -> (tensor<4xf32>, tensor<4xf32>)
  // CHECK: %[[CHOSEN:.*]] = llvm.select %{{.*}}, %[[A]], %[[B]] : i1, !llvm.ptr
  // CHECK: "llvm.intr.memcpy"(%[[R:[^,]*]], %[[CHOSEN]], %
  %r = arith.select %c, %a, %b : tensor<4xf32>
  %s = td.reshape %r : tensor<4xf32> to tensor<2x2xf32>
  // CHECK: llvm.call @use(%{{.*}}, %[[R]], %
  %t = td.launch @use(%s) in_place [] : (tensor<2x2xf32>) -> tensor<f32>
  return
}
