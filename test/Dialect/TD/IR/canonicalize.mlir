// Folders and canonicalisation patterns, by family.
// RUN: tdc-opt %s --canonicalize --split-input-file | FileCheck %s

//===----------------------------------------------------------------------===//
// Transfers and casts
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func @to_device_of_its_place
// CHECK-SAME: (%[[X:.*]]: tensor
// CHECK-NEXT: return %[[X]]
func.func @to_device_of_its_place(%x: tensor<4xf32, #td.dev<cpu>>) -> tensor<4xf32, #td.dev<cpu>> {
  %0 = td.to_device %x : tensor<4xf32, #td.dev<cpu>> to tensor<4xf32, #td.dev<cpu>>
  return %0 : tensor<4xf32, #td.dev<cpu>>
}

// A bool keeps its value in any dtype, an i32 in f64.
// CHECK-LABEL: func @cast_of_exact_cast
// CHECK-SAME: (%[[M:.*]]: tensor<4xi1>, %[[I:.*]]: tensor<4xi32>)
// CHECK: %[[A:.*]] = td.cast %[[M]] : tensor<4xi1> to tensor<4xf32>
// CHECK-NEXT: return %[[A]], %[[I]]
func.func @cast_of_exact_cast(%m: tensor<4xi1>, %i: tensor<4xi32>) -> (tensor<4xf32>, tensor<4xi32>) {
  %0 = td.cast %m : tensor<4xi1> to tensor<4xi64>
  %1 = td.cast %0 : tensor<4xi64> to tensor<4xf32>
  %2 = td.cast %i : tensor<4xi32> to tensor<4xf64>
  %3 = td.cast %2 : tensor<4xf64> to tensor<4xi32>
  return %1, %3 : tensor<4xf32>, tensor<4xi32>
}

// i64 -> f64 rounds; f32 -> f16 rounds; i32 -> f64 -> i8 saturates where
// i32 -> i8 would wrap.
// CHECK-LABEL: func @cast_of_inexact_cast
// CHECK-COUNT-6: td.cast
func.func @cast_of_inexact_cast(%i: tensor<4xi64>, %x: tensor<4xf32>, %j: tensor<4xi32>) -> (tensor<4xi64>, tensor<4xf32>, tensor<4xi8>) {
  %0 = td.cast %i : tensor<4xi64> to tensor<4xf64>
  %1 = td.cast %0 : tensor<4xf64> to tensor<4xi64>
  %2 = td.cast %x : tensor<4xf32> to tensor<4xf16>
  %3 = td.cast %2 : tensor<4xf16> to tensor<4xf32>
  %4 = td.cast %j : tensor<4xi32> to tensor<4xf64>
  %5 = td.cast %4 : tensor<4xf64> to tensor<4xi8>
  return %1, %3, %5 : tensor<4xi64>, tensor<4xf32>, tensor<4xi8>
}

// CHECK-LABEL: func @cast_of_fill
// CHECK-SAME: (%[[V:.*]]: f64, %[[N:.*]]: i64)
// CHECK-DAG: %[[C:.*]] = arith.constant 127 : i64
// CHECK-DAG: td.fill %[[V]] sizes(%[[N]]) : f64 -> tensor<?xi32>
// CHECK-DAG: td.fill %[[C]] : i64 -> tensor<2xi8>
func.func @cast_of_fill(%v: f64, %n: i64) -> (tensor<?xi32>, tensor<2xi8>) {
  %0 = td.fill %v sizes(%n) : f64 -> tensor<?xf64>
  %1 = td.cast %0 : tensor<?xf64> to tensor<?xi32>
  %c = arith.constant 1.0e9 : f64
  %2 = td.fill %c : f64 -> tensor<2xf32>
  %3 = td.cast %2 : tensor<2xf32> to tensor<2xi8>
  return %1, %3 : tensor<?xi32>, tensor<2xi8>
}

