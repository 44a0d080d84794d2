// RUN: tdc-opt %s --td-form-kernels --split-input-file | FileCheck %s

// Elementwise ops become one kernel; only values that the host reads are stored.
// CHECK-LABEL: func.func @chain
func.func @chain(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: %[[R:.*]] = td.kernel(%arg0, %arg1)
  // CHECK: td.mul
  // CHECK: td.exp
  // CHECK: td.yield
  // CHECK: return %[[R]]
  %a = td.mul %x, %y : tensor<4xf32>
  %b = td.exp %a : tensor<4xf32>
  return %b : tensor<4xf32>
}

// -----

// The users of a matrix product are fused into it, up to the first value with
// several consumers.
// CHECK-LABEL: func.func @epilogue
func.func @epilogue(%x: tensor<8x10xf32>, %w: tensor<50x10xf32>,
                    %b: tensor<50xf32>) -> (tensor<8x50xf32>, tensor<f32>) {
  // CHECK: %[[H:.*]] = td.kernel(%arg0, %arg1, %arg2)
  // CHECK: td.matmul
  // CHECK: %[[ACT:.*]] = td.relu
  // CHECK: td.yield %[[ACT]]
  // CHECK: %[[S:.*]] = td.kernel(%[[H]])
  // CHECK: td.reduce sum
  // CHECK: return %[[H]], %[[S]]
  %t = td.permute %w [1, 0] : tensor<50x10xf32> to tensor<10x50xf32>
  %p = td.matmul %x, %t : tensor<8x10xf32>, tensor<10x50xf32> -> tensor<8x50xf32>
  %bb = td.broadcast %b : tensor<50xf32> to tensor<8x50xf32>
  %pb = td.add %p, %bb : tensor<8x50xf32>
  %h = td.relu %pb : tensor<8x50xf32>
  %s = td.reduce sum %h [0, 1] : tensor<8x50xf32> to tensor<f32>
  return %h, %s : tensor<8x50xf32>, tensor<f32>
}

// -----

// A reshape that drops dims of size 1 reads a single position: nothing is stored before it.
// CHECK-LABEL: func.func @dot
// CHECK: td.kernel(%arg0, %arg1) : (tensor<1x2xf32>, tensor<2x1xf32>) -> tensor<f32> {
func.func @dot(%x: tensor<1x2xf32>, %y: tensor<2x1xf32>) -> tensor<f32> {
  %p = td.matmul %x, %y : tensor<1x2xf32>, tensor<2x1xf32> -> tensor<1x1xf32>
  %r = td.reshape %p : tensor<1x1xf32> to tensor<f32>
  return %r : tensor<f32>
}

// -----

// Reductions of one value over the same rows share their loops.
// CHECK-LABEL: func.func @siblings
func.func @siblings(%x: tensor<8x10xf32>, %d: tensor<8x50xf32>)
    -> (tensor<10x50xf32>, tensor<50xf32>) {
  // CHECK: %[[R:.*]]:2 = td.kernel
  // CHECK-DAG: td.matmul
  // CHECK-DAG: td.reduce sum
  // CHECK: return %[[R]]#0, %[[R]]#1
  %t = td.permute %x [1, 0] : tensor<8x10xf32> to tensor<10x8xf32>
  %w = td.matmul %t, %d : tensor<10x8xf32>, tensor<8x50xf32> -> tensor<10x50xf32>
  %b = td.reduce sum %d [0] : tensor<8x50xf32> to tensor<50xf32>
  return %w, %b : tensor<10x50xf32>, tensor<50xf32>
}

// -----

// A slot is read before and after it is written: the kernel does not move
// across the write.
td.slot @w param "w" of "m" : tensor<4xf32>
// CHECK-LABEL: func.func @effects
func.func @effects(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK: %[[OLD:.*]] = td.read @w
  // CHECK: %[[NEW:.*]] = td.kernel(%[[OLD]], %arg0)
  // CHECK: td.write %[[NEW]], @w
  // CHECK: %[[AGAIN:.*]] = td.read @w
  // CHECK: return %[[OLD]], %[[AGAIN]]
  %old = td.read @w : tensor<4xf32>
  %new = td.add %old, %x : tensor<4xf32>
  td.write %new, @w : tensor<4xf32>
  %again = td.read @w : tensor<4xf32>
  return %old, %again : tensor<4xf32>, tensor<4xf32>
}

// -----

// The host computes run-time sizes, since it allocates the results.
// CHECK-LABEL: func.func @run_time_sizes
func.func @run_time_sizes(%x: tensor<?x4xf32>) -> tensor<4x?xf32> {
  // CHECK: %[[N:.*]] = td.dim %arg0, 0
  // CHECK: td.kernel(%arg0) sizes(%[[N]])
  %a = td.exp %x : tensor<?x4xf32>
  %t = td.permute %a [1, 0] : tensor<?x4xf32> to tensor<4x?xf32>
  return %t : tensor<4x?xf32>
}

// -----

