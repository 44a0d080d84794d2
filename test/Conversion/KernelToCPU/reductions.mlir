// RUN: tdc-opt %s --td-form-kernels --kernel-to-cpu="vector-bits=512 vector-registers=32" --split-input-file | FileCheck %s
// RUN: tdc-opt %s --td-form-kernels --kernel-to-cpu="vector-bits=128 vector-registers=16" --split-input-file | FileCheck %s --check-prefix=SHORT

// A sum over rows has one column per lane: lanes are not added to each other.
// CHECK-LABEL: llvm.func internal @kernel_0
// CHECK-NOT: vector.reduction
// CHECK: scf.for {{.*}} iter_args
// CHECK: arith.addf {{.*}} : vector<16xf32>
// CHECK-NOT: vector.reduction
// CHECK: llvm.return
func.func @columns(%x: tensor<100x64xf32>) -> tensor<64xf32> {
  %y = td.reduce sum %x [0] : tensor<100x64xf32> to tensor<64xf32>
  return %y : tensor<64xf32>
}

// -----

// A single sum has four accumulators, so that no addition waits for the last.
// CHECK-LABEL: llvm.func internal @kernel_0
// CHECK: scf.for {{.*}} -> (vector<8xf64>, vector<8xf64>, vector<8xf64>, vector<8xf64>)
// CHECK: vector.reduction <add>, {{.*}} : vector<8xf64> into f64
func.func @all(%x: tensor<1000xf64>) -> tensor<f64> {
  %y = td.reduce sum %x [0] : tensor<1000xf64> to tensor<f64>
  return %y : tensor<f64>
}

// -----

// Each lane keeps its best value and that value's index; then the smallest index
// among the best lanes is taken. Indices are i64, so a vector has 8 lanes.
// CHECK-LABEL: llvm.func internal @kernel_0
// CHECK: scf.for {{.*}} -> (vector<8xf32>, vector<8xi64>
// CHECK: arith.cmpf ogt
// CHECK: arith.cmpf uno
// CHECK: vector.reduction <minsi>, {{.*}} : vector<8xi64> into i64
func.func @argmax(%x: tensor<1000xf32>) -> tensor<i64> {
  %y = td.arg_reduce max %x [0] : tensor<1000xf32> to tensor<i64>
  return %y : tensor<i64>
}

// -----

// The value and the index of a row take two registers: of 16 registers, 12 are
// for accumulators, so a tile has 6 rows; of 32 registers it has 8, which leave
// no remainder.
// CHECK-LABEL: llvm.func internal @kernel_0
// CHECK: scf.for {{.*}} step %c8_i64
// CHECK: :16 = scf.for
// SHORT-LABEL: func.func @argmaxes
// SHORT: llvm.func internal @kernel_0
// SHORT: scf.for {{.*}} step %c6_i64
// SHORT: :12 = scf.for
func.func @argmaxes(%x: tensor<64x1000xf32>) -> tensor<64xi64> {
  %y = td.arg_reduce max %x [1] : tensor<64x1000xf32> to tensor<64xi64>
  return %y : tensor<64xi64>
}

// -----

// The producers of a sum and its users are in one kernel; two sums over the
// same rows share a loop.
// CHECK-LABEL: func.func @moments
// CHECK-COUNT-1: td.launch
// CHECK-NOT: td.launch
// CHECK-LABEL: llvm.func internal @kernel_0
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}})
// CHECK-COUNT-1: llvm.load
// CHECK-NOT: llvm.load
// CHECK: arith.addf
// CHECK: arith.mulf
// CHECK: arith.addf
func.func @moments(%x: tensor<100x16xf32>) -> (tensor<16xf32>, tensor<16xf32>) {
  %s = td.reduce sum %x [0] : tensor<100x16xf32> to tensor<16xf32>
  %q = td.mul %x, %x : tensor<100x16xf32>
  %t = td.reduce sum %q [0] : tensor<100x16xf32> to tensor<16xf32>
  return %s, %t : tensor<16xf32>, tensor<16xf32>
}

// -----

// A long sum is cut into partial sums of 256 blocks (of 4 vectors of 16), and
// these into sums of 256; the remainder is added at the end.
// CHECK-LABEL: llvm.func internal @kernel_0
// CHECK: scf.for {{.*}} step %c4194304_i64 iter_args
// CHECK: scf.for {{.*}} step %c16384_i64 iter_args
// CHECK: scf.for {{.*}} step %c64_i64 iter_args
// CHECK-COUNT-4: arith.addf
// CHECK: scf.yield
// CHECK-COUNT-4: arith.addf
// CHECK: scf.yield
func.func @long(%x: tensor<20000000xf32>) -> tensor<f32> {
  %y = td.reduce sum %x [0] : tensor<20000000xf32> to tensor<f32>
  return %y : tensor<f32>
}

