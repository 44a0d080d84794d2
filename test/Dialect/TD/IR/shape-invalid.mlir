// RUN: tdc-opt %s --split-input-file --verify-diagnostics

func.func @constant_c1() {
  // expected-error @below {{failed to verify that all of {value, result} have same type}}
  %0 = "td.constant"() <{value = dense<1.0> : tensor<2xf32>}> : () -> tensor<2xf32, #td.dev<cpu>>
  return
}

// -----

func.func @fill_c1(%v: f64, %n: i64) {
  // expected-error @below {{expected one size per '?' of the result, 2, got 1}}
  %0 = td.fill %v sizes(%n) : f64 -> tensor<?x4x?xf32>
  return
}

// -----

func.func @iota_c1(%i: i64) {
  // expected-error @below {{expected a result of rank 1, got 'tensor<2x2xi64>'}}
  %0 = td.iota %i, %i : i64 -> tensor<2x2xi64>
  return
}

// -----

func.func @iota_c2(%i: i64) {
  // expected-error @below {{expected start and step of type f64 for 'tensor<2xf32>', got 'i64'}}
  %0 = td.iota %i, %i : i64 -> tensor<2xf32>
  return
}

// -----

func.func @iota_c3(%i: i64) {
  // expected-error @below {{expected one size per '?' of the result, 0, got 1}}
  %0 = td.iota %i, %i sizes(%i) : i64 -> tensor<2xi64>
  return
}

// -----

func.func @random_c1(%i: i64) {
  // expected-error @below {{expected a float result for 'normal', got 'tensor<2xi64>'}}
  %0 = td.random normal %i, %i : tensor<2xi64>
  return
}

// -----

func.func @random_c1_randint(%i: i64) {
  // expected-error @below {{expected an integer result for 'randint', got 'tensor<2xf32>'}}
  %0 = td.random randint %i, %i bounds(%i, %i) : tensor<2xf32>
  return
}

// -----

func.func @random_c1_permutation(%i: i64) {
  // expected-error @below {{expected an i64 result of rank 1 for 'permutation', got 'tensor<2x2xi64>'}}
  %0 = td.random permutation %i, %i : tensor<2x2xi64>
  return
}

// -----

func.func @random_c2(%i: i64) {
  // expected-error @below {{expected 2 bounds for 'randint', got 0}}
  %0 = td.random randint %i, %i : tensor<2xi64>
  return
}

// -----

func.func @random_c3(%i: i64) {
  // expected-error @below {{expected one size per '?' of the result, 1, got 0}}
  %0 = td.random uniform %i, %i : tensor<?xf32>
  return
}

// -----

func.func @broadcast_c1(%x: tensor<4x3xf32>) {
  // expected-error @below {{expected every operand dim, from the right, to be 1 or the result's, got [4, 3] to [2, 5, 3]}}
  %0 = td.broadcast %x : tensor<4x3xf32> to tensor<2x5x3xf32>
  return
}

// -----

func.func @broadcast_c2(%x: tensor<?x3xf32>) {
  // expected-error @below {{expected one size per '?' of the result, 1, got 0}}
  %0 = td.broadcast %x : tensor<?x3xf32> to tensor<2x?x3xf32>
  return
}

// -----

func.func @broadcast_c3(%x: tensor<3xf32>) {
  // expected-error @below {{expected result of dtype f32, got f64}}
  %0 = td.broadcast %x : tensor<3xf32> to tensor<2x3xf64>
  return
}

// -----

func.func @reshape_c1(%x: tensor<4x3xf32>) {
  // expected-error @below {{expected equal numbers of elements, got [4, 3] and [13]}}
  %0 = td.reshape %x : tensor<4x3xf32> to tensor<13xf32>
  return
}

// -----

func.func @reshape_c1_run_time(%x: tensor<4x3xf32>, %n: i64) {
  // expected-error @below {{expected equal numbers of elements, got [4, 3] and [?, 5]}}
  %0 = td.reshape %x sizes(%n) : tensor<4x3xf32> to tensor<?x5xf32>
  return
}

// -----

func.func @reshape_c2(%x: tensor<4x3xf32>) {
  // expected-error @below {{expected one size per '?' of the result, 1, got 0}}
  %0 = td.reshape %x : tensor<4x3xf32> to tensor<?xf32>
  return
}

