// RUN: tdc-opt %s --td-form-kernels --td-print-nests --split-input-file | FileCheck %s

// A product has loops of its rows, columns and terms.
// CHECK: kernel of %0
// CHECK-NEXT:   loop 0 of 64: dim 0 of %1
// CHECK-NEXT:   loop 1 of 32: dim 1 of %1
// CHECK-NEXT:   loop 2 of 16: dim 1 of %arg2
// CHECK-NEXT:   root %1[l0, l1]
// CHECK-NEXT:   matmul %1[l0, l1] over [2]
// CHECK-NEXT:   input %arg2[l0, l2]
// CHECK-NEXT:   input %arg3[l2, l1]
// CHECK-NEXT:   contraction of %arg2[l0, l2] * %arg3[l2, l1]: batch [], rows [0], columns [1], terms [2], tiles of rows [0] and columns [1]
func.func @product(%x: tensor<64x16xf32>, %w: tensor<16x32xf32>) -> tensor<64x32xf32> {
  %y = td.matmul %x, %w : tensor<64x16xf32>, tensor<16x32xf32> -> tensor<64x32xf32>
  return %y : tensor<64x32xf32>
}

// -----

// A batch of products with a factor that is transposed, widened, and scaled.
// CHECK: kernel of %0
// CHECK-NEXT:   loop 0 of 4: dim 0 of %6
// CHECK-NEXT:   loop 1 of 64: dim 1 of %6
// CHECK-NEXT:   loop 2 of 48: dim 2 of %6
// CHECK-NEXT:   loop 3 of 32: dim 2 of %1
// CHECK-NEXT:   root %6[l0, l1, l2]
// CHECK-NEXT:   matmul %4[l0, l1, l2] over [3]
// CHECK-NEXT:   input %arg3[l0, l1, l3]
// CHECK-NEXT:   input %arg4[l0, l2, l3]
// CHECK-NEXT:   input %arg5[l2]
// CHECK-NEXT:   contraction of %arg3[l0, l1, l3] * %arg4[l0, l2, l3]: batch [0], rows [1], columns [2], terms [3], tiles of rows [1] and columns [2]
func.func @factors(%x: tensor<4x64x32xbf16>, %w: tensor<4x48x32xbf16>, %s: tensor<48xf32>)
    -> tensor<4x64x48xf32> {
  %a = td.cast %x : tensor<4x64x32xbf16> to tensor<4x64x32xf32>
  %b = td.cast %w : tensor<4x48x32xbf16> to tensor<4x48x32xf32>
  %t = td.permute %b [0, 2, 1] : tensor<4x48x32xf32> to tensor<4x32x48xf32>
  %p = td.matmul %a, %t : tensor<4x64x32xf32>, tensor<4x32x48xf32> -> tensor<4x64x48xf32>
  %u = td.broadcast %s : tensor<48xf32> to tensor<4x64x48xf32>
  %y = td.mul %p, %u : tensor<4x64x48xf32>
  return %y : tensor<4x64x48xf32>
}

// -----

// A factor that the whole batch shares: the batch loop counts as rows.
// CHECK: contraction of %{{.*}}[l0, l1, l3] * %{{.*}}[l0, l3, l2]: batch [], rows [0, 1], columns [2], terms [3], tiles of rows [1] and columns [2]
func.func @shared(%x: tensor<4x64x32xf32>, %w: tensor<32x48xf32>) -> tensor<4x64x48xf32> {
  %b = td.broadcast %w : tensor<32x48xf32> to tensor<4x32x48xf32>
  %p = td.matmul %x, %b : tensor<4x64x32xf32>, tensor<4x32x48xf32> -> tensor<4x64x48xf32>
  return %p : tensor<4x64x48xf32>
}

// -----

// A convolution of 14 x 14 images: tiles span several images, and all channels
// and positions of the window; so do the tiles of its weight's gradient.
// CHECK: contraction of %{{.*}}[l0, l4, l2 + l5, l3 + l6] * %{{.*}}[l1, l4, l5, l6]: batch [], rows [0, 2, 3], columns [1], terms [4, 5, 6], tiles of rows [0, 2, 3] and columns [1]
// CHECK: contraction of %{{.*}}[l4, l0, l5, l6] * %{{.*}}[l4, l1, l2 + l5, l3 + l6]: batch [], rows [0], columns [1, 2, 3], terms [4, 5, 6], tiles of rows [0] and columns [1, 2, 3]
#image = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d4, d2 + d5, d3 + d6)>
#filter = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d4, d5, d6)>
#upstream = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d4, d0, d5, d6)>
#part = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d4, d1, d2 + d5, d3 + d6)>
func.func @convolution(%x: tensor<8x32x16x16xf32>, %w: tensor<64x32x3x3xf32>, %d: tensor<8x64x14x14xf32>)
    -> (tensor<8x64x14x14xf32>, tensor<64x32x3x3xf32>) {
  %y = td.contract %x, %w at #image, #filter
      : tensor<8x32x16x16xf32>, tensor<64x32x3x3xf32> -> tensor<8x64x14x14xf32>
  %g = td.contract %d, %x at #upstream, #part
      : tensor<8x64x14x14xf32>, tensor<8x32x16x16xf32> -> tensor<64x32x3x3xf32>
  return %y, %g : tensor<8x64x14x14xf32>, tensor<64x32x3x3xf32>
}

