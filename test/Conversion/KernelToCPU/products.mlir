// RUN: tdc-opt %s --td-form-kernels --kernel-to-cpu="vector-bits=512 vector-registers=32" --split-input-file | FileCheck %s
// RUN: tdc-opt %s --td-form-kernels --kernel-to-cpu="vector-bits=128 vector-registers=16" --split-input-file | FileCheck %s --check-prefix=SHORT

// One row reads 12 vectors of each row of the matrix.
// CHECK-LABEL: llvm.func internal @kernel_0
// CHECK: scf.for {{.*}} step %c192_i64
// CHECK: :12 = scf.for
// SHORT-LABEL: llvm.func internal @kernel_0
// SHORT: scf.for {{.*}} step %c48_i64
// SHORT: :12 = scf.for
func.func @vector(%x: tensor<1x256xf32>, %w: tensor<256x960xf32>) -> tensor<1x960xf32> {
  %y = td.matmul %x, %w : tensor<1x256xf32>, tensor<256x960xf32> -> tensor<1x960xf32>
  return %y : tensor<1x960xf32>
}

// -----

// Both factors lie along the terms, of which there are many. Where the right one
// is larger than the L1 cache, a tile of both is multiplied and the lanes of each
// sum are added up.
// CHECK-LABEL: llvm.func internal @kernel_0
// CHECK: scf.for {{.*}} step %c4_i64
// CHECK: scf.for {{.*}} step %c6_i64
// CHECK: :24 = scf.for {{.*}} step %c16_i64
// CHECK: vector.reduction <add>
func.func @transposed(%x: tensor<40x512xf32>, %w: tensor<96x512xf32>) -> tensor<40x96xf32> {
  %t = td.permute %w [1, 0] : tensor<96x512xf32> to tensor<512x96xf32>
  %y = td.matmul %x, %t : tensor<40x512xf32>, tensor<512x96xf32> -> tensor<40x96xf32>
  return %y : tensor<40x96xf32>
}

// -----

// A smaller one stays in that cache: a row of 16 sums becomes one vector.
// CHECK-LABEL: llvm.func internal @kernel_0
// CHECK: :16 = scf.for {{.*}} step %c16_i64
// CHECK: vector.shuffle
func.func @transposed_small(%x: tensor<40x512xf32>, %w: tensor<16x512xf32>) -> tensor<40x16xf32> {
  %t = td.permute %w [1, 0] : tensor<16x512xf32> to tensor<512x16xf32>
  %y = td.matmul %x, %t : tensor<40x512xf32>, tensor<512x16xf32> -> tensor<40x16xf32>
  return %y : tensor<40x16xf32>
}

// -----

// With fewer terms, the right factor is copied to panels, once for all rows: 16
// rows of 16 terms are transposed in registers.
// CHECK-LABEL: func.func @transposed_short
// CHECK: -> (tensor<128x96xf32>, tensor<{{.*}}xf32>)
// CHECK-COUNT-64: vector.shuffle
// CHECK: llvm.store
// CHECK: scf.for
// CHECK-NOT: vector.shuffle
// CHECK-NOT: llvm.intr.masked.gather
// CHECK-NOT: vector.reduction
// CHECK: llvm.return
// SHORT-LABEL: func.func @transposed_short
// SHORT-COUNT-8: vector.shuffle
func.func @transposed_short(%x: tensor<128x32xf32>, %w: tensor<96x32xf32>) -> tensor<128x96xf32> {
  %t = td.permute %w [1, 0] : tensor<96x32xf32> to tensor<32x96xf32>
  %y = td.matmul %x, %t : tensor<128x32xf32>, tensor<32x96xf32> -> tensor<128x96xf32>
  return %y : tensor<128x96xf32>
}

// -----

