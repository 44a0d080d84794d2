// RUN: tdc-opt %s --td-form-kernels --td-assign-layouts --split-input-file | FileCheck %s

// y = x @ w.T runs along w's first dim: that dim becomes the contiguous one.
// CHECK: td.slot @w param "w" of "m" {layout = array<i64: 1, 0>} : tensor<50x10xf32>
td.slot @w param "w" of "m" : tensor<50x10xf32>
// CHECK-LABEL: func.func @linear
func.func @linear(%x: tensor<8x10xf32>) -> tensor<8x50xf32> {
  // CHECK: td.kernel({{.*}}) {layouts = [array<i64: 0, 1>, array<i64: 1, 0>, array<i64: 0, 1>]}
  %w = td.read @w : tensor<50x10xf32>
  %t = td.permute %w [1, 0] : tensor<50x10xf32> to tensor<10x50xf32>
  %y = td.matmul %x, %t : tensor<8x10xf32>, tensor<10x50xf32> -> tensor<8x50xf32>
  return %y : tensor<8x50xf32>
}

// -----

// A copy of a factor with its terms next to each other keeps them there.
// CHECK-LABEL: func.func @transposed
// CHECK: td.kernel({{[^)]*}}) {transposition} :
// CHECK: td.kernel({{[^)]*}}) :
func.func @transposed(%x: tensor<1024x256xf32>, %d: tensor<1024x256xf32>) -> tensor<256x256xf32> {
  %t = td.permute %x [1, 0] : tensor<1024x256xf32> to tensor<256x1024xf32>
  %y = td.matmul %t, %d : tensor<256x1024xf32>, tensor<1024x256xf32> -> tensor<256x256xf32>
  return %y : tensor<256x256xf32>
}

// -----

// The first dim of a convolution's weight is the contiguous one, too, which is in blocks of a vector.
// CHECK: td.slot @w param "w" of "m" {layout = array<i64: 1, 2, 3, 0, 4>} : tensor<64x64x3x3xf32>
td.slot @w param "w" of "m" : tensor<64x64x3x3xf32>
#at = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d4, d2 + d5, d3 + d6)>
#of = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d4, d5, d6)>
// CHECK-LABEL: func.func @convolution
func.func @convolution(%x: tensor<1x64x9x9xf32>) -> tensor<1x64x7x7xf32> {
  // CHECK: td.kernel({{.*}}) {layouts = [array<i64: 0, 1, 2, 3>, array<i64: 1, 2, 3, 0, 4>, array<i64: 0, 1, 2, 3>]}
  %w = td.read @w : tensor<64x64x3x3xf32>
  %y = td.contract %x, %w at #at, #of : tensor<1x64x9x9xf32>, tensor<64x64x3x3xf32> -> tensor<1x64x7x7xf32>
  return %y : tensor<1x64x7x7xf32>
}

// -----

// A moment that is updated with the parameter gets its layout.
// CHECK-DAG: td.slot @w {{.*}} {layout = array<i64: 1, 0>}
// CHECK-DAG: td.slot @v {{.*}} {layout = array<i64: 1, 0>}
td.slot @w param "w" of "m" : tensor<50x10xf32>
td.slot @v moment "v" of "m" : tensor<50x10xf32>
// CHECK-LABEL: func.func @momentum
func.func @momentum(%x: tensor<8x10xf32>) -> tensor<8x50xf32> {
  %w = td.read @w : tensor<50x10xf32>
  %t = td.permute %w [1, 0] : tensor<50x10xf32> to tensor<10x50xf32>
  %y = td.matmul %x, %t : tensor<8x10xf32>, tensor<10x50xf32> -> tensor<8x50xf32>
  %v = td.read @v : tensor<50x10xf32>
  %n = td.add %v, %w : tensor<50x10xf32>
  td.write %n, @v : tensor<50x10xf32>
  return %y : tensor<8x50xf32>
}

// -----

// Tensors that the host reads stay row-major.
// CHECK: td.slot @w param "w" of "m" : tensor<10x50xf32>
td.slot @w param "w" of "m" : tensor<10x50xf32>
// CHECK-LABEL: func.func @plain
// CHECK-NOT: layout
func.func @plain(%x: tensor<8x10xf32>) -> tensor<8x50xf32> {
  %w = td.read @w : tensor<10x50xf32>
  %y = td.matmul %x, %w : tensor<8x10xf32>, tensor<10x50xf32> -> tensor<8x50xf32>
  return %y : tensor<8x50xf32>
}

// -----