// -----

// One column has no loop, and no tiles.
// CHECK: contraction of %{{.*}}[l0, l1] * %{{.*}}[l1, 0]: batch [], rows [0], columns [], terms [1]{{$}}
func.func @vector(%x: tensor<64x16xf32>, %v: tensor<16x1xf32>) -> tensor<64x1xf32> {
  %p = td.matmul %x, %v : tensor<64x16xf32>, tensor<16x1xf32> -> tensor<64x1xf32>
  return %p : tensor<64x1xf32>
}

// -----

// Two sums in one nest are no contraction.
// CHECK: root %[[SUM:.*]][l0, l1]
// CHECK-NEXT: matmul
// CHECK-NEXT: matmul
// CHECK-NOT: contraction
// CHECK: func.func @two
func.func @two(%x: tensor<64x16xf32>, %w: tensor<16x32xf32>, %v: tensor<16x32xf32>)
    -> tensor<64x32xf32> {
  %p = td.matmul %x, %w : tensor<64x16xf32>, tensor<16x32xf32> -> tensor<64x32xf32>
  %q = td.matmul %x, %v : tensor<64x16xf32>, tensor<16x32xf32> -> tensor<64x32xf32>
  %s = td.mul %p, %q : tensor<64x32xf32>
  return %s : tensor<64x32xf32>
}

// -----

// Dims of size 1 have no loop; sizes that only a run knows are ?.
// CHECK: kernel of %2
// CHECK-NEXT:   loop 0 of 8: dim 1 of %4
// CHECK-NEXT:   loop 1 of ?: dim 2 of %4
// CHECK-NEXT:   root %4[0, l0, l1]
// CHECK-NEXT:   input %arg2[0, l0, l1]
// CHECK-NEXT:   input %arg3[l0, 0]
func.func @elementwise(%x: tensor<1x8x?xf32>, %b: tensor<8x1xf32>) -> tensor<1x8x?xf32> {
  %c2 = arith.constant 2 : i64
  %n = td.dim %x, 2 : tensor<1x8x?xf32>
  %c = td.broadcast %b sizes(%n) : tensor<8x1xf32> to tensor<1x8x?xf32>
  %y = td.add %x, %c : tensor<1x8x?xf32>
  return %y : tensor<1x8x?xf32>
}

// -----

// Slices of slices, with steps, and elements picked by an index.
// CHECK: kernel of %4
// CHECK-NEXT:   loop 0 of 8: dim 0 of %9
// CHECK-NEXT:   loop 1 of 5: dim 1 of %9
// CHECK-NEXT:   root %9[l0, l1]
// CHECK-NEXT:   input %arg4[6 * l1 + 3 * %arg6 + %arg5, l0]
// CHECK-NEXT:   input %arg7[l1]
// CHECK-NEXT:   input %arg4[%arg7[l1], l0]
func.func @movement(%x: tensor<40x8xf32>, %i: tensor<5xi64>, %n: i64, %m: i64) -> tensor<8x5xf32> {
  %s = td.slice %x[%m] dim 0 step 3 : tensor<40x8xf32> to tensor<12x8xf32>
  %t = td.slice %s[%n] dim 0 step 2 : tensor<12x8xf32> to tensor<5x8xf32>
  %g = td.gather %x, %i dim 0 : tensor<40x8xf32>, tensor<5xi64> -> tensor<5x8xf32>
  %a = td.add %t, %g : tensor<5x8xf32>
  %p = td.permute %a [1, 0] : tensor<5x8xf32> to tensor<8x5xf32>
  return %p : tensor<8x5xf32>
}

// -----

// A slice of elements picked along a dim.
// CHECK: kernel of %2
// CHECK-NEXT:   loop 0 of 2: dim 0 of %4
// CHECK-NEXT:   loop 1 of 6: dim 1 of %4
// CHECK-NEXT:   root %4[l0, l1]
// CHECK-NEXT:   input %arg4[2 * l0 + %arg5, l1]
// CHECK-NEXT:   input %arg3[%arg4[2 * l0 + %arg5, l1], l1]
func.func @picked(%x: tensor<9x6xf32>, %i: tensor<4x6xi64>, %n: i64) -> tensor<2x6xf32> {
  %g = td.gather_along %x, %i dim 0 : tensor<9x6xf32>, tensor<4x6xi64> -> tensor<4x6xf32>
  %s = td.slice %g[%n] dim 0 step 2 : tensor<4x6xf32> to tensor<2x6xf32>
  return %s : tensor<2x6xf32>
}

