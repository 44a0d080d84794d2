// RUN: tdc-opt %s --td-to-runtime --split-input-file | FileCheck %s

// A print appends its pieces without making a string; equal texts are stored once.
// CHECK-DAG: llvm.mlir.global internal constant @[[A:.*]]("a {b} \00")
// CHECK-DAG: llvm.mlir.global internal constant @[[SPEC:.*]]("\00\00\00\00\00\00\00f\00\00\00\00\FF\FF\FF\FF\04\00\00\00") {{.*}}alignment = 4
// CHECK-LABEL: llvm.func internal @tdc_main
// CHECK-SAME: %[[CTX:[^:]*]]: !llvm.ptr
func.func @main() {
  %name = td.format "b"
  %n = arith.constant 3 : i64
  %f = arith.constant 1.5 : f64
  %b = arith.constant true
  // CHECK: %[[TEXT:.*]] = llvm.mlir.addressof @[[A]]
  // CHECK: %[[SIX:.*]] = llvm.mlir.constant(6 : i64)
  // CHECK: llvm.call @tdrt_out_text(%[[CTX]], %[[TEXT]], %[[SIX]])
  // CHECK: %[[NULL:.*]] = llvm.mlir.zero
  // CHECK: llvm.call @tdrt_out_i64(%[[CTX]], %{{.*}}, %[[NULL]])
  // CHECK: %[[FORMAT:.*]] = llvm.mlir.addressof @[[SPEC]]
  // CHECK: llvm.call @tdrt_out_f64(%[[CTX]], %{{.*}}, %[[FORMAT]])
  // CHECK: %[[WIDE:.*]] = llvm.zext %{{.*}} : i1 to i32
  // CHECK: llvm.call @tdrt_out_bool(%[[CTX]], %[[WIDE]],
  // CHECK: %[[STATUS:.*]] = llvm.call @tdrt_out_end(%[[CTX]],
  // CHECK: %[[FINE:.*]] = llvm.icmp "eq" %[[STATUS]]
  // CHECK: llvm.cond_br %[[FINE]] weights([2000, 1]), ^{{.*}}, ^[[EXIT:bb[0-9]+]](%[[STATUS]] : i32)
  %s = td.format "a {{{}}} {}{:.4f}{}\0A" (%name, %n, %f, %b) : !td.str, i64, f64, i1
  td.print %s
  // CHECK: %[[AGAIN:.*]] = llvm.mlir.addressof @[[A]]
  // CHECK: llvm.call @tdrt_out_text(%[[CTX]], %[[AGAIN]],
  %t = td.format "a {{b}} "
  td.print %t
  // CHECK: ^[[EXIT]](%[[CODE:.*]]: i32):
  // CHECK-NEXT: llvm.return %[[CODE]]
  return
}

// -----

// The message of an assertion is made only after it has failed; a pending error
// of a kernel is reported before it.
// CHECK-DAG: llvm.mlir.global internal constant @[[FILE:.*]]("x.tdsl\00")
// CHECK-LABEL: llvm.func internal @tdc_main
// CHECK-SAME: %[[CTX:[^:]*]]: !llvm.ptr
func.func @main() {
  %seed, %n = td.next_random
  %c0 = arith.constant 0 : i64
  // CHECK: %[[OK:.*]] = arith.cmpi
  // CHECK-NEXT: llvm.cond_br %[[OK]] weights([2000, 1]), ^{{.*}}, ^[[FAILED:bb[0-9]+]]
  %ok = arith.cmpi ne, %n, %c0 : i64
  // CHECK: ^[[FAILED]]:
  // CHECK: llvm.load volatile
  // CHECK: llvm.call @tdrt_str_begin
  // CHECK: llvm.call @tdrt_str_end
  // CHECK: %[[MESSAGE:.*]] = llvm.load
  // CHECK: %[[CODE:.*]] = llvm.mlir.constant(101 : i32)
  // CHECK: %[[SITE:.*]] = llvm.mlir.constant(0 : i32)
  // CHECK-NEXT: %[[STATUS:.*]] = llvm.call @tdrt_fail_check(%[[CTX]], %[[CODE]], %[[MESSAGE]], %[[SITE]])
  // CHECK: llvm.br ^{{.*}}(%[[STATUS]] : i32)
  %m = td.format "n is {}" (%n) : i64
  td.assert %ok, %m loc("x.tdsl":3:1)
  // CHECK: %[[DIVISION:.*]] = llvm.mlir.constant(102 : i32)
  // CHECK: %[[SAME:.*]] = llvm.mlir.constant(0 : i32)
  // CHECK-NEXT: llvm.call @tdrt_fail_check(%[[CTX]], %[[DIVISION]], %{{.*}}, %[[SAME]])
  %d = td.format "division by zero"
  td.assert %ok, %d {td.code = 102 : i32} loc("x.tdsl":3:1)
  // An error is reported at the innermost location in the user's program.
  // CHECK: %[[OTHER:.*]] = llvm.mlir.constant(1 : i32)
  // CHECK-NEXT: llvm.call @tdrt_fail_sizes(%[[CTX]], %{{.*}}, %{{.*}}, %{{.*}}, %[[OTHER]])
  td.check_dim %n, %c0, "sizes of x" loc(callsite("<prelude>/nn.tdsl":7:2 at callsite("x.tdsl":9:5 at "x.tdsl":20:1)))
  return
}
