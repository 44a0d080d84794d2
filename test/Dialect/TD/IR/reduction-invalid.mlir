// RUN: tdc-opt %s --split-input-file --verify-diagnostics

func.func @reduce_c1(%x: tensor<4x3xf32>) {
  // expected-error @below {{expected ascending dims, got [1, 0]}}
  %0 = td.reduce sum %x [1, 0] : tensor<4x3xf32> to tensor<f32>
  return
}

// -----

func.func @reduce_c1_range(%x: tensor<4x3xf32>) {
  // expected-error @below {{expected a dim in [0, 2), got 2}}
  %0 = td.reduce sum %x [2] : tensor<4x3xf32> to tensor<4xf32>
  return
}

// -----

func.func @reduce_c2(%x: tensor<4xi1>) {
  // expected-error @below {{expected numbers for 'sum', got 'tensor<4xi1>'}}
  %0 = td.reduce sum %x [0] : tensor<4xi1> to tensor<i1>
  return
}

// -----

func.func @reduce_c2_bool(%x: tensor<4xf32>) {
  // expected-error @below {{expected bool for 'all', got 'tensor<4xf32>'}}
  %0 = td.reduce all %x [0] : tensor<4xf32> to tensor<f32>
  return
}

// -----

func.func @reduce_c3(%x: tensor<4x3xf32>) {
  // expected-error @below {{expected result of shape [3], got [4]}}
  %0 = td.reduce max %x [0] : tensor<4x3xf32> to tensor<4xf32>
  return
}

// -----

func.func @reduce_c3_dtype(%x: tensor<4x3xf32>) {
  // expected-error @below {{expected result of dtype f32, got f64}}
  %0 = td.reduce max %x [0] : tensor<4x3xf32> to tensor<3xf64>
  return
}

// -----

func.func @reduce_c4(%x: tensor<4x3xf32>) {
  // expected-error @below {{expected max or min for 'first', and static sizes of all dims but the first}}
  %0 = td.reduce sum first %x [0] : tensor<4x3xf32> to tensor<3xf32>
  return
}

// -----

func.func @arg_reduce_c2_sizes(%x: tensor<4x?xf32>) {
  // expected-error @below {{expected static sizes of all dims but the first, got 'tensor<4x?xf32>'}}
  %0 = td.arg_reduce max %x [0, 1] : tensor<4x?xf32> to tensor<i64>
  return
}

// -----

func.func @arg_reduce_c1(%x: tensor<4x3xf32>) {
  // expected-error @below {{expected 'max' or 'min', got 'sum'}}
  %0 = td.arg_reduce sum %x [0] : tensor<4x3xf32> to tensor<3xi64>
  return
}

// -----

func.func @arg_reduce_c2(%x: tensor<4x3xf32>) {
  // expected-error @below {{expected a dim in [0, 2), got -1}}
  %0 = td.arg_reduce max %x [-1] : tensor<4x3xf32> to tensor<4xi64>
  return
}

// -----

func.func @arg_reduce_c3(%x: tensor<4x3xf32>) {
  // expected-error @below {{expected result of shape [3], got [1, 3]}}
  %0 = td.arg_reduce max %x [0] : tensor<4x3xf32> to tensor<1x3xi64>
  return
}

// -----

func.func @arg_reduce_c4(%x: tensor<0x3xf32>) {
  // expected-error @below {{expected a dim that is not empty, got dim 0 of 'tensor<0x3xf32>'}}
  %0 = td.arg_reduce max %x [0] : tensor<0x3xf32> to tensor<3xi64>
  return
}

// -----

func.func @matmul_c1(%x: tensor<4xf32>) {
  // expected-error @below {{expected operands of one rank >= 2, got 'tensor<4xf32>' and 'tensor<4xf32>'}}
  %0 = td.matmul %x, %x : tensor<4xf32>, tensor<4xf32> -> tensor<f32>
  return
}

// -----

func.func @matmul_c2(%x: tensor<2x4x4xf32>, %y: tensor<3x4x4xf32>) {
  // expected-error @below {{expected equal leading dims, got [2] and [3]}}
  %0 = td.matmul %x, %y : tensor<2x4x4xf32>, tensor<3x4x4xf32> -> tensor<2x4x4xf32>
  return
}

// -----

func.func @matmul_c3(%x: tensor<4x5xf32>, %y: tensor<6x7xf32>) {
  // expected-error @below {{expected the last dim of [4, 5] to be the last but one of [6, 7]}}
  %0 = td.matmul %x, %y : tensor<4x5xf32>, tensor<6x7xf32> -> tensor<4x7xf32>
  return
}

// -----

func.func @matmul_c4(%x: tensor<4x5xf32>, %y: tensor<5x7xf64>) {
  // expected-error @below {{expected rhs of dtype f32, got f64}}
  %0 = td.matmul %x, %y : tensor<4x5xf32>, tensor<5x7xf64> -> tensor<4x7xf32>
  return
}

// -----

func.func @matmul_c5(%x: tensor<4x5xf32>, %y: tensor<5x7xf32>) {
  // expected-error @below {{expected result of shape [4, 7], got [7, 4]}}
  %0 = td.matmul %x, %y : tensor<4x5xf32>, tensor<5x7xf32> -> tensor<7x4xf32>
  return
}

// -----

func.func @softmax_c1(%x: tensor<4x5xf32>) {
  // expected-error @below {{expected a dim in [0, 2), got -1}}
  %0 = td.softmax %x dim -1 : tensor<4x5xf32>
  return
}

// -----

func.func @log_softmax_c1(%x: tensor<f32>) {
  // expected-error @below {{expected a dim in [0, 0), got 0}}
  %0 = td.log_softmax %x dim 0 : tensor<f32>
  return
}

// -----

func.func @scan_c1(%x: tensor<4x5xf32>) {
  // expected-error @below {{expected a dim in [0, 2), got 2}}
  %0 = td.scan sum %x dim 2 : tensor<4x5xf32>
  return
}

// -----

func.func @scan_c2(%x: tensor<4x5xf32>) {
  // expected-error @below {{expected 'sum' or 'prod', got 'max'}}
  %0 = td.scan max %x dim 0 : tensor<4x5xf32>
  return
}

// -----

func.func @logsumexp_c1(%x: tensor<4x5xf32>) {
  // expected-error @below {{expected ascending dims, got [1, 0]}}
  %0 = td.logsumexp %x [1, 0] : tensor<4x5xf32> to tensor<f32>
  return
}

// -----

func.func @logsumexp_c2(%x: tensor<4x5xf32>) {
  // expected-error @below {{expected result of shape [4], got [5]}}
  %0 = td.logsumexp %x [1] : tensor<4x5xf32> to tensor<5xf32>
  return
}
