// RUN: tdc-opt %s --td-form-kernels --td-assign-layouts=lanes=16 --td-fuse-stages --split-input-file | FileCheck %s

// The products and the softmax of an attention become stages of one kernel.
// CHECK-LABEL: func.func @attention
// CHECK: %[[Y:.*]] = td.kernel(%arg0, %arg1, %arg2)
// CHECK: td.matmul
// CHECK: %[[S:.*]] = td.stage
// CHECK: td.reduce max %[[S]]
// CHECK: td.exp
// CHECK: td.reduce sum
// CHECK: %[[P:.*]]:2 = td.stage
// CHECK: td.matmul %[[P]]#0
// CHECK: td.yield
// CHECK: return %[[Y]]
func.func @attention(%q: tensor<4x1024x32xf32>, %k: tensor<4x1024x32xf32>, %v: tensor<4x1024x32xf32>) -> tensor<4x1024x32xf32> {
  %t = td.permute %k [0, 2, 1] : tensor<4x1024x32xf32> to tensor<4x32x1024xf32>
  %s = td.matmul %q, %t : tensor<4x1024x32xf32>, tensor<4x32x1024xf32> -> tensor<4x1024x1024xf32>
  %p = td.softmax %s dim 2 : tensor<4x1024x1024xf32>
  %y = td.matmul %p, %v : tensor<4x1024x1024xf32>, tensor<4x1024x32xf32> -> tensor<4x1024x32xf32>
  return %y : tensor<4x1024x32xf32>
}

// -----

// What is read from outside may be slices: queries, keys and values of one tensor.
// CHECK-LABEL: func.func @slices
// CHECK: td.kernel(%arg0)
// CHECK: td.matmul
// CHECK: td.stage
// CHECK: td.stage
// CHECK: td.matmul
// CHECK: td.yield
// CHECK-NOT: td.kernel
func.func @slices(%x: tensor<3x4x1024x32xf32>) -> tensor<4x1024x32xf32> {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c2 = arith.constant 2 : i64
  %0 = td.slice %x[%c0] dim 0 step 1 : tensor<3x4x1024x32xf32> to tensor<1x4x1024x32xf32>
  %1 = td.slice %x[%c1] dim 0 step 1 : tensor<3x4x1024x32xf32> to tensor<1x4x1024x32xf32>
  %2 = td.slice %x[%c2] dim 0 step 1 : tensor<3x4x1024x32xf32> to tensor<1x4x1024x32xf32>
  %q = td.reshape %0 : tensor<1x4x1024x32xf32> to tensor<4x1024x32xf32>
  %k = td.reshape %1 : tensor<1x4x1024x32xf32> to tensor<4x1024x32xf32>
  %v = td.reshape %2 : tensor<1x4x1024x32xf32> to tensor<4x1024x32xf32>
  %t = td.permute %k [0, 2, 1] : tensor<4x1024x32xf32> to tensor<4x32x1024xf32>
  %s = td.matmul %q, %t : tensor<4x1024x32xf32>, tensor<4x32x1024xf32> -> tensor<4x1024x1024xf32>
  %p = td.softmax %s dim 2 : tensor<4x1024x1024xf32>
  %y = td.matmul %p, %v : tensor<4x1024x1024xf32>, tensor<4x1024x32xf32> -> tensor<4x1024x32xf32>
  return %y : tensor<4x1024x32xf32>
}

// -----

// Not if something else reads the scores,
// CHECK-LABEL: func.func @read_twice
// CHECK-NOT: td.stage
func.func @read_twice(%q: tensor<1024x32xf32>, %k: tensor<32x1024xf32>, %v: tensor<1024x32xf32>) -> (tensor<1024x32xf32>, tensor<1024x1024xf32>) {
  %s = td.matmul %q, %k : tensor<1024x32xf32>, tensor<32x1024xf32> -> tensor<1024x1024xf32>
  %y = td.matmul %s, %v : tensor<1024x1024xf32>, tensor<1024x32xf32> -> tensor<1024x32xf32>
  return %y, %s : tensor<1024x32xf32>, tensor<1024x1024xf32>
}

