// RUN: tdc-opt %s --td-simplify --split-input-file | FileCheck %s

// A training loop with zero_grad: the gradient slot is written and read within
// one iteration, so it is a value, and the slot is gone.
// CHECK-NOT: @g
td.slot @w param "w" of "m" : tensor<4xf32>
td.slot @g grad "w" of "m" : tensor<4xf32>

// CHECK-LABEL: func.func @main
// CHECK: %[[C0:[a-z0-9_]+]] = arith.constant 0 : i64
// CHECK-NEXT: %[[C1:[a-z0-9_]+]] = arith.constant 1 : i64
// CHECK-NEXT: %[[C2:[a-z0-9_]+]] = arith.constant 5 : i64
// CHECK-NEXT: scf.for %[[A0:[a-z0-9_]+]] = %[[C0]] to %[[C2]] step %[[C1]] : i64 {
// CHECK-NEXT: %[[V0:[a-z0-9_]+]] = td.read @w : tensor<4xf32>
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = td.exp %[[V0]] : tensor<4xf32>
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = td.sub %[[V0]], %[[V1]] : tensor<4xf32>
// CHECK-NEXT: td.write %[[V2]], @w : tensor<4xf32>
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = td.reduce sum %[[V1]] [0] : tensor<4xf32> to tensor<f32>
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = td.format "{}"(%[[V3]]) : tensor<f32>
// CHECK-NEXT: td.print %[[V4]]
// CHECK: return
func.func @main() {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c5 = arith.constant 5 : i64
  %zero = arith.constant 0.0 : f64
  scf.for %i = %c0 to %c5 step %c1 : i64 {
    %z = td.fill %zero : f64 -> tensor<4xf32>
    td.write %z, @g : tensor<4xf32>
    %w = td.read @w : tensor<4xf32>
    %dw = td.exp %w : tensor<4xf32>
    %old = td.read @g : tensor<4xf32>
    %sum = td.add %old, %dw : tensor<4xf32>
    td.write %sum, @g : tensor<4xf32>
    %w1 = td.read @w : tensor<4xf32>
    %g = td.read @g : tensor<4xf32>
    %new = td.sub %w1, %g : tensor<4xf32>
    td.write %new, @w : tensor<4xf32>
    %l = td.reduce sum %dw [0] : tensor<4xf32> to tensor<f32>
    %s = td.format "{}" (%l) : tensor<f32>
    td.print %s
  }
  return
}

// -----

// zero_grad at the end of the body: the slot is zero in every iteration.
// CHECK-NOT: @g
td.slot @w param "w" of "m" : tensor<f32>
td.slot @g grad "w" of "m" : tensor<f32>

// CHECK-LABEL: func.func @main
// CHECK: %[[C0:[a-z0-9_]+]] = arith.constant 0 : i64
// CHECK-NEXT: %[[C1:[a-z0-9_]+]] = arith.constant 1 : i64
// CHECK-NEXT: %[[C2:[a-z0-9_]+]] = arith.constant 5 : i64
// CHECK-NEXT: scf.for %[[A0:[a-z0-9_]+]] = %[[C0]] to %[[C2]] step %[[C1]] : i64 {
// CHECK-NEXT: %[[V0:[a-z0-9_]+]] = td.read @w : tensor<f32>
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = td.exp %[[V0]] : tensor<f32>
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = td.sub %[[V0]], %[[V1]] : tensor<f32>
// CHECK-NEXT: td.write %[[V2]], @w : tensor<f32>
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = td.format "{}"(%[[V1]]) : tensor<f32>
// CHECK-NEXT: td.print %[[V3]]
// CHECK: return
func.func @main() {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c5 = arith.constant 5 : i64
  %zero = arith.constant 0.0 : f64
  scf.for %i = %c0 to %c5 step %c1 : i64 {
    %w = td.read @w : tensor<f32>
    %dw = td.exp %w : tensor<f32>
    %old = td.read @g : tensor<f32>
    %sum = td.add %old, %dw : tensor<f32>
    td.write %sum, @g : tensor<f32>
    %g = td.read @g : tensor<f32>
    %new = td.sub %w, %g : tensor<f32>
    td.write %new, @w : tensor<f32>
    %s = td.format "{}" (%g) : tensor<f32>
    td.print %s
    %z = td.fill %zero : f64 -> tensor<f32>
    td.write %z, @g : tensor<f32>
  }
  return
}

