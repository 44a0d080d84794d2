// RUN: tdc-opt %s --td-grad --td-verify-grad | FileCheck %s

// The expansion of td.grad and td.backward. gradcheck tests the values of the
// rules; this file tests which ops they emit and how requests are combined.

td.slot @"m.w" param "w" of "m" : tensor<4xf32>
td.slot @"m.b" param "b" of "m" : tensor<4xf32>
td.slot @"grad.m.w" grad "w" of "m" : tensor<4xf32>
td.slot @"grad.m.b" grad "b" of "m" : tensor<4xf32>

// Two reads of one slot are one leaf; @"m.b" is not used and left alone.
// CHECK-LABEL: func.func @backward
// CHECK-SAME: (%[[A0:[a-z0-9_]+]]: tensor<4xf32>)
// CHECK: %[[V0:[a-z0-9_]+]] = td.read @m.w : tensor<4xf32>
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = td.mul %[[V0]], %[[A0]] : tensor<4xf32>
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = td.read @m.w : tensor<4xf32>
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = td.add %[[V1]], %[[V2]] : tensor<4xf32>
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = td.reduce sum %[[V3]] [0] : tensor<4xf32> to tensor<f32>
// CHECK-NEXT: %[[C0:[a-z0-9_]+]] = arith.constant 1.000000e+00 : f64
// CHECK-NEXT: %[[V5:[a-z0-9_]+]] = td.fill %[[C0]] : f64 -> tensor<f32>
// CHECK-NEXT: %[[V6:[a-z0-9_]+]] = td.broadcast %[[V5]] : tensor<f32> to tensor<4xf32>
// CHECK-NEXT: %[[V7:[a-z0-9_]+]] = td.mul %[[V6]], %[[A0]] : tensor<4xf32>
// CHECK-NEXT: %[[V8:[a-z0-9_]+]] = td.add %[[V6]], %[[V7]] : tensor<4xf32>
// CHECK-NEXT: %[[V9:[a-z0-9_]+]] = td.read @grad.m.w : tensor<4xf32>
// CHECK-NEXT: %[[V10:[a-z0-9_]+]] = td.add %[[V9]], %[[V8]] : tensor<4xf32>
// CHECK-NEXT: td.write %[[V10]], @grad.m.w : tensor<4xf32>
// CHECK-NEXT: return
func.func @backward(%x: tensor<4xf32>) {
  %w0 = td.read @"m.w" : tensor<4xf32>
  %y = td.mul %w0, %x : tensor<4xf32>
  %w1 = td.read @"m.w" : tensor<4xf32>
  %z = td.add %y, %w1 : tensor<4xf32>
  %l = td.reduce sum %z [0] : tensor<4xf32> to tensor<f32>
  td.backward %l [@"m.b", @"m.w"] into [@"grad.m.b", @"grad.m.w"] : tensor<f32>
  return
}

// td.grad may name a later read of the slot: the leaf is the target's own read.
// CHECK-LABEL: func.func @grad_of_slot
// CHECK-SAME: (%[[A0:[a-z0-9_]+]]: tensor<4xf32>) -> tensor<4xf32>
// CHECK: %[[V0:[a-z0-9_]+]] = td.read @m.w : tensor<4xf32>
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = td.mul %[[V0]], %[[A0]] : tensor<4xf32>
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = td.reduce sum %[[V1]] [0] : tensor<4xf32> to tensor<f32>
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = td.read @m.w : tensor<4xf32>
// CHECK-NEXT: %[[C0:[a-z0-9_]+]] = arith.constant 1.000000e+00 : f64
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = td.fill %[[C0]] : f64 -> tensor<f32>
// CHECK-NEXT: %[[V5:[a-z0-9_]+]] = td.broadcast %[[V4]] : tensor<f32> to tensor<4xf32>
// CHECK-NEXT: %[[V6:[a-z0-9_]+]] = td.mul %[[V5]], %[[A0]] : tensor<4xf32>
// CHECK-NEXT: return %[[V6]] : tensor<4xf32>
func.func @grad_of_slot(%x: tensor<4xf32>) -> tensor<4xf32> {
  %w0 = td.read @"m.w" : tensor<4xf32>
  %y = td.mul %w0, %x : tensor<4xf32>
  %l = td.reduce sum %y [0] : tensor<4xf32> to tensor<f32>
  %w1 = td.read @"m.w" : tensor<4xf32>
  %g = td.grad %l wrt(%w1) : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  return %g : tensor<4xf32>
}

