// RUN: tdc-opt %s --split-input-file --td-fit-memory --td-verify-placement | FileCheck %s

#cpu = #td.dev<cpu>
#gpu = #td.dev<cuda, 0>
!c = tensor<4xf32, #cpu>
!g = tensor<4xf32, #gpu>

// Three tensors of 16 bytes fit, and four are live at the second td.sin. The
// one that is on the cpu as well is evicted, and copied again.
// CHECK-LABEL: func.func @clean
// CHECK: %[[A:.*]] = td.to_device %arg0
// CHECK-NEXT: %[[B:.*]] = td.sin %[[A]]
// CHECK-NEXT: %[[C:.*]] = td.sin %[[B]]
// CHECK-NEXT: %[[D:.*]] = td.mul %[[C]], %[[B]]
// CHECK-NEXT: %[[AGAIN:.*]] = td.to_device %arg0
// CHECK-NEXT: %[[E:.*]] = td.mul %[[D]], %[[AGAIN]]
module attributes {td.working_set = {"cuda:0" = 48 : i64}} {
func.func @clean(%x: !c) -> !g {
  %a = td.to_device %x : !c to !g
  %b = td.sin %a : !g
  %c = td.sin %b : !g
  %d = td.mul %c, %b : !g
  %e = td.mul %d, %a : !g
  return %e : !g
}
}

// -----

#cpu = #td.dev<cpu>
#gpu = #td.dev<cuda, 0>
!c = tensor<4xf32, #cpu>
!g = tensor<4xf32, #gpu>

// Nothing changes if all tensors fit, even if a copy could wait.
// CHECK-LABEL: func.func @fits
// CHECK: td.to_device
// CHECK-NEXT: td.to_device
// CHECK-NEXT: td.sin
module attributes {td.working_set = {"cuda:0" = 64 : i64}} {
func.func @fits(%x: !c, %y: !c) -> !g {
  %a = td.to_device %x : !c to !g
  %b = td.to_device %y : !c to !g
  %c = td.sin %a : !g
  %d = td.mul %c, %b : !g
  return %d : !g
}
}

// -----

#cpu = #td.dev<cpu>
#gpu = #td.dev<cuda, 0>
!c = tensor<4xf32, #cpu>
!g = tensor<4xf32, #gpu>

// If it is enough, copies are only sunk to their first use.
// CHECK-LABEL: func.func @waits
// CHECK: td.to_device %arg0
// CHECK-NEXT: td.sin
// CHECK-NEXT: td.mul
// CHECK-NEXT: td.to_device %arg1
// CHECK-NEXT: td.mul
// CHECK-NOT: td.to_device
module attributes {td.working_set = {"cuda:0" = 48 : i64}} {
func.func @waits(%x: !c, %y: !c) -> !g {
  %a = td.to_device %x : !c to !g
  %b = td.to_device %y : !c to !g
  %c = td.sin %a : !g
  %d = td.mul %c, %a : !g
  %e = td.mul %d, %b : !g
  return %e : !g
}
}

// -----

#cpu = #td.dev<cpu>
#gpu = #td.dev<cuda, 0>
!c = tensor<4xf32, #cpu>
!g = tensor<4xf32, #gpu>

// A tensor that was made on the device is saved once, right after its
// definition, however often it is evicted.
// CHECK-LABEL: func.func @dirty
// CHECK: %[[A:.*]] = td.sin
// CHECK-NEXT: %[[SAVED:.*]] = td.to_device %[[A]] : {{.*}} to tensor<4xf32, #td.dev<cpu>>
// CHECK-NEXT: %[[B:.*]] = td.cos %[[A]]
// CHECK-NEXT: %[[C:.*]] = td.sin %[[B]]
// CHECK-NEXT: %[[D:.*]] = td.mul %[[C]], %[[B]]
// CHECK-NEXT: %[[AGAIN:.*]] = td.to_device %[[SAVED]]
// CHECK-NEXT: %[[E:.*]] = td.mul %[[D]], %[[AGAIN]]
// CHECK-NEXT: %[[F:.*]] = td.cos %[[E]]
// CHECK-NEXT: %[[G:.*]] = td.mul %[[F]], %[[E]]
// CHECK-NEXT: %[[LAST:.*]] = td.to_device %[[SAVED]]
// CHECK-NEXT: td.mul %[[G]], %[[LAST]]
module attributes {td.working_set = {"cuda:0" = 48 : i64}} {
func.func @dirty(%x: !g) -> !g {
  %a = td.sin %x : !g
  %b = td.cos %a : !g
  %c = td.sin %b : !g
  %d = td.mul %c, %b : !g
  %e = td.mul %d, %a : !g
  %f = td.cos %e : !g
  %g = td.mul %f, %e : !g
  %h = td.mul %g, %a : !g
  return %h : !g
}
}