// -----

// or if they fit the cache,
// CHECK-LABEL: func.func @small
// CHECK-NOT: td.stage
func.func @small(%q: tensor<128x32xf32>, %k: tensor<32x128xf32>, %v: tensor<128x32xf32>) -> tensor<128x32xf32> {
  %s = td.matmul %q, %k : tensor<128x32xf32>, tensor<32x128xf32> -> tensor<128x128xf32>
  %y = td.matmul %s, %v : tensor<128x128xf32>, tensor<128x32xf32> -> tensor<128x32xf32>
  return %y : tensor<128x32xf32>
}

// -----

// or if each block would read large weights again,
// CHECK-LABEL: func.func @weights
// CHECK-NOT: td.stage
func.func @weights(%x: tensor<1024x1024xf32>, %v: tensor<1024x1024xf32>, %w: tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
  %h = td.matmul %x, %v : tensor<1024x1024xf32>, tensor<1024x1024xf32> -> tensor<1024x1024xf32>
  %y = td.matmul %h, %w : tensor<1024x1024xf32>, tensor<1024x1024xf32> -> tensor<1024x1024xf32>
  return %y : tensor<1024x1024xf32>
}

// -----

// or if the second product sums over the rows,
// CHECK-LABEL: func.func @columns
// CHECK-NOT: td.stage
func.func @columns(%q: tensor<1024x32xf32>, %k: tensor<32x1024xf32>, %v: tensor<32x1024xf32>) -> tensor<32x1024xf32> {
  %s = td.matmul %q, %k : tensor<1024x32xf32>, tensor<32x1024xf32> -> tensor<1024x1024xf32>
  %y = td.matmul %v, %s : tensor<32x1024xf32>, tensor<1024x1024xf32> -> tensor<32x1024xf32>
  return %y : tensor<32x1024xf32>
}

// -----

// or if a kernel only moves elements, here for a product that reads them in another order,
// CHECK-LABEL: func.func @copy
// CHECK-NOT: td.stage
func.func @copy(%x: tensor<4096x256xf32>, %d: tensor<4096x256xf32>) -> tensor<256x256xf32> {
  %t = td.permute %x [1, 0] : tensor<4096x256xf32> to tensor<256x4096xf32>
  %y = td.matmul %t, %d : tensor<256x4096xf32>, tensor<4096x256xf32> -> tensor<256x256xf32>
  return %y : tensor<256x256xf32>
}

// -----

// or if a kernel is no nest.
// CHECK-LABEL: func.func @concatenated
// CHECK-NOT: td.stage
func.func @concatenated(%x: tensor<1024x512xf32>, %w: tensor<1024x8xf32>) -> tensor<1024x8xf32> {
  %h = td.concat %x, %x dim 1 : (tensor<1024x512xf32>, tensor<1024x512xf32>) -> tensor<1024x1024xf32>
  %y = td.matmul %h, %w : tensor<1024x1024xf32>, tensor<1024x8xf32> -> tensor<1024x8xf32>
  return %y : tensor<1024x8xf32>
}

// -----