// -----

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func @neutral_elements
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>, %[[I:.*]]: tensor<4xi64>)
// CHECK-NEXT: return %[[X]], %[[X]], %[[X]], %[[X]], %[[X]], %[[I]], %[[I]]
func.func @neutral_elements(%x: tensor<4xf32>, %i: tensor<4xi64>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi64>, tensor<4xi64>) {
  %c0 = arith.constant 0.0 : f64
  %c1 = arith.constant 1.0 : f64
  %i0 = arith.constant 0 : i64
  %i1 = arith.constant 1 : i64
  %zero = td.fill %c0 : f64 -> tensor<4xf32>
  %one = td.fill %c1 : f64 -> tensor<4xf32>
  %izero = td.fill %i0 : i64 -> tensor<4xi64>
  %ione = td.constant dense<1> : tensor<4xi64>
  %0 = td.add %zero, %x : tensor<4xf32>
  %1 = td.sub %x, %zero : tensor<4xf32>
  %2 = td.mul %one, %x : tensor<4xf32>
  %3 = td.div %x, %one : tensor<4xf32>
  %4 = td.add %x, %zero : tensor<4xf32>
  %5 = td.add %izero, %i : tensor<4xi64>
  %6 = td.mul %i, %ione : tensor<4xi64>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi64>, tensor<4xi64>
}

// A float times 0 may be NaN; 0 divided by x and 0 - x are not folded.
// CHECK-LABEL: func @not_neutral
// CHECK: td.mul
// CHECK: td.div
// CHECK: td.sub
func.func @not_neutral(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0.0 : f64
  %zero = td.fill %c0 : f64 -> tensor<4xf32>
  %0 = td.mul %x, %zero : tensor<4xf32>
  %1 = td.div %zero, %x : tensor<4xf32>
  %2 = td.sub %zero, %x : tensor<4xf32>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// 0.1 + 0.2 in f32 is 0.3 rounded to f32, printed as an f64.
// CHECK-LABEL: func @arithmetic_of_fills
// CHECK-SAME: (%[[N:.*]]: i64)
// CHECK-DAG: %[[SUM:.*]] = arith.constant 0.30000001192092896 : f64
// CHECK-DAG: %[[NEG:.*]] = arith.constant -1 : i64
// CHECK-DAG: td.fill %[[SUM]] sizes(%[[N]]) : f64 -> tensor<?xf32>
// CHECK-DAG: td.fill %[[NEG]] : i64 -> tensor<2xi32>
func.func @arithmetic_of_fills(%n: i64) -> (tensor<?xf32>, tensor<2xi32>) {
  %a = arith.constant 0.1 : f64
  %b = arith.constant 0.2 : f64
  %0 = td.fill %a sizes(%n) : f64 -> tensor<?xf32>
  %1 = td.fill %b sizes(%n) : f64 -> tensor<?xf32>
  %2 = td.add %0, %1 : tensor<?xf32>
  %one = arith.constant 1 : i64
  %3 = td.fill %one : i64 -> tensor<2xi32>
  %4 = td.neg %3 : tensor<2xi32>
  return %2, %4 : tensor<?xf32>, tensor<2xi32>
}

// CHECK-LABEL: func @double_negation
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>, %[[M:.*]]: tensor<4xi1>)
// CHECK-NEXT: return %[[X]], %[[M]]
func.func @double_negation(%x: tensor<4xf32>, %m: tensor<4xi1>) -> (tensor<4xf32>, tensor<4xi1>) {
  %0 = td.neg %x : tensor<4xf32>
  %1 = td.neg %0 : tensor<4xf32>
  %2 = td.not %m : tensor<4xi1>
  %3 = td.not %2 : tensor<4xi1>
  return %1, %3 : tensor<4xf32>, tensor<4xi1>
}

// CHECK-LABEL: func @compare_with_itself
// CHECK-SAME: (%[[I:.*]]: tensor<?xi64>, %[[X:.*]]: tensor<4xf32>)
// CHECK-DAG: %[[TRUE:.*]] = arith.constant true
// CHECK-DAG: %[[N:.*]] = td.dim %[[I]], 0
// CHECK: td.fill %[[TRUE]] sizes(%[[N]]) : i1 -> tensor<?xi1>
// CHECK: td.compare eq %[[X]], %[[X]]
func.func @compare_with_itself(%i: tensor<?xi64>, %x: tensor<4xf32>) -> (tensor<?xi1>, tensor<4xi1>) {
  %0 = td.compare le %i, %i : tensor<?xi64> -> tensor<?xi1>
  %1 = td.compare eq %x, %x : tensor<4xf32> -> tensor<4xi1>
  return %0, %1 : tensor<?xi1>, tensor<4xi1>
}

