// RUN: tdc-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{expected a tensor of a td dtype with static sizes, got 'tensor<?xf32>'}}
td.slot @slot_c1 param "w" of "m" : tensor<?xf32>

// -----

// expected-error @below {{expected a tensor of a td dtype with static sizes, got 'i64'}}
td.slot @slot_c1_type param "w" of "m" : i64

// -----

// expected-error @below {{expected a tensor of a td dtype with static sizes, got 'tensor<2xui4>'}}
td.slot @slot_c1_dtype param "w" of "m" : tensor<2xui4>

// -----

// expected-error @below {{expected a key for the alias "m.v", got 1 : i64}}
td.slot @slot_c2 param "w" of "m" {aliases = {m.v = 1}} : tensor<2xf32>

// -----

// expected-note @below {{it is a 'func.func'}}
func.func @read_c1() {
  // expected-error @below {{expected @read_c1 to be a td.slot}}
  %0 = td.read @read_c1 : tensor<4xf32>
  return
}

// -----

// expected-note @below {{declared here}}
td.slot @w param "w" of "m" : tensor<4xf32>
func.func @read_c2() {
  // expected-error @below {{expected the shape and dtype of @w, 'tensor<4xf32>', got 'tensor<4xf64>'}}
  %0 = td.read @w : tensor<4xf64>
  return
}

// -----

func.func @write_c1(%x: tensor<4xf32>) {
  // expected-error @below {{expected @missing to be a td.slot}}
  td.write %x, @missing : tensor<4xf32>
  return
}

// -----

// expected-note @below {{declared here}}
td.slot @w param "w" of "m" : tensor<4xf32>
func.func @write_c2(%x: tensor<?xf32>) {
  // expected-error @below {{expected the shape and dtype of @w, 'tensor<4xf32>', got 'tensor<?xf32>'}}
  td.write %x, @w : tensor<?xf32>
  return
}

// -----

func.func @grad_c1(%x: tensor<4xf32>) {
  // expected-error @below {{expected a 0-d target, got 'tensor<4xf32>'}}
  %0 = td.grad %x wrt(%x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @grad_c2(%l: tensor<f32>, %x: tensor<4xf32>) {
  // expected-error @below {{expected results of the types of wrt, 'tensor<4xf32>', got 'tensor<5xf32>'}}
  %0 = td.grad %l wrt(%x) : (tensor<f32>, tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----

td.slot @w param "w" of "m" : tensor<4xf32>
func.func @backward_c1(%x: tensor<4xf32>) {
  // expected-error @below {{expected a 0-d target, got 'tensor<4xf32>'}}
  td.backward %x [@w] into [@w] : tensor<4xf32>
  return
}

// -----

td.slot @w param "w" of "m" : tensor<4xf32>
func.func @backward_c2(%l: tensor<f32>) {
  // expected-error @below {{expected a gradient per parameter, got 0 for 1}}
  td.backward %l [@w] into [] : tensor<f32>
  return
}

// -----

td.slot @w param "w" of "m" : tensor<4xf32>
// expected-note @below {{declared here}}
td.slot @g grad "grad.w" of "m" : tensor<5xf32>
func.func @backward_c3(%l: tensor<f32>) {
  // expected-error @below {{expected the shape and dtype of @g, 'tensor<5xf32>', got 'tensor<4xf32>'}}
  td.backward %l [@w] into [@g] : tensor<f32>
  return
}

// -----

func.func @round_gradient_c1(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{expected f16 or bf16 of a wider dtype, got 'f64' of 'f32'}}
  %y = td.round_gradient %x to f64 : tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @round_gradient_of_narrow(%x: tensor<4xf16>) -> tensor<4xf16> {
  // expected-error @below {{expected f16 or bf16 of a wider dtype, got 'bf16' of 'f16'}}
  %y = td.round_gradient %x to bf16 : tensor<4xf16>
  return %y : tensor<4xf16>
}
