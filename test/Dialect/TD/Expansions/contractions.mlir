// RUN: tdc-opt %s --td-form-kernels --split-input-file | FileCheck %s

// A transposed convolution of step 2 leaves out the products with the zeros: 1, 2,
// 2 and 4 of 9 in the four phases, whose results are interleaved.
// CHECK-LABEL: func.func @phases
// CHECK-NOT: step [1, 1, 2, 2]
// CHECK: td.inset {{.*}} step [1, 1, 1, 1] : tensor<2x8x6x6xf32>, tensor<2x8x5x5xf32>
// CHECK: td.contract {{.*}} tensor<1x1x8x4x1x1xf32> -> tensor<1x1x2x4x5x5xf32>
// CHECK: td.contract {{.*}} tensor<1x1x8x4x1x2xf32> -> tensor<1x1x2x4x5x5xf32>
// CHECK: td.contract {{.*}} tensor<1x1x8x4x2x1xf32> -> tensor<1x1x2x4x5x5xf32>
// CHECK: td.contract {{.*}} tensor<1x1x8x4x2x2xf32> -> tensor<1x1x2x4x5x5xf32>
// CHECK: td.concat
// CHECK: td.permute {{.*}} [2, 3, 4, 0, 5, 1]
// CHECK: td.slice {{.*}} tensor<2x4x9x9xf32>
#image = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d4, d2 - d5 + 2, d3 - d6 + 2)>
#weight = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d4, d1, d5, d6)>
func.func @phases(%y: tensor<2x8x5x5xf32>, %w: tensor<8x4x3x3xf32>) -> tensor<2x4x9x9xf32> {
  %zero = arith.constant 0.0 : f64
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %zeros = td.fill %zero : f64 -> tensor<2x8x11x11xf32>
  %z = td.inset %zeros, %y[%c0, %c0, %c1, %c1] step [1, 1, 2, 2] : tensor<2x8x11x11xf32>, tensor<2x8x5x5xf32>
  %r = td.contract %z, %w at #image, #weight : tensor<2x8x11x11xf32>, tensor<8x4x3x3xf32> -> tensor<2x4x9x9xf32>
  return %r : tensor<2x4x9x9xf32>
}

// -----

// Phases that read the same elements are one contraction: all of them, if the step
// is the size of the kernel.
// CHECK: affine_map<(d0, d1, d2, d3) -> (d1, d2, d3 * 8 + d0)>
// CHECK-LABEL: func.func @joined_phases
// CHECK: td.contract %arg{{.*}} tensor<2x8x5xf32>, tensor<8x8x4x1xf32> -> tensor<8x2x4x5xf32>
// CHECK-NOT: td.contract
// CHECK: td.permute {{.*}} [1, 2, 3, 0] : tensor<8x2x4x5xf32> to tensor<2x4x5x8xf32>
#image = affine_map<(d0, d1, d2, d3, d4) -> (d0, d3, d2 - d4 + 7)>
#weight = affine_map<(d0, d1, d2, d3, d4) -> (d3, d1, d4)>
func.func @joined_phases(%y: tensor<2x8x5xf32>, %w: tensor<8x4x8xf32>) -> tensor<2x4x40xf32> {
  %zero = arith.constant 0.0 : f64
  %c0 = arith.constant 0 : i64
  %c7 = arith.constant 7 : i64
  %zeros = td.fill %zero : f64 -> tensor<2x8x47xf32>
  %z = td.inset %zeros, %y[%c0, %c0, %c7] step [1, 1, 8] : tensor<2x8x47xf32>, tensor<2x8x5xf32>
  %r = td.contract %z, %w at #image, #weight : tensor<2x8x47xf32>, tensor<8x4x8xf32> -> tensor<2x4x40xf32>
  return %r : tensor<2x4x40xf32>
}

// -----

