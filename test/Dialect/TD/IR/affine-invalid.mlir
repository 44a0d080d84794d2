// RUN: tdc-opt %s --split-input-file --verify-diagnostics

func.func @window_c1(%x: tensor<9xf32>) {
  // expected-error @below {{expected a map from 2 dims and 0 symbols to 1 coordinates, got (d0) -> (d0)}}
  %0 = td.window %x at affine_map<(d0) -> (d0)> : tensor<9xf32> to tensor<4x3xf32>
  return
}

// -----

func.func @window_c1_offsets(%x: tensor<9xf32>, %n: i64) {
  // expected-error @below {{expected a map from 1 dims and 1 symbols to 1 coordinates}}
  %0 = td.window %x[%n] at affine_map<(d0) -> (d0)> : tensor<9xf32> to tensor<9xf32>
  return
}

// -----

func.func @window_c2(%x: tensor<9xf32>) {
  // expected-error @below {{expected sums of multiples in the map, got d0 mod 3}}
  %0 = td.window %x at affine_map<(d0) -> (d0 mod 3)> : tensor<9xf32> to tensor<9xf32>
  return
}

// -----

func.func @window_c2_size(%x: tensor<9x3xf32>) {
  // expected-error @below {{expected the size of d1 in dim 1 of 'tensor<9x3xf32>', of which it is the coordinate, got [2]}}
  %0 = td.window %x at affine_map<(d0, d1) -> (d0, d1)> : tensor<9x3xf32> to tensor<9x2xf32>
  return
}

// -----

func.func @window_c2_diagonal(%x: tensor<3x3xf32>) {
  // expected-error @below {{expected d0 to be one coordinate of the map}}
  %0 = td.window %x at affine_map<(d0) -> (d0, d0)> : tensor<3x3xf32> to tensor<3xf32>
  return
}

// -----

func.func @window_c2_own(%x: tensor<9x9xf32>) {
  // expected-error @below {{expected a dim of the result in d0 * 2 of the map that no other coordinate has}}
  %0 = td.window %x at affine_map<(d0) -> (d0 * 2, d0 + 1)> : tensor<9x9xf32> to tensor<3xf32>
  return
}

// -----

func.func @window_c3(%x: tensor<9xf32>) {
  // expected-error @below {{reads out of range in dim 0 of 'tensor<9xf32>', at d0 * 2 + d1}}
  %0 = td.window %x at affine_map<(d0, d1) -> (d0 * 2 + d1)> : tensor<9xf32> to tensor<4x4xf32>
  return
}

// -----

func.func @window_c3_low(%x: tensor<9xf32>) {
  // expected-error @below {{reads out of range in dim 0 of 'tensor<9xf32>', at -d0 + 7}}
  %0 = td.window %x at affine_map<(d0) -> (-d0 + 7)> : tensor<9xf32> to tensor<9xf32>
  return
}

// -----

func.func @window_c4(%x: tensor<?xf32>) {
  // expected-error @below {{expected one size per '?' of the result, 1, got 0}}
  %0 = td.window %x at affine_map<(d0, d1) -> (d0 + d1)> : tensor<?xf32> to tensor<?x3xf32>
  return
}

// -----

func.func @window_c5(%x: tensor<9xf32>) {
  // expected-error @below {{expected result of dtype}}
  %0 = td.window %x at affine_map<(d0) -> (-d0 + 8)> : tensor<9xf32> to tensor<9xf64>
  return
}

// -----

func.func @inset_c1(%x: tensor<6x9xf32>, %u: tensor<3x3xf32>, %i: i64) {
  // expected-error @below {{expected a low and a step >= 1 for each of 2 dims}}
  %0 = td.inset %x, %u[%i] step [1, 1] : tensor<6x9xf32>, tensor<3x3xf32>
  return
}

// -----

func.func @inset_c2(%x: tensor<6x9xf32>, %u: tensor<3xf32>, %i: i64) {
  // expected-error @below {{expected an update of rank 2, got 'tensor<3xf32>'}}
  %0 = td.inset %x, %u[%i, %i] step [1, 1] : tensor<6x9xf32>, tensor<3xf32>
  return
}

// -----

func.func @inset_c3(%x: tensor<6x9xf32>, %u: tensor<3x3xf32>) {
  %i = arith.constant 4 : i64
  // expected-error @below {{writes out of range in dim 0: from 4 on, each 1, [3] in [6]}}
  %0 = td.inset %x, %u[%i, %i] step [1, 1] : tensor<6x9xf32>, tensor<3x3xf32>
  return
}

// -----

func.func @contract_c1(%x: tensor<9xf32>, %y: tensor<9xf32>) {
  // expected-error @below {{expected maps from the 0 dims of the result and those that are summed over to 1 and 1 coordinates}}
  %0 = td.contract %x, %y at affine_map<(d0) -> (d0)>, affine_map<(d0, d1) -> (d0)> : tensor<9xf32>, tensor<9xf32> -> tensor<f32>
  return
}

// -----

func.func @contract_c3(%x: tensor<9xf32>, %y: tensor<9xf32>) {
  // expected-error @below {{expected a dim to sum over}}
  %0 = td.contract %x, %y at affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)> : tensor<9xf32>, tensor<9xf32> -> tensor<9xf32>
  return
}

// -----

func.func @contract_c3_alone(%x: tensor<9xf32>, %y: tensor<7xf32>) {
  // expected-error @below {{expected a dim of an operand that is summed over d1 alone}}
  %0 = td.contract %x, %y at affine_map<(d0, d1) -> (d0 + d1)>, affine_map<(d0, d1) -> (d0)> : tensor<9xf32>, tensor<7xf32> -> tensor<7xf32>
  return
}

// -----

func.func @contract_c4(%x: tensor<9xf32>, %w: tensor<3xf32>) {
  // expected-error @below {{reads out of range in dim 0 of 'tensor<9xf32>', at d0 + d1}}
  %0 = td.contract %x, %w at affine_map<(d0, d1) -> (d0 + d1)>, affine_map<(d0, d1) -> (d1)> : tensor<9xf32>, tensor<3xf32> -> tensor<8xf32>
  return
}

// -----

func.func @contract_c6(%x: tensor<9xf32>, %w: tensor<3xf64>) {
  // expected-error @below {{expected rhs of dtype}}
  %0 = td.contract %x, %w at affine_map<(d0, d1) -> (d0 + d1)>, affine_map<(d0, d1) -> (d1)> : tensor<9xf32>, tensor<3xf64> -> tensor<7xf32>
  return
}
