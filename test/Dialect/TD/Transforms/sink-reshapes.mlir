// RUN: tdc-opt %s --td-sink-reshapes --split-input-file | FileCheck %s

// A bias and a function of the sum become an epilogue of the product.
// CHECK-LABEL: func.func @epilogue
// CHECK: %[[P:.*]] = td.matmul
// CHECK: %[[B:.*]] = td.broadcast %{{.*}} : tensor<16xf32> to tensor<32x16xf32>
// CHECK: %[[S:.*]] = td.add %[[P]], %[[B]] : tensor<32x16xf32>
// CHECK: %[[E:.*]] = td.tanh %[[S]] : tensor<32x16xf32>
// CHECK: %[[Y:.*]] = td.reshape %[[E]] : tensor<32x16xf32> to tensor<4x8x16xf32>
// CHECK: return %[[Y]]
func.func @epilogue(%x: tensor<32x8xf32>, %w: tensor<8x16xf32>, %v: tensor<16xf32>) -> tensor<4x8x16xf32> {
  %p = td.matmul %x, %w : tensor<32x8xf32>, tensor<8x16xf32> -> tensor<32x16xf32>
  %q = td.reshape %p : tensor<32x16xf32> to tensor<4x8x16xf32>
  %b = td.broadcast %v : tensor<16xf32> to tensor<4x8x16xf32>
  %s = td.add %q, %b : tensor<4x8x16xf32>
  %y = td.tanh %s : tensor<4x8x16xf32>
  return %y : tensor<4x8x16xf32>
}

// -----