// -----

func.func @reshape_c3(%x: tensor<4xf32>) {
  // expected-error @below {{expected result of dtype f32, got i32}}
  %0 = td.reshape %x : tensor<4xf32> to tensor<2x2xi32>
  return
}

// -----

func.func @permute_c1(%x: tensor<4x3xf32>) {
  // expected-error @below {{expected a permutation of the 2 dims of the operand, got [1, 1]}}
  %0 = td.permute %x [1, 1] : tensor<4x3xf32> to tensor<3x3xf32>
  return
}

// -----

func.func @permute_c2(%x: tensor<4x3xf32>) {
  // expected-error @below {{expected result of shape [3, 4], got [4, 3]}}
  %0 = td.permute %x [1, 0] : tensor<4x3xf32> to tensor<4x3xf32>
  return
}

// -----

func.func @permute_c3(%x: tensor<4x3xf32>) {
  // expected-error @below {{expected result of dtype f32, got bf16}}
  %0 = td.permute %x [1, 0] : tensor<4x3xf32> to tensor<3x4xbf16>
  return
}

// -----

func.func @slice_c1(%x: tensor<4x3xf32>, %i: i64) {
  // expected-error @below {{expected a step >= 1, got 0}}
  %0 = td.slice %x[%i] dim 0 step 0 : tensor<4x3xf32> to tensor<2x3xf32>
  return
}

// -----

func.func @slice_c1_dim(%x: tensor<4x3xf32>, %i: i64) {
  // expected-error @below {{expected a dim in [0, 2), got 2}}
  %0 = td.slice %x[%i] dim 2 step 1 : tensor<4x3xf32> to tensor<2x3xf32>
  return
}

// -----

func.func @slice_c2(%x: tensor<4x3xf32>, %i: i64) {
  // expected-error @below {{expected result of shape [2, 3], got [2, 2]}}
  %0 = td.slice %x[%i] dim 0 step 1 : tensor<4x3xf32> to tensor<2x2xf32>
  return
}

// -----

func.func @slice_c3(%x: tensor<?x?xf32>, %i: i64) {
  // expected-error @below {{expected one size per '?' of the result, 2, got 1}}
  %0 = td.slice %x[%i] dim 0 step 1 sizes(%i) : tensor<?x?xf32> to tensor<?x?xf32>
  return
}

// -----

func.func @slice_c4(%x: tensor<4x3xf32>, %i: i64) {
  // expected-error @below {{expected result of dtype f32, got f64}}
  %0 = td.slice %x[%i] dim 0 step 1 : tensor<4x3xf32> to tensor<2x3xf64>
  return
}

// -----

func.func @slice_c5(%x: tensor<10xf32>) {
  %i = arith.constant 1 : i64
  // expected-error @below {{expected at most 10 elements, got a slice over 13}}
  %0 = td.slice %x[%i] dim 0 step 3 : tensor<10xf32> to tensor<5xf32>
  return
}

// -----

func.func @update_slice_c1(%x: tensor<4xf32>, %i: i64) {
  // expected-error @below {{expected a dim in [0, 1), got -1}}
  %0 = td.update_slice %x, %x[%i] dim -1 step 1 : tensor<4xf32>, tensor<4xf32>
  return
}

// -----

func.func @update_slice_c2(%x: tensor<4x3xf32>, %u: tensor<3xf32>, %i: i64) {
  // expected-error @below {{expected update of shape [?, 3], got [3]}}
  %0 = td.update_slice %x, %u[%i] dim 0 step 1 : tensor<4x3xf32>, tensor<3xf32>
  return
}

// -----

func.func @update_slice_c2_dtype(%x: tensor<4xf32>, %u: tensor<2xf64>, %i: i64) {
  // expected-error @below {{expected update of dtype f32, got f64}}
  %0 = td.update_slice %x, %u[%i] dim 0 step 1 : tensor<4xf32>, tensor<2xf64>
  return
}

// -----

func.func @concat_c1() {
  // expected-error @below {{expected one input or more}}
  %0 = "td.concat"() <{dim = 0 : i64}> : () -> tensor<4xf32>
  return
}

// -----

