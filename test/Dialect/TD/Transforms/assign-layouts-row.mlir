// RUN: tdc-opt %s --td-form-kernels --td-assign-layouts=lanes=16 | FileCheck %s

// One row of x is multiplied along the terms, which are contiguous already, as in
// the tensor that the slot is set to. Blocks of terms would be far apart in memory.
// CHECK: td.slot @w param "w" of "m" : tensor<4096x9216xf32>
td.slot @w param "w" of "m" : tensor<4096x9216xf32>
// CHECK-NOT: layouts
func.func @row(%x: tensor<1x9216xf32>, %first: tensor<4096x9216xf32>) -> tensor<1x4096xf32> {
  %scaled = td.neg %first : tensor<4096x9216xf32>
  td.write %scaled, @w : tensor<4096x9216xf32>
  %w = td.read @w : tensor<4096x9216xf32>
  %t = td.permute %w [1, 0] : tensor<4096x9216xf32> to tensor<9216x4096xf32>
  %y = td.matmul %x, %t : tensor<1x9216xf32>, tensor<9216x4096xf32> -> tensor<1x4096xf32>
  return %y : tensor<1x4096xf32>
}
