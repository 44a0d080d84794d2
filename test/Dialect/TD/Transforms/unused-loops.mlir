// RUN: tdc-opt %s --td-unused-loops --split-input-file --verify-diagnostics=only-expected | FileCheck %s

// Values without uses, also if a loop only carries them for itself. Drawn random
// numbers keep the loop, but not the values computed from them.
// CHECK-LABEL: func.func @nothing
// CHECK-COUNT-3: scf.for
func.func @nothing(%x: tensor<4xf32>) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c9 = arith.constant 9 : i64
  // expected-warning @below {{TD606: nothing uses what this loop computes, so the loop is removed}}
  %y = scf.for %i = %c0 to %c9 step %c1 iter_args(%old = %x) -> (tensor<4xf32>) : i64 {
    %new = td.exp %old : tensor<4xf32>
    scf.yield %new : tensor<4xf32>
  }
  // expected-warning @below {{TD606}}
  scf.for %i = %c0 to %c9 step %c1 : i64 {
    scf.for %j = %c0 to %i step %c1 : i64 {
      %seed, %call = td.next_random
      %r = td.random normal %seed, %call : tensor<4xf32>
    }
  }
  return
}

// -----

// A training step: only the parameter's own next step reads it.
td.slot @w param "w" of "m" : tensor<f32>
td.slot @g grad "w" of "m" : tensor<f32>

func.func @training(%x: tensor<f32>) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c9 = arith.constant 9 : i64
  // expected-warning @below {{TD606}}
  scf.for %i = %c0 to %c9 step %c1 : i64 {
    %w = td.read @w : tensor<f32>
    %loss = td.mul %w, %x : tensor<f32>
    td.backward %loss [@w] into [@g] : tensor<f32>
    %g = td.read @g : tensor<f32>
    %next = td.sub %w, %g : tensor<f32>
    td.write %next, @w : tensor<f32>
  }
  return
}

// -----

// The checks of an index from a file stay; not those of one that was drawn, and of
// one that a parameter decides about.
// CHECK-LABEL: func.func @labels
// CHECK: td.assert
// CHECK-NEXT: td.gather
// CHECK-NOT: td.assert
// CHECK: return
td.slot @w param "w" of "m" : tensor<4xf32>

func.func @labels(%table: tensor<10x4xf32>) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c9 = arith.constant 9 : i64
  %name = td.format "y.npy"
  %y = td.load %name : tensor<9xi64>
  // expected-warning @below {{TD606}}
  scf.for %i = %c0 to %c9 step %c1 : i64 {
    %label = td.slice %y[%i] dim 0 step 1 : tensor<9xi64> to tensor<1xi64>
    %row = td.gather %table, %label dim 0 : tensor<10x4xf32>, tensor<1xi64> -> tensor<1x4xf32>
    %seed, %call = td.next_random
    %drawn = td.random permutation %seed, %call : tensor<9xi64>
    %other = td.gather %table, %drawn dim 0 : tensor<10x4xf32>, tensor<9xi64> -> tensor<9x4xf32>
    %w = td.read @w : tensor<4xf32>
    %largest = td.arg_reduce max %w [0] : tensor<4xf32> to tensor<i64>
    %chosen = td.gather %table, %largest dim 0 : tensor<10x4xf32>, tensor<i64> -> tensor<4xf32>
  }
  return
}

// -----

// Loops without a warning: their values are returned, printed or checked, are
// numbers, or have a use in a part that was left out.
// CHECK-LABEL: func.func @used
// CHECK-NOT: td.read_elsewhere
func.func @used(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c9 = arith.constant 9 : i64
  %y = scf.for %i = %c0 to %c9 step %c1 iter_args(%old = %x) -> (tensor<4xf32>) : i64 {
    %new = td.exp %old : tensor<4xf32>
    scf.yield %new : tensor<4xf32>
  }
  scf.for %i = %c0 to %c9 step %c1 : i64 {
    %z = td.exp %x : tensor<4xf32>
    %text = td.format "{}"(%z) : tensor<4xf32>
    td.print %text
  }
  %n = scf.for %i = %c0 to %c9 step %c1 iter_args(%old = %c0) -> (i64) : i64 {
    %new = arith.addi %old, %i : i64
    scf.yield %new : i64
  }
  %z = scf.for %i = %c0 to %c9 step %c1 iter_args(%old = %x) -> (tensor<4xf32>) : i64 {
    %new = td.exp %old : tensor<4xf32>
    scf.yield %new : tensor<4xf32>
  } {td.read_elsewhere}
  return %y : tensor<4xf32>
}
