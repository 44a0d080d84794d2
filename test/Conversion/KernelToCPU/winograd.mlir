// RUN: tdc-opt %s --td-form-kernels --kernel-to-cpu="vector-bits=512 vector-registers=32" --split-input-file | FileCheck %s
// RUN: tdc-opt %s --td-form-kernels --kernel-to-cpu="vector-bits=256 vector-registers=16" --split-input-file | FileCheck %s --check-prefix=SHORT

// All weights are transformed before the bands, once by a thread: 15 rows of 16 columns, of which
// a band has 7 rows of tiles. The sums of 14 tiles, or 6, times two vectors of
// filters are in registers.
#x = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1 + d5, d2 + d6, d4)>
#w = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d5, d6, d4, d3)>
// CHECK-LABEL: func.func @bands
// CHECK: td.launch @kernel_0({{.*}}) blocks({{.*}}) {{.*}} scratch
// CHECK-LABEL: llvm.func internal @kernel_0
// CHECK: %[[KNOWN:.*]] = llvm.load %{{.*}} : !llvm.ptr -> i64
// CHECK: %[[OTHER:.*]] = arith.cmpi ne, %[[KNOWN]], %{{.*}} : i64
// CHECK: scf.if %[[OTHER]]
// CHECK: %[[HALF:.*]] = arith.constant dense<5.000000e-01> : vector<16xf32>
// CHECK: arith.mulf {{.*}}, %[[HALF]]
// CHECK: scf.for {{.*}} step %c14_i64
// CHECK: arith.subf
// CHECK: scf.for
// CHECK: :28 = scf.for
// CHECK: vector.broadcast
// CHECK: arith.subf
// SHORT-LABEL: llvm.func internal @kernel_0
// SHORT: :12 = scf.for
func.func @bands(%x: tensor<1x30x34x64xf32>, %w: tensor<3x3x64x64xf32>) -> tensor<1x28x32x64xf32> {
  %y = td.contract %x, %w at #x, #w : tensor<1x30x34x64xf32>, tensor<3x3x64x64xf32> -> tensor<1x28x32x64xf32>
  return %y : tensor<1x28x32x64xf32>
}

// -----

// With one band, a part of the weights is transformed before its products.
#x = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1 + d5, d2 + d6, d4)>
#w = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d5, d6, d4, d3)>
// CHECK-LABEL: llvm.func internal @kernel_0
// CHECK: arith.subf
// CHECK: arith.constant dense<5.000000e-01>
// CHECK: :26 = scf.for
func.func @one(%x: tensor<1x16x16x64xf32>, %w: tensor<3x3x64x128xf32>) -> tensor<1x14x14x128xf32> {
  %y = td.contract %x, %w at #x, #w : tensor<1x16x16x64xf32>, tensor<3x3x64x128xf32> -> tensor<1x14x14x128xf32>
  return %y : tensor<1x14x14x128xf32>
}

// -----

// The gradient of an image turns the windows.
#x = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1 - d5 + 2, d2 - d6 + 2, d4)>
#w = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d5, d6, d4, d3)>
// CHECK-LABEL: llvm.func internal @kernel_0
// CHECK: arith.constant dense<5.000000e-01>
func.func @turned(%x: tensor<1x16x16x64xf32>, %w: tensor<3x3x64x128xf32>) -> tensor<1x14x14x128xf32> {
  %y = td.contract %x, %w at #x, #w : tensor<1x16x16x64xf32>, tensor<3x3x64x128xf32> -> tensor<1x14x14x128xf32>
  return %y : tensor<1x14x14x128xf32>
}

// -----

// A stride, 16 tiles, channels that are no whole vectors, f64: sums of products.
#stride = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1 * 2 + d5, d2 * 2 + d6, d4)>
#x = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1 + d5, d2 + d6, d4)>
#w = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d5, d6, d4, d3)>
// CHECK-LABEL: func.func @products
// CHECK-NOT: arith.constant dense<5.000000e-01>
func.func @products(%a: tensor<1x33x33x64xf32>, %w: tensor<3x3x64x64xf32>, %b: tensor<1x9x9x64xf32>,
                    %c: tensor<1x34x34x40xf32>, %v: tensor<3x3x40x64xf32>,
                    %d: tensor<1x34x34x64xf64>, %u: tensor<3x3x64x64xf64>)
    -> (tensor<1x16x16x64xf32>, tensor<1x7x7x64xf32>, tensor<1x32x32x64xf32>, tensor<1x32x32x64xf64>) {
  %0 = td.contract %a, %w at #stride, #w : tensor<1x33x33x64xf32>, tensor<3x3x64x64xf32> -> tensor<1x16x16x64xf32>
  %1 = td.contract %b, %w at #x, #w : tensor<1x9x9x64xf32>, tensor<3x3x64x64xf32> -> tensor<1x7x7x64xf32>
  %2 = td.contract %c, %v at #x, #w : tensor<1x34x34x40xf32>, tensor<3x3x40x64xf32> -> tensor<1x32x32x64xf32>
  %3 = td.contract %d, %u at #x, #w : tensor<1x34x34x64xf64>, tensor<3x3x64x64xf64> -> tensor<1x32x32x64xf64>
  return %0, %1, %2, %3 : tensor<1x16x16x64xf32>, tensor<1x7x7x64xf32>, tensor<1x32x32x64xf32>, tensor<1x32x32x64xf64>
}