// A kernel that may find an index out of range keeps its place among prints …
// CHECK-LABEL: func.func @report
// CHECK: td.kernel(%arg0)
// CHECK: td.print
// CHECK: td.kernel(%arg0, %arg1)
// CHECK-NEXT: ^bb0
// CHECK-NEXT: td.gather
// CHECK: td.print
// CHECK: td.kernel
func.func @report(%x: tensor<4xf32>, %i: tensor<4xi64>, %s: !td.str) -> (tensor<f32>, tensor<f32>) {
  %a = td.reduce sum %x [0] : tensor<4xf32> to tensor<f32>
  td.print %s
  %p = td.gather %x, %i dim 0 : tensor<4xf32>, tensor<4xi64> -> tensor<4xf32>
  td.print %s
  %b = td.reduce sum %p [0] : tensor<4xf32> to tensor<f32>
  return %a, %b : tensor<f32>, tensor<f32>
}

// … and an op that may read out of bounds follows the check of its index. Random
// numbers do not require an order.
// CHECK-LABEL: func.func @sizes
// CHECK: td.kernel(%arg0)
// CHECK: td.check_dim
// CHECK: td.kernel(%arg0, %arg1)
// CHECK-LABEL: func.func @stream
// CHECK: td.kernel(%arg0, %arg1)
// CHECK: td.next_random
// CHECK-NOT: td.kernel
func.func @sizes(%x: tensor<?xf32>, %y: tensor<?xf32>, %n: i64, %m: i64) -> (tensor<f32>, tensor<f32>) {
  %a = td.reduce sum %x [0] : tensor<?xf32> to tensor<f32>
  td.check_dim %n, %m, "sizes differ"
  %p = td.add %x, %y : tensor<?xf32>
  %b = td.reduce sum %p [0] : tensor<?xf32> to tensor<f32>
  return %a, %b : tensor<f32>, tensor<f32>
}
func.func @stream(%x: tensor<?xf32>, %y: tensor<?xf32>) -> (tensor<f32>, tensor<f32>, i64) {
  %a = td.reduce sum %x [0] : tensor<?xf32> to tensor<f32>
  %seed, %call = td.next_random
  %p = td.add %x, %y : tensor<?xf32>
  %b = td.reduce sum %p [0] : tensor<?xf32> to tensor<f32>
  return %a, %b, %seed : tensor<f32>, tensor<f32>, i64
}

// -----

// A softmax of narrow floats is f32 inside.
// CHECK-LABEL: func.func @narrow_softmax
// CHECK: td.cast %{{.*}} : tensor<4x8xbf16> to tensor<4x8xf32>
// CHECK: td.reduce sum {{.*}} : tensor<4x8xf32> to tensor<4xf32>
// CHECK: td.div {{.*}} : tensor<4xf32>
// CHECK: td.mul {{.*}} : tensor<4x8xf32>
// CHECK: td.cast %{{.*}} : tensor<4x8xf32> to tensor<4x8xbf16>
func.func @narrow_softmax(%x: tensor<4x8xbf16>) -> tensor<4x8xbf16> {
  %y = td.softmax %x dim 1 : tensor<4x8xbf16>
  return %y : tensor<4x8xbf16>
}

// -----

// An attention divides its result by the sums, not the weights.
// CHECK-LABEL: func.func @attention
// CHECK: %[[E:.*]] = td.exp
// CHECK: %[[SUM:.*]] = td.reduce sum %[[E]]
// CHECK: %[[PART:.*]] = td.div {{.*}}, %[[SUM]] : tensor<4x64xf32>
// CHECK: %[[COLUMN:.*]] = td.reshape %[[PART]]
// CHECK: td.yield %[[E]], %[[COLUMN]]
// CHECK: %[[Y:.*]] = td.matmul
// CHECK: td.mul %[[Y]], {{.*}} : tensor<4x64x32xf32>
func.func @attention(%s: tensor<4x64x128xf32>, %v: tensor<4x128x32xf32>) -> tensor<4x64x32xf32> {
  %p = td.softmax %s dim 2 : tensor<4x64x128xf32>
  %y = td.matmul %p, %v : tensor<4x64x128xf32>, tensor<4x128x32xf32> -> tensor<4x64x32xf32>
  return %y : tensor<4x64x32xf32>
}

// -----