// A weight's initial numbers are row-major; the weight is not.
// CHECK: td.slot @w param "w" of "m" {layout = array<i64: 1, 0>} : tensor<50x10xf32>
td.slot @w param "w" of "m" : tensor<50x10xf32>
// CHECK-LABEL: func.func @start
func.func @start(%seed: i64, %call: i64, %scale: f64) {
  // CHECK: td.random
  // CHECK: td.kernel({{.*}}) {layouts = [array<i64: 0, 1>, array<i64>, array<i64: 1, 0>]}
  %u = td.random uniform %seed, %call : tensor<50x10xf32>
  %s = td.fill %scale : f64 -> tensor<50x10xf32>
  %v = td.mul %u, %s : tensor<50x10xf32>
  td.write %v, @w : tensor<50x10xf32>
  return
}
func.func @linear(%x: tensor<8x10xf32>) -> tensor<8x50xf32> {
  %w = td.read @w : tensor<50x10xf32>
  %t = td.permute %w [1, 0] : tensor<50x10xf32> to tensor<10x50xf32>
  %y = td.matmul %x, %t : tensor<8x10xf32>, tensor<10x50xf32> -> tensor<8x50xf32>
  return %y : tensor<8x50xf32>
}

// -----

// A weight that only products read, and that no loop writes, is in blocks of a
// vector: here of 4 elements. Its initial numbers are stored there.
// CHECK: td.slot @w param "w" of "m" {layout = array<i64: 1, 0, 4>} : tensor<48x10xf32>
td.slot @w param "w" of "m" : tensor<48x10xf32>
// CHECK-LABEL: func.func @blocks
func.func @blocks(%x: tensor<8x10xf32>, %u: tensor<48x10xf32>, %scale: f64) -> tensor<8x48xf32> {
  // CHECK: td.kernel({{.*}}) {layouts = [array<i64: 0, 1>, array<i64>, array<i64: 1, 0, 4>]}
  // CHECK: td.kernel({{.*}}) {layouts = [array<i64: 0, 1>, array<i64: 1, 0, 4>, array<i64: 0, 1>]}
  %s = td.fill %scale : f64 -> tensor<48x10xf32>
  %v = td.mul %u, %s : tensor<48x10xf32>
  td.write %v, @w : tensor<48x10xf32>
  %w = td.read @w : tensor<48x10xf32>
  %t = td.permute %w [1, 0] : tensor<48x10xf32> to tensor<10x48xf32>
  %y = td.matmul %x, %t : tensor<8x10xf32>, tensor<10x48xf32> -> tensor<8x48xf32>
  return %y : tensor<8x48xf32>
}

// -----

// Not in blocks: a weight that an elementwise op reads, one with a remainder, and
// one that a loop writes.
// CHECK-DAG: td.slot @read {{.*}} {layout = array<i64: 1, 0>}
// CHECK-DAG: td.slot @rest {{.*}} {layout = array<i64: 1, 0>}
// CHECK-DAG: td.slot @trained {{.*}} {layout = array<i64: 1, 0>}
td.slot @read param "read" of "m" : tensor<48x10xf32>
td.slot @rest param "rest" of "m" : tensor<46x10xf32>
td.slot @trained param "trained" of "m" : tensor<48x10xf32>
func.func @no_blocks(%x: tensor<8x10xf32>, %n: i64) -> (tensor<8x48xf32>, tensor<8x46xf32>, tensor<10xf32>) {
  %a = td.read @read : tensor<48x10xf32>
  %at = td.permute %a [1, 0] : tensor<48x10xf32> to tensor<10x48xf32>
  %y = td.matmul %x, %at : tensor<8x10xf32>, tensor<10x48xf32> -> tensor<8x48xf32>
  %sum = td.reduce sum %a [0] : tensor<48x10xf32> to tensor<10xf32>
  %b = td.read @rest : tensor<46x10xf32>
  %bt = td.permute %b [1, 0] : tensor<46x10xf32> to tensor<10x46xf32>
  %z = td.matmul %x, %bt : tensor<8x10xf32>, tensor<10x46xf32> -> tensor<8x46xf32>
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%p = %y) -> (tensor<8x48xf32>) : i64 {
    %w = td.read @trained : tensor<48x10xf32>
    %t = td.permute %w [1, 0] : tensor<48x10xf32> to tensor<10x48xf32>
    %q = td.matmul %x, %t : tensor<8x10xf32>, tensor<10x48xf32> -> tensor<8x48xf32>
    %m = td.add %p, %q : tensor<8x48xf32>
    %u = td.add %w, %w : tensor<48x10xf32>
    td.write %u, @trained : tensor<48x10xf32>
    scf.yield %m : tensor<8x48xf32>
  }
  return %r, %z, %sum : tensor<8x48xf32>, tensor<8x46xf32>, tensor<10xf32>
}