// A large matrix is copied, all rows of a block of columns, to scratch of the
// launch: 600 rows of 4 vectors. Batches are outside, rows of the left factor
// inside. The largest panel has 512 KiB.
// CHECK-LABEL: func.func @large
// CHECK: td.launch @kernel_0(%arg0, %arg1) blocks(%{{.*}}) work {{[0-9]+}} scratch in_place []
// CHECK-SAME: -> (tensor<2x300x600xf32>, tensor<38400xf32>)
// CHECK: llvm.func internal @kernel_0
// CHECK-SAME: %[[SCRATCH:arg4]]: !llvm.ptr, %arg5: i64, %arg6: i64)
// CHECK: scf.for {{.*}} step %c1_i64
// CHECK: scf.for {{.*}} step %c64_i64
// CHECK: scf.for {{.*}} to %c600_i64
// CHECK-COUNT-4: llvm.store {{.*}} : vector<16xf32>
// CHECK: scf.for
// CHECK: scf.for {{.*}} to %c600_i64
// CHECK: llvm.getelementptr %[[SCRATCH]]
func.func @large(%x: tensor<2x300x600xf32>, %w: tensor<2x600x600xf32>) -> tensor<2x300x600xf32> {
  %y = td.matmul %x, %w : tensor<2x300x600xf32>, tensor<2x600x600xf32> -> tensor<2x300x600xf32>
  return %y : tensor<2x300x600xf32>
}

// -----

// Eight columns fit half a vector: no lanes are masked.
// CHECK-LABEL: func.func @half
// CHECK: llvm.func internal @kernel_0
// CHECK-NOT: vector<16xf32>
// CHECK-NOT: mask
// CHECK: math.fma {{.*}} : vector<8xf32>
// CHECK: llvm.return
func.func @half(%x: tensor<128x64xf32>, %w: tensor<64x8xf32>) -> tensor<128x8xf32> {
  %y = td.matmul %x, %w : tensor<128x64xf32>, tensor<64x8xf32> -> tensor<128x8xf32>
  return %y : tensor<128x8xf32>
}

// -----

// A matrix in blocks is read in place, block by block: 640 rows of 16 elements.
// CHECK-LABEL: func.func @blocks
// CHECK: td.launch @kernel_0(%arg0, %arg1) blocks(%{{.*}}) work {{[0-9]+}} in_place []
// CHECK-SAME: -> tensor<70x640xf32>
// CHECK: llvm.func internal @kernel_0
// CHECK: scf.for {{.*}} step %c64_i64
// CHECK-NOT: llvm.store
// CHECK: %[[BLOCK:.*]] = llvm.getelementptr %arg2[%{{.*}}]
// CHECK: llvm.load %[[BLOCK]] {{.*}} -> vector<16xf32>
// CHECK: %[[NEXT:.*]] = llvm.getelementptr %[[BLOCK]][10240]
// CHECK: llvm.load %[[NEXT]] {{.*}} -> vector<16xf32>
func.func @blocks(%x: tensor<70x640xf32>, %w: tensor<640x640xf32>) -> tensor<70x640xf32> {
  %y = td.kernel(%x, %w) {layouts = [array<i64: 0, 1>, array<i64: 1, 0, 16>, array<i64: 0, 1>]}
      : (tensor<70x640xf32>, tensor<640x640xf32>) -> tensor<70x640xf32> {
  ^bb0(%a: tensor<70x640xf32>, %b: tensor<640x640xf32>):
    %t = td.permute %b [1, 0] : tensor<640x640xf32> to tensor<640x640xf32>
    %p = td.matmul %a, %t : tensor<70x640xf32>, tensor<640x640xf32> -> tensor<70x640xf32>
    td.yield %p : tensor<70x640xf32>
  }
  return %y : tensor<70x640xf32>
}

// -----

// Every second element of a row: the panel is gathered once for all channels.
// CHECK-LABEL: func.func @strided
// CHECK: -> (tensor<1x64x8x16xf32>, tensor<512xf32>)
// CHECK: llvm.intr.masked.gather
// CHECK: llvm.store
// CHECK-NOT: llvm.intr.masked.gather
// CHECK: llvm.return
func.func @strided(%x: tensor<1x32x16x32xf32>, %w: tensor<64x32x1x1xf32>) -> tensor<1x64x8x16xf32> {
  %y = td.contract %x, %w at affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d4, d2 * 2 + d5, d3 * 2 + d6)>,
      affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d4, d5, d6)> : tensor<1x32x16x32xf32>, tensor<64x32x1x1xf32> -> tensor<1x64x8x16xf32>
  return %y : tensor<1x64x8x16xf32>
}

