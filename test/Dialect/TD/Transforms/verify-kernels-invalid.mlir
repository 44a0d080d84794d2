// RUN: tdc-opt %s --split-input-file --td-verify-kernels --verify-diagnostics

// A picked element next to the sum itself.
func.func @picked(%x: tensor<3x2xf32>, %i: tensor<3xi64>) -> tensor<3xf32> {
  %r = td.kernel(%x, %i) : (tensor<3x2xf32>, tensor<3xi64>) -> tensor<3xf32> {
  ^bb0(%a: tensor<3x2xf32>, %b: tensor<3xi64>):
    // expected-error @below {{is read at a picked index by its own kernel}}
    %g = td.reduce sum %a [1] : tensor<3x2xf32> to tensor<3xf32>
    %p = td.gather %g, %b dim 0 : tensor<3xf32>, tensor<3xi64> -> tensor<3xf32>
    %s = td.add %g, %p : tensor<3xf32>
    td.yield %s : tensor<3xf32>
  }
  return %r : tensor<3xf32>
}

// -----

func.func @transposed(%x: tensor<3x3xf32>) -> tensor<3x3xf32> {
  %r = td.kernel(%x) : (tensor<3x3xf32>) -> tensor<3x3xf32> {
  ^bb0(%a: tensor<3x3xf32>):
    // expected-error @below {{is read at two positions by its own kernel}}
    %p = td.matmul %a, %a : tensor<3x3xf32>, tensor<3x3xf32> -> tensor<3x3xf32>
    %t = td.permute %p [1, 0] : tensor<3x3xf32> to tensor<3x3xf32>
    %s = td.add %p, %t : tensor<3x3xf32>
    td.yield %s : tensor<3x3xf32>
  }
  return %r : tensor<3x3xf32>
}

// -----

// One row of a product for all rows of the product.
func.func @row(%x: tensor<3x3xf32>) -> tensor<3x3xf32> {
  %r = td.kernel(%x) : (tensor<3x3xf32>) -> tensor<3x3xf32> {
  ^bb0(%a: tensor<3x3xf32>):
    %zero = arith.constant 0 : i64
    // expected-error @below {{is read at two positions by its own kernel}}
    %p = td.matmul %a, %a : tensor<3x3xf32>, tensor<3x3xf32> -> tensor<3x3xf32>
    %t = td.slice %p[%zero] dim 0 step 1 : tensor<3x3xf32> to tensor<1x3xf32>
    %b = td.broadcast %t : tensor<1x3xf32> to tensor<3x3xf32>
    %s = td.add %p, %b : tensor<3x3xf32>
    td.yield %s : tensor<3x3xf32>
  }
  return %r : tensor<3x3xf32>
}

// -----

// A value that is a result itself, and a slice of it for another result.
func.func @results(%x: tensor<4x2xf32>) -> (tensor<4xf32>, tensor<2xf32>) {
  %r:2 = td.kernel(%x) : (tensor<4x2xf32>) -> (tensor<4xf32>, tensor<2xf32>) {
  ^bb0(%a: tensor<4x2xf32>):
    %one = arith.constant 1 : i64
    // expected-error @below {{is read at two positions by results of its own kernel}}
    %g = td.reduce sum %a [1] : tensor<4x2xf32> to tensor<4xf32>
    %s = td.slice %g[%one] dim 0 step 1 : tensor<4xf32> to tensor<2xf32>
    td.yield %g, %s : tensor<4xf32>, tensor<2xf32>
  }
  return %r#0, %r#1 : tensor<4xf32>, tensor<2xf32>
}

// -----

// Two slices with one start and two steps.
func.func @steps(%x: tensor<4x2xf32>) -> tensor<2xf32> {
  %r = td.kernel(%x) : (tensor<4x2xf32>) -> tensor<2xf32> {
  ^bb0(%a: tensor<4x2xf32>):
    %zero = arith.constant 0 : i64
    // expected-error @below {{is read at two positions by its own kernel}}
    %g = td.reduce sum %a [1] : tensor<4x2xf32> to tensor<4xf32>
    %s = td.slice %g[%zero] dim 0 step 1 : tensor<4xf32> to tensor<2xf32>
    %t = td.slice %g[%zero] dim 0 step 2 : tensor<4xf32> to tensor<2xf32>
    %p = td.mul %s, %t : tensor<2xf32>
    td.yield %p : tensor<2xf32>
  }
  return %r : tensor<2xf32>
}

// -----

// A reshape that moves elements has no coordinates.
func.func @reshaped(%x: tensor<2x3xf32>) -> tensor<3x2xf32> {
  %r = td.kernel(%x) : (tensor<2x3xf32>) -> tensor<3x2xf32> {
  ^bb0(%a: tensor<2x3xf32>):
    // expected-error @below {{is used by its own kernel, which cannot compute single elements of it}}
    %t = td.reshape %a : tensor<2x3xf32> to tensor<3x2xf32>
    %s = td.neg %t : tensor<3x2xf32>
    td.yield %s : tensor<3x2xf32>
  }
  return %r : tensor<3x2xf32>
}
