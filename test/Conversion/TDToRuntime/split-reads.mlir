// RUN: tdc-opt %s --td-split-reads --split-input-file | FileCheck %s
// RUN: tdc-opt %s --td-split-reads --td-split-reads --split-input-file | FileCheck %s

llvm.func @unary(!llvm.ptr, !llvm.ptr, !llvm.ptr)
td.slot @w param "w" of "m" {layout = array<i64: 1, 0>} : tensor<2x3xf32>
td.slot @v param "v" of "m" : tensor<2x3xf32>

// A kernel reads the slot in its own order, a file gets it row-major.
// CHECK-LABEL: func.func @both
// CHECK: %[[W:.*]] = td.read @w : tensor<2x3xf32>
// CHECK-NEXT: %[[ROWS:.*]] = td.read @w {row_major} : tensor<2x3xf32>
// CHECK-NEXT: td.launch @unary(%[[W]])
// CHECK-NEXT: td.save_tensor %{{.*}}, %[[ROWS]]
// CHECK-NEXT: return
func.func @both(%file: !td.str) -> tensor<2x3xf32> {
  %w = td.read @w : tensor<2x3xf32>
  %r = td.launch @unary(%w) in_place [0, 0] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  td.save_tensor %file, %w : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// One read is enough if only kernels use it, or if the slot is row-major.
// CHECK-LABEL: func.func @one
// CHECK-COUNT-2: td.read
// CHECK-NOT: td.read
// CHECK: return
func.func @one() -> (tensor<2x3xf32>, tensor<2x3xf32>) {
  %w = td.read @w : tensor<2x3xf32>
  %r = td.launch @unary(%w) in_place [0, 0] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %v = td.read @v : tensor<2x3xf32>
  %s = td.launch @unary(%v) in_place [0, 0] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %v, %s : tensor<2x3xf32>, tensor<2x3xf32>
}
