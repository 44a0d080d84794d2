// RUN: tdc-opt %s --td-resolve='symbols=device=cpu,other=cuda:1' | FileCheck %s

// CHECK: td.slot @w param "w" of "m" : tensor<4xf32, #td.dev<cpu>>
td.slot @w param "w" of "m" : tensor<4xf32>

// Free and symbolic places become the cpu, and the copy goes.
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

// A symbol that is another device is copied to.
// CHECK-LABEL: func.func @symbol
// CHECK-SAME: (%[[A0:[a-z0-9_]+]]: tensor<4xf32, #td.dev<cpu>>) -> tensor<4xf32, #td.dev<cuda, 1>>
// CHECK: %[[V0:[a-z0-9_]+]] = td.to_device %[[A0]] : tensor<4xf32, #td.dev<cpu>> to tensor<4xf32, #td.dev<cuda, 1>>
// CHECK-NEXT: return %[[V0]] : tensor<4xf32, #td.dev<cuda, 1>>
func.func @symbol(%x: tensor<4xf32>) -> tensor<4xf32, #td.dev<@other>> {
  %y = td.to_device %x : tensor<4xf32> to tensor<4xf32, #td.dev<@other>>
  return %y : tensor<4xf32, #td.dev<@other>>
}

// A symbol that is not named is the cpu. Values of regions are values too.
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
