// The decisions of td-place and td-choose-devices, as remarks.
// RUN: tdc-opt %s --td-choose-devices --td-place --remarks-filter="td-.*" 2>&1 >/dev/null | FileCheck %s

#cpu = #td.dev<cpu>
#gpu = #td.dev<cuda, 0>

func.func @main(%w: tensor<4xf32, #cpu>, %bytes: tensor<4xi8, #cpu>, %x: tensor<4xf32, #gpu>) -> (tensor<4xf32, #gpu>, tensor<f32, #cpu>) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c10 = arith.constant 10 : i64
  // CHECK: :[[#@LINE+1]]:11: remark: [Passed] OpMoved | Category:td-choose-devices | Remark="td.cast from cpu to cuda:0", bytes=12
  %cast = td.cast %bytes : tensor<4xi8, #cpu> to tensor<4xf32, #cpu>
  %floats = td.to_device %cast : tensor<4xf32, #cpu> to tensor<4xf32, #gpu>
  %r = scf.for %i = %c0 to %c10 step %c1 iter_args(%a = %x) -> (tensor<4xf32, #gpu>) : i64 {
    // CHECK: :[[#@LINE+1]]:10: remark: [Passed] TransferHoisted | Category:td-place | loops=1
    %g = td.to_device %w : tensor<4xf32, #cpu> to tensor<4xf32, #gpu>
    %b = td.add %a, %g : tensor<4xf32, #gpu>
    // CHECK: :[[#@LINE+1]]:10: remark: [Passed] TransferMerged | Category:td-place | Reason="another one brings the same value there"
    %h = td.to_device %w : tensor<4xf32, #cpu> to tensor<4xf32, #gpu>
    %c = td.mul %b, %h : tensor<4xf32, #gpu>
    // CHECK: :[[#@LINE+1]]:13: remark: [Passed] TransferRemoved | Category:td-place | Reason="nothing needs it"
    %back = td.to_device %c : tensor<4xf32, #gpu> to tensor<4xf32, #cpu>
    %again = td.to_device %back : tensor<4xf32, #cpu> to tensor<4xf32, #gpu>
    %d = td.mul %again, %floats : tensor<4xf32, #gpu>
    // CHECK: :[[#@LINE+1]]:12: remark: [Missed] TransferInLoop | Category:td-place | Reason=defined-in-loop, bytes=4
    %sum = td.reduce sum %d [0] : tensor<4xf32, #gpu> to tensor<f32, #gpu>
    // CHECK-NOT: remark:
    %host = td.to_device %sum : tensor<f32, #gpu> to tensor<f32, #cpu>
    %text = td.format "{}\0A"(%host) : tensor<f32, #cpu>
    td.print %text
    scf.yield %d : tensor<4xf32, #gpu>
  }
  %last = td.reduce sum %r [0] : tensor<4xf32, #gpu> to tensor<f32, #gpu>
  %result = td.to_device %last : tensor<f32, #gpu> to tensor<f32, #cpu>
  return %r, %result : tensor<4xf32, #gpu>, tensor<f32, #cpu>
}