func.func @concat_c1_dim(%x: tensor<4xf32>) {
  // expected-error @below {{expected a dim in [0, 1), got 1}}
  %0 = td.concat %x, %x dim 1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @concat_c2(%x: tensor<4xf32>, %y: tensor<4x1xf32>) {
  // expected-error @below {{expected inputs of rank 1, got 'tensor<4x1xf32>'}}
  %0 = td.concat %x, %y dim 0 : (tensor<4xf32>, tensor<4x1xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @concat_c2_dtype(%x: tensor<4xf32>, %y: tensor<4xi8>) {
  // expected-error @below {{expected input of dtype f32, got i8}}
  %0 = td.concat %x, %y dim 0 : (tensor<4xf32>, tensor<4xi8>) -> tensor<8xf32>
  return
}

// -----

func.func @concat_c3(%x: tensor<4x3xf32>, %y: tensor<4x2xf32>) {
  // expected-error @below {{expected input of shape [4, 3], got [4, 2]}}
  %0 = td.concat %x, %y dim 0 : (tensor<4x3xf32>, tensor<4x2xf32>) -> tensor<8x3xf32>
  return
}

// -----

func.func @concat_c4(%x: tensor<4x3xf32>) {
  // expected-error @below {{expected result of shape [8, 3], got [9, 3]}}
  %0 = td.concat %x, %x dim 0 : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<9x3xf32>
  return
}

// -----

func.func @gather_c1(%x: tensor<9x3xf32>, %i: tensor<2xi64>) {
  // expected-error @below {{expected a dim in [0, 2), got 2}}
  %0 = td.gather %x, %i dim 2 : tensor<9x3xf32>, tensor<2xi64> -> tensor<9x3xf32>
  return
}

// -----

func.func @gather_c2(%x: tensor<9x3xf32>, %i: tensor<2x4xi64>) {
  // expected-error @below {{expected result of shape [9, 2, 4], got [2, 4, 9]}}
  %0 = td.gather %x, %i dim 1 : tensor<9x3xf32>, tensor<2x4xi64> -> tensor<2x4x9xf32>
  return
}

// -----

func.func @gather_c3(%x: tensor<9xf32>, %i: tensor<2xi64>) {
  // expected-error @below {{expected result of dtype f32, got f16}}
  %0 = td.gather %x, %i dim 0 : tensor<9xf32>, tensor<2xi64> -> tensor<2xf16>
  return
}

// -----

func.func @scatter_add_c1(%x: tensor<9xf32>, %i: tensor<2xi64>, %u: tensor<2xf32>) {
  // expected-error @below {{expected a dim in [0, 1), got 1}}
  %0 = td.scatter %x, %i, %u dim 1 combine sum : tensor<9xf32>, tensor<2xi64>, tensor<2xf32>
  return
}

// -----

func.func @scatter_add_c2(%x: tensor<9x3xf32>, %i: tensor<2xi64>, %u: tensor<2xf32>) {
  // expected-error @below {{expected updates of shape [2, 3], got [2]}}
  %0 = td.scatter %x, %i, %u dim 0 combine sum : tensor<9x3xf32>, tensor<2xi64>, tensor<2xf32>
  return
}

// -----

func.func @scatter_c4(%x: tensor<9xi1>, %i: tensor<2xi64>, %u: tensor<2xi1>) {
  // expected-error @below {{combines bools by any or all, numbers by another kind}}
  %0 = td.scatter %x, %i, %u dim 0 combine sum : tensor<9xi1>, tensor<2xi64>, tensor<2xi1>
  return
}

// -----

func.func @scatter_along_c4(%x: tensor<9xf32>, %i: tensor<1xi64>, %u: tensor<1xf32>) {
  // expected-error @below {{combines bools by any or all, numbers by another kind}}
  %0 = td.scatter_along %x, %i, %u dim 0 combine any : tensor<9xf32>, tensor<1xi64>, tensor<1xf32>
  return
}

// -----

func.func @scatter_add_c3(%x: tensor<9xf32>, %i: tensor<2xi64>, %u: tensor<2xi32>) {
  // expected-error @below {{expected updates of dtype f32, got i32}}
  %0 = td.scatter %x, %i, %u dim 0 combine sum : tensor<9xf32>, tensor<2xi64>, tensor<2xi32>
  return
}

// -----

func.func @gather_along_c1(%x: tensor<9x3xf32>, %i: tensor<9x1xi64>) {
  // expected-error @below {{expected a dim in [0, 2), got 2}}
  %0 = td.gather_along %x, %i dim 2 : tensor<9x3xf32>, tensor<9x1xi64> -> tensor<9x1xf32>
  return
}

// -----

func.func @gather_along_c2(%x: tensor<9x3xf32>, %i: tensor<8x1xi64>) {
  // expected-error @below {{expected indices of shape [9, 1], got [8, 1]}}
  %0 = td.gather_along %x, %i dim 1 : tensor<9x3xf32>, tensor<8x1xi64> -> tensor<8x1xf32>
  return
}

// -----

func.func @gather_along_c3(%x: tensor<9x3xf32>, %i: tensor<9x1xi64>) {
  // expected-error @below {{expected result of shape [9, 1], got [9]}}
  %0 = td.gather_along %x, %i dim 1 : tensor<9x3xf32>, tensor<9x1xi64> -> tensor<9xf32>
  return
}

// -----

func.func @gather_along_c3_dtype(%x: tensor<9x3xf32>, %i: tensor<9x1xi64>) {
  // expected-error @below {{expected result of dtype f32, got f64}}
  %0 = td.gather_along %x, %i dim 1 : tensor<9x3xf32>, tensor<9x1xi64> -> tensor<9x1xf64>
  return
}

// -----

func.func @scatter_add_along_c1(%x: tensor<9xf32>, %i: tensor<1xi64>, %u: tensor<1xf32>) {
  // expected-error @below {{expected a dim in [0, 1), got -1}}
  %0 = td.scatter_along %x, %i, %u dim -1 combine sum : tensor<9xf32>, tensor<1xi64>, tensor<1xf32>
  return
}

// -----

func.func @scatter_add_along_c2(%x: tensor<9x3xf32>, %i: tensor<9x1xi64>, %u: tensor<9x2xf32>) {
  // expected-error @below {{expected updates of shape [9, 1], got [9, 2]}}
  %0 = td.scatter_along %x, %i, %u dim 1 combine sum : tensor<9x3xf32>, tensor<9x1xi64>, tensor<9x2xf32>
  return
}

// -----

func.func @scatter_add_along_c2_indices(%x: tensor<9x3xf32>, %i: tensor<9xi64>, %u: tensor<9xf32>) {
  // expected-error @below {{expected indices of shape [9, 3], got [9]}}
  %0 = td.scatter_along %x, %i, %u dim 1 combine sum : tensor<9x3xf32>, tensor<9xi64>, tensor<9xf32>
  return
}

// -----

func.func @scatter_add_along_c3(%x: tensor<9xf32>, %i: tensor<1xi64>, %u: tensor<1xf64>) {
  // expected-error @below {{expected updates of dtype f32, got f64}}
  %0 = td.scatter_along %x, %i, %u dim 0 combine sum : tensor<9xf32>, tensor<1xi64>, tensor<1xf64>
  return
}

// -----

func.func @diagonal_c1(%x: tensor<4xf32>, %i: i64) {
  // expected-error @below {{expected at least two dims, got 'tensor<4xf32>'}}
  %0 = td.diagonal %x[%i, %i] : tensor<4xf32> to tensor<4xf32>
  return
}

// -----

func.func @diagonal_c2(%x: tensor<2x4x4xf32>, %i: i64) {
  // expected-error @below {{expected result of shape [2, 4], got [3, 4]}}
  %0 = td.diagonal %x[%i, %i] : tensor<2x4x4xf32> to tensor<3x4xf32>
  return
}

// -----

func.func @diagonal_c3(%x: tensor<?x?xf32>, %i: i64) {
  // expected-error @below {{expected one size per '?' of the result, 1, got 0}}
  %0 = td.diagonal %x[%i, %i] : tensor<?x?xf32> to tensor<?xf32>
  return
}

// -----

func.func @diagonal_c4(%x: tensor<4x4xf32>, %i: i64) {
  // expected-error @below {{expected result of dtype}}
  %0 = td.diagonal %x[%i, %i] : tensor<4x4xf32> to tensor<4xf64>
  return
}

// -----

func.func @diagonal_c5(%x: tensor<4x6xf32>, %i: i64) {
  // expected-error @below {{expected at most 4 elements, got 5}}
  %0 = td.diagonal %x[%i, %i] : tensor<4x6xf32> to tensor<5xf32>
  return
}
