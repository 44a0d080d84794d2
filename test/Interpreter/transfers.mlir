// Copies are counted, and so are those that a run cannot do without.
// RUN: split-file %s %t
// RUN: tdc-interpret %t/counts.mlir --transfers %t/counts.json
// RUN: FileCheck %s --check-prefix=COUNTS < %t/counts.json
// RUN: tdc-interpret %t/handles.mlir --transfers %t/handles.json
// RUN: FileCheck %s --check-prefix=HANDLES < %t/handles.json
// RUN: tdc-interpret %t/slots.mlir --transfers %t/slots.json
// RUN: FileCheck %s --check-prefix=SLOTS < %t/slots.json
// RUN: cd %t && tdc-interpret moves.mlir --transfers moves.json
// RUN: FileCheck %s --check-prefix=MOVES < %t/moves.json
// RUN: tdc-interpret %t/updates.mlir --transfers %t/updates.json | FileCheck %s --check-prefix=UPDATED
// RUN: FileCheck %s --check-prefix=UPDATES < %t/updates.json
// RUN: tdc-interpret %t/carried-poison.mlir | FileCheck %s --check-prefix=CARRIED
// RUN: not tdc-interpret %t/poison.mlir 2>&1 | FileCheck %s --check-prefix=POISON
// RUN: not tdc-interpret %t/elsewhere.mlir 2>&1 | FileCheck %s --check-prefix=ELSEWHERE

//--- counts.mlir
#cpu = #td.dev<cpu>
#gpu = #td.dev<cuda, 0>
#other = #td.dev<cuda, 1>
// One copy of three to the same device is needed, and one to each further device.
// A copy to where a value is already is none.
// COUNTS: {"copies":[
// COUNTS-SAME: {"src":"cpu","dst":"cuda:0","logical":3,"bytes":48}
// COUNTS-SAME: {"src":"cuda:0","dst":"cuda:1","logical":1,"bytes":16}
// COUNTS-SAME: "k0":{"copies":2,"bytes":32}}
func.func @main() {
  %x = td.constant dense<1.0> : tensor<4xf32, #cpu>
  %unread = td.to_device %x : tensor<4xf32, #cpu> to tensor<4xf32, #gpu>
  %a = td.to_device %x : tensor<4xf32, #cpu> to tensor<4xf32, #gpu>
  %b = td.to_device %x : tensor<4xf32, #cpu> to tensor<4xf32, #gpu>
  %same = td.to_device %b : tensor<4xf32, #gpu> to tensor<4xf32, #gpu>
  %c = td.add %a, %same : tensor<4xf32, #gpu>
  %d = td.to_device %b : tensor<4xf32, #gpu> to tensor<4xf32, #other>
  %e = td.sin %d : tensor<4xf32, #other>
  return
}

//--- handles.mlir
#cpu = #td.dev<cpu>
#gpu = #td.dev<cuda, 0>
// The first replica is copied, every later one is there, also by way of another
// handle of the same value; at home there is nothing to copy.
// HANDLES: {"copies":[{"src":"cpu","dst":"cuda:0","logical":1,"bytes":16}]
// HANDLES-SAME: "k0":{"copies":1,"bytes":16}}
func.func @main() {
  %x = td.constant dense<1.0> : tensor<4xf32, #cpu>
  %h = td.handle %x : tensor<4xf32, #cpu> -> !td.handle<tensor<4xf32>>
  %a = td.replica_get %h : !td.handle<tensor<4xf32>> -> tensor<4xf32, #gpu>
  %b = td.replica_get %h : !td.handle<tensor<4xf32>> -> tensor<4xf32, #gpu>
  %i = td.handle %x : tensor<4xf32, #cpu> -> !td.handle<tensor<4xf32>>
  %c = td.replica_get %i : !td.handle<tensor<4xf32>> -> tensor<4xf32, #gpu>
  %d = td.replica_get %i : !td.handle<tensor<4xf32>> -> tensor<4xf32, #cpu>
  %e = td.add %a, %b : tensor<4xf32, #gpu>
  %f = td.add %e, %c : tensor<4xf32, #gpu>
  %g = td.sin %d : tensor<4xf32, #cpu>
  return
}

//--- slots.mlir
#cpu = #td.dev<cpu>
#gpu = #td.dev<cuda, 0>
// A slot of handles remembers replicas until it is written.
// SLOTS: {"copies":[{"src":"cpu","dst":"cuda:0","logical":2,"bytes":32}]
// SLOTS-SAME: "k0":{"copies":2,"bytes":32}}
td.slot @w param "w" of "m" : !td.handle<tensor<4xf32>>
func.func @main() {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c5 = arith.constant 5 : i64
  %one = arith.constant 1.0 : f64
  scf.for %i = %c0 to %c5 step %c1 : i64 {
    %is = arith.cmpi eq, %i, %c1 : i64
    %first = arith.cmpi eq, %i, %c0 : i64
    %writes = arith.ori %is, %first : i1
    scf.if %writes {
      %x = td.fill %one : f64 -> tensor<4xf32, #cpu>
      %h = td.handle %x : tensor<4xf32, #cpu> -> !td.handle<tensor<4xf32>>
      td.write_handle %h, @w : !td.handle<tensor<4xf32>>
    }
    %r = td.read_handle @w : !td.handle<tensor<4xf32>>
    %g = td.replica_get %r : !td.handle<tensor<4xf32>> -> tensor<4xf32, #gpu>
    %s = td.sin %g : tensor<4xf32, #gpu>
  }
  return
}