// CHECK-LABEL: func @select
// CHECK-SAME: (%[[M:.*]]: tensor<4xi1>, %[[A:.*]]: tensor<4xf32>, %[[B:.*]]: tensor<4xf32>)
// CHECK-NEXT: %[[R:.*]] = td.select %[[M]], %[[B]], %[[A]]
// CHECK-NEXT: return %[[A]], %[[B]], %[[R]]
func.func @select(%m: tensor<4xi1>, %a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0 = td.select %m, %a, %a : tensor<4xi1>, tensor<4xf32>
  %false = arith.constant false
  %f = td.fill %false : i1 -> tensor<4xi1>
  %1 = td.select %f, %a, %b : tensor<4xi1>, tensor<4xf32>
  %2 = td.not %m : tensor<4xi1>
  %3 = td.select %2, %a, %b : tensor<4xi1>, tensor<4xf32>
  return %0, %1, %3 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

//===----------------------------------------------------------------------===//
// Movement
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func @identities
// CHECK-SAME: (%[[X:.*]]: tensor<?x3xf32>, %[[N:.*]]: i64)
// CHECK-NEXT: return %[[X]], %[[X]], %[[X]], %[[X]], %[[X]]
func.func @identities(%x: tensor<?x3xf32>, %n: i64) -> (tensor<?x3xf32>, tensor<?x3xf32>, tensor<?x3xf32>, tensor<?x3xf32>, tensor<?x3xf32>) {
  %c0 = arith.constant 0 : i64
  %d = td.dim %x, 0 : tensor<?x3xf32>
  %0 = td.broadcast %x sizes(%n) : tensor<?x3xf32> to tensor<?x3xf32>
  %1 = td.reshape %x sizes(%n) : tensor<?x3xf32> to tensor<?x3xf32>
  %2 = td.permute %x [0, 1] : tensor<?x3xf32> to tensor<?x3xf32>
  %3 = td.slice %x[%c0] dim 0 step 1 sizes(%d) : tensor<?x3xf32> to tensor<?x3xf32>
  %4 = td.concat %x dim 0 : (tensor<?x3xf32>) -> tensor<?x3xf32>
  return %0, %1, %2, %3, %4 : tensor<?x3xf32>, tensor<?x3xf32>, tensor<?x3xf32>, tensor<?x3xf32>, tensor<?x3xf32>
}

// A reshape may swap two run-time sizes, and a slice may drop rows: both stay.
// CHECK-LABEL: func @not_identities
// CHECK: td.reshape
// CHECK: td.slice
func.func @not_identities(%x: tensor<?x?xf32>, %n: i64, %m: i64) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  %c0 = arith.constant 0 : i64
  %0 = td.reshape %x sizes(%n, %m) : tensor<?x?xf32> to tensor<?x?xf32>
  %1 = td.slice %x[%c0] dim 0 step 1 sizes(%n, %m) : tensor<?x?xf32> to tensor<?x?xf32>
  return %0, %1 : tensor<?x?xf32>, tensor<?x?xf32>
}

// CHECK-LABEL: func @compositions
// CHECK-SAME: (%[[X:.*]]: tensor<2x3x4xf32>)
// CHECK-DAG: td.reshape %[[X]] : tensor<2x3x4xf32> to tensor<4x6xf32>
// CHECK-DAG: td.permute %[[X]] [0, 2, 1] : tensor<2x3x4xf32> to tensor<2x4x3xf32>
// CHECK-DAG: td.broadcast %[[X]] : tensor<2x3x4xf32> to tensor<6x5x2x3x4xf32>
func.func @compositions(%x: tensor<2x3x4xf32>) -> (tensor<4x6xf32>, tensor<2x4x3xf32>, tensor<6x5x2x3x4xf32>) {
  %0 = td.reshape %x : tensor<2x3x4xf32> to tensor<24xf32>
  %1 = td.reshape %0 : tensor<24xf32> to tensor<4x6xf32>
  %2 = td.permute %x [2, 0, 1] : tensor<2x3x4xf32> to tensor<4x2x3xf32>
  %3 = td.permute %2 [1, 0, 2] : tensor<4x2x3xf32> to tensor<2x4x3xf32>
  %4 = td.broadcast %x : tensor<2x3x4xf32> to tensor<5x2x3x4xf32>
  %5 = td.broadcast %4 : tensor<5x2x3x4xf32> to tensor<6x5x2x3x4xf32>
  return %1, %3, %5 : tensor<4x6xf32>, tensor<2x4x3xf32>, tensor<6x5x2x3x4xf32>
}