// -----

// The rows of a panel are the terms that its factor depends on: here 16 of 256.
// CHECK-LABEL: func.func @outer_term
// The other 16 elements are for the tag of threads.
// CHECK: -> (tensor<128x96xf32>, tensor<1552xf32>)
// CHECK: vector.shuffle
// CHECK: llvm.store
func.func @outer_term(%x: tensor<128x16x16xf32>, %w: tensor<96x16xf32>) -> tensor<128x96xf32> {
  %y = td.contract %x, %w at affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>,
      affine_map<(d0, d1, d2, d3) -> (d1, d2)> : tensor<128x16x16xf32>, tensor<96x16xf32> -> tensor<128x96xf32>
  return %y : tensor<128x96xf32>
}

// -----

// Without terms there is nothing to copy.
// CHECK-LABEL: func.func @no_terms
// CHECK: td.launch @kernel_0(%arg0, %arg1) in_place [] : {{.*}} -> tensor<128x96xf32>
func.func @no_terms(%x: tensor<128x0xf32>, %w: tensor<96x0xf32>) -> tensor<128x96xf32> {
  %t = td.permute %w [1, 0] : tensor<96x0xf32> to tensor<0x96xf32>
  %y = td.matmul %x, %t : tensor<128x0xf32>, tensor<0x96xf32> -> tensor<128x96xf32>
  return %y : tensor<128x96xf32>
}

// -----

// One row times a matrix that is larger than the cache: 8 rows of the matrix
// are read from end to end, and the sums of all columns are in scratch. Here
// threads share the columns.
// CHECK-LABEL: func.func @streamed
// CHECK: td.launch @kernel_0({{.*}} -> (tensor<1x3072xf32>, tensor<3072xf32>)
// CHECK: llvm.func internal @kernel_0
// CHECK: scf.for {{.*}} step %{{.*}} : i64 {
// CHECK-COUNT-2: llvm.store {{.*}} : vector<16xf32>
// CHECK: scf.for
// CHECK: %[[X:.*]] = llvm.load {{.*}} -> f32
// CHECK: scf.for
// CHECK-COUNT-8: math.fma
// CHECK: %[[BEFORE:.*]] = llvm.load {{.*}} -> vector<16xf32>
// CHECK: arith.addf %[[BEFORE]]
// CHECK: llvm.store
// CHECK-COUNT-8: math.fma
// CHECK: llvm.store
// CHECK: scf.for
// CHECK: arith.maximumf
// CHECK: llvm.return
func.func @streamed(%x: tensor<1x768xf32>, %w: tensor<768x3072xf32>) -> tensor<1x3072xf32> {
  %p = td.matmul %x, %w : tensor<1x768xf32>, tensor<768x3072xf32> -> tensor<1x3072xf32>
  %r = td.relu %p : tensor<1x3072xf32>
  return %r : tensor<1x3072xf32>
}

// -----

// Few rows times a large matrix: a tile has all 12 rows and two vectors, which
// are prefetched 32 terms before, in the second level of cache. With more rows
// a tile has them several times.
// CHECK-LABEL: func.func @few_rows
// CHECK: llvm.func internal @kernel_0
// CHECK: scf.for {{.*}} to %c768_i64
// CHECK: %[[AHEAD:.*]] = llvm.getelementptr %[[ROW:.*]][98304]
// CHECK-NEXT: "llvm.intr.prefetch"(%[[AHEAD]]) <{cache = 1 : i32, hint = 2 : i32, rw = 0 : i32}>
// CHECK-NEXT: %[[NEXT:.*]] = llvm.getelementptr %[[ROW]][98320]
// CHECK-NEXT: "llvm.intr.prefetch"(%[[NEXT]])
// CHECK-NOT: prefetch
// CHECK-COUNT-24: math.fma
func.func @few_rows(%x: tensor<12x768xf32>, %w: tensor<768x3072xf32>) -> tensor<12x3072xf32> {
  %p = td.matmul %x, %w : tensor<12x768xf32>, tensor<768x3072xf32> -> tensor<12x3072xf32>
  return %p : tensor<12x3072xf32>
}

