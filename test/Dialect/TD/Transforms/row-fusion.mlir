// RUN: tdc-opt %s --split-input-file --td-form-kernels | FileCheck %s

!g = tensor<64x128xf32, #td.dev<cuda, 0>>

// On a GPU all stages over a row are one kernel.
// CHECK-LABEL: func.func @softmax
// CHECK: td.kernel
// CHECK: td.reduce max
// CHECK: td.exp
// CHECK: td.reduce sum
// CHECK: td.div
// CHECK: td.mul
// CHECK: td.yield
// CHECK-NOT: td.kernel
func.func @softmax(%x: !g) -> !g {
  %y = td.softmax %x dim 1 : !g
  return %y : !g
}

// -----

!c = tensor<64x128xf32, #td.dev<cpu>>
!l = tensor<64x16384xf32, #td.dev<cpu>>

// On the cpu as well, if the row stays in the nearest cache.
// CHECK-LABEL: func.func @on_cpu
// CHECK: = td.kernel
// CHECK-NOT: = td.kernel
// CHECK-LABEL: func.func @long
// CHECK-COUNT-4: = td.kernel
func.func @on_cpu(%x: !c) -> !c {
  %y = td.softmax %x dim 1 : !c
  return %y : !c
}
func.func @long(%x: !l) -> !l {
  %y = td.softmax %x dim 1 : !l
  return %y : !l
}

// -----

!c = tensor<64x128xf32, #td.dev<cpu>>

// A column is not in one piece of memory.
// CHECK-LABEL: func.func @column
// CHECK-COUNT-4: = td.kernel
func.func @column(%x: !c) -> !c {
  %y = td.softmax %x dim 0 : !c
  return %y : !c
}

// -----

!c = tensor<64x128xf32, #td.dev<cpu>>
!s = tensor<64xf32, #td.dev<cpu>>
!k = tensor<64x1xf32, #td.dev<cpu>>

// A function is computed for a reduction and for a root, but no third time.
// CHECK-LABEL: func.func @three
// CHECK: td.exp
// CHECK-NOT: td.exp
func.func @three(%x: !c) -> !c {
  %e = td.exp %x : !c
  %m = td.reduce max %e [1] : !c to !s
  %mk = td.reshape %m : !s to !k
  %mb = td.broadcast %mk : !k to !c
  %d = td.sub %e, %mb : !c
  %a = td.reduce sum %d [1] : !c to !s
  %ak = td.reshape %a : !s to !k
  %ab = td.broadcast %ak : !k to !c
  %r = td.mul %e, %ab : !c
  return %r : !c
}

// -----

!g = tensor<?x128xf32, #td.dev<cuda, 0>>
!r = tensor<128xf32, #td.dev<cuda, 0>>

// A value with further uses is stored as well; a matrix product is not fused.
// CHECK-LABEL: func.func @shared
// CHECK: %[[K:.*]]:2 = td.kernel
// CHECK: td.yield %{{.*}}, %{{.*}} :
// CHECK: return %[[K]]#0, %[[K]]#1
func.func @shared(%x: tensor<64x128xf32, #td.dev<cuda, 0>>) -> (tensor<64x1xf32, #td.dev<cuda, 0>>, tensor<64x128xf32, #td.dev<cuda, 0>>) {
  %m = td.reduce max %x [1] : tensor<64x128xf32, #td.dev<cuda, 0>> to tensor<64xf32, #td.dev<cuda, 0>>
  %c = td.reshape %m : tensor<64xf32, #td.dev<cuda, 0>> to tensor<64x1xf32, #td.dev<cuda, 0>>
  %b = td.broadcast %c : tensor<64x1xf32, #td.dev<cuda, 0>> to tensor<64x128xf32, #td.dev<cuda, 0>>
  %y = td.sub %x, %b : tensor<64x128xf32, #td.dev<cuda, 0>>
  return %c, %y : tensor<64x1xf32, #td.dev<cuda, 0>>, tensor<64x128xf32, #td.dev<cuda, 0>>
}

