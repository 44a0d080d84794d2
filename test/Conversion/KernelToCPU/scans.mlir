// RUN: tdc-opt %s --td-form-kernels --kernel-to-cpu="vector-bits=512 vector-registers=32" --split-input-file | FileCheck %s

// Columns: one loop over the rows scans four vectors of columns. The running
// sum of each column is f64 and is rounded when it is stored.
// CHECK-LABEL: llvm.func internal @kernel_0
// CHECK: scf.for {{.*}} -> (vector<16xf64>, vector<16xf64>, vector<16xf64>, vector<16xf64>)
// CHECK: llvm.load {{.*}} -> vector<16xf32>
// CHECK: arith.addf {{.*}} : vector<16xf64>
// CHECK: arith.truncf {{.*}} : vector<16xf64> to vector<16xf32>
// CHECK-COUNT-3: arith.addf {{.*}} : vector<16xf64>
// CHECK-NOT: arith.addf
// CHECK: scf.yield
// CHECK: llvm.return
func.func @columns(%x: tensor<100x64xf32>) -> tensor<100x64xf32> {
  %y = td.scan sum %x dim 0 : tensor<100x64xf32>
  return %y : tensor<100x64xf32>
}

// -----

// Rows: each lane scans a row and gathers its elements.
// CHECK-LABEL: llvm.func internal @kernel_0
// CHECK: scf.for {{.*}} -> (vector<16xf64>, vector<16xf64>, vector<16xf64>, vector<16xf64>)
// CHECK-COUNT-4: llvm.intr.masked.gather
// CHECK-NOT: llvm.intr.masked.gather
// CHECK: scf.yield
// CHECK: llvm.return
func.func @rows(%x: tensor<64x100xf32>) -> tensor<64x100xf32> {
  %y = td.scan sum %x dim 1 : tensor<64x100xf32>
  return %y : tensor<64x100xf32>
}

// -----

// A single line is scanned in order. The scanned elements are computed in the
// loop; narrow floats are accumulated in f32.
// CHECK-LABEL: llvm.func internal @kernel_0
// CHECK: scf.for {{.*}} iter_args(%[[BEFORE:.*]] = %{{.*}}) -> (f32)
// CHECK: arith.addf
// CHECK: %[[NEXT:.*]] = arith.mulf %[[BEFORE]], %{{.*}} : f32
// CHECK: arith.truncf %[[NEXT]] : f32 to f16
// CHECK: llvm.store
// CHECK: scf.yield %[[NEXT]]
// CHECK: llvm.return
func.func @line(%x: tensor<100xf16>) -> tensor<100xf16> {
  %a = td.add %x, %x : tensor<100xf16>
  %y = td.scan prod %a dim 0 : tensor<100xf16>
  return %y : tensor<100xf16>
}