// -----

// A weight of a Linear lies along the terms, and so do the lanes. While a tile
// of its rows is multiplied, the next one is prefetched.
// CHECK-LABEL: func.func @few_rows_transposed
// CHECK: llvm.func internal @kernel_0
// CHECK: scf.for {{.*}} to %c768_i64{{.*}} step %c16_i64
// CHECK-COUNT-6: "llvm.intr.prefetch"
// CHECK-COUNT-24: math.fma
func.func @few_rows_transposed(%x: tensor<12x768xf32>, %w: tensor<3072x768xf32>) -> tensor<12x3072xf32> {
  %t = td.permute %w [1, 0] : tensor<3072x768xf32> to tensor<768x3072xf32>
  %p = td.matmul %x, %t : tensor<12x768xf32>, tensor<768x3072xf32> -> tensor<12x3072xf32>
  return %p : tensor<12x3072xf32>
}

// -----

// One row of the other factor multiplies each element of the weight once: rows are
// prefetched only if the L3 cache does not hold the weight.
// CHECK-LABEL: func.func @one_row_transposed
// CHECK-NOT: prefetch
// CHECK: llvm.return
func.func @one_row_transposed(%x: tensor<1x768xf32>, %w: tensor<3072x768xf32>) -> tensor<1x3072xf32> {
  %t = td.permute %w [1, 0] : tensor<3072x768xf32> to tensor<768x3072xf32>
  %p = td.matmul %x, %t : tensor<1x768xf32>, tensor<768x3072xf32> -> tensor<1x3072xf32>
  return %p : tensor<1x3072xf32>
}

// -----

// CHECK-LABEL: func.func @one_row_from_memory
// CHECK: "llvm.intr.prefetch"
func.func @one_row_from_memory(%x: tensor<1x768xf32>, %w: tensor<30720x768xf32>) -> tensor<1x30720xf32> {
  %t = td.permute %w [1, 0] : tensor<30720x768xf32> to tensor<768x30720xf32>
  %p = td.matmul %x, %t : tensor<1x768xf32>, tensor<768x30720xf32> -> tensor<1x30720xf32>
  return %p : tensor<1x30720xf32>
}

// -----

// The caches do not hold the whole state, so the weight is no longer in one when
// it is read again. It is prefetched also if its numbers are widened.
// CHECK-LABEL: func.func @one_row_of_state
// CHECK: scf.for {{.*}} to %c768_i64{{.*}} step %c16_i64
// CHECK-COUNT-16: "llvm.intr.prefetch"
// CHECK-NOT: prefetch
// CHECK-COUNT-16: math.fma
td.slot @w param "w" of "m" : tensor<3072x768xbf16>
td.slot @others param "others" of "m" : tensor<4096x2048xf32>
func.func @one_row_of_state(%x: tensor<1x768xbf16>) -> tensor<1x3072xf32> {
  %w = td.read @w : tensor<3072x768xbf16>
  %y = td.cast %x : tensor<1x768xbf16> to tensor<1x768xf32>
  %v = td.cast %w : tensor<3072x768xbf16> to tensor<3072x768xf32>
  %t = td.permute %v [1, 0] : tensor<3072x768xf32> to tensor<768x3072xf32>
  %p = td.matmul %y, %t : tensor<1x768xf32>, tensor<768x3072xf32> -> tensor<1x3072xf32>
  return %p : tensor<1x3072xf32>
}

// -----

// A matrix that the caches hold is not prefetched.
// CHECK-LABEL: func.func @cached
// CHECK-NOT: prefetch
// CHECK: llvm.return
func.func @cached(%x: tensor<12x256xf32>, %w: tensor<256x512xf32>) -> tensor<12x512xf32> {
  %p = td.matmul %x, %w : tensor<12x256xf32>, tensor<256x512xf32> -> tensor<12x512xf32>
  return %p : tensor<12x512xf32>
}

// -----