//--- moves.mlir
#cpu = #td.dev<cpu>
#gpu = #td.dev<cuda, 0>
// As it is written, a move copies what is elsewhere, and a file reads it back.
// MOVES: {"copies":[
// MOVES-SAME: {"src":"cpu","dst":"cuda:0","logical":1,"bytes":16}
// MOVES-SAME: {"src":"cuda:0","dst":"cpu","logical":2,"bytes":32}
// MOVES-SAME: "k0":{"copies":1,"bytes":16}}
module attributes {td.as_written} {
  td.slot @w param "w" of "m" : tensor<4xf32>
  td.slot @b param "b" of "m" : tensor<4xf32, #gpu>
  func.func @main() {
    %path = td.format "w.safetensors"
    %x = td.constant dense<1.0> : tensor<4xf32, #cpu>
    td.write %x, @w : tensor<4xf32, #cpu>
    td.move @w to <cuda, 0>
    td.move @w to <cuda, 0>
    %y = td.constant dense<1.0> : tensor<4xf32, #gpu>
    td.write %y, @b : tensor<4xf32, #gpu>
    td.save %path [@w, @b] as ["w", "b"] []
    return
  }
}

//--- updates.mlir
#cpu = #td.dev<cpu>
#gpu = #td.dev<cuda, 0>
// A tensor with some elements replaced is another one, with copies of its own.
// UPDATED: tensor([1., 1.])tensor([2., 1.])tensor([1., 3.])tensor([5, 5])tensor([5, 6])
// UPDATES: {"copies":[{"src":"cuda:0","dst":"cpu","logical":5,"bytes":56}]
// UPDATES-SAME: "k0":{"copies":5,"bytes":56}}
func.func @main() {
  %c0 = arith.constant 0 : i64
  %x = td.constant dense<1.0> : tensor<2xf32, #gpu>
  %two = td.constant dense<2.0> : tensor<1xf32, #gpu>
  %five = td.constant dense<5> : tensor<2xi64, #gpu>
  %one = td.constant dense<1> : tensor<1xi64, #gpu>
  %updated = td.update_slice %x, %two[%c0] dim 0 step 1 : tensor<2xf32, #gpu>, tensor<1xf32, #gpu>
  %added = td.scatter %x, %one, %two dim 0 combine sum : tensor<2xf32, #gpu>, tensor<1xi64, #gpu>, tensor<1xf32, #gpu>
  %more = td.scatter_along %five, %one, %one dim 0 combine sum : tensor<2xi64, #gpu>, tensor<1xi64, #gpu>, tensor<1xi64, #gpu>
  %h0 = td.handle %x : tensor<2xf32, #gpu> -> !td.handle<tensor<2xf32>>
  %a = td.replica_get %h0 : !td.handle<tensor<2xf32>> -> tensor<2xf32, #cpu>
  %h1 = td.handle %updated : tensor<2xf32, #gpu> -> !td.handle<tensor<2xf32>>
  %b = td.replica_get %h1 : !td.handle<tensor<2xf32>> -> tensor<2xf32, #cpu>
  %c = td.to_device %added : tensor<2xf32, #gpu> to tensor<2xf32, #cpu>
  %d = td.to_device %five : tensor<2xi64, #gpu> to tensor<2xi64, #cpu>
  %e = td.to_device %more : tensor<2xi64, #gpu> to tensor<2xi64, #cpu>
  %text = td.format "{}{}{}{}{}\0A"(%a, %b, %c, %d, %e) : tensor<2xf32, #cpu>, tensor<2xf32, #cpu>, tensor<2xf32, #cpu>, tensor<2xi64, #cpu>, tensor<2xi64, #cpu>
  td.print %text
  return
}

//--- carried-poison.mlir
#cpu = #td.dev<cpu>
#gpu = #td.dev<cuda, 0>
// CARRIED: tensor([2., 2.])
func.func @main() {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %two = arith.constant 2.0 : f64
  %nothing = ub.poison : tensor<2xf32, #cpu>
  %r = scf.for %i = %c0 to %c1 step %c1 iter_args(%a = %nothing) -> (tensor<2xf32, #cpu>) : i64 {
    %x = td.fill %two : f64 -> tensor<2xf32, #cpu>
    scf.yield %x : tensor<2xf32, #cpu>
  }
  %text = td.format "{}\0A"(%r) : tensor<2xf32, #cpu>
  td.print %text
  return
}

//--- poison.mlir
#cpu = #td.dev<cpu>
func.func @main() {
  %nothing = ub.poison : tensor<2xf32, #cpu>
  // POISON: error: 'td.sin' op reads a poison
  %s = td.sin %nothing : tensor<2xf32, #cpu>
  return
}

//--- elsewhere.mlir
#cpu = #td.dev<cpu>
#gpu = #td.dev<cuda, 0>
// What the types promise is checked on the values.
func.func @main() {
  %x = td.constant dense<1.0> : tensor<2xf32, #gpu>
  // ELSEWHERE: error: 'td.format' op runs at 'cpu' but reads a value at 'cuda:0'
  %text = td.format "{}"(%x) : tensor<2xf32, #gpu>
  return
}
