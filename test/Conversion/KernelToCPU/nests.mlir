// RUN: tdc-opt %s --td-form-kernels --kernel-to-cpu="vector-bits=512 vector-registers=32" --split-input-file | FileCheck %s

// An elementwise kernel treats memory as a flat array of run-time size, so that
// the second kernel shares the first one's function.
// CHECK-LABEL: func.func @flat
func.func @flat(%x: tensor<4x5xf32>, %y: tensor<7xf32>) -> (tensor<4x5xf32>, tensor<7xf32>) {
  // CHECK: %[[N:.*]] = arith.constant 20 : i64
  // CHECK: td.launch @kernel_0(%arg0, %[[N]]) blocks(%{{.*}}) work 60 in_place [0, 0]
  // CHECK: %[[M:.*]] = arith.constant 7 : i64
  // CHECK: td.launch @kernel_0(%arg1, %[[M]]) blocks(%{{.*}}) work 21 in_place [0, 0]
  %a = td.neg %x : tensor<4x5xf32>
  %b = td.neg %y : tensor<7xf32>
  return %a, %b : tensor<4x5xf32>, tensor<7xf32>
}
// CHECK-LABEL: llvm.func internal @kernel_0(
// CHECK: scf.for
// CHECK: llvm.load {{.*}} -> vector<16xf32>
// CHECK: arith.negf {{.*}} : vector<16xf32>
// CHECK: llvm.store
// CHECK: scf.for
// CHECK: vector.create_mask
// CHECK: llvm.intr.masked.load
// CHECK: llvm.intr.masked.store
// CHECK-NOT: llvm.func internal @kernel_1

// -----

// A product along the contiguous dim of its right operand: accumulators in
// registers, one load per operand element and tile, the last vector masked.
// CHECK-LABEL: func.func @matmul
// CHECK-LABEL: llvm.func internal @kernel_0
// CHECK: scf.for {{.*}} iter_args
// CHECK-COUNT-4: math.fma {{.*}} : vector<16xf32>
// CHECK: scf.yield
// CHECK: llvm.intr.masked.store
func.func @matmul(%x: tensor<100x10xf32>, %w: tensor<10x50xf32>) -> tensor<100x50xf32> {
  %y = td.matmul %x, %w : tensor<100x10xf32>, tensor<10x50xf32> -> tensor<100x50xf32>
  return %y : tensor<100x50xf32>
}

// -----

// A matrix times a vector is vectorized along the summed dim, and the lanes are
// added up; a few rows are computed one by one.
// CHECK-LABEL: func.func @matvec
// CHECK-LABEL: llvm.func internal @kernel_0
// CHECK: math.fma
// CHECK: vector.reduction <add>, {{.*}} fastmath<reassoc> : vector<16xf32> into f32
func.func @matvec(%x: tensor<3x64xf32>, %w: tensor<64x1xf32>) -> tensor<3x1xf32> {
  %y = td.matmul %x, %w : tensor<3x64xf32>, tensor<64x1xf32> -> tensor<3x1xf32>
  return %y : tensor<3x1xf32>
}

// -----

// Rows of an operand that is strided along the lanes are loaded and transposed, 16
// at once, here twice. What remains is gathered.
// CHECK-LABEL: func.func @transpose
// CHECK-LABEL: llvm.func internal @kernel_0
// CHECK-COUNT-64: vector.shuffle
// CHECK: llvm.intr.masked.gather
func.func @transpose(%x: tensor<40x30xf32>) -> tensor<30x40xf32> {
  %y = td.permute %x [1, 0] : tensor<40x30xf32> to tensor<30x40xf32>
  return %y : tensor<30x40xf32>
}

// -----

// An index out of range is reported, and nothing is read there.
// CHECK-LABEL: func.func @gather
// CHECK-LABEL: llvm.func internal @kernel_0
// CHECK: llvm.call @tdrt_kernel_error
func.func @gather(%x: tensor<40x30xf32>, %i: tensor<8xi64>) -> tensor<8x30xf32> {
  %y = td.gather %x, %i dim 0 : tensor<40x30xf32>, tensor<8xi64> -> tensor<8x30xf32>
  return %y : tensor<8x30xf32>
}

