// Threads share the blocks of a loop of a kernel that computes much. The launch has
// their number and the work of each, the function takes the first and the end.
//
// RUN: tdc-opt %s --td-form-kernels --kernel-to-cpu="vector-bits=512 vector-registers=32" --canonicalize --split-input-file | FileCheck %s
// RUN: tdc-opt %s --td-form-kernels --kernel-to-cpu="vector-bits=512 vector-registers=32 always-threads=true" --canonicalize --split-input-file | FileCheck %s --check-prefix=ALWAYS

// The 7 blocks of columns are few, so that the 50 blocks of rows inside are shared, too:
// of a block of columns, a function computes those rows that are its own.
// CHECK-LABEL: func.func @product
// CHECK: %[[BLOCKS:.*]] = arith.constant 350 : i64
// CHECK: td.launch @kernel_0(%{{.*}}) blocks(%[[BLOCKS]]) work {{[0-9]+}} in_place
// CHECK-LABEL: llvm.func internal @kernel_0
// CHECK-SAME: %[[FIRST:[a-z0-9]+]]: i64, %[[END:[a-z0-9]+]]: i64) {
// CHECK: %[[COLUMN:.*]] = arith.divui %[[FIRST]], %c50_i64
// CHECK: arith.muli %[[COLUMN]], %c48_i64
// CHECK: scf.for {{.*}} step %c48_i64
// CHECK: %[[OWN:.*]] = arith.subi %[[FIRST]], %[[BEFORE:.*]] : i64
// CHECK: %[[ROW:.*]] = arith.maxsi %[[OWN]], %c0_i64
// CHECK: %[[REST:.*]] = arith.subi %[[END]], %[[BEFORE]] : i64
// CHECK: arith.minsi %[[REST]], %c50_i64
// CHECK: %[[FROM:.*]] = arith.muli %[[ROW]], %c8_i64
// CHECK: scf.for %{{.*}} = %[[FROM]] to %{{.*}} step %c8_i64
func.func @product(%a: tensor<400x200xf32>, %b: tensor<200x304xf32>) -> tensor<400x304xf32> {
  %r = td.matmul %a, %b : tensor<400x200xf32>, tensor<200x304xf32> -> tensor<400x304xf32>
  return %r : tensor<400x304xf32>
}

// -----

// A rest that is no whole block is in the last one.
// CHECK-LABEL: func.func @rest
// CHECK: td.launch @kernel_0(%{{.*}}) in_place
// ALWAYS-LABEL: func.func @rest
// ALWAYS: %[[BLOCKS:.*]] = arith.constant 5 : i64
// ALWAYS: td.launch @kernel_0(%{{.*}}) blocks(%[[BLOCKS]]) work 1048576 in_place
// ALWAYS-LABEL: llvm.func internal @kernel_0
// ALWAYS-SAME: %[[FIRST:[a-z0-9]+]]: i64, %[[END:[a-z0-9]+]]: i64) {
// ALWAYS: %[[LAST:.*]] = arith.muli %[[END]], %[[STEP:c[0-9]+_i64]]
// ALWAYS: %[[HAS:.*]] = arith.cmpi sgt, %[[LAST]], %[[WHOLE:c[0-9]+_i64]]
// ALWAYS: scf.if %{{.*}} {
func.func @rest(%a: tensor<53x20xf32>, %b: tensor<20x16xf32>) -> tensor<53x16xf32> {
  %r = td.matmul %a, %b : tensor<53x20xf32>, tensor<20x16xf32> -> tensor<53x16xf32>
  return %r : tensor<53x16xf32>
}

// -----

// One function serves elementwise kernels of all sizes: it has blocks of a vector
// each, and the launch tells whether they are worth sharing.
// CHECK-LABEL: func.func @elementwise
// CHECK: td.launch @kernel_0(%{{.*}}) blocks(%{{.*}}) work {{[0-9]+}} in_place
// CHECK: td.launch @kernel_0(%{{.*}}) blocks(%{{.*}}) work {{[0-9]+}} in_place
func.func @elementwise(%a: tensor<4000x300xf32>, %b: tensor<40xf32>) -> (tensor<4000x300xf32>, tensor<40xf32>) {
  %0 = td.exp %a : tensor<4000x300xf32>
  %1 = td.exp %b : tensor<40xf32>
  return %0, %1 : tensor<4000x300xf32>, tensor<40xf32>
}

// -----

// The first bad index is reported, so one thread looks for it.
// ALWAYS-LABEL: func.func @lookup
// ALWAYS: td.launch @kernel_0(%{{.*}}) in_place
func.func @lookup(%a: tensor<1000x300xf32>, %i: tensor<2000xi64>) -> tensor<2000x300xf32> {
  %0 = td.gather %a, %i dim 0 : tensor<1000x300xf32>, tensor<2000xi64> -> tensor<2000x300xf32>
  return %0 : tensor<2000x300xf32>
}

// -----

// A thread that computes several parts of a kernel keeps a panel that they share: the tag
// at its end is that of the block of columns.
// CHECK-LABEL: func.func @panel
// CHECK: td.launch @kernel_0(%{{.*}}) blocks(%{{.*}}) work {{[0-9]+}} scratch in_place
// CHECK-SAME: tensor<38416xf32>)
// CHECK-LABEL: llvm.func internal @kernel_0
// CHECK-SAME: %[[SCRATCH:[a-z0-9]+]]: !llvm.ptr, %{{[a-z0-9]+}}: i64, %{{[a-z0-9]+}}: i64) {
// CHECK: %[[TAG:.*]] = llvm.getelementptr %[[SCRATCH]][153600]
// CHECK: %[[KNOWN:.*]] = llvm.load %[[TAG]]
// CHECK: %[[OTHER:.*]] = arith.cmpi ne, %[[KNOWN]], %[[WANTED:.*]] : i64
// CHECK: scf.if %[[OTHER]] {
// CHECK: llvm.store %[[WANTED]], %[[TAG]]
// CHECK: llvm.store {{.*}} : vector<16xf32>
func.func @panel(%x: tensor<700x600xf32>, %w: tensor<600x640xf32>) -> tensor<700x640xf32> {
  %y = td.matmul %x, %w : tensor<700x600xf32>, tensor<600x640xf32> -> tensor<700x640xf32>
  return %y : tensor<700x640xf32>
}
