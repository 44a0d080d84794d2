// RUN: tdc-opt %s --td-to-runtime --split-input-file --verify-diagnostics

func.func @main() {
  %x = td.constant dense<1.0> : tensor<2xf32>
  // expected-error @below {{'td.neg' op has no lowering to the runtime}}
  %y = td.neg %x : tensor<2xf32>
  return
}

// -----

func.func @main() {
  // expected-error @below {{names no argument of the program}}
  %x = td.arg "n" : i64
  return
}

// -----

func.func @main() {
  %n = arith.constant 1 : i64
  // expected-error @below {{format '.3q': }}
  %s = td.format "{:.3q}" (%n) : i64
  td.print %s
  return
}

// -----

func.func @main() {
  %seed, %call = td.next_random
  // expected-error @below {{makes f32, f64, i32 and i64 only; cast the result}}
  %x = td.random normal %seed, %call : tensor<2xf16>
  return
}