// -----

// Values that are not finite are reported; the lanes past the end are none.
// CHECK: llvm.func @tdrt_kernel_value(!llvm.ptr, f64, i32)
// CHECK-LABEL: func.func @watch
// CHECK-LABEL: llvm.func internal @kernel_0
// CHECK: %[[MASK:.*]] = vector.create_mask
// CHECK: %[[SIZE:.*]] = math.absf
// CHECK: %[[BAD:.*]] = arith.cmpf uge, %[[SIZE]]
// CHECK: %[[LANES:.*]] = arith.andi %[[BAD]], %[[MASK]]
// CHECK: %[[SOME:.*]] = vector.reduction <or>, %[[LANES]]
// CHECK: scf.if %[[SOME]]
// CHECK: %[[WIDE:.*]] = arith.extf
// CHECK: llvm.call @tdrt_kernel_value(%{{.*}}, %[[WIDE]], %{{.*}})
func.func @watch(%x: tensor<7xf32>) -> tensor<7xf32> {
  %y = td.watch %x : tensor<7xf32>
  return %y : tensor<7xf32>
}

// -----

// An update copies its input only if input and result are different buffers.
// CHECK-LABEL: func.func @update
// CHECK: in_place [0, 0]
// CHECK-LABEL: llvm.func internal @kernel_0
// CHECK: llvm.icmp "ne"
// CHECK: scf.if
func.func @update(%x: tensor<80xf32>, %u: tensor<20xf32>, %i: i64) -> tensor<80xf32> {
  %y = td.update_slice %x, %u[%i] dim 0 step 2 : tensor<80xf32>, tensor<20xf32>
  return %y : tensor<80xf32>
}

// -----

// Rows picked by index: the index is checked once per row, outside of the loop
// over the row's elements, and its i64 does not shorten the vectors.
// CHECK-LABEL: func.func @picked
// CHECK-LABEL: llvm.func internal @kernel_0
// CHECK: llvm.call @tdrt_kernel_error
// CHECK: scf.for {{.*}} iter_args
// CHECK-NOT: tdrt_kernel_error
// CHECK: math.fma {{.*}} : vector<16xf32>
// CHECK-NOT: tdrt_kernel_error
// CHECK: scf.yield
func.func @picked(%x: tensor<100x64xf32>, %i: tensor<8xi64>, %w: tensor<64x128xf32>) -> tensor<8x128xf32> {
  %r = td.gather %x, %i dim 0 : tensor<100x64xf32>, tensor<8xi64> -> tensor<8x64xf32>
  %y = td.matmul %r, %w : tensor<8x64xf32>, tensor<64x128xf32> -> tensor<8x128xf32>
  return %y : tensor<8x128xf32>
}

// -----

// A remainder of one element is stored as a scalar, not as a masked vector.
// CHECK-LABEL: func.func @one_left
// CHECK-LABEL: llvm.func internal @kernel_0
// CHECK: %[[ALL:.*]] = arith.trunci {{.*}} : vector<16xi32> to vector<16xi8>
// CHECK: llvm.store %[[ALL]]
// CHECK: %[[LAST:.*]] = vector.extract %{{.*}}[0] : i8 from vector<16xi8>
// CHECK: llvm.store %[[LAST]]
// CHECK-NOT: llvm.intr.masked.store
func.func @one_left(%x: tensor<4x17xi32>) -> tensor<4x34xi8> {
  %y = td.cast %x : tensor<4x17xi32> to tensor<4x17xi8>
  %z = td.concat %y, %y dim 1 : (tensor<4x17xi8>, tensor<4x17xi8>) -> tensor<4x34xi8>
  return %z : tensor<4x34xi8>
}
