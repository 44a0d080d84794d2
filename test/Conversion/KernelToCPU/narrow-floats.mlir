// RUN: tdc-opt %s --td-form-kernels --kernel-to-cpu="vector-bits=512 vector-registers=32" --split-input-file | FileCheck %s
// RUN: tdc-opt %s --td-form-kernels --kernel-to-cpu="vector-bits=512 vector-registers=32 multiplies-bf16-pairs=true" --split-input-file | FileCheck %s --check-prefix=PAIRS

// bf16 is computed as f32 in registers, and each op rounds before the next: the
// product is not kept in f32 for the sum. max is exact and rounds nothing.
// CHECK-LABEL: llvm.func internal @kernel_0
// CHECK: %[[LOAD:.*]] = llvm.load {{.*}} : !llvm.ptr -> vector<16xi16>
// CHECK: %[[BITS:.*]] = arith.bitcast %[[LOAD]] : vector<16xi16> to vector<16xbf16>
// CHECK: arith.extf %[[BITS]] : vector<16xbf16> to vector<16xf32>
// CHECK: %[[PRODUCT:.*]] = arith.mulf {{.*}} : vector<16xf32>
// CHECK: %[[ROUNDED:.*]] = arith.truncf %[[PRODUCT]] : vector<16xf32> to vector<16xbf16>
// CHECK: %[[AGAIN:.*]] = arith.extf %[[ROUNDED]] : vector<16xbf16> to vector<16xf32>
// CHECK: %[[SUM:.*]] = arith.addf %[[AGAIN]], {{.*}} : vector<16xf32>
// CHECK: arith.truncf %[[SUM]]
// CHECK: %[[WIDE:.*]] = arith.extf
// CHECK: %[[MOST:.*]] = arith.maximumf %[[WIDE]], {{.*}} : vector<16xf32>
// CHECK: %[[NARROW:.*]] = arith.truncf %[[MOST]] : vector<16xf32> to vector<16xbf16>
// CHECK: %[[STORED:.*]] = arith.bitcast %[[NARROW]] : vector<16xbf16> to vector<16xi16>
// CHECK: llvm.store %[[STORED]]
func.func @ops(%x: tensor<64xbf16>, %y: tensor<64xbf16>) -> tensor<64xbf16> {
  %0 = td.mul %x, %y : tensor<64xbf16>
  %1 = td.add %0, %y : tensor<64xbf16>
  %2 = td.max %1, %x : tensor<64xbf16>
  return %2 : tensor<64xbf16>
}

// -----

// Products are summed in f32 and rounded once. The bias is added to the rounded
// sum; it is not the initial value of the accumulators.
// CHECK-LABEL: llvm.func internal @kernel_0
// CHECK: scf.for {{.*}} -> (vector<16xf32>
// CHECK-NOT: arith.truncf
// CHECK: math.fma {{.*}} : vector<16xf32>
// CHECK: scf.yield
// CHECK: arith.truncf {{.*}} : vector<16xf32> to vector<16xf16>
// CHECK: arith.addf {{.*}} : vector<16xf32>
// CHECK: %[[LAST:.*]] = arith.truncf {{.*}} : vector<16xf32> to vector<16xf16>
// CHECK: %[[STORED:.*]] = arith.bitcast %[[LAST]]
// CHECK: llvm.store %[[STORED]]
func.func @bias(%x: tensor<8x30xf16>, %w: tensor<30x16xf16>, %b: tensor<16xf16>) -> tensor<8x16xf16> {
  %0 = td.matmul %x, %w : tensor<8x30xf16>, tensor<30x16xf16> -> tensor<8x16xf16>
  %1 = td.broadcast %b : tensor<16xf16> to tensor<8x16xf16>
  %2 = td.add %0, %1 : tensor<8x16xf16>
  return %2 : tensor<8x16xf16>
}

// -----

// f64 is first rounded to odd in f32, which keeps it on its side of every f16:
// two roundings to nearest could give the wrong f16.
// CHECK-LABEL: llvm.func internal @kernel_0
// CHECK: arith.bitcast {{.*}} : vector<8xf64> to vector<8xi64>
// CHECK: arith.addi
// CHECK: arith.ori
// CHECK: %[[ODD:.*]] = arith.andi
// CHECK: %[[WIDE:.*]] = arith.bitcast %[[ODD]] : vector<8xi64> to vector<8xf64>
// CHECK: %[[SINGLE:.*]] = arith.truncf %[[WIDE]] : vector<8xf64> to vector<8xf32>
// CHECK: arith.truncf %[[SINGLE]] : vector<8xf32> to vector<8xf16>
func.func @from_f64(%x: tensor<64xf64>) -> tensor<64xf16> {
  %0 = td.cast %x : tensor<64xf64> to tensor<64xf16>
  return %0 : tensor<64xf16>
}

