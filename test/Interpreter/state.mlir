// Slots, loops, branches and host scalars: a whole small program.
// RUN: tdc-interpret %s -- --epochs 2 | FileCheck %s
// RUN: not tdc-interpret %s -- --epochs x 2>&1 | FileCheck %s --check-prefix=USAGE
// RUN: tdc-opt %s --td-simplify --td-resolve --td-form-kernels > %t.mlir
// RUN: FileCheck %s --check-prefix=KERNELS < %t.mlir
// RUN: tdc-interpret %t.mlir -- --epochs 2 | FileCheck %s

// KERNELS: td.kernel

// USAGE: error[TR003]

module attributes {td.arguments = [{name = "epochs", type = i64, default = "1"}]} {
  td.slot @m.w param "w" of "m" : tensor<2xf32>
  td.slot @m.n buffer "n" of "m" : tensor<i64>

  func.func @main() {
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %half = arith.constant 0.5 : f64
    %epochs = td.arg "epochs" : i64
    // CHECK: epoch 0: 0.500 tensor(1)
    // CHECK: epoch 1: 1.500 tensor(2)
    %total = scf.for %i = %zero to %epochs step %one iter_args(%sum = %zero) -> i64 : i64 {
      %w = td.read @m.w : tensor<2xf32>
      %f = arith.sitofp %i : i64 to f64
      %d = arith.addf %f, %half : f64
      %t = td.fill %d : f64 -> tensor<2xf32>
      %u = td.add %w, %t : tensor<2xf32>
      %first = arith.cmpi eq, %i, %zero : i64
      %v = scf.if %first -> tensor<2xf32> {
        scf.yield %u : tensor<2xf32>
      } else {
        %k = td.sub %u, %w : tensor<2xf32>
        scf.yield %k : tensor<2xf32>
      }
      td.write %v, @m.w : tensor<2xf32>
      %n = td.read @m.n : tensor<i64>
      %c = td.fill %one : i64 -> tensor<i64>
      %m = td.add %n, %c : tensor<i64>
      td.write %m, @m.n : tensor<i64>
      %x = td.slice %v[%zero] dim 0 step 1 : tensor<2xf32> to tensor<1xf32>
      %s = td.format "epoch {}: {:.3f} {}\n" (%i, %x, %m) : i64, tensor<1xf32>, tensor<i64>
      td.print %s
      %next = arith.addi %sum, %i : i64
      scf.yield %next : i64
    }
    // CHECK: total 1 {}
    %s = td.format "total {} {{}}\n" (%total) : i64
    td.print %s
    return
  }
}
