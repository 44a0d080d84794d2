// RUN: tdc-opt %s --td-form-kernels --td-assign-layouts=lanes=16 --td-fuse-stages --split-input-file | FileCheck %s

// The products and the softmax of an attention become stages of one kernel.
// CHECK-LABEL: func.func @attention
// CHECK: %[[Y:.*]] = td.kernel(%arg0, %arg1, %arg2)
// CHECK: td.matmul
// CHECK: %[[S:.*]] = td.stage
// CHECK: td.reduce max %[[S]]
// CHECK: td.exp
// CHECK: td.reduce sum
// CHECK: %[[P:.*]] = td.stage
// CHECK: td.matmul %[[P]]
// CHECK: td.yield
// CHECK: return %[[Y]]
func.func @attention(%q: tensor<4x1024x32xf32>, %k: tensor<4x1024x32xf32>, %v: tensor<4x1024x32xf32>) -> tensor<4x1024x32xf32> {
  %t = td.permute %k [0, 2, 1] : tensor<4x1024x32xf32> to tensor<4x32x1024xf32>
  %s = td.matmul %q, %t : tensor<4x1024x32xf32>, tensor<4x32x1024xf32> -> tensor<4x1024x1024xf32>
  %p = td.softmax %s dim 2 : tensor<4x1024x1024xf32>
  %y = td.matmul %p, %v : tensor<4x1024x1024xf32>, tensor<4x1024x32xf32> -> tensor<4x1024x32xf32>
  return %y : tensor<4x1024x32xf32>
}

// -----

// Not if something else reads the scores,
// CHECK-LABEL: func.func @read_twice
// CHECK-NOT: td.stage
func.func @read_twice(%q: tensor<1024x32xf32>, %k: tensor<32x1024xf32>, %v: tensor<1024x32xf32>) -> (tensor<1024x32xf32>, tensor<1024x1024xf32>) {
  %s = td.matmul %q, %k : tensor<1024x32xf32>, tensor<32x1024xf32> -> tensor<1024x1024xf32>
  %y = td.matmul %s, %v : tensor<1024x1024xf32>, tensor<1024x32xf32> -> tensor<1024x32xf32>
  return %y, %s : tensor<1024x32xf32>, tensor<1024x1024xf32>
}

// -----

// or if they fit the cache,
// CHECK-LABEL: func.func @small
// CHECK-NOT: td.stage
func.func @small(%q: tensor<128x32xf32>, %k: tensor<32x128xf32>, %v: tensor<128x32xf32>) -> tensor<128x32xf32> {
  %s = td.matmul %q, %k : tensor<128x32xf32>, tensor<32x128xf32> -> tensor<128x128xf32>
  %y = td.matmul %s, %v : tensor<128x128xf32>, tensor<128x32xf32> -> tensor<128x32xf32>
  return %y : tensor<128x32xf32>
}

// -----

// or if each block would read large weights again,
// CHECK-LABEL: func.func @weights
// CHECK-NOT: td.stage
func.func @weights(%x: tensor<1024x1024xf32>, %v: tensor<1024x1024xf32>, %w: tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
  %h = td.matmul %x, %v : tensor<1024x1024xf32>, tensor<1024x1024xf32> -> tensor<1024x1024xf32>
  %y = td.matmul %h, %w : tensor<1024x1024xf32>, tensor<1024x1024xf32> -> tensor<1024x1024xf32>
  return %y : tensor<1024x1024xf32>
}

// -----

// or if the second product sums over the rows,
// CHECK-LABEL: func.func @columns
// CHECK-NOT: td.stage
func.func @columns(%q: tensor<1024x32xf32>, %k: tensor<32x1024xf32>, %v: tensor<32x1024xf32>) -> tensor<32x1024xf32> {
  %s = td.matmul %q, %k : tensor<1024x32xf32>, tensor<32x1024xf32> -> tensor<1024x1024xf32>
  %y = td.matmul %v, %s : tensor<32x1024xf32>, tensor<1024x1024xf32> -> tensor<32x1024xf32>
  return %y : tensor<32x1024xf32>
}

// -----

// or if a kernel is no nest.
// CHECK-LABEL: func.func @concatenated
// CHECK-NOT: td.stage
func.func @concatenated(%x: tensor<1024x512xf32>, %w: tensor<1024x8xf32>) -> tensor<1024x8xf32> {
  %h = td.concat %x, %x dim 1 : (tensor<1024x512xf32>, tensor<1024x512xf32>) -> tensor<1024x1024xf32>
  %y = td.matmul %h, %w : tensor<1024x1024xf32>, tensor<1024x8xf32> -> tensor<1024x8xf32>
  return %y : tensor<1024x8xf32>
}