// -----

// The result of an op of the host is copied to a slot of another order, but not in a
// loop, and not if the slot stays row-major.
// CHECK-DAG: td.slot @drawn {{.*}} {layout = array<i64: 1, 0, 4>}
// CHECK-DAG: td.slot @again {{.*}} : tensor<48x10xf32>
// CHECK-DAG: td.slot @plain {{.*}} : tensor<10x46xf32>
td.slot @drawn param "drawn" of "m" : tensor<48x10xf32>
td.slot @again param "again" of "m" : tensor<48x10xf32>
td.slot @plain param "plain" of "m" : tensor<10x46xf32>
// CHECK-LABEL: func.func @main
func.func @main(%seed: i64, %call: i64, %n: i64) {
  // CHECK: %[[U:.*]] = td.random uniform
  // CHECK: %[[COPY:.*]] = td.kernel(%[[U]]) {layouts = [array<i64: 0, 1>, array<i64: 1, 0, 4>]}
  // CHECK: td.write %[[COPY]], @drawn
  // CHECK: %[[P:.*]] = td.random uniform
  // CHECK-NEXT: td.write %[[P]], @plain
  // CHECK: scf.for
  // CHECK: %[[A:.*]] = td.random uniform
  // CHECK-NEXT: td.write %[[A]], @again
  %u = td.random uniform %seed, %call : tensor<48x10xf32>
  td.write %u, @drawn : tensor<48x10xf32>
  %p = td.random uniform %seed, %call : tensor<10x46xf32>
  td.write %p, @plain : tensor<10x46xf32>
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  scf.for %i = %c0 to %n step %c1 : i64 {
    %a = td.random uniform %seed, %i : tensor<48x10xf32>
    td.write %a, @again : tensor<48x10xf32>
  }
  return
}
func.func @products(%x: tensor<8x10xf32>) -> (tensor<8x48xf32>, tensor<8x48xf32>, tensor<8x46xf32>) {
  %d = td.read @drawn : tensor<48x10xf32>
  %dt = td.permute %d [1, 0] : tensor<48x10xf32> to tensor<10x48xf32>
  %y = td.matmul %x, %dt : tensor<8x10xf32>, tensor<10x48xf32> -> tensor<8x48xf32>
  %a = td.read @again : tensor<48x10xf32>
  %at = td.permute %a [1, 0] : tensor<48x10xf32> to tensor<10x48xf32>
  %z = td.matmul %x, %at : tensor<8x10xf32>, tensor<10x48xf32> -> tensor<8x48xf32>
  %p = td.read @plain : tensor<10x46xf32>
  %v = td.matmul %x, %p : tensor<8x10xf32>, tensor<10x46xf32> -> tensor<8x46xf32>
  return %y, %z, %v : tensor<8x48xf32>, tensor<8x48xf32>, tensor<8x46xf32>
}

// -----