// -----

// Gradients that accumulate over iterations stay.
td.slot @w param "w" of "m" : tensor<f32>
td.slot @g grad "w" of "m" : tensor<f32>

// CHECK-LABEL: func.func @main
// CHECK: %[[C0:[a-z0-9_]+]] = arith.constant 0 : i64
// CHECK-NEXT: %[[C1:[a-z0-9_]+]] = arith.constant 1 : i64
// CHECK-NEXT: %[[C2:[a-z0-9_]+]] = arith.constant 5 : i64
// CHECK-NEXT: scf.for %[[A0:[a-z0-9_]+]] = %[[C0]] to %[[C2]] step %[[C1]] : i64 {
// CHECK-NEXT: %[[V0:[a-z0-9_]+]] = td.read @w : tensor<f32>
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = td.exp %[[V0]] : tensor<f32>
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = td.read @g : tensor<f32>
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = td.add %[[V2]], %[[V1]] : tensor<f32>
// CHECK-NEXT: td.write %[[V3]], @g : tensor<f32>
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = td.sub %[[V0]], %[[V3]] : tensor<f32>
// CHECK-NEXT: td.write %[[V4]], @w : tensor<f32>
// CHECK-NEXT: %[[V5:[a-z0-9_]+]] = td.format "{}"(%[[V4]]) : tensor<f32>
// CHECK-NEXT: td.print %[[V5]]
// CHECK: return
func.func @main() {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c5 = arith.constant 5 : i64
  scf.for %i = %c0 to %c5 step %c1 : i64 {
    %w = td.read @w : tensor<f32>
    %dw = td.exp %w : tensor<f32>
    %old = td.read @g : tensor<f32>
    %sum = td.add %old, %dw : tensor<f32>
    td.write %sum, @g : tensor<f32>
    %new = td.sub %w, %sum : tensor<f32>
    td.write %new, @w : tensor<f32>
    %s = td.format "{}" (%new) : tensor<f32>
    td.print %s
  }
  return
}

// -----

// A slot that is read only to be written again, or a value that a loop only
// carries for itself, has no effect.
// CHECK-NOT: @count
td.slot @count buffer "count" of "m" : tensor<f32>

// CHECK-LABEL: func.func @main
// CHECK-SAME: (%[[A0:[a-z0-9_]+]]: tensor<f32>, %[[A1:[a-z0-9_]+]]: i64) -> tensor<f32>
// CHECK: %[[C0:[a-z0-9_]+]] = arith.constant 0 : i64
// CHECK-NEXT: %[[C1:[a-z0-9_]+]] = arith.constant 1 : i64
// CHECK-NEXT: %[[V0:[a-z0-9_]+]] = scf.for %[[A2:[a-z0-9_]+]] = %[[C0]] to %[[A1]] step %[[C1]] iter_args(%[[A3:[a-z0-9_]+]] = %[[A0]]) -> (tensor<f32>) : i64 {
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = td.cos %[[A3]] : tensor<f32>
// CHECK-NEXT: scf.yield %[[V1]] : tensor<f32>
// CHECK: return %[[V0]] : tensor<f32>
func.func @main(%x: tensor<f32>, %n: i64) -> tensor<f32> {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %x) -> (tensor<f32>, tensor<f32>) : i64 {
    %old = td.read @count : tensor<f32>
    %new = td.exp %old : tensor<f32>
    td.write %new, @count : tensor<f32>
    %a1 = td.sin %a : tensor<f32>
    %b1 = td.cos %b : tensor<f32>
    scf.yield %a1, %b1 : tensor<f32>, tensor<f32>
  }
  return %r#1 : tensor<f32>
}

// -----

// Slots that a checkpoint saves, or another function reads, keep their last
// value; the others do not.
// CHECK-NOT: @mine
td.slot @saved buffer "saved" of "m" : tensor<f32>
td.slot @shared buffer "shared" of "m" : tensor<f32>
td.slot @mine buffer "mine" of "m" : tensor<f32>