// Kernels that pass on several large values are merged all, with the results that others read:
// here the gradients of an attention's values and scores. A sum over rows is added up block by
// block. What reads a result moves after the kernel.
// CHECK-LABEL: func.func @gradients
// CHECK: %[[R:.*]]:3 = td.kernel(%arg0, %arg1, %arg2, %arg3)
// CHECK: %[[S:.*]] = td.stage
// CHECK: %[[Y:.*]] = td.stage
// CHECK: %[[D:.*]] = td.stage
// CHECK: %[[K:.*]] = td.matmul
// CHECK: td.yield %[[Y]], %{{.*}}, %{{.*}}
// CHECK: td.reshape %[[R]]#0
func.func @gradients(%q: tensor<8x512x32xf32>, %k: tensor<8x32x512xf32>, %v: tensor<8x512x32xf32>, %g: tensor<8x512x32xf32>) -> (tensor<8x16384xf32>, tensor<8x512x32xf32>, tensor<8x32x512xf32>) {
  %s = td.matmul %q, %k : tensor<8x512x32xf32>, tensor<8x32x512xf32> -> tensor<8x512x512xf32>
  %y = td.matmul %s, %v : tensor<8x512x512xf32>, tensor<8x512x32xf32> -> tensor<8x512x32xf32>
  %r = td.reshape %y : tensor<8x512x32xf32> to tensor<8x16384xf32>
  %vt = td.permute %v [0, 2, 1] : tensor<8x512x32xf32> to tensor<8x32x512xf32>
  %d = td.matmul %g, %vt : tensor<8x512x32xf32>, tensor<8x32x512xf32> -> tensor<8x512x512xf32>
  %m = td.mul %d, %s : tensor<8x512x512xf32>
  %kt = td.permute %k [0, 2, 1] : tensor<8x32x512xf32> to tensor<8x512x32xf32>
  %dq = td.matmul %m, %kt : tensor<8x512x512xf32>, tensor<8x512x32xf32> -> tensor<8x512x32xf32>
  %qt = td.permute %q [0, 2, 1] : tensor<8x512x32xf32> to tensor<8x32x512xf32>
  %dk = td.matmul %qt, %m : tensor<8x32x512xf32>, tensor<8x512x512xf32> -> tensor<8x32x512xf32>
  return %r, %dq, %dk : tensor<8x16384xf32>, tensor<8x512x32xf32>, tensor<8x32x512xf32>
}

// -----

// Blocks that add to the same sum run one after the other: not if there are few sums for threads,
// CHECK-LABEL: func.func @few_sums
// CHECK-NOT: td.stage
func.func @few_sums(%q: tensor<4x512x32xf32>, %k: tensor<4x32x512xf32>, %g: tensor<4x512x32xf32>) -> (tensor<4x512x32xf32>, tensor<4x512x32xf32>) {
  %s = td.matmul %q, %k : tensor<4x512x32xf32>, tensor<4x32x512xf32> -> tensor<4x512x512xf32>
  %y = td.matmul %s, %g : tensor<4x512x512xf32>, tensor<4x512x32xf32> -> tensor<4x512x32xf32>
  %t = td.permute %s [0, 2, 1] : tensor<4x512x512xf32> to tensor<4x512x512xf32>
  %z = td.matmul %t, %g : tensor<4x512x512xf32>, tensor<4x512x32xf32> -> tensor<4x512x32xf32>
  return %y, %z : tensor<4x512x32xf32>, tensor<4x512x32xf32>
}

// -----

// or if each block would round to a narrow type.
// CHECK-LABEL: func.func @narrow
// CHECK-NOT: td.stage
func.func @narrow(%q: tensor<8x1024x32xbf16>, %k: tensor<8x32x1024xbf16>, %g: tensor<8x1024x32xbf16>) -> (tensor<8x1024x32xbf16>, tensor<8x1024x32xbf16>) {
  %s = td.matmul %q, %k : tensor<8x1024x32xbf16>, tensor<8x32x1024xbf16> -> tensor<8x1024x1024xbf16>
  %y = td.matmul %s, %g : tensor<8x1024x1024xbf16>, tensor<8x1024x32xbf16> -> tensor<8x1024x32xbf16>
  %t = td.permute %s [0, 2, 1] : tensor<8x1024x1024xbf16> to tensor<8x1024x1024xbf16>
  %z = td.matmul %t, %g : tensor<8x1024x1024xbf16>, tensor<8x1024x32xbf16> -> tensor<8x1024x32xbf16>
  return %y, %z : tensor<8x1024x32xbf16>, tensor<8x1024x32xbf16>
}

// -----