// The gradient of a weight. The L2 cache holds the factor on lanes, not the other one:
// a tile of its columns meets all of the first before the next one, and its
// first and its last element are prefetched.
// CHECK-LABEL: func.func @weight_gradient
// CHECK: llvm.func internal @kernel_0
// CHECK: scf.for {{.*}} step %c8_i64
// CHECK: scf.for {{.*}} step %c48_i64
// CHECK: scf.for {{.*}} to %c768_i64
// CHECK: %[[AHEAD:.*]] = llvm.getelementptr %[[ROW:.*]][16384]
// CHECK-NEXT: "llvm.intr.prefetch"(%[[AHEAD]])
// CHECK-NEXT: %[[LAST:.*]] = llvm.getelementptr %[[ROW]][16391]
// CHECK-NEXT: "llvm.intr.prefetch"(%[[LAST]])
// CHECK-NOT: prefetch
// CHECK-COUNT-24: math.fma
func.func @weight_gradient(%d: tensor<768x512xf32>, %x: tensor<768x144xf32>) -> tensor<512x144xf32> {
  %t = td.permute %d [1, 0] : tensor<768x512xf32> to tensor<512x768xf32>
  %g = td.matmul %t, %x : tensor<512x768xf32>, tensor<768x144xf32> -> tensor<512x144xf32>
  return %g : tensor<512x144xf32>
}

// -----

// The terms of the right factor are 2 KB apart, in 2 of 64 sets of the L1 cache. From 64 rows on
// they are copied to a panel.
// CHECK-LABEL: func.func @few_sets
// CHECK: td.launch @kernel_0(%arg0, %arg1) {{.*}} scratch
// CHECK-LABEL: func.func @few_rows
// CHECK-NOT: scratch
// CHECK: return
func.func @few_sets(%x: tensor<64x128xf32>, %w: tensor<128x512xf32>) -> tensor<64x512xf32> {
  %y = td.matmul %x, %w : tensor<64x128xf32>, tensor<128x512xf32> -> tensor<64x512xf32>
  return %y : tensor<64x512xf32>
}
func.func @few_rows(%x: tensor<63x128xf32>, %w: tensor<128x512xf32>) -> tensor<63x512xf32> {
  %y = td.matmul %x, %w : tensor<63x128xf32>, tensor<128x512xf32> -> tensor<63x512xf32>
  return %y : tensor<63x512xf32>
}

// -----

// Of 50 columns, 2 remain after three vectors: a vector of 4 lanes holds them,
// and two of these are stored. A tile has 5 rows, so that the registers hold
// their scalars for the shorter vectors, too.
// CHECK-LABEL: func.func @short_last
// CHECK: llvm.func internal @kernel_0
// CHECK-DAG: %[[MASK:.*]] = arith.constant dense<[true, true, false, false]> : vector<4xi1>
// CHECK: scf.for {{.*}} step %c5_i64
// CHECK: scf.for {{.*}} to %c10_i64
// CHECK: llvm.intr.masked.load {{.*}}, %[[MASK]], {{.*}} -> vector<4xf32>
// CHECK-COUNT-3: math.fma {{.*}} : vector<16xf32>
// CHECK: math.fma {{.*}} : vector<4xf32>
// CHECK: llvm.intr.masked.store {{.*}}, %[[MASK]] {{.*}} : vector<4xf32>
func.func @short_last(%x: tensor<20x10xf32>, %w: tensor<10x50xf32>) -> tensor<20x50xf32> {
  %p = td.matmul %x, %w : tensor<20x10xf32>, tensor<10x50xf32> -> tensor<20x50xf32>
  return %p : tensor<20x50xf32>
}

// -----

// So are 4096 rows of a matrix: 512 sums are added one after another.
// CHECK-LABEL: func.func @streamed_long
// CHECK: td.launch @kernel_0({{.*}} -> (tensor<1x4096xf32>, tensor<4096xf32>)
func.func @streamed_long(%x: tensor<1x4096xf32>, %w: tensor<4096x4096xf32>) -> tensor<1x4096xf32> {
  %p = td.matmul %x, %w : tensor<1x4096xf32>, tensor<4096x4096xf32> -> tensor<1x4096xf32>
  return %p : tensor<1x4096xf32>
}