// Not if the weights have another reader, or are of another dim, or are rounded.
// CHECK-LABEL: func.func @weights
// CHECK: td.mul {{.*}} : tensor<4x64x128xf32>
// CHECK: td.matmul
func.func @weights(%s: tensor<4x64x128xf32>, %v: tensor<4x128x32xf32>) -> (tensor<4x64x32xf32>, tensor<4x64x128xf32>) {
  %p = td.softmax %s dim 2 : tensor<4x64x128xf32>
  %y = td.matmul %p, %v : tensor<4x64x128xf32>, tensor<4x128x32xf32> -> tensor<4x64x32xf32>
  return %y, %p : tensor<4x64x32xf32>, tensor<4x64x128xf32>
}
// CHECK-LABEL: func.func @other_dim
// CHECK: td.mul {{.*}} : tensor<4x64x128xf32>
// CHECK: td.matmul
func.func @other_dim(%s: tensor<4x64x128xf32>, %v: tensor<4x128x32xf32>) -> tensor<4x64x32xf32> {
  %p = td.softmax %s dim 1 : tensor<4x64x128xf32>
  %y = td.matmul %p, %v : tensor<4x64x128xf32>, tensor<4x128x32xf32> -> tensor<4x64x32xf32>
  return %y : tensor<4x64x32xf32>
}
// CHECK-LABEL: func.func @narrow_weights
// CHECK: td.mul {{.*}} : tensor<4x64x128xf32>
// CHECK: td.cast {{.*}} to tensor<4x64x128xbf16>
// CHECK: td.matmul
func.func @narrow_weights(%s: tensor<4x64x128xbf16>, %v: tensor<4x128x32xbf16>) -> tensor<4x64x32xbf16> {
  %p = td.softmax %s dim 2 : tensor<4x64x128xbf16>
  %y = td.matmul %p, %v : tensor<4x64x128xbf16>, tensor<4x128x32xbf16> -> tensor<4x64x32xbf16>
  return %y : tensor<4x64x32xbf16>
}

// -----

// So are the sums of a scatter.
// CHECK-LABEL: func.func @narrow_scatter
// CHECK: td.scatter {{.*}} : tensor<9xf32>, tensor<4xi64>, tensor<4xf32>
// CHECK: td.cast {{.*}} : tensor<9xf32> to tensor<9xf16>
func.func @narrow_scatter(%x: tensor<9xf16>, %i: tensor<4xi64>, %u: tensor<4xf16>) -> tensor<9xf16> {
  %y = td.scatter %x, %i, %u dim 0 combine sum : tensor<9xf16>, tensor<4xi64>, tensor<4xf16>
  return %y : tensor<9xf16>
}

// -----

// %d is cheap, but the second product would recompute it for each row: the
// kernel of %e, which has its operand, stores it as a second result.
// CHECK-LABEL: func.func @behind_stored
// CHECK: %[[E:.*]]:2 = td.kernel(%arg0, %arg1)
// CHECK: td.matmul
// CHECK: td.mul
// CHECK: td.yield
// CHECK: td.kernel(%{{.*}}%[[E]]#1{{.*}})
// CHECK-NOT: td.mul
// CHECK: return
func.func @behind_stored(%x: tensor<100x50xf32>, %w: tensor<50x1xf32>) -> (tensor<100x1xf32>, tensor<50x1xf32>) {
  %e = td.matmul %x, %w : tensor<100x50xf32>, tensor<50x1xf32> -> tensor<100x1xf32>
  %two = arith.constant 2.0 : f64
  %f = td.fill %two : f64 -> tensor<100x1xf32>
  %d = td.mul %e, %f : tensor<100x1xf32>
  %t = td.permute %x [1, 0] : tensor<100x50xf32> to tensor<50x100xf32>
  %g = td.matmul %t, %d : tensor<50x100xf32>, tensor<100x1xf32> -> tensor<50x1xf32>
  return %e, %g : tensor<100x1xf32>, tensor<50x1xf32>
}

// -----

!x = tensor<32x50xf32, #td.dev<cuda, 0>>
!w = tensor<50xf32, #td.dev<cuda, 0>>
td.slot @w param "w" of "m" : !w

// On a GPU an optimizer's step is a kernel of its own, the same for all
// parameters: it is not fused into the reduction that computes the gradient.
// CHECK-LABEL: func.func @step
// CHECK: %[[G:.*]] = td.kernel(%arg0)
// CHECK-NOT: td.sub
// CHECK: td.kernel(%{{.*}}, %[[G]])
// CHECK-NEXT: ^bb0
// CHECK-NEXT: td.sub
// CHECK-NEXT: td.yield
func.func @step(%d: !x) {
  %w = td.read @w : !w
  %g = td.reduce sum %d [0] : !x to !w
  %n = td.sub %w, %g : !w
  td.write %n, @w : !w
  return
}

// -----

!x = tensor<32x50xf32, #td.dev<cuda, 0>>
!w = tensor<50xf32, #td.dev<cuda, 0>>
td.slot @v buffer "v" of "m" : !w

// Slots other than parameters are like any value: the update is fused.
// CHECK-LABEL: func.func @statistics
// CHECK: td.kernel
// CHECK: td.reduce
// CHECK: td.sub
// CHECK-NOT: td.kernel
func.func @statistics(%d: !x) {
  %v = td.read @v : !w
  %g = td.reduce sum %d [0] : !x to !w
  %n = td.sub %v, %g : !w
  td.write %n, @v : !w
  return
}

// -----

!x = tensor<9xf32>