// The write of the next step follows the gradient, in every iteration.
// CHECK-LABEL: func.func @step_in_loop
// CHECK-SAME: (%[[A0:[a-z0-9_]+]]: tensor<4xf32>, %[[A1:[a-z0-9_]+]]: i64)
// CHECK: %[[C0:[a-z0-9_]+]] = arith.constant 0 : i64
// CHECK-NEXT: %[[C1:[a-z0-9_]+]] = arith.constant 1 : i64
// CHECK-NEXT: scf.for %[[A2:[a-z0-9_]+]] = %[[C0]] to %[[A1]] step %[[C1]] : i64 {
// CHECK-NEXT: %[[V0:[a-z0-9_]+]] = td.read @m.w : tensor<4xf32>
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = td.mul %[[V0]], %[[A0]] : tensor<4xf32>
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = td.reduce sum %[[V1]] [0] : tensor<4xf32> to tensor<f32>
// CHECK-NEXT: %[[C2:[a-z0-9_]+]] = arith.constant 1.000000e+00 : f64
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = td.fill %[[C2]] : f64 -> tensor<f32>
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = td.broadcast %[[V3]] : tensor<f32> to tensor<4xf32>
// CHECK-NEXT: %[[V5:[a-z0-9_]+]] = td.mul %[[V4]], %[[A0]] : tensor<4xf32>
// CHECK-NEXT: %[[V6:[a-z0-9_]+]] = td.read @grad.m.w : tensor<4xf32>
// CHECK-NEXT: %[[V7:[a-z0-9_]+]] = td.add %[[V6]], %[[V5]] : tensor<4xf32>
// CHECK-NEXT: td.write %[[V7]], @grad.m.w : tensor<4xf32>
// CHECK-NEXT: td.write %[[V1]], @m.w : tensor<4xf32>
// CHECK: return
func.func @step_in_loop(%x: tensor<4xf32>, %n: i64) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  scf.for %i = %c0 to %n step %c1 : i64 {
    %w = td.read @"m.w" : tensor<4xf32>
    %y = td.mul %w, %x : tensor<4xf32>
    %l = td.reduce sum %y [0] : tensor<4xf32> to tensor<f32>
    td.backward %l [@"m.w"] into [@"grad.m.w"] : tensor<f32>
    td.write %y, @"m.w" : tensor<4xf32>
  }
  return
}

// CHECK-LABEL: func.func @fan_out
// CHECK-SAME: (%[[A0:[a-z0-9_]+]]: tensor<f32>) -> tensor<f32>
// CHECK: %[[V0:[a-z0-9_]+]] = td.exp %[[A0]] : tensor<f32>
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = td.mul %[[V0]], %[[A0]] : tensor<f32>
// CHECK-NEXT: %[[C0:[a-z0-9_]+]] = arith.constant 1.000000e+00 : f64
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = td.fill %[[C0]] : f64 -> tensor<f32>
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = td.mul %[[V2]], %[[A0]] : tensor<f32>
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = td.mul %[[V2]], %[[V0]] : tensor<f32>
// CHECK-NEXT: %[[V5:[a-z0-9_]+]] = td.mul %[[V3]], %[[V0]] : tensor<f32>
// CHECK-NEXT: %[[V6:[a-z0-9_]+]] = td.add %[[V4]], %[[V5]] : tensor<f32>
// CHECK-NEXT: return %[[V6]] : tensor<f32>
func.func @fan_out(%x: tensor<f32>) -> tensor<f32> {
  %y = td.exp %x : tensor<f32>
  %z = td.mul %y, %x : tensor<f32>
  %g = td.grad %z wrt(%x) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %g : tensor<f32>
}

