// RUN: tdc-opt %s --merge-launches | FileCheck %s

// Threads that advance by the size of the grid would count the blocks of the
// other kernel, too: such a kernel gets a launch of its own.
!g = tensor<8xf32, #td.dev<cuda, 0>>
td.slot @p param "p" of "m" : !g
td.slot @q param "q" of "m" : !g

// CHECK-LABEL: func.func @strides
// CHECK: td.launch @stride(%arg0)
// CHECK: td.launch @stride(%arg0)
func.func @strides(%x: !g) {
  %one = arith.constant 1 : i64
  %r = td.launch @stride(%x) blocks(%one) in_place [] : (!g) -> !g
  td.write %r, @p : !g
  %t = td.launch @stride(%x) blocks(%one) in_place [] : (!g) -> !g
  td.write %t, @q : !g
  return
}

// The same without strides.
// CHECK-LABEL: func.func @no_strides
// CHECK: td.launch @block_x2_{{.*}}(
// CHECK-NOT: td.launch
func.func @no_strides(%x: !g) {
  %one = arith.constant 1 : i64
  %r = td.launch @block(%x) blocks(%one) in_place [] : (!g) -> !g
  td.write %r, @p : !g
  %t = td.launch @block(%x) blocks(%one) in_place [] : (!g) -> !g
  td.write %t, @q : !g
  return
}

td.gpu_kernel @stride threads 256 shared 0 parameters 3
td.gpu_kernel @block threads 256 shared 0 parameters 3
module @gpu_code {
  llvm.func @stride(%context: !llvm.ptr, %x: !llvm.ptr, %y: !llvm.ptr) attributes {nvvm.kernel} {
    %blocks = nvvm.read.ptx.sreg.nctaid.x : i32
    llvm.store %blocks, %y : i32, !llvm.ptr
    llvm.return
  }
  llvm.func @block(%context: !llvm.ptr, %x: !llvm.ptr, %y: !llvm.ptr) attributes {nvvm.kernel} {
    %block = nvvm.read.ptx.sreg.ctaid.x : i32
    llvm.store %block, %y : i32, !llvm.ptr
    llvm.return
  }
}