// -----

// Short rows share a partial sum: 85 rows of 3 blocks.
// CHECK-LABEL: llvm.func internal @kernel_0
// CHECK: scf.for {{.*}} step %c85_i64 iter_args
// CHECK: scf.for {{.*}} step %c1_i64
// CHECK: scf.for {{.*}} step %c64_i64
func.func @rows(%x: tensor<1000x192xf32>) -> tensor<f32> {
  %y = td.reduce sum %x [0, 1] : tensor<1000x192xf32> to tensor<f32>
  return %y : tensor<f32>
}

// -----

// Short sums use the bias as initial value; it is not added afterwards.
// CHECK-LABEL: llvm.func internal @kernel_0
// CHECK: %[[AT:.*]] = llvm.getelementptr %arg3
// CHECK: %[[BIAS:.*]] = llvm.load %[[AT]]
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[BIAS]]
// CHECK: math.fma
// CHECK-NOT: arith.addf
// CHECK: llvm.return
func.func @bias(%x: tensor<8x30xf32>, %w: tensor<30x16xf32>, %b: tensor<16xf32>) -> tensor<8x16xf32> {
  %0 = td.matmul %x, %w : tensor<8x30xf32>, tensor<30x16xf32> -> tensor<8x16xf32>
  %1 = td.broadcast %b : tensor<16xf32> to tensor<8x16xf32>
  %2 = td.add %0, %1 : tensor<8x16xf32>
  return %2 : tensor<8x16xf32>
}

// -----

// The sums of 16 rows are shuffled into one vector, and the ops on the result
// work on vectors of rows; 4 of the 20 rows remain.
// CHECK-LABEL: llvm.func internal @kernel_0
// CHECK-COUNT-30: vector.shuffle
// CHECK: arith.mulf {{.*}} : vector<16xf32>
// CHECK: llvm.store {{.*}} : vector<16xf32>
// CHECK-COUNT-4: math.fma
// CHECK: %[[MASK:.*]] = arith.constant dense<[true, true, true, true, false,
// CHECK: llvm.intr.masked.store {{.*}}, %[[MASK]]
// CHECK-NOT: vector.reduction
// CHECK: llvm.return
func.func @rows_together(%x: tensor<20x64xf32>, %w: tensor<64x1xf32>, %y: tensor<20x1xf32>) -> tensor<20x1xf32> {
  %0 = td.matmul %x, %w : tensor<20x64xf32>, tensor<64x1xf32> -> tensor<20x1xf32>
  %1 = td.mul %0, %y : tensor<20x1xf32>
  return %1 : tensor<20x1xf32>
}

// -----

// Each row has four sums over the weight's columns, a dim that the bias lacks:
// these are not combined into one vector with the sums of other rows.
// SHORT-LABEL: func.func @held_in_full
// SHORT: llvm.func internal @kernel_0
// SHORT-NOT: vector.shuffle
// SHORT: vector.reduction
func.func @held_in_full(%x: tensor<64x4xf32>, %g: tensor<64x8xf32>) -> (tensor<8x4xf32>, tensor<8xf32>) {
  %w, %b = td.kernel(%x, %g) {layouts = [array<i64: 1, 0>, array<i64: 1, 0>, array<i64: 1, 0>, array<i64: 0>]}
      : (tensor<64x4xf32>, tensor<64x8xf32>) -> (tensor<8x4xf32>, tensor<8xf32>) {
  ^bb0(%rows: tensor<64x4xf32>, %slopes: tensor<64x8xf32>):
    %columns = td.permute %slopes [1, 0] : tensor<64x8xf32> to tensor<8x64xf32>
    %weight = td.matmul %columns, %rows : tensor<8x64xf32>, tensor<64x4xf32> -> tensor<8x4xf32>
    %bias = td.reduce sum %slopes [0] : tensor<64x8xf32> to tensor<8xf32>
    td.yield %weight, %bias : tensor<8x4xf32>, tensor<8xf32>
  }
  return %w, %b : tensor<8x4xf32>, tensor<8xf32>
}

// -----

// The sum reads the maximum of its row, so its loop follows the loop of the
// maximum.
// CHECK-LABEL: func.func @later_stage
// CHECK: llvm.func internal @kernel_0
// CHECK: scf.for {{.*}} step %c8_i64
// CHECK: :8 = scf.for
// CHECK-NOT: arith.subf
// CHECK: %[[MAX:.*]] = vector.reduction <maximumf>
// CHECK: :8 = scf.for
// CHECK: vector.broadcast %[[MAX]] : f32 to vector<16xf32>
// CHECK: arith.subf
// CHECK: scf.yield
// CHECK: vector.reduction <add>
func.func @later_stage(%x: tensor<64x1000xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %m, %s = td.kernel(%x) : (tensor<64x1000xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  ^bb0(%a: tensor<64x1000xf32>):
    %max = td.reduce max %a [1] : tensor<64x1000xf32> to tensor<64xf32>
    %column = td.reshape %max : tensor<64xf32> to tensor<64x1xf32>
    %wide = td.broadcast %column : tensor<64x1xf32> to tensor<64x1000xf32>
    %rest = td.sub %a, %wide : tensor<64x1000xf32>
    %sum = td.reduce sum %rest [1] : tensor<64x1000xf32> to tensor<64xf32>
    td.yield %max, %sum : tensor<64xf32>, tensor<64xf32>
  }
  return %m, %s : tensor<64xf32>, tensor<64xf32>
}