// CHECK-LABEL: func @permute_of_ones
// CHECK-SAME: (%[[X:.*]]: tensor<?x1x3xf32>)
// CHECK: %[[N:.*]] = td.dim %[[X]], 0
// CHECK: td.reshape %[[X]] sizes(%[[N]]) : tensor<?x1x3xf32> to tensor<1x?x3xf32>
func.func @permute_of_ones(%x: tensor<?x1x3xf32>) -> tensor<1x?x3xf32> {
  %0 = td.permute %x [1, 0, 2] : tensor<?x1x3xf32> to tensor<1x?x3xf32>
  return %0 : tensor<1x?x3xf32>
}

// CHECK-LABEL: func @movement_of_fills
// CHECK-SAME: (%[[V:.*]]: f64, %[[N:.*]]: i64, %[[M:.*]]: i64)
// CHECK-DAG: td.fill %[[V]] sizes(%[[M]]) : f64 -> tensor<?x2xf32>
// CHECK-DAG: td.fill %[[V]] sizes(%[[N]]) : f64 -> tensor<?xf32>
// CHECK-DAG: td.fill %[[V]] sizes(%[[M]], %[[N]]) : f64 -> tensor<?x4x?xf32>
func.func @movement_of_fills(%v: f64, %n: i64, %m: i64) -> (tensor<?x2xf32>, tensor<?xf32>, tensor<?x4x?xf32>) {
  %0 = td.fill %v : f64 -> tensor<2xf32>
  %1 = td.broadcast %0 sizes(%m) : tensor<2xf32> to tensor<?x2xf32>
  %2 = td.fill %v sizes(%n) : f64 -> tensor<?x1xf32>
  %3 = td.reshape %2 sizes(%n) : tensor<?x1xf32> to tensor<?xf32>
  %4 = td.fill %v sizes(%n, %m) : f64 -> tensor<?x?x4xf32>
  %5 = td.permute %4 [1, 2, 0] : tensor<?x?x4xf32> to tensor<?x4x?xf32>
  return %1, %3, %5 : tensor<?x2xf32>, tensor<?xf32>, tensor<?x4x?xf32>
}

// -----

//===----------------------------------------------------------------------===//
// Reductions, contraction, indexing
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func @reduce_of_ones
// CHECK-SAME: (%[[X:.*]]: tensor<1x?x3xf32>)
// CHECK: %[[N:.*]] = td.dim %[[X]], 1
// CHECK: %[[R:.*]] = td.reshape %[[X]] sizes(%[[N]]) : tensor<1x?x3xf32> to tensor<?x3xf32>
// CHECK: return %[[R]], %[[X]]
func.func @reduce_of_ones(%x: tensor<1x?x3xf32>) -> (tensor<?x3xf32>, tensor<1x?x3xf32>) {
  %0 = td.reduce sum %x [0] : tensor<1x?x3xf32> to tensor<?x3xf32>
  %1 = td.reduce max %x [] : tensor<1x?x3xf32> to tensor<1x?x3xf32>
  return %0, %1 : tensor<?x3xf32>, tensor<1x?x3xf32>
}

// CHECK-LABEL: func @outer_product
// CHECK-SAME: (%[[A:.*]]: tensor<?x1xf32>, %[[B:.*]]: tensor<1x50xf32>)
// CHECK-DAG: %[[N:.*]] = td.dim %[[A]], 0
// CHECK-DAG: %[[X:.*]] = td.broadcast %[[A]] sizes(%[[N]]) : tensor<?x1xf32> to tensor<?x50xf32>
// CHECK-DAG: %[[Y:.*]] = td.broadcast %[[B]] sizes(%[[N]]) : tensor<1x50xf32> to tensor<?x50xf32>
// CHECK: td.mul %[[X]], %[[Y]] : tensor<?x50xf32>
func.func @outer_product(%a: tensor<?x1xf32>, %b: tensor<1x50xf32>) -> tensor<?x50xf32> {
  %0 = td.matmul %a, %b : tensor<?x1xf32>, tensor<1x50xf32> -> tensor<?x50xf32>
  return %0 : tensor<?x50xf32>
}

