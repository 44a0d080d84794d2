// RUN: tdc-opt %s --split-input-file --kernel-to-gpu --merge-launches | FileCheck %s

!g = tensor<1000xf32, #td.dev<cuda, 0>>
!h = tensor<1xf32, #td.dev<cuda, 0>>
td.slot @p param "p" of "m" : !g
td.slot @q param "q" of "m" : !h

// One launch has the blocks of both kernels. Its arguments: the scalar that both
// use, the first block of each, the inputs of each, the outputs. The writes follow.
// CHECK-LABEL: func.func @step
// CHECK-DAG: %[[P:.*]] = td.read @p
// CHECK-DAG: %[[Q:.*]] = td.read @q
// CHECK-NOT: td.write
// CHECK: %[[R:.*]]:2 = td.launch @sub_0_x2_0(%[[LR:.*]], %[[C0:c0[^,]*]], %[[C1:c1[^,]*]], %[[P]], %{{.*}}, %[[N:c1000[^,]*]], %[[Q]], %{{.*}}, %[[ONE:c1[^,]*]]) blocks(%[[TWO:c2.*]]) in_place [3, 0, 4, 0, 6, 1, 7, 1]
// CHECK: td.write %[[R]]#0, @p
// CHECK: td.write %[[R]]#1, @q
// CHECK-NOT: td.launch
// The kernels without a launch are erased.
// CHECK: td.gpu_kernel @sub_0_x2_0 threads 256 shared 0 parameters 12
// CHECK-NOT: td.gpu_kernel
// CHECK: llvm.func @sub_0_x2_0(%[[TABLE:.*]]: !llvm.ptr {llvm.align = 8 : i64, llvm.byval = !llvm.array<12 x i64>}) attributes {nvvm.kernel
// CHECK: %[[BLOCK:.*]] = nvvm.read.ptx.sreg.ctaid.x
// CHECK: %[[NEXT:.*]] = arith.minui
// CHECK: %[[AFTER:.*]] = arith.cmpi ult, %[[BLOCK]]
// CHECK: %[[MEMBER:.*]] = arith.select %[[AFTER]], %{{.*}}, %[[NEXT]]
// CHECK: %[[OWN:.*]] = arith.subi %[[BLOCK]]
// CHECK: arith.muli %[[OWN]], %c256
// CHECK-NOT: llvm.func
func.func @step(%x: !g, %y: !h, %lr: f64) {
  %p = td.read @p : !g
  %r = td.kernel(%p, %x, %lr) : (!g, !g, f64) -> !g {
  ^bb0(%a: !g, %b: !g, %s: f64):
    %f = td.fill %s : f64 -> !g
    %d = td.mul %f, %b : !g
    %m = td.sub %a, %d : !g
    td.yield %m : !g
  }
  td.write %r, @p : !g
  %q = td.read @q : !h
  %t = td.kernel(%q, %y, %lr) : (!h, !h, f64) -> !h {
  ^bb0(%a: !h, %b: !h, %s: f64):
    %f = td.fill %s : f64 -> !h
    %d = td.mul %f, %b : !h
    %m = td.sub %a, %d : !h
    td.yield %m : !h
  }
  td.write %t, @q : !h
  return
}

// -----

!g = tensor<8xf32, #td.dev<cuda, 0>>
td.slot @p param "p" of "m" : !g
td.slot @q param "q" of "m" : !g

// The second kernel reads the first one's result.
// CHECK-LABEL: func.func @in_order
// CHECK: td.launch @exp_0(
// CHECK: td.launch @exp_0(
func.func @in_order(%x: !g) {
  %r = td.kernel(%x) : (!g) -> !g {
  ^bb0(%a: !g):
    %m = td.exp %a : !g
    td.yield %m : !g
  }
  td.write %r, @p : !g
  %t = td.kernel(%r) : (!g) -> !g {
  ^bb0(%a: !g):
    %m = td.exp %a : !g
    td.yield %m : !g
  }
  td.write %t, @q : !g
  return
}

// -----

!g = tensor<8xf32, #td.dev<cuda, 0>>
td.slot @p param "p" of "m" : !g
td.slot @q param "q" of "m" : !g

// The second kernel reads the slot that the first one's result is written to.
// CHECK-LABEL: func.func @through_slot
// CHECK: td.launch @exp_0(
// CHECK: td.write
// CHECK: td.read
// CHECK: td.launch @exp_0(
func.func @through_slot(%x: !g) {
  %r = td.kernel(%x) : (!g) -> !g {
  ^bb0(%a: !g):
    %m = td.exp %a : !g
    td.yield %m : !g
  }
  td.write %r, @p : !g
  %p = td.read @p : !g
  %t = td.kernel(%p) : (!g) -> !g {
  ^bb0(%a: !g):
    %m = td.exp %a : !g
    td.yield %m : !g
  }
  td.write %t, @q : !g
  return
}

// -----

!g = tensor<8xf32, #td.dev<cuda, 0>>
td.slot @p param "p" of "m" : !g
td.slot @q param "q" of "m" : !g

// A launch moves together with its uses, which keep their order, also past a
// write to a slot that the launch reads: the old value is not copied.
// CHECK-LABEL: func.func @moves
// CHECK: %[[P:.*]] = td.read @p
// CHECK: %[[R:.*]]:2 = td.launch @exp_0_x2_0(%{{[^,]*}}, %{{[^,]*}}, %[[P]]
// CHECK-NEXT: td.write %arg1, @p
// CHECK-NEXT: td.write %[[R]]#0, @p
// CHECK-NEXT: td.write %[[R]]#1, @q
func.func @moves(%x: !g, %y: !g) {
  %p = td.read @p : !g
  %r = td.kernel(%p) : (!g) -> !g {
  ^bb0(%a: !g):
    %m = td.exp %a : !g
    td.yield %m : !g
  }
  td.write %y, @p : !g
  td.write %r, @p : !g
  %t = td.kernel(%x) : (!g) -> !g {
  ^bb0(%a: !g):
    %m = td.exp %a : !g
    td.yield %m : !g
  }
  td.write %t, @q : !g
  return
}