// -----

// If neither factor fits the L2 cache, the larger one is prefetched.
// CHECK-LABEL: func.func @both_far
// CHECK: llvm.func internal @kernel_0
// CHECK: %[[AHEAD:.*]] = llvm.getelementptr %[[ROW:.*]][16640]
// CHECK-NEXT: "llvm.intr.prefetch"(%[[AHEAD]])
// CHECK-NEXT: %[[LAST:.*]] = llvm.getelementptr %[[ROW]][16651]
// CHECK-NEXT: "llvm.intr.prefetch"(%[[LAST]])
// CHECK-NOT: prefetch
// CHECK: math.fma
func.func @both_far(%d: tensor<12288x520xf32>, %x: tensor<12288x64xf32>) -> tensor<520x64xf32> {
  %t = td.permute %d [1, 0] : tensor<12288x520xf32> to tensor<520x12288xf32>
  %g = td.matmul %t, %x : tensor<520x12288xf32>, tensor<12288x64xf32> -> tensor<520x64xf32>
  return %g : tensor<520x64xf32>
}

// -----

// Lanes along a run-time number of rows, 16 rows at once; fewer than 12 have code of
// their own, with terms on lanes, which the first block runs. There 3 rows are a block,
// and what remains are single rows.
// CHECK-LABEL: func.func @rows
// CHECK: llvm.func internal @kernel_0
// CHECK: %[[FEW:.*]] = arith.cmpi slt, %[[ROWS:.*]], %c12_i64
// CHECK: scf.if %[[FEW]] {
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %{{.*}}, %c0_i64
// CHECK: scf.if %[[FIRST]] {
// CHECK: scf.for {{.*}} step %c8_i64
// CHECK: scf.for {{.*}} step %c3_i64
// CHECK: scf.for {{.*}} to %c768_i64{{.*}} step %c16_i64
// CHECK-COUNT-24: math.fma
// CHECK: } else {
// CHECK: scf.for {{.*}} step %c16_i64
func.func @rows(%x: tensor<?x770xf32>, %w: tensor<513x770xf32>) -> tensor<?x513xf32> {
  %t = td.permute %w [1, 0] : tensor<513x770xf32> to tensor<770x513xf32>
  %p = td.matmul %x, %t : tensor<?x770xf32>, tensor<770x513xf32> -> tensor<?x513xf32>
  return %p : tensor<?x513xf32>
}

// -----

// A block has 6 rows; what remains runs in blocks of 2 rows, and of 1.
// CHECK-LABEL: func.func @remaining_rows
// CHECK: llvm.func internal @kernel_0
// CHECK: scf.for {{.*}} step %c64_i64
// CHECK: scf.for {{.*}} step %c6_i64
// CHECK-COUNT-24: math.fma
// CHECK: scf.for {{.*}} step %c2_i64
// CHECK-COUNT-8: math.fma
// CHECK: scf.for {{.*}} step %c1_i64
// CHECK-COUNT-4: math.fma
func.func @remaining_rows(%x: tensor<?x96xf32>, %w: tensor<96x128xf32>) -> tensor<?x128xf32> {
  %p = td.matmul %x, %w : tensor<?x96xf32>, tensor<96x128xf32> -> tensor<?x128xf32>
  return %p : tensor<?x128xf32>
}

// -----

// A run-time number of rows times a transposed matrix: from 32 rows on, the matrix
// is copied to panels; fewer rows add up the lanes of products along the terms.
// CHECK-LABEL: func.func @few_or_panel
// CHECK: %[[FEW:.*]] = arith.cmpi slt, {{.*}}, %c32_i64
// CHECK: scf.if %[[FEW]]
// CHECK-NOT: vector.shuffle
// CHECK: vector.reduction <add>
// CHECK: } else {
// CHECK: vector.shuffle
func.func @few_or_panel(%x: tensor<?x1024xf32>, %w: tensor<256x1024xf32>) -> tensor<?x256xf32> {
  %t = td.permute %w [1, 0] : tensor<256x1024xf32> to tensor<1024x256xf32>
  %p = td.matmul %x, %t : tensor<?x1024xf32>, tensor<1024x256xf32> -> tensor<?x256xf32>
  return %p : tensor<?x256xf32>
}

