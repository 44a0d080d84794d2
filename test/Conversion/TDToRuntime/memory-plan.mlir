// RUN: tdc-opt %s --td-print-memory-plan --split-input-file --verify-diagnostics

llvm.func @unary(!llvm.ptr, !llvm.ptr, !llvm.ptr)
llvm.func @binary(!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr)

// Values whose lifetimes do not overlap share bytes; operand and result of a
// launch overlap.
// expected-remark @below {{arena 192}}
func.func @main() {
  // expected-remark @below {{result 0: constant}}
  %a = td.constant dense<1.0> : tensor<16xf32>
  // expected-remark @below {{result 0: arena 0 + 64}}
  %b = td.launch @unary(%a) in_place [] : (tensor<16xf32>) -> tensor<16xf32>
  // expected-remark @below {{result 0: arena 64 + 64}}
  %c = td.launch @unary(%b) in_place [] : (tensor<16xf32>) -> tensor<16xf32>
  // expected-remark @below {{result 0: arena 128 + 64}}
  %d = td.launch @binary(%b, %c) in_place [] : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  // expected-remark @below {{result 0: arena 0 + 64}}
  %e = td.launch @unary(%d) in_place [] : (tensor<16xf32>) -> tensor<16xf32>
  // The launch works in place, but not on a constant.
  // expected-remark @below {{result 0: arena 0 + 64}}
  %f = td.launch @unary(%e) in_place [0, 0] : (tensor<16xf32>) -> tensor<16xf32>
  // expected-remark @below {{result 0: arena 64 + 64}}
  %g = td.launch @unary(%a) in_place [0, 0] : (tensor<16xf32>) -> tensor<16xf32>
  // expected-remark @below {{result 0: arena 128 + 64}}
  %h = td.launch @binary(%f, %g) in_place [] : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  return
}

// -----

// A slot's value that is used after a write is copied; the others are not.
td.slot @w param "w" of "m" : tensor<16xf32>
llvm.func @unary(!llvm.ptr, !llvm.ptr, !llvm.ptr)
llvm.func @binary(!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr)

// expected-remark @below {{arena 192}}
func.func @main() {
  // expected-remark @below {{result 0: arena 64 + 64}}
  %old = td.read @w : tensor<16xf32>
  // expected-remark @below {{result 0: slot 0 + 64}}
  %w = td.read @w : tensor<16xf32>
  // expected-remark @below {{result 0: slot 0 + 64}}
  %new = td.launch @unary(%w) in_place [0, 0] : (tensor<16xf32>) -> tensor<16xf32>
  td.write %new, @w : tensor<16xf32>
  // expected-remark @below {{result 0: arena 128 + 64}}
  %d = td.launch @binary(%old, %new) in_place [] : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  return
}

// -----

// Not in place: the launch still reads the slot, so its result is copied.
td.slot @w param "w" of "m" : tensor<16xf32>
llvm.func @unary(!llvm.ptr, !llvm.ptr, !llvm.ptr)

// expected-remark @below {{arena 128}}
func.func @main() {
  // expected-remark @below {{result 0: slot 0 + 64}}
  %w = td.read @w : tensor<16xf32>
  // expected-remark @below {{result 0: arena 64 + 64}}
  %new = td.launch @unary(%w) in_place [] : (tensor<16xf32>) -> tensor<16xf32>
  // expected-remark @below {{copy into slot}}
  td.write %new, @w : tensor<16xf32>
  return
}

// -----

// The slot is read between the launch and the write.
td.slot @w param "w" of "m" : tensor<16xf32>
llvm.func @make(!llvm.ptr, !llvm.ptr)

// expected-remark @below {{arena 128}}
func.func @main() {
  %path = td.format "w.safetensors"
  // expected-remark @below {{result 0: arena 64 + 64}}
  %new = td.launch @make() in_place [] : () -> tensor<16xf32>
  td.save %path [@w] as ["w"] []
  // expected-remark @below {{copy into slot}}
  td.write %new, @w : tensor<16xf32>
  // expected-remark @below {{result 0: slot 0 + 64}}
  %next = td.launch @make() in_place [] : () -> tensor<16xf32>
  td.write %next, @w : tensor<16xf32>
  td.save %path [@w] as ["w"] []
  return
}

// -----

// The input of a launch that works in place is in the slot, too.
td.slot @w param "w" of "m" : tensor<16xf32>
llvm.func @make(!llvm.ptr, !llvm.ptr)
llvm.func @unary(!llvm.ptr, !llvm.ptr, !llvm.ptr)

// expected-remark @below {{arena 64}}
func.func @main() {
  // expected-remark @below {{result 0: slot 0 + 64}}
  %drawn = td.launch @make() in_place [] : () -> tensor<16xf32>
  // expected-remark @below {{result 0: slot 0 + 64}}
  %new = td.launch @unary(%drawn) in_place [0, 0] : (tensor<16xf32>) -> tensor<16xf32>
  td.write %new, @w : tensor<16xf32>
  return
}

// -----

// It is not there if the slot is read between the two launches.
td.slot @w param "w" of "m" : tensor<16xf32>
llvm.func @make(!llvm.ptr, !llvm.ptr)
llvm.func @unary(!llvm.ptr, !llvm.ptr, !llvm.ptr)

// expected-remark @below {{arena 128}}
func.func @main() {
  %path = td.format "w.safetensors"
  // expected-remark @below {{result 0: arena 64 + 64}}
  %drawn = td.launch @make() in_place [] : () -> tensor<16xf32>
  td.save %path [@w] as ["w"] []
  // expected-remark @below {{result 0: slot 0 + 64}}
  %new = td.launch @unary(%drawn) in_place [0, 0] : (tensor<16xf32>) -> tensor<16xf32>
  td.write %new, @w : tensor<16xf32>
  return
}

// -----

// A read before a loop is used in every iteration, so a write in the loop makes
// it a copy.
td.slot @w param "w" of "m" : tensor<16xf32>
llvm.func @unary(!llvm.ptr, !llvm.ptr, !llvm.ptr)

// expected-remark @below {{arena 192}}
func.func @main(){
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  // expected-remark @below {{result 0: arena 64 + 64}}
  %w = td.read @w : tensor<16xf32>
  scf.for %i = %c0 to %c1 step %c1 : i64 {
    // expected-remark @below {{result 0: slot 0 + 64}}
    %new = td.launch @unary(%w) in_place [0, 0] : (tensor<16xf32>) -> tensor<16xf32>
    td.write %new, @w : tensor<16xf32>
    // expected-remark @below {{result 0: slot 0 + 64}}
    %now = td.read @w : tensor<16xf32>
    // expected-remark @below {{result 0: arena 128 + 64}}
    %x = td.launch @unary(%now) in_place [] : (tensor<16xf32>) -> tensor<16xf32>
  }
  return
}