// The second kernel waits for the first one's result: it computes the scores again.
// CHECK-LABEL: func.func @again
// CHECK: %[[Y:.*]] = td.kernel(%arg0, %arg1, %arg2)
// CHECK: td.exp
// CHECK: td.stage
// CHECK-NOT: td.stage
// CHECK: td.yield
// CHECK: %[[G:.*]] = td.kernel(%[[Y]], %arg3)
// CHECK: td.kernel(%arg0, %arg1, %[[G]], %arg2)
// CHECK: td.exp
// CHECK: td.stage
// CHECK: td.stage
// CHECK: td.yield
func.func @again(%q: tensor<8x512x16xf32>, %k: tensor<8x16x512xf32>, %v: tensor<8x512x16xf32>, %w: tensor<8x16x16xf32>) -> (tensor<8x512x16xf32>, tensor<8x512x16xf32>, tensor<8x512x16xf32>) {
  %s = td.matmul %q, %k : tensor<8x512x16xf32>, tensor<8x16x512xf32> -> tensor<8x512x512xf32>
  %p = td.exp %s : tensor<8x512x512xf32>
  %y = td.matmul %p, %v : tensor<8x512x512xf32>, tensor<8x512x16xf32> -> tensor<8x512x16xf32>
  %g = td.matmul %y, %w : tensor<8x512x16xf32>, tensor<8x16x16xf32> -> tensor<8x512x16xf32>
  %t = td.permute %p [0, 2, 1] : tensor<8x512x512xf32> to tensor<8x512x512xf32>
  %dv = td.matmul %t, %g : tensor<8x512x512xf32>, tensor<8x512x16xf32> -> tensor<8x512x16xf32>
  %vt = td.permute %v [0, 2, 1] : tensor<8x512x16xf32> to tensor<8x16x512xf32>
  %d = td.matmul %g, %vt : tensor<8x512x16xf32>, tensor<8x16x512xf32> -> tensor<8x512x512xf32>
  %m = td.mul %d, %p : tensor<8x512x512xf32>
  %kt = td.permute %k [0, 2, 1] : tensor<8x16x512xf32> to tensor<8x512x16xf32>
  %dq = td.matmul %m, %kt : tensor<8x512x512xf32>, tensor<8x512x16xf32> -> tensor<8x512x16xf32>
  return %y, %dv, %dq : tensor<8x512x16xf32>, tensor<8x512x16xf32>, tensor<8x512x16xf32>
}

// -----

// Not if what these are computed from takes as much memory.
// CHECK-LABEL: func.func @stored
// CHECK-COUNT-1: td.exp
// CHECK-NOT: td.exp
func.func @stored(%q: tensor<8x512x128xf32>, %k: tensor<8x128x512xf32>, %v: tensor<8x512x128xf32>, %w: tensor<8x128x128xf32>) -> (tensor<8x512x128xf32>, tensor<8x512x128xf32>, tensor<8x512x128xf32>) {
  %s = td.matmul %q, %k : tensor<8x512x128xf32>, tensor<8x128x512xf32> -> tensor<8x512x512xf32>
  %p = td.exp %s : tensor<8x512x512xf32>
  %y = td.matmul %p, %v : tensor<8x512x512xf32>, tensor<8x512x128xf32> -> tensor<8x512x128xf32>
  %g = td.matmul %y, %w : tensor<8x512x128xf32>, tensor<8x128x128xf32> -> tensor<8x512x128xf32>
  %t = td.permute %p [0, 2, 1] : tensor<8x512x512xf32> to tensor<8x512x512xf32>
  %dv = td.matmul %t, %g : tensor<8x512x512xf32>, tensor<8x512x128xf32> -> tensor<8x512x128xf32>
  %vt = td.permute %v [0, 2, 1] : tensor<8x512x128xf32> to tensor<8x128x512xf32>
  %d = td.matmul %g, %vt : tensor<8x512x128xf32>, tensor<8x128x512xf32> -> tensor<8x512x512xf32>
  %m = td.mul %d, %p : tensor<8x512x512xf32>
  %kt = td.permute %k [0, 2, 1] : tensor<8x128x512xf32> to tensor<8x512x128xf32>
  %dq = td.matmul %m, %kt : tensor<8x512x512xf32>, tensor<8x512x128xf32> -> tensor<8x512x128xf32>
  return %y, %dv, %dq : tensor<8x512x128xf32>, tensor<8x512x128xf32>, tensor<8x512x128xf32>
}

// -----