// CHECK-LABEL: func.func @main
// CHECK-SAME: (%[[A0:[a-z0-9_]+]]: tensor<f32>, %[[A1:[a-z0-9_]+]]: !td.str)
// CHECK: td.write %[[A0]], @saved : tensor<f32>
// CHECK-NEXT: td.save %[[A1]] [@saved] as ["saved"] []
// CHECK-NEXT: %[[V0:[a-z0-9_]+]] = td.exp %[[A0]] : tensor<f32>
// CHECK-NEXT: td.write %[[V0]], @shared : tensor<f32>
// CHECK-NEXT: return
func.func @main(%x: tensor<f32>, %path: !td.str) {
  td.write %x, @saved : tensor<f32>
  td.save %path [@saved] as ["saved"] []
  %y = td.exp %x : tensor<f32>
  td.write %y, @saved : tensor<f32>
  td.write %y, @shared : tensor<f32>
  td.write %y, @mine : tensor<f32>
  return
}

// CHECK-LABEL: func.func @f
// CHECK: %[[V0:[a-z0-9_]+]] = td.read @shared : tensor<f32>
// CHECK-NEXT: return %[[V0]] : tensor<f32>
func.func @f() -> tensor<f32> {
  %y = td.read @shared : tensor<f32>
  return %y : tensor<f32>
}

// -----

// A write in a region makes the slot unknown; writes on both sides, before any
// read, make an earlier write dead.
td.slot @a buffer "a" of "m" : tensor<f32>
td.slot @b buffer "b" of "m" : tensor<f32>

// CHECK-LABEL: func.func @branches
// CHECK-SAME: (%[[A0:[a-z0-9_]+]]: tensor<f32>, %[[A1:[a-z0-9_]+]]: tensor<f32>, %[[A2:[a-z0-9_]+]]: i1) -> (tensor<f32>, tensor<f32>)
// CHECK: td.write %[[A0]], @a : tensor<f32>
// CHECK-NEXT: scf.if %[[A2]] {
// CHECK-NEXT: td.write %[[A1]], @a : tensor<f32>
// CHECK-NEXT: td.write %[[A1]], @b : tensor<f32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %[[V0:[a-z0-9_]+]] = td.exp %[[A0]] : tensor<f32>
// CHECK-NEXT: td.write %[[V0]], @b : tensor<f32>
// CHECK: %[[V1:[a-z0-9_]+]] = td.read @a : tensor<f32>
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = td.read @b : tensor<f32>
// CHECK-NEXT: return %[[V1]], %[[V2]] : tensor<f32>, tensor<f32>
func.func @branches(%x: tensor<f32>, %y: tensor<f32>, %c: i1) -> (tensor<f32>, tensor<f32>) {
  td.write %x, @a : tensor<f32>
  td.write %x, @b : tensor<f32>
  scf.if %c {
    td.write %y, @a : tensor<f32>
    td.write %y, @b : tensor<f32>
  } else {
    %z = td.exp %x : tensor<f32>
    td.write %z, @b : tensor<f32>
  }
  %a = td.read @a : tensor<f32>
  %b = td.read @b : tensor<f32>
  return %a, %b : tensor<f32>, tensor<f32>
}

// -----

// A loop that does not write the slot reads it once, before the loop; ops that
// only use the value are hoisted. The broadcast and the fill are free and stay.
td.slot @w param "w" of "m" : tensor<4x4xf32>

