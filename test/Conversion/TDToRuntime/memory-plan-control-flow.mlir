// RUN: tdc-opt %s --td-print-memory-plan --split-input-file --verify-diagnostics

// A carried value has one buffer: the initial value is made in it, each next
// one replaces the last in place, and it is the result's.
llvm.func @make(!llvm.ptr, !llvm.ptr)
llvm.func @unary(!llvm.ptr, !llvm.ptr, !llvm.ptr)

// expected-remark @below {{arena 64}}
func.func @main() {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  // expected-remark @below {{result 0: arena 0 + 64}}
  %a = td.launch @make() in_place [] : () -> tensor<16xf32>
  // expected-remark @below {{result 0: arena 0 + 64}}
  %r = scf.for %i = %c0 to %c1 step %c1 iter_args(%x = %a) -> (tensor<16xf32>) : i64 {
    // expected-remark @below {{result 0: arena 0 + 64}}
    %y = td.launch @unary(%x) in_place [0, 0] : (tensor<16xf32>) -> tensor<16xf32>
    scf.yield %y : tensor<16xf32>
  }
  // expected-remark @below {{result 0: arena 0 + 64}}
  %z = td.launch @unary(%r) in_place [0, 0] : (tensor<16xf32>) -> tensor<16xf32>
  return
}

// -----

// The same in a while loop.
llvm.func @make(!llvm.ptr, !llvm.ptr)
llvm.func @unary(!llvm.ptr, !llvm.ptr, !llvm.ptr)

