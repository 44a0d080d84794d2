// A tensor that a loop reads on the GPU and does not change is copied once, not
// once per iteration; two tensors take two copies.
// RUN: split-file %s %t
// RUN: tdc-opt %t/one.mlir --td-normalize --td-place | tdc-interpret - --transfers %t/one.json
// RUN: FileCheck %s --check-prefix=ONE < %t/one.json
// RUN: tdc-opt %t/two.mlir --td-normalize --td-place | tdc-interpret - --transfers %t/two.json
// RUN: FileCheck %s --check-prefix=TWO < %t/two.json

//--- one.mlir
#cpu = #td.dev<cpu>
#gpu = #td.dev<cuda, 0>
// ONE: "src":"cpu","dst":"cuda:0","logical":1,"bytes":16
// ONE-SAME: "k0":{"copies":2,
func.func @main() {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c10 = arith.constant 10 : i64
  %xc = td.constant dense<1.0> : tensor<4xf32, #cpu>
  %x = td.exp %xc : tensor<4xf32, #cpu>
  %zero = td.constant dense<0.0> : tensor<4xf32, #gpu>
  %r = scf.for %i = %c0 to %c10 step %c1 iter_args(%a = %zero) -> (tensor<4xf32, #gpu>) : i64 {
    %g = td.to_device %x : tensor<4xf32, #cpu> to tensor<4xf32, #gpu>
    %b = td.add %a, %g : tensor<4xf32, #gpu>
    scf.yield %b : tensor<4xf32, #gpu>
  }
  %h = td.to_device %r : tensor<4xf32, #gpu> to tensor<4xf32, #cpu>
  %t = td.format "{}"(%h) : tensor<4xf32, #cpu>
  td.print %t
  return
}

//--- two.mlir
#cpu = #td.dev<cpu>
#gpu = #td.dev<cuda, 0>
// TWO: "src":"cpu","dst":"cuda:0","logical":2,"bytes":32
// TWO-SAME: "k0":{"copies":3,
func.func @main() {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c10 = arith.constant 10 : i64
  %xc = td.constant dense<1.0> : tensor<4xf32, #cpu>
  %x = td.exp %xc : tensor<4xf32, #cpu>
  %yc = td.constant dense<2.0> : tensor<4xf32, #cpu>
  %y = td.exp %yc : tensor<4xf32, #cpu>
  %zero = td.constant dense<0.0> : tensor<4xf32, #gpu>
  %r = scf.for %i = %c0 to %c10 step %c1 iter_args(%a = %zero) -> (tensor<4xf32, #gpu>) : i64 {
    %g = td.to_device %x : tensor<4xf32, #cpu> to tensor<4xf32, #gpu>
    %h = td.to_device %y : tensor<4xf32, #cpu> to tensor<4xf32, #gpu>
    %p = td.mul %g, %h : tensor<4xf32, #gpu>
    %b = td.add %a, %p : tensor<4xf32, #gpu>
    scf.yield %b : tensor<4xf32, #gpu>
  }
  %h = td.to_device %r : tensor<4xf32, #gpu> to tensor<4xf32, #cpu>
  %t = td.format "{}"(%h) : tensor<4xf32, #cpu>
  td.print %t
  return
}
