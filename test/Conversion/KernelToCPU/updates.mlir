// RUN: tdc-opt %s --td-form-kernels --kernel-to-cpu="vector-bits=512 vector-registers=32" --split-input-file | FileCheck %s

// The parts of a concatenation are copied one after the other.
// CHECK-LABEL: llvm.func internal @kernel_0
// CHECK-COUNT-2: llvm.store {{.*}} : vector<16xf32>
// CHECK: llvm.return
func.func @concat(%x: tensor<16xf32>, %y: tensor<16xf32>) -> tensor<32xf32> {
  %z = td.concat %x, %y dim 0 : (tensor<16xf32>, tensor<16xf32>) -> tensor<32xf32>
  return %z : tensor<32xf32>
}

// -----

// Two indices may name the same row: rows are added one after the other, and
// the columns of a row are vectorized.
// CHECK-LABEL: llvm.func internal @kernel_0
// CHECK: llvm.load {{.*}} -> i64
// CHECK: llvm.call @tdrt_kernel_error
// CHECK: arith.addf {{.*}} : vector<16xf32>
// CHECK: llvm.store {{.*}} : vector<16xf32>
func.func @scatter(%x: tensor<40x16xf32>, %i: tensor<8xi64>, %u: tensor<8x16xf32>) -> tensor<40x16xf32> {
  %y = td.scatter %x, %i, %u dim 0 combine sum : tensor<40x16xf32>, tensor<8xi64>, tensor<8x16xf32>
  return %y : tensor<40x16xf32>
}

// -----

// With indices along the only dim the update is not vectorized.
// CHECK-LABEL: llvm.func internal @kernel_0
// CHECK: arith.addf {{.*}} : f32
// CHECK: llvm.store {{.*}} : f32
func.func @histogram(%x: tensor<40xf32>, %i: tensor<80xi64>, %u: tensor<80xf32>) -> tensor<40xf32> {
  %y = td.scatter %x, %i, %u dim 0 combine sum : tensor<40xf32>, tensor<80xi64>, tensor<80xf32>
  return %y : tensor<40xf32>
}

// -----

// A kernel that reads its base nowhere but where it writes works in place,
// CHECK-LABEL: func.func @added
// CHECK: td.launch {{.*}} in_place [0, 0]
func.func @added(%x: tensor<8x4xf32>, %y: tensor<1x4xf32>, %i: i64) -> tensor<8x4xf32> {
  %0 = td.slice %x[%i] dim 0 step 1 : tensor<8x4xf32> to tensor<1x4xf32>
  %1 = td.add %0, %y : tensor<1x4xf32>
  %2 = td.update_slice %x, %1[%i] dim 0 step 1 : tensor<8x4xf32>, tensor<1x4xf32>
  return %2 : tensor<8x4xf32>
}

// -----

// one that reads other elements does not.
// CHECK-LABEL: func.func @shifted
// CHECK: td.launch {{.*}} in_place []
func.func @shifted(%x: tensor<8x4xf32>, %y: tensor<1x4xf32>, %i: i64, %j: i64) -> tensor<8x4xf32> {
  %0 = td.slice %x[%j] dim 0 step 1 : tensor<8x4xf32> to tensor<1x4xf32>
  %1 = td.add %0, %y : tensor<1x4xf32>
  %2 = td.update_slice %x, %1[%i] dim 0 step 1 : tensor<8x4xf32>, tensor<1x4xf32>
  return %2 : tensor<8x4xf32>
}
