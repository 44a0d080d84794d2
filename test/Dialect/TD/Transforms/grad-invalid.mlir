// RUN: tdc-opt %s --td-grad --split-input-file --verify-diagnostics

td.slot @w param "w" of "m" : tensor<f32>
td.slot @gw grad "w" of "m" : tensor<f32>

func.func @written_between(%x: tensor<f32>) {
  // expected-note @below {{used here, with its old value}}
  %w = td.read @w : tensor<f32>
  %y = td.mul %w, %x : tensor<f32>
  // expected-note @below {{changed here}}
  td.write %x, @w : tensor<f32>
  // expected-error @below {{TD611: `w` was changed after the value to differentiate was computed from it}}
  td.backward %y [@w] into [@gw] : tensor<f32>
  return
}

// -----

td.slot @w param "w" of "m" : tensor<f32>

func.func @written_between_in_region(%x: tensor<f32>, %c: i1) -> tensor<f32> {
  // expected-note @below {{used here, with its old value}}
  %w = td.read @w : tensor<f32>
  %y = td.mul %w, %x : tensor<f32>
  scf.if %c {
    // expected-note @below {{changed here}}
    td.write %x, @w : tensor<f32>
  }
  // expected-error @below {{TD611: `w` was changed}}
  %g = td.grad %y wrt(%w) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %g : tensor<f32>
}

// -----

// The write of one iteration lies between the read and the next iteration's
// gradient.
td.slot @w param "w" of "m" : tensor<f32>
td.slot @gw grad "w" of "m" : tensor<f32>

func.func @written_by_loop(%x: tensor<f32>, %n: i64) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  // expected-note @below {{used here, with its old value}}
  %w = td.read @w : tensor<f32>
  %y = td.mul %w, %x : tensor<f32>
  scf.for %i = %c0 to %n step %c1 : i64 {
    // expected-error @below {{TD611: `w` was changed}}
    td.backward %y [@w] into [@gw] : tensor<f32>
    // expected-note @below {{changed here}}
    td.write %x, @w : tensor<f32>
  }
  return
}

// -----

td.slot @w param "w" of "m" : tensor<f32>
td.slot @gw grad "w" of "m" : tensor<f32>

func.func @restored_between(%x: tensor<f32>, %path: !td.str) {
  // expected-note @below {{used here, with its old value}}
  %w = td.read @w : tensor<f32>
  %y = td.mul %w, %x : tensor<f32>
  // expected-note @below {{changed here}}
  td.restore %path [@w] as ["w"]
  // expected-error @below {{TD611: `w` was changed}}
  td.backward %y [@w] into [@gw] : tensor<f32>
  return
}

// -----

// The hidden state of earlier iterations depends on the parameter too.
td.slot @w param "w" of "m" : tensor<f32>
td.slot @gw grad "w" of "m" : tensor<f32>

func.func @carried_into_iteration(%h0: tensor<f32>, %n: i64) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  // expected-note @below {{an earlier iteration's result is part of the value to differentiate; detach(…) it if that is not meant}}
  %h = scf.for %i = %c0 to %n step %c1 iter_args(%p = %h0) -> (tensor<f32>) : i64 {
    %w = td.read @w : tensor<f32>
    %y = td.mul %w, %p : tensor<f32>
    // expected-error @below {{TD900: gradient through this loop is not built yet}}
    td.backward %y [@w] into [@gw] : tensor<f32>
    scf.yield %y : tensor<f32>
  }
  return
}

// -----

func.func @run_time_size_in_loop(%h0: tensor<?xf32>, %n: i64) -> tensor<?xf32> {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  // expected-error @below {{TD900: gradient through this loop is not built yet}}
  %h = scf.for %i = %c0 to %n step %c1 iter_args(%p = %h0) -> (tensor<?xf32>) : i64 {
    // expected-note @below {{the backward pass needs this value of every iteration, and its size is known only at run time}}
    %y = td.tanh %p : tensor<?xf32>
    scf.yield %y : tensor<?xf32>
  }
  %l = td.reduce sum %h [0] : tensor<?xf32> to tensor<f32>
  %g = td.grad %l wrt(%h0) : (tensor<f32>, tensor<?xf32>) -> tensor<?xf32>
  return %g : tensor<?xf32>
}

// -----

// Two sizes of the command line.
func.func @main() -> tensor<?xf32> {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %n = td.arg "n" : i64
  %m = td.arg "m" : i64
  %size = arith.addi %n, %m : i64
  %one = arith.constant 1.0 : f64
  %h0 = td.fill %one sizes(%size) : f64 -> tensor<?xf32>
  // expected-error @below {{TD900: gradient through this loop is not built yet}}
  %h = scf.for %i = %c0 to %n step %c1 iter_args(%p = %h0) -> (tensor<?xf32>) : i64 {
    // expected-note @below {{the backward pass needs this value of every iteration, and its size is known only at run time}}
    // expected-note @below {{`--set n=… --set m=…` makes the size known}}
    %y = td.tanh %p : tensor<?xf32>
    scf.yield %y : tensor<?xf32>
  }
  %l = td.reduce sum %h [0] : tensor<?xf32> to tensor<f32>
  %g = td.grad %l wrt(%h0) : (tensor<f32>, tensor<?xf32>) -> tensor<?xf32>
  return %g : tensor<?xf32>
}

// -----

td.slot @w param "w" of "m" : tensor<f32>
td.slot @gw grad "w" of "m" : tensor<f32>

func.func @no_path(%x: tensor<f32>) {
  %w = td.read @w : tensor<f32>
  // expected-note @below {{cut off here, by `detach` or `with no_grad`}}
  %d = td.detach %w : tensor<f32>
  // expected-note @below {{no gradient passes through this}}
  %i = td.cast %w : tensor<f32> to tensor<i64>
  %f = td.cast %i : tensor<i64> to tensor<f32>
  %y = td.mul %d, %f : tensor<f32>
  // expected-error @below {{TD602: there is nothing to differentiate: no parameter that can learn has a part in this}}
  td.backward %y [@w] into [@gw] : tensor<f32>
  return
}

// -----

td.slot @w param "w" of "m" : tensor<f32>
td.slot @gw grad "w" of "m" : tensor<f32>

func.func @step_without_gradient() {
  // expected-warning @below {{TD605: no `backward` gives these parameters a gradient}}
  %g = td.read @gw : tensor<f32>
  %w = td.read @w : tensor<f32>
  %next = td.sub %w, %g : tensor<f32>
  td.write %next, @w : tensor<f32>
  return
}

// -----

func.func @unrelated(%x: tensor<f32>, %y: tensor<f32>) -> tensor<f32> {
  // expected-error @below {{TD602: there is nothing to differentiate: the value does not depend on what its gradient is taken by}}
  %g = td.grad %x wrt(%y) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %g : tensor<f32>
}

// -----

td.slot @w param "w" of "m" : tensor<f32>
td.slot @gw grad "w" of "m" : tensor<f32>

func.func @through_while(%go: i1) {
  %w = td.read @w : tensor<f32>
  // expected-error @below {{TD900: the gradient through a `while` loop, or one that `break` or `return` ends, is not built yet}}
  %r:2 = scf.while (%g = %go, %x = %w) : (i1, tensor<f32>) -> (i1, tensor<f32>) {
    scf.condition(%g) %g, %x : i1, tensor<f32>
  } do {
  ^bb0(%g: i1, %x: tensor<f32>):
    %y = td.mul %x, %w : tensor<f32>
    %no = arith.constant false
    scf.yield %no, %y : i1, tensor<f32>
  }
  td.backward %r#1 [@w] into [@gw] : tensor<f32>
  return
}
