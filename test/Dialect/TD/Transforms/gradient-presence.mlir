// Each path to a question is followed: branches, loops that are entered for sure, and
// loops that may not be; a flag that may be either is read when the program runs.
//
// RUN: tdc-opt %s --td-gradient-presence | FileCheck %s

td.slot @flag grad "is_there" of "m" : tensor<i1>
td.slot @other grad "other.is_there" of "m" : tensor<i1>
// A grad slot that is no flag, and a flag of something else.
td.slot @state buffer "state" of "m" : tensor<i1>

// CHECK-LABEL: func.func @main
func.func @main(%steps: i64, %choice: i1, %before: !td.str, %after: !td.str) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c3 = arith.constant 3 : i64
  %true = arith.constant true
  %false = arith.constant false
  %yes = td.fill %true : i1 -> tensor<i1>
  %no = td.fill %false : i1 -> tensor<i1>

  // No backward has run when the program starts.
  // CHECK-NOT: td.read @flag
  // CHECK: td.print %arg3
  // CHECK-NOT: td.print
  %f0 = td.read @flag : tensor<i1>
  %b0 = td.item %f0 : tensor<i1> -> i1
  scf.if %b0 {
    td.print %before
  } else {
    td.print %after
  }

  // Set at the end of each iteration, cleared at the start: true in between.
  // CHECK: scf.for
  // CHECK: td.write
  // CHECK-NEXT: td.write
  // CHECK-NEXT: td.print %arg2
  scf.for %i = %c0 to %steps step %c1 : i64 {
    td.write %no, @flag : tensor<i1>
    td.write %yes, @flag : tensor<i1>
    %f = td.read @flag : tensor<i1>
    %b = td.item %f : tensor<i1> -> i1
    scf.if %b {
      td.print %before
    }
  }

  // The number of iterations is known only at run time.
  // CHECK: td.read @flag
  // CHECK: scf.if
  %f1 = td.read @flag : tensor<i1>
  %b1 = td.item %f1 : tensor<i1> -> i1
  scf.if %b1 {
    td.print %before
  }

  // Three iterations that set it, after it was cleared.
  // CHECK: scf.for
  // CHECK: td.write
  // CHECK: }
  // CHECK-NEXT: td.print %arg2
  td.write %no, @flag : tensor<i1>
  scf.for %i = %c0 to %c3 step %c1 : i64 {
    td.write %yes, @flag : tensor<i1>
  }
  %f2 = td.read @flag : tensor<i1>
  %b2 = td.item %f2 : tensor<i1> -> i1
  scf.if %b2 {
    td.print %before
  }

  // The first iteration sees what was before the loop, the next ones what the
  // previous one has left.
  // CHECK: scf.for
  // CHECK: td.read @flag
  // CHECK: scf.if
  // CHECK: }
  scf.for %i = %c0 to %c3 step %c1 : i64 {
    %f = td.read @flag : tensor<i1>
    %b = td.item %f : tensor<i1> -> i1
    scf.if %b {
      td.print %before
    }
    td.write %no, @flag : tensor<i1>
  }

  // Both sides set it, or one of them.
  // CHECK: scf.if %arg1
  // CHECK: } else {
  // CHECK: }
  // CHECK-NEXT: td.print %arg3
  // CHECK: td.read @other
  // CHECK: scf.if
  scf.if %choice {
    td.write %yes, @flag : tensor<i1>
    td.write %yes, @other : tensor<i1>
  } else {
    td.write %yes, @flag : tensor<i1>
  }
  %f3 = td.read @flag : tensor<i1>
  %b3 = td.item %f3 : tensor<i1> -> i1
  scf.if %b3 {
    td.print %after
  }
  %f4 = td.read @other : tensor<i1>
  %b4 = td.item %f4 : tensor<i1> -> i1
  scf.if %b4 {
    td.print %before
  }

  // The state of a model may be restored from a file.
  // CHECK: td.read @state
  // CHECK: scf.if
  %f5 = td.read @state : tensor<i1>
  %b5 = td.item %f5 : tensor<i1> -> i1
  scf.if %b5 {
    td.print %before
  }
  return
}

// Called after the program, in any state.
// CHECK-LABEL: func.func @step
// CHECK: td.read @flag
// CHECK: scf.if
// CHECK: td.write
// CHECK-NEXT: td.print
// CHECK-NOT: scf.if
func.func @step(%text: !td.str) {
  %true = arith.constant true
  %yes = td.fill %true : i1 -> tensor<i1>
  %f = td.read @flag : tensor<i1>
  %b = td.item %f : tensor<i1> -> i1
  scf.if %b {
    td.print %text
  }
  td.write %yes, @flag : tensor<i1>
  %f1 = td.read @flag : tensor<i1>
  %b1 = td.item %f1 : tensor<i1> -> i1
  scf.if %b1 {
    td.print %text
  }
  return
}