// CHECK-LABEL: func.func @invariant
// CHECK-SAME: (%[[A0:[a-z0-9_]+]]: tensor<8x4xf32>, %[[A1:[a-z0-9_]+]]: i64)
// CHECK: %[[C0:[a-z0-9_]+]] = arith.constant 0 : i64
// CHECK-NEXT: %[[C1:[a-z0-9_]+]] = arith.constant 1 : i64
// CHECK-NEXT: %[[C2:[a-z0-9_]+]] = arith.constant 2.000000e+00 : f64
// CHECK-NEXT: %[[V0:[a-z0-9_]+]] = td.read @w : tensor<4x4xf32>
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = td.permute %[[V0]] [1, 0] : tensor<4x4xf32> to tensor<4x4xf32>
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = td.matmul %[[A0]], %[[V1]] : tensor<8x4xf32>, tensor<4x4xf32> -> tensor<8x4xf32>
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = td.fill %[[C2]] : f64 -> tensor<8x4xf32>
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = td.mul %[[V2]], %[[V3]] : tensor<8x4xf32>
// CHECK-NEXT: scf.for %[[A2:[a-z0-9_]+]] = %[[C0]] to %[[A1]] step %[[C1]] : i64 {
// CHECK-NEXT: %[[V5:[a-z0-9_]+]], %[[C3:[a-z0-9_]+]] = td.next_random
// CHECK-NEXT: %[[V6:[a-z0-9_]+]] = td.random uniform %[[V5]], %[[C3]] : tensor<8x4xf32>
// CHECK-NEXT: %[[V7:[a-z0-9_]+]] = td.fill %[[C2]] : f64 -> tensor<8x4xf32>
// CHECK-NEXT: %[[V8:[a-z0-9_]+]] = td.mul %[[V6]], %[[V7]] : tensor<8x4xf32>
// CHECK-NEXT: %[[V9:[a-z0-9_]+]] = td.add %[[V4]], %[[V8]] : tensor<8x4xf32>
// CHECK-NEXT: %[[V10:[a-z0-9_]+]] = td.format "{}"(%[[V9]]) : tensor<8x4xf32>
// CHECK-NEXT: td.print %[[V10]]
// CHECK: return
func.func @invariant(%x: tensor<8x4xf32>, %n: i64) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %two = arith.constant 2.0 : f64
  scf.for %i = %c0 to %n step %c1 : i64 {
    %w = td.read @w : tensor<4x4xf32>
    %t = td.permute %w [1, 0] : tensor<4x4xf32> to tensor<4x4xf32>
    %y = td.matmul %x, %t : tensor<8x4xf32>, tensor<4x4xf32> -> tensor<8x4xf32>
    %seed, %call = td.next_random
    %r = td.random uniform %seed, %call : tensor<8x4xf32>
    %f = td.fill %two : f64 -> tensor<8x4xf32>
    %a = td.mul %y, %f : tensor<8x4xf32>
    %b = td.mul %r, %f : tensor<8x4xf32>
    %z = td.add %a, %b : tensor<8x4xf32>
    %s = td.format "{}" (%z) : tensor<8x4xf32>
    td.print %s
  }
  return
}

// -----

// The ops that td-grad makes for `mean`, a seed divided and broadcast, become one number.
// CHECK-LABEL: func.func @constants
// CHECK-SAME: (%[[A0:[a-z0-9_]+]]: tensor<4xf32>) -> tensor<4xf32>
// CHECK: %[[C0:[a-z0-9_]+]] = arith.constant 2.500000e-01 : f64
// CHECK-NEXT: %[[V0:[a-z0-9_]+]] = td.fill %[[C0]] : f64 -> tensor<4xf32>
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = td.mul %[[V0]], %[[A0]] : tensor<4xf32>
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = td.add %[[V1]], %[[V1]] : tensor<4xf32>
// CHECK-NEXT: return %[[V2]] : tensor<4xf32>
func.func @constants(%x: tensor<4xf32>) -> tensor<4xf32> {
  %one = arith.constant 1.0 : f64
  %four = arith.constant 4.0 : f64
  %a = td.fill %one : f64 -> tensor<f32>
  %b = td.fill %four : f64 -> tensor<f32>
  %c = td.div %a, %b : tensor<f32>
  %d = td.broadcast %c : tensor<f32> to tensor<4xf32>
  %y0 = td.mul %d, %x : tensor<4xf32>
  %y1 = td.mul %d, %x : tensor<4xf32>
  %y = td.add %y0, %y1 : tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// A cast to a wider dtype stays: the loop reads the narrow tensor, which has half
// the bytes. It leaves the loop with work that needs it.
// CHECK-LABEL: func.func @widened
// CHECK: %[[F:.*]] = td.cast %arg0 : tensor<8x4xbf16> to tensor<8x4xf32>
// CHECK: %[[E:.*]] = td.exp %[[F]]
// CHECK: scf.for
// CHECK: %[[W:.*]] = td.cast %arg0 : tensor<8x4xbf16> to tensor<8x4xf32>
// CHECK: td.mul %{{.*}}, %[[W]]
// CHECK: td.add %{{.*}}, %[[E]]
func.func @widened(%x: tensor<8x4xbf16>, %y: tensor<8x4xf32>, %n: i64) -> tensor<8x4xf32> {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %z = scf.for %i = %c0 to %n step %c1 iter_args(%a = %y) -> (tensor<8x4xf32>) : i64 {
    %f = td.cast %x : tensor<8x4xbf16> to tensor<8x4xf32>
    %e = td.exp %f : tensor<8x4xf32>
    %m = td.mul %a, %f : tensor<8x4xf32>
    %s = td.add %m, %e : tensor<8x4xf32>
    scf.yield %s : tensor<8x4xf32>
  }
  return %z : tensor<8x4xf32>
}

// -----

td.slot @w param "w" of "m" : tensor<4xf32>

// A while loop is treated like a counted one: invariant ops are hoisted before
// it, and so are reads of slots that it does not write. It keeps its form: the
// first carried value says whether there is another iteration.
// CHECK-LABEL: func.func @while
// CHECK: td.read @w
// CHECK: td.exp
// CHECK: scf.while (%[[GO:.*]] = %{{.*}}, %[[X:.*]] = %{{.*}})
// CHECK-NEXT: scf.condition(%[[GO]]) %[[GO]], %[[X]]
// CHECK-NOT: td.exp
// CHECK: td.mul
// CHECK: scf.yield
func.func @while(%go: i1, %x: tensor<4xf32>, %limit: f32) -> tensor<4xf32> {
  %r:2 = scf.while (%g = %go, %y = %x) : (i1, tensor<4xf32>) -> (i1, tensor<4xf32>) {
    scf.condition(%g) %g, %y : i1, tensor<4xf32>
  } do {
  ^bb0(%g: i1, %y: tensor<4xf32>):
    %w = td.read @w : tensor<4xf32>
    %e = td.exp %w : tensor<4xf32>
    %z = td.mul %y, %e : tensor<4xf32>
    %no = arith.constant false
    scf.yield %no, %z : i1, tensor<4xf32>
  }
  return %r#1 : tensor<4xf32>
}

// -----

// Ops that cannot fail are hoisted out of a loop that may have no iteration: a slice,
// whatever its start, but no op guarded by a check of sizes, and no pick by index.
// CHECK-LABEL: func.func @no_iteration
// CHECK: td.slice
// CHECK: td.exp
// CHECK: scf.for
// CHECK: td.check_dim
// CHECK: td.add
// CHECK: td.gather
func.func @no_iteration(%n: i64, %m: i64, %w: tensor<4xf32>, %a: tensor<?xf32>, %b: tensor<?xf32>, %i: tensor<2xi64>) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  scf.for %iteration = %c0 to %n step %c1 : i64 {
    %s = td.slice %w[%n] dim 0 step 1 : tensor<4xf32> to tensor<1xf32>
    %e = td.exp %s : tensor<1xf32>
    td.check_dim %n, %m, "sizes differ"
    %sum = td.add %a, %b : tensor<?xf32>
    %g = td.gather %w, %i dim 0 : tensor<4xf32>, tensor<2xi64> -> tensor<2xf32>
    %text = td.format "{} {} {}"(%e, %sum, %g) : tensor<1xf32>, tensor<?xf32>, tensor<2xf32>
    td.print %text
  }
  return
}