// -----

!g = tensor<64x128xf32, #td.dev<cuda, 0>>
!s = tensor<64xf32, #td.dev<cuda, 0>>
!k = tensor<64x1xf32, #td.dev<cuda, 0>>

// A thread keeps the values that it stores until it has all of them, so the
// number of results of a kernel is limited.
// CHECK-LABEL: func.func @many
// CHECK: td.kernel
// CHECK: td.kernel
func.func @many(%x: !g) -> (!g, !g, !g, !g, !g, !g, !g, !g, !g, !g, !g, !g, !g, !g, !g, !g, !g) {
  %sum = td.reduce sum %x [1] : !g to !s
  %column = td.reshape %sum : !s to !k
  %row = td.broadcast %column : !k to !g
  %r0 = td.sub %x, %row : !g
  %r1 = td.sub %x, %row : !g
  %r2 = td.sub %x, %row : !g
  %r3 = td.sub %x, %row : !g
  %r4 = td.sub %x, %row : !g
  %r5 = td.sub %x, %row : !g
  %r6 = td.sub %x, %row : !g
  %r7 = td.sub %x, %row : !g
  %r8 = td.sub %x, %row : !g
  %r9 = td.sub %x, %row : !g
  %r10 = td.sub %x, %row : !g
  %r11 = td.sub %x, %row : !g
  %r12 = td.sub %x, %row : !g
  %r13 = td.sub %x, %row : !g
  %r14 = td.sub %x, %row : !g
  %r15 = td.sub %x, %row : !g
  %r16 = td.sub %x, %row : !g
  return
    %r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9, %r10, %r11, %r12, %r13, %r14, %r15,
    %r16 :
    !g, !g, !g, !g, !g, !g, !g, !g, !g, !g, !g, !g, !g, !g, !g, !g, !g
}

// -----

!g = tensor<4x1000000xf32, #td.dev<cuda, 0>>

// Four groups of threads would leave most of a GPU idle: with such long rows
// each stage is a kernel, which can be split into sections.
// CHECK-LABEL: func.func @long_rows
// CHECK-COUNT-4: td.kernel
// CHECK-NOT: td.kernel
func.func @long_rows(%x: !g) -> !g {
  %y = td.softmax %x dim 1 : !g
  return %y : !g
}

// -----

!g = tensor<64x128xf32, #td.dev<cuda, 0>>
!s = tensor<64xf32, #td.dev<cuda, 0>>

// A thread keeps its reduced values: at most eight in one kernel.
// CHECK-LABEL: func.func @reductions
// CHECK: td.kernel
// CHECK: td.kernel
func.func @reductions(%a: !g, %b: !g, %c: !g, %d: !g, %e: !g, %f: !g, %h: !g, %i: !g, %j: !g) -> !s {
  %0 = td.reduce sum %a [1] : !g to !s
  %1 = td.reduce sum %b [1] : !g to !s
  %2 = td.reduce sum %c [1] : !g to !s
  %3 = td.reduce sum %d [1] : !g to !s
  %4 = td.reduce sum %e [1] : !g to !s
  %5 = td.reduce sum %f [1] : !g to !s
  %6 = td.reduce sum %h [1] : !g to !s
  %7 = td.reduce sum %i [1] : !g to !s
  %8 = td.reduce sum %j [1] : !g to !s
  %s1 = td.add %0, %1 : !s
  %s2 = td.add %s1, %2 : !s
  %s3 = td.add %s2, %3 : !s
  %s4 = td.add %s3, %4 : !s
  %s5 = td.add %s4, %5 : !s
  %s6 = td.add %s5, %6 : !s
  %s7 = td.add %s6, %7 : !s
  %s8 = td.add %s7, %8 : !s
  return %s8 : !s
}
