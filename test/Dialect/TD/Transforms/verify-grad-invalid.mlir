// RUN: tdc-opt %s --td-verify-grad --split-input-file --verify-diagnostics

func.func @grad(%x: tensor<f32>) -> tensor<f32> {
  // expected-error @below {{'td.grad' op expected none after td-grad}}
  %g = td.grad %x wrt(%x) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %g : tensor<f32>
}

// -----

func.func @backward(%x: tensor<f32>) {
  // expected-error @below {{'td.backward' op expected none after td-grad}}
  td.backward %x [] into [] : tensor<f32>
  return
}

// -----

func.func @detach(%x: tensor<f32>) -> tensor<f32> {
  // expected-error @below {{'td.detach' op expected none after td-grad}}
  %y = td.detach %x : tensor<f32>
  return %y : tensor<f32>
}

// -----

func.func @round_gradient(%x: tensor<f32>) -> tensor<f32> {
  // expected-error @below {{'td.round_gradient' op expected none after td-grad}}
  %y = td.round_gradient %x to bf16 : tensor<f32>
  return %y : tensor<f32>
}