// A kernel with several reductions has a loop nest for each, so their number is
// limited.
// CHECK-LABEL: func.func @many
// CHECK: td.kernel
// CHECK-COUNT-8: td.reduce
// CHECK: td.yield
// CHECK: td.kernel
// CHECK: td.reduce
// CHECK-NOT: td.kernel
func.func @many(%a: !x, %b: !x, %c: !x, %d: !x, %e: !x, %f: !x, %g: !x, %h: !x, %i: !x) -> tensor<f32> {
  %ra = td.reduce sum %a [0] : !x to tensor<f32>
  %rb = td.reduce sum %b [0] : !x to tensor<f32>
  %rc = td.reduce sum %c [0] : !x to tensor<f32>
  %rd = td.reduce sum %d [0] : !x to tensor<f32>
  %re = td.reduce sum %e [0] : !x to tensor<f32>
  %rf = td.reduce sum %f [0] : !x to tensor<f32>
  %rg = td.reduce sum %g [0] : !x to tensor<f32>
  %rh = td.reduce sum %h [0] : !x to tensor<f32>
  %ri = td.reduce sum %i [0] : !x to tensor<f32>
  %sb = td.add %ra, %rb : tensor<f32>
  %sc = td.add %sb, %rc : tensor<f32>
  %sd = td.add %sc, %rd : tensor<f32>
  %se = td.add %sd, %re : tensor<f32>
  %sf = td.add %se, %rf : tensor<f32>
  %sg = td.add %sf, %rg : tensor<f32>
  %sh = td.add %sg, %rh : tensor<f32>
  %si = td.add %sh, %ri : tensor<f32>
  return %si : tensor<f32>
}

// -----

!x = tensor<64x64xf32, #td.dev<cuda, 0>>

// On a GPU a tiled product is alone in its kernel, with its epilogue; the cpu
// computes two products over the same loops in one kernel.
// CHECK-LABEL: func.func @products
// CHECK: td.kernel
// CHECK: td.matmul
// CHECK-NOT: td.matmul
// CHECK: td.relu
// CHECK: td.kernel
// CHECK: td.matmul
func.func @products(%x: !x, %v: !x, %w: !x) -> (!x, !x, !x) {
  %a = td.matmul %x, %v : !x, !x -> !x
  %b = td.matmul %x, %w : !x, !x -> !x
  %c = td.relu %a : !x
  return %a, %b, %c : !x, !x, !x
}

// -----

!x = tensor<64x64xf32, #td.dev<cpu>>

// CHECK-LABEL: func.func @on_cpu
// CHECK: td.kernel
// CHECK-COUNT-2: td.matmul
// CHECK-NOT: td.kernel
func.func @on_cpu(%x: !x, %v: !x, %w: !x) -> (!x, !x) {
  %a = td.matmul %x, %v : !x, !x -> !x
  %b = td.matmul %x, %w : !x, !x -> !x
  return %a, %b : !x, !x
}

// -----

// A random order on a GPU is a kernel of its own: its users read it by element.
// CHECK-LABEL: func.func @permutation
// CHECK: %[[ORDER:.*]] = td.kernel(%arg1, %arg2)
// CHECK-NEXT: ^bb0
// CHECK-NEXT: td.random permutation
// CHECK-NEXT: td.yield
// CHECK: td.kernel({{.*}}%[[ORDER]]
// CHECK: td.gather
!rows = tensor<8xf32, #td.dev<cuda, 0>>
!order = tensor<8xi64, #td.dev<cuda, 0>>
func.func @permutation(%x: !rows, %s: i64, %c: i64) -> !rows {
  %i = td.random permutation %s, %c : !order
  %y = td.gather %x, %i dim 0 : !rows, !order -> !rows
  return %y : !rows
}

// -----

// Elements of a reduction that are picked by its own results: the whole result
// is computed before the first is picked.
// CHECK-LABEL: func.func @picked_by_itself
// CHECK: %[[BEST:.*]] = td.kernel(%arg0)
// CHECK: td.arg_reduce
// CHECK: td.kernel(%[[BEST]])
// CHECK-NOT: td.arg_reduce
// CHECK: td.gather_along
func.func @picked_by_itself(%x: tensor<64x64xf32>) -> tensor<64xi64> {
  %a = td.arg_reduce max %x [1] : tensor<64x64xf32> to tensor<64xi64>
  %g = td.gather_along %a, %a dim 0 : tensor<64xi64>, tensor<64xi64> -> tensor<64xi64>
  return %g : tensor<64xi64>
}

// -----

// A reduction with an empty result does not share loops with others.
// CHECK-LABEL: func.func @nothing
// CHECK: td.kernel
// CHECK: td.reduce sum
// CHECK: td.yield
// CHECK: td.kernel
// CHECK: td.reduce max
// CHECK: td.yield
func.func @nothing(%x: tensor<80x5xf32>) -> (tensor<5xf32>, tensor<0xf32>) {
  %c3 = arith.constant 3 : i64
  %sum = td.reduce sum %x [0] : tensor<80x5xf32> to tensor<5xf32>
  %none = td.slice %x[%c3] dim 1 step 1 : tensor<80x5xf32> to tensor<80x0xf32>
  %max = td.reduce max %none [0] : tensor<80x0xf32> to tensor<0xf32>
  return %sum, %max : tensor<5xf32>, tensor<0xf32>
}

