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