// -----

// Elements that are only moved are not converted.
// CHECK-LABEL: llvm.func internal @kernel_0
// CHECK-NOT: arith.truncf
// CHECK: llvm.store {{.*}} : vector<16xi16>
// CHECK-NOT: arith.truncf
// CHECK: llvm.return
func.func @moved(%x: tensor<64x16xbf16>) -> tensor<16x64xbf16> {
  %0 = td.permute %x [1, 0] : tensor<64x16xbf16> to tensor<16x64xbf16>
  return %0 : tensor<16x64xbf16>
}

// -----

// A processor that multiplies pairs of bf16 takes two terms at once. The panel
// has the pairs of the right factor next to each other; the second number of
// the last pair is 0.
// CHECK-LABEL: func.func @pairs
// CHECK-NOT: dpbf16ps
// PAIRS-LABEL: func.func @pairs
// PAIRS: llvm.func internal @kernel_0
// PAIRS: scf.for
// PAIRS: arith.shrui {{.*}} : vector<16xi32>
// PAIRS: arith.andi {{.*}} : vector<16xi32>
// PAIRS: %[[PAIRS:.*]] = arith.ori {{.*}} : vector<16xi32>
// PAIRS: llvm.store %[[PAIRS]]
// PAIRS: %[[NONE:.*]] = arith.constant dense<0.000000e+00> : vector<16xf32>
// PAIRS: arith.bitcast %[[NONE]] : vector<16xf32> to vector<16xi32>
// PAIRS: llvm.store
// PAIRS: scf.for {{.*}} -> (vector<16xf32>
// PAIRS: llvm.load {{.*}} -> vector<16xi32>
// PAIRS: vector.bitcast {{.*}} : vector<16xi32> to vector<32xbf16>
// PAIRS: llvm.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.512"({{.*}}) : (vector<16xf32>, vector<32xbf16>, vector<32xbf16>) -> vector<16xf32>
func.func @pairs(%x: tensor<24x11xbf16>, %w: tensor<11x32xbf16>) -> tensor<24x32xbf16> {
  %0 = td.matmul %x, %w : tensor<24x11xbf16>, tensor<11x32xbf16> -> tensor<24x32xbf16>
  return %0 : tensor<24x32xbf16>
}

// -----

// A Linear of bf16 widens both factors: their terms are multiplied in pairs.
// PAIRS-LABEL: func.func @widened
// PAIRS: llvm.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.512"
func.func @widened(%x: tensor<24x12xbf16>, %w: tensor<12x32xbf16>) -> tensor<24x32xf32> {
  %0 = td.cast %x : tensor<24x12xbf16> to tensor<24x12xf32>
  %1 = td.cast %w : tensor<12x32xbf16> to tensor<12x32xf32>
  %2 = td.matmul %0, %1 : tensor<24x12xf32>, tensor<12x32xf32> -> tensor<24x32xf32>
  return %2 : tensor<24x32xf32>
}

// -----

// With one factor of f32, no pairs are multiplied.
// PAIRS-LABEL: func.func @one_widened
// PAIRS-NOT: dpbf16ps
// PAIRS: llvm.return
func.func @one_widened(%x: tensor<24x12xbf16>, %w: tensor<12x32xf32>) -> tensor<24x32xf32> {
  %0 = td.cast %x : tensor<24x12xbf16> to tensor<24x12xf32>
  %2 = td.matmul %0, %w : tensor<24x12xf32>, tensor<12x32xf32> -> tensor<24x32xf32>
  return %2 : tensor<24x32xf32>
}

// -----

// Few rows do not pay for a panel.
// PAIRS-LABEL: func.func @few
// PAIRS-NOT: dpbf16ps
func.func @few(%x: tensor<2x11xbf16>, %w: tensor<11x32xbf16>) -> tensor<2x32xbf16> {
  %0 = td.matmul %x, %w : tensor<2x11xbf16>, tensor<11x32xbf16> -> tensor<2x32xbf16>
  return %0 : tensor<2x32xbf16>
}
