// RUN: tdc-opt %s --td-resolve | FileCheck %s

// Code for a GPU that the machine lacks follows an assertion that fails: it never
// runs, so the program must not require that GPU.
module attributes {td.gpus = 1 : i64} {

// CHECK: td.slot @w param "w" of "m" : tensor<4xf32, #td.dev<cpu>>
td.slot @w param "w" of "m" : tensor<4xf32, #td.dev<cuda, 1>>

// CHECK-LABEL: func.func @far
// CHECK: td.to_device %{{.*}} to tensor<4xf32, #td.dev<cuda, 0>>
// CHECK-NOT: cuda, 1
// CHECK: return %{{.*}} : tensor<4xf32, #td.dev<cpu>>
func.func @far(%x: tensor<4xf32>) -> tensor<4xf32, #td.dev<cuda, 1>> {
  %a = td.to_device %x : tensor<4xf32> to tensor<4xf32, #td.dev<cuda, 0>>
  %b = td.exp %a : tensor<4xf32, #td.dev<cuda, 0>>
  %c = td.to_device %b : tensor<4xf32, #td.dev<cuda, 0>> to tensor<4xf32, #td.dev<cuda, 1>>
  %d = td.exp %c : tensor<4xf32, #td.dev<cuda, 1>>
  td.write %d, @w : tensor<4xf32, #td.dev<cuda, 1>>
  return %d : tensor<4xf32, #td.dev<cuda, 1>>
}
}
