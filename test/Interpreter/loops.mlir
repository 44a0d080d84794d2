// RUN: tdc-interpret %s | FileCheck %s

// The first carried value says whether there is another iteration.
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
  %t = td.format "{} {}\0A"(%r#0, %r#1) : i1, i64
  td.print %t

  // The index may be so large that a further step would wrap.
  // CHECK: 9223372036854775805{{$}}
  // CHECK-NEXT: -9223372036854775808{{$}}
  // CHECK-NEXT: -1{{$}}
  // CHECK-NEXT: 9223372036854775806{{$}}
  // CHECK-NOT: {{.}}
  %small = arith.constant -9223372036854775808 : i64
  %near = arith.constant 9223372036854775805 : i64
  %large = arith.constant 9223372036854775807 : i64
  scf.for %i = %near to %large step %c3 : i64 {
    %s = td.format "{}\0A"(%i) : i64
    td.print %s
  }
  scf.for %i = %small to %large step %large : i64 {
    %s = td.format "{}\0A"(%i) : i64
    td.print %s
  }
  scf.for %i = %large to %small step %c3 : i64 {
    %s = td.format "{}\0A"(%i) : i64
    td.print %s
  }
  return
}