// -----

// Few terms of a tile have code for each: 8 rows times 10 terms.
// CHECK-LABEL: func.func @few_terms
// CHECK: llvm.func internal @kernel_0
// CHECK-NOT: scf.for
// CHECK-COUNT-80: math.fma
// CHECK-NOT: math.fma
// CHECK: llvm.return
func.func @few_terms(%x: tensor<8x10xf32>, %w: tensor<10x16xf32>) -> tensor<8x16xf32> {
  %0 = td.matmul %x, %w : tensor<8x10xf32>, tensor<10x16xf32> -> tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}

// -----

// Windows that begin two positions apart share elements with others than their neighbours, so
// registers would not hold these: their terms stay loops.
// CHECK-LABEL: func.func @strided
// CHECK: llvm.func internal @kernel_0
// CHECK-COUNT-3: iter_args
// CHECK: llvm.return
func.func @strided(%x: tensor<1x8x15x15xf32>, %w: tensor<32x8x3x3xf32>) -> tensor<1x32x7x7xf32> {
  %0 = td.contract %x, %w at affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d4, 2 * d2 + d5, 2 * d3 + d6)>, affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d4, d5, d6)> : tensor<1x8x15x15xf32>, tensor<32x8x3x3xf32> -> tensor<1x32x7x7xf32>
  return %0 : tensor<1x32x7x7xf32>
}

// -----

// Results that the L2 cache does not hold are stored in the order of memory if the L1 cache holds
// the other factor: rows are outermost.
// CHECK-LABEL: func.func @far_results
// CHECK: llvm.func internal @kernel_0
// CHECK: scf.for {{.*}} step %c6_i64
// CHECK: scf.for {{.*}} step %c64_i64
// CHECK: llvm.return
func.func @far_results(%x: tensor<8190x24xf32>, %w: tensor<24x256xf32>) -> tensor<8190x256xf32> {
  %0 = td.matmul %x, %w : tensor<8190x24xf32>, tensor<24x256xf32> -> tensor<8190x256xf32>
  return %0 : tensor<8190x256xf32>
}

// -----

// The gradient of a convolution's weights: 32 x 16 x 9 sums are in scratch. Four rows of an
// image are a block, which all tiles read.
// CHECK-LABEL: func.func @block_by_block
// CHECK: td.launch @kernel_0{{.*}} scratch {{.*}} -> (tensor<3x3x16x64xf32>, tensor<4608xf32>)
// CHECK: llvm.func internal @kernel_0
// CHECK: scf.for {{.*}} step %c32_i64
// CHECK-NOT: math.fma
// CHECK: scf.for {{.*}} to %c32_i64{{.*}} step %c4_i64
// CHECK: scf.for {{.*}} step %c8_i64
// CHECK: %[[SUM:.*]]:16 = scf.for {{.*}} iter_args
// CHECK: math.fma
// CHECK: arith.addf {{.*}}, %[[SUM]]#0
func.func @block_by_block(%x: tensor<8x34x34x16xf32>, %d: tensor<8x32x32x64xf32>) -> tensor<3x3x16x64xf32> {
  %0 = td.contract %x, %d at affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d4, d0 + d5, d1 + d6, d2)>, affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d4, d5, d6, d3)> : tensor<8x34x34x16xf32>, tensor<8x32x32x64xf32> -> tensor<3x3x16x64xf32>
  return %0 : tensor<3x3x16x64xf32>
}

// -----

// Rows of 300 columns are no whole number of vectors, which straddle cache lines:
// 64 rows of the other factor and more make up for a copy.
// CHECK-LABEL: func.func @unaligned
// CHECK: td.launch @kernel_0({{.*}} scratch
func.func @unaligned(%x: tensor<64x300xf32>, %w: tensor<300x300xf32>) -> tensor<64x300xf32> {
  %p = td.matmul %x, %w : tensor<64x300xf32>, tensor<300x300xf32> -> tensor<64x300xf32>
  return %p : tensor<64x300xf32>
}