// -----

// A sum that is read both directly and at picked positions is stored, and the
// addition is another kernel: a kernel computes each reduction at one position.
// CHECK-LABEL: func.func @picked_beside
func.func @picked_beside(%x: tensor<3x2xf32>, %i: tensor<3xi64>) -> tensor<3xf32> {
  // CHECK: %[[G:.*]] = td.kernel(%arg0)
  // CHECK: td.reduce sum
  // CHECK: %[[R:.*]] = td.kernel(%[[G]], %arg1)
  // CHECK: td.gather
  // CHECK: td.add
  // CHECK: return %[[R]]
  %g = td.reduce sum %x [1] : tensor<3x2xf32> to tensor<3xf32>
  %p = td.gather %g, %i dim 0 : tensor<3xf32>, tensor<3xi64> -> tensor<3xf32>
  %s = td.add %g, %p : tensor<3xf32>
  return %s : tensor<3xf32>
}

// -----

!f = tensor<64x64xf32, #td.dev<cuda, 0>>
!n = tensor<64x64xbf16, #td.dev<cuda, 0>>
// On a GPU a rounded value is stored in its narrow dtype, and widened where it is read.
// CHECK-LABEL: func.func @rounded
// CHECK: %[[R:.*]] = td.kernel({{.*}}) -> tensor<64x64xbf16
// CHECK: td.matmul
// CHECK: td.cast
// CHECK-NOT: td.cast
// CHECK: td.yield
// CHECK: td.kernel(%[[R]]) : (tensor<64x64xbf16
// CHECK: td.cast
// CHECK: td.matmul
// CHECK: td.kernel(%[[R]]) : (tensor<64x64xbf16
// CHECK: td.cast
// CHECK: td.reduce
func.func @rounded(%x: !f, %w: !f) -> (!f, tensor<64xf32, #td.dev<cuda, 0>>) {
  %y = td.matmul %x, %w : !f, !f -> !f
  %n = td.cast %y : !f to !n
  %r = td.cast %n : !n to !f
  %z = td.matmul %r, %r : !f, !f -> !f
  %s = td.reduce sum %r [1] : !f to tensor<64xf32, #td.dev<cuda, 0>>
  return %z, %s : !f, tensor<64xf32, #td.dev<cuda, 0>>
}

// -----

!f = tensor<64x64xf32, #td.dev<cuda, 0>>
!n = tensor<64x64xbf16, #td.dev<cuda, 0>>
// A value for the host is stored in the dtype that the host reads.
// CHECK-LABEL: func.func @rounded_for_host
// CHECK: td.kernel({{.*}}) -> tensor<64x64xf32
// CHECK: td.cast
// CHECK: td.cast
// CHECK: td.yield
func.func @rounded_for_host(%x: !f, %w: !f) -> !f {
  %y = td.matmul %x, %w : !f, !f -> !f
  %n = td.cast %y : !f to !n
  %r = td.cast %n : !n to !f
  return %r : !f
}

// -----

// A scan has a kernel of its own, with elementwise work on its input; reductions
// before it and all ops after it are in other kernels.
// CHECK-LABEL: func.func @scan
// CHECK: %[[MEAN:.*]] = td.kernel
// CHECK: td.reduce sum
// CHECK: %[[UP:.*]] = td.kernel(%arg0, %[[MEAN]])
// CHECK: td.sub
// CHECK-NEXT: td.mul
// CHECK-NEXT: %[[S:.*]] = td.scan
// CHECK-NEXT: td.yield %[[S]]
// CHECK: td.kernel(%[[UP]])
// CHECK: td.exp
func.func @scan(%x: tensor<8x10xf32>) -> tensor<8x10xf32> {
  %m = td.reduce sum %x [0] : tensor<8x10xf32> to tensor<10xf32>
  %b = td.broadcast %m : tensor<10xf32> to tensor<8x10xf32>
  %d = td.sub %x, %b : tensor<8x10xf32>
  %q = td.mul %d, %d : tensor<8x10xf32>
  %s = td.scan sum %q dim 0 : tensor<8x10xf32>
  %e = td.exp %s : tensor<8x10xf32>
  return %e : tensor<8x10xf32>
}

// -----

