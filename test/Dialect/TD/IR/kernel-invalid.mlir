// RUN: tdc-opt %s --split-input-file --verify-diagnostics

func.func @kernel_c1(%x: tensor<4xf32>) {
  // expected-error @below {{expected block arguments of the inputs' types, 'tensor<4xf32>', got 'tensor<5xf32>'}}
  %0 = td.kernel(%x) : (tensor<4xf32>) -> tensor<5xf32> {
  ^bb0(%a: tensor<5xf32>):
    td.yield %a : tensor<5xf32>
  }
  return
}

// -----

func.func @kernel_c2(%x: tensor<4xf32>) {
  // expected-error @below {{expected to yield the results' types, 'tensor<5xf32>', got 'tensor<4xf32>'}}
  %0 = td.kernel(%x) : (tensor<4xf32>) -> tensor<5xf32> {
  ^bb0(%a: tensor<4xf32>):
    // expected-note @below {{yielded here}}
    td.yield %a : tensor<4xf32>
  }
  return
}

// -----

func.func @kernel_c2_end(%x: tensor<4xf32>) {
  // expected-error @below {{expected td.yield at the end, got 'func.return'}}
  "td.kernel"() <{operandSegmentSizes = array<i32: 0, 0>}> ({
    "func.return"() : () -> ()
  }) : () -> ()
  return
}

// -----

func.func @kernel_c3(%x: tensor<?xf32>) {
  // expected-error @below {{expected compute ops, stages and constants only, got 'td.dim'}}
  td.kernel(%x) : (tensor<?xf32>) -> () {
  ^bb0(%a: tensor<?xf32>):
    %c0 = arith.constant 0.0 : f64
    // expected-note @below {{this op}}
    %n = td.dim %a, 0 : tensor<?xf32>
    td.yield
  }
  return
}

// -----

func.func @kernel_c4(%s: !td.str) {
  // expected-error @below {{expected tensors, i64, f64 and i1 as inputs, but input 0 is '!td.str'}}
  td.kernel(%s) : (!td.str) -> () {
  ^bb0(%a: !td.str):
    td.yield
  }
  return
}

// -----

func.func @kernel_c5(%x: tensor<?xf32>) {
  // expected-error @below {{expected one size per '?' of the result, 1, got 0}}
  %0 = td.kernel(%x) : (tensor<?xf32>) -> tensor<?xf32> {
  ^bb0(%a: tensor<?xf32>):
    td.yield %a : tensor<?xf32>
  }
  return
}

// -----

td.slot @w param "w" of "m" : tensor<4xf32>
func.func @launch_c1(%x: tensor<4xf32>) {
  // expected-error @below {{expected @w to be a function or a td.gpu_kernel}}
  %0 = td.launch @w(%x) in_place [] : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func private @k()
func.func @launch_c2(%x: i32) {
  // expected-error @below {{expected tensors, i64, f64 and i1 as inputs, but input 0 is 'i32'}}
  %0 = td.launch @k(%x) in_place [] : (i32) -> tensor<4xf32>
  return
}

// -----

func.func private @k()
func.func @launch_c3(%x: tensor<4xf32>) {
  // expected-error @below {{expected one size per '?' of the result, 1, got 0}}
  %0 = td.launch @k(%x) in_place [] : (tensor<4xf32>) -> tensor<?xf32>
  return
}

// -----

func.func private @k()
func.func @launch_c4_pairs(%x: tensor<4xf32>) {
  // expected-error @below {{expected pairs of an input and a result in in_place}}
  %0 = td.launch @k(%x) in_place [0] : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func private @k()
func.func @launch_c4_range(%x: tensor<4xf32>) {
  // expected-error @below {{expected in_place to name inputs and results, got 0 and 1}}
  %0 = td.launch @k(%x) in_place [0, 1] : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func private @k()
func.func @launch_c4_scalar(%x: f64) {
  // expected-error @below {{expected tensors in in_place, but input 0 is 'f64'}}
  %0 = td.launch @k(%x) in_place [0, 0] : (f64) -> tensor<4xf32>
  return
}

// -----

func.func private @k()
func.func @launch_c4_bytes(%x: tensor<4xf32>) {
  // expected-error @below {{expected in_place tensors of equal size in bytes, got 'tensor<4xf32>' and 'tensor<4xf64>'}}
  %0 = td.launch @k(%x) in_place [0, 0] : (tensor<4xf32>) -> tensor<4xf64>
  return
}

// -----

func.func private @k()
func.func @launch_c5_function(%x: tensor<4xf32>, %n: i64) {
  // expected-error @below {{expected work with the blocks of a function, and only there}}
  %0 = td.launch @k(%x) blocks(%n) in_place [] : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func private @k()
func.func @launch_c5_work(%x: tensor<4xf32>) {
  // expected-error @below {{expected work with the blocks of a function, and only there}}
  %0 = td.launch @k(%x) work 10 in_place [] : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

td.gpu_kernel @k threads 32 shared 0 parameters 3
func.func @launch_c5_gpu(%x: tensor<4xf32>) {
  // expected-error @below {{expected blocks for a td.gpu_kernel}}
  %0 = td.launch @k(%x) in_place [] : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func private @k()
func.func @launch_c6(%x: tensor<4xf32>) {
  // expected-error @below {{expected starts_as to be a pair of in_place}}
  %0 = td.launch @k(%x) in_place [] starts_as [0, 0] : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @stage_c1(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = td.kernel(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    // expected-error @below {{'td.stage' op expected 2 layouts, got 1}}
    %b, %c = td.stage %a, %a {layouts = [array<i64: 0>]} : tensor<4xf32>, tensor<4xf32>
    td.yield %b : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}
