// RUN: tdc-opt %s --split-input-file --td-verify-placement --verify-diagnostics

#cpu = #td.dev<cpu>
#gpu = #td.dev<cuda, 0>

func.func @no_device(%x: tensor<4xf32, #cpu>) {
  %one = arith.constant 1.0 : f64
  // expected-error @below {{has a tensor without a device: 'tensor<4xf32>'}}
  %f = td.fill %one : f64 -> tensor<4xf32>
  return
}

// -----

func.func @symbol(%x: tensor<4xf32, #td.dev<@device>>) {
  // expected-error @below {{has a tensor without a device: 'tensor<4xf32, #td.dev<@device>>'}}
  %y = td.sin %x : tensor<4xf32, #td.dev<@device>>
  return
}

// -----

func.func @host(%x: tensor<4xf32, #td.dev<cuda, 0>>) {
  // expected-error @below {{at cpu has a tensor at cuda:0}}
  %text = td.format "{}"(%x) : tensor<4xf32, #td.dev<cuda, 0>>
  return
}

// -----

func.func @item(%x: tensor<f32, #td.dev<cuda, 0>>) {
  // expected-error @below {{at cpu has a tensor at cuda:0}}
  %i = td.item %x : tensor<f32, #td.dev<cuda, 0>> -> f64
  return
}

// -----

func.func @file(%x: tensor<4xf32, #td.dev<cuda, 0>>, %path: !td.str) {
  // expected-error @below {{at cpu has a tensor at cuda:0}}
  td.save_tensor %path, %x : tensor<4xf32, #td.dev<cuda, 0>>
  return
}

// -----

func.func @load(%path: !td.str) {
  // expected-error @below {{at cpu has a tensor at cuda:1}}
  %x = td.load %path : tensor<4xf32, #td.dev<cuda, 1>>
  return
}

// -----

td.slot @w param "w" of "m" : tensor<4xf32, #td.dev<cpu>>
func.func @read() {
  // expected-error @below {{expected the type of @w, 'tensor<4xf32, #td.dev<cpu>>', got 'tensor<4xf32, #td.dev<cuda, 0>>'}}
  %w = td.read @w : tensor<4xf32, #td.dev<cuda, 0>>
  return
}

// -----

td.slot @w param "w" of "m" : tensor<4xf32, #td.dev<cpu>>
func.func @write(%x: tensor<4xf32, #td.dev<cuda, 0>>) {
  // expected-error @below {{expected the type of @w, 'tensor<4xf32, #td.dev<cpu>>', got 'tensor<4xf32, #td.dev<cuda, 0>>'}}
  td.write %x, @w : tensor<4xf32, #td.dev<cuda, 0>>
  return
}

// -----

td.slot @w param "w" of "m" : tensor<4xf32, #td.dev<cuda, 0>>
func.func @save(%path: !td.str) {
  // expected-error @below {{expected a slot on the cpu, got @w}}
  td.save %path [@w] as ["w"] []
  return
}

// -----

td.slot @w param "w" of "m" : tensor<4xf32, #td.dev<cuda, 0>>
func.func @restore(%path: !td.str) {
  // expected-error @below {{expected a slot on the cpu, got @w}}
  td.restore %path [@w] as ["w"]
  return
}

// -----

td.slot @w param "w" of "m" : tensor<4xf32, #td.dev<cuda, 0>>
func.func @move() {
  // expected-error @below {{moves what has its place}}
  td.move @w to <cuda, 0>
  return
}
