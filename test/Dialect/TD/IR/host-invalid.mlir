// RUN: tdc-opt %s --split-input-file --verify-diagnostics

func.func @dim_c1(%x: tensor<4xf32>) {
  // expected-error @below {{expected a dim in [0, 1), got 1}}
  %0 = td.dim %x, 1 : tensor<4xf32>
  return
}

// -----

func.func @item_c1(%x: tensor<1x4xf32>) {
  // expected-error @below {{expected one element, got 'tensor<1x4xf32>'}}
  %0 = td.item %x : tensor<1x4xf32> -> f64
  return
}

// -----

func.func @item_c2(%x: tensor<1xi8>) {
  // expected-error @below {{expected f64 for floats, i64 for integers, i1 for bool, got 'f64' for 'tensor<1xi8>'}}
  %0 = td.item %x : tensor<1xi8> -> f64
  return
}

// -----

func.func @format_c1(%v: f64) {
  // expected-error @below {{expected a value per placeholder, 2, got 1}}
  %0 = td.format "{} of {:.4f} {{x}}"(%v) : f64
  return
}

// -----

func.func @format_c1_open() {
  // expected-error @below {{expected braces to pair up, got a single '{' in the template}}
  %0 = td.format "{{ {"
  return
}

// -----

func.func @format_c1_close() {
  // expected-error @below {{expected braces to pair up, got a single '}' in the template}}
  %0 = td.format "x}"
  return
}

// -----

td.slot @w param "w" of "m" : tensor<4xf32>
func.func @save_c1(%path: !td.str) {
  // expected-error @below {{expected a key per slot, got 2 for 1}}
  td.save %path [@w] as ["a", "b"] []
  return
}

// -----

func.func @save_c2(%path: !td.str, %e: i64) {
  // expected-error @below {{expected a name per value, got 0 for 1}}
  td.save %path [] as [] full [](%e) : i64
  return
}

// -----

func.func @save_c3(%path: !td.str) {
  // expected-error @below {{expected @w to be a td.slot}}
  td.save %path [@w] as ["w"] []
  return
}

// -----

td.slot @w param "w" of "m" : tensor<4xf32>
func.func @save_c4(%path: !td.str) {
  // expected-error @below {{expected a key for the alias "head.w", got "v"}}
  td.save %path [@w] as ["w"] [] {aliases = {head.w = "v"}}
  return
}

// -----

td.slot @w param "w" of "m" : tensor<4xf32>
func.func @restore_c1(%path: !td.str) {
  // expected-error @below {{expected a key per slot, got 0 for 1}}
  td.restore %path [@w] as []
  return
}

// -----

func.func @restore_c2(%path: !td.str) {
  // expected-error @below {{expected @w to be a td.slot}}
  td.restore %path [@w] as ["w"]
  return
}

// -----

td.slot @w param "w" of "m" : tensor<4xf32>
func.func @restore_c3(%path: !td.str) {
  // expected-error @below {{expected a key for the alias "head.w", got 1 : i64}}
  td.restore %path [@w] as ["w"] {aliases = {head.w = 1}}
  return
}

// -----

func.func @pick_text_c1(%i: i64) -> !td.str {
  // expected-error @below {{expected texts}}
  %text = td.pick_text %i of []
  return %text : !td.str
}
