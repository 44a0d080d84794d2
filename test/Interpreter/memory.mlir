// The most that was on each device at one time is counted.
// RUN: split-file %s %t
// RUN: tdc-interpret %t/uses.mlir --transfers %t/uses.json
// RUN: FileCheck %s --check-prefix=USES < %t/uses.json
// RUN: tdc-interpret %t/loop.mlir --transfers %t/loop.json
// RUN: FileCheck %s --check-prefix=LOOP < %t/loop.json
// RUN: tdc-interpret %t/slots.mlir --transfers %t/slots.json
// RUN: FileCheck %s --check-prefix=SLOTS < %t/slots.json
// RUN: tdc-interpret %t/handles.mlir --transfers %t/handles.json
// RUN: FileCheck %s --check-prefix=HANDLES < %t/handles.json

//--- uses.mlir
#cpu = #td.dev<cpu>
#gpu = #td.dev<cuda, 0>
// A value is there until its last use: at most %b, %c and %d.
// USES: "peak":{"cpu":16,"cuda:0":48}
func.func @main() {
  %x = td.constant dense<1.0> : tensor<4xf32, #cpu>
  %a = td.to_device %x : tensor<4xf32, #cpu> to tensor<4xf32, #gpu>
  %b = td.sin %a : tensor<4xf32, #gpu>
  %c = td.sin %b : tensor<4xf32, #gpu>
  %d = td.add %b, %c : tensor<4xf32, #gpu>
  %e = td.sin %d : tensor<4xf32, #gpu>
  return
}

//--- loop.mlir
#gpu = #td.dev<cuda, 0>
// %w in every iteration, with an operand and a result; the value that the loop starts
// from is the loop's.
// LOOP: "peak":{"cuda:0":48}
func.func @main() {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c3 = arith.constant 3 : i64
  %w = td.constant dense<1.0> : tensor<4xf32, #gpu>
  %x = td.constant dense<0.0> : tensor<4xf32, #gpu>
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x) -> (tensor<4xf32, #gpu>) : i64 {
    %b = td.add %a, %w : tensor<4xf32, #gpu>
    %c = td.sin %b : tensor<4xf32, #gpu>
    %d = td.sin %c : tensor<4xf32, #gpu>
    scf.yield %d : tensor<4xf32, #gpu>
  }
  %s = td.sin %r : tensor<4xf32, #gpu>
  return
}

//--- slots.mlir
#gpu = #td.dev<cuda, 0>
// Two slots from the start, a value that is written, and an old one that is still
// needed.
// SLOTS: "peak":{"cuda:0":64}
td.slot @u buffer "u" of "m" : tensor<4xf32, #gpu>
td.slot @v buffer "v" of "m" : tensor<4xf32, #gpu>
func.func @main() {
  %a = td.read @u : tensor<4xf32, #gpu>
  %b = td.cos %a : tensor<4xf32, #gpu>
  td.write %b, @u : tensor<4xf32, #gpu>
  %old = td.read @u : tensor<4xf32, #gpu>
  %c = td.sin %old : tensor<4xf32, #gpu>
  td.write %c, @u : tensor<4xf32, #gpu>
  %d = td.sin %old : tensor<4xf32, #gpu>
  return
}

//--- handles.mlir
#cpu = #td.dev<cpu>
#gpu = #td.dev<cuda, 0>
// The replica stays as long as the handle.
// HANDLES: "peak":{"cpu":16,"cuda:0":48}
func.func @main() {
  %x = td.constant dense<1.0> : tensor<4xf32, #cpu>
  %h = td.handle %x : tensor<4xf32, #cpu> -> !td.handle<tensor<4xf32>>
  %a = td.replica_get %h : !td.handle<tensor<4xf32>> -> tensor<4xf32, #gpu>
  %b = td.sin %a : tensor<4xf32, #gpu>
  %c = td.sin %b : tensor<4xf32, #gpu>
  %d = td.replica_get %h : !td.handle<tensor<4xf32>> -> tensor<4xf32, #gpu>
  %e = td.sin %d : tensor<4xf32, #gpu>
  return
}
