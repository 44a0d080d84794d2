// RUN: tdc-opt %s --td-verify-kernels | FileCheck %s

// Several readers at one position: the stages of a softmax.
// CHECK-LABEL: func.func @softmax
func.func @softmax(%x: tensor<3x5xf32>) -> (tensor<3x5xf32>, tensor<3xf32>) {
  %r:2 = td.kernel(%x) : (tensor<3x5xf32>) -> (tensor<3x5xf32>, tensor<3xf32>) {
  ^bb0(%a: tensor<3x5xf32>):
    %m = td.reduce max %a [1] : tensor<3x5xf32> to tensor<3xf32>
    %k = td.reshape %m : tensor<3xf32> to tensor<3x1xf32>
    %b = td.broadcast %k : tensor<3x1xf32> to tensor<3x5xf32>
    %d = td.sub %a, %b : tensor<3x5xf32>
    %e = td.exp %d : tensor<3x5xf32>
    %s = td.reduce sum %e [1] : tensor<3x5xf32> to tensor<3xf32>
    %l = td.reshape %s : tensor<3xf32> to tensor<3x1xf32>
    %c = td.broadcast %l : tensor<3x1xf32> to tensor<3x5xf32>
    %p = td.div %e, %c : tensor<3x5xf32>
    td.yield %p, %m : tensor<3x5xf32>, tensor<3xf32>
  }
  return %r#0, %r#1 : tensor<3x5xf32>, tensor<3xf32>
}

// A value that is no reduction is computed again at each position.
// CHECK-LABEL: func.func @elementwise
func.func @elementwise(%x: tensor<3x3xf32>) -> tensor<3x3xf32> {
  %r = td.kernel(%x) : (tensor<3x3xf32>) -> tensor<3x3xf32> {
  ^bb0(%a: tensor<3x3xf32>):
    %e = td.sin %a : tensor<3x3xf32>
    %t = td.permute %e [1, 0] : tensor<3x3xf32> to tensor<3x3xf32>
    %s = td.add %e, %t : tensor<3x3xf32>
    td.yield %s : tensor<3x3xf32>
  }
  return %r : tensor<3x3xf32>
}

// Two results from one position.
// CHECK-LABEL: func.func @results
func.func @results(%x: tensor<4x2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %r:2 = td.kernel(%x) : (tensor<4x2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  ^bb0(%a: tensor<4x2xf32>):
    %one = arith.constant 1 : i64
    %g = td.reduce sum %a [1] : tensor<4x2xf32> to tensor<4xf32>
    %s = td.slice %g[%one] dim 0 step 1 : tensor<4xf32> to tensor<2xf32>
    %t = td.neg %s : tensor<2xf32>
    td.yield %s, %t : tensor<2xf32>, tensor<2xf32>
  }
  return %r#0, %r#1 : tensor<2xf32>, tensor<2xf32>
}

// Two slices with one start read one position.
// CHECK-LABEL: func.func @slices
func.func @slices(%x: tensor<4x2xf32>) -> tensor<2xf32> {
  %r = td.kernel(%x) : (tensor<4x2xf32>) -> tensor<2xf32> {
  ^bb0(%a: tensor<4x2xf32>):
    %one = arith.constant 1 : i64
    %g = td.reduce sum %a [1] : tensor<4x2xf32> to tensor<4xf32>
    %s = td.slice %g[%one] dim 0 step 1 : tensor<4xf32> to tensor<2xf32>
    %t = td.slice %g[%one] dim 0 step 1 : tensor<4xf32> to tensor<2xf32>
    %p = td.mul %s, %t : tensor<2xf32>
    td.yield %p : tensor<2xf32>
  }
  return %r : tensor<2xf32>
}

// A position that is reversed twice is the first one.
// CHECK-LABEL: func.func @reversed
func.func @reversed(%x: tensor<4x2xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %r:2 = td.kernel(%x) : (tensor<4x2xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%a: tensor<4x2xf32>):
    %s = td.reduce sum %a [1] : tensor<4x2xf32> to tensor<4xf32>
    %t = td.window %s at affine_map<(d0) -> (-d0 + 3)> : tensor<4xf32> to tensor<4xf32>
    %e = td.exp %t : tensor<4xf32>
    %u = td.window %e at affine_map<(d0) -> (-d0 + 3)> : tensor<4xf32> to tensor<4xf32>
    td.yield %s, %u : tensor<4xf32>, tensor<4xf32>
  }
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}