// Several tiles of a product read each element of a factor: work on the
// factor is done once, unless it is as cheap as a load. With few columns there is
// one tile.
// CHECK-LABEL: func.func @factor
// CHECK: %[[X:.*]] = td.kernel
// CHECK: td.sub
// CHECK: td.yield
// CHECK: td.kernel(%[[X]], %arg1)
// CHECK-NEXT: ^bb0
// CHECK-NEXT: td.matmul
// CHECK: td.kernel(%arg0, %arg2)
// CHECK: td.sub
// CHECK: td.matmul
func.func @factor(%x: tensor<80x80xf32>, %w: tensor<80x800xf32>, %v: tensor<80x10xf32>) -> (tensor<80x800xf32>, tensor<80x10xf32>) {
  %a = td.mul %x, %x : tensor<80x80xf32>
  %b = td.mul %a, %x : tensor<80x80xf32>
  %c = td.sub %b, %x : tensor<80x80xf32>
  %y = td.matmul %c, %w : tensor<80x80xf32>, tensor<80x800xf32> -> tensor<80x800xf32>
  %d = td.mul %x, %x : tensor<80x80xf32>
  %e = td.mul %d, %x : tensor<80x80xf32>
  %f = td.sub %e, %x : tensor<80x80xf32>
  %z = td.matmul %f, %v : tensor<80x80xf32>, tensor<80x10xf32> -> tensor<80x10xf32>
  return %y, %z : tensor<80x800xf32>, tensor<80x10xf32>
}

// -----

// So do those on a GPU.
#g = #td.dev<cuda, 0>
// CHECK-LABEL: func.func @gpu_factor
// CHECK: %[[X:.*]] = td.kernel
// CHECK: td.sub
// CHECK: td.yield
// CHECK: td.kernel(%[[X]], %arg1)
// CHECK-NEXT: ^bb0
// CHECK-NEXT: td.matmul
// CHECK: td.kernel(%arg0, %arg2)
// CHECK: td.sub
// CHECK: td.matmul
func.func @gpu_factor(%x: tensor<80x80xf32, #g>, %w: tensor<80x800xf32, #g>, %v: tensor<80x10xf32, #g>) -> (tensor<80x800xf32, #g>, tensor<80x10xf32, #g>) {
  %a = td.mul %x, %x : tensor<80x80xf32, #g>
  %b = td.mul %a, %x : tensor<80x80xf32, #g>
  %c = td.sub %b, %x : tensor<80x80xf32, #g>
  %y = td.matmul %c, %w : tensor<80x80xf32, #g>, tensor<80x800xf32, #g> -> tensor<80x800xf32, #g>
  %d = td.mul %x, %x : tensor<80x80xf32, #g>
  %e = td.mul %d, %x : tensor<80x80xf32, #g>
  %f = td.sub %e, %x : tensor<80x80xf32, #g>
  %z = td.matmul %f, %v : tensor<80x80xf32, #g>, tensor<80x10xf32, #g> -> tensor<80x10xf32, #g>
  return %y, %z : tensor<80x800xf32, #g>, tensor<80x10xf32, #g>
}

// -----

// The schedule of a kernel is made for one large product: the sum of two is an
// epilogue of the second one.
// CHECK-LABEL: func.func @two_products
// CHECK: %[[P:.*]] = td.kernel(%arg0, %arg1)
// CHECK: td.matmul
// CHECK: td.yield
// CHECK: td.kernel(%[[P]], %arg2, %arg3)
// CHECK: td.matmul
// CHECK: td.add
func.func @two_products(%x: tensor<80x80xf32>, %v: tensor<80x80xf32>, %y: tensor<80x80xf32>, %w: tensor<80x80xf32>) -> tensor<80x80xf32> {
  %a = td.matmul %x, %v : tensor<80x80xf32>, tensor<80x80xf32> -> tensor<80x80xf32>
  %b = td.matmul %y, %w : tensor<80x80xf32>, tensor<80x80xf32> -> tensor<80x80xf32>
  %c = td.add %a, %b : tensor<80x80xf32>
  return %c : tensor<80x80xf32>
}

// -----

// Small ones are one kernel.
// CHECK-LABEL: func.func @two_small_products
// CHECK: td.matmul
// CHECK: td.matmul
// CHECK: td.yield
func.func @two_small_products(%x: tensor<8x80xf32>, %v: tensor<80x80xf32>, %y: tensor<8x80xf32>, %w: tensor<80x80xf32>) -> tensor<8x80xf32> {
  %a = td.matmul %x, %v : tensor<8x80xf32>, tensor<80x80xf32> -> tensor<8x80xf32>
  %b = td.matmul %y, %w : tensor<8x80xf32>, tensor<80x80xf32> -> tensor<8x80xf32>
  %c = td.add %a, %b : tensor<8x80xf32>
  return %c : tensor<8x80xf32>
}

// -----

// What is within a border is stored there.
// CHECK-LABEL: func.func @padded
// CHECK: %[[P:.*]] = td.kernel(%arg0, %arg1)
// CHECK: td.matmul
// CHECK: td.relu
// CHECK: td.inset
// CHECK: return %[[P]]
func.func @padded(%x: tensor<8x80xf32>, %v: tensor<80x80xf32>) -> tensor<10x82xf32> {
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1 : i64
  %y = td.matmul %x, %v : tensor<8x80xf32>, tensor<80x80xf32> -> tensor<8x80xf32>
  %r = td.relu %y : tensor<8x80xf32>
  %border = td.fill %zero : f64 -> tensor<10x82xf32>
  %p = td.inset %border, %r[%one, %one] step [1, 1] : tensor<10x82xf32>, tensor<8x80xf32>
  return %p : tensor<10x82xf32>
}

