// The remaining transfers show where ops run.
// RUN: tdc-opt %s --split-input-file --verify-diagnostics --td-choose-devices --td-place | FileCheck %s

#cpu = #td.dev<cpu>
#gpu = #td.dev<cuda, 0>

// The cast runs on the GPU: bytes are copied, not floats.
// CHECK-LABEL: func.func @narrow
// CHECK-NEXT: %[[THERE:.*]] = td.to_device %arg0 : tensor<4xui8, #td.dev<cpu>>
// CHECK-NEXT: %[[X:.*]] = td.cast %[[THERE]] : tensor<4xui8, #td.dev<cuda, 0>>
// CHECK-NEXT: td.sin %[[X]]
func.func @narrow(%bytes: tensor<4xui8, #cpu>) -> tensor<4xf32, #gpu> {
  %x = td.cast %bytes : tensor<4xui8, #cpu> to tensor<4xf32, #cpu>
  %y = td.to_device %x : tensor<4xf32, #cpu> to tensor<4xf32, #gpu>
  %r = td.sin %y : tensor<4xf32, #gpu>
  return %r : tensor<4xf32, #gpu>
}

// -----

#cpu = #td.dev<cpu>
#gpu = #td.dev<cuda, 0>

// A loop of unknown trip count: the batch is copied to the GPU in any case, so
// its transpose is computed there.
// CHECK-LABEL: func.func @transpose
// CHECK: scf.for
// CHECK: td.to_device
// CHECK-NOT: td.to_device
// CHECK: td.permute %{{.*}} [1, 0] : tensor<2x4xf32, #td.dev<cuda, 0>>
// CHECK: return
func.func @transpose(%data: tensor<8x4xf32, #cpu>, %n: i64, %w: tensor<2x2xf32, #gpu>) {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  scf.for %i = %zero to %n step %one : i64 {
    %x = td.slice %data[%i] dim 0 step 1 : tensor<8x4xf32, #cpu> to tensor<2x4xf32, #cpu>
    %there = td.to_device %x : tensor<2x4xf32, #cpu> to tensor<2x4xf32, #gpu>
    %y = td.sin %there : tensor<2x4xf32, #gpu>
    %t = td.permute %x [1, 0] : tensor<2x4xf32, #cpu> to tensor<4x2xf32, #cpu>
    %u = td.to_device %t : tensor<4x2xf32, #cpu> to tensor<4x2xf32, #gpu>
    %z = td.matmul %u, %y : tensor<4x2xf32, #gpu>, tensor<2x4xf32, #gpu> -> tensor<4x4xf32, #gpu>
    %back = td.to_device %z : tensor<4x4xf32, #gpu> to tensor<4x4xf32, #cpu>
    %text = td.format "{}"(%back) : tensor<4x4xf32, #cpu>
    td.print %text
  }
  return
}

// -----

#cpu = #td.dev<cpu>
#gpu = #td.dev<cuda, 0>

// A sum is no T-op: it stays on the cpu, and sixteen numbers are copied.
// CHECK-LABEL: func.func @sum
// CHECK-NEXT: td.to_device %arg0 : tensor<16xf32, #td.dev<cuda, 0>>
func.func @sum(%x: tensor<16xf32, #gpu>) -> tensor<f32, #cpu> {
  %y = td.to_device %x : tensor<16xf32, #gpu> to tensor<16xf32, #cpu>
  %r = td.reduce sum %y [0] : tensor<16xf32, #cpu> to tensor<f32, #cpu>
  return %r : tensor<f32, #cpu>
}

// -----

#cpu = #td.dev<cpu>
#gpu = #td.dev<cuda, 0>

module attributes {td.optimize} {
  // The sum runs on the GPU: one number is copied.
  // CHECK-LABEL: func.func @sum
  // CHECK-NEXT: %[[R:.*]] = td.reduce sum %arg0
  // CHECK-NEXT: td.to_device %[[R]]
  func.func @sum(%x: tensor<16xf32, #gpu>) -> tensor<f32, #cpu> {
    %y = td.to_device %x : tensor<16xf32, #gpu> to tensor<16xf32, #cpu>
    %r = td.reduce sum %y [0] : tensor<16xf32, #cpu> to tensor<f32, #cpu>
    return %r : tensor<f32, #cpu>
  }

  // An annotation pins the sum to the cpu.
  // CHECK-LABEL: func.func @pinned
  // CHECK-NEXT: %[[Y:.*]] = td.to_device %arg0
  // CHECK-NEXT: %[[R:.*]] = td.reduce sum %[[Y]]
  // CHECK-NEXT: return %[[R]]
  func.func @pinned(%x: tensor<16xf32, #gpu>) -> tensor<f32, #cpu> {
    %y = td.to_device %x : tensor<16xf32, #gpu> to tensor<16xf32, #cpu>
    %r = td.reduce sum %y [0] : tensor<16xf32, #cpu> to tensor<f32, #cpu>
    %p = td.to_device %r {implied, pinned} : tensor<f32, #cpu> to tensor<f32, #cpu>
    return %p : tensor<f32, #cpu>
  }