// CHECK-LABEL: func @inner_product
// CHECK: td.matmul
func.func @inner_product(%a: tensor<1x50xf32>, %b: tensor<50x1xf32>) -> tensor<1x1xf32> {
  %0 = td.matmul %a, %b : tensor<1x50xf32>, tensor<50x1xf32> -> tensor<1x1xf32>
  return %0 : tensor<1x1xf32>
}

// The gradient of picking one class per row, as in a cross entropy.
// CHECK-LABEL: func @scatter_of_one_per_row
// CHECK-SAME: (%[[I:.*]]: tensor<?x1xi64>, %[[U:.*]]: tensor<?x1xf32>, %[[N:.*]]: i64)
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : i64
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : i64
// CHECK-DAG: %[[ZERO:.*]] = td.fill %{{.*}} sizes(%[[N]]) : f64 -> tensor<?x10xf32>
// CHECK-DAG: %[[K:.*]] = td.iota %[[C0]], %[[C1]] : i64 -> tensor<10xi64>
// CHECK-DAG: %[[KS:.*]] = td.broadcast %[[K]] sizes(%[[N]]) : tensor<10xi64> to tensor<?x10xi64>
// CHECK-DAG: %[[PICKED:.*]] = td.gather_along %[[KS]], %[[I]] dim 1 : tensor<?x10xi64>, tensor<?x1xi64>
// CHECK-DAG: %[[IS:.*]] = td.broadcast %[[PICKED]] sizes(%[[N]]) : tensor<?x1xi64> to tensor<?x10xi64>
// CHECK: %[[HIT:.*]] = td.compare eq %[[KS]], %[[IS]] : tensor<?x10xi64> -> tensor<?x10xi1>
// CHECK: %[[US:.*]] = td.broadcast %[[U]] sizes(%[[N]]) : tensor<?x1xf32> to tensor<?x10xf32>
// CHECK: td.select %[[HIT]], %[[US]], %[[ZERO]]
func.func @scatter_of_one_per_row(%i: tensor<?x1xi64>, %u: tensor<?x1xf32>, %n: i64) -> tensor<?x10xf32> {
  %c0 = arith.constant 0.0 : f64
  %zero = td.fill %c0 sizes(%n) : f64 -> tensor<?x10xf32>
  %0 = td.scatter_along %zero, %i, %u dim 1 combine sum : tensor<?x10xf32>, tensor<?x1xi64>, tensor<?x1xf32>
  return %0 : tensor<?x10xf32>
}

// CHECK-LABEL: func @scatter_along_the_first_dim
// CHECK: %[[K:.*]] = td.iota %{{.*}}, %{{.*}} sizes(%[[N:.*]]) : i64 -> tensor<?xi64, #td.dev<cpu>>
// CHECK: %[[COLUMN:.*]] = td.reshape %[[K]] sizes(%[[N]]) : tensor<?xi64, #td.dev<cpu>> to tensor<?x1xi64, #td.dev<cpu>>
// CHECK: td.broadcast %[[COLUMN]] sizes(%[[N]]) : tensor<?x1xi64, #td.dev<cpu>> to tensor<?x3xi64, #td.dev<cpu>>
func.func @scatter_along_the_first_dim(%i: tensor<1x3xi64, #td.dev<cpu>>, %u: tensor<1x3xi32, #td.dev<cpu>>, %n: i64) -> tensor<?x3xi32, #td.dev<cpu>> {
  %c0 = arith.constant 0 : i64
  %zero = td.fill %c0 sizes(%n) : i64 -> tensor<?x3xi32, #td.dev<cpu>>
  %0 = td.scatter_along %zero, %i, %u dim 0 combine sum : tensor<?x3xi32, #td.dev<cpu>>, tensor<1x3xi64, #td.dev<cpu>>, tensor<1x3xi32, #td.dev<cpu>>
  return %0 : tensor<?x3xi32, #td.dev<cpu>>
}

// CHECK-LABEL: func @scatter_of_more
// CHECK: td.scatter_along
func.func @scatter_of_more(%x: tensor<9x3xf32>, %i: tensor<9x1xi64>, %u: tensor<9x1xf32>) -> tensor<9x3xf32> {
  %0 = td.scatter_along %x, %i, %u dim 1 combine sum : tensor<9x3xf32>, tensor<9x1xi64>, tensor<9x1xf32>
  return %0 : tensor<9x3xf32>
}