// -----

// But not if something else reads it, if there are gaps in it, or if the border is no
// constant.
// CHECK-LABEL: func.func @padded_elsewhere
// CHECK: %[[Y:.*]] = td.kernel(%arg0, %arg1)
// CHECK: td.matmul
// CHECK-NOT: td.inset
// CHECK: %[[A:.*]] = td.kernel(%[[Y]])
// CHECK: td.inset
// CHECK: %[[M:.*]] = td.kernel(%arg1, %arg2)
// CHECK: td.matmul
// CHECK-NOT: td.inset
// CHECK: td.kernel(%[[M]])
// CHECK: td.inset
// CHECK: %[[N:.*]] = td.kernel(%arg2, %arg0)
// CHECK: td.matmul
// CHECK-NOT: td.inset
// CHECK: td.kernel(%arg3, %[[N]])
// CHECK: td.inset
func.func @padded_elsewhere(%x: tensor<80x80xf32>, %v: tensor<80x80xf32>, %w: tensor<80x80xf32>, %b: tensor<82x82xf32>) -> (tensor<82x82xf32>, tensor<80x80xf32>, tensor<160x160xf32>, tensor<82x82xf32>) {
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1 : i64
  %y = td.matmul %x, %v : tensor<80x80xf32>, tensor<80x80xf32> -> tensor<80x80xf32>
  %border = td.fill %zero : f64 -> tensor<82x82xf32>
  %p = td.inset %border, %y[%one, %one] step [1, 1] : tensor<82x82xf32>, tensor<80x80xf32>
  %z = td.matmul %v, %w : tensor<80x80xf32>, tensor<80x80xf32> -> tensor<80x80xf32>
  %gaps = td.fill %zero : f64 -> tensor<160x160xf32>
  %q = td.inset %gaps, %z[%one, %one] step [2, 2] : tensor<160x160xf32>, tensor<80x80xf32>
  %u = td.matmul %w, %x : tensor<80x80xf32>, tensor<80x80xf32> -> tensor<80x80xf32>
  %r = td.inset %b, %u[%one, %one] step [1, 1] : tensor<82x82xf32>, tensor<80x80xf32>
  return %p, %y, %q, %r : tensor<82x82xf32>, tensor<80x80xf32>, tensor<160x160xf32>, tensor<82x82xf32>
}

// -----

// Several ops read the product, but they join: what is stored is what they give, and
// the second product does not compute them for each of its results.
// CHECK-LABEL: func.func @joined
// CHECK: %[[Y:.*]] = td.kernel(%arg0, %arg1)
// CHECK: td.matmul
// CHECK: td.compare
// CHECK: %[[R:.*]] = td.select
// CHECK: td.yield %[[R]]
// CHECK: td.kernel(%[[Y]], %arg1)
// CHECK-NEXT: ^bb0
// CHECK-NEXT: td.matmul
func.func @joined(%x: tensor<80x80xf32>, %v: tensor<80x80xf32>) -> tensor<80x80xf32> {
  %six = arith.constant 6.0 : f64
  %y = td.matmul %x, %v : tensor<80x80xf32>, tensor<80x80xf32> -> tensor<80x80xf32>
  %most = td.fill %six : f64 -> tensor<80x80xf32>
  %above = td.compare ge %y, %most : tensor<80x80xf32> -> tensor<80x80xi1>
  %r = td.select %above, %most, %y : tensor<80x80xi1>, tensor<80x80xf32>
  %z = td.matmul %r, %v : tensor<80x80xf32>, tensor<80x80xf32> -> tensor<80x80xf32>
  return %z : tensor<80x80xf32>
}

// -----

// A CPU transposes a factor whose terms are 1 KB apart, in a kernel of its own.
// CHECK-LABEL: func.func @transposed
// CHECK: td.kernel
// CHECK: td.relu
// CHECK: td.yield {{[^,]*}} :
// CHECK: td.kernel
// CHECK-NEXT: ^bb0
// CHECK-NEXT: td.permute
// CHECK-NEXT: td.yield
// CHECK: td.kernel
// CHECK-NEXT: ^bb0
// CHECK-NEXT: td.matmul
// CHECK-NEXT: td.yield
func.func @transposed(%x: tensor<512x256xf32>, %y: tensor<512x270xf32>) -> (tensor<512x256xf32>, tensor<256x270xf32>) {
  %0 = td.relu %x : tensor<512x256xf32>
  %1 = td.permute %0 [1, 0] : tensor<512x256xf32> to tensor<256x512xf32>
  %2 = td.matmul %1, %y : tensor<256x512xf32>, tensor<512x270xf32> -> tensor<256x270xf32>
  return %0, %2 : tensor<512x256xf32>, tensor<256x270xf32>
}

// -----

