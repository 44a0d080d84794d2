// RUN: tdc-opt %s --split-input-file --td-place | FileCheck %s

#cpu = #td.dev<cpu>
#gpu = #td.dev<cuda, 0>

// A value that a loop does not change is copied before the loop.
// CHECK-LABEL: func.func @hoisted
// CHECK-SAME: (%[[A0:[a-z0-9_]+]]: tensor<4xf32, #td.dev<cpu>>, %[[A1:[a-z0-9_]+]]: tensor<4xf32, #td.dev<cuda, 0>>) -> tensor<4xf32, #td.dev<cuda, 0>>
// CHECK: %[[V0:[a-z0-9_]+]] = td.to_device %[[A0]] : tensor<4xf32, #td.dev<cpu>> to tensor<4xf32, #td.dev<cuda, 0>>
// CHECK-NEXT: %[[C0:[a-z0-9_]+]] = arith.constant 0 : i64
// CHECK-NEXT: %[[C1:[a-z0-9_]+]] = arith.constant 1 : i64
// CHECK-NEXT: %[[C10:[a-z0-9_]+]] = arith.constant 10 : i64
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = scf.for %[[A2:[a-z0-9_]+]] = %[[C0]] to %[[C10]] step %[[C1]] iter_args(%[[A3:[a-z0-9_]+]] = %[[A1]]) -> (tensor<4xf32, #td.dev<cuda, 0>>) : i64 {
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = td.add %[[A3]], %[[V0]] : tensor<4xf32, #td.dev<cuda, 0>>
// CHECK-NEXT: scf.yield %[[V2]] : tensor<4xf32, #td.dev<cuda, 0>>
// CHECK-NEXT: }
// CHECK-NEXT: return %[[V1]] : tensor<4xf32, #td.dev<cuda, 0>>
func.func @hoisted(%w: tensor<4xf32, #cpu>, %x: tensor<4xf32, #gpu>) -> tensor<4xf32, #gpu> {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c10 = arith.constant 10 : i64
  %r = scf.for %i = %c0 to %c10 step %c1 iter_args(%a = %x) -> (tensor<4xf32, #gpu>) : i64 {
    %g = td.to_device %w : tensor<4xf32, #cpu> to tensor<4xf32, #gpu>
    %b = td.add %a, %g : tensor<4xf32, #gpu>
    scf.yield %b : tensor<4xf32, #gpu>
  }
  return %r : tensor<4xf32, #gpu>
}

// Two copies of one value become one, and a copy back to its source is dropped.
// CHECK-LABEL: func.func @merged
// CHECK-SAME: (%[[A0:[a-z0-9_]+]]: tensor<4xf32, #td.dev<cpu>>) -> (tensor<4xf32, #td.dev<cuda, 0>>, tensor<4xf32, #td.dev<cpu>>)
// CHECK: %[[V0:[a-z0-9_]+]] = td.to_device %[[A0]] : tensor<4xf32, #td.dev<cpu>> to tensor<4xf32, #td.dev<cuda, 0>>
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = td.sin %[[V0]] : tensor<4xf32, #td.dev<cuda, 0>>
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = td.add %[[V1]], %[[V0]] : tensor<4xf32, #td.dev<cuda, 0>>
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = td.cos %[[A0]] : tensor<4xf32, #td.dev<cpu>>
// CHECK-NEXT: return %[[V2]], %[[V3]] : tensor<4xf32, #td.dev<cuda, 0>>, tensor<4xf32, #td.dev<cpu>>
func.func @merged(%x: tensor<4xf32, #cpu>) -> (tensor<4xf32, #gpu>, tensor<4xf32, #cpu>) {
  %a = td.to_device %x : tensor<4xf32, #cpu> to tensor<4xf32, #gpu>
  %b = td.sin %a : tensor<4xf32, #gpu>
  %c = td.to_device %x : tensor<4xf32, #cpu> to tensor<4xf32, #gpu>
  %d = td.add %b, %c : tensor<4xf32, #gpu>
  %e = td.to_device %c : tensor<4xf32, #gpu> to tensor<4xf32, #cpu>
  %f = td.cos %e : tensor<4xf32, #cpu>
  return %d, %f : tensor<4xf32, #gpu>, tensor<4xf32, #cpu>
}

// A copy that only one side of a branch reads is made there.
// CHECK-LABEL: func.func @branch
// CHECK-SAME: (%[[A0:[a-z0-9_]+]]: i1, %[[A1:[a-z0-9_]+]]: tensor<4xf32, #td.dev<cpu>>, %[[A2:[a-z0-9_]+]]: tensor<4xf32, #td.dev<cuda, 0>>) -> tensor<4xf32, #td.dev<cuda, 0>>
// CHECK: %[[V0:[a-z0-9_]+]] = scf.if %[[A0]] -> (tensor<4xf32, #td.dev<cuda, 0>>) {
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = td.to_device %[[A1]] : tensor<4xf32, #td.dev<cpu>> to tensor<4xf32, #td.dev<cuda, 0>>
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = td.sin %[[V1]] : tensor<4xf32, #td.dev<cuda, 0>>
// CHECK-NEXT: scf.yield %[[V2]] : tensor<4xf32, #td.dev<cuda, 0>>
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield %[[A2]] : tensor<4xf32, #td.dev<cuda, 0>>
// CHECK-NEXT: }
// CHECK-NEXT: return %[[V0]] : tensor<4xf32, #td.dev<cuda, 0>>
func.func @branch(%c: i1, %x: tensor<4xf32, #cpu>, %y: tensor<4xf32, #gpu>) -> tensor<4xf32, #gpu> {
  %g = td.to_device %x : tensor<4xf32, #cpu> to tensor<4xf32, #gpu>
  %r = scf.if %c -> (tensor<4xf32, #gpu>) {
    %s = td.sin %g : tensor<4xf32, #gpu>
    scf.yield %s : tensor<4xf32, #gpu>
  } else {
    scf.yield %y : tensor<4xf32, #gpu>
  }
  return %r : tensor<4xf32, #gpu>
}

// A copy that both sides read is made before the branch.
// CHECK-LABEL: func.func @both_sides
// CHECK-SAME: (%[[A0:[a-z0-9_]+]]: i1, %[[A1:[a-z0-9_]+]]: tensor<4xf32, #td.dev<cpu>>) -> tensor<4xf32, #td.dev<cuda, 0>>
// CHECK: %[[V0:[a-z0-9_]+]] = td.to_device %[[A1]] : tensor<4xf32, #td.dev<cpu>> to tensor<4xf32, #td.dev<cuda, 0>>
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = scf.if %[[A0]] -> (tensor<4xf32, #td.dev<cuda, 0>>) {
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = td.sin %[[V0]] : tensor<4xf32, #td.dev<cuda, 0>>
// CHECK-NEXT: scf.yield %[[V2]] : tensor<4xf32, #td.dev<cuda, 0>>
// CHECK-NEXT: } else {
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = td.cos %[[V0]] : tensor<4xf32, #td.dev<cuda, 0>>
// CHECK-NEXT: scf.yield %[[V3]] : tensor<4xf32, #td.dev<cuda, 0>>
// CHECK-NEXT: }
// CHECK-NEXT: return %[[V1]] : tensor<4xf32, #td.dev<cuda, 0>>
func.func @both_sides(%c: i1, %x: tensor<4xf32, #cpu>) -> tensor<4xf32, #gpu> {
  %r = scf.if %c -> (tensor<4xf32, #gpu>) {
    %g = td.to_device %x : tensor<4xf32, #cpu> to tensor<4xf32, #gpu>
    %s = td.sin %g : tensor<4xf32, #gpu>
    scf.yield %s : tensor<4xf32, #gpu>
  } else {
    %g = td.to_device %x : tensor<4xf32, #cpu> to tensor<4xf32, #gpu>
    %s = td.cos %g : tensor<4xf32, #gpu>
    scf.yield %s : tensor<4xf32, #gpu>
  }
  return %r : tensor<4xf32, #gpu>
}

// A value that is copied back at the end of each iteration and away at the start of
// the next stays on the device that reads it.
// CHECK-LABEL: func.func @carried
// CHECK-SAME: (%[[A0:[a-z0-9_]+]]: tensor<4xf32, #td.dev<cpu>>) -> tensor<4xf32, #td.dev<cpu>>
// CHECK: %[[V0:[a-z0-9_]+]] = td.to_device %[[A0]] : tensor<4xf32, #td.dev<cpu>> to tensor<4xf32, #td.dev<cuda, 0>>
// CHECK-NEXT: %[[C0:[a-z0-9_]+]] = arith.constant 0 : i64
// CHECK-NEXT: %[[C1:[a-z0-9_]+]] = arith.constant 1 : i64
// CHECK-NEXT: %[[C10:[a-z0-9_]+]] = arith.constant 10 : i64
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = scf.for %[[A1:[a-z0-9_]+]] = %[[C0]] to %[[C10]] step %[[C1]] iter_args(%[[A2:[a-z0-9_]+]] = %[[V0]]) -> (tensor<4xf32, #td.dev<cuda, 0>>) : i64 {
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = td.sin %[[A2]] : tensor<4xf32, #td.dev<cuda, 0>>
// CHECK-NEXT: scf.yield %[[V2]] : tensor<4xf32, #td.dev<cuda, 0>>
// CHECK-NEXT: }
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = td.to_device %[[V1]] : tensor<4xf32, #td.dev<cuda, 0>> to tensor<4xf32, #td.dev<cpu>>
// CHECK-NEXT: return %[[V3]] : tensor<4xf32, #td.dev<cpu>>
func.func @carried(%x: tensor<4xf32, #cpu>) -> tensor<4xf32, #cpu> {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c10 = arith.constant 10 : i64
  %r = scf.for %i = %c0 to %c10 step %c1 iter_args(%a = %x) -> (tensor<4xf32, #cpu>) : i64 {
    %g = td.to_device %a : tensor<4xf32, #cpu> to tensor<4xf32, #gpu>
    %b = td.sin %g : tensor<4xf32, #gpu>
    %h = td.to_device %b : tensor<4xf32, #gpu> to tensor<4xf32, #cpu>
    scf.yield %h : tensor<4xf32, #cpu>
  }
  return %r : tensor<4xf32, #cpu>
}

// Where only the next iteration reads a value on the GPU, the last iteration makes no copy.
// CHECK-LABEL: func.func @for_the_next_iteration
// CHECK-SAME: (%[[A0:[a-z0-9_]+]]: tensor<4xf32, #td.dev<cuda, 0>>) -> tensor<4xf32, #td.dev<cpu>>
// CHECK: %[[C0:[a-z0-9_]+]] = arith.constant 0 : i64
// CHECK-NEXT: %[[C1:[a-z0-9_]+]] = arith.constant 1 : i64
// CHECK-NEXT: %[[C10:[a-z0-9_]+]] = arith.constant 10 : i64
// CHECK-NEXT: %[[V0:[a-z0-9_]+]] = ub.poison : tensor<4xf32, #td.dev<cpu>>
// CHECK-NEXT: %[[V1:[a-z0-9_]+]]:2 = scf.for %[[A1:[a-z0-9_]+]] = %[[C0]] to %[[C10]] step %[[C1]] iter_args(%[[A2:[a-z0-9_]+]] = %[[A0]], %[[A3:[a-z0-9_]+]] = %[[V0]]) -> (tensor<4xf32, #td.dev<cuda, 0>>, tensor<4xf32, #td.dev<cpu>>) : i64 {
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = td.sin %[[A2]] : tensor<4xf32, #td.dev<cuda, 0>>
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = td.to_device %[[V2]] : tensor<4xf32, #td.dev<cuda, 0>> to tensor<4xf32, #td.dev<cpu>>
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = td.cos %[[V3]] : tensor<4xf32, #td.dev<cpu>>
// CHECK-NEXT: %[[V5:[a-z0-9_]+]] = arith.addi %[[A1]], %[[C1]] : i64
// CHECK-NEXT: %[[V6:[a-z0-9_]+]] = arith.cmpi slt, %[[V5]], %[[C10]] : i64
// CHECK-NEXT: %[[V7:[a-z0-9_]+]] = scf.if %[[V6]] -> (tensor<4xf32, #td.dev<cuda, 0>>) {
// CHECK-NEXT: %[[V8:[a-z0-9_]+]] = td.to_device %[[V4]] : tensor<4xf32, #td.dev<cpu>> to tensor<4xf32, #td.dev<cuda, 0>>
// CHECK-NEXT: scf.yield %[[V8]] : tensor<4xf32, #td.dev<cuda, 0>>
// CHECK-NEXT: } else {
// CHECK-NEXT: %[[V9:[a-z0-9_]+]] = ub.poison : tensor<4xf32, #td.dev<cuda, 0>>
// CHECK-NEXT: scf.yield %[[V9]] : tensor<4xf32, #td.dev<cuda, 0>>
// CHECK-NEXT: }
// CHECK-NEXT: scf.yield %[[V7]], %[[V4]] : tensor<4xf32, #td.dev<cuda, 0>>, tensor<4xf32, #td.dev<cpu>>
// CHECK-NEXT: }
// CHECK-NEXT: return %[[V1]]#1 : tensor<4xf32, #td.dev<cpu>>
func.func @for_the_next_iteration(%x: tensor<4xf32, #gpu>) -> tensor<4xf32, #cpu> {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c10 = arith.constant 10 : i64
  %zero = td.constant dense<0.0> : tensor<4xf32, #cpu>
  %r:2 = scf.for %i = %c0 to %c10 step %c1 iter_args(%a = %x, %last = %zero) -> (tensor<4xf32, #gpu>, tensor<4xf32, #cpu>) : i64 {
    %b = td.sin %a : tensor<4xf32, #gpu>
    %h = td.to_device %b : tensor<4xf32, #gpu> to tensor<4xf32, #cpu>
    %s = td.cos %h : tensor<4xf32, #cpu>
    %g = td.to_device %s : tensor<4xf32, #cpu> to tensor<4xf32, #gpu>
    scf.yield %g, %s : tensor<4xf32, #gpu>, tensor<4xf32, #cpu>
  }
  return %r#1 : tensor<4xf32, #cpu>
}

// Only the run knows whether the weights are needed on the GPU, and many iterations
// may need them: they become a handle, which the first of these iterations copies.
// CHECK-LABEL: func.func @handle
// CHECK-SAME: (%[[A0:[a-z0-9_]+]]: tensor<4xf32, #td.dev<cpu>>, %[[A1:[a-z0-9_]+]]: i64, %[[A2:[a-z0-9_]+]]: tensor<4xf32, #td.dev<cpu>>)
// CHECK: %[[V0:[a-z0-9_]+]] = td.handle %[[A0]] : tensor<4xf32, #td.dev<cpu>> -> <tensor<4xf32>>
// CHECK-NEXT: %[[C0:[a-z0-9_]+]] = arith.constant 0 : i64
// CHECK-NEXT: %[[C1:[a-z0-9_]+]] = arith.constant 1 : i64
// CHECK-NEXT: %[[C10:[a-z0-9_]+]] = arith.constant 10 : i64
// CHECK-NEXT: scf.for %[[A3:[a-z0-9_]+]] = %[[C0]] to %[[C10]] step %[[C1]] : i64 {
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = arith.cmpi eq, %[[A3]], %[[A1]] : i64
// CHECK-NEXT: scf.if %[[V1]] {
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = td.replica_get %[[V0]] : <tensor<4xf32>> -> tensor<4xf32, #td.dev<cuda, 0>>
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = td.sin %[[V2]] : tensor<4xf32, #td.dev<cuda, 0>>
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = td.to_device %[[V3]] : tensor<4xf32, #td.dev<cuda, 0>> to tensor<4xf32, #td.dev<cpu>>
// CHECK-NEXT: %[[V5:[a-z0-9_]+]] = td.format "{}"(%[[V4]]) : tensor<4xf32, #td.dev<cpu>>
// CHECK-NEXT: td.print %[[V5]]
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: return
func.func @handle(%w: tensor<4xf32, #cpu>, %n: i64, %x: tensor<4xf32, #cpu>) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c10 = arith.constant 10 : i64
  scf.for %i = %c0 to %c10 step %c1 : i64 {
    %is = arith.cmpi eq, %i, %n : i64
    scf.if %is {
      %g = td.to_device %w : tensor<4xf32, #cpu> to tensor<4xf32, #gpu>
      %s = td.sin %g : tensor<4xf32, #gpu>
      %h = td.to_device %s : tensor<4xf32, #gpu> to tensor<4xf32, #cpu>
      %text = td.format "{}"(%h) : tensor<4xf32, #cpu>
      td.print %text
    }
  }
  return
}

// -----

#cpu = #td.dev<cpu>
#gpu = #td.dev<cuda, 0>

// A slot that a loop reads on two devices becomes one slot for each.
// CHECK: td.slot @w param "w" of "m" : tensor<4xf32, #td.dev<cpu>>
// CHECK: td.slot @"w@cuda:0" param "w" of "m" : tensor<4xf32, #td.dev<cuda, 0>>
td.slot @w param "w" of "m" : tensor<4xf32, #cpu>
// CHECK-LABEL: func.func @slot
// CHECK-SAME: (%[[A0:[a-z0-9_]+]]: tensor<4xf32, #td.dev<cpu>>, %[[A1:[a-z0-9_]+]]: tensor<4xf32, #td.dev<cuda, 0>>) -> tensor<4xf32, #td.dev<cuda, 0>>
// CHECK: %[[C0:[a-z0-9_]+]] = arith.constant 0 : i64
// CHECK-NEXT: %[[C1:[a-z0-9_]+]] = arith.constant 1 : i64
// CHECK-NEXT: %[[C10:[a-z0-9_]+]] = arith.constant 10 : i64
// CHECK-NEXT: td.write %[[A0]], @w : tensor<4xf32, #td.dev<cpu>>
// CHECK-NEXT: %[[V0:[a-z0-9_]+]] = td.to_device %[[A0]] : tensor<4xf32, #td.dev<cpu>> to tensor<4xf32, #td.dev<cuda, 0>>
// CHECK-NEXT: td.write %[[V0]], @"w@cuda:0" : tensor<4xf32, #td.dev<cuda, 0>>
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = scf.for %[[A2:[a-z0-9_]+]] = %[[C0]] to %[[C10]] step %[[C1]] iter_args(%[[A3:[a-z0-9_]+]] = %[[A1]]) -> (tensor<4xf32, #td.dev<cuda, 0>>) : i64 {
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = td.read @w : tensor<4xf32, #td.dev<cpu>>
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = td.read @"w@cuda:0" : tensor<4xf32, #td.dev<cuda, 0>>
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = td.format "{}"(%[[V2]]) : tensor<4xf32, #td.dev<cpu>>
// CHECK-NEXT: td.print %[[V4]]
// CHECK-NEXT: %[[V5:[a-z0-9_]+]] = td.add %[[A3]], %[[V3]] : tensor<4xf32, #td.dev<cuda, 0>>
// CHECK-NEXT: scf.yield %[[V5]] : tensor<4xf32, #td.dev<cuda, 0>>
// CHECK-NEXT: }
// CHECK-NEXT: return %[[V1]] : tensor<4xf32, #td.dev<cuda, 0>>
func.func @slot(%x: tensor<4xf32, #cpu>, %y: tensor<4xf32, #gpu>) -> tensor<4xf32, #gpu> {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c10 = arith.constant 10 : i64
  td.write %x, @w : tensor<4xf32, #cpu>
  %r = scf.for %i = %c0 to %c10 step %c1 iter_args(%s = %y) -> (tensor<4xf32, #gpu>) : i64 {
    %a = td.read @w : tensor<4xf32, #cpu>
    %text = td.format "{}"(%a) : tensor<4xf32, #cpu>
    td.print %text
    %g = td.to_device %a : tensor<4xf32, #cpu> to tensor<4xf32, #gpu>
    %t = td.add %s, %g : tensor<4xf32, #gpu>
    scf.yield %t : tensor<4xf32, #gpu>
  }
  return %r : tensor<4xf32, #gpu>
}

// -----

#cpu = #td.dev<cpu>
#gpu = #td.dev<cuda, 0>

// A model that is moved to the GPU and back in each iteration stays there, and is
// read back when it is saved.
// CHECK: td.slot @w param "w" of "m" : tensor<4xf32, #td.dev<cuda, 0>>
// CHECK: td.slot @"w@cpu" param "w" of "m" : tensor<4xf32, #td.dev<cpu>>
td.slot @w param "w" of "m" : tensor<4xf32>
// CHECK-LABEL: func.func @main
// CHECK: %[[C0:[a-z0-9_]+]] = arith.constant 0 : i64
// CHECK-NEXT: %[[C1:[a-z0-9_]+]] = arith.constant 1 : i64
// CHECK-NEXT: %[[C10:[a-z0-9_]+]] = arith.constant 10 : i64
// CHECK-NEXT: %[[V0:[a-z0-9_]+]] = td.format "m.safetensors"
// CHECK-NEXT: %[[V0C:[a-z0-9_]+]] = td.constant
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = td.exp %[[V0C]] : tensor<4xf32, #td.dev<cpu>>
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = td.to_device %[[V1]] : tensor<4xf32, #td.dev<cpu>> to tensor<4xf32, #td.dev<cuda, 0>>
// CHECK-NEXT: td.write %[[V2]], @w : tensor<4xf32, #td.dev<cuda, 0>>
// CHECK-NEXT: scf.for %[[A0:[a-z0-9_]+]] = %[[C0]] to %[[C10]] step %[[C1]] : i64 {
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = td.read @w : tensor<4xf32, #td.dev<cuda, 0>>
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = td.sin %[[V3]] : tensor<4xf32, #td.dev<cuda, 0>>
// CHECK-NEXT: td.write %[[V4]], @w : tensor<4xf32, #td.dev<cuda, 0>>
// CHECK-NEXT: }
// CHECK-NEXT: %[[V5:[a-z0-9_]+]] = td.read @w : tensor<4xf32, #td.dev<cuda, 0>>
// CHECK-NEXT: %[[V6:[a-z0-9_]+]] = td.to_device %[[V5]] : tensor<4xf32, #td.dev<cuda, 0>> to tensor<4xf32, #td.dev<cpu>>
// CHECK-NEXT: td.write %[[V6]], @"w@cpu" : tensor<4xf32, #td.dev<cpu>>
// CHECK-NEXT: td.save %[[V0]] [@"w@cpu"] as ["w"] []
// CHECK-NEXT: return
func.func @main() {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c10 = arith.constant 10 : i64
  %path = td.format "m.safetensors"
  %c = td.constant dense<1.0> : tensor<4xf32, #cpu>
  %x = td.exp %c : tensor<4xf32, #cpu>
  td.write %x, @w : tensor<4xf32, #cpu>
  scf.for %i = %c0 to %c10 step %c1 : i64 {
    td.move @w to <cuda, 0>
    %a = td.read @w : tensor<4xf32, #gpu>
    %b = td.sin %a : tensor<4xf32, #gpu>
    td.write %b, @w : tensor<4xf32, #gpu>
    td.move @w to <cpu>
  }
  td.save %path [@w] as ["w"] []
  return
}

// -----

#cpu = #td.dev<cpu>
#gpu = #td.dev<cuda, 0>

// A loaded tensor is on the cpu.
// CHECK: td.slot @w param "w" of "m" : tensor<4xf32, #td.dev<cpu>>
td.slot @w param "w" of "m" : tensor<4xf32, #gpu>
// CHECK-LABEL: func.func @main
// CHECK-SAME: () -> tensor<4xf32, #td.dev<cuda, 0>>
// CHECK: %[[V0:[a-z0-9_]+]] = td.format "m.safetensors"
// CHECK-NEXT: td.restore %[[V0]] [@w] as ["w"]
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = td.read @w : tensor<4xf32, #td.dev<cpu>>
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = td.to_device %[[V1]] {implied} : tensor<4xf32, #td.dev<cpu>> to tensor<4xf32, #td.dev<cuda, 0>>
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = td.sin %[[V2]] : tensor<4xf32, #td.dev<cuda, 0>>
// CHECK-NEXT: return %[[V3]] : tensor<4xf32, #td.dev<cuda, 0>>
func.func @main() -> tensor<4xf32, #gpu> {
  %path = td.format "m.safetensors"
  td.restore %path [@w] as ["w"]
  %a = td.read @w : tensor<4xf32, #gpu>
  %b = td.sin %a : tensor<4xf32, #gpu>
  return %b : tensor<4xf32, #gpu>
}

// -----

// A program with `td.as_written` keeps its copies.
module attributes {td.as_written} {
// CHECK-LABEL: func.func @as_written
// CHECK-SAME: (%[[A0:[a-z0-9_]+]]: tensor<4xf32, #td.dev<cpu>>) -> tensor<4xf32, #td.dev<cpu>>
// CHECK: %[[V0:[a-z0-9_]+]] = td.to_device %[[A0]] : tensor<4xf32, #td.dev<cpu>> to tensor<4xf32, #td.dev<cuda, 0>>
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = td.to_device %[[V0]] : tensor<4xf32, #td.dev<cuda, 0>> to tensor<4xf32, #td.dev<cpu>>
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = td.cos %[[V1]] : tensor<4xf32, #td.dev<cpu>>
// CHECK-NEXT: return %[[V2]] : tensor<4xf32, #td.dev<cpu>>
func.func @as_written(%x: tensor<4xf32, #td.dev<cpu>>) -> tensor<4xf32, #td.dev<cpu>> {
  %a = td.to_device %x : tensor<4xf32, #td.dev<cpu>> to tensor<4xf32, #td.dev<cuda, 0>>
  %b = td.to_device %a : tensor<4xf32, #td.dev<cuda, 0>> to tensor<4xf32, #td.dev<cpu>>
  %c = td.cos %b : tensor<4xf32, #td.dev<cpu>>
  return %c : tensor<4xf32, #td.dev<cpu>>
}
}

// -----

#cpu = #td.dev<cpu>
#gpu = #td.dev<cuda, 0>

// A value whose only use is a write to a slot that is not read later is not
// computed, so its operands are not copied before the branch.
// CHECK-LABEL: func.func @main
// CHECK-NOT: td.to_device
// CHECK: scf.if
// CHECK: td.to_device
td.slot @last buffer "last" of "m" : tensor<2xf32, #gpu>
func.func @main() {
  %path = td.format "x.npy"
  %x = td.load %path : tensor<2xf32, #cpu>
  %old = td.read @last : tensor<2xf32, #gpu>
  %here = td.to_device %old : tensor<2xf32, #gpu> to tensor<2xf32, #cpu>
  %number = td.reduce sum %here [0] : tensor<2xf32, #cpu> to tensor<f32, #cpu>
  %zero = td.constant dense<0.0> : tensor<f32, #cpu>
  %is = td.compare gt %number, %zero : tensor<f32, #cpu> -> tensor<i1, #cpu>
  %condition = td.item %is : tensor<i1, #cpu> -> i1
  %there = td.to_device %x : tensor<2xf32, #cpu> to tensor<2xf32, #gpu>
  %new = td.sin %there : tensor<2xf32, #gpu>
  td.write %new, @last : tensor<2xf32, #gpu>
  scf.if %condition {
    %y = td.cos %there : tensor<2xf32, #gpu>
    %back = td.to_device %y : tensor<2xf32, #gpu> to tensor<2xf32, #cpu>
    %text = td.format "{}"(%back) : tensor<2xf32, #cpu>
    td.print %text
  }
  return
}