// -----

!g = tensor<8xf32, #td.dev<cuda, 0>>
td.slot @p param "p" of "m" : !g
td.slot @q param "q" of "m" : !g

// The result of another launch needs memory of its own while %x is still live.
// CHECK-LABEL: func.func @memory
// CHECK: td.launch @exp_0(
// CHECK: td.launch @sqrt_1(
// CHECK: td.launch @exp_0(
func.func @memory(%x: !g, %y: !g) {
  %r = td.kernel(%x) : (!g) -> !g {
  ^bb0(%a: !g):
    %m = td.exp %a : !g
    td.yield %m : !g
  }
  td.write %r, @p : !g
  %s = td.kernel(%y) : (!g) -> !g {
  ^bb0(%a: !g):
    %m = td.sqrt %a : !g
    td.yield %m : !g
  }
  %t = td.kernel(%s) : (!g) -> !g {
  ^bb0(%a: !g):
    %m = td.exp %a : !g
    td.yield %m : !g
  }
  td.write %t, @q : !g
  return
}

// -----

!g = tensor<8xf32, #td.dev<cuda, 0>>
!h = tensor<8xf32, #td.dev<cuda, 1>>
td.slot @p0 param "p0" of "m" : !g
td.slot @p1 param "p1" of "m" : !h
td.slot @q0 param "q0" of "m" : !g
td.slot @q1 param "q1" of "m" : !h

// Each GPU has a launch of its own.
// CHECK-LABEL: func.func @devices
// CHECK: td.launch @exp_0_x2_0({{.*}}#td.dev<cuda, 0>>)
// CHECK: td.launch @exp_0_x2_0({{.*}}#td.dev<cuda, 1>>)
// CHECK-NOT: td.launch
func.func @devices(%x: !g, %y: !h) {
  %r = td.kernel(%x) : (!g) -> !g {
  ^bb0(%a: !g):
    %m = td.exp %a : !g
    td.yield %m : !g
  }
  td.write %r, @p0 : !g
  %s = td.kernel(%y) : (!h) -> !h {
  ^bb0(%a: !h):
    %m = td.exp %a : !h
    td.yield %m : !h
  }
  td.write %s, @p1 : !h
  %t = td.kernel(%x) : (!g) -> !g {
  ^bb0(%a: !g):
    %m = td.exp %a : !g
    td.yield %m : !g
  }
  td.write %t, @q0 : !g
  %u = td.kernel(%y) : (!h) -> !h {
  ^bb0(%a: !h):
    %m = td.exp %a : !h
    td.yield %m : !h
  }
  td.write %u, @q1 : !h
  return
}

// -----

!d = tensor<?x4xf32, #td.dev<cuda, 0>>
!g = tensor<4xf32, #td.dev<cuda, 0>>
td.slot @p param "p" of "m" : !g
td.slot @q param "q" of "m" : !g

// Run-time sizes are launch parameters as well.
// CHECK-LABEL: func.func @sizes
// CHECK: %[[R:.*]]:2 = td.launch @reduce_0_x2_0(%{{[^,]*}}, %{{[^,]*}}, %arg0, %arg1) blocks
// CHECK: td.gpu_kernel @reduce_0_x2_0 threads {{.*}} parameters 9
func.func @sizes(%x: !d, %y: !d) {
  %r = td.kernel(%x) : (!d) -> !g {
  ^bb0(%a: !d):
    %m = td.reduce sum %a [0] : !d to !g
    td.yield %m : !g
  }
  td.write %r, @p : !g
  %t = td.kernel(%y) : (!d) -> !g {
  ^bb0(%a: !d):
    %m = td.reduce sum %a [0] : !d to !g
    td.yield %m : !g
  }
  td.write %t, @q : !g
  return
}

// -----

!g = tensor<8xf32, #td.dev<cuda, 0>>
td.slot @p param "p" of "m" : !g
td.slot @q param "q" of "m" : !g

// A scalar that differs between the launches is passed once for each; only the
// first blocks precede the parameters of each.
// CHECK-LABEL: func.func @scalars
// CHECK-SAME: (%[[X:arg0]]: {{.*}}, %[[A:arg1]]: f64, %[[B:arg2]]: f64)
// CHECK: td.launch @mul_0_x2_0(%{{[^,]*}}, %{{[^,]*}}, %[[X]], %[[A]], %{{[^,]*}}, %[[X]], %[[B]], %{{[^,]*}}) blocks
// CHECK-NOT: td.launch
func.func @scalars(%x: !g, %a: f64, %b: f64) {
  %r = td.kernel(%x, %a) : (!g, f64) -> !g {
  ^bb0(%i: !g, %s: f64):
    %f = td.fill %s : f64 -> !g
    %m = td.mul %i, %f : !g
    td.yield %m : !g
  }
  td.write %r, @p : !g
  %t = td.kernel(%x, %b) : (!g, f64) -> !g {
  ^bb0(%i: !g, %s: f64):
    %f = td.fill %s : f64 -> !g
    %m = td.mul %i, %f : !g
    td.yield %m : !g
  }
  td.write %t, @q : !g
  return
}
