// RUN: tdc-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{expected 'cpu', 'cuda' or a symbol, got 'gpu'}}
func.func private @device_keyword(tensor<4xf32, #td.dev<gpu>>)

// -----

// expected-error @below {{expected an ordinal >= 0 of a cuda device, got -1 of 'cuda'}}
func.func private @device_c1(tensor<4xf32, #td.dev<cuda, -1>>)

// -----

// expected-error @below {{expected a name for a symbol and for nothing else}}
func.func private @device_c1_name(tensor<4xf32, #td.dev<@"">>)

// -----

func.func @place_of_compute_op(%a: tensor<4xf32, #td.dev<cpu>>) {
  // expected-error @below {{expected all tensors at one place, got 'cpu' and 'free'}}
  %0 = "td.compare"(%a, %a) <{predicate = #td<predicate eq>}> : (tensor<4xf32, #td.dev<cpu>>, tensor<4xf32, #td.dev<cpu>>) -> tensor<4xi1>
  return
}

// -----

func.func @place_of_operands(%a: tensor<4xf32, #td.dev<cuda, 1>>, %b: tensor<4x2xf32, #td.dev<@device>>) {
  // expected-error @below {{expected all tensors at one place, got 'cuda:1' and 'device'}}
  %0 = td.concat %a, %b dim 0 : (tensor<4xf32, #td.dev<cuda, 1>>, tensor<4x2xf32, #td.dev<@device>>) -> tensor<8xf32, #td.dev<cuda, 1>>
  return
}

// -----

func.func @encoding_is_a_place(%a: tensor<4xf32, 1 : i64>) {
  // expected-error @below {{operand #0 must be number tensor at a td place or free, but got}}
  %0 = td.neg %a : tensor<4xf32, 1 : i64>
  return
}

// -----

func.func @dtype(%a: tensor<4xi3>) {
  // expected-error @below {{operand #0 must be number tensor at a td place or free, but got}}
  %0 = td.abs %a : tensor<4xi3>
  return
}

// -----

func.func @to_device_c1(%a: tensor<4xf32>) {
  // expected-error @below {{expected operand and result of one shape and dtype, got 'tensor<4xf32>' and 'tensor<5xf32, #td.dev<cpu>>'}}
  %0 = td.to_device %a : tensor<4xf32> to tensor<5xf32, #td.dev<cpu>>
  return
}

// -----

func.func @cast_c1(%a: tensor<4x?xf32>) {
  // expected-error @below {{expected all tensors of one shape, got [4, ?] and [4, 2]}}
  %0 = td.cast %a : tensor<4x?xf32> to tensor<4x2xi32>
  return
}
