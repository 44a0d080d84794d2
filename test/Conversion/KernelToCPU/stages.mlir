// Stages run one after the other for a block of rows; what they pass on is in scratch, at
// addresses from where the tensor would begin.
//
// RUN: tdc-opt %s --td-form-kernels --td-assign-layouts=lanes=16 --td-fuse-stages --kernel-to-cpu="vector-bits=512 vector-registers=32" --canonicalize --split-input-file | FileCheck %s

// 64 rows of 4096 bytes are in memory, and the panel of a product.
// CHECK-LABEL: func.func @products
// CHECK: %[[BLOCKS:.*]] = arith.constant 16 : i64
// CHECK: td.launch @kernel_0(%{{.*}}) blocks(%[[BLOCKS]]) work {{[0-9]+}} scratch {{.*}} -> (tensor<1024x32xf32>, tensor<{{[0-9]+}}xf32>)
// CHECK-LABEL: llvm.func internal @kernel_0
// CHECK-SAME: %[[SCRATCH:[a-z0-9]+]]: !llvm.ptr, %[[FIRST:[a-z0-9]+]]: i64, %[[END:[a-z0-9]+]]: i64) {
// CHECK: scf.for %[[BLOCK:.*]] = %[[FIRST]] to %[[END]] step %c1_i64
// CHECK: arith.muli %{{.*}}, %c64_i64
// CHECK: %[[BACK:.*]] = arith.subi %c0_i64
// CHECK: %[[BEGIN:.*]] = llvm.getelementptr %[[SCRATCH]][%[[BACK]]]
// The product of the first stage is stored, that of the second reads it.
// CHECK: math.fma {{.*}} : vector<16xf32>
// CHECK: llvm.getelementptr %[[BEGIN]]
// CHECK: llvm.store {{.*}} : vector<16xf32>
// CHECK: llvm.getelementptr %[[BEGIN]]
// CHECK: math.fma {{.*}} : vector<16xf32>
func.func @products(%q: tensor<1024x32xf32>, %k: tensor<32x1024xf32>, %v: tensor<1024x32xf32>) -> tensor<1024x32xf32> {
  %s = td.matmul %q, %k : tensor<1024x32xf32>, tensor<32x1024xf32> -> tensor<1024x1024xf32>
  %y = td.matmul %s, %v : tensor<1024x1024xf32>, tensor<1024x32xf32> -> tensor<1024x32xf32>
  return %y : tensor<1024x32xf32>
}

// -----

// With a causal mask, the columns of a block end after its last row, at a multiple of 64. Tiles of
// columns that are masked in no row have code without the mask.
// CHECK-LABEL: llvm.func internal @kernel_0
// CHECK: scf.for %[[BLOCK:[a-z0-9]+]] =
// CHECK: %[[ROW:.*]] = arith.muli %{{.*}}, %c64_i64
// CHECK: %[[LAST:.*]] = arith.addi %[[ROW]], %c127_i64
// CHECK: %[[UNITS:.*]] = arith.divui %[[LAST]], %c64_i64
// CHECK: %[[END:.*]] = arith.muli %[[UNITS]], %c64_i64
// CHECK: %[[ALL:.*]] = arith.minui %[[END]], %c1024_i64
// CHECK: %[[FIRST:.*]] = arith.addi %[[ROW]], %c1_i64
// CHECK: %[[FEW:.*]] = arith.minui %[[FIRST]], %c1024_i64
// CHECK: %[[TILES:.*]] = arith.divui %[[FEW]], %c64_i64
// CHECK: %[[WHOLE:.*]] = arith.muli %[[TILES]], %c64_i64
// CHECK: scf.for {{.*}} = %c0_i64 to %[[WHOLE]] step %c64_i64
// CHECK-NOT: arith.select
// CHECK: scf.for {{.*}} = %[[WHOLE]] to {{.*}} step %c64_i64
// CHECK: arith.select
func.func @causal(%q: tensor<1024x32xf32>, %k: tensor<32x1024xf32>, %v: tensor<1024x32xf32>) -> tensor<1024x32xf32> {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %zero = arith.constant 0.0 : f64
  %s = td.matmul %q, %k : tensor<1024x32xf32>, tensor<32x1024xf32> -> tensor<1024x1024xf32>
  %p = td.iota %c0, %c1 : i64 -> tensor<1024xi64>
  %rows = td.reshape %p : tensor<1024xi64> to tensor<1024x1xi64>
  %row = td.broadcast %rows : tensor<1024x1xi64> to tensor<1024x1024xi64>
  %column = td.broadcast %p : tensor<1024xi64> to tensor<1024x1024xi64>
  %later = td.compare gt %column, %row : tensor<1024x1024xi64> -> tensor<1024x1024xi1>
  %none = td.fill %zero : f64 -> tensor<1024x1024xf32>
  %m = td.select %later, %none, %s : tensor<1024x1024xi1>, tensor<1024x1024xf32>
  %y = td.matmul %m, %v : tensor<1024x1024xf32>, tensor<1024x32xf32> -> tensor<1024x32xf32>
  return %y : tensor<1024x32xf32>
}

// -----

// The blocks of a matrix add to one sum: threads share the 8 matrices. The first block of each
// begins with zeros.
// CHECK-LABEL: func.func @sum
// CHECK: td.launch @kernel_0(%{{.*}}) blocks(%c8_i64)
// CHECK-LABEL: llvm.func internal @kernel_0
// CHECK-SAME: %{{[a-z0-9]+}}: !llvm.ptr, %[[Z:[a-z0-9]+]]: !llvm.ptr, %[[SCRATCH:[a-z0-9]+]]: !llvm.ptr, %[[FIRST:[a-z0-9]+]]: i64, %[[END:[a-z0-9]+]]: i64) {
// CHECK: %[[FROM:.*]] = arith.muli %[[FIRST]], %c2_i64
// CHECK: %[[TO:.*]] = arith.muli %[[END]], %c2_i64
// CHECK: scf.for %[[BLOCK:.*]] = %[[FROM]] to %[[TO]]
// CHECK: %[[IS_FIRST:.*]] = arith.cmpi eq, %{{.*}}, %c0_i64
// CHECK: scf.if %[[IS_FIRST]] {
// CHECK: %[[ZEROS:.*]] = llvm.getelementptr %[[Z]]
// CHECK: llvm.store %cst{{[_0-9]*}}, %[[ZEROS]]
// CHECK: %[[AT:.*]] = llvm.getelementptr %[[Z]]
// CHECK: %[[OLD:.*]] = llvm.load %[[AT]]
// CHECK: %[[NEW:.*]] = arith.addf %[[OLD]]
// CHECK: llvm.store %[[NEW]], %[[AT]]
func.func @sum(%q: tensor<8x512x32xf32>, %k: tensor<8x32x512xf32>, %g: tensor<8x512x32xf32>) -> (tensor<8x512x32xf32>, tensor<8x512x32xf32>) {
  %s = td.matmul %q, %k : tensor<8x512x32xf32>, tensor<8x32x512xf32> -> tensor<8x512x512xf32>
  %y = td.matmul %s, %g : tensor<8x512x512xf32>, tensor<8x512x32xf32> -> tensor<8x512x32xf32>
  %t = td.permute %s [0, 2, 1] : tensor<8x512x512xf32> to tensor<8x512x512xf32>
  %z = td.matmul %t, %g : tensor<8x512x512xf32>, tensor<8x512x32xf32> -> tensor<8x512x32xf32>
  return %y, %z : tensor<8x512x32xf32>, tensor<8x512x32xf32>
}
