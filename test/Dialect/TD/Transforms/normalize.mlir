// RUN: tdc-opt %s --split-input-file --td-normalize | FileCheck %s

#cpu = #td.dev<cpu>
#gpu = #td.dev<cuda, 0>

// A loop that may have no iteration is wrapped in a branch.
// CHECK-LABEL: func.func @may_not_run
// CHECK-SAME: (%[[A0:[a-z0-9_]+]]: tensor<4xf32, #td.dev<cuda, 0>>, %[[A1:[a-z0-9_]+]]: i64, %[[A2:[a-z0-9_]+]]: i64) -> tensor<4xf32, #td.dev<cuda, 0>>
// CHECK: %[[C1:[a-z0-9_]+]] = arith.constant 1 : i64
// CHECK-NEXT: %[[V0:[a-z0-9_]+]] = arith.cmpi slt, %[[A1]], %[[A2]] : i64
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = scf.if %[[V0]] -> (tensor<4xf32, #td.dev<cuda, 0>>) {
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = scf.for %[[A3:[a-z0-9_]+]] = %[[A1]] to %[[A2]] step %[[C1]] iter_args(%[[A4:[a-z0-9_]+]] = %[[A0]]) -> (tensor<4xf32, #td.dev<cuda, 0>>) : i64 {
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = td.sin %[[A4]] : tensor<4xf32, #td.dev<cuda, 0>>
// CHECK-NEXT: scf.yield %[[V3]] : tensor<4xf32, #td.dev<cuda, 0>>
// CHECK-NEXT: }
// CHECK-NEXT: scf.yield %[[V2]] : tensor<4xf32, #td.dev<cuda, 0>>
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield %[[A0]] : tensor<4xf32, #td.dev<cuda, 0>>
// CHECK-NEXT: }
// CHECK-NEXT: return %[[V1]] : tensor<4xf32, #td.dev<cuda, 0>>
func.func @may_not_run(%x: tensor<4xf32, #gpu>, %a: i64, %n: i64) -> tensor<4xf32, #gpu> {
  %one = arith.constant 1 : i64
  %r = scf.for %i = %a to %n step %one iter_args(%s = %x) -> (tensor<4xf32, #gpu>) : i64 {
    %t = td.sin %s : tensor<4xf32, #gpu>
    scf.yield %t : tensor<4xf32, #gpu>
  }
  return %r : tensor<4xf32, #gpu>
}

// A loop that has an iteration stays as it is.
// CHECK-LABEL: func.func @runs
// CHECK-SAME: (%[[A0:[a-z0-9_]+]]: tensor<4xf32, #td.dev<cuda, 0>>) -> tensor<4xf32, #td.dev<cuda, 0>>
// CHECK: %[[C0:[a-z0-9_]+]] = arith.constant 0 : i64
// CHECK-NEXT: %[[C1:[a-z0-9_]+]] = arith.constant 1 : i64
// CHECK-NEXT: %[[C10:[a-z0-9_]+]] = arith.constant 10 : i64
// CHECK-NEXT: %[[V0:[a-z0-9_]+]] = scf.for %[[A1:[a-z0-9_]+]] = %[[C0]] to %[[C10]] step %[[C1]] iter_args(%[[A2:[a-z0-9_]+]] = %[[A0]]) -> (tensor<4xf32, #td.dev<cuda, 0>>) : i64 {
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = td.sin %[[A2]] : tensor<4xf32, #td.dev<cuda, 0>>
// CHECK-NEXT: scf.yield %[[V1]] : tensor<4xf32, #td.dev<cuda, 0>>
// CHECK-NEXT: }
// CHECK-NEXT: return %[[V0]] : tensor<4xf32, #td.dev<cuda, 0>>
func.func @runs(%x: tensor<4xf32, #gpu>) -> tensor<4xf32, #gpu> {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %ten = arith.constant 10 : i64
  %r = scf.for %i = %zero to %ten step %one iter_args(%s = %x) -> (tensor<4xf32, #gpu>) : i64 {
    %t = td.sin %s : tensor<4xf32, #gpu>
    scf.yield %t : tensor<4xf32, #gpu>
  }
  return %r : tensor<4xf32, #gpu>
}

// Without carried values the branch has no else side.
// CHECK-LABEL: func.func @carries_nothing
// CHECK-SAME: (%[[A0:[a-z0-9_]+]]: i64)
// CHECK: %[[C0:[a-z0-9_]+]] = arith.constant 0 : i64
// CHECK-NEXT: %[[C1:[a-z0-9_]+]] = arith.constant 1 : i64
// CHECK-NEXT: %[[V0:[a-z0-9_]+]] = td.format "iteration"
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = arith.cmpi slt, %[[C0]], %[[A0]] : i64
// CHECK-NEXT: scf.if %[[V1]] {
// CHECK-NEXT: scf.for %[[A1:[a-z0-9_]+]] = %[[C0]] to %[[A0]] step %[[C1]] : i64 {
// CHECK-NEXT: td.print %[[V0]]
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: return
func.func @carries_nothing(%n: i64) {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %text = td.format "iteration"
  scf.for %i = %zero to %n step %one : i64 {
    td.print %text
  }
  return
}

// A while loop runs if its first condition holds.
// CHECK-LABEL: func.func @while
// CHECK-SAME: (%[[A0:[a-z0-9_]+]]: tensor<4xf32, #td.dev<cuda, 0>>, %[[A1:[a-z0-9_]+]]: i1, %[[A2:[a-z0-9_]+]]: i1) -> tensor<4xf32, #td.dev<cuda, 0>>
// CHECK: %[[V0:[a-z0-9_]+]]:2 = scf.if %[[A1]] -> (i1, tensor<4xf32, #td.dev<cuda, 0>>) {
// CHECK-NEXT: %[[V1:[a-z0-9_]+]]:2 = scf.while (%[[A3:[a-z0-9_]+]] = %[[A1]], %[[A4:[a-z0-9_]+]] = %[[A0]]) : (i1, tensor<4xf32, #td.dev<cuda, 0>>) -> (i1, tensor<4xf32, #td.dev<cuda, 0>>) {
// CHECK-NEXT: scf.condition(%[[A3]]) %[[A3]], %[[A4]] : i1, tensor<4xf32, #td.dev<cuda, 0>>
// CHECK-NEXT: } do {
// CHECK-NEXT: ^bb0(%[[A3:[a-z0-9_]+]]: i1, %[[A4:[a-z0-9_]+]]: tensor<4xf32, #td.dev<cuda, 0>>):
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = td.sin %[[A4]] : tensor<4xf32, #td.dev<cuda, 0>>
// CHECK-NEXT: scf.yield %[[A2]], %[[V2]] : i1, tensor<4xf32, #td.dev<cuda, 0>>
// CHECK-NEXT: }
// CHECK-NEXT: scf.yield %[[V1]]#0, %[[V1]]#1 : i1, tensor<4xf32, #td.dev<cuda, 0>>
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield %[[A1]], %[[A0]] : i1, tensor<4xf32, #td.dev<cuda, 0>>
// CHECK-NEXT: }
// CHECK-NEXT: return %[[V0]]#1 : tensor<4xf32, #td.dev<cuda, 0>>
func.func @while(%x: tensor<4xf32, #gpu>, %first: i1, %again: i1) -> tensor<4xf32, #gpu> {
  %r:2 = scf.while (%c = %first, %s = %x) : (i1, tensor<4xf32, #gpu>) -> (i1, tensor<4xf32, #gpu>) {
    scf.condition(%c) %c, %s : i1, tensor<4xf32, #gpu>
  } do {
  ^bb0(%c: i1, %s: tensor<4xf32, #gpu>):
    %t = td.sin %s : tensor<4xf32, #gpu>
    scf.yield %again, %t : i1, tensor<4xf32, #gpu>
  }
  return %r#1 : tensor<4xf32, #gpu>
}

// If that is known there is no branch.
// CHECK-LABEL: func.func @while_runs
// CHECK-SAME: (%[[A0:[a-z0-9_]+]]: tensor<4xf32, #td.dev<cuda, 0>>, %[[A1:[a-z0-9_]+]]: i1) -> tensor<4xf32, #td.dev<cuda, 0>>
// CHECK: %[[V0:[a-z0-9_]+]] = arith.constant true
// CHECK-NEXT: %[[V1:[a-z0-9_]+]]:2 = scf.while (%[[A2:[a-z0-9_]+]] = %[[V0]], %[[A3:[a-z0-9_]+]] = %[[A0]]) : (i1, tensor<4xf32, #td.dev<cuda, 0>>) -> (i1, tensor<4xf32, #td.dev<cuda, 0>>) {
// CHECK-NEXT: scf.condition(%[[A2]]) %[[A2]], %[[A3]] : i1, tensor<4xf32, #td.dev<cuda, 0>>
// CHECK-NEXT: } do {
// CHECK-NEXT: ^bb0(%[[A2:[a-z0-9_]+]]: i1, %[[A3:[a-z0-9_]+]]: tensor<4xf32, #td.dev<cuda, 0>>):
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = td.sin %[[A3]] : tensor<4xf32, #td.dev<cuda, 0>>
// CHECK-NEXT: scf.yield %[[A1]], %[[V2]] : i1, tensor<4xf32, #td.dev<cuda, 0>>
// CHECK-NEXT: }
// CHECK-NEXT: return %[[V1]]#1 : tensor<4xf32, #td.dev<cuda, 0>>
func.func @while_runs(%x: tensor<4xf32, #gpu>, %again: i1) -> tensor<4xf32, #gpu> {
  %true = arith.constant true
  %r:2 = scf.while (%c = %true, %s = %x) : (i1, tensor<4xf32, #gpu>) -> (i1, tensor<4xf32, #gpu>) {
    scf.condition(%c) %c, %s : i1, tensor<4xf32, #gpu>
  } do {
  ^bb0(%c: i1, %s: tensor<4xf32, #gpu>):
    %t = td.sin %s : tensor<4xf32, #gpu>
    scf.yield %again, %t : i1, tensor<4xf32, #gpu>
  }
  return %r#1 : tensor<4xf32, #gpu>
}

// Inner loops, too, each inside its own branch.
// CHECK-LABEL: func.func @nested
// CHECK-SAME: (%[[A0:[a-z0-9_]+]]: i64, %[[A1:[a-z0-9_]+]]: i64)
// CHECK: %[[C0:[a-z0-9_]+]] = arith.constant 0 : i64
// CHECK-NEXT: %[[C1:[a-z0-9_]+]] = arith.constant 1 : i64
// CHECK-NEXT: %[[V0:[a-z0-9_]+]] = td.format "iteration"
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = arith.cmpi slt, %[[C0]], %[[A0]] : i64
// CHECK-NEXT: scf.if %[[V1]] {
// CHECK-NEXT: scf.for %[[A2:[a-z0-9_]+]] = %[[C0]] to %[[A0]] step %[[C1]] : i64 {
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = arith.cmpi slt, %[[C0]], %[[A1]] : i64
// CHECK-NEXT: scf.if %[[V2]] {
// CHECK-NEXT: scf.for %[[A3:[a-z0-9_]+]] = %[[C0]] to %[[A1]] step %[[C1]] : i64 {
// CHECK-NEXT: td.print %[[V0]]
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: return
func.func @nested(%n: i64, %m: i64) {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %text = td.format "iteration"
  scf.for %i = %zero to %n step %one : i64 {
    scf.for %j = %zero to %m step %one : i64 {
      td.print %text
    }
  }
  return
}

// A select of tensors becomes a branch, a select of numbers does not.
// CHECK-LABEL: func.func @select
// CHECK-SAME: (%[[A0:[a-z0-9_]+]]: i1, %[[A1:[a-z0-9_]+]]: tensor<4xf32, #td.dev<cuda, 0>>, %[[A2:[a-z0-9_]+]]: tensor<4xf32, #td.dev<cuda, 0>>, %[[A3:[a-z0-9_]+]]: i64, %[[A4:[a-z0-9_]+]]: i64) -> (tensor<4xf32, #td.dev<cuda, 0>>, i64)
// CHECK: %[[V0:[a-z0-9_]+]] = scf.if %[[A0]] -> (tensor<4xf32, #td.dev<cuda, 0>>) {
// CHECK-NEXT: scf.yield %[[A1]] : tensor<4xf32, #td.dev<cuda, 0>>
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield %[[A2]] : tensor<4xf32, #td.dev<cuda, 0>>
// CHECK-NEXT: }
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = arith.select %[[A0]], %[[A3]], %[[A4]] : i64
// CHECK-NEXT: return %[[V0]], %[[V1]] : tensor<4xf32, #td.dev<cuda, 0>>, i64
func.func @select(%c: i1, %x: tensor<4xf32, #gpu>, %y: tensor<4xf32, #gpu>, %i: i64, %j: i64) -> (tensor<4xf32, #gpu>, i64) {
  %r = arith.select %c, %x, %y : tensor<4xf32, #gpu>
  %k = arith.select %c, %i, %j : i64
  return %r, %k : tensor<4xf32, #gpu>, i64
}

// -----

// A module on one device stays as it is.
// CHECK-LABEL: func.func @one_device
// CHECK-SAME: (%[[A0:[a-z0-9_]+]]: tensor<4xf32, #td.dev<cpu>>, %[[A1:[a-z0-9_]+]]: i64) -> tensor<4xf32, #td.dev<cpu>>
// CHECK: %[[C0:[a-z0-9_]+]] = arith.constant 0 : i64
// CHECK-NEXT: %[[C1:[a-z0-9_]+]] = arith.constant 1 : i64
// CHECK-NEXT: %[[V0:[a-z0-9_]+]] = scf.for %[[A2:[a-z0-9_]+]] = %[[C0]] to %[[A1]] step %[[C1]] iter_args(%[[A3:[a-z0-9_]+]] = %[[A0]]) -> (tensor<4xf32, #td.dev<cpu>>) : i64 {
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = td.sin %[[A3]] : tensor<4xf32, #td.dev<cpu>>
// CHECK-NEXT: scf.yield %[[V1]] : tensor<4xf32, #td.dev<cpu>>
// CHECK-NEXT: }
// CHECK-NEXT: return %[[V0]] : tensor<4xf32, #td.dev<cpu>>
func.func @one_device(%x: tensor<4xf32, #td.dev<cpu>>, %n: i64) -> tensor<4xf32, #td.dev<cpu>> {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %r = scf.for %i = %zero to %n step %one iter_args(%s = %x) -> (tensor<4xf32, #td.dev<cpu>>) : i64 {
    %t = td.sin %s : tensor<4xf32, #td.dev<cpu>>
    scf.yield %t : tensor<4xf32, #td.dev<cpu>>
  }
  return %r : tensor<4xf32, #td.dev<cpu>>
}

// -----

// So does a module with td.as_written.
module attributes {td.as_written} {
// CHECK-LABEL: func.func @as_written
// CHECK-SAME: (%[[A0:[a-z0-9_]+]]: i1, %[[A1:[a-z0-9_]+]]: tensor<4xf32, #td.dev<cuda, 0>>, %[[A2:[a-z0-9_]+]]: tensor<4xf32, #td.dev<cuda, 0>>) -> tensor<4xf32, #td.dev<cuda, 0>>
// CHECK: %[[V0:[a-z0-9_]+]] = td.sin %[[A1]] : tensor<4xf32, #td.dev<cuda, 0>>
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = arith.select %[[A0]], %[[V0]], %[[A2]] : tensor<4xf32, #td.dev<cuda, 0>>
// CHECK-NEXT: return %[[V1]] : tensor<4xf32, #td.dev<cuda, 0>>
func.func @as_written(%c: i1, %x: tensor<4xf32, #td.dev<cuda, 0>>, %y: tensor<4xf32, #td.dev<cuda, 0>>) -> tensor<4xf32, #td.dev<cuda, 0>> {
  %z = td.sin %x : tensor<4xf32, #td.dev<cuda, 0>>
  %r = arith.select %c, %z, %y : tensor<4xf32, #td.dev<cuda, 0>>
  return %r : tensor<4xf32, #td.dev<cuda, 0>>
}
}

// -----

// A counted loop with a way out runs if its bounds say so.
// CHECK-LABEL: @known
// CHECK-NOT: scf.if
// CHECK: scf.while
// CHECK: td.counted
func.func @known(%runs: i1) {
  %first = arith.constant 0 : i64
  %iterations = arith.constant 5 : i64
  %one = arith.constant 1.0 : f64
  %x = td.fill %one : f64 -> tensor<2xf32, #td.dev<cuda, 0>>
  %0:4 = scf.while (%on = %runs, %i = %first, %n = %iterations, %v = %x) : (i1, i64, i64, tensor<2xf32, #td.dev<cuda, 0>>) -> (i1, i64, i64, tensor<2xf32, #td.dev<cuda, 0>>) {
    scf.condition(%on) %on, %i, %n, %v : i1, i64, i64, tensor<2xf32, #td.dev<cuda, 0>>
  } do {
  ^bb0(%on: i1, %i: i64, %n: i64, %v: tensor<2xf32, #td.dev<cuda, 0>>):
    %t = td.format "iteration"
    td.print %t
    scf.yield %on, %i, %n, %v : i1, i64, i64, tensor<2xf32, #td.dev<cuda, 0>>
  } attributes {td.counted}
  %t = td.format "{}"(%0#3) : tensor<2xf32, #td.dev<cuda, 0>>
  td.print %t
  return
}

// CHECK-LABEL: @unknown
// CHECK-SAME: (%[[RUNS:.*]]: i1
// CHECK: scf.if %[[RUNS]]
// CHECK: scf.while
// CHECK: td.counted
func.func @unknown(%runs: i1, %iterations: i64) {
  %first = arith.constant 0 : i64
  %0:3 = scf.while (%on = %runs, %i = %first, %n = %iterations) : (i1, i64, i64) -> (i1, i64, i64) {
    scf.condition(%on) %on, %i, %n : i1, i64, i64
  } do {
  ^bb0(%on: i1, %i: i64, %n: i64):
    %t = td.format "iteration"
    td.print %t
    scf.yield %on, %i, %n : i1, i64, i64
  } attributes {td.counted}
  return
}
