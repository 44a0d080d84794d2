// RUN: tdc-opt %s --td-verify-buffers | FileCheck %s
// Correct plans are accepted and left unchanged. Rejected plans are tested in
// test/Unit/Conversion/TDToRuntime, as the planner makes none.

td.slot @w param "w" of "m" : tensor<16xf32>
llvm.func @make(!llvm.ptr, !llvm.ptr)
llvm.func @look(!llvm.ptr, !llvm.ptr)
llvm.func @unary(!llvm.ptr, !llvm.ptr, !llvm.ptr)

// A slot that is written unchanged, in place, and read again in a branch.
// CHECK-LABEL: func.func @main
// CHECK: td.write %{{.*}}, @w
// CHECK: td.launch @unary(%{{.*}}) in_place [0, 0]
// CHECK: td.write %{{.*}}, @w
func.func @main() {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c3 = arith.constant 3 : i64
  %yes = arith.constant true
  %w = td.read @w : tensor<16xf32>
  scf.for %i = %c0 to %c3 step %c1 : i64 {
    td.launch @look(%w) in_place [] : (tensor<16xf32>) -> ()
    td.write %w, @w : tensor<16xf32>
  }
  %n = td.launch @unary(%w) in_place [0, 0] : (tensor<16xf32>) -> tensor<16xf32>
  td.write %n, @w : tensor<16xf32>
  scf.if %yes {
    %a = td.read @w : tensor<16xf32>
    td.launch @look(%a) in_place [] : (tensor<16xf32>) -> ()
  } else {
    %b = td.launch @make() in_place [] : () -> tensor<16xf32>
    td.write %b, @w : tensor<16xf32>
  }
  return
}