// -----

// The sums of several rows are not shuffled into one vector if another sum reads
// them.
// SHORT-LABEL: func.func @later_sum
// SHORT: llvm.func internal @kernel_0
// SHORT: scf.for {{.*}} step %c4_i64
// SHORT: :4 = scf.for
// SHORT-NOT: arith.subf
// SHORT-NOT: vector.shuffle
// SHORT: %[[SUM:.*]] = vector.reduction <add>
// SHORT: :4 = scf.for
// SHORT: vector.broadcast %[[SUM]] : f32 to vector<4xf32>
// SHORT: arith.subf
// SHORT-NOT: vector.shuffle
// SHORT: vector.reduction <add>
func.func @later_sum(%x: tensor<64x1000xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %m, %s = td.kernel(%x) : (tensor<64x1000xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  ^bb0(%a: tensor<64x1000xf32>):
    %first = td.reduce sum %a [1] : tensor<64x1000xf32> to tensor<64xf32>
    %column = td.reshape %first : tensor<64xf32> to tensor<64x1xf32>
    %wide = td.broadcast %column : tensor<64x1xf32> to tensor<64x1000xf32>
    %rest = td.sub %a, %wide : tensor<64x1000xf32>
    %second = td.reduce sum %rest [1] : tensor<64x1000xf32> to tensor<64xf32>
    td.yield %first, %second : tensor<64xf32>, tensor<64xf32>
  }
  return %m, %s : tensor<64xf32>, tensor<64xf32>
}

// -----

// The stages of a softmax. The powers are stored as they are summed, in the
// memory of the result, and read from there; the row has four accumulators.
// CHECK-LABEL: func.func @softmax
// CHECK: llvm.func internal @kernel_0
// CHECK: scf.for {{.*}} -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>)
// CHECK: arith.maximumf {{.*}} fastmath<nsz>
// CHECK: vector.reduction <maximumf>
// CHECK: scf.for {{.*}} -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>)
// CHECK-COUNT-4: math.exp2
// CHECK-COUNT-4: llvm.store
// CHECK: vector.reduction <add>
// CHECK: scf.for
// CHECK-NOT: math.exp2
// CHECK: llvm.load {{.*}} -> vector<16xf32>
// CHECK: arith.mulf
// CHECK: llvm.store
func.func @softmax(%x: tensor<8x1024xf32>) -> tensor<8x1024xf32> {
  %y = td.softmax %x dim 1 : tensor<8x1024xf32>
  return %y : tensor<8x1024xf32>
}

// -----

// With rows on lanes, four terms of each have an accumulator. Of 103 terms, three are left
// for the first three.
// CHECK-LABEL: func.func @rows_on_lanes
// CHECK: llvm.func internal @kernel_0
// CHECK: %[[FOUR:.*]]:4 = scf.for {{.*}} -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>)
// CHECK-COUNT-4: arith.maximumf
// CHECK: scf.yield
// CHECK: arith.maximumf %[[FOUR]]#0,
// CHECK: arith.maximumf %[[FOUR]]#1,
// CHECK: arith.maximumf %[[FOUR]]#2,
// CHECK-COUNT-2: arith.maximumf
// CHECK: arith.maximumf {{.*}}, %[[FOUR]]#3
// CHECK-NOT: arith.maximumf
// CHECK: llvm.return
func.func @rows_on_lanes(%x: tensor<64x103xf32>) -> tensor<64x103xf32> {
  %0 = td.kernel(%x) {layouts = [array<i64: 1, 0>, array<i64: 1, 0>]} : (tensor<64x103xf32>) -> tensor<64x103xf32> {
  ^bb0(%a: tensor<64x103xf32>):
    %most = td.reduce max %a [1] : tensor<64x103xf32> to tensor<64xf32>
    %column = td.reshape %most : tensor<64xf32> to tensor<64x1xf32>
    %all = td.broadcast %column : tensor<64x1xf32> to tensor<64x103xf32>
    %y = td.sub %a, %all : tensor<64x103xf32>
    td.yield %y : tensor<64x103xf32>
  }
  return %0 : tensor<64x103xf32>
}

// -----