// -----

//===----------------------------------------------------------------------===//
// Sizes and items
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func @sizes
// CHECK-SAME: (%[[X:.*]]: tensor<?x3xf32>, %[[Y:.*]]: tensor<3x?xf32>, %[[N:.*]]: i64, %[[M:.*]]: i64)
// CHECK-DAG: %[[C3:.*]] = arith.constant 3 : i64
// CHECK-DAG: %[[Y1:.*]] = td.dim %[[Y]], 1 : tensor<3x?xf32>
// CHECK-DAG: %[[X0:.*]] = td.dim %[[X]], 0 : tensor<?x3xf32>
// CHECK: return %[[C3]], %[[M]], %[[Y1]], %[[X0]], %[[N]]
func.func @sizes(%x: tensor<?x3xf32>, %y: tensor<3x?xf32>, %n: i64, %m: i64) -> (i64, i64, i64, i64, i64) {
  %0 = td.dim %x, 1 : tensor<?x3xf32>
  %b = td.broadcast %x sizes(%n, %m) : tensor<?x3xf32> to tensor<?x?x3xf32>
  %1 = td.dim %b, 1 : tensor<?x?x3xf32>
  %p = td.matmul %x, %y : tensor<?x3xf32>, tensor<3x?xf32> -> tensor<?x?xf32>
  %2 = td.dim %p, 1 : tensor<?x?xf32>
  %t = td.permute %x [1, 0] : tensor<?x3xf32> to tensor<3x?xf32>
  %e = td.exp %t : tensor<3x?xf32>
  %3 = td.dim %e, 1 : tensor<3x?xf32>
  %k:2 = td.kernel (%x, %m, %n) sizes(%m, %n) : (tensor<?x3xf32>, i64, i64) -> (tensor<?xi64>, tensor<?xi64>) {
  ^bb0(%a: tensor<?x3xf32>, %c: i64, %d: i64):
    %f = td.fill %c sizes(%c) : i64 -> tensor<?xi64>
    %g = td.fill %c sizes(%d) : i64 -> tensor<?xi64>
    td.yield %f, %g : tensor<?xi64>, tensor<?xi64>
  }
  %4 = td.dim %k#1, 0 : tensor<?xi64>
  return %0, %1, %2, %3, %4 : i64, i64, i64, i64, i64
}

// A td.dim is moved to the operand that the size comes from, on any device.
// CHECK-LABEL: func @same_sizes
// CHECK-SAME: (%[[X:.*]]: tensor<?x?xf32>, %[[I:.*]]: tensor<?xi64>)
// CHECK-NEXT: %[[X0:.*]] = td.dim %[[X]], 0
// CHECK-NEXT: %[[I0:.*]] = td.dim %[[I]], 0
// CHECK-NEXT: %[[X1:.*]] = td.dim %[[X]], 1
// CHECK-NEXT: %[[AGAIN:.*]] = td.dim %[[X]], 1
// CHECK-NEXT: return %[[X0]], %[[I0]], %[[X1]], %[[AGAIN]]
func.func @same_sizes(%x: tensor<?x?xf32>, %i: tensor<?xi64>) -> (i64, i64, i64, i64) {
  %m = td.to_device %x : tensor<?x?xf32> to tensor<?x?xf32, #td.dev<cuda, 0>>
  %0 = td.dim %m, 0 : tensor<?x?xf32, #td.dev<cuda, 0>>
  %g = td.gather %x, %i dim 0 : tensor<?x?xf32>, tensor<?xi64> -> tensor<?x?xf32>
  %1 = td.dim %g, 0 : tensor<?x?xf32>
  %r = td.reduce sum %g [0] : tensor<?x?xf32> to tensor<?xf32>
  %2 = td.dim %r, 0 : tensor<?xf32>
  %c = td.concat %x, %g dim 0 : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %3 = td.dim %c, 1 : tensor<?x?xf32>
  return %0, %1, %2, %3 : i64, i64, i64, i64
}