// A run-time size, and the next product: only one shape is left.
// CHECK-LABEL: func.func @runtime
// CHECK: td.matmul
// CHECK: td.fill %{{.*}} sizes(%{{.*}}) : f64 -> tensor<?x16xf32>
// CHECK: %[[S:.*]] = td.mul {{.*}} : tensor<?x16xf32>
// CHECK-NEXT: td.matmul %[[S]]
// CHECK-NOT: td.reshape
func.func @runtime(%x: tensor<?x8xf32>, %w: tensor<8x16xf32>, %u: tensor<16x4xf32>, %c: f64, %n: i64, %m: i64) -> tensor<?x4xf32> {
  %p = td.matmul %x, %w : tensor<?x8xf32>, tensor<8x16xf32> -> tensor<?x16xf32>
  %q = td.reshape %p sizes(%n) : tensor<?x16xf32> to tensor<?x8x16xf32>
  %f = td.fill %c sizes(%n) : f64 -> tensor<?x8x16xf32>
  %s = td.mul %q, %f : tensor<?x8x16xf32>
  %r = td.reshape %s sizes(%m) : tensor<?x8x16xf32> to tensor<?x16xf32>
  %y = td.matmul %r, %u : tensor<?x16xf32>, tensor<16x4xf32> -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// -----

// A mean over the last dim, and its subtraction: layer norm. The gradient of the
// bias is a sum over two dims, which are one before the reshape.
// CHECK-LABEL: func.func @reductions
// CHECK-NOT: td.reshape %{{.*}} to tensor<4x8x16xf32>
// CHECK: td.reduce sum %{{.*}} [1] : tensor<32x16xf32> to tensor<32xf32>
// CHECK: %[[D:.*]] = td.sub {{.*}} : tensor<32x16xf32>
// CHECK: td.reduce sum %[[D]] [0] : tensor<32x16xf32> to tensor<16xf32>
func.func @reductions(%x: tensor<32x8xf32>, %w: tensor<8x16xf32>) -> tensor<16xf32> {
  %p = td.matmul %x, %w : tensor<32x8xf32>, tensor<8x16xf32> -> tensor<32x16xf32>
  %q = td.reshape %p : tensor<32x16xf32> to tensor<4x8x16xf32>
  %s = td.reduce sum %q [2] : tensor<4x8x16xf32> to tensor<4x8xf32>
  %k = td.reshape %s : tensor<4x8xf32> to tensor<4x8x1xf32>
  %m = td.broadcast %k : tensor<4x8x1xf32> to tensor<4x8x16xf32>
  %d = td.sub %q, %m : tensor<4x8x16xf32>
  %y = td.reduce sum %d [0, 1] : tensor<4x8x16xf32> to tensor<16xf32>
  return %y : tensor<16xf32>
}

// -----

// The other operand of a residual is an argument, which is stored in any case.
// CHECK-LABEL: func.func @residual
// CHECK: %[[V:.*]] = td.reshape %arg2 : tensor<4x8x16xf32> to tensor<32x16xf32>
// CHECK: td.add %{{.*}}, %[[V]] : tensor<32x16xf32>
func.func @residual(%x: tensor<32x8xf32>, %w: tensor<8x16xf32>, %v: tensor<4x8x16xf32>) -> tensor<4x8x16xf32> {
  %p = td.matmul %x, %w : tensor<32x8xf32>, tensor<8x16xf32> -> tensor<32x16xf32>
  %q = td.reshape %p : tensor<32x16xf32> to tensor<4x8x16xf32>
  %y = td.add %q, %v : tensor<4x8x16xf32>
  return %y : tensor<4x8x16xf32>
}

// -----

// What stays: a sum over a part of a merged dim; an operand that would be stored
// only for the reshape, or is broadcast along a part of a merged dim; and work on a
// tensor that no kernel here computes, which is a prologue of the next product.
// CHECK-LABEL: func.func @stays
// CHECK: td.reduce sum %{{.*}} [1] : tensor<4x8x16xf32>
// CHECK: td.add {{.*}} : tensor<4x8x16xf32>
// CHECK: td.sub {{.*}} : tensor<4x8x16xf32>
// CHECK: td.mul {{.*}} : tensor<2x8xf32>
func.func @stays(%x: tensor<32x8xf32>, %w: tensor<8x16xf32>, %v: tensor<4x16x8xf32>, %z: tensor<4x1x16xf32>, %u: tensor<2x2x4xf32>) -> (tensor<4x16xf32>, tensor<4x8x16xf32>, tensor<4x8x16xf32>, tensor<2x16xf32>) {
  %p = td.matmul %x, %w : tensor<32x8xf32>, tensor<8x16xf32> -> tensor<32x16xf32>
  %q = td.reshape %p : tensor<32x16xf32> to tensor<4x8x16xf32>
  %s = td.reduce sum %q [1] : tensor<4x8x16xf32> to tensor<4x16xf32>
  %t = td.permute %v [0, 2, 1] : tensor<4x16x8xf32> to tensor<4x8x16xf32>
  %a = td.add %q, %t : tensor<4x8x16xf32>
  %b = td.broadcast %z : tensor<4x1x16xf32> to tensor<4x8x16xf32>
  %d = td.sub %q, %b : tensor<4x8x16xf32>
  %r = td.reshape %u : tensor<2x2x4xf32> to tensor<2x8xf32>
  %m = td.mul %r, %r : tensor<2x8xf32>
  %y = td.matmul %m, %w : tensor<2x8xf32>, tensor<8x16xf32> -> tensor<2x16xf32>
  return %s, %a, %d, %y : tensor<4x16xf32>, tensor<4x8x16xf32>, tensor<4x8x16xf32>, tensor<2x16xf32>
}

// -----

// A reshape of widened floats views the narrow ones.
// CHECK-LABEL: func.func @narrow
// CHECK: %[[V:.*]] = td.reshape %arg0 : tensor<4x8x16xbf16> to tensor<32x16xbf16>
// CHECK: td.cast %[[V]] : tensor<32x16xbf16> to tensor<32x16xf32>
// CHECK-NEXT: td.matmul
func.func @narrow(%x: tensor<4x8x16xbf16>, %w: tensor<16x8xf32>) -> tensor<32x8xf32> {
  %f = td.cast %x : tensor<4x8x16xbf16> to tensor<4x8x16xf32>
  %q = td.reshape %f : tensor<4x8x16xf32> to tensor<32x16xf32>
  %y = td.matmul %q, %w : tensor<32x16xf32>, tensor<16x8xf32> -> tensor<32x8xf32>
  return %y : tensor<32x8xf32>
}

// -----

// A mask of random numbers is made with the shape before, and one that several ops
// read is viewed: it is stored for them.
// CHECK-LABEL: func.func @dropout
// CHECK: td.random uniform {{.*}} : tensor<32x16xf32, #td.dev<cuda, 0>>
// CHECK: td.select {{.*}} : tensor<32x16xi1, #td.dev<cuda, 0>>
// CHECK: %[[M:.*]] = td.reshape %{{.*}} : tensor<4x8x16xi1, #td.dev<cuda, 0>> to tensor<32x16xi1, #td.dev<cuda, 0>>
// CHECK: td.select %[[M]], {{.*}} : tensor<32x16xi1, #td.dev<cuda, 0>>
func.func @dropout(%x: tensor<32x8xf32, #td.dev<cuda, 0>>, %w: tensor<8x16xf32, #td.dev<cuda, 0>>, %seed: i64, %call: i64, %c: f64) -> (tensor<4x8x16xf32, #td.dev<cuda, 0>>, tensor<4x8x16xi1, #td.dev<cuda, 0>>) {
  %p = td.matmul %x, %w : tensor<32x8xf32, #td.dev<cuda, 0>>, tensor<8x16xf32, #td.dev<cuda, 0>> -> tensor<32x16xf32, #td.dev<cuda, 0>>
  %q = td.reshape %p : tensor<32x16xf32, #td.dev<cuda, 0>> to tensor<4x8x16xf32, #td.dev<cuda, 0>>
  %f = td.fill %c : f64 -> tensor<4x8x16xf32, #td.dev<cuda, 0>>
  %r = td.random uniform %seed, %call : tensor<4x8x16xf32, #td.dev<cuda, 0>>
  %m = td.compare ge %r, %f : tensor<4x8x16xf32, #td.dev<cuda, 0>> -> tensor<4x8x16xi1, #td.dev<cuda, 0>>
  %s = td.select %m, %q, %f : tensor<4x8x16xi1, #td.dev<cuda, 0>>, tensor<4x8x16xf32, #td.dev<cuda, 0>>
  %t = td.random uniform %call, %seed : tensor<4x8x16xf32, #td.dev<cuda, 0>>
  %n = td.compare ge %t, %f : tensor<4x8x16xf32, #td.dev<cuda, 0>> -> tensor<4x8x16xi1, #td.dev<cuda, 0>>
  %u = td.select %n, %s, %f : tensor<4x8x16xi1, #td.dev<cuda, 0>>, tensor<4x8x16xf32, #td.dev<cuda, 0>>
  %o = td.not %n : tensor<4x8x16xi1, #td.dev<cuda, 0>>
  return %u, %o : tensor<4x8x16xf32, #td.dev<cuda, 0>>, tensor<4x8x16xi1, #td.dev<cuda, 0>>
}

// -----

// A kernel of its own makes a permutation: it is viewed.
// CHECK-LABEL: func.func @permutation
// CHECK: %[[R:.*]] = td.random permutation {{.*}} : tensor<6xi64, #td.dev<cuda, 0>>
// CHECK: %[[V:.*]] = td.reshape %[[R]]
// CHECK: td.add %{{.*}}, %[[V]] : tensor<2x3xi64, #td.dev<cuda, 0>>
func.func @permutation(%x: tensor<2x3xi64, #td.dev<cuda, 0>>, %seed: i64, %call: i64) -> tensor<6xi64, #td.dev<cuda, 0>> {
  %n = td.neg %x : tensor<2x3xi64, #td.dev<cuda, 0>>
  %q = td.reshape %n : tensor<2x3xi64, #td.dev<cuda, 0>> to tensor<6xi64, #td.dev<cuda, 0>>
  %r = td.random permutation %seed, %call : tensor<6xi64, #td.dev<cuda, 0>>
  %y = td.add %q, %r : tensor<6xi64, #td.dev<cuda, 0>>
  return %y : tensor<6xi64, #td.dev<cuda, 0>>
}
