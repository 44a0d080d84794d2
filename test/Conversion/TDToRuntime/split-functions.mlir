// RUN: tdc-opt %s --td-split-functions="most-weight=13 loop-weight=4" --verify-each --split-input-file | FileCheck %s

// Long parts become functions; values that a later block needs are returned in a
// buffer. Errors leave through the same exit as before, constants are made again.
llvm.func @work(!llvm.ptr, i64) -> i32
llvm.mlir.global internal constant @text("a\00")

// The loop is one piece, with its back edge.
// CHECK-LABEL: llvm.func internal @tdc_main.0(
// CHECK-SAME: %[[CTX:.*]]: !llvm.ptr, %[[N:.*]]: i64, %[[ROOM:.*]]: !llvm.ptr) -> i32
// CHECK: llvm.br ^[[HEAD:bb[0-9]+]](%[[N]] : i64)
// CHECK: ^[[HEAD]](%[[I:.*]]: i64):
// CHECK: llvm.cond_br %{{.*}}, ^[[BODY:bb[0-9]+]], ^[[DONE:bb[0-9]+]]
// CHECK: ^[[BODY]]:
// CHECK: %[[STATUS:.*]] = llvm.call @work(%[[CTX]], %[[I]])
// CHECK: llvm.cond_br %{{.*}}, ^{{bb[0-9]+}}, ^[[FAILED:bb[0-9]+]](%[[STATUS]] : i32)
// CHECK: ^[[DONE]]:
// CHECK: %[[SLOT:.*]] = llvm.getelementptr inbounds %[[ROOM]][0]
// CHECK: llvm.store %[[I]], %[[SLOT]] : i64, !llvm.ptr
// CHECK: %[[GOOD:.*]] = llvm.mlir.constant(0 : i32)
// CHECK: llvm.return %[[GOOD]]
// CHECK: ^[[FAILED]](%[[CODE:.*]]: i32):
// CHECK: llvm.return %[[CODE]]

// CHECK-LABEL: llvm.func internal @tdc_main(
// CHECK: %[[COUNT:.*]] = llvm.mlir.constant(1 : i64)
// CHECK: %[[BUFFER:.*]] = llvm.alloca %[[COUNT]] x i64
// CHECK: %[[RESULT:.*]] = llvm.call @tdc_main.0(%{{.*}}, %{{.*}}, %[[BUFFER]])
// CHECK: llvm.cond_br %{{.*}}, ^[[AFTER:bb[0-9]+]], ^[[EXIT:bb[0-9]+]](%[[RESULT]] : i32)
// CHECK: ^[[AFTER]]:
// CHECK: %[[LEFT:.*]] = llvm.load
// CHECK: llvm.call @tdc_main.1(%[[LEFT]], %{{.*}}, %[[BUFFER]])
// CHECK: %[[SUM:.*]] = llvm.load
// CHECK: llvm.call @tdc_main.2(%{{.*}}, %[[SUM]], %[[BUFFER]])
llvm.func internal @tdc_main(%ctx: !llvm.ptr) -> i32 {
  %zero = llvm.mlir.constant(0 : i32) : i32
  %one = llvm.mlir.constant(1 : i64) : i64
  %n = llvm.ptrtoint %ctx : !llvm.ptr to i64
  llvm.br ^head(%n : i64)
^head(%i: i64):
  %more = llvm.icmp "slt" %i, %one : i64
  llvm.cond_br %more, ^body, ^after
^body:
  %s0 = llvm.call @work(%ctx, %i) : (!llvm.ptr, i64) -> i32
  %good0 = llvm.icmp "eq" %s0, %zero : i32
  llvm.cond_br %good0, ^latch, ^exit(%s0 : i32)
^latch:
  %next = llvm.add %i, %one : i64
  llvm.br ^head(%next : i64)
^after:
  %a0 = llvm.add %i, %one : i64
  %a1 = llvm.add %a0, %one : i64
  %a2 = llvm.add %a1, %one : i64
  %a3 = llvm.add %a2, %one : i64
  %a4 = llvm.add %a3, %one : i64
  %a5 = llvm.add %a4, %one : i64
  %a6 = llvm.add %a5, %one : i64
  %s1 = llvm.call @work(%ctx, %i) : (!llvm.ptr, i64) -> i32
  %good1 = llvm.icmp "eq" %s1, %zero : i32
  llvm.cond_br %good1, ^last, ^exit(%s1 : i32)
^last:
  %s2 = llvm.call @work(%ctx, %a6) : (!llvm.ptr, i64) -> i32
  %good2 = llvm.icmp "eq" %s2, %zero : i32
  llvm.cond_br %good2, ^end, ^exit(%s2 : i32)
^end:
  llvm.br ^exit(%zero : i32)
^exit(%status: i32):
  llvm.return %status : i32
}

// -----

// A short function is not split, nor are kernels: they return no status.
// CHECK-NOT: .0
// CHECK: llvm.func internal @tdc_main(
// CHECK-NOT: alloca
llvm.func internal @tdc_main(%ctx: !llvm.ptr) -> i32 {
  %zero = llvm.mlir.constant(0 : i32) : i32
  llvm.br ^exit(%zero : i32)
^exit(%status: i32):
  llvm.return %status : i32
}