// Images between convolutions, padded ones too, have their channels in blocks, because a
// depthwise convolution with a stride reads neighbours only there. Arguments and results
// of functions stay row-major.
// CHECK-LABEL: func.func @images
// CHECK: td.kernel(%{{.*}}) {layouts = [array<i64: 0, 1, 2, 3>, array<i64: 1, 2, 3, 0, 4>, array<i64: 0, 2, 3, 1, 4>]} : {{.*}} -> tensor<1x48x14x14xf32> {
// CHECK: td.kernel(%{{.*}}) {layouts = [array<i64: 0, 2, 3, 1, 4>, array<i64: 1, 2, 3, 0, 4>, array<i64: 0, 2, 3, 1, 4>]} : {{.*}} -> tensor<1x48x6x6xf32> {
// CHECK: td.kernel(%{{.*}}) {layouts = [array<i64: 0, 2, 3, 1, 4>, array<i64: 1, 2, 3, 0, 4>, array<i64: 0, 1, 2, 3>]} : {{.*}} -> tensor<1x16x6x6xf32> {
#image = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d4, d2 + d5, d3 + d6)>
#filter = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d4, d5, d6)>
#strided = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d0, d1, d5, d3 * 2 + d6, d4 * 2 + d7)>
#grouped = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d1, d2, d5, d6, d7)>
td.slot @first param "first" of "m" : tensor<48x8x1x1xf32>
td.slot @second param "second" of "m" : tensor<48x1x3x3xf32>
td.slot @third param "third" of "m" : tensor<16x48x1x1xf32>
func.func @images(%x: tensor<1x8x12x12xf32>) -> tensor<1x16x6x6xf32> {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %zero = arith.constant 0.0 : f64
  %w1 = td.read @first : tensor<48x8x1x1xf32>
  %w2 = td.read @second : tensor<48x1x3x3xf32>
  %w3 = td.read @third : tensor<16x48x1x1xf32>
  %a = td.contract %x, %w1 at #image, #filter : tensor<1x8x12x12xf32>, tensor<48x8x1x1xf32> -> tensor<1x48x12x12xf32>
  %border = td.fill %zero : f64 -> tensor<1x48x14x14xf32>
  %padded = td.inset %border, %a[%c0, %c0, %c1, %c1] step [1, 1, 1, 1] : tensor<1x48x14x14xf32>, tensor<1x48x12x12xf32>
  %groups = td.reshape %padded : tensor<1x48x14x14xf32> to tensor<1x48x1x14x14xf32>
  %filters = td.reshape %w2 : tensor<48x1x3x3xf32> to tensor<48x1x1x3x3xf32>
  %b = td.contract %groups, %filters at #strided, #grouped : tensor<1x48x1x14x14xf32>, tensor<48x1x1x3x3xf32> -> tensor<1x48x1x6x6xf32>
  %c = td.reshape %b : tensor<1x48x1x6x6xf32> to tensor<1x48x6x6xf32>
  %y = td.contract %c, %w3 at #image, #filter : tensor<1x48x6x6xf32>, tensor<16x48x1x1xf32> -> tensor<1x16x6x6xf32>
  return %y : tensor<1x16x6x6xf32>
}

// -----

// A part that begins at channel 6 would lie across blocks: the channels are last, but
// not in blocks.
// CHECK-LABEL: func.func @concatenated
// CHECK: layouts = [{{.*}}, array<i64: 0, 2, 3, 1>]} : {{.*}} -> tensor<1x6x13x13xf32> {
// CHECK: layouts = [{{.*}}, array<i64: 0, 2, 3, 1>]} : {{.*}} -> tensor<1x10x13x13xf32> {
// CHECK: layouts = [array<i64: 0, 2, 3, 1>, array<i64: 0, 2, 3, 1>, array<i64: 0, 2, 3, 1>]} : {{.*}} -> tensor<1x16x13x13xf32> {
#image = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d4, d2 + d5, d3 + d6)>
#filter = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d4, d5, d6)>
#strided = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d0, d1, d5, d3 * 2 + d6, d4 * 2 + d7)>
#grouped = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d1, d2, d5, d6, d7)>
td.slot @first param "first" of "m" : tensor<6x8x1x1xf32>
td.slot @second param "second" of "m" : tensor<10x8x1x1xf32>
td.slot @third param "third" of "m" : tensor<16x1x3x3xf32>
td.slot @fourth param "fourth" of "m" : tensor<8x16x1x1xf32>
func.func @concatenated(%x: tensor<1x8x13x13xf32>) -> tensor<1x8x6x6xf32> {
  %w1 = td.read @first : tensor<6x8x1x1xf32>
  %w2 = td.read @second : tensor<10x8x1x1xf32>
  %w3 = td.read @third : tensor<16x1x3x3xf32>
  %w4 = td.read @fourth : tensor<8x16x1x1xf32>
  %a = td.contract %x, %w1 at #image, #filter : tensor<1x8x13x13xf32>, tensor<6x8x1x1xf32> -> tensor<1x6x13x13xf32>
  %b = td.contract %x, %w2 at #image, #filter : tensor<1x8x13x13xf32>, tensor<10x8x1x1xf32> -> tensor<1x10x13x13xf32>
  %both = td.concat %a, %b dim 1 : (tensor<1x6x13x13xf32>, tensor<1x10x13x13xf32>) -> tensor<1x16x13x13xf32>
  %groups = td.reshape %both : tensor<1x16x13x13xf32> to tensor<1x16x1x13x13xf32>
  %filters = td.reshape %w3 : tensor<16x1x3x3xf32> to tensor<16x1x1x3x3xf32>
  %c = td.contract %groups, %filters at #strided, #grouped : tensor<1x16x1x13x13xf32>, tensor<16x1x1x3x3xf32> -> tensor<1x16x1x6x6xf32>
  %d = td.reshape %c : tensor<1x16x1x6x6xf32> to tensor<1x16x6x6xf32>
  %y = td.contract %d, %w4 at #image, #filter : tensor<1x16x6x6xf32>, tensor<8x16x1x1xf32> -> tensor<1x8x6x6xf32>
  return %y : tensor<1x8x6x6xf32>
}