// -----

#cpu = #td.dev<cpu>
#gpu = #td.dev<cuda, 0>
!c = tensor<4xf32, #cpu>
!g = tensor<4xf32, #gpu>

// A constructor runs again instead of a copy.
// CHECK-LABEL: func.func @constructed
// CHECK-NOT: td.to_device
// CHECK: %[[ONE:.*]] = td.fill
// CHECK-NEXT: %[[A:.*]] = td.add %arg0, %[[ONE]]
// CHECK: %[[AGAIN:.*]] = td.fill
// CHECK-NEXT: td.mul %{{.*}}, %[[AGAIN]]
module attributes {td.working_set = {"cuda:0" = 48 : i64}} {
func.func @constructed(%x: !g) -> !g {
  %f = arith.constant 1.0 : f64
  %one = td.fill %f : f64 -> !g
  %a = td.add %x, %one : !g
  %b = td.cos %a : !g
  %c = td.mul %a, %b : !g
  %d = td.mul %c, %one : !g
  return %d : !g
}
}

// -----

#cpu = #td.dev<cpu>
#gpu = #td.dev<cuda, 0>
!c = tensor<4xf32, #cpu>
!g = tensor<4xf32, #gpu>

// A tensor that a loop does not use is evicted while the loop runs.
// CHECK-LABEL: func.func @across
// CHECK: %[[A:.*]] = td.to_device %arg0
// CHECK-NEXT: %[[B:.*]] = td.sin %[[A]]
// CHECK-NOT: td.to_device
// CHECK: scf.for
// CHECK-NOT: td.to_device
// CHECK: }
// CHECK-NEXT: %[[AGAIN:.*]] = td.to_device %arg0
// CHECK-NEXT: td.mul %{{.*}}, %[[AGAIN]]
module attributes {td.working_set = {"cuda:0" = 48 : i64}} {
func.func @across(%x: !c, %n: i64) -> !g {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %a = td.to_device %x : !c to !g
  %b = td.sin %a : !g
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %b) -> (!g) : i64 {
    %d = td.cos %s : !g
    %e = td.mul %d, %s : !g
    scf.yield %e : !g
  }
  %y = td.mul %r, %a : !g
  return %y : !g
}
}

// -----

#cpu = #td.dev<cpu>
#gpu = #td.dev<cuda, 0>
!c = tensor<4xf32, #cpu>
!g = tensor<4xf32, #gpu>

// Tensors that a loop uses stay if its iterations have room; else one is copied in
// each iteration: the one of the two whose next use is furthest.
// CHECK-LABEL: func.func @inside
// CHECK: %[[V:.*]] = td.to_device %arg0
// CHECK-NEXT: scf.for
// CHECK-NEXT: %[[W:.*]] = td.to_device %arg1
// CHECK-NEXT: td.add %{{.*}}, %[[W]]
// CHECK-NEXT: td.cos
// CHECK-NEXT: td.mul
// CHECK-NEXT: td.mul %{{.*}}, %[[V]]
module attributes {td.working_set = {"cuda:0" = 64 : i64}} {
func.func @inside(%x: !c, %y: !c, %z: !g, %n: i64) -> !g {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %v = td.to_device %x : !c to !g
  %w = td.to_device %y : !c to !g
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z) -> (!g) : i64 {
    %a = td.add %s, %w : !g
    %b = td.cos %a : !g
    %c = td.mul %b, %a : !g
    %d = td.mul %c, %v : !g
    scf.yield %d : !g
  }
  return %r : !g
}
}

// -----

#cpu = #td.dev<cpu>
#gpu = #td.dev<cuda, 0>
!c = tensor<?x4xf32, #cpu>
!g = tensor<?x4xf32, #gpu>

// td.dim needs no copy: it reads the size from the tensor on the cpu.
// CHECK-LABEL: func.func @sizes
// CHECK: td.to_device
// CHECK-NOT: td.to_device
// CHECK: td.dim %arg0, 0
module attributes {td.working_set = {"cuda:0" = 3072 : i64}} {
func.func @sizes(%x: !c) -> (!g, i64) {
  %a = td.to_device %x : !c to !g
  %b = td.sin %a : !g
  %c = td.sin %b : !g
  %d = td.mul %c, %b : !g
  %n = td.dim %a, 0 : !g
  return %d, %n : !g, i64
}
}