// An f32 tensor rounds the number that it is filled with.
// CHECK-LABEL: func @items
// CHECK-SAME: (%[[V:.*]]: f64)
// CHECK-DAG: %[[C:.*]] = arith.constant 0.10000000149011612 : f64
// CHECK-DAG: %[[F:.*]] = td.fill %[[V]] : f64 -> tensor<f32>
// CHECK-DAG: %[[R:.*]] = td.item %[[F]]
// CHECK: return %[[V]], %[[C]], %[[R]]
func.func @items(%v: f64) -> (f64, f64, f64) {
  %0 = td.fill %v : f64 -> tensor<f64>
  %1 = td.item %0 : tensor<f64> -> f64
  %c = arith.constant 0.1 : f64
  %2 = td.fill %c : f64 -> tensor<f32>
  %3 = td.item %2 : tensor<f32> -> f64
  %4 = td.fill %v : f64 -> tensor<f32>
  %5 = td.item %4 : tensor<f32> -> f64
  return %1, %3, %5 : f64, f64, f64
}

// No td.dim may appear in a kernel: the permute of a run-time size stays.
// CHECK-LABEL: func @in_a_kernel
// CHECK: td.kernel
// CHECK: td.permute
// CHECK: td.yield
func.func @in_a_kernel(%x: tensor<?x1xf32>, %n: i64) -> tensor<1x?xf32> {
  %0 = td.kernel (%x) sizes(%n) : (tensor<?x1xf32>) -> tensor<1x?xf32> {
  ^bb0(%a: tensor<?x1xf32>):
    %1 = td.permute %a [1, 0] : tensor<?x1xf32> to tensor<1x?xf32>
    td.yield %1 : tensor<1x?xf32>
  }
  return %0 : tensor<1x?xf32>
}

// -----

// Slices that replace a whole large tensor are its parts, and what is read of it
// before that is what was there.
// CHECK-LABEL: func.func @parts
// CHECK-SAME: %[[A:.*]]: tensor<2x40000xf32>, %[[B:.*]]: tensor<1x40000xf32>
// CHECK: %[[Y:.*]] = td.concat %[[B]], %[[A]] dim 0
// CHECK: return %[[Y]]
func.func @parts(%a: tensor<2x40000xf32>, %b: tensor<1x40000xf32>) -> tensor<3x40000xf32> {
  %zero = arith.constant 0.0 : f64
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %zeros = td.fill %zero : f64 -> tensor<3x40000xf32>
  %0 = td.update_slice %zeros, %a[%c1] dim 0 step 1 : tensor<3x40000xf32>, tensor<2x40000xf32>
  %1 = td.slice %0[%c0] dim 0 step 1 : tensor<3x40000xf32> to tensor<1x40000xf32>
  %2 = td.add %1, %b : tensor<1x40000xf32>
  %3 = td.update_slice %0, %2[%c0] dim 0 step 1 : tensor<3x40000xf32>, tensor<1x40000xf32>
  return %3 : tensor<3x40000xf32>
}

// -----

// Not if they overlap, leave something, or are at positions of the run; nor if
// something else reads the tensor in between.
// CHECK-LABEL: func.func @no_parts
// CHECK-COUNT-7: td.update_slice
// CHECK-NOT: td.concat
func.func @no_parts(%x: tensor<3x40000xf32>, %a: tensor<2x40000xf32>, %b: tensor<1x40000xf32>, %i: i64) -> (tensor<3x40000xf32>, tensor<3x40000xf32>, tensor<3x40000xf32>, tensor<3x40000xf32>) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %0 = td.update_slice %x, %a[%c0] dim 0 step 1 : tensor<3x40000xf32>, tensor<2x40000xf32>
  %1 = td.update_slice %0, %b[%c1] dim 0 step 1 : tensor<3x40000xf32>, tensor<1x40000xf32>
  %2 = td.update_slice %x, %a[%c1] dim 0 step 1 : tensor<3x40000xf32>, tensor<2x40000xf32>
  %3 = td.update_slice %2, %b[%i] dim 0 step 1 : tensor<3x40000xf32>, tensor<1x40000xf32>
  %4 = td.update_slice %x, %b[%c0] dim 0 step 1 : tensor<3x40000xf32>, tensor<1x40000xf32>
  %5 = td.neg %4 : tensor<3x40000xf32>
  %6 = td.update_slice %4, %a[%c1] dim 0 step 1 : tensor<3x40000xf32>, tensor<2x40000xf32>
  %7 = td.slice %1[%c1] dim 0 step 1 : tensor<3x40000xf32> to tensor<2x40000xf32>
  %8 = td.update_slice %5, %7[%c1] dim 0 step 1 : tensor<3x40000xf32>, tensor<2x40000xf32>
  return %1, %3, %6, %8 : tensor<3x40000xf32>, tensor<3x40000xf32>, tensor<3x40000xf32>, tensor<3x40000xf32>
}

