// RUN: tdc-opt %s --split-input-file --td-resolve='symbols=device=cpu,other=cuda:1' | FileCheck %s

// CHECK: td.slot @w param "w" of "m" : tensor<4xf32, #td.dev<cpu>>
td.slot @w param "w" of "m" : tensor<4xf32>

// Free and symbolic places become the cpu, and the copy is removed.
// CHECK-LABEL: func.func @free
// CHECK-SAME: (%[[A0:[a-z0-9_]+]]: tensor<4xf32, #td.dev<cpu>>) -> tensor<4xf32, #td.dev<cpu>>
// CHECK: %[[V0:[a-z0-9_]+]] = td.read @w : tensor<4xf32, #td.dev<cpu>>
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = td.add %[[A0]], %[[V0]] : tensor<4xf32, #td.dev<cpu>>
// CHECK-NEXT: return %[[V1]] : tensor<4xf32, #td.dev<cpu>>
func.func @free(%x: tensor<4xf32>) -> tensor<4xf32, #td.dev<@device>> {
  %y = td.to_device %x : tensor<4xf32> to tensor<4xf32, #td.dev<@device>>
  %w = td.read @w : tensor<4xf32, #td.dev<@device>>
  %z = td.add %y, %w : tensor<4xf32, #td.dev<@device>>
  return %z : tensor<4xf32, #td.dev<@device>>
}

// A symbol that is another device gets a copy.
// CHECK-LABEL: func.func @symbol
// CHECK-SAME: (%[[A0:[a-z0-9_]+]]: tensor<4xf32, #td.dev<cpu>>) -> tensor<4xf32, #td.dev<cuda, 1>>
// CHECK: %[[V0:[a-z0-9_]+]] = td.to_device %[[A0]] : tensor<4xf32, #td.dev<cpu>> to tensor<4xf32, #td.dev<cuda, 1>>
// CHECK-NEXT: return %[[V0]] : tensor<4xf32, #td.dev<cuda, 1>>
func.func @symbol(%x: tensor<4xf32>) -> tensor<4xf32, #td.dev<@other>> {
  %y = td.to_device %x : tensor<4xf32> to tensor<4xf32, #td.dev<@other>>
  return %y : tensor<4xf32, #td.dev<@other>>
}