// -----

// CHECK-LABEL: func.func @aligned
// CHECK: td.launch
// CHECK-NOT: scratch
// CHECK: return
func.func @aligned(%x: tensor<64x300xf32>, %w: tensor<300x304xf32>) -> tensor<64x304xf32> {
  %p = td.matmul %x, %w : tensor<64x300xf32>, tensor<300x304xf32> -> tensor<64x304xf32>
  return %p : tensor<64x304xf32>
}

// -----

// While tiles of 8 rows read a panel of 3 vectors, each prefetches a part of the next panel:
// 12 bytes for each of 768 terms.
// CHECK-LABEL: llvm.func internal @kernel_0
// CHECK: %[[TILE:.*]] = arith.divui %{{.*}}, %c8_i64
// CHECK: arith.muli %{{.*}}, %c-52_i64
// CHECK: arith.muli %{{.*}}, %c9216_i64
// CHECK: "llvm.intr.prefetch"(%{{.*}}) <{cache = 1 : i32, hint = 2 : i32, rw = 0 : i32}>
// CHECK-NOT: prefetch
// Of two tiles, each prefetches 96 bytes for a term, which are in two lines. One reads a
// panel only once.
// CHECK-LABEL: llvm.func internal @kernel_1
// CHECK-COUNT-2: "llvm.intr.prefetch"
// CHECK-NOT: prefetch
func.func @next_panel_128(%x: tensor<128x768xf32>, %w: tensor<3072x768xf32>) -> tensor<128x3072xf32> {
  %0 = td.kernel(%x, %w) {layouts = [array<i64: 0, 1>, array<i64: 1, 0, 16>, array<i64: 0, 1>]} : (tensor<128x768xf32>, tensor<3072x768xf32>) -> tensor<128x3072xf32> {
  ^bb0(%a: tensor<128x768xf32>, %b: tensor<3072x768xf32>):
    %t = td.permute %b [1, 0] : tensor<3072x768xf32> to tensor<768x3072xf32>
    %y = td.matmul %a, %t : tensor<128x768xf32>, tensor<768x3072xf32> -> tensor<128x3072xf32>
    td.yield %y : tensor<128x3072xf32>
  }
  return %0 : tensor<128x3072xf32>
}
func.func @next_panel_16(%x: tensor<16x768xf32>, %w: tensor<3072x768xf32>) -> tensor<16x3072xf32> {
  %0 = td.kernel(%x, %w) {layouts = [array<i64: 0, 1>, array<i64: 1, 0, 16>, array<i64: 0, 1>]} : (tensor<16x768xf32>, tensor<3072x768xf32>) -> tensor<16x3072xf32> {
  ^bb0(%a: tensor<16x768xf32>, %b: tensor<3072x768xf32>):
    %t = td.permute %b [1, 0] : tensor<3072x768xf32> to tensor<768x3072xf32>
    %y = td.matmul %a, %t : tensor<16x768xf32>, tensor<768x3072xf32> -> tensor<16x3072xf32>
    td.yield %y : tensor<16x3072xf32>
  }
  return %0 : tensor<16x3072xf32>
}
func.func @next_panel_8(%x: tensor<8x768xf32>, %w: tensor<3072x768xf32>) -> tensor<8x3072xf32> {
  %0 = td.kernel(%x, %w) {layouts = [array<i64: 0, 1>, array<i64: 1, 0, 16>, array<i64: 0, 1>]} : (tensor<8x768xf32>, tensor<3072x768xf32>) -> tensor<8x3072xf32> {
  ^bb0(%a: tensor<8x768xf32>, %b: tensor<3072x768xf32>):
    %t = td.permute %b [1, 0] : tensor<3072x768xf32> to tensor<768x3072xf32>
    %y = td.matmul %a, %t : tensor<8x768xf32>, tensor<768x3072xf32> -> tensor<8x3072xf32>
    td.yield %y : tensor<8x3072xf32>
  }
  return %0 : tensor<8x3072xf32>
}