// An inner gradient is differentiated as the ops that it became.
// CHECK-LABEL: func.func @nested
// CHECK-SAME: (%[[A0:[a-z0-9_]+]]: tensor<f32>) -> tensor<f32>
// CHECK: %[[V0:[a-z0-9_]+]] = td.exp %[[A0]] : tensor<f32>
// CHECK-NEXT: %[[WATCHED:[a-z0-9_]+]] = td.watch %[[V0]] : tensor<f32>
// CHECK-NEXT: %[[C0:[a-z0-9_]+]] = arith.constant 1.000000e+00 : f64
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = td.fill %[[C0]] : f64 -> tensor<f32>
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = td.mul %[[V1]], %[[WATCHED]] : tensor<f32>
// CHECK-NEXT: %[[C1:[a-z0-9_]+]] = arith.constant 1.000000e+00 : f64
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = td.fill %[[C1]] : f64 -> tensor<f32>
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = td.mul %[[V3]], %[[V1]] : tensor<f32>
// CHECK-NEXT: %[[V5:[a-z0-9_]+]] = td.mul %[[V4]], %[[WATCHED]] : tensor<f32>
// CHECK-NEXT: return %[[V5]] : tensor<f32>
func.func @nested(%x: tensor<f32>) -> tensor<f32> {
  %y = td.exp %x : tensor<f32>
  %g = td.grad %y wrt(%x) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %gg = td.grad %g wrt(%x) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %gg : tensor<f32>
}

// Leaves that are not reached: %x only through a detach or integers, %y never.
// CHECK-LABEL: func.func @not_reached
// CHECK-SAME: (%[[A0:[a-z0-9_]+]]: tensor<f32>, %[[A1:[a-z0-9_]+]]: tensor<?xf32>, %[[A2:[a-z0-9_]+]]: tensor<f32>)
// CHECK: arith.constant 0.000000e+00 : f64
// CHECK-NEXT: %[[ZERO:[a-z0-9_]+]] = td.fill
// CHECK-NEXT: %[[DIM:[a-z0-9_]+]] = td.dim %[[A1]], 0 : tensor<?xf32>
// CHECK-NEXT: %[[C0:[a-z0-9_]+]] = arith.constant 0.000000e+00 : f64
// CHECK-NEXT: %[[ZEROS:[a-z0-9_]+]] = td.fill %[[C0]] sizes(%[[DIM]]) : f64 -> tensor<?xf32>
// CHECK-NEXT: return %[[ZERO]], %[[ZEROS]], %{{.*}} : tensor<f32>, tensor<?xf32>, tensor<f32>
func.func @not_reached(%x: tensor<f32>, %y: tensor<?xf32>, %w: tensor<f32>) -> (tensor<f32>, tensor<?xf32>, tensor<f32>) {
  %d = td.detach %x : tensor<f32>
  %i = td.cast %x : tensor<f32> to tensor<i64>
  %f = td.cast %i : tensor<i64> to tensor<f32>
  %u = td.mul %d, %f : tensor<f32>
  %z = td.add %u, %w : tensor<f32>
  %g:3 = td.grad %z wrt(%x, %y, %w) : (tensor<f32>, tensor<f32>, tensor<?xf32>, tensor<f32>) -> (tensor<f32>, tensor<?xf32>, tensor<f32>)
  return %g#0, %g#1, %g#2 : tensor<f32>, tensor<?xf32>, tensor<f32>
}

// A gradient that is rounded on its way. The value is returned, so it is watched.
// CHECK-LABEL: func.func @rounded
// CHECK-SAME: (%[[A0:[a-z0-9_]+]]: tensor<f32>) -> (tensor<f32>, tensor<f32>)
// CHECK: %[[Y:[a-z0-9_]+]] = td.exp %[[A0]] : tensor<f32>
// CHECK-NEXT: %[[WATCHED:[a-z0-9_]+]] = td.watch %[[Y]] : tensor<f32>
// CHECK: %[[G:[a-z0-9_]+]] = td.mul %{{.*}}, %[[WATCHED]] : tensor<f32>
// CHECK-NEXT: %[[N:[a-z0-9_]+]] = td.cast %[[G]] : tensor<f32> to tensor<bf16>
// CHECK-NEXT: %[[W:[a-z0-9_]+]] = td.cast %[[N]] : tensor<bf16> to tensor<f32>
// CHECK-NEXT: return %[[WATCHED]], %[[W]] : tensor<f32>, tensor<f32>
func.func @rounded(%x: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %r = td.round_gradient %x to bf16 : tensor<f32>
  %y = td.exp %r : tensor<f32>
  %g = td.grad %y wrt(%x) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %y, %g : tensor<f32>, tensor<f32>
}

