// RUN: tdc-interpret %s | FileCheck %s

// The first carried value says whether there is another turn.
func.func @main() {
  %c1 = arith.constant 1 : i64
  %c3 = arith.constant 3 : i64
  %go = arith.constant true
  %r:2 = scf.while (%g = %go, %i = %c1) : (i1, i64) -> (i1, i64) {
    scf.condition(%g) %g, %i : i1, i64
  } do {
  ^bb0(%g: i1, %i: i64):
    %next = arith.addi %i, %i : i64
    %again = arith.cmpi sle, %next, %c3 : i64
    scf.yield %again, %next : i1, i64
  }
  // CHECK: false 4
  %s = td.format "{} {}\0A"(%r#0, %r#1) : i1, i64
  td.print %s
  return
}