// Nor if what waits for the first result comes before the last kernel that does not.
// CHECK-LABEL: func.func @crossed
// CHECK-COUNT-1: td.exp
// CHECK-NOT: td.exp
func.func @crossed(%q: tensor<8x512x16xf32>, %k: tensor<8x16x512xf32>, %v: tensor<8x512x16xf32>, %w: tensor<8x16x16xf32>) -> (tensor<8x512x16xf32>, tensor<8x512x16xf32>, tensor<8x512x16xf32>) {
  %s = td.matmul %q, %k : tensor<8x512x16xf32>, tensor<8x16x512xf32> -> tensor<8x512x512xf32>
  %p = td.exp %s : tensor<8x512x512xf32>
  %y = td.matmul %p, %v : tensor<8x512x512xf32>, tensor<8x512x16xf32> -> tensor<8x512x16xf32>
  %g = td.matmul %y, %w : tensor<8x512x16xf32>, tensor<8x16x16xf32> -> tensor<8x512x16xf32>
  %t = td.permute %p [0, 2, 1] : tensor<8x512x512xf32> to tensor<8x512x512xf32>
  %dv = td.matmul %t, %g : tensor<8x512x512xf32>, tensor<8x512x16xf32> -> tensor<8x512x16xf32>
  %vt = td.permute %v [0, 2, 1] : tensor<8x512x16xf32> to tensor<8x16x512xf32>
  %d = td.matmul %g, %vt : tensor<8x512x16xf32>, tensor<8x16x512xf32> -> tensor<8x512x512xf32>
  %m = td.mul %d, %p : tensor<8x512x512xf32>
  %kt = td.permute %k [0, 2, 1] : tensor<8x16x512xf32> to tensor<8x512x16xf32>
  %dq = td.matmul %m, %kt : tensor<8x512x512xf32>, tensor<8x512x16xf32> -> tensor<8x512x16xf32>
  %u = td.neg %v : tensor<8x512x16xf32>
  %z = td.matmul %p, %u : tensor<8x512x512xf32>, tensor<8x512x16xf32> -> tensor<8x512x16xf32>
  %o = td.add %y, %z : tensor<8x512x16xf32>
  return %o, %dv, %dq : tensor<8x512x16xf32>, tensor<8x512x16xf32>, tensor<8x512x16xf32>
}

// -----

// What two products read is computed once, as a stage of its own.
// CHECK-LABEL: func.func @factors
// CHECK: %[[S:.*]] = td.stage
// CHECK: %[[R:.*]] = td.stage
// CHECK: %[[D:.*]] = td.sub %[[S]]
// CHECK: %[[F:.*]] = td.stage %[[D]]
// CHECK: td.matmul %[[F]]
// CHECK: %[[T:.*]] = td.permute %[[F]]
// CHECK: td.matmul %[[T]]
func.func @factors(%q: tensor<8x64x32xf32>, %k: tensor<8x32x16384xf32>, %v: tensor<8x16384x32xf32>) -> (tensor<8x64x32xf32>, tensor<8x16384x32xf32>) {
  %s = td.matmul %q, %k : tensor<8x64x32xf32>, tensor<8x32x16384xf32> -> tensor<8x64x16384xf32>
  %r = td.reduce sum %s [2] : tensor<8x64x16384xf32> to tensor<8x64xf32>
  %c = td.reshape %r : tensor<8x64xf32> to tensor<8x64x1xf32>
  %b = td.broadcast %c : tensor<8x64x1xf32> to tensor<8x64x16384xf32>
  %m = td.mul %s, %b : tensor<8x64x16384xf32>
  %d = td.sub %s, %m : tensor<8x64x16384xf32>
  %y = td.matmul %d, %v : tensor<8x64x16384xf32>, tensor<8x16384x32xf32> -> tensor<8x64x32xf32>
  %t = td.permute %d [0, 2, 1] : tensor<8x64x16384xf32> to tensor<8x16384x64xf32>
  %z = td.matmul %t, %q : tensor<8x16384x64xf32>, tensor<8x64x32xf32> -> tensor<8x16384x32xf32>
  return %y, %z : tensor<8x64x32xf32>, tensor<8x16384x32xf32>
}
