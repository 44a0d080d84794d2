// Every op reads on its own device, the host on the cpu.
// RUN: tdc-opt %s --td-verify-placement --verify-roundtrip | FileCheck %s

#cpu = #td.dev<cpu>
#gpu = #td.dev<cuda, 0>

td.slot @w param "w" of "m" : tensor<4xf32, #gpu>
td.slot @"w@cpu" param "w" of "m" : tensor<4xf32, #cpu>

// CHECK-LABEL: func.func @placed
func.func @placed(%x: tensor<4xf32, #cpu>, %path: !td.str) {
  %g = td.to_device %x : tensor<4xf32, #cpu> to tensor<4xf32, #gpu>
  %s = td.sin %g : tensor<4xf32, #gpu>
  td.write %s, @w : tensor<4xf32, #gpu>
  %r = td.read @w : tensor<4xf32, #gpu>
  %h = td.to_device %r : tensor<4xf32, #gpu> to tensor<4xf32, #cpu>
  td.write %h, @"w@cpu" : tensor<4xf32, #cpu>
  td.save %path [@"w@cpu"] as ["w"] []
  %text = td.format "{}"(%h) : tensor<4xf32, #cpu>
  td.print %text
  return
}