// -----

// Sums over the same extents share their loops.
// CHECK: kernel of %0#0, %0#1
// CHECK-NEXT:   loop 0 of 8: dim 0 of %1
// CHECK-NEXT:   loop 1 of 16: dim 1 of %arg1
// CHECK-NEXT:   root %1[l0]
// CHECK-NEXT:   root %3[l0]
// CHECK-NEXT:   reduce %1[l0] over [1]
// CHECK-NEXT:   reduce %3[l0] over [1]
// CHECK-NEXT:   input %arg1[l0, l1]
func.func @sums(%x: tensor<8x16xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %s = td.reduce sum %x [1] : tensor<8x16xf32> to tensor<8xf32>
  %q = td.mul %x, %x : tensor<8x16xf32>
  %t = td.reduce sum %q [1] : tensor<8x16xf32> to tensor<8xf32>
  return %s, %t : tensor<8xf32>, tensor<8xf32>
}

// -----

// A sum to one element and an optimizer's ops on it: roots without loops share
// the nest of the sum.
// CHECK: kernel of %0#0, %0#1
// CHECK-NEXT:   loop 0 of 100: dim 0 of %arg2
// CHECK-NEXT:   root %1[0]
// CHECK-NEXT:   root %2[0]
// CHECK-NEXT:   reduce %1[0] over [0]
// CHECK-NEXT:   input %arg2[l0, 0]
// CHECK-NEXT:   input %arg3[0]
func.func @step(%x: tensor<100x1xf32>, %p: tensor<1xf32>) -> (tensor<1xf32>, tensor<1xf32>) {
  %g = td.reduce sum %x [0] : tensor<100x1xf32> to tensor<1xf32>
  %s = td.sub %p, %g : tensor<1xf32>
  return %g, %s : tensor<1xf32>, tensor<1xf32>
}

// -----

// A softmax is one kernel of several stages.
// CHECK: kernel of %0
// CHECK-NEXT:   loop 0 of 8: dim 0 of %11
// CHECK-NEXT:   loop 1 of 16: dim 1 of %11
// CHECK-NEXT:   loop 2 of 16: dim 1 of %arg1
// CHECK-NEXT:   loop 3 of 16: dim 1 of %5
// CHECK-NEXT:   root %11[l0, l1]
// CHECK-NEXT:   reduce %1[l0] over [2]
// CHECK-NEXT:   reduce %6[l0] over [3], a later stage
// CHECK-NEXT:   input %arg1[l0, l1]
// CHECK-NEXT:   input %arg1[l0, l2]
// CHECK-NEXT:   input %arg1[l0, l3]
!x = tensor<8x16xf32, #td.dev<cuda, 0>>
func.func @softmax(%x: !x) -> !x {
  %y = td.softmax %x dim 1 : !x
  return %y : !x
}

// -----

// An update is the input of its nest.
// CHECK: kernel of %0
// CHECK-NEXT:   loop 0 of 9: dim 0 of %1
// CHECK-NEXT:   root %1[l0]
// CHECK-NEXT:   input %1[l0]
func.func @update(%x: tensor<4xf32>, %y: tensor<5xf32>) -> tensor<9xf32> {
  %c = td.concat %x, %y dim 0 : (tensor<4xf32>, tensor<5xf32>) -> tensor<9xf32>
  return %c : tensor<9xf32>
}

// -----

// A convolution: rows are positions of the image, columns are channels, and
// terms are channels and taps. Its windows are sums of loops.
// CHECK: contraction of %{{.*}}[0, l3, 2 * l1 + l4, l2 + l5] * %{{.*}}[l0, l3, l4, l5]: batch [], rows [1, 2], columns [0], terms [3, 4, 5]{{$}}
func.func @convolution(%x: tensor<1x8x9x18xf32>, %w: tensor<16x8x3x3xf32>) -> tensor<1x16x4x16xf32> {
  %y = td.contract %x, %w at affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d4, d2 * 2 + d5, d3 + d6)>,
      affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d4, d5, d6)> : tensor<1x8x9x18xf32>, tensor<16x8x3x3xf32> -> tensor<1x16x4x16xf32>
  return %y : tensor<1x16x4x16xf32>
}

// -----

// A pool reads its windows in place.
// CHECK: reduce {{.*}}[l0, l1] over [2]
// CHECK: input %{{.*}}[l0, 2 * l1 + l2]
func.func @pool(%x: tensor<8x18xf32>) -> tensor<8x9xf32> {
  %w = td.window %x at affine_map<(d0, d1, d2) -> (d0, d1 * 2 + d2)> : tensor<8x18xf32> to tensor<8x9x2xf32>
  %y = td.reduce max first %w [2] : tensor<8x9x2xf32> to tensor<8x9xf32>
  return %y : tensor<8x9xf32>
}