// An unnamed symbol is the cpu. Values inside regions are resolved as well.
// CHECK-LABEL: func.func @region
// CHECK-SAME: (%[[A0:[a-z0-9_]+]]: tensor<4xf32, #td.dev<cpu>>, %[[A1:[a-z0-9_]+]]: i64) -> tensor<4xf32, #td.dev<cpu>>
// CHECK: %[[C0:[a-z0-9_]+]] = arith.constant 0 : i64
// CHECK-NEXT: %[[C1:[a-z0-9_]+]] = arith.constant 1 : i64
// CHECK-NEXT: %[[V0:[a-z0-9_]+]] = scf.for %[[A2:[a-z0-9_]+]] = %[[C0]] to %[[A1]] step %[[C1]] iter_args(%[[A3:[a-z0-9_]+]] = %[[A0]]) -> (tensor<4xf32, #td.dev<cpu>>) : i64 {
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = td.exp %[[A3]] : tensor<4xf32, #td.dev<cpu>>
// CHECK-NEXT: scf.yield %[[V1]] : tensor<4xf32, #td.dev<cpu>>
// CHECK: return %[[V0]] : tensor<4xf32, #td.dev<cpu>>
func.func @region(%x: tensor<4xf32>, %n: i64) -> tensor<4xf32> {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (tensor<4xf32>) : i64 {
    %b = td.to_device %a : tensor<4xf32> to tensor<4xf32, #td.dev<@third>>
    %c = td.exp %a : tensor<4xf32>
    scf.yield %c : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func @constant
// CHECK: %[[V0:[a-z0-9_]+]] = td.constant dense<[1, 2]> : tensor<2xi64, #td.dev<cpu>>
// CHECK-NEXT: return %[[V0]] : tensor<2xi64, #td.dev<cpu>>
func.func @constant() -> tensor<2xi64> {
  %c = td.constant dense<[1, 2]> : tensor<2xi64>
  return %c : tensor<2xi64>
}

// -----

#cpu = #td.dev<cpu>
#gpu = #td.dev<cuda, 0>
#other = #td.dev<cuda, 1>

// A free value is made on the nearest device that it reaches.
// CHECK-LABEL: func.func @nearest
// CHECK-SAME: (%[[A0:[a-z0-9_]+]]: tensor<4xf32, #td.dev<cpu>>) -> (tensor<4xf32, #td.dev<cuda, 0>>, tensor<4xf32, #td.dev<cuda, 1>>)
// CHECK: %[[V0:[a-z0-9_]+]] = td.to_device %[[A0]] {implied} : tensor<4xf32, #td.dev<cpu>> to tensor<4xf32, #td.dev<cuda, 0>>
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = td.sin %[[V0]] : tensor<4xf32, #td.dev<cuda, 0>>
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = td.to_device %[[V1]] {implied} : tensor<4xf32, #td.dev<cuda, 0>> to tensor<4xf32, #td.dev<cuda, 1>>
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = td.cos %[[V2]] : tensor<4xf32, #td.dev<cuda, 1>>
// CHECK-NEXT: return %[[V1]], %[[V3]] : tensor<4xf32, #td.dev<cuda, 0>>, tensor<4xf32, #td.dev<cuda, 1>>
func.func @nearest(%x: tensor<4xf32, #cpu>) -> (tensor<4xf32, #gpu>, tensor<4xf32, #other>) {
  %f = td.to_device %x {implied} : tensor<4xf32, #cpu> to tensor<4xf32>
  %a = td.sin %f : tensor<4xf32>
  %g = td.to_device %a {implied} : tensor<4xf32> to tensor<4xf32, #gpu>
  %b = td.cos %a : tensor<4xf32>
  %o = td.to_device %b {implied} : tensor<4xf32> to tensor<4xf32, #other>
  return %g, %o : tensor<4xf32, #gpu>, tensor<4xf32, #other>
}

// A free value that reaches several devices is made where its operands are.
// CHECK-LABEL: func.func @several
// CHECK-SAME: (%[[A0:[a-z0-9_]+]]: tensor<4xf32, #td.dev<cuda, 1>>) -> (tensor<4xf32, #td.dev<cuda, 0>>, tensor<4xf32, #td.dev<cuda, 1>>)
// CHECK: %[[V0:[a-z0-9_]+]] = td.sin %[[A0]] : tensor<4xf32, #td.dev<cuda, 1>>
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = td.to_device %[[V0]] {implied} : tensor<4xf32, #td.dev<cuda, 1>> to tensor<4xf32, #td.dev<cuda, 0>>
// CHECK-NEXT: return %[[V1]], %[[V0]] : tensor<4xf32, #td.dev<cuda, 0>>, tensor<4xf32, #td.dev<cuda, 1>>
func.func @several(%x: tensor<4xf32, #other>) -> (tensor<4xf32, #gpu>, tensor<4xf32, #other>) {
  %f = td.to_device %x {implied} : tensor<4xf32, #other> to tensor<4xf32>
  %a = td.sin %f : tensor<4xf32>
  %g = td.to_device %a {implied} : tensor<4xf32> to tensor<4xf32, #gpu>
  %o = td.to_device %a {implied} : tensor<4xf32> to tensor<4xf32, #other>
  return %g, %o : tensor<4xf32, #gpu>, tensor<4xf32, #other>
}

// So is a value that reaches no device: the host reads prints on the cpu.
// CHECK-LABEL: func.func @none
// CHECK-SAME: (%[[A0:[a-z0-9_]+]]: tensor<4xf32, #td.dev<cuda, 0>>)
// CHECK: %[[V0:[a-z0-9_]+]] = td.sin %[[A0]] : tensor<4xf32, #td.dev<cuda, 0>>
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = td.to_device %[[V0]] {implied} : tensor<4xf32, #td.dev<cuda, 0>> to tensor<4xf32, #td.dev<cpu>>
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = td.format "{}"(%[[V1]]) : tensor<4xf32, #td.dev<cpu>>
// CHECK-NEXT: td.print %[[V2]]
// CHECK-NEXT: return
func.func @none(%x: tensor<4xf32, #gpu>) {
  %f = td.to_device %x {implied} : tensor<4xf32, #gpu> to tensor<4xf32>
  %a = td.sin %f : tensor<4xf32>
  %text = td.format "{}"(%a) : tensor<4xf32>
  td.print %text
  return
}

// A carried value has one place.
// CHECK-LABEL: func.func @carried
// CHECK-SAME: (%[[A0:[a-z0-9_]+]]: i64, %[[A1:[a-z0-9_]+]]: tensor<4xf32, #td.dev<cuda, 0>>) -> tensor<4xf32, #td.dev<cuda, 0>>
// CHECK: %[[C0:[a-z0-9_]+]] = arith.constant 0 : i64
// CHECK-NEXT: %[[C1:[a-z0-9_]+]] = arith.constant 1 : i64
// CHECK-NEXT: %[[V0:[a-z0-9_]+]] = arith.constant 1.000000e+00 : f64
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = td.fill %[[V0]] : f64 -> tensor<4xf32, #td.dev<cuda, 0>>
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = scf.for %[[A2:[a-z0-9_]+]] = %[[C0]] to %[[A0]] step %[[C1]] iter_args(%[[A3:[a-z0-9_]+]] = %[[V1]]) -> (tensor<4xf32, #td.dev<cuda, 0>>) : i64 {
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = td.sin %[[A3]] : tensor<4xf32, #td.dev<cuda, 0>>
// CHECK-NEXT: scf.yield %[[V3]] : tensor<4xf32, #td.dev<cuda, 0>>
// CHECK-NEXT: }
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = td.add %[[V2]], %[[A1]] : tensor<4xf32, #td.dev<cuda, 0>>
// CHECK-NEXT: return %[[V4]] : tensor<4xf32, #td.dev<cuda, 0>>
func.func @carried(%n: i64, %y: tensor<4xf32, #gpu>) -> tensor<4xf32, #gpu> {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %one = arith.constant 1.0 : f64
  %x = td.fill %one : f64 -> tensor<4xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (tensor<4xf32>) : i64 {
    %b = td.sin %a : tensor<4xf32>
    scf.yield %b : tensor<4xf32>
  }
  %g = td.to_device %r {implied} : tensor<4xf32> to tensor<4xf32, #gpu>
  %z = td.add %g, %y : tensor<4xf32, #gpu>
  return %z : tensor<4xf32, #gpu>
}

// A constructor runs on each device that needs its result.
// CHECK-LABEL: func.func @constructor
// CHECK-SAME: (%[[A0:[a-z0-9_]+]]: tensor<4xf32, #td.dev<cpu>>, %[[A1:[a-z0-9_]+]]: tensor<4xf32, #td.dev<cuda, 0>>) -> (tensor<4xf32, #td.dev<cpu>>, tensor<4xf32, #td.dev<cuda, 0>>)
// CHECK: %[[V0:[a-z0-9_]+]] = arith.constant 1.000000e+00 : f64
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = td.fill %[[V0]] : f64 -> tensor<4xf32, #td.dev<cpu>>
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = td.fill %[[V0]] : f64 -> tensor<4xf32, #td.dev<cuda, 0>>
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = td.add %[[A0]], %[[V1]] : tensor<4xf32, #td.dev<cpu>>
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = td.add %[[A1]], %[[V2]] : tensor<4xf32, #td.dev<cuda, 0>>
// CHECK-NEXT: return %[[V3]], %[[V4]] : tensor<4xf32, #td.dev<cpu>>, tensor<4xf32, #td.dev<cuda, 0>>
func.func @constructor(%x: tensor<4xf32, #cpu>, %y: tensor<4xf32, #gpu>) -> (tensor<4xf32, #cpu>, tensor<4xf32, #gpu>) {
  %one = arith.constant 1.0 : f64
  %f = td.fill %one : f64 -> tensor<4xf32>
  %c = td.to_device %f {implied} : tensor<4xf32> to tensor<4xf32, #cpu>
  %a = td.add %x, %c : tensor<4xf32, #cpu>
  %g = td.to_device %f {implied} : tensor<4xf32> to tensor<4xf32, #gpu>
  %b = td.add %y, %g : tensor<4xf32, #gpu>
  return %a, %b : tensor<4xf32, #cpu>, tensor<4xf32, #gpu>
}

// Ops that precede a written transfer are not moved across it.
// CHECK-LABEL: func.func @written
// CHECK-SAME: (%[[A0:[a-z0-9_]+]]: tensor<4xf32, #td.dev<cuda, 0>>) -> tensor<4xf32, #td.dev<cuda, 0>>
// CHECK: %[[V0:[a-z0-9_]+]] = arith.constant 1.000000e+00 : f64
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = td.fill %[[V0]] : f64 -> tensor<4xf32, #td.dev<cpu>>
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = td.sin %[[V1]] : tensor<4xf32, #td.dev<cpu>>
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = td.to_device %[[V2]] : tensor<4xf32, #td.dev<cpu>> to tensor<4xf32, #td.dev<cuda, 0>>
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = td.add %[[A0]], %[[V3]] : tensor<4xf32, #td.dev<cuda, 0>>
// CHECK-NEXT: return %[[V4]] : tensor<4xf32, #td.dev<cuda, 0>>
func.func @written(%y: tensor<4xf32, #gpu>) -> tensor<4xf32, #gpu> {
  %one = arith.constant 1.0 : f64
  %f = td.fill %one : f64 -> tensor<4xf32>
  %a = td.sin %f : tensor<4xf32>
  %g = td.to_device %a : tensor<4xf32> to tensor<4xf32, #gpu>
  %b = td.add %y, %g : tensor<4xf32, #gpu>
  return %b : tensor<4xf32, #gpu>
}

// -----

#gpu = #td.dev<cuda, 0>

// A free slot is on the device that reads it; a slot that the program moves is not.
// CHECK: td.slot @a param "a" of "m" : tensor<4xf32, #td.dev<cuda, 0>>
td.slot @a param "a" of "m" : tensor<4xf32>
// CHECK: td.slot @b param "b" of "m" : tensor<4xf32>
td.slot @b param "b" of "m" : tensor<4xf32>
// CHECK-LABEL: func.func @slots
// CHECK-SAME: () -> (tensor<4xf32, #td.dev<cuda, 0>>, tensor<4xf32, #td.dev<cuda, 0>>)
// CHECK: %[[V0:[a-z0-9_]+]] = arith.constant 1.000000e+00 : f64
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = td.fill %[[V0]] : f64 -> tensor<4xf32, #td.dev<cuda, 0>>
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = td.sin %[[V1]] : tensor<4xf32, #td.dev<cuda, 0>>
// CHECK-NEXT: %[[V3:[a-z0-9_]+]], %[[V4:[a-z0-9_]+]] = td.next_random
// CHECK-NEXT: %[[V5:[a-z0-9_]+]] = td.random normal %[[V3]], %[[V4]] : tensor<4xf32, #td.dev<cpu>>
// CHECK-NEXT: td.write %[[V2]], @a : tensor<4xf32, #td.dev<cuda, 0>>
// CHECK-NEXT: td.write %[[V5]], @b : tensor<4xf32, #td.dev<cpu>>
// CHECK-NEXT: td.move @b to <cuda, 0>
// CHECK-NEXT: %[[V6:[a-z0-9_]+]] = td.read @a : tensor<4xf32, #td.dev<cuda, 0>>
// CHECK-NEXT: %[[V7:[a-z0-9_]+]] = td.read @b : tensor<4xf32, #td.dev<cuda, 0>>
// CHECK-NEXT: return %[[V6]], %[[V7]] : tensor<4xf32, #td.dev<cuda, 0>>, tensor<4xf32, #td.dev<cuda, 0>>
func.func @slots() -> (tensor<4xf32, #gpu>, tensor<4xf32, #gpu>) {
  %one = arith.constant 1.0 : f64
  %f = td.fill %one : f64 -> tensor<4xf32>
  %x = td.sin %f : tensor<4xf32>
  %seed, %call = td.next_random
  %y = td.random normal %seed, %call : tensor<4xf32>
  td.write %x, @a : tensor<4xf32>
  td.write %y, @b : tensor<4xf32>
  td.move @b to <cuda, 0>
  %a = td.read @a : tensor<4xf32, #gpu>
  %b = td.read @b : tensor<4xf32, #gpu>
  return %a, %b : tensor<4xf32, #gpu>, tensor<4xf32, #gpu>
}

// -----

// Values that nothing decides are on the default device.
module attributes {td.default_device = #td.dev<cuda, 1>} {
  // CHECK-LABEL: func.func @default
  // CHECK: %[[V0:[a-z0-9_]+]], %[[V1:[a-z0-9_]+]] = td.next_random
  // CHECK-NEXT: %[[V2:[a-z0-9_]+]] = td.random normal %[[V0]], %[[V1]] : tensor<4xf32, #td.dev<cuda, 1>>
  // CHECK-NEXT: %[[V3:[a-z0-9_]+]] = td.sin %[[V2]] : tensor<4xf32, #td.dev<cuda, 1>>
  // CHECK-NEXT: %[[V4:[a-z0-9_]+]] = td.to_device %[[V3]] {implied} : tensor<4xf32, #td.dev<cuda, 1>> to tensor<4xf32, #td.dev<cpu>>
  // CHECK-NEXT: %[[V5:[a-z0-9_]+]] = td.format "{}"(%[[V4]]) : tensor<4xf32, #td.dev<cpu>>
  // CHECK-NEXT: td.print %[[V5]]
  // CHECK-NEXT: return
  func.func @default() {
    %seed, %call = td.next_random
    %x = td.random normal %seed, %call : tensor<4xf32>
    %y = td.sin %x : tensor<4xf32>
    %text = td.format "{}"(%y) : tensor<4xf32>
    td.print %text
    return
  }
}

// -----

// A symbol is the device that the module says.
module attributes {td.devices = {here = #td.dev<cuda, 1>}} {
  // CHECK-LABEL: func.func @symbol
  // CHECK-SAME: (%[[A0:[a-z0-9_]+]]: tensor<4xf32, #td.dev<cuda, 1>>) -> tensor<4xf32, #td.dev<cuda, 1>>
  // CHECK: %[[V0:[a-z0-9_]+]] = td.sin %[[A0]] : tensor<4xf32, #td.dev<cuda, 1>>
  // CHECK-NEXT: return %[[V0]] : tensor<4xf32, #td.dev<cuda, 1>>
  func.func @symbol(%x: tensor<4xf32, #td.dev<@here>>) -> tensor<4xf32, #td.dev<@here>> {
    %y = td.sin %x : tensor<4xf32, #td.dev<@here>>
    return %y : tensor<4xf32, #td.dev<@here>>
  }
}

// -----

// The home of a file is the cpu, but that pins nothing: the default device applies.
module attributes {td.default_device = #td.dev<cuda, 0>} {
  // CHECK-LABEL: func.func @loaded
  // CHECK: %[[V0:[a-z0-9_]+]] = td.load
  // CHECK-NEXT: %[[V1:[a-z0-9_]+]] = td.to_device %[[V0]] {implied} : tensor<4xf32, #td.dev<cpu>> to tensor<4xf32, #td.dev<cuda, 0>>
  // CHECK-NEXT: td.sin %[[V1]] : tensor<4xf32, #td.dev<cuda, 0>>
  func.func @loaded(%path: !td.str) {
    %l = td.load %path : tensor<4xf32, #td.dev<cpu>>
    %x = td.to_device %l {implied, home} : tensor<4xf32, #td.dev<cpu>> to tensor<4xf32>
    %y = td.sin %x : tensor<4xf32>
    %text = td.format "{}"(%y) : tensor<4xf32>
    td.print %text
    return
  }

  // Nor does a caller, whose result is read back as for a print.
  // CHECK-LABEL: func.func @called
  // CHECK-SAME: (%[[A0:[a-z0-9_]+]]: tensor<4xf32, #td.dev<cpu>>) -> tensor<4xf32, #td.dev<cpu>>
  // CHECK: %[[V0:[a-z0-9_]+]] = td.to_device %[[A0]] {implied} : tensor<4xf32, #td.dev<cpu>> to tensor<4xf32, #td.dev<cuda, 0>>
  // CHECK-NEXT: %[[V1:[a-z0-9_]+]] = td.sin %[[V0]] : tensor<4xf32, #td.dev<cuda, 0>>
  // CHECK-NEXT: %[[V2:[a-z0-9_]+]] = td.to_device %[[V1]] {implied} : tensor<4xf32, #td.dev<cuda, 0>> to tensor<4xf32, #td.dev<cpu>>
  // CHECK-NEXT: return %[[V2]]
  func.func @called(%a: tensor<4xf32, #td.dev<cpu>>) -> tensor<4xf32, #td.dev<cpu>> {
    %x = td.to_device %a {implied, home} : tensor<4xf32, #td.dev<cpu>> to tensor<4xf32>
    %y = td.sin %x : tensor<4xf32>
    %r = td.to_device %y {implied, home} : tensor<4xf32> to tensor<4xf32, #td.dev<cpu>>
    return %r : tensor<4xf32, #td.dev<cpu>>
  }

  // A loader's data is made on the cpu; values computed from its batches are not.
  // CHECK-LABEL: func.func @batches
  // CHECK: td.sin %{{.*}} : tensor<4xf32, #td.dev<cpu>>
  // CHECK: td.slice %{{.*}} : tensor<4xf32, #td.dev<cpu>> to tensor<2xf32, #td.dev<cpu>>
  // CHECK: td.cos %{{.*}} : tensor<2xf32, #td.dev<cuda, 0>>
  // CHECK: td.exp %{{.*}} : tensor<4xf32, #td.dev<cuda, 0>>
  func.func @batches(%path: !td.str, %i: i64) {
    %l = td.load %path : tensor<4xf32, #td.dev<cpu>>
    %x = td.to_device %l {implied, home} : tensor<4xf32, #td.dev<cpu>> to tensor<4xf32>
    %y = td.sin %x : tensor<4xf32>
    %rows = td.to_device %y {implied, home} : tensor<4xf32> to tensor<4xf32, #td.dev<cpu>>
    %part = td.slice %rows[%i] dim 0 step 1 : tensor<4xf32, #td.dev<cpu>> to tensor<2xf32, #td.dev<cpu>>
    %batch = td.to_device %part {implied, home} : tensor<2xf32, #td.dev<cpu>> to tensor<2xf32>
    %z = td.cos %batch : tensor<2xf32>
    %text = td.format "{}"(%z) : tensor<2xf32>
    td.print %text
    %w = td.exp %y : tensor<4xf32>
    %more = td.format "{}"(%w) : tensor<4xf32>
    td.print %more
    return
  }
}

// -----

#cpu = #td.dev<cpu>
#gpu = #td.dev<cuda, 0>
#other = #td.dev<cuda, 1>

// The distance to a device counts ops, but not loops and branches: between sin
// and cuda:0 are two ops, between sin and cuda:1 a loop and a branch that may
// do nothing.
// CHECK-LABEL: func.func @through
// CHECK: td.sin %{{.*}} : tensor<4xf32, #td.dev<cuda, 1>>
// CHECK: td.cos %{{.*}} : tensor<4xf32, #td.dev<cuda, 0>>
// CHECK: td.exp %{{.*}} : tensor<4xf32, #td.dev<cuda, 0>>
// CHECK: td.tanh %{{.*}} : tensor<4xf32, #td.dev<cuda, 1>>
func.func @through(%x: tensor<4xf32>, %n: i64, %c: i1) -> (tensor<4xf32, #gpu>, tensor<4xf32, #other>) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %a = td.sin %x : tensor<4xf32>
  %b = td.cos %a : tensor<4xf32>
  %e = td.exp %b : tensor<4xf32>
  %g = td.to_device %e {implied} : tensor<4xf32> to tensor<4xf32, #gpu>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%l = %a) -> (tensor<4xf32>) : i64 {
    %s = scf.if %c -> (tensor<4xf32>) {
      %t = td.tanh %l : tensor<4xf32>
      scf.yield %t : tensor<4xf32>
    } else {
      scf.yield %l : tensor<4xf32>
    }
    scf.yield %s : tensor<4xf32>
  }
  %o = td.to_device %r {implied} : tensor<4xf32> to tensor<4xf32, #other>
  return %g, %o : tensor<4xf32, #gpu>, tensor<4xf32, #other>
}

// Pins reach operands through other free ops, also around a loop; a default
// device does not, nor does a constructor that is needed elsewhere.
// CHECK-LABEL: func.func @operands
// CHECK: scf.for
// CHECK: td.add %{{.*}} : tensor<4xf32, #td.dev<cuda, 0>>
// CHECK: td.cos %{{.*}} : tensor<4xf32, #td.dev<cuda, 0>>
// CHECK: td.exp %{{.*}} : tensor<4xf32, #td.dev<cpu>>
func.func @operands(%x: tensor<4xf32>, %y: tensor<4xf32, #gpu>, %n: i64) -> (tensor<4xf32, #gpu>, tensor<4xf32, #other>) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %one = arith.constant 1.0 : f64
  %f = td.fill %one : f64 -> tensor<4xf32>
  %o = td.to_device %f {implied} : tensor<4xf32> to tensor<4xf32, #other>
  %h = td.sin %x : tensor<4xf32>
  %g = td.to_device %h {implied} : tensor<4xf32> to tensor<4xf32, #gpu>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (tensor<4xf32>) : i64 {
    %b = td.add %a, %h : tensor<4xf32>
    scf.yield %b : tensor<4xf32>
  }
  %z = td.cos %r : tensor<4xf32>
  %text = td.format "{}"(%z) : tensor<4xf32>
  td.print %text
  %d = td.exp %f : tensor<4xf32>
  %more = td.format "{}"(%d) : tensor<4xf32>
  td.print %more
  return %g, %o : tensor<4xf32, #gpu>, tensor<4xf32, #other>
}

// A value that the program placed and that is free again, such as a model's state, pins.
// Operands in two places do not decide.
// CHECK-LABEL: func.func @two
// CHECK: td.add %{{.*}} : tensor<4xf32, #td.dev<cpu>>
// CHECK: td.sin %{{.*}} : tensor<4xf32, #td.dev<cpu>>
func.func @two(%x: tensor<4xf32, #gpu>, %y: tensor<4xf32, #other>) {
  %a = td.to_device %x {implied} : tensor<4xf32, #gpu> to tensor<4xf32>
  %b = td.to_device %y {implied} : tensor<4xf32, #other> to tensor<4xf32>
  %c = td.add %a, %b : tensor<4xf32>
  %d = td.sin %c : tensor<4xf32>
  %text = td.format "{}"(%d) : tensor<4xf32>
  td.print %text
  return
}

// A select passes values on like a branch, and has its operands on its device.
// CHECK-LABEL: func.func @choice
// CHECK: td.sin %{{.*}} : tensor<4xf32, #td.dev<cuda, 0>>
// CHECK: %[[V0:[a-z0-9_]+]] = td.cos %{{.*}} : tensor<4xf32, #td.dev<cuda, 1>>
// CHECK: %[[V1:[a-z0-9_]+]] = td.to_device %[[V0]] {implied} : tensor<4xf32, #td.dev<cuda, 1>> to tensor<4xf32, #td.dev<cuda, 0>>
// CHECK: arith.select %{{.*}}, %{{.*}}, %[[V1]] : tensor<4xf32, #td.dev<cuda, 0>>
func.func @choice(%x: tensor<4xf32>, %c: i1) -> (tensor<4xf32, #gpu>, tensor<4xf32, #other>) {
  %a = td.sin %x : tensor<4xf32>
  %b = td.cos %x : tensor<4xf32>
  %o = td.to_device %b {implied} : tensor<4xf32> to tensor<4xf32, #other>
  %s = arith.select %c, %a, %b : tensor<4xf32>
  %e = td.exp %s : tensor<4xf32>
  %g = td.to_device %e {implied} : tensor<4xf32> to tensor<4xf32, #gpu>
  return %g, %o : tensor<4xf32, #gpu>, tensor<4xf32, #other>
}

// -----

// A value that is written to a slot is copied to the slot's device.
module attributes {td.default_device = #td.dev<cuda, 0>} {
  // CHECK: td.slot @kept buffer "kept" of "m" : tensor<4xf32, #td.dev<cuda, 0>>
  td.slot @kept buffer "kept" of "m" : tensor<4xf32>
  // CHECK-LABEL: func.func @keep
  // CHECK: %[[V0:[a-z0-9_]+]] = td.load
  // CHECK-NEXT: %[[V1:[a-z0-9_]+]] = td.to_device %[[V0]] {implied} : tensor<4xf32, #td.dev<cpu>> to tensor<4xf32, #td.dev<cuda, 0>>
  // CHECK-NEXT: td.write %[[V1]], @kept : tensor<4xf32, #td.dev<cuda, 0>>
  func.func @keep(%path: !td.str) {
    %l = td.load %path : tensor<4xf32, #td.dev<cpu>>
    %x = td.to_device %l {implied, home} : tensor<4xf32, #td.dev<cpu>> to tensor<4xf32>
    td.write %x, @kept : tensor<4xf32>
    %k = td.read @kept : tensor<4xf32>
    %y = td.sin %k : tensor<4xf32>
    %text = td.format "{}"(%y) : tensor<4xf32>
    td.print %text
    return
  }
}