// The backward loop rounds in each iteration (f64); next, a second derivative.
// CHECK-LABEL: func.func @rounded_in_loop
// CHECK-COUNT-2: scf.for
// CHECK: td.cast %{{.*}} : tensor<f64> to tensor<f16>
// CHECK-NEXT: td.cast %{{.*}} : tensor<f16> to tensor<f64>
// CHECK-NOT: td.round_gradient
// CHECK: return
func.func @rounded_in_loop(%x: tensor<f64>, %w: tensor<f64>) -> tensor<f64> {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c3 = arith.constant 3 : i64
  %l = scf.for %i = %c0 to %c3 step %c1 iter_args(%sum = %x) -> (tensor<f64>) : i64 {
    %r = td.round_gradient %w to f16 : tensor<f64>
    %e = td.exp %r : tensor<f64>
    %next = td.add %sum, %e : tensor<f64>
    scf.yield %next : tensor<f64>
  }
  %g = td.grad %l wrt(%w) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %g : tensor<f64>
}

// CHECK-LABEL: func.func @rounded_in_if
// CHECK-COUNT-2: td.cast %{{.*}} : tensor<f32> to tensor<bf16>
// CHECK-NOT: td.round_gradient
// CHECK: return
func.func @rounded_in_if(%x: tensor<f32>, %c: i1) -> tensor<f32> {
  %y = scf.if %c -> (tensor<f32>) {
    %r = td.round_gradient %x to bf16 : tensor<f32>
    %e = td.exp %r : tensor<f32>
    scf.yield %e : tensor<f32>
  } else {
    scf.yield %x : tensor<f32>
  }
  %g = td.grad %y wrt(%x) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %gg = td.grad %g wrt(%x) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %gg : tensor<f32>
}