// With fewer terms or readers, or terms elsewhere, a copy costs more.
// CHECK-LABEL: func.func @read_in_place
// CHECK-COUNT-3: td.kernel
// CHECK-NOT: td.kernel
func.func @read_in_place(%x: tensor<512x256xf32>, %y: tensor<512x250xf32>, %v: tensor<250x256xf32>, %w: tensor<250x1024xf32>,
                         %a: tensor<512x260xf32>, %b: tensor<512x270xf32>)
    -> (tensor<256x250xf32>, tensor<256x1024xf32>, tensor<260x270xf32>) {
  %0 = td.permute %x [1, 0] : tensor<512x256xf32> to tensor<256x512xf32>
  %1 = td.matmul %0, %y : tensor<256x512xf32>, tensor<512x250xf32> -> tensor<256x250xf32>
  %2 = td.permute %v [1, 0] : tensor<250x256xf32> to tensor<256x250xf32>
  %3 = td.matmul %2, %w : tensor<256x250xf32>, tensor<250x1024xf32> -> tensor<256x1024xf32>
  %4 = td.permute %a [1, 0] : tensor<512x260xf32> to tensor<260x512xf32>
  %5 = td.matmul %4, %b : tensor<260x512xf32>, tensor<512x270xf32> -> tensor<260x270xf32>
  return %1, %3, %5 : tensor<256x250xf32>, tensor<256x1024xf32>, tensor<260x270xf32>
}

// -----

// An update comes after the other readers of its base, so that it works in place. The
// starts of its slices are one number.
// CHECK-LABEL: func.func @update_last
// CHECK-SAME: %[[X:.*]]: tensor<8x4xf32>,
// CHECK: %[[START:.*]] = arith.maxsi
// CHECK: td.kernel(%[[X]])
// CHECK: td.reduce sum
// CHECK: td.kernel(%[[X]], %{{[^,]*}}, %{{[^,]*}}) :
// CHECK: td.slice
// CHECK: td.update_slice
func.func @update_last(%x: tensor<8x4xf32>, %y: tensor<1x4xf32>, %i: i64) -> (tensor<8x4xf32>, tensor<4xf32>) {
  %0 = td.slice %x[%i] dim 0 step 1 : tensor<8x4xf32> to tensor<1x4xf32>
  %1 = td.add %0, %y : tensor<1x4xf32>
  %2 = td.update_slice %x, %1[%i] dim 0 step 1 : tensor<8x4xf32>, tensor<1x4xf32>
  %3 = td.reduce sum %x [0] : tensor<8x4xf32> to tensor<4xf32>
  return %2, %3 : tensor<8x4xf32>, tensor<4xf32>
}

// -----

// A square root is computed before the kernel of what it scales, if that has many more
// elements.
// CHECK-LABEL: func.func @scaled
// CHECK: td.kernel
// CHECK: td.rsqrt
// CHECK-NEXT: td.yield
// CHECK: td.kernel
// CHECK: td.mul
// CHECK: td.kernel
// CHECK: td.rsqrt
// CHECK: td.mul
func.func @scaled(%x: tensor<64x256xf32>, %v: tensor<64x1xf32>, %y: tensor<64x255xf32>, %w: tensor<64x1xf32>)
    -> (tensor<64x256xf32>, tensor<64x255xf32>) {
  %0 = td.rsqrt %v : tensor<64x1xf32>
  %1 = td.broadcast %0 : tensor<64x1xf32> to tensor<64x256xf32>
  %2 = td.mul %x, %1 : tensor<64x256xf32>
  %3 = td.rsqrt %w : tensor<64x1xf32>
  %4 = td.broadcast %3 : tensor<64x1xf32> to tensor<64x255xf32>
  %5 = td.mul %y, %4 : tensor<64x255xf32>
  return %2, %5 : tensor<64x256xf32>, tensor<64x255xf32>
}

// -----

// Two results of one loop are two numbers.
// CHECK-LABEL: func.func @carried
// CHECK: td.kernel(%{{.*}}, %{{.*}}, %{{.*}}) : (tensor<8x8xf32>, i64, i64) -> tensor<1x1xf32>
// CHECK: td.slice %{{.*}}[%[[ROW:.*]]] dim 0
// CHECK-NOT: td.slice %{{.*}}[%[[ROW]]]
// CHECK: td.yield
func.func @carried(%x: tensor<8x8xf32>, %n: i64, %k: index) -> tensor<1x1xf32> {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c2 = arith.constant 2 : i64
  %i0 = arith.constant 0 : index
  %i1 = arith.constant 1 : index
  %r:2 = scf.for %q = %i0 to %k step %i1 iter_args(%i = %c0, %j = %c1) -> (i64, i64) {
    %a = arith.addi %i, %c2 : i64
    %b = arith.addi %j, %c1 : i64
    %c = arith.remsi %a, %n : i64
    scf.yield %c, %b : i64, i64
  }
  %0 = td.slice %x[%r#0] dim 0 step 1 : tensor<8x8xf32> to tensor<1x8xf32>
  %1 = td.slice %0[%r#1] dim 1 step 1 : tensor<1x8xf32> to tensor<1x1xf32>
  return %1 : tensor<1x1xf32>
}