// Of a kernel of one element, one phase has products. Its results are set into zeros.
// CHECK-LABEL: func.func @one_phase
// CHECK: td.contract %arg{{.*}} tensor<2x100x4xf32>, tensor<1x100x4x1xf32> -> tensor<1x2x4x4xf32>
// CHECK: td.inset {{.*}} step [1, 1, 2] : tensor<2x4x7xf32>, tensor<2x4x4xf32>
#image = affine_map<(d0, d1, d2, d3, d4) -> (d0, d3, d2 - d4)>
#weight = affine_map<(d0, d1, d2, d3, d4) -> (d3, d1, d4)>
func.func @one_phase(%y: tensor<2x100x4xf32>, %w: tensor<100x4x1xf32>) -> tensor<2x4x7xf32> {
  %zero = arith.constant 0.0 : f64
  %c0 = arith.constant 0 : i64
  %zeros = td.fill %zero : f64 -> tensor<2x100x7xf32>
  %z = td.inset %zeros, %y[%c0, %c0, %c0] step [1, 1, 2] : tensor<2x100x7xf32>, tensor<2x100x4xf32>
  %r = td.contract %z, %w at #image, #weight : tensor<2x100x7xf32>, tensor<100x4x1xf32> -> tensor<2x4x7xf32>
  return %r : tensor<2x4x7xf32>
}

// -----

// Phases of short sums cost more than the products with zeros.
// CHECK-LABEL: func.func @short
// CHECK: td.inset {{.*}} step [1, 1, 2]
// CHECK: td.contract {{.*}} -> tensor<2x4x9xf32>
#image = affine_map<(d0, d1, d2, d3, d4) -> (d0, d3, d2 - d4 + 2)>
#weight = affine_map<(d0, d1, d2, d3, d4) -> (d3, d1, d4)>
func.func @short(%y: tensor<2x8x5xf32>, %w: tensor<8x4x3xf32>) -> tensor<2x4x9xf32> {
  %zero = arith.constant 0.0 : f64
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %zeros = td.fill %zero : f64 -> tensor<2x8x11xf32>
  %z = td.inset %zeros, %y[%c0, %c0, %c1] step [1, 1, 2] : tensor<2x8x11xf32>, tensor<2x8x5xf32>
  %r = td.contract %z, %w at #image, #weight : tensor<2x8x11xf32>, tensor<8x4x3xf32> -> tensor<2x4x9xf32>
  return %r : tensor<2x4x9xf32>
}

// -----

// The gradient of a transposed convolution's weight sums over the elements of the
// small image, and reads the large one at every second position.
// CHECK: affine_map<(d0, d1, d2, d3, d4) -> (d3, d1, d4 * 2 + d2)>
// CHECK-LABEL: func.func @weights
// CHECK-NOT: step [1, 1, 2]
// CHECK: td.inset {{.*}} step [1, 1, 1] : tensor<2x4x11xf32>, tensor<2x4x9xf32>
// CHECK: td.contract {{.*}} tensor<2x8x5xf32>, tensor<2x4x11xf32> -> tensor<8x4x3xf32>
#small = affine_map<(d0, d1, d2, d3, d4) -> (d3, d0, d4 - d2 + 2)>
#large = affine_map<(d0, d1, d2, d3, d4) -> (d3, d1, d4)>
func.func @weights(%y: tensor<2x8x5xf32>, %d: tensor<2x4x9xf32>) -> tensor<8x4x3xf32> {
  %zero = arith.constant 0.0 : f64
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %zeros = td.fill %zero : f64 -> tensor<2x8x11xf32>
  %z = td.inset %zeros, %y[%c0, %c0, %c1] step [1, 1, 2] : tensor<2x8x11xf32>, tensor<2x8x5xf32>
  %r = td.contract %z, %d at #small, #large : tensor<2x8x11xf32>, tensor<2x4x9xf32> -> tensor<8x4x3xf32>
  return %r : tensor<8x4x3xf32>
}
