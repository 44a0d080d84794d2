// RUN: tdc-opt %s --td-form-kernels --split-input-file | FileCheck %s

// An update writes a part of its result: it is a kernel of its own. Its start
// is clamped into range: the kernel may be moved before the check.
// CHECK-LABEL: func.func @update
func.func @update(%x: tensor<8xf32>, %u: tensor<2xf32>, %i: i64) -> tensor<8xf32> {
  // CHECK: %[[C6:.*]] = arith.constant 6
  // CHECK: %[[LOW:.*]] = arith.minsi %arg2, %[[C6]]
  // CHECK: %[[C0:.*]] = arith.constant 0
  // CHECK: %[[START:.*]] = arith.maxsi %[[LOW]], %[[C0]]
  // CHECK: td.kernel(%arg0, %arg1, %[[START]])
  // CHECK: td.neg
  // CHECK: td.update_slice
  %n = td.neg %u : tensor<2xf32>
  %y = td.update_slice %x, %n[%i] dim 0 step 1 : tensor<8xf32>, tensor<2xf32>
  return %y : tensor<8xf32>
}

// -----

// With run-time sizes the last valid start is computed.
// CHECK-LABEL: func.func @slice
// CHECK: %[[OTHERS:.*]] = arith.subi %arg2
// CHECK: %[[SPAN:.*]] = arith.muli %[[OTHERS]]
// CHECK: %[[SIZE:.*]] = td.dim %arg0, 0
// CHECK: %[[LAST:.*]] = arith.subi %[[SIZE]]
// CHECK: %[[TOP:.*]] = arith.subi %[[LAST]], %[[SPAN]]
// CHECK: %[[LOW:.*]] = arith.minsi %arg1, %[[TOP]]
// CHECK: %[[START:.*]] = arith.maxsi %[[LOW]]
// CHECK: td.kernel(%arg0, %[[START]], %arg2)
func.func @slice(%x: tensor<?xf32>, %i: i64, %n: i64) -> tensor<?xf32> {
  %y = td.slice %x[%i] dim 0 step 2 sizes(%n) : tensor<?xf32> to tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

// Softmax is expanded. Its ops are in the order of its stages.
// CHECK-LABEL: func.func @softmax
func.func @softmax(%x: tensor<8x10xf32>) -> tensor<8x10xf32> {
  // CHECK-NOT: td.softmax
  // CHECK: td.reduce max
  // CHECK: td.exp
  // CHECK: td.reduce sum
  // CHECK: td.div
  %y = td.softmax %x dim 1 : tensor<8x10xf32>
  return %y : tensor<8x10xf32>
}

// -----

// The runtime makes random integers of 32 bits or more. The bounds of randint
// must fit the dtype that they are cast to, since the cast would wrap.
// CHECK-LABEL: func.func @narrow_random
func.func @narrow_random(%s: i64, %c: i64) -> (tensor<4xui8>, tensor<4xf16>) {
  // CHECK-DAG: td.check_randint %arg0, %arg1, ui8
  // CHECK-DAG: %[[I:.*]] = td.random randint %arg0, %arg1 bounds(%arg0, %arg1) : tensor<4xi32>
  // CHECK-DAG: %[[N:.*]] = td.random normal %arg0, %arg1 : tensor<4xf32>
  // CHECK: td.cast
  // CHECK: return
  %i = td.random randint %s, %c bounds(%s, %c) : tensor<4xui8>
  %n = td.random normal %s, %c : tensor<4xf16>
  return %i, %n : tensor<4xui8>, tensor<4xf16>
}

// -----

// Uniform numbers are truncated to the bits that a narrow float has, so that
// none is rounded up to 1.
// CHECK-LABEL: func.func @narrow_uniform
// CHECK: td.random uniform %arg0, %arg1 : tensor<4xf32>
// CHECK: td.kernel
// CHECK-DAG: arith.constant 2.048000e+03 : f64
// CHECK-DAG: arith.constant 4.8828125E-4 : f64
// CHECK: td.mul
// CHECK: td.floor
// CHECK: td.mul
// CHECK: td.cast {{.*}} : tensor<4xf32> to tensor<4xf16>
func.func @narrow_uniform(%s: i64, %c: i64) -> tensor<4xf16> {
  %u = td.random uniform %s, %c : tensor<4xf16>
  return %u : tensor<4xf16>
}