// Of long rows, which are as many streams of memory, 8 are summed at once.
// CHECK-LABEL: func.func @long_rows
// CHECK: llvm.func internal @kernel_0
// CHECK: scf.for {{.*}} step %c8_i64
// CHECK: scf.for
// CHECK-COUNT-8: llvm.load {{.*}} -> vector<16xf32>
// CHECK-NOT: llvm.load
// CHECK: scf.yield
func.func @long_rows(%x: tensor<64x4096xf32>) -> tensor<64xf32> {
  %s = td.reduce sum %x [1] : tensor<64x4096xf32> to tensor<64xf32>
  return %s : tensor<64xf32>
}

// -----

// Four short rows at once: each has one accumulator, and their lanes are added
// up one after the other.
// CHECK-LABEL: func.func @short_rows
// CHECK: llvm.func internal @kernel_0
// CHECK: scf.for {{.*}} step %c4_i64
// CHECK: scf.for {{.*}} step %c16_i64{{.*}} -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>)
// CHECK-COUNT-4: vector.reduction <maximumf>
// CHECK: scf.for {{.*}} step %c16_i64
// CHECK-COUNT-4: vector.reduction <add>
// CHECK-NOT: vector.reduction
// CHECK: llvm.return
func.func @short_rows(%x: tensor<16x128xf32>) -> tensor<16x128xf32> {
  %y = td.softmax %x dim 1 : tensor<16x128xf32>
  return %y : tensor<16x128xf32>
}

// -----

// A row is read from memory in the first loop over it; in the second one, the
// next row is prefetched, 4096 bytes on: a line for each of 4 vectors.
// CHECK-LABEL: func.func @next_row
// CHECK: llvm.func internal @kernel_0
// CHECK: scf.for
// CHECK-NOT: prefetch
// CHECK: vector.reduction <maximumf>
// CHECK: scf.for
// CHECK: "llvm.intr.prefetch"(%{{.*}}) <{cache = 1 : i32, hint = 3 : i32, rw = 0 : i32}>
// CHECK-COUNT-3: "llvm.intr.prefetch"
// CHECK-NOT: prefetch
// CHECK: vector.reduction <add>
// CHECK: scf.for
// CHECK-NOT: prefetch
// CHECK: llvm.return
func.func @next_row(%x: tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
  %y = td.softmax %x dim 1 : tensor<1024x1024xf32>
  return %y : tensor<1024x1024xf32>
}

// -----

// If only one sum is made of a row, the loop that stores the results is the
// second one. Not of rows that the cache holds.
// CHECK-LABEL: func.func @next_norm
// CHECK: vector.reduction <add>
// CHECK: "llvm.intr.prefetch"
// CHECK-LABEL: func.func @near
// CHECK-NOT: prefetch
func.func @next_norm(%x: tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
  %q = td.mul %x, %x : tensor<1024x1024xf32>
  %s = td.reduce sum %q [1] : tensor<1024x1024xf32> to tensor<1024xf32>
  %k = td.reshape %s : tensor<1024xf32> to tensor<1024x1xf32>
  %b = td.broadcast %k : tensor<1024x1xf32> to tensor<1024x1024xf32>
  %y = td.mul %x, %b : tensor<1024x1024xf32>
  return %y : tensor<1024x1024xf32>
}

// -----

func.func @near(%x: tensor<200x1024xf32>) -> tensor<200x1024xf32> {
  %y = td.softmax %x dim 1 : tensor<200x1024xf32>
  return %y : tensor<200x1024xf32>
}

// -----

// The sum of a softmax's numerators stores them: no loop reads the row once more.
// CHECK-LABEL: llvm.func internal @kernel_0
// CHECK: scf.for {{.*}} step %c4_i64
// CHECK: :4 = scf.for {{.*}} to %c512_i64
// CHECK: :4 = scf.for {{.*}} to %c512_i64
// CHECK-COUNT-4: math.exp2
// CHECK-COUNT-4: llvm.store {{.*}} : vector<16xf32>
// CHECK-NOT: scf.for
// CHECK-COUNT-4: llvm.store {{.*}} : f32
// CHECK: llvm.return
func.func @numerators(%x: tensor<64x512xf32>) -> (tensor<64x512xf32>, tensor<64xf32>) {
  %top = td.reduce max %x [1] : tensor<64x512xf32> to tensor<64xf32>
  %column = td.reshape %top : tensor<64xf32> to tensor<64x1xf32>
  %all = td.broadcast %column : tensor<64x1xf32> to tensor<64x512xf32>
  %less = td.sub %x, %all : tensor<64x512xf32>
  %powers = td.exp %less : tensor<64x512xf32>
  %sums = td.reduce sum %powers [1] : tensor<64x512xf32> to tensor<64xf32>
  return %powers, %sums : tensor<64x512xf32>, tensor<64xf32>
}
