// RUN: tdc-opt %s --split-input-file --kernel-to-gpu | FileCheck %s

!a = tensor<64x64xf16, #td.dev<cuda, 0>>

// f16: tiles are copied to shared memory as they are, three stages of two tiles
// of 64 x 32 elements, and multiplied on tensor cores.
// CHECK: td.gpu_kernel @matmul_0 threads 128 shared 24576
// CHECK: llvm.func @matmul_0
// CHECK: nvvm.cp.async.shared.global %{{.*}}, %{{.*}}, 16, cache =  cg
// CHECK: nvvm.cp.async.commit.group
// CHECK: scf.for
// CHECK-NEXT: nvvm.cp.async.wait.group 1
// CHECK-NEXT: nvvm.barrier0
// CHECK: nvvm.cp.async.commit.group
// Rows of the left operand and columns of the right one, not transposed.
// CHECK-COUNT-2: nvvm.ldmatrix {{.*}}layout = #nvvm.mma_layout<row>, num = 4
// CHECK-COUNT-2: nvvm.ldmatrix {{.*}}layout = #nvvm.mma_layout<col>, num = 4
// CHECK-COUNT-8: nvvm.mma.sync
func.func @half(%x: !a, %y: !a) -> !a {
  %r = td.kernel(%x, %y) : (!a, !a) -> !a {
  ^bb0(%a: !a, %b: !a):
    %m = td.matmul %a, %b : !a, !a -> !a
    td.yield %m : !a
  }
  return %r : !a
}

// -----

!a = tensor<64x64xbf16, #td.dev<cuda, 0>>

// A computed operand goes through registers; the product is still of bf16.
// CHECK: llvm.func @matmul_0
// CHECK-NOT: nvvm.cp.async
// CHECK: arith.maximumf
// CHECK: llvm.store %{{.*}} {alignment = 16 : i64} : vector<8xi16>, !llvm.ptr<3>
// CHECK: nvvm.mma.sync {{.*}}multiplicandAPtxType = #nvvm.mma_type<bf16>
func.func @computed(%x: !a, %y: !a) -> !a {
  %r = td.kernel(%x, %y) : (!a, !a) -> !a {
  ^bb0(%a: !a, %b: !a):
    %p = td.relu %a : !a
    %q = td.relu %b : !a
    %m = td.matmul %p, %q : !a, !a -> !a
    td.yield %m : !a
  }
  return %r : !a
}

// -----

!a = tensor<64x48xf32, #td.dev<cuda, 0>>
!b = tensor<48x96xf32, #td.dev<cuda, 0>>
!v = tensor<96xf32, #td.dev<cuda, 0>>
!c = tensor<64x96xf32, #td.dev<cuda, 0>>

// f32 stays f32: a thread computes 4 x 4 elements and reads 4 of either operand
// for each of 16 terms. The epilogue runs in the same thread.
// CHECK: td.gpu_kernel @matmul_0 threads 256 shared 17408
// CHECK: llvm.func @matmul_0
// CHECK-NOT: nvvm.mma
// CHECK: nvvm.barrier0
// CHECK-COUNT-256: math.fma
// CHECK-NOT: math.fma
// CHECK: scf.yield
// CHECK: scf.if
// CHECK-COUNT-4: arith.addf
// CHECK-COUNT-4: llvm.store %{{.*}} {alignment = {{16|4|8}} : i64} : f32, !llvm.ptr
func.func @single(%x: !a, %y: !b, %z: !v) -> !c {
  %r = td.kernel(%x, %y, %z) : (!a, !b, !v) -> !c {
  ^bb0(%a: !a, %b: !b, %c: !v):
    %m = td.matmul %a, %b : !a, !b -> !c
    %w = td.broadcast %c : !v to !c
    %s = td.add %m, %w : !c
    td.yield %s : !c
  }
  return %r : !c
}

// -----

!a = tensor<64x64xf32, #td.dev<cuda, 0>>

// With --tf32, f32 is rounded on its way to tensor cores.
module attributes {td.tf32} {
// CHECK: llvm.func @matmul_0
// CHECK-COUNT-4: nvvm.convert.float.to.tf32 %{{.*}} {rnd = #nvvm.fp_rnd_mode<rna>}
// CHECK: nvvm.mma.sync {{.*}}multiplicandAPtxType = #nvvm.mma_type<tf32>
func.func @rounded(%x: !a, %y: !a) -> !a {
  %r = td.kernel(%x, %y) : (!a, !a) -> !a {
  ^bb0(%a: !a, %b: !a):
    %m = td.matmul %a, %b : !a, !a -> !a
    td.yield %m : !a
  }
  return %r : !a
}
}

// -----

!a = tensor<?x64xf64, #td.dev<cuda, 0>>
!b = tensor<64x64xf64, #td.dev<cuda, 0>>

// A run-time number of rows: the host computes the number of tiles.
// CHECK: %[[N:.*]] = td.dim %{{.*}}, 0
// CHECK: %[[PADDED:.*]] = arith.addi %[[N]], %{{.*}}
// CHECK: %[[TILES:.*]] = arith.divui %[[PADDED]], %{{.*}}
// CHECK: td.launch @matmul_0({{.*}}) {{.*}}blocks(%[[TILES]])
// CHECK: td.gpu_kernel @matmul_0 threads 256
func.func @rows(%x: !a, %y: !b) -> !a {
  %n = td.dim %x, 0 : !a
  %r = td.kernel(%x, %y) sizes(%n) : (!a, !b) -> !a {
  ^bb0(%a: !a, %b: !b):
    %m = td.matmul %a, %b : !a, !b -> !a
    td.yield %m : !a
  }
  return %r : !a
}

// -----

!x = tensor<2x32x16x16xf16, #td.dev<cuda, 0>>
!w = tensor<64x32x3x3xf16, #td.dev<cuda, 0>>
!y = tensor<2x64x14x14xf16, #td.dev<cuda, 0>>

// A convolution: the rows are the 64 filters, a dim that precedes the positions
// in memory; the columns are the 392 positions of all images, 7 tiles of 64.
// CHECK: td.launch @contract_0({{.*}}) {{.*}}blocks(%c7_i64
// CHECK: llvm.func @contract_0
// CHECK: nvvm.mma.sync
func.func @convolution(%x: !x, %w: !w) -> !y {
  %r = td.kernel(%x, %w) : (!x, !w) -> !y {
  ^bb0(%a: !x, %b: !w):
    %m = td.contract %a, %b
        at affine_map<(n, o, h, w, c, i, j) -> (n, c, h + i, w + j)>,
           affine_map<(n, o, h, w, c, i, j) -> (o, c, i, j)> : !x, !w -> !y
    td.yield %m : !y
  }
  return %r : !y
}