  // The cast of four bytes runs on both devices.
  // CHECK-LABEL: func.func @both
  // CHECK-DAG: %[[THERE:.*]] = td.to_device %arg0 : tensor<4xui8, #td.dev<cpu>>
  // CHECK-DAG: td.cast %[[THERE]] : tensor<4xui8, #td.dev<cuda, 0>>
  // CHECK-DAG: td.cast %arg0 : tensor<4xui8, #td.dev<cpu>>
  func.func @both(%bytes: tensor<4xui8, #cpu>) -> tensor<4xf32, #gpu> {
    %x = td.cast %bytes : tensor<4xui8, #cpu> to tensor<4xf32, #cpu>
    %text = td.format "{}"(%x) : tensor<4xf32, #cpu>
    td.print %text
    %y = td.to_device %x : tensor<4xf32, #cpu> to tensor<4xf32, #gpu>
    %r = td.sin %y : tensor<4xf32, #gpu>
    %p = td.to_device %r {implied, pinned} : tensor<4xf32, #gpu> to tensor<4xf32, #gpu>
    return %p : tensor<4xf32, #gpu>
  }

  // A moved model's parameter is read and written on the model's device.
  td.slot @w param "w" of "net" : tensor<4xf32>
  // CHECK-LABEL: func.func @main
  // CHECK: td.sin %{{.*}} : tensor<4xf32, #td.dev<cpu>>
  // CHECK: td.cos %{{.*}} : tensor<4xf32, #td.dev<cuda, 0>>
  func.func @main() {
    %one = arith.constant 1.0 : f64
    %ones = td.fill %one : f64 -> tensor<4xf32, #cpu>
    %init = td.sin %ones : tensor<4xf32, #cpu>
    td.write %init, @w : tensor<4xf32, #cpu>
    td.move @w to <cuda, 0>
    %w = td.read @w : tensor<4xf32, #gpu>
    %y = td.cos %w : tensor<4xf32, #gpu>
    %here = td.to_device %y : tensor<4xf32, #gpu> to tensor<4xf32, #cpu>
    %text = td.format "{}"(%here) : tensor<4xf32, #cpu>
    td.print %text
    return
  }
}

// -----

#cpu = #td.dev<cpu>
#gpu = #td.dev<cuda, 0>

module attributes {td.optimize} {
  // Four rows that are read nine times are copied as a whole, before the loop.
  // CHECK-LABEL: func.func @main
  // CHECK: td.to_device {{.*}} : tensor<4x8xf32, #td.dev<cpu>>
  // CHECK: scf.for
  func.func @main() {
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %nine = arith.constant 9 : i64
    %path = td.format "rows.npy"
    %rows = td.load %path : tensor<4x8xf32, #cpu>
    scf.for %i = %zero to %nine step %one : i64 {
      %row = td.slice %rows[%zero] dim 0 step 1 : tensor<4x8xf32, #cpu> to tensor<1x8xf32, #cpu>
      %there = td.to_device %row : tensor<1x8xf32, #cpu> to tensor<1x8xf32, #gpu>
      %y = td.sin %there : tensor<1x8xf32, #gpu>
      %pin = td.to_device %y {implied, pinned} : tensor<1x8xf32, #gpu> to tensor<1x8xf32, #gpu>
      %sum = td.reduce sum %pin [0, 1] : tensor<1x8xf32, #gpu> to tensor<f32, #gpu>
      %back = td.to_device %sum : tensor<f32, #gpu> to tensor<f32, #cpu>
      %text = td.format "{}"(%back) : tensor<f32, #cpu>
      td.print %text
    }
    return
  }
}

// -----

#cpu = #td.dev<cpu>
#gpu = #td.dev<cuda, 0>

module attributes {td.optimize, td.memory = {"cuda:0" = 200 : i64}} {
  // They would take more than half of the device's memory: rows are copied one by one.
  // CHECK-LABEL: func.func @main
  // CHECK: scf.for
  // CHECK: td.to_device {{.*}} : tensor<1x8xf32, #td.dev<cpu>>
  func.func @main() {
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %nine = arith.constant 9 : i64
    %path = td.format "rows.npy"
    %rows = td.load %path : tensor<4x8xf32, #cpu>
    scf.for %i = %zero to %nine step %one : i64 {
      %row = td.slice %rows[%zero] dim 0 step 1 : tensor<4x8xf32, #cpu> to tensor<1x8xf32, #cpu>
      %there = td.to_device %row : tensor<1x8xf32, #cpu> to tensor<1x8xf32, #gpu>
      %y = td.sin %there : tensor<1x8xf32, #gpu>
      %pin = td.to_device %y {implied, pinned} : tensor<1x8xf32, #gpu> to tensor<1x8xf32, #gpu>
      %sum = td.reduce sum %pin [0, 1] : tensor<1x8xf32, #gpu> to tensor<f32, #gpu>
      %back = td.to_device %sum : tensor<f32, #gpu> to tensor<f32, #cpu>
      %text = td.format "{}"(%back) : tensor<f32, #cpu>
      td.print %text
    }
    return
  }
}

// -----

#gpu = #td.dev<cuda, 0>
#other = #td.dev<cuda, 1>

// expected-error @+1 {{TD900: `--placement=optimize` of a program for several GPUs is not built yet}}
module attributes {td.optimize} {
  func.func @two(%x: tensor<16xf32, #gpu>) -> tensor<16xf32, #other> {
    %y = td.to_device %x : tensor<16xf32, #gpu> to tensor<16xf32, #other>
    %r = td.sin %y : tensor<16xf32, #other>
    return %r : tensor<16xf32, #other>
  }
}
