// RUN: tdc-opt --td-normalize %s | FileCheck %s
// Loops that may have no turn stand in a branch that asks.

// CHECK-LABEL: @known
// CHECK-NOT: scf.if
// CHECK: scf.while
// CHECK: td.counted
func.func @known(%runs: i1) {
  %first = arith.constant 0 : i64
  %turns = arith.constant 5 : i64
  %one = arith.constant 1.0 : f64
  %x = td.fill %one : f64 -> tensor<2xf32, #td.dev<cuda, 0>>
  %0:4 = scf.while (%on = %runs, %i = %first, %n = %turns, %v = %x) : (i1, i64, i64, tensor<2xf32, #td.dev<cuda, 0>>) -> (i1, i64, i64, tensor<2xf32, #td.dev<cuda, 0>>) {
    scf.condition(%on) %on, %i, %n, %v : i1, i64, i64, tensor<2xf32, #td.dev<cuda, 0>>
  } do {
  ^bb0(%on: i1, %i: i64, %n: i64, %v: tensor<2xf32, #td.dev<cuda, 0>>):
    scf.yield %on, %i, %n, %v : i1, i64, i64, tensor<2xf32, #td.dev<cuda, 0>>
  } attributes {td.counted}
  return
}

// CHECK-LABEL: @unknown
// CHECK-SAME: (%[[RUNS:.*]]: i1
// CHECK: scf.if %[[RUNS]]
// CHECK: scf.while
// CHECK: td.counted
func.func @unknown(%runs: i1, %turns: i64) {
  %first = arith.constant 0 : i64
  %0:3 = scf.while (%on = %runs, %i = %first, %n = %turns) : (i1, i64, i64) -> (i1, i64, i64) {
    scf.condition(%on) %on, %i, %n : i1, i64, i64
  } do {
  ^bb0(%on: i1, %i: i64, %n: i64):
    scf.yield %on, %i, %n : i1, i64, i64
  } attributes {td.counted}
  return
}
