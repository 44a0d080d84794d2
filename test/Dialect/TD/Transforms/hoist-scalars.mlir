// RUN: tdc-opt %s --td-hoist-scalars --split-input-file | FileCheck %s

td.slot @step moment "step" of "o" : tensor<i64, #td.dev<cpu>>

// The step is read and its power computed before the kernel, which uses neither.
// CHECK-LABEL: func.func @rates
// CHECK: td.read @step
// CHECK: td.item
// CHECK: arith.sitofp
// CHECK: math.powf
// CHECK: td.kernel
// CHECK: return
func.func @rates(%x: tensor<4xf32>, %beta: f64) -> (tensor<4xf32>, f64) {
  %y = td.kernel (%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%p: tensor<4xf32>):
    %e = td.exp %p : tensor<4xf32>
    td.yield %e : tensor<4xf32>
  }
  %t = td.read @step : tensor<i64, #td.dev<cpu>>
  %i = td.item %t : tensor<i64, #td.dev<cpu>> -> i64
  %f = arith.sitofp %i : i64 to f64
  %r = math.powf %beta, %f : f64
  return %y, %r : tensor<4xf32>, f64
}

// -----

td.slot @step moment "step" of "o" : tensor<i64, #td.dev<cpu>>

// A read is not moved before a write to its slot.
// CHECK-LABEL: func.func @written
// CHECK: td.write
// CHECK-NEXT: td.read @step
// CHECK-NEXT: td.item
// CHECK: td.kernel
func.func @written(%x: tensor<4xf32>, %new: tensor<i64, #td.dev<cpu>>) -> (tensor<4xf32>, i64) {
  td.write %new, @step : tensor<i64, #td.dev<cpu>>
  %y = td.kernel (%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%p: tensor<4xf32>):
    %e = td.exp %p : tensor<4xf32>
    td.yield %e : tensor<4xf32>
  }
  %t = td.read @step : tensor<i64, #td.dev<cpu>>
  %i = td.item %t : tensor<i64, #td.dev<cpu>> -> i64
  return %y, %i : tensor<4xf32>, i64
}

// -----

td.slot @step moment "step" of "o" : tensor<i64, #td.dev<cpu>>

// Nor before a loop that writes the slot.
// CHECK-LABEL: func.func @looped
// CHECK: scf.for
// CHECK: td.read @step
// CHECK-NEXT: td.item
func.func @looped(%x: tensor<4xf32>, %new: tensor<i64, #td.dev<cpu>>, %n: i64) -> (tensor<4xf32>, i64) {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %y = td.kernel (%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%p: tensor<4xf32>):
    %e = td.exp %p : tensor<4xf32>
    td.yield %e : tensor<4xf32>
  }
  scf.for %i = %zero to %n step %one : i64 {
    td.write %new, @step : tensor<i64, #td.dev<cpu>>
  }
  %t = td.read @step : tensor<i64, #td.dev<cpu>>
  %i = td.item %t : tensor<i64, #td.dev<cpu>> -> i64
  return %y, %i : tensor<4xf32>, i64
}

// -----

td.slot @step moment "step" of "o" : tensor<i64, #td.dev<cpu>>

// Nor before an op with unknown writes.
// CHECK-LABEL: func.func @restored
// CHECK: td.restore
// CHECK: td.read @step
// CHECK-NEXT: td.item
func.func @restored(%x: tensor<4xf32>, %path: !td.str) -> (tensor<4xf32>, i64) {
  %y = td.kernel (%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%p: tensor<4xf32>):
    %e = td.exp %p : tensor<4xf32>
    td.yield %e : tensor<4xf32>
  }
  td.restore %path [@step] as ["step"]
  %t = td.read @step : tensor<i64, #td.dev<cpu>>
  %i = td.item %t : tensor<i64, #td.dev<cpu>> -> i64
  return %y, %i : tensor<4xf32>, i64
}

// -----

// Users of a kernel's result stay after it, and so do ops that may trap: the
// divisor may be checked in between.
// CHECK-LABEL: func.func @computed
// CHECK: td.kernel
// CHECK: td.item
// CHECK: arith.divsi
func.func @computed(%x: tensor<i64, #td.dev<cpu>>, %a: i64, %b: i64) -> (i64, i64) {
  %y = td.kernel (%x) : (tensor<i64, #td.dev<cpu>>) -> tensor<i64, #td.dev<cpu>> {
  ^bb0(%p: tensor<i64, #td.dev<cpu>>):
    %e = td.neg %p : tensor<i64, #td.dev<cpu>>
    td.yield %e : tensor<i64, #td.dev<cpu>>
  }
  %i = td.item %y : tensor<i64, #td.dev<cpu>> -> i64
  %q = arith.divsi %a, %b : i64
  return %i, %q : i64, i64
}

// -----

// A division is not moved before the check that its divisor is not 0.
// CHECK-LABEL: func.func @guarded
// CHECK: arith.remsi %arg1, %c3
// CHECK: td.kernel
// CHECK: td.assert
// CHECK-NEXT: arith.divsi
// CHECK-NEXT: arith.remsi
// CHECK-NEXT: return
func.func @guarded(%x: tensor<4xf32>, %a: i64, %b: i64) -> (tensor<4xf32>, i64, i64, i64) {
  %y = td.kernel (%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%p: tensor<4xf32>):
    %e = td.exp %p : tensor<4xf32>
    td.yield %e : tensor<4xf32>
  }
  %zero = arith.constant 0 : i64
  %three = arith.constant 3 : i64
  %text = td.format "division by zero"
  %fixed = arith.remsi %a, %three : i64
  %ok = arith.cmpi ne, %b, %zero : i64
  td.assert %ok, %text {td.code = 102 : i32}
  %q = arith.divsi %a, %b : i64
  %r = arith.remsi %a, %b : i64
  return %y, %fixed, %q, %r : tensor<4xf32>, i64, i64, i64
}