// -----

// The results of this loop have no uses.
// CHECK-LABEL: func.func @dead_while
// CHECK-NEXT: return
func.func @dead_while(%go: i1, %x: tensor<4xf32>) {
  %r:2 = scf.while (%g = %go, %y = %x) : (i1, tensor<4xf32>) -> (i1, tensor<4xf32>) {
    scf.condition(%g) %g, %y : i1, tensor<4xf32>
  } do {
  ^bb0(%g: i1, %y: tensor<4xf32>):
    %z = td.mul %y, %y : tensor<4xf32>
    %no = arith.constant false
    scf.yield %no, %z : i1, tensor<4xf32>
  }
  return
}

// -----

// A dead result of a loop may start from a dead result of a branch.
// CHECK-LABEL: func.func @chain
// CHECK: %[[R:.*]] = arith.select
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[R]]) -> (i64)
func.func @chain(%c: i1, %n: i64) -> i64 {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %b:2 = scf.if %c -> (i64, i64) {
    scf.yield %c0, %n : i64, i64
  } else {
    scf.yield %c1, %c1 : i64, i64
  }
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %b#0, %y = %b#1) -> (i64, i64) : i64 {
    %z = arith.addi %y, %i : i64
    scf.yield %z, %z : i64, i64
  }
  return %r#1 : i64
}

// -----

