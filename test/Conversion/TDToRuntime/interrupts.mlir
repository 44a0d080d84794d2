// RUN: tdc-opt %s --td-to-runtime | FileCheck %s

// Interrupts (^C) are checked after a large kernel outside of loops, and at the
// end of each iteration.
llvm.func @small(!llvm.ptr, !llvm.ptr, !llvm.ptr)
llvm.func @large(!llvm.ptr, !llvm.ptr, !llvm.ptr)
// CHECK-LABEL: llvm.func internal @tdc_main
func.func @main() {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c9 = arith.constant 9 : i64
  %x = td.constant dense<1.0> : tensor<4xf32>
  %y = td.constant dense<1.0> : tensor<65536xf32>
  // CHECK: llvm.call @small
  // CHECK-NOT: llvm.load volatile
  // CHECK: llvm.call @large
  // CHECK: llvm.load volatile
  %a = td.launch @small(%x) in_place [] : (tensor<4xf32>) -> tensor<4xf32>
  %b = td.launch @large(%y) in_place [] : (tensor<65536xf32>) -> tensor<65536xf32>
  scf.for %i = %c0 to %c9 step %c1 : i64 {
    // CHECK: llvm.call @large
    // CHECK-NOT: llvm.load volatile
    // CHECK: llvm.call @large
    // CHECK: llvm.load volatile
    %c = td.launch @large(%b) in_place [] : (tensor<65536xf32>) -> tensor<65536xf32>
    %d = td.launch @large(%c) in_place [] : (tensor<65536xf32>) -> tensor<65536xf32>
  }
  return
}
