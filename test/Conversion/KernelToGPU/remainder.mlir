// RUN: tdc-opt %s --kernel-to-gpu | FileCheck %s

!g = tensor<100xf32, #td.dev<cuda, 0>>

// LLVM's remainder on a GPU is not exact; td computes it by long division.
// CHECK: llvm.func @mod_0
// CHECK-NOT: arith.remf
// CHECK: llvm.call @remainder_f32
// CHECK: llvm.func internal @remainder_f32(%{{.*}}: f32, %{{.*}}: f32) -> f32
// CHECK: scf.for
func.func @mod(%x: !g, %y: !g) -> !g {
  %r = td.kernel(%x, %y) : (!g, !g) -> !g {
  ^bb0(%a: !g, %b: !g):
    %m = td.mod %a, %b : !g
    td.yield %m : !g
  }
  return %r : !g
}