// A while loop carries its used values and its progress: its index and its
// number of iterations.
// CHECK-LABEL: func.func @narrow
// CHECK: scf.while (%[[GO:.*]] = %arg0, %[[I:.*]] = %{{.*}}, %[[N:.*]] = %arg1, %[[Y:.*]] = %arg2) :
// CHECK-NEXT: scf.condition(%[[GO]]) %[[GO]], %[[I]], %[[N]], %[[Y]] : i1, i64, i64, tensor<4xf32>
// CHECK: ^bb0(%{{.*}}: i1, %{{.*}}: i64, %[[M:.*]]: i64, %[[Z:.*]]: tensor<4xf32>):
// CHECK-NOT: td.exp
// CHECK: %[[NEXT:.*]] = td.mul %[[Z]], %[[Z]]
// CHECK: scf.yield %{{.*}}, %{{.*}}, %[[M]], %[[NEXT]] :
// CHECK-NEXT: } attributes {td.counted}
func.func @narrow(%go: i1, %n: i64, %x: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %r:5 = scf.while (%g = %go, %i = %c0, %m = %n, %u = %x, %y = %x) : (i1, i64, i64, tensor<4xf32>, tensor<4xf32>) -> (i1, i64, i64, tensor<4xf32>, tensor<4xf32>) {
    scf.condition(%g) %g, %i, %m, %u, %y : i1, i64, i64, tensor<4xf32>, tensor<4xf32>
  } do {
  ^bb0(%g: i1, %i: i64, %m: i64, %u: tensor<4xf32>, %y: tensor<4xf32>):
    %e = td.exp %u : tensor<4xf32>
    %z = td.mul %y, %y : tensor<4xf32>
    %j = arith.addi %i, %c1 : i64
    %again = arith.cmpi slt, %j, %n : i64
    scf.yield %again, %j, %m, %e, %z : i1, i64, i64, tensor<4xf32>, tensor<4xf32>
  } attributes {td.counted}
  return %r#4 : tensor<4xf32>
}

// Equal loops are merged, also those from different lines of the program and those
// that take equal values from outside.
// CHECK-LABEL: func.func @equal_loops
// CHECK-COUNT-1: scf.for
// CHECK-NOT: scf.for
func.func @equal_loops(%x: tensor<4xf32>, %n: i64) -> (tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %k = td.exp %x : tensor<4xf32>
  %a = scf.for %i = %c0 to %n step %c1 iter_args(%y = %x) -> (tensor<4xf32>) : i64 {
    %s = td.mul %y, %k : tensor<4xf32>
    scf.yield %s : tensor<4xf32>
  }
  %l = td.exp %x : tensor<4xf32>
  %b = scf.for %i = %c0 to %n step %c1 iter_args(%y = %x) -> (tensor<4xf32>) : i64 {
    %s = td.mul %y, %l : tensor<4xf32>
    scf.yield %s : tensor<4xf32>
  }
  return %a, %b : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @other_loops
// CHECK-COUNT-2: scf.for
func.func @other_loops(%x: tensor<4xf32>, %n: i64) -> (tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %a = scf.for %i = %c0 to %n step %c1 iter_args(%y = %x) -> (tensor<4xf32>) : i64 {
    %s = td.sin %y : tensor<4xf32>
    scf.yield %s : tensor<4xf32>
  }
  %b = scf.for %i = %c0 to %n step %c1 iter_args(%y = %x) -> (tensor<4xf32>) : i64 {
    %s = td.cos %y : tensor<4xf32>
    scf.yield %s : tensor<4xf32>
  }
  return %a, %b : tensor<4xf32>, tensor<4xf32>
}

// -----

// A mask of positions is computed where it is read: it has more bytes than what it is
// made of, which is nothing.
// CHECK-LABEL: func.func @mask_of_positions
// CHECK-NOT: td.compare
// CHECK: scf.for
// CHECK: td.compare
func.func @mask_of_positions(%x: tensor<64x64xf32>, %n: i64) -> tensor<64x64xf32> {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %zero = arith.constant 0.0 : f64
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%y = %x) -> (tensor<64x64xf32>) : i64 {
    %p = td.iota %c0, %c1 : i64 -> tensor<64xi64>
    %rows = td.reshape %p : tensor<64xi64> to tensor<64x1xi64>
    %row = td.broadcast %rows : tensor<64x1xi64> to tensor<64x64xi64>
    %column = td.broadcast %p : tensor<64xi64> to tensor<64x64xi64>
    %later = td.compare gt %column, %row : tensor<64x64xi64> -> tensor<64x64xi1>
    %none = td.fill %zero : f64 -> tensor<64x64xf32>
    %z = td.select %later, %none, %y : tensor<64x64xi1>, tensor<64x64xf32>
    scf.yield %z : tensor<64x64xf32>
  }
  return %r : tensor<64x64xf32>
}
