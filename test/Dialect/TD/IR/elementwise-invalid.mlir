// RUN: tdc-opt %s --split-input-file --verify-diagnostics

func.func @unary_c1(%a: tensor<?xf32>) {
  // expected-error @below {{expected all tensors of one shape, got [?] and [4]}}
  %0 = "td.exp"(%a) : (tensor<?xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @unary_dtype(%a: tensor<4xi32>) {
  // expected-error @below {{operand #0 must be float tensor at a td place or free, but got 'tensor<4xi32>'}}
  %0 = td.exp %a : tensor<4xi32>
  return
}

// -----

func.func @shift_dtype(%a: tensor<4xi1>) {
  // expected-error @below {{operand #0 must be integer tensor at a td place or free, but got 'tensor<4xi1>'}}
  %0 = td.shl %a, %a : tensor<4xi1>
  return
}

// -----

func.func @unsigned_dtype(%a: tensor<4xui4>) {
  // expected-error @below {{operand #0 must be number tensor at a td place or free, but got 'tensor<4xui4>'}}
  %0 = td.neg %a : tensor<4xui4>
  return
}

// -----

func.func @binary_c1(%a: tensor<4xf32>, %b: tensor<4xf64>) {
  // expected-error @below {{requires the same type for all operands and results}}
  %0 = "td.add"(%a, %b) : (tensor<4xf32>, tensor<4xf64>) -> tensor<4xf32>
  return
}

// -----

func.func @compare_c1(%a: tensor<4xf32>) {
  // expected-error @below {{expected all tensors of one shape, got [4] and [5]}}
  %0 = td.compare eq %a, %a : tensor<4xf32> -> tensor<5xi1>
  return
}

// -----

func.func @select_c1(%c: tensor<?xi1>, %a: tensor<4xf32>) {
  // expected-error @below {{expected all tensors of one shape, got [?] and [4]}}
  %0 = td.select %c, %a, %a : tensor<?xi1>, tensor<4xf32>
  return
}