// The target is defined outside of the block with the td.grad.
// CHECK-LABEL: func.func @asked_in_region
// CHECK-SAME: (%[[A0:[a-z0-9_]+]]: tensor<f32>, %[[A1:[a-z0-9_]+]]: i1) -> tensor<f32>
// CHECK: %[[V0:[a-z0-9_]+]] = td.neg %[[A0]] : tensor<f32>
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = scf.if %[[A1]] -> (tensor<f32>) {
// CHECK-NEXT: %[[C0:[a-z0-9_]+]] = arith.constant 1.000000e+00 : f64
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = td.fill %[[C0]] : f64 -> tensor<f32>
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = td.neg %[[V2]] : tensor<f32>
// CHECK-NEXT: scf.yield %[[V3]] : tensor<f32>
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield %[[A0]] : tensor<f32>
// CHECK: return %[[V1]] : tensor<f32>
func.func @asked_in_region(%x: tensor<f32>, %c: i1) -> tensor<f32> {
  %y = td.neg %x : tensor<f32>
  %r = scf.if %c -> tensor<f32> {
    %g = td.grad %y wrt(%x) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    scf.yield %g : tensor<f32>
  } else {
    scf.yield %x : tensor<f32>
  }
  return %r : tensor<f32>
}

// A choice by a host condition.
// CHECK-LABEL: func.func @host_select
// CHECK-SAME: (%[[A0:[a-z0-9_]+]]: tensor<f32>, %[[A1:[a-z0-9_]+]]: tensor<f32>, %[[A2:[a-z0-9_]+]]: i1) -> tensor<f32>
// CHECK: %[[V0:[a-z0-9_]+]] = arith.select %[[A2]], %[[A0]], %[[A1]] : tensor<f32>
// CHECK-NEXT: %[[C0:[a-z0-9_]+]] = arith.constant 1.000000e+00 : f64
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = td.fill %[[C0]] : f64 -> tensor<f32>
// CHECK-NEXT: %[[C1:[a-z0-9_]+]] = arith.constant 0.000000e+00 : f64
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = td.fill %[[C1]] : f64 -> tensor<f32>
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = arith.select %[[A2]], %[[V1]], %[[V2]] : tensor<f32>
// CHECK-NEXT: return %[[V3]] : tensor<f32>
func.func @host_select(%x: tensor<f32>, %y: tensor<f32>, %c: i1) -> tensor<f32> {
  %z = arith.select %c, %x, %y : tensor<f32>
  %g = td.grad %z wrt(%x) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %g : tensor<f32>
}

// Control flow: the side that was taken. Values that cannot be computed again
// (the random call) become results of the forward op, cheap ones are recomputed.
// CHECK-LABEL: func.func @branch
// CHECK-SAME: (%[[A0:[a-z0-9_]+]]: i1, %[[A1:[a-z0-9_]+]]: tensor<f32>) -> tensor<f32>
// CHECK: %[[V0:[a-z0-9_]+]]:2 = scf.if %[[A0]] -> (tensor<f32>, tensor<f32>) {
// CHECK-NEXT: %[[V1:[a-z0-9_]+]], %[[C0:[a-z0-9_]+]] = td.next_random
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = td.random uniform %[[V1]], %[[C0]] : tensor<f32>
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = td.exp %[[A1]] : tensor<f32>
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = td.mul %[[V2]], %[[V3]] : tensor<f32>
// CHECK-NEXT: scf.yield %[[V4]], %[[V2]] : tensor<f32>, tensor<f32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %[[C1:[a-z0-9_]+]] = arith.constant 0.000000e+00 : f64
// CHECK-NEXT: %[[V5:[a-z0-9_]+]] = td.fill %[[C1]] : f64 -> tensor<f32>
// CHECK-NEXT: scf.yield %[[A1]], %[[V5]] : tensor<f32>, tensor<f32>
// CHECK: %[[C2:[a-z0-9_]+]] = arith.constant 1.000000e+00 : f64
// CHECK-NEXT: %[[V6:[a-z0-9_]+]] = td.fill %[[C2]] : f64 -> tensor<f32>
// CHECK-NEXT: %[[V7:[a-z0-9_]+]] = scf.if %[[A0]] -> (tensor<f32>) {
// CHECK-NEXT: %[[V8:[a-z0-9_]+]] = td.exp %[[A1]] : tensor<f32>
// CHECK-NEXT: %[[V9:[a-z0-9_]+]] = td.mul %[[V6]], %[[V0]]#1 : tensor<f32>
// CHECK-NEXT: %[[V10:[a-z0-9_]+]] = td.mul %[[V9]], %[[V8]] : tensor<f32>
// CHECK-NEXT: scf.yield %[[V10]] : tensor<f32>
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield %[[V6]] : tensor<f32>
// CHECK: return %[[V7]] : tensor<f32>
func.func @branch(%c: i1, %x: tensor<f32>) -> tensor<f32> {
  %y = scf.if %c -> tensor<f32> {
    %seed, %call = td.next_random
    %r = td.random uniform %seed, %call : tensor<f32>
    %e = td.exp %x : tensor<f32>
    %m = td.mul %r, %e : tensor<f32>
    scf.yield %m : tensor<f32>
  } else {
    scf.yield %x : tensor<f32>
  }
  %g = td.grad %y wrt(%x) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %g : tensor<f32>
}

// The backward loop starts with the last iteration; the forward loop stacks tanh's results.
// CHECK-LABEL: func.func @loop
// CHECK-SAME: (%[[A0:[a-z0-9_]+]]: tensor<8x4xf32>, %[[A1:[a-z0-9_]+]]: tensor<4xf32>) -> tensor<8x4xf32>
// CHECK: %[[C0:[a-z0-9_]+]] = arith.constant 0 : i64
// CHECK-NEXT: %[[C1:[a-z0-9_]+]] = arith.constant 1 : i64
// CHECK-NEXT: %[[C2:[a-z0-9_]+]] = arith.constant 8 : i64
// CHECK-NEXT: %[[C3:[a-z0-9_]+]] = arith.constant 8 : i64
// CHECK-NEXT: %[[C4:[a-z0-9_]+]] = arith.constant 0.000000e+00 : f64
// CHECK-NEXT: %[[V0:[a-z0-9_]+]] = td.fill %[[C4]] : f64 -> tensor<8x4xf32>
// CHECK-NEXT: %[[V1:[a-z0-9_]+]]:2 = scf.for %[[A2:[a-z0-9_]+]] = %[[C0]] to %[[C2]] step %[[C1]] iter_args(%[[A3:[a-z0-9_]+]] = %[[A1]], %[[A4:[a-z0-9_]+]] = %[[V0]]) -> (tensor<4xf32>, tensor<8x4xf32>) : i64 {
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = td.slice %[[A0]][%[[A2]]] dim 0 step 1 : tensor<8x4xf32> to tensor<1x4xf32>
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = td.reshape %[[V2]] : tensor<1x4xf32> to tensor<4xf32>
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = td.add %[[A3]], %[[V3]] : tensor<4xf32>
// CHECK-NEXT: %[[V5:[a-z0-9_]+]] = td.tanh %[[V4]] : tensor<4xf32>
// CHECK-NEXT: %[[V6:[a-z0-9_]+]] = arith.subi %[[A2]], %[[C0]] : i64
// CHECK-NEXT: %[[V7:[a-z0-9_]+]] = arith.divsi %[[V6]], %[[C1]] : i64
// CHECK-NEXT: %[[V8:[a-z0-9_]+]] = td.reshape %[[V5]] : tensor<4xf32> to tensor<1x4xf32>
// CHECK-NEXT: %[[V9:[a-z0-9_]+]] = td.update_slice %[[A4]], %[[V8]][%[[V7]]] dim 0 step 1 : tensor<8x4xf32>, tensor<1x4xf32>
// CHECK-NEXT: scf.yield %[[V5]], %[[V9]] : tensor<4xf32>, tensor<8x4xf32>
// CHECK: %[[V10:[a-z0-9_]+]] = td.reduce sum %[[V1]]#0 [0] : tensor<4xf32> to tensor<f32>
// CHECK-NEXT: %[[C5:[a-z0-9_]+]] = arith.constant 1.000000e+00 : f64
// CHECK-NEXT: %[[V11:[a-z0-9_]+]] = td.fill %[[C5]] : f64 -> tensor<f32>
// CHECK-NEXT: %[[V12:[a-z0-9_]+]] = td.broadcast %[[V11]] : tensor<f32> to tensor<4xf32>
// CHECK-NEXT: %[[C6:[a-z0-9_]+]] = arith.constant 0.000000e+00 : f64
// CHECK-NEXT: %[[V13:[a-z0-9_]+]] = td.fill %[[C6]] : f64 -> tensor<8x4xf32>
// CHECK-NEXT: %[[C7:[a-z0-9_]+]] = arith.constant 0 : i64
// CHECK-NEXT: %[[C8:[a-z0-9_]+]] = arith.constant 1 : i64
// CHECK-NEXT: %[[V14:[a-z0-9_]+]]:2 = scf.for %[[A5:[a-z0-9_]+]] = %[[C7]] to %[[C3]] step %[[C8]] iter_args(%[[A6:[a-z0-9_]+]] = %[[V12]], %[[A7:[a-z0-9_]+]] = %[[V13]]) -> (tensor<4xf32>, tensor<8x4xf32>) : i64 {
// CHECK-NEXT: %[[C9:[a-z0-9_]+]] = arith.constant 1 : i64
// CHECK-NEXT: %[[V15:[a-z0-9_]+]] = arith.subi %[[C3]], %[[C9]] : i64
// CHECK-NEXT: %[[V16:[a-z0-9_]+]] = arith.subi %[[V15]], %[[A5]] : i64
// CHECK-NEXT: %[[V17:[a-z0-9_]+]] = arith.muli %[[V16]], %[[C1]] : i64
// CHECK-NEXT: %[[V18:[a-z0-9_]+]] = arith.addi %[[C0]], %[[V17]] : i64
// CHECK-NEXT: %[[V19:[a-z0-9_]+]] = td.slice %[[V1]]#1[%[[V16]]] dim 0 step 1 : tensor<8x4xf32> to tensor<1x4xf32>
// CHECK-NEXT: %[[V20:[a-z0-9_]+]] = td.reshape %[[V19]] : tensor<1x4xf32> to tensor<4xf32>
// CHECK-NEXT: %[[C10:[a-z0-9_]+]] = arith.constant 1.000000e+00 : f64
// CHECK-NEXT: %[[V21:[a-z0-9_]+]] = td.fill %[[C10]] : f64 -> tensor<4xf32>
// CHECK-NEXT: %[[V22:[a-z0-9_]+]] = td.sub %[[V21]], %[[V20]] : tensor<4xf32>
// CHECK-NEXT: %[[V23:[a-z0-9_]+]] = td.add %[[V21]], %[[V20]] : tensor<4xf32>
// CHECK-NEXT: %[[V31:[a-z0-9_]+]] = td.mul %[[V22]], %[[V23]] : tensor<4xf32>
// CHECK-NEXT: %[[V24:[a-z0-9_]+]] = td.mul %[[A6]], %[[V31]] : tensor<4xf32>
// CHECK-NEXT: %[[V25:[a-z0-9_]+]] = td.reshape %[[V24]] : tensor<4xf32> to tensor<1x4xf32>
// CHECK-NEXT: %[[C11:[a-z0-9_]+]] = arith.constant 0.000000e+00 : f64
// CHECK-NEXT: %[[V26:[a-z0-9_]+]] = td.fill %[[C11]] : f64 -> tensor<8x4xf32>
// CHECK-NEXT: %[[V27:[a-z0-9_]+]] = td.update_slice %[[V26]], %[[V25]][%[[V18]]] dim 0 step 1 : tensor<8x4xf32>, tensor<1x4xf32>
// CHECK-NEXT: %[[V28:[a-z0-9_]+]] = td.slice %[[A7]][%[[V18]]] dim 0 step 1 : tensor<8x4xf32> to tensor<1x4xf32>
// CHECK-NEXT: %[[V29:[a-z0-9_]+]] = td.add %[[V28]], %[[V25]] : tensor<1x4xf32>
// CHECK-NEXT: %[[V30:[a-z0-9_]+]] = td.update_slice %[[A7]], %[[V29]][%[[V18]]] dim 0 step 1 : tensor<8x4xf32>, tensor<1x4xf32>
// CHECK-NEXT: scf.yield %[[V24]], %[[V30]] : tensor<4xf32>, tensor<8x4xf32>
// CHECK: return %[[V14]]#1 : tensor<8x4xf32>
func.func @loop(%x: tensor<8x4xf32>, %h0: tensor<4xf32>) -> tensor<8x4xf32> {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c8 = arith.constant 8 : i64
  %h = scf.for %t = %c0 to %c8 step %c1 iter_args(%p = %h0) -> (tensor<4xf32>) : i64 {
    %s = td.slice %x[%t] dim 0 step 1 : tensor<8x4xf32> to tensor<1x4xf32>
    %u = td.reshape %s : tensor<1x4xf32> to tensor<4xf32>
    %a = td.add %p, %u : tensor<4xf32>
    %b = td.tanh %a : tensor<4xf32>
    scf.yield %b : tensor<4xf32>
  }
  %l = td.reduce sum %h [0] : tensor<4xf32> to tensor<f32>
  %g = td.grad %l wrt(%x) : (tensor<f32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %g : tensor<8x4xf32>
}

// A slot read in the loop, a number of iterations known at run time.
// CHECK-LABEL: func.func @loop_reads_slot
// CHECK-SAME: (%[[A0:[a-z0-9_]+]]: tensor<4xf32>, %[[A1:[a-z0-9_]+]]: i64)
// CHECK: %[[C0:[a-z0-9_]+]] = arith.constant 0 : i64
// CHECK-NEXT: %[[C1:[a-z0-9_]+]] = arith.constant 1 : i64
// CHECK-NEXT: %[[V0:[a-z0-9_]+]] = arith.subi %[[A1]], %[[C0]] : i64
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = arith.ceildivsi %[[V0]], %[[C1]] : i64
// CHECK-NEXT: %[[C2:[a-z0-9_]+]] = arith.constant 0 : i64
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = arith.maxsi %[[V1]], %[[C2]] : i64
// CHECK-NEXT: %[[C3:[a-z0-9_]+]] = arith.constant 0.000000e+00 : f64
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = td.fill %[[C3]] sizes(%[[V2]]) : f64 -> tensor<?x4xf32>
// CHECK-NEXT: %[[V4:[a-z0-9_]+]]:2 = scf.for %[[A2:[a-z0-9_]+]] = %[[C0]] to %[[A1]] step %[[C1]] iter_args(%[[A3:[a-z0-9_]+]] = %[[A0]], %[[A4:[a-z0-9_]+]] = %[[V3]]) -> (tensor<4xf32>, tensor<?x4xf32>) : i64 {
// CHECK-NEXT: %[[V5:[a-z0-9_]+]] = td.read @m.w : tensor<4xf32>
// CHECK-NEXT: %[[V6:[a-z0-9_]+]] = td.mul %[[A3]], %[[V5]] : tensor<4xf32>
// CHECK-NEXT: %[[V7:[a-z0-9_]+]] = arith.subi %[[A2]], %[[C0]] : i64
// CHECK-NEXT: %[[V8:[a-z0-9_]+]] = arith.divsi %[[V7]], %[[C1]] : i64
// CHECK-NEXT: %[[V9:[a-z0-9_]+]] = td.reshape %[[A3]] : tensor<4xf32> to tensor<1x4xf32>
// CHECK-NEXT: %[[V10:[a-z0-9_]+]] = td.update_slice %[[A4]], %[[V9]][%[[V8]]] dim 0 step 1 : tensor<?x4xf32>, tensor<1x4xf32>
// CHECK-NEXT: scf.yield %[[V6]], %[[V10]] : tensor<4xf32>, tensor<?x4xf32>
// CHECK: %[[V11:[a-z0-9_]+]] = td.reduce sum %[[V4]]#0 [0] : tensor<4xf32> to tensor<f32>
// CHECK-NEXT: %[[C4:[a-z0-9_]+]] = arith.constant 1.000000e+00 : f64
// CHECK-NEXT: %[[V12:[a-z0-9_]+]] = td.fill %[[C4]] : f64 -> tensor<f32>
// CHECK-NEXT: %[[V13:[a-z0-9_]+]] = td.broadcast %[[V12]] : tensor<f32> to tensor<4xf32>
// CHECK-NEXT: %[[C5:[a-z0-9_]+]] = arith.constant 0.000000e+00 : f64
// CHECK-NEXT: %[[V14:[a-z0-9_]+]] = td.fill %[[C5]] : f64 -> tensor<4xf32>
// CHECK-NEXT: %[[C6:[a-z0-9_]+]] = arith.constant 0 : i64
// CHECK-NEXT: %[[C7:[a-z0-9_]+]] = arith.constant 1 : i64
// CHECK-NEXT: %[[V15:[a-z0-9_]+]]:2 = scf.for %[[A5:[a-z0-9_]+]] = %[[C6]] to %[[V2]] step %[[C7]] iter_args(%[[A6:[a-z0-9_]+]] = %[[V13]], %[[A7:[a-z0-9_]+]] = %[[V14]]) -> (tensor<4xf32>, tensor<4xf32>) : i64 {
// CHECK-NEXT: %[[C8:[a-z0-9_]+]] = arith.constant 1 : i64
// CHECK-NEXT: %[[V16:[a-z0-9_]+]] = arith.subi %[[V2]], %[[C8]] : i64
// CHECK-NEXT: %[[V17:[a-z0-9_]+]] = arith.subi %[[V16]], %[[A5]] : i64
// CHECK-NEXT: %[[V18:[a-z0-9_]+]] = arith.muli %[[V17]], %[[C1]] : i64
// CHECK-NEXT: %[[V19:[a-z0-9_]+]] = arith.addi %[[C0]], %[[V18]] : i64
// CHECK-NEXT: %[[V20:[a-z0-9_]+]] = td.read @m.w : tensor<4xf32>
// CHECK-NEXT: %[[V21:[a-z0-9_]+]] = td.slice %[[V4]]#1[%[[V17]]] dim 0 step 1 : tensor<?x4xf32> to tensor<1x4xf32>
// CHECK-NEXT: %[[V22:[a-z0-9_]+]] = td.reshape %[[V21]] : tensor<1x4xf32> to tensor<4xf32>
// CHECK-NEXT: %[[V23:[a-z0-9_]+]] = td.mul %[[A6]], %[[V20]] : tensor<4xf32>
// CHECK-NEXT: %[[V24:[a-z0-9_]+]] = td.mul %[[A6]], %[[V22]] : tensor<4xf32>
// CHECK-NEXT: %[[V25:[a-z0-9_]+]] = td.add %[[A7]], %[[V24]] : tensor<4xf32>
// CHECK-NEXT: scf.yield %[[V23]], %[[V25]] : tensor<4xf32>, tensor<4xf32>
// CHECK: %[[V26:[a-z0-9_]+]] = td.read @grad.m.w : tensor<4xf32>
// CHECK-NEXT: %[[V27:[a-z0-9_]+]] = td.add %[[V26]], %[[V15]]#1 : tensor<4xf32>
// CHECK-NEXT: td.write %[[V27]], @grad.m.w : tensor<4xf32>
// CHECK-NEXT: return
func.func @loop_reads_slot(%x: tensor<4xf32>, %n: i64) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %h = scf.for %t = %c0 to %n step %c1 iter_args(%p = %x) -> (tensor<4xf32>) : i64 {
    %w = td.read @"m.w" : tensor<4xf32>
    %a = td.mul %p, %w : tensor<4xf32>
    scf.yield %a : tensor<4xf32>
  }
  %l = td.reduce sum %h [0] : tensor<4xf32> to tensor<f32>
  td.backward %l [@"m.w"] into [@"grad.m.w"] : tensor<f32>
  return
}
