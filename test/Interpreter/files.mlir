// Files and checkpoints are the runtime's.
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: tdc-interpret %s | FileCheck %s
// RUN: tdc-interpret %s --fn double --in x=x.npy --out y=y.npy
// RUN: tdc-interpret %s --fn show --in arg0=y.npy | FileCheck %s --check-prefix=SHOW
// RUN: not tdc-interpret %s --fn double 2>&1 | FileCheck %s --check-prefix=MISSING

// SHOW: tensor([4., 4.])
// MISSING: error: the parameter 'x' needs a tensor from --in

td.slot @m.w param "w" of "m" : tensor<2xf32>

func.func @main() {
  %path = td.format "x.npy"
  %two = arith.constant 2.0 : f64
  %x = td.fill %two : f64 -> tensor<2xf32>
  td.save_tensor %path, %x : tensor<2xf32>
  %y = td.load %path : tensor<?xf32>
  %n = td.dim %y, 0 : tensor<?xf32>

  td.write %x, @m.w : tensor<2xf32>
  %file = td.format "m.safetensors"
  %epoch = arith.constant 3 : i64
  td.save %file [@m.w] as ["w"] full ["epoch", "rate"] (%epoch, %two) : i64, f64
  %none = arith.constant 0.0 : f64
  %z = td.fill %none : f64 -> tensor<2xf32>
  td.write %z, @m.w : tensor<2xf32>
  td.restore %file [@m.w] as ["w"] full
  %w = td.read @m.w : tensor<2xf32>
  %e = td.restore_scalar %file "epoch" : i64
  %r = td.restore_scalar %file "rate" : f64
  %k = td.load %file key "w" : tensor<2xf32>
  %there = td.exists %file
  %same = td.str_equal %file, %file
  %other = td.str_equal %file, %path
  // CHECK: true false
  %q = td.format "{} {}\n" (%same, %other) : i1, i1
  td.print %q
  // CHECK: 2 tensor([2., 2.]) 3 2.0 tensor([2., 2.]) true
  %s = td.format "{} {} {} {} {} {}\n" (%n, %w, %e, %r, %k, %there) : i64, tensor<2xf32>, i64, f64, tensor<2xf32>, i1
  td.print %s
  return
}

func.func @double(%x: tensor<?xf32> {td.name = "x"}) -> tensor<?xf32> attributes {td.export} {
  %y = td.add %x, %x : tensor<?xf32>
  return %y : tensor<?xf32>
}

func.func @show(%x: tensor<2xf32>) {
  %s = td.format "{}\n" (%x) : tensor<2xf32>
  td.print %s
  return
}