// expected-remark @below {{arena 64}}
func.func @main() {
  %go = arith.constant true
  // expected-remark @below {{result 0: arena 0 + 64}}
  %a = td.launch @make() in_place [] : () -> tensor<16xf32>
  // expected-remark @below {{result 1: arena 0 + 64}}
  %r:2 = scf.while (%g = %go, %x = %a) : (i1, tensor<16xf32>) -> (i1, tensor<16xf32>) {
    scf.condition(%g) %g, %x : i1, tensor<16xf32>
  } do {
  ^bb0(%g: i1, %x: tensor<16xf32>):
    // expected-remark @below {{result 0: arena 0 + 64}}
    %y = td.launch @unary(%x) in_place [0, 0] : (tensor<16xf32>) -> tensor<16xf32>
    %no = arith.constant false
    scf.yield %no, %y : i1, tensor<16xf32>
  }
  // expected-remark @below {{result 0: arena 0 + 64}}
  %z = td.launch @unary(%r#1) in_place [0, 0] : (tensor<16xf32>) -> tensor<16xf32>
  return
}

// -----

// Two carried values are swapped: one is copied by way of a third buffer.
llvm.func @make(!llvm.ptr, !llvm.ptr)

// expected-remark @below {{arena 256}}
func.func @main() {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  // expected-remark @below {{result 0: arena}}
  %a = td.launch @make() in_place [] : () -> tensor<16xf32>
  // expected-remark @below {{result 0: arena}}
  %b = td.launch @make() in_place [] : () -> tensor<16xf32>
  // expected-remark @below {{result 0: arena}}
  // expected-remark @below {{result 1: arena}}
  %r:2 = scf.for %i = %c0 to %c1 step %c1 iter_args(%x = %a, %y = %b) -> (tensor<16xf32>, tensor<16xf32>) : i64 {
    // expected-remark @below {{operand 0: copied twice}}
    // expected-remark @below {{operand 1: copied twice}}
    scf.yield %y, %x : tensor<16xf32>, tensor<16xf32>
  }
  return
}

// -----

// Each side of a branch makes its value in the result's buffer; the value from
// an outer block is copied.
llvm.func @make(!llvm.ptr, !llvm.ptr)
llvm.func @unary(!llvm.ptr, !llvm.ptr, !llvm.ptr)

// expected-remark @below {{arena 192}}
func.func @main() {
  %true = arith.constant true
  // expected-remark @below {{result 0: arena 0 + 64}}
  %a = td.launch @make() in_place [] : () -> tensor<16xf32>
  // expected-remark @below {{result 0: arena 64 + 64}}
  %r = scf.if %true -> (tensor<16xf32>) {
    // expected-remark @below {{result 0: arena 64 + 64}}
    %y = td.launch @unary(%a) in_place [] : (tensor<16xf32>) -> tensor<16xf32>
    scf.yield %y : tensor<16xf32>
  } else {
    scf.yield %a : tensor<16xf32>
  }
  // expected-remark @below {{result 0: arena 128 + 64}}
  %z = td.launch @unary(%a) in_place [] : (tensor<16xf32>) -> tensor<16xf32>
  // expected-remark @below {{result 0: arena 0 + 64}}
  %u = td.launch @unary(%r) in_place [] : (tensor<16xf32>) -> tensor<16xf32>
  return
}

// -----

// A value that one side of a branch changes and the other passes on keeps its
// buffer, also around a loop: only one side runs.
llvm.func @make(!llvm.ptr, !llvm.ptr)
llvm.func @add(!llvm.ptr, !llvm.ptr, !llvm.ptr)

// expected-remark @below {{arena 64}}
func.func @main() {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  // expected-remark @below {{result 0: arena 0 + 64}}
  %a = td.launch @make() in_place [] : () -> tensor<16xf32>
  // expected-remark @below {{result 0: arena 0 + 64}}
  %r = scf.for %i = %c0 to %c1 step %c1 iter_args(%x = %a) -> (tensor<16xf32>) : i64 {
    %later = arith.cmpi sgt, %i, %c0 : i64
    // expected-remark @below {{result 0: arena 0 + 64}}
    %y = scf.if %later -> (tensor<16xf32>) {
      // expected-remark @below {{result 0: arena 0 + 64}}
      %z = td.launch @add(%x) in_place [0, 0] : (tensor<16xf32>) -> tensor<16xf32>
      scf.yield %z : tensor<16xf32>
    } else {
      scf.yield %x : tensor<16xf32>
    }
    scf.yield %y : tensor<16xf32>
  }
  return
}

// -----

// It is live after the branch, whichever side was taken.
llvm.func @make(!llvm.ptr, !llvm.ptr)
llvm.func @add(!llvm.ptr, !llvm.ptr, !llvm.ptr)

// expected-remark @below {{arena 128}}
func.func @main() {
  %true = arith.constant true
  // expected-remark @below {{result 0: arena 0 + 64}}
  %a = td.launch @make() in_place [] : () -> tensor<16xf32>
  // expected-remark @below {{result 0: arena 64 + 64}}
  %y = scf.if %true -> (tensor<16xf32>) {
    // expected-remark @below {{result 0: arena 64 + 64}}
    %z = td.launch @add(%a) in_place [0, 0] : (tensor<16xf32>) -> tensor<16xf32>
    scf.yield %z : tensor<16xf32>
  } else {
    scf.yield %a : tensor<16xf32>
  }
  // expected-remark @below {{result 0: arena 0 + 64}}
  %u = td.launch @add(%a) in_place [0, 0] : (tensor<16xf32>) -> tensor<16xf32>
  // expected-remark @below {{result 0: arena}}
  %v = td.launch @add(%y) in_place [0, 0] : (tensor<16xf32>) -> tensor<16xf32>
  return
}

// -----

// Run-time sizes: freed after the last use, or handed over on an edge.
llvm.func @make(!llvm.ptr, !llvm.ptr, i64)
llvm.func @grow(!llvm.ptr, !llvm.ptr, !llvm.ptr, i64, i64)

// expected-remark @below {{arena 0}}
func.func @main() {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  // expected-remark @below {{result 0: heap}}
  // expected-remark @below {{heap values freed: 1}}
  %unused = td.launch @make() sizes(%c1) in_place [] : () -> tensor<?xf32>
  // expected-remark @below {{result 0: heap}}
  %a = td.launch @make() sizes(%c1) in_place [] : () -> tensor<?xf32>
  // expected-remark @below {{result 0: heap}}
  // expected-remark @below {{operand 3: handed over}}
  %r = scf.for %i = %c0 to %c1 step %c1 iter_args(%x = %a) -> (tensor<?xf32>) : i64 {
    // expected-remark @below {{result 0: heap}}
    // expected-remark @below {{heap values freed: 1}}
    %y = td.launch @grow(%x) sizes(%i) in_place [] : (tensor<?xf32>) -> tensor<?xf32>
    // expected-remark @below {{operand 0: handed over}}
    scf.yield %y : tensor<?xf32>
  }
  %s = td.format "{}" (%r) : tensor<?xf32>
  // The print formats its text, so the tensor is live until then.
  // expected-remark @below {{heap values freed: 1}}
  td.print %s
  return
}