// -----

// CHECK-LABEL: func.func @small_parts
// CHECK-NOT: td.concat
func.func @small_parts(%x: tensor<3x3xf32>, %a: tensor<2x3xf32>, %b: tensor<1x3xf32>) -> tensor<3x3xf32> {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %0 = td.update_slice %x, %a[%c1] dim 0 step 1 : tensor<3x3xf32>, tensor<2x3xf32>
  %1 = td.update_slice %0, %b[%c0] dim 0 step 1 : tensor<3x3xf32>, tensor<1x3xf32>
  return %1 : tensor<3x3xf32>
}

// -----

// An element of a slice is set into the whole tensor, not into a copy of the
// slice: x[i, j, 0, ::2] = y.
// CHECK-LABEL: func.func @nested
// CHECK-SAME: %[[X:.*]]: tensor<?x512x8x64xf32>, %[[Y:.*]]: tensor<1x1x1x32xf32>, %[[I:.*]]: i64, %[[J:.*]]: i64
// CHECK: %[[C0:.*]] = arith.constant 0 : i64
// CHECK-NEXT: %[[R:.*]] = td.inset %[[X]], %[[Y]][%[[I]], %[[J]], %[[C0]], %[[C0]]] step [1, 1, 1, 2]
// CHECK-NEXT: return %[[R]]
func.func @nested(%x: tensor<?x512x8x64xf32>, %y: tensor<1x1x1x32xf32>, %i: i64, %j: i64) -> tensor<?x512x8x64xf32> {
  %c0 = arith.constant 0 : i64
  %0 = td.slice %x[%i] dim 0 step 1 : tensor<?x512x8x64xf32> to tensor<1x512x8x64xf32>
  %1 = td.slice %0[%j] dim 1 step 1 : tensor<1x512x8x64xf32> to tensor<1x1x8x64xf32>
  %2 = td.slice %1[%c0] dim 2 step 1 : tensor<1x1x8x64xf32> to tensor<1x1x1x64xf32>
  %3 = td.update_slice %2, %y[%c0] dim 3 step 2 : tensor<1x1x1x64xf32>, tensor<1x1x1x32xf32>
  %4 = td.update_slice %1, %3[%c0] dim 2 step 1 : tensor<1x1x8x64xf32>, tensor<1x1x1x64xf32>
  %5 = td.update_slice %0, %4[%j] dim 1 step 1 : tensor<1x512x8x64xf32>, tensor<1x1x8x64xf32>
  %6 = td.update_slice %x, %5[%i] dim 0 step 1 : tensor<?x512x8x64xf32>, tensor<1x512x8x64xf32>
  return %6 : tensor<?x512x8x64xf32>
}

// -----

// Not if the slice is another one, or is replaced along the same dim.
// CHECK-LABEL: func.func @not_nested
// CHECK-NOT: td.inset
func.func @not_nested(%x: tensor<?x512x64xf32>, %y: tensor<1x1x64xf32>, %z: tensor<1x512x64xf32>, %i: i64, %j: i64) -> (tensor<?x512x64xf32>, tensor<?x512x64xf32>) {
  %0 = td.slice %x[%i] dim 0 step 1 : tensor<?x512x64xf32> to tensor<1x512x64xf32>
  %1 = td.update_slice %0, %y[%j] dim 1 step 1 : tensor<1x512x64xf32>, tensor<1x1x64xf32>
  %2 = td.update_slice %x, %1[%j] dim 0 step 1 : tensor<?x512x64xf32>, tensor<1x512x64xf32>
  %3 = td.slice %x[%i] dim 0 step 1 : tensor<?x512x64xf32> to tensor<2x512x64xf32>
  %4 = td.update_slice %3, %z[%j] dim 0 step 1 : tensor<2x512x64xf32>, tensor<1x512x64xf32>
  %5 = td.update_slice %x, %4[%i] dim 0 step 1 : tensor<?x512x64xf32>, tensor<2x512x64xf32>
  return %2, %5 : tensor<?x512x64xf32>, tensor<?x512x64xf32>
}
