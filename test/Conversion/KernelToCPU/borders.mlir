// A kernel whose result has a border stores the border in its first block, and the rest
// shifted. Blocks are counted without the border.
//
// RUN: tdc-opt %s --td-form-kernels --kernel-to-cpu="vector-bits=512 vector-registers=32" --canonicalize | FileCheck %s

// CHECK-LABEL: func.func @product
// CHECK: %[[BLOCKS:.*]] = arith.constant 350 : i64
// CHECK: td.launch @kernel_0(%{{.*}}) blocks(%[[BLOCKS]])
// CHECK-LABEL: llvm.func internal @kernel_0
// CHECK-SAME: %{{[a-z0-9]+}}: !llvm.ptr, %{{[a-z0-9]+}}: !llvm.ptr, %{{[a-z0-9]+}}: !llvm.ptr, %[[RESULT:[a-z0-9]+]]: !llvm.ptr,
// CHECK-SAME: %[[FIRST:[a-z0-9]+]]: i64, %[[END:[a-z0-9]+]]: i64) {
// CHECK: %[[IS:.*]] = arith.cmpi eq, %[[FIRST]], %c0_i64
// CHECK: scf.if %[[IS]] {
// The row above, the row below, the column to the left and two to the right.
// CHECK-COUNT-4: scf.for
// CHECK: }
// CHECK: math.fma {{.*}} : vector<16xf32>
// CHECK: %[[COLUMN:.*]] = arith.addi %{{.*}}, %c1_i64
// CHECK: %[[ROW:.*]] = arith.addi %{{.*}}, %c1_i64
// CHECK: %[[BEFORE:.*]] = arith.muli %[[ROW]], %c303_i64
// CHECK: %[[AT:.*]] = arith.addi %[[COLUMN]], %[[BEFORE]]
// CHECK: llvm.getelementptr %[[RESULT]][%[[AT]]]
func.func @product(%a: tensor<400x200xf32>, %b: tensor<200x300xf32>) -> tensor<402x303xf32> {
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1 : i64
  %r = td.matmul %a, %b : tensor<400x200xf32>, tensor<200x300xf32> -> tensor<400x300xf32>
  %border = td.fill %zero : f64 -> tensor<402x303xf32>
  %p = td.inset %border, %r[%one, %one] step [1, 1] : tensor<402x303xf32>, tensor<400x300xf32>
  return %p : tensor<402x303xf32>
}
