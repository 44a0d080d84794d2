// RUN: tdc-opt %s --td-schedule --split-input-file | FileCheck %s
// RUN: tdc-opt %s --td-schedule --td-verify-schedule --split-input-file

#cpu = #td.dev<cpu>
#gpu = #td.dev<cuda, 0>

// The rows of the next iteration are made and copied after this iteration's kernel.
// CHECK-LABEL: func.func @prefetch
// CHECK: %[[FIRST:.*]] = td.mark <cuda, 0>
// CHECK: %[[ROW0:.*]] = td.kernel(%arg0, %c0_i64)
// CHECK: %[[X0:.*]], %[[T0:.*]] = td.copy_start %[[ROW0]] after %[[FIRST]] iteration
// CHECK: %[[NONE:.*]] = td.no_ticket
// CHECK: %[[LOOP:.*]]:4 = scf.for %[[I:.*]] = {{.*}} iter_args(%[[X:.*]] = %[[X0]], %[[T:.*]] = %[[T0]], %[[BEFORE:.*]] = %[[NONE]], %[[READ:.*]] = %[[FIRST]])
// CHECK-NEXT: td.copy_wait %[[T]] by <cuda, 0> for %[[X]]
// CHECK-NEXT: %[[Y:.*]] = td.kernel(%[[X]])
// CHECK: %[[MARK:.*]] = td.mark <cuda, 0>
// CHECK-NEXT: td.write %[[Y]], @s
// CHECK: %[[NEXT:.*]] = arith.addi %[[I]], %c1_i64
// CHECK: %[[MORE:.*]] = arith.cmpi slt, %[[NEXT]], %c5_i64
// CHECK: %[[AHEAD:.*]]:2 = scf.if %[[MORE]]
// CHECK-NEXT: td.copy_wait %[[BEFORE]] by <cpu>
// CHECK-NEXT: %[[ROW:.*]] = td.kernel(%arg0, %[[NEXT]])
// CHECK: %[[XN:.*]], %[[TN:.*]] = td.copy_start %[[ROW]] after %[[READ]] iteration %[[NEXT]]
// CHECK: scf.yield %[[XN]], %[[TN]]
// CHECK: } else {
// CHECK: scf.yield %[[AHEAD]]#0, %[[AHEAD]]#1, %[[T]], %[[MARK]]
// CHECK: td.copy_wait %[[LOOP]]#2 by <cpu> for %[[LOOP]]#0
td.slot @s buffer "s" of "m" : tensor<4xf32, #gpu>
func.func @prefetch(%data: tensor<5x4xf32, #cpu>) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c5 = arith.constant 5 : i64
  scf.for %i = %c0 to %c5 step %c1 : i64 {
    %row = td.kernel (%data, %i) : (tensor<5x4xf32, #cpu>, i64) -> tensor<1x4xf32, #cpu> {
    ^bb0(%d: tensor<5x4xf32, #cpu>, %j: i64):
      %r = td.slice %d[%j] dim 0 step 1 : tensor<5x4xf32, #cpu> to tensor<1x4xf32, #cpu>
      td.yield %r : tensor<1x4xf32, #cpu>
    }
    %x = td.to_device %row : tensor<1x4xf32, #cpu> to tensor<1x4xf32, #gpu>
    %y = td.kernel (%x) : (tensor<1x4xf32, #gpu>) -> tensor<4xf32, #gpu> {
    ^bb0(%a: tensor<1x4xf32, #gpu>):
      %e = td.exp %a : tensor<1x4xf32, #gpu>
      %f = td.reshape %e : tensor<1x4xf32, #gpu> to tensor<4xf32, #gpu>
      td.yield %f : tensor<4xf32, #gpu>
    }
    td.write %y, @s : tensor<4xf32, #gpu>
  }
  return
}

// -----

#cpu = #td.dev<cpu>
#gpu = #td.dev<cuda, 0>

// The check whether there is an iteration is made if nothing around the loop makes it;
// iterations are counted from 0.
// CHECK-LABEL: func.func @iterations
// CHECK: %[[ANY:.*]] = arith.cmpi slt, %arg1, %arg2
// CHECK: scf.if %[[ANY]]
// CHECK: td.copy_start {{.*}} iteration %c0
// CHECK: scf.for
// CHECK: %[[NEXT:.*]] = arith.addi
// CHECK: scf.if
// CHECK: %[[AWAY:.*]] = arith.subi %[[NEXT]], %arg1
// CHECK: %[[ITERATION:.*]] = arith.divsi %[[AWAY]], %arg3
// CHECK: td.copy_start {{.*}} iteration %[[ITERATION]]
td.slot @s buffer "s" of "m" : tensor<4xf32, #gpu>
func.func @iterations(%x: tensor<4xf32, #cpu>, %first: i64, %last: i64, %step: i64) {
  scf.for %i = %first to %last step %step : i64 {
    %row = td.kernel (%x, %i) : (tensor<4xf32, #cpu>, i64) -> tensor<4xf32, #cpu> {
    ^bb0(%d: tensor<4xf32, #cpu>, %j: i64):
      %k = td.fill %j : i64 -> tensor<4xi64, #cpu>
      %f = td.cast %k : tensor<4xi64, #cpu> to tensor<4xf32, #cpu>
      %r = td.add %d, %f : tensor<4xf32, #cpu>
      td.yield %r : tensor<4xf32, #cpu>
    }
    %y = td.to_device %row : tensor<4xf32, #cpu> to tensor<4xf32, #gpu>
    %z = td.kernel (%y) : (tensor<4xf32, #gpu>) -> tensor<4xf32, #gpu> {
    ^bb0(%a: tensor<4xf32, #gpu>):
      %e = td.exp %a : tensor<4xf32, #gpu>
      td.yield %e : tensor<4xf32, #gpu>
    }
    td.write %z, @s : tensor<4xf32, #gpu>
  }
  return
}

// -----

#cpu = #td.dev<cpu>
#gpu = #td.dev<cuda, 0>

// A copy that depends on the previous iteration cannot start early.
// CHECK-LABEL: func.func @carried
// CHECK-NOT: td.copy_start
// CHECK: td.to_device {{.*}} {td.not_pipelined = "previous-iteration"}
// CHECK-NOT: td.copy_start
// CHECK: return
func.func @carried(%x: tensor<4xf32, #cpu>) -> tensor<4xf32, #cpu> {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c5 = arith.constant 5 : i64
  %r = scf.for %i = %c0 to %c5 step %c1 iter_args(%v = %x) -> (tensor<4xf32, #cpu>) : i64 {
    %y = td.to_device %v : tensor<4xf32, #cpu> to tensor<4xf32, #gpu>
    %z = td.kernel (%y) : (tensor<4xf32, #gpu>) -> tensor<4xf32, #gpu> {
    ^bb0(%a: tensor<4xf32, #gpu>):
      %e = td.exp %a : tensor<4xf32, #gpu>
      td.yield %e : tensor<4xf32, #gpu>
    }
    %w = td.to_device %z : tensor<4xf32, #gpu> to tensor<4xf32, #cpu>
    scf.yield %w : tensor<4xf32, #cpu>
  }
  return %r : tensor<4xf32, #cpu>
}

// -----

#cpu = #td.dev<cpu>
#gpu = #td.dev<cuda, 0>

// A value that is passed to the next iteration is read there, while its buffer is
// written again.
// CHECK-LABEL: func.func @handed_on
// CHECK-NOT: td.copy_start
// CHECK: td.to_device {{.*}} {td.not_pipelined = "passed-on"}
// CHECK-NOT: td.copy_start
// CHECK: return
func.func @handed_on(%data: tensor<5x4xf32, #cpu>, %x: tensor<1x4xf32, #gpu>) -> tensor<1x4xf32, #gpu> {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c5 = arith.constant 5 : i64
  %r:2 = scf.for %i = %c0 to %c5 step %c1 iter_args(%v = %x, %s = %x) -> (tensor<1x4xf32, #gpu>, tensor<1x4xf32, #gpu>) : i64 {
    %row = td.kernel (%data, %i) : (tensor<5x4xf32, #cpu>, i64) -> tensor<1x4xf32, #cpu> {
    ^bb0(%d: tensor<5x4xf32, #cpu>, %j: i64):
      %r = td.slice %d[%j] dim 0 step 1 : tensor<5x4xf32, #cpu> to tensor<1x4xf32, #cpu>
      td.yield %r : tensor<1x4xf32, #cpu>
    }
    %y = td.to_device %row : tensor<1x4xf32, #cpu> to tensor<1x4xf32, #gpu>
    %z = td.kernel (%v, %s) : (tensor<1x4xf32, #gpu>, tensor<1x4xf32, #gpu>) -> tensor<1x4xf32, #gpu> {
    ^bb0(%a: tensor<1x4xf32, #gpu>, %b: tensor<1x4xf32, #gpu>):
      %e = td.add %a, %b : tensor<1x4xf32, #gpu>
      td.yield %e : tensor<1x4xf32, #gpu>
    }
    scf.yield %y, %z : tensor<1x4xf32, #gpu>, tensor<1x4xf32, #gpu>
  }
  return %r#1 : tensor<1x4xf32, #gpu>
}

// -----

#cpu = #td.dev<cpu>
#gpu = #td.dev<cuda, 0>

// An index that may be out of range must not be used too early, nor may rows be
// read before the check that the tensor has them.
// CHECK-LABEL: func.func @failing
// CHECK-NOT: td.copy_start
// CHECK-LABEL: func.func @checked
// CHECK-NOT: td.copy_start
// CHECK: return
td.slot @s buffer "s" of "m" : tensor<2xf32, #gpu>
func.func @failing(%data: tensor<9xf32, #cpu>, %which: tensor<2xi64, #cpu>) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c5 = arith.constant 5 : i64
  scf.for %i = %c0 to %c5 step %c1 : i64 {
    %row = td.kernel (%data, %which) : (tensor<9xf32, #cpu>, tensor<2xi64, #cpu>) -> tensor<2xf32, #cpu> {
    ^bb0(%d: tensor<9xf32, #cpu>, %w: tensor<2xi64, #cpu>):
      %r = td.gather %d, %w dim 0 : tensor<9xf32, #cpu>, tensor<2xi64, #cpu> -> tensor<2xf32, #cpu>
      td.yield %r : tensor<2xf32, #cpu>
    }
    %x = td.to_device %row : tensor<2xf32, #cpu> to tensor<2xf32, #gpu>
    %y = td.kernel (%x) : (tensor<2xf32, #gpu>) -> tensor<2xf32, #gpu> {
    ^bb0(%a: tensor<2xf32, #gpu>):
      %e = td.exp %a : tensor<2xf32, #gpu>
      td.yield %e : tensor<2xf32, #gpu>
    }
    td.write %y, @s : tensor<2xf32, #gpu>
  }
  return
}
func.func @checked(%data: tensor<?xf32, #cpu>, %n: i64, %why: !td.str) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c7 = arith.constant 7 : i64
  scf.for %i = %c0 to %n step %c1 : i64 {
    %ok = arith.cmpi sle, %i, %c7 : i64
    td.assert %ok, %why
    %row = td.kernel (%data, %i) : (tensor<?xf32, #cpu>, i64) -> tensor<2xf32, #cpu> {
    ^bb0(%d: tensor<?xf32, #cpu>, %j: i64):
      %r = td.slice %d[%j] dim 0 step 1 : tensor<?xf32, #cpu> to tensor<2xf32, #cpu>
      td.yield %r : tensor<2xf32, #cpu>
    }
    %x = td.to_device %row : tensor<2xf32, #cpu> to tensor<2xf32, #gpu>
    %y = td.kernel (%x) : (tensor<2xf32, #gpu>) -> tensor<2xf32, #gpu> {
    ^bb0(%a: tensor<2xf32, #gpu>):
      %e = td.exp %a : tensor<2xf32, #gpu>
      td.yield %e : tensor<2xf32, #gpu>
    }
    td.write %y, @s : tensor<2xf32, #gpu>
  }
  return
}

// -----

#cpu = #td.dev<cpu>
#gpu = #td.dev<cuda, 0>

// Rows from a start out of range may be copied, but the check precedes their use.
// CHECK-LABEL: func.func @clamped
// CHECK: td.copy_start
// CHECK: scf.for
// CHECK: td.assert
// CHECK: td.copy_start
td.slot @s buffer "s" of "m" : tensor<2xf32, #gpu>
func.func @clamped(%data: tensor<9xf32, #cpu>, %n: i64, %why: !td.str) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c7 = arith.constant 7 : i64
  scf.for %i = %c0 to %n step %c1 : i64 {
    %ok = arith.cmpi sle, %i, %c7 : i64
    td.assert %ok, %why
    %row = td.kernel (%data, %i) : (tensor<9xf32, #cpu>, i64) -> tensor<2xf32, #cpu> {
    ^bb0(%d: tensor<9xf32, #cpu>, %j: i64):
      %r = td.slice %d[%j] dim 0 step 1 : tensor<9xf32, #cpu> to tensor<2xf32, #cpu>
      td.yield %r : tensor<2xf32, #cpu>
    }
    %x = td.to_device %row : tensor<2xf32, #cpu> to tensor<2xf32, #gpu>
    %y = td.kernel (%x) : (tensor<2xf32, #gpu>) -> tensor<2xf32, #gpu> {
    ^bb0(%a: tensor<2xf32, #gpu>):
      %e = td.exp %a : tensor<2xf32, #gpu>
      td.yield %e : tensor<2xf32, #gpu>
    }
    td.write %y, @s : tensor<2xf32, #gpu>
  }
  return
}

// -----

#cpu = #td.dev<cpu>
#gpu = #td.dev<cuda, 0>

// A check of another value does not help, nor does a check in a branch or a
// later one.
// CHECK-LABEL: func.func @unguarded
// CHECK: td.copy_start
// CHECK: scf.for
td.slot @s buffer "s" of "m" : tensor<2xf32, #gpu>
func.func @unguarded(%data: tensor<?xf32, #cpu>, %n: i64, %ok: i1, %why: !td.str) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  scf.for %i = %c0 to %n step %c1 : i64 {
    td.assert %ok, %why
    %row = td.kernel (%data, %i) : (tensor<?xf32, #cpu>, i64) -> tensor<2xf32, #cpu> {
    ^bb0(%d: tensor<?xf32, #cpu>, %j: i64):
      %r = td.slice %d[%j] dim 0 step 1 : tensor<?xf32, #cpu> to tensor<2xf32, #cpu>
      td.yield %r : tensor<2xf32, #cpu>
    }
    %x = td.to_device %row : tensor<2xf32, #cpu> to tensor<2xf32, #gpu>
    %y = td.kernel (%x) : (tensor<2xf32, #gpu>) -> tensor<2xf32, #gpu> {
    ^bb0(%a: tensor<2xf32, #gpu>):
      %e = td.exp %a : tensor<2xf32, #gpu>
      td.yield %e : tensor<2xf32, #gpu>
    }
    %due = arith.cmpi eq, %i, %c1 : i64
    scf.if %due {
      td.assert %due, %why
    }
    td.assert %due, %why
    td.write %y, @s : tensor<2xf32, #gpu>
  }
  return
}

// -----

#cpu = #td.dev<cpu>
#gpu = #td.dev<cuda, 0>

// The indexes of a permutation are in range.
// CHECK-LABEL: func.func @shuffled
// CHECK: td.copy_start
// CHECK: scf.for
// CHECK: td.copy_start
td.slot @s buffer "s" of "m" : tensor<2xf32, #gpu>
func.func @shuffled(%data: tensor<10xf32, #cpu>, %seed: i64, %call: i64) {
  %c0 = arith.constant 0 : i64
  %c2 = arith.constant 2 : i64
  %c10 = arith.constant 10 : i64
  %order = td.random permutation %seed, %call : tensor<10xi64, #cpu>
  scf.for %i = %c0 to %c10 step %c2 : i64 {
    %row = td.kernel (%data, %order, %i) : (tensor<10xf32, #cpu>, tensor<10xi64, #cpu>, i64) -> tensor<2xf32, #cpu> {
    ^bb0(%d: tensor<10xf32, #cpu>, %o: tensor<10xi64, #cpu>, %j: i64):
      %w = td.slice %o[%j] dim 0 step 1 : tensor<10xi64, #cpu> to tensor<2xi64, #cpu>
      %r = td.gather %d, %w dim 0 : tensor<10xf32, #cpu>, tensor<2xi64, #cpu> -> tensor<2xf32, #cpu>
      td.yield %r : tensor<2xf32, #cpu>
    }
    %x = td.to_device %row : tensor<2xf32, #cpu> to tensor<2xf32, #gpu>
    %y = td.kernel (%x) : (tensor<2xf32, #gpu>) -> tensor<2xf32, #gpu> {
    ^bb0(%a: tensor<2xf32, #gpu>):
      %e = td.exp %a : tensor<2xf32, #gpu>
      td.yield %e : tensor<2xf32, #gpu>
    }
    td.write %y, @s : tensor<2xf32, #gpu>
  }
  return
}

// -----

#cpu = #td.dev<cpu>
#gpu = #td.dev<cuda, 0>

// The host waits for a value that it reads after launching the kernels that do
// not need it; prints keep their order.
// CHECK-LABEL: func.func @download
// CHECK: %[[Y:.*]] = td.kernel(%arg0)
// CHECK: %[[H:.*]], %[[T:.*]] = td.copy_start %[[Y]] :
// CHECK: td.kernel(%[[Y]])
// CHECK: td.write
// CHECK: td.copy_wait %[[T]] by <cpu> for %[[H]], %[[Y]]
// CHECK: td.item %[[H]]
// CHECK: td.print
// CHECK: td.print
td.slot @s buffer "s" of "m" : tensor<f32, #gpu>
func.func @download(%x: tensor<f32, #gpu>) {
  %y = td.kernel (%x) : (tensor<f32, #gpu>) -> tensor<f32, #gpu> {
  ^bb0(%a: tensor<f32, #gpu>):
    %e = td.exp %a : tensor<f32, #gpu>
    td.yield %e : tensor<f32, #gpu>
  }
  %h = td.to_device %y : tensor<f32, #gpu> to tensor<f32, #cpu>
  %i = td.item %h : tensor<f32, #cpu> -> f64
  %first = td.format "{}\0A"(%i) : f64
  td.print %first
  %second = td.format "second\0A"
  td.print %second
  %z = td.kernel (%y) : (tensor<f32, #gpu>) -> tensor<f32, #gpu> {
  ^bb0(%a: tensor<f32, #gpu>):
    %e = td.exp %a : tensor<f32, #gpu>
    td.yield %e : tensor<f32, #gpu>
  }
  td.write %z, @s : tensor<f32, #gpu>
  return
}

// -----

#cpu = #td.dev<cpu>
#gpu = #td.dev<cuda, 0>

// An op that may end the program stays after the prints that precede it: here a
// remainder by zero. A kernel with an index that may be out of range is queued: a
// later copy reports its error to the host.
// CHECK-LABEL: func.func @late
// CHECK: td.copy_start
// CHECK: td.exp
// CHECK: td.gather
// CHECK: td.log
// CHECK: td.copy_wait
// CHECK: td.print
// CHECK: arith.remsi
func.func @late(%x: tensor<f32, #gpu>, %z: tensor<4xf32, #gpu>, %w: tensor<2xi64, #gpu>, %n: i64)
    -> (i64, tensor<2xf32, #gpu>, tensor<f32, #gpu>, tensor<f32, #gpu>) {
  %h = td.to_device %x : tensor<f32, #gpu> to tensor<f32, #cpu>
  %i = td.item %h : tensor<f32, #cpu> -> f64
  %text = td.format "{}\0A"(%i) : f64
  td.print %text
  %r = arith.remsi %n, %n : i64
  %e = td.kernel (%x) : (tensor<f32, #gpu>) -> tensor<f32, #gpu> {
  ^bb0(%a: tensor<f32, #gpu>):
    %b = td.exp %a : tensor<f32, #gpu>
    td.yield %b : tensor<f32, #gpu>
  }
  %p = td.kernel (%z, %w) : (tensor<4xf32, #gpu>, tensor<2xi64, #gpu>) -> tensor<2xf32, #gpu> {
  ^bb0(%a: tensor<4xf32, #gpu>, %j: tensor<2xi64, #gpu>):
    %b = td.gather %a, %j dim 0 : tensor<4xf32, #gpu>, tensor<2xi64, #gpu> -> tensor<2xf32, #gpu>
    td.yield %b : tensor<2xf32, #gpu>
  }
  %l = td.kernel (%x) : (tensor<f32, #gpu>) -> tensor<f32, #gpu> {
  ^bb0(%a: tensor<f32, #gpu>):
    %b = td.log %a : tensor<f32, #gpu>
    td.yield %b : tensor<f32, #gpu>
  }
  return %r, %p, %e, %l : i64, tensor<2xf32, #gpu>, tensor<f32, #gpu>, tensor<f32, #gpu>
}

// -----

#cpu = #td.dev<cpu>
#gpu = #td.dev<cuda, 0>

// A kernel needs its scalar operand at launch, so no latency is hidden.
// CHECK-LABEL: func.func @needed
// CHECK-NOT: td.copy_start
// CHECK: return
func.func @needed(%x: tensor<f32, #gpu>) -> tensor<f32, #gpu> {
  %h = td.to_device %x : tensor<f32, #gpu> to tensor<f32, #cpu>
  %i = td.item %h : tensor<f32, #cpu> -> f64
  %z = td.kernel (%x, %i) : (tensor<f32, #gpu>, f64) -> tensor<f32, #gpu> {
  ^bb0(%a: tensor<f32, #gpu>, %b: f64):
    %f = td.fill %b : f64 -> tensor<f32, #gpu>
    %e = td.add %a, %f : tensor<f32, #gpu>
    td.yield %e : tensor<f32, #gpu>
  }
  return %z : tensor<f32, #gpu>
}

// -----

#cpu = #td.dev<cpu>
#gpu = #td.dev<cuda, 0>

// There is no memory for a second buffer.
// CHECK-LABEL: func.func @small
// CHECK-NOT: td.copy_start
// CHECK: td.to_device {{.*}} {td.not_pipelined = "room"}
// CHECK-NOT: td.copy_start
// CHECK: return
module attributes {td.room = {"cuda:0" = 15 : i64}} {
  td.slot @s buffer "s" of "m" : tensor<4xf32, #gpu>
  func.func @small(%x: tensor<4xf32, #cpu>, %n: i64) {
    %c0 = arith.constant 0 : i64
    %c1 = arith.constant 1 : i64
    scf.for %i = %c0 to %n step %c1 : i64 {
      %y = td.to_device %x : tensor<4xf32, #cpu> to tensor<4xf32, #gpu>
      %z = td.kernel (%y) : (tensor<4xf32, #gpu>) -> tensor<4xf32, #gpu> {
      ^bb0(%a: tensor<4xf32, #gpu>):
        %e = td.exp %a : tensor<4xf32, #gpu>
        td.yield %e : tensor<4xf32, #gpu>
      }
      td.write %z, @s : tensor<4xf32, #gpu>
    }
    return
  }
}

// -----

#cpu = #td.dev<cpu>
#gpu0 = #td.dev<cuda, 0>
#gpu1 = #td.dev<cuda, 1>

// The first loop cannot double-buffer on both GPUs, so it does on neither: the
// second loop uses the memory.
// CHECK-LABEL: func.func @both_or_neither
// CHECK-NOT: td.copy_start
// CHECK: td.to_device {{.*}} {td.not_pipelined = "room"}
// CHECK: td.to_device {{.*}} {td.not_pipelined = "room"}
// CHECK: td.copy_start
// CHECK-NOT: td.to_device
// CHECK: return
module attributes {td.room = {"cuda:0" = 16 : i64, "cuda:1" = 15 : i64}} {
  td.slot @s buffer "s" of "m" : tensor<4xf32, #gpu0>
  td.slot @t buffer "t" of "m" : tensor<4xf32, #gpu1>
  func.func @both_or_neither(%x: tensor<4xf32, #cpu>, %n: i64) {
    %c0 = arith.constant 0 : i64
    %c1 = arith.constant 1 : i64
    scf.for %i = %c0 to %n step %c1 : i64 {
      %y = td.to_device %x : tensor<4xf32, #cpu> to tensor<4xf32, #gpu0>
      %w = td.to_device %x : tensor<4xf32, #cpu> to tensor<4xf32, #gpu1>
      %z = td.kernel (%y) : (tensor<4xf32, #gpu0>) -> tensor<4xf32, #gpu0> {
      ^bb0(%a: tensor<4xf32, #gpu0>):
        %e = td.exp %a : tensor<4xf32, #gpu0>
        td.yield %e : tensor<4xf32, #gpu0>
      }
      %v = td.kernel (%w) : (tensor<4xf32, #gpu1>) -> tensor<4xf32, #gpu1> {
      ^bb0(%a: tensor<4xf32, #gpu1>):
        %e = td.exp %a : tensor<4xf32, #gpu1>
        td.yield %e : tensor<4xf32, #gpu1>
      }
      td.write %z, @s : tensor<4xf32, #gpu0>
      td.write %v, @t : tensor<4xf32, #gpu1>
    }
    scf.for %i = %c0 to %n step %c1 : i64 {
      %y = td.to_device %x : tensor<4xf32, #cpu> to tensor<4xf32, #gpu0>
      %z = td.kernel (%y) : (tensor<4xf32, #gpu0>) -> tensor<4xf32, #gpu0> {
      ^bb0(%a: tensor<4xf32, #gpu0>):
        %e = td.exp %a : tensor<4xf32, #gpu0>
        td.yield %e : tensor<4xf32, #gpu0>
      }
      td.write %z, @s : tensor<4xf32, #gpu0>
    }
    return
  }
}

// -----

#cpu = #td.dev<cpu>
#gpu = #td.dev<cuda, 0>

// The host waits for a copy before the branch that passes the value on.
// CHECK-LABEL: func.func @passed_on
// CHECK: %[[A:.*]], %[[T:.*]] = td.copy_start
// CHECK: td.kernel
// CHECK: td.copy_wait %[[T]] by <cpu> for %[[A]]
// CHECK-NEXT: %[[B:.*]] = scf.if
// CHECK: td.save_tensor %{{.*}}, %[[B]]
td.slot @s buffer "s" of "m" : tensor<4xf32, #gpu>
func.func @passed_on(%x: tensor<4xf32, #gpu>, %other: tensor<4xf32, #cpu>, %c: i1, %file: !td.str) {
  %y = td.kernel (%x) : (tensor<4xf32, #gpu>) -> tensor<4xf32, #gpu> {
  ^bb0(%v: tensor<4xf32, #gpu>):
    %e = td.exp %v : tensor<4xf32, #gpu>
    td.yield %e : tensor<4xf32, #gpu>
  }
  %a = td.to_device %y : tensor<4xf32, #gpu> to tensor<4xf32, #cpu>
  %z = td.kernel (%y) : (tensor<4xf32, #gpu>) -> tensor<4xf32, #gpu> {
  ^bb0(%v: tensor<4xf32, #gpu>):
    %e = td.exp %v : tensor<4xf32, #gpu>
    td.yield %e : tensor<4xf32, #gpu>
  }
  td.write %z, @s : tensor<4xf32, #gpu>
  %b = scf.if %c -> (tensor<4xf32, #cpu>) {
    scf.yield %a : tensor<4xf32, #cpu>
  } else {
    scf.yield %other : tensor<4xf32, #cpu>
  }
  td.save_tensor %file, %b : tensor<4xf32, #cpu>
  return
}

// -----

#cpu = #td.dev<cpu>
#gpu = #td.dev<cuda, 0>

// All kernels of an iteration are queued before the host makes the next batch, even if
// the host counts a step between them; the copy starts before longer work of the host.
// CHECK-LABEL: func.func @counts
// CHECK: scf.for
// CHECK: td.kernel
// CHECK: td.write {{.*}}, @step
// CHECK: td.assert
// CHECK: td.kernel
// CHECK: scf.if
// CHECK: td.copy_start
// CHECK: td.random
td.slot @step buffer "step" of "m" : tensor<i64, #cpu>
td.slot @s buffer "s" of "m" : tensor<4xf32, #gpu>
td.slot @r buffer "r" of "m" : tensor<1000xf32, #cpu>
func.func @counts(%x: tensor<4xf32, #cpu>, %n: i64, %right: i1, %seed: i64) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  scf.for %i = %c0 to %n step %c1 : i64 {
    %y = td.to_device %x : tensor<4xf32, #cpu> to tensor<4xf32, #gpu>
    %z = td.kernel (%y) : (tensor<4xf32, #gpu>) -> tensor<4xf32, #gpu> {
    ^bb0(%a: tensor<4xf32, #gpu>):
      %e = td.exp %a : tensor<4xf32, #gpu>
      td.yield %e : tensor<4xf32, #gpu>
    }
    %step = td.read @step : tensor<i64, #cpu>
    %next = td.kernel (%step) : (tensor<i64, #cpu>) -> tensor<i64, #cpu> {
    ^bb0(%a: tensor<i64, #cpu>):
      %e = td.add %a, %a : tensor<i64, #cpu>
      td.yield %e : tensor<i64, #cpu>
    }
    td.write %next, @step : tensor<i64, #cpu>
    %text = td.format "wrong"
    td.assert %right, %text {td.code = 101 : i32}
    %v = td.kernel (%z) : (tensor<4xf32, #gpu>) -> tensor<4xf32, #gpu> {
    ^bb0(%a: tensor<4xf32, #gpu>):
      %e = td.exp %a : tensor<4xf32, #gpu>
      td.yield %e : tensor<4xf32, #gpu>
    }
    td.write %v, @s : tensor<4xf32, #gpu>
    %r = td.random uniform %seed, %i : tensor<1000xf32, #cpu>
    td.write %r, @r : tensor<1000xf32, #cpu>
  }
  return
}

// -----

#cpu = #td.dev<cpu>
#gpu = #td.dev<cuda, 0>

// The host reads an iteration's results after queueing the kernels of the next one:
// the sum that it accumulates and the printed value; the text with the iteration's
// number is delayed as well.
// CHECK-LABEL: func.func @next_iteration
// CHECK: %[[NOTHING:.*]] = ub.poison : tensor<f32, #td.dev<cpu>>
// CHECK: %[[NONE:.*]] = td.no_ticket
// CHECK: %[[LOOP:.*]]:4 = scf.for %[[I:.*]] = {{.*}} iter_args(%[[SUM:.*]] = %arg1, %[[READ:.*]] = %[[NOTHING]], %[[T:.*]] = %[[NONE]], %[[J:.*]] = %c0_i64
// CHECK-NEXT: %[[Y:.*]] = td.kernel(%arg0, %[[I]])
// CHECK: %[[Z:.*]], %[[TZ:.*]] = td.copy_start %[[Y]] iteration %[[I]] : tensor<f32, #td.dev<cuda, 0>> to tensor<f32, #td.dev<cpu>>
// CHECK-NEXT: td.copy_wait %[[TZ]] by <cuda, 0> for %[[Y]]
// CHECK-NEXT: %[[BEFORE:.*]] = arith.cmpi sgt, %[[I]], %c0_i64
// CHECK-NEXT: %[[NEXT:.*]] = scf.if %[[BEFORE]] -> (f64)
// CHECK-NEXT: td.copy_wait %[[T]] by <cpu> for %[[READ]]
// CHECK-NEXT: %[[F:.*]] = td.item %[[READ]]
// CHECK-NEXT: %[[S:.*]] = arith.addf %[[SUM]], %[[F]]
// CHECK-NEXT: %[[TEXT:.*]] = td.format "{} {}\0A"(%[[J]], %[[S]])
// CHECK-NEXT: td.print %[[TEXT]]
// CHECK-NEXT: scf.yield %[[S]]
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield %[[SUM]]
// CHECK: scf.yield %[[NEXT]], %[[Z]], %[[TZ]], %[[I]]
// CHECK: td.copy_wait %[[LOOP]]#2 by <cpu> for %[[LOOP]]#1
// CHECK-NEXT: %[[LAST:.*]] = td.item %[[LOOP]]#1
// CHECK-NEXT: %[[ALL:.*]] = arith.addf %[[LOOP]]#0, %[[LAST]]
// CHECK: td.print
// CHECK-NEXT: return %[[ALL]]
func.func @next_iteration(%x: tensor<4xf32, #gpu>, %zero: f64) -> f64 {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c5 = arith.constant 5 : i64
  %r = scf.for %i = %c0 to %c5 step %c1 iter_args(%s = %zero) -> (f64) : i64 {
    %y = td.kernel (%x, %i) : (tensor<4xf32, #gpu>, i64) -> tensor<f32, #gpu> {
    ^bb0(%a: tensor<4xf32, #gpu>, %j: i64):
      %k = td.fill %j : i64 -> tensor<4xf32, #gpu>
      %b = td.add %a, %k : tensor<4xf32, #gpu>
      %c = td.reduce sum %b [0] : tensor<4xf32, #gpu> to tensor<f32, #gpu>
      td.yield %c : tensor<f32, #gpu>
    }
    %z = td.to_device %y : tensor<f32, #gpu> to tensor<f32, #cpu>
    %f = td.item %z : tensor<f32, #cpu> -> f64
    %t = arith.addf %s, %f : f64
    %text = td.format "{} {}\n" (%i, %t) : i64, f64
    td.print %text
    scf.yield %t : f64
  }
  return %r : f64
}

// -----

#cpu = #td.dev<cpu>
#gpu = #td.dev<cuda, 0>

// A loop that may have no iteration has no value to read either. Checks keep their
// order among prints.
// CHECK-LABEL: func.func @checked
// CHECK: %[[LOOP:.*]]:3 = scf.for
// CHECK: td.copy_start
// CHECK: scf.if
// CHECK: td.assert
// CHECK-NEXT: td.copy_wait {{.*}} by <cpu>
// CHECK: td.print
// CHECK: %[[ANY:.*]] = arith.cmpi slt, %c0_i64, %arg1
// CHECK-NEXT: scf.if %[[ANY]]
// CHECK: td.assert
// CHECK-NEXT: td.copy_wait %[[LOOP]]#1 by <cpu> for %[[LOOP]]#0
// CHECK: td.print
func.func @checked(%x: tensor<4xf32, #gpu>, %n: i64) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c3 = arith.constant 3 : i64
  scf.for %i = %c0 to %n step %c1 : i64 {
    %isFew = arith.cmpi slt, %i, %c3 : i64
    %why = td.format "iteration {}" (%i) : i64
    td.assert %isFew, %why
    %y = td.kernel (%x, %i) : (tensor<4xf32, #gpu>, i64) -> tensor<f32, #gpu> {
    ^bb0(%a: tensor<4xf32, #gpu>, %j: i64):
      %k = td.fill %j : i64 -> tensor<4xf32, #gpu>
      %b = td.add %a, %k : tensor<4xf32, #gpu>
      %c = td.reduce sum %b [0] : tensor<4xf32, #gpu> to tensor<f32, #gpu>
      td.yield %c : tensor<f32, #gpu>
    }
    %z = td.to_device %y : tensor<f32, #gpu> to tensor<f32, #cpu>
    %f = td.item %z : tensor<f32, #cpu> -> f64
    %text = td.format "{}\n" (%f) : f64
    td.print %text
  }
  return
}

// -----

#cpu = #td.dev<cpu>
#gpu = #td.dev<cuda, 0>

// A value that the GPU needs in the next iteration cannot be late.
// CHECK-LABEL: func.func @needed_next
// CHECK-NOT: iteration
// CHECK: return
func.func @needed_next(%x: tensor<4xf32, #gpu>, %one: f64) -> f64 {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c5 = arith.constant 5 : i64
  %r = scf.for %i = %c0 to %c5 step %c1 iter_args(%s = %one) -> (f64) : i64 {
    %y = td.kernel (%x, %s) : (tensor<4xf32, #gpu>, f64) -> tensor<f32, #gpu> {
    ^bb0(%a: tensor<4xf32, #gpu>, %j: f64):
      %k = td.fill %j : f64 -> tensor<4xf32, #gpu>
      %b = td.mul %a, %k : tensor<4xf32, #gpu>
      %c = td.reduce sum %b [0] : tensor<4xf32, #gpu> to tensor<f32, #gpu>
      td.yield %c : tensor<f32, #gpu>
    }
    %z = td.to_device %y : tensor<f32, #gpu> to tensor<f32, #cpu>
    %f = td.item %z : tensor<f32, #cpu> -> f64
    scf.yield %f : f64
  }
  return %r : f64
}

// -----

#cpu = #td.dev<cpu>
#gpu = #td.dev<cuda, 0>

// Other processes may read a file that is written in each iteration: the print
// that precedes the write is not moved.
// CHECK-LABEL: func.func @saved
// CHECK-NOT: iteration
// CHECK: td.print
// CHECK: td.save_tensor
func.func @saved(%x: tensor<4xf32, #gpu>, %kept: tensor<4xf32, #cpu>) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c5 = arith.constant 5 : i64
  %path = td.format "x.npy"
  scf.for %i = %c0 to %c5 step %c1 : i64 {
    %y = td.kernel (%x, %i) : (tensor<4xf32, #gpu>, i64) -> tensor<f32, #gpu> {
    ^bb0(%a: tensor<4xf32, #gpu>, %j: i64):
      %k = td.fill %j : i64 -> tensor<4xf32, #gpu>
      %b = td.add %a, %k : tensor<4xf32, #gpu>
      %c = td.reduce sum %b [0] : tensor<4xf32, #gpu> to tensor<f32, #gpu>
      td.yield %c : tensor<f32, #gpu>
    }
    %z = td.to_device %y : tensor<f32, #gpu> to tensor<f32, #cpu>
    %f = td.item %z : tensor<f32, #cpu> -> f64
    %text = td.format "{}\n" (%f) : f64
    td.print %text
    td.save_tensor %path, %kept : tensor<4xf32, #cpu>
  }
  return
}

// -----

#one = #td.dev<cuda, 0>
#two = #td.dev<cuda, 1>

// A copy between GPUs starts after the kernel that makes the value. The receiver
// waits before the use, the sender at the end: both run kernels meanwhile.
// CHECK-LABEL: func.func @peer
// CHECK: %[[A:.*]] = td.kernel(%arg0)
// CHECK: %[[C:.*]], %[[T:.*]] = td.copy_start %[[A]] : {{.*}}cuda, 0{{.*}} to {{.*}}cuda, 1
// CHECK-NEXT: %[[B:.*]] = td.kernel(%arg1)
// CHECK: td.kernel(%arg0)
// CHECK: td.copy_wait %[[T]] by <cuda, 1> for %[[C]]
// CHECK-NEXT: td.kernel(%[[B]], %[[C]])
// CHECK: td.copy_wait %[[T]] by <cuda, 0> for %[[A]]
// CHECK-NEXT: return
func.func @peer(%x: tensor<4xf32, #one>, %y: tensor<4xf32, #two>) -> (tensor<4xf32, #one>, tensor<4xf32, #two>) {
  %a = td.kernel (%x) : (tensor<4xf32, #one>) -> tensor<4xf32, #one> {
  ^bb0(%v: tensor<4xf32, #one>):
    %e = td.exp %v : tensor<4xf32, #one>
    td.yield %e : tensor<4xf32, #one>
  }
  %b = td.kernel (%y) : (tensor<4xf32, #two>) -> tensor<4xf32, #two> {
  ^bb0(%v: tensor<4xf32, #two>):
    %e = td.exp %v : tensor<4xf32, #two>
    td.yield %e : tensor<4xf32, #two>
  }
  %d = td.kernel (%x) : (tensor<4xf32, #one>) -> tensor<4xf32, #one> {
  ^bb0(%v: tensor<4xf32, #one>):
    %e = td.exp %v : tensor<4xf32, #one>
    td.yield %e : tensor<4xf32, #one>
  }
  %c = td.to_device %a : tensor<4xf32, #one> to tensor<4xf32, #two>
  %z = td.kernel (%b, %c) : (tensor<4xf32, #two>, tensor<4xf32, #two>) -> tensor<4xf32, #two> {
  ^bb0(%v: tensor<4xf32, #two>, %w: tensor<4xf32, #two>):
    %e = td.add %v, %w : tensor<4xf32, #two>
    td.yield %e : tensor<4xf32, #two>
  }
  return %d, %z : tensor<4xf32, #one>, tensor<4xf32, #two>
}

// -----

#one = #td.dev<cuda, 0>
#two = #td.dev<cuda, 1>

// A copy that hides no latency is not pipelined: all later kernels need it.
// CHECK-LABEL: func.func @chain
// CHECK-NOT: td.copy_start
// CHECK: return
func.func @chain(%x: tensor<4xf32, #one>) -> tensor<4xf32, #one> {
  %a = td.kernel (%x) : (tensor<4xf32, #one>) -> tensor<4xf32, #one> {
  ^bb0(%v: tensor<4xf32, #one>):
    %e = td.exp %v : tensor<4xf32, #one>
    td.yield %e : tensor<4xf32, #one>
  }
  %b = td.to_device %a : tensor<4xf32, #one> to tensor<4xf32, #two>
  %c = td.kernel (%b) : (tensor<4xf32, #two>) -> tensor<4xf32, #two> {
  ^bb0(%v: tensor<4xf32, #two>):
    %e = td.exp %v : tensor<4xf32, #two>
    td.yield %e : tensor<4xf32, #two>
  }
  %d = td.to_device %c : tensor<4xf32, #two> to tensor<4xf32, #one>
  %f = td.kernel (%d) : (tensor<4xf32, #one>) -> tensor<4xf32, #one> {
  ^bb0(%v: tensor<4xf32, #one>):
    %e = td.exp %v : tensor<4xf32, #one>
    td.yield %e : tensor<4xf32, #one>
  }
  return %f : tensor<4xf32, #one>
}

// -----

#one = #td.dev<cuda, 0>
#two = #td.dev<cuda, 1>

// Copies of one queue arrive in order, so that each GPU waits once for two.
// CHECK-LABEL: func.func @two
// CHECK: %[[C:.*]], %{{.*}} = td.copy_start %arg0
// CHECK: %[[D:.*]], %[[T:.*]] = td.copy_start %arg1
// CHECK: td.kernel(%arg2)
// CHECK: td.copy_wait %[[T]] by <cuda, 1> for %[[D]], %[[C]]
// CHECK-NEXT: td.kernel(%[[D]])
// CHECK: td.kernel(%[[C]])
// CHECK: td.copy_wait %[[T]] by <cuda, 0> for %arg1, %arg0
// CHECK-NOT: td.copy_wait
// CHECK: return
func.func @two(%x: tensor<4xf32, #one>, %y: tensor<4xf32, #one>, %z: tensor<4xf32, #two>) -> (tensor<4xf32, #two>, tensor<4xf32, #two>, tensor<4xf32, #two>) {
  %c = td.to_device %x : tensor<4xf32, #one> to tensor<4xf32, #two>
  %d = td.to_device %y : tensor<4xf32, #one> to tensor<4xf32, #two>
  %k = td.kernel (%z) : (tensor<4xf32, #two>) -> tensor<4xf32, #two> {
  ^bb0(%v: tensor<4xf32, #two>):
    %e = td.exp %v : tensor<4xf32, #two>
    td.yield %e : tensor<4xf32, #two>
  }
  %l = td.kernel (%d) : (tensor<4xf32, #two>) -> tensor<4xf32, #two> {
  ^bb0(%v: tensor<4xf32, #two>):
    %e = td.exp %v : tensor<4xf32, #two>
    td.yield %e : tensor<4xf32, #two>
  }
  %m = td.kernel (%c) : (tensor<4xf32, #two>) -> tensor<4xf32, #two> {
  ^bb0(%v: tensor<4xf32, #two>):
    %e = td.exp %v : tensor<4xf32, #two>
    td.yield %e : tensor<4xf32, #two>
  }
  return %k, %l, %m : tensor<4xf32, #two>, tensor<4xf32, #two>, tensor<4xf32, #two>
}

// -----

#one = #td.dev<cuda, 0>
#two = #td.dev<cuda, 1>

// The slot is written after the wait for its copy; the carried value is computed
// where that costs nothing.
// CHECK-LABEL: func.func @overwritten
// CHECK: %[[S:.*]] = td.read @s
// CHECK: %[[C:.*]], %[[T:.*]] = td.copy_start %[[S]]
// CHECK: td.kernel(%arg0)
// CHECK: td.copy_wait %[[T]] by <cuda, 0> for %[[S]]
// CHECK-NEXT: td.write %arg1, @s
// CHECK: td.copy_wait %[[T]] by <cuda, 1> for %[[C]]
// CHECK: scf.for {{.*}} iter_args(%[[V:.*]] = %arg1)
// CHECK-NEXT: %[[D:.*]], %[[U:.*]] = td.copy_start %[[V]]
// CHECK: td.kernel(%arg0)
// CHECK: td.copy_wait %[[U]] by <cuda, 1> for %[[D]]
// CHECK: td.copy_wait %[[U]] by <cuda, 0> for %[[V]]
// CHECK-NEXT: %[[N:.*]] = td.kernel(%[[V]])
// CHECK: scf.yield %[[N]]
td.slot @s buffer "s" of "m" : tensor<4xf32, #one>
td.slot @r buffer "r" of "m" : tensor<4xf32, #two>
func.func @overwritten(%z: tensor<4xf32, #two>, %y: tensor<4xf32, #one>) -> tensor<4xf32, #one> {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c5 = arith.constant 5 : i64
  %s = td.read @s : tensor<4xf32, #one>
  %k = td.kernel (%z) : (tensor<4xf32, #two>) -> tensor<4xf32, #two> {
  ^bb0(%v: tensor<4xf32, #two>):
    %e = td.exp %v : tensor<4xf32, #two>
    td.yield %e : tensor<4xf32, #two>
  }
  td.write %y, @s : tensor<4xf32, #one>
  td.write %k, @r : tensor<4xf32, #two>
  %c = td.to_device %s : tensor<4xf32, #one> to tensor<4xf32, #two>
  %l = td.kernel (%c) : (tensor<4xf32, #two>) -> tensor<4xf32, #two> {
  ^bb0(%v: tensor<4xf32, #two>):
    %e = td.exp %v : tensor<4xf32, #two>
    td.yield %e : tensor<4xf32, #two>
  }
  td.write %l, @r : tensor<4xf32, #two>
  %x = scf.for %i = %c0 to %c5 step %c1 iter_args(%v = %y) -> (tensor<4xf32, #one>) : i64 {
    %p = td.kernel (%z) : (tensor<4xf32, #two>) -> tensor<4xf32, #two> {
    ^bb0(%w: tensor<4xf32, #two>):
      %e = td.exp %w : tensor<4xf32, #two>
      td.yield %e : tensor<4xf32, #two>
    }
    td.write %p, @r : tensor<4xf32, #two>
    %d = td.to_device %v : tensor<4xf32, #one> to tensor<4xf32, #two>
    %q = td.kernel (%d) : (tensor<4xf32, #two>) -> tensor<4xf32, #two> {
    ^bb0(%w: tensor<4xf32, #two>):
      %e = td.exp %w : tensor<4xf32, #two>
      td.yield %e : tensor<4xf32, #two>
    }
    td.write %q, @r : tensor<4xf32, #two>
    %n = td.kernel (%v) : (tensor<4xf32, #one>) -> tensor<4xf32, #one> {
    ^bb0(%w: tensor<4xf32, #one>):
      %e = td.exp %w : tensor<4xf32, #one>
      td.yield %e : tensor<4xf32, #one>
    }
    scf.yield %n : tensor<4xf32, #one>
  }
  return %x : tensor<4xf32, #one>
}