// -----

// Neighbouring terms of a 1x1 convolution are on different pages if the channels of large
// images are not last. 31 x 31 floats take less than a page.
// CHECK-LABEL: func.func @pages
// CHECK: td.kernel({{.*}}) {layouts = [array<i64: 0, 1, 2, 3>, array<i64: 1, 2, 3, 0>, array<i64: 0, 2, 3, 1>]} : {{.*}} -> tensor<1x26x33x33xf32> {
// CHECK-LABEL: func.func @no_pages
// CHECK-COUNT-2: td.kernel({{[^)]*}}) :
#image = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d4, d2 + d5, d3 + d6)>
#filter = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d4, d5, d6)>
td.slot @a param "a" of "m" : tensor<26x64x1x1xf32>
td.slot @b param "b" of "m" : tensor<64x26x1x1xf32>
td.slot @c param "c" of "m" : tensor<26x64x1x1xf32>
td.slot @d param "d" of "m" : tensor<64x26x1x1xf32>
func.func @pages(%x: tensor<1x64x33x33xf32>) -> tensor<1x64x33x33xf32> {
  %a = td.read @a : tensor<26x64x1x1xf32>
  %b = td.read @b : tensor<64x26x1x1xf32>
  %narrow = td.contract %x, %a at #image, #filter : tensor<1x64x33x33xf32>, tensor<26x64x1x1xf32> -> tensor<1x26x33x33xf32>
  %y = td.contract %narrow, %b at #image, #filter : tensor<1x26x33x33xf32>, tensor<64x26x1x1xf32> -> tensor<1x64x33x33xf32>
  return %y : tensor<1x64x33x33xf32>
}
func.func @no_pages(%x: tensor<1x64x31x31xf32>) -> tensor<1x64x31x31xf32> {
  %c = td.read @c : tensor<26x64x1x1xf32>
  %d = td.read @d : tensor<64x26x1x1xf32>
  %narrow = td.contract %x, %c at #image, #filter : tensor<1x64x31x31xf32>, tensor<26x64x1x1xf32> -> tensor<1x26x31x31xf32>
  %y = td.contract %narrow, %d at #image, #filter : tensor<1x26x31x31xf32>, tensor<64x26x1x1xf32> -> tensor<1x64x31x31xf32>
  return %y : tensor<1x64x31x31xf32>
}

// -----

// A weight that is set to a transposed tensor has blocks, too.
// CHECK: td.slot @w param "w" of "m" {layout = array<i64: 1, 0, 4>} : tensor<64x64xf32>
td.slot @w param "w" of "m" : tensor<64x64xf32>
func.func @from_transposed(%x: tensor<64x64xf32>) {
  %p = td.permute %x [1, 0] : tensor<64x64xf32> to tensor<64x64xf32>
  td.write %p, @w : tensor<64x64xf32>
  return
}
func.func @reads(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %w = td.read @w : tensor<64x64xf32>
  %t = td.permute %w [1, 0] : tensor<64x64xf32> to tensor<64x64xf32>
  %y = td.matmul %x, %t : tensor<8x64xf32>, tensor<64x64xf32> -> tensor<8x64xf32>
  return %y : tensor<8x64xf32>
}

// -----

// One row times a matrix that is read from memory takes as long in whatever order: the rows that
// are picked decide.
// CHECK: td.slot @w param "w" of "m" : tensor<20000x768xf32>
td.slot @w param "w" of "m" : tensor<20000x768xf32>
// CHECK-LABEL: func.func @logits
func.func @logits(%i: tensor<1xi64>) -> tensor<1x20000xf32> {
  %w = td.read @w : tensor<20000x768xf32>
  %x = td.gather %w, %i dim 0 : tensor<20000x768xf32>, tensor<1xi64> -> tensor<1x768xf32>
  %e = td.exp %x : tensor<1x768xf32>
  %t = td.permute %w [1, 0] : tensor<20000x768xf32> to tensor<768x20000xf32>
  %y = td.matmul %e, %t : tensor<1x768xf32>, tensor<768x20000xf32> -> tensor<1x20000xf32>
  return %y : tensor<1x20000xf32>
}
