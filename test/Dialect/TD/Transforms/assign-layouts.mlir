// RUN: tdc-opt %s --td-form-kernels --td-assign-layouts --split-input-file | FileCheck %s

// y = x @ w.T runs along w's first dim: that dim becomes the contiguous one.
// CHECK: td.slot @w param "w" of "m" {layout = array<i64: 1, 0>} : tensor<50x10xf32>
td.slot @w param "w" of "m" : tensor<50x10xf32>
// CHECK-LABEL: func.func @linear
func.func @linear(%x: tensor<8x10xf32>) -> tensor<8x50xf32> {
  // CHECK: td.kernel({{.*}}) {layouts = [array<i64: 0, 1>, array<i64: 1, 0>, array<i64: 0, 1>]}
  %w = td.read @w : tensor<50x10xf32>
  %t = td.permute %w [1, 0] : tensor<50x10xf32> to tensor<10x50xf32>
  %y = td.matmul %x, %t : tensor<8x10xf32>, tensor<10x50xf32> -> tensor<8x50xf32>
  return %y : tensor<8x50xf32>
}

// -----

// So is the first dim of a convolution's weight.
// CHECK: td.slot @w param "w" of "m" {layout = array<i64: 1, 2, 3, 0>} : tensor<64x64x3x3xf32>
td.slot @w param "w" of "m" : tensor<64x64x3x3xf32>
#at = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d4, d2 + d5, d3 + d6)>
#of = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d4, d5, d6)>
// CHECK-LABEL: func.func @convolution
func.func @convolution(%x: tensor<1x64x9x9xf32>) -> tensor<1x64x7x7xf32> {
  // CHECK: td.kernel({{.*}}) {layouts = [array<i64: 0, 1, 2, 3>, array<i64: 1, 2, 3, 0>, array<i64: 0, 1, 2, 3>]}
  %w = td.read @w : tensor<64x64x3x3xf32>
  %y = td.contract %x, %w at #at, #of : tensor<1x64x9x9xf32>, tensor<64x64x3x3xf32> -> tensor<1x64x7x7xf32>
  return %y : tensor<1x64x7x7xf32>
}

// -----

// A moment that is updated with the parameter gets its layout.
// CHECK-DAG: td.slot @w {{.*}} {layout = array<i64: 1, 0>}
// CHECK-DAG: td.slot @v {{.*}} {layout = array<i64: 1, 0>}
td.slot @w param "w" of "m" : tensor<50x10xf32>
td.slot @v moment "v" of "m" : tensor<50x10xf32>
// CHECK-LABEL: func.func @momentum
func.func @momentum(%x: tensor<8x10xf32>) -> tensor<8x50xf32> {
  %w = td.read @w : tensor<50x10xf32>
  %t = td.permute %w [1, 0] : tensor<50x10xf32> to tensor<10x50xf32>
  %y = td.matmul %x, %t : tensor<8x10xf32>, tensor<10x50xf32> -> tensor<8x50xf32>
  %v = td.read @v : tensor<50x10xf32>
  %n = td.add %v, %w : tensor<50x10xf32>
  td.write %n, @v : tensor<50x10xf32>
  return %y : tensor<8x50xf32>
}

// -----

// Tensors that the host reads stay row-major.
// CHECK: td.slot @w param "w" of "m" : tensor<10x50xf32>
td.slot @w param "w" of "m" : tensor<10x50xf32>
// CHECK-LABEL: func.func @plain
// CHECK-NOT: layout
func.func @plain(%x: tensor<8x10xf32>) -> tensor<8x50xf32> {
  %w = td.read @w : tensor<10x50xf32>
  %y = td.matmul %x, %w : tensor<8x10xf32>, tensor<10x50xf32> -> tensor<8x50xf32>
  return %y : tensor<8x50xf32>
}

// -----

// A weight's initial numbers are row-major; the weight is not.
// CHECK: td.slot @w param "w" of "m" {layout = array<i64: 1, 0>} : tensor<50x10xf32>
td.slot @w param "w" of "m" : tensor<50x10xf32>
// CHECK-LABEL: func.func @start
func.func @start(%seed: i64, %call: i64, %scale: f64) {
  // CHECK: td.random
  // CHECK: td.kernel({{.*}}) {layouts = [array<i64: 0, 1>, array<i64>, array<i64: 1, 0>]}
  %u = td.random uniform %seed, %call : tensor<50x10xf32>
  %s = td.fill %scale : f64 -> tensor<50x10xf32>
  %v = td.mul %u, %s : tensor<50x10xf32>
  td.write %v, @w : tensor<50x10xf32>
  return
}
func.func @linear(%x: tensor<8x10xf32>) -> tensor<8x50xf32> {
  %w = td.read @w : tensor<50x10xf32>
  %t = td.permute %w [1, 0] : tensor<50x10xf32> to tensor<10x50xf32>
  %y = td.matmul %x, %t : tensor<8x10xf32>, tensor<10x50xf32> -> tensor<8x50xf32>
  return %y : tensor<8x50xf32>
}
