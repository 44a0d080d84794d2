// Every op of td, printed and parsed again in both of its forms.
// RUN: tdc-opt %s --verify-roundtrip | FileCheck %s

// CHECK: td.slot @m.w param "w" of "m" : tensor<4x3xf32>
td.slot @m.w param "w" of "m" : tensor<4x3xf32>
// CHECK: td.slot @m.wte.w param "wte.w" of "m" {aliases = {m.head.w = "head.w"}} : tensor<4x3xf32>
td.slot @m.wte.w param "wte.w" of "m" {aliases = {m.head.w = "head.w"}} : tensor<4x3xf32>
// CHECK: td.slot @stats buffer "stats" of "m" : tensor<3xf64, #td.dev<cuda, 1>>
td.slot @stats buffer "stats" of "m" : tensor<3xf64, #td.dev<cuda, 1>>
// CHECK: td.slot @m1 moment "opt.adam.w.m" of "adam" : tensor<4x3xf32>
td.slot @m1 moment "opt.adam.w.m" of "adam" : tensor<4x3xf32>
// CHECK: td.slot @grad.m.w grad "grad.w" of "m" : tensor<4x3xf32>
td.slot @grad.m.w grad "grad.w" of "m" : tensor<4x3xf32>
// CHECK: td.slot @rows value "rows" of "rows" : tensor<?x3xf32>
td.slot @rows value "rows" of "rows" : tensor<?x3xf32>

func.func private @kernel_0()

// CHECK-LABEL: func @places
// CHECK-SAME: tensor<4xf32>
// CHECK-SAME: tensor<4xf32, #td.dev<cpu>>
// CHECK-SAME: tensor<4xf32, #td.dev<cuda, 1>>
// CHECK-SAME: tensor<4xf32, #td.dev<@"my device">>
func.func @places(%a: tensor<4xf32>, %b: tensor<4xf32, #td.dev<cpu>>,
                  %c: tensor<4xf32, #td.dev<cuda, 1>>,
                  %d: tensor<4xf32, #td.dev<@"my device">>) {
  // CHECK: td.to_device %{{.*}} : tensor<4xf32> to tensor<4xf32, #td.dev<cuda, 1>>
  %0 = td.to_device %a : tensor<4xf32> to tensor<4xf32, #td.dev<cuda, 1>>
  // CHECK: td.add %{{.*}}, %{{.*}} : tensor<4xf32, #td.dev<cuda, 1>>
  %1 = td.add %0, %c : tensor<4xf32, #td.dev<cuda, 1>>
  // CHECK: td.cast %{{.*}} : tensor<4xf32, #td.dev<cpu>> to tensor<4xi64, #td.dev<cpu>>
  %2 = td.cast %b : tensor<4xf32, #td.dev<cpu>> to tensor<4xi64, #td.dev<cpu>>
  return
}

// CHECK-LABEL: func @unary
func.func @unary(%x: tensor<4xf32>, %i: tensor<?xui8>, %m: tensor<4xi1>) {
  // CHECK: td.neg %{{.*}} : tensor<4xf32>
  %0 = td.neg %x : tensor<4xf32>
  // CHECK: td.abs
  %1 = td.abs %i : tensor<?xui8>
  // CHECK: td.sign
  %2 = td.sign %x : tensor<4xf32>
  // CHECK: td.exp
  %3 = td.exp %x : tensor<4xf32>
  // CHECK: td.expm1
  %4 = td.expm1 %x : tensor<4xf32>
  // CHECK: td.log
  %5 = td.log %x : tensor<4xf32>
  // CHECK: td.log1p
  %6 = td.log1p %x : tensor<4xf32>
  // CHECK: td.sqrt
  %7 = td.sqrt %x : tensor<4xf32>
  // CHECK: td.rsqrt
  %8 = td.rsqrt %x : tensor<4xf32>
  // CHECK: td.sin
  %9 = td.sin %x : tensor<4xf32>
  // CHECK: td.cos
  %10 = td.cos %x : tensor<4xf32>
  // CHECK: td.tanh
  %11 = td.tanh %x : tensor<4xf32>
  // CHECK: td.erf
  %12 = td.erf %x : tensor<4xf32>
  // CHECK: td.sigmoid
  %13 = td.sigmoid %x : tensor<4xf32>
  // CHECK: td.relu %{{.*}} : tensor<?xui8>
  %14 = td.relu %i : tensor<?xui8>
  // CHECK: td.floor
  %15 = td.floor %x : tensor<4xf32>
  // CHECK: td.ceil
  %16 = td.ceil %x : tensor<4xf32>
  // CHECK: td.trunc
  %17 = td.trunc %x : tensor<4xf32>
  // CHECK: td.round
  %18 = td.round %x : tensor<4xf32>
  // CHECK: td.not %{{.*}} : tensor<4xi1>
  %19 = td.not %m : tensor<4xi1>
  // CHECK: td.tan
  %20 = td.tan %x : tensor<4xf32>
  // CHECK: td.asin
  %21 = td.asin %x : tensor<4xf32>
  // CHECK: td.acos
  %22 = td.acos %x : tensor<4xf32>
  // CHECK: td.sinh
  %23 = td.sinh %x : tensor<4xf32>
  // CHECK: td.cosh
  %24 = td.cosh %x : tensor<4xf32>
  // CHECK: td.acosh
  %25 = td.acosh %x : tensor<4xf32>
  return
}

// CHECK-LABEL: func @binary
func.func @binary(%a: tensor<2x?xbf16>, %b: tensor<2x?xbf16>,
                  %i: tensor<i32>, %j: tensor<i32>, %m: tensor<2x?xi1>) {
  // CHECK: td.add %{{.*}}, %{{.*}} : tensor<2x?xbf16>
  %0 = td.add %a, %b : tensor<2x?xbf16>
  // CHECK: td.sub
  %1 = td.sub %a, %b : tensor<2x?xbf16>
  // CHECK: td.mul
  %2 = td.mul %a, %b : tensor<2x?xbf16>
  // CHECK: td.div
  %3 = td.div %a, %b : tensor<2x?xbf16>
  // CHECK: td.floordiv %{{.*}}, %{{.*}} : tensor<i32>
  %4 = td.floordiv %i, %j : tensor<i32>
  // CHECK: td.mod
  %5 = td.mod %i, %j : tensor<i32>
  // CHECK: td.pow
  %6 = td.pow %a, %b : tensor<2x?xbf16>
  // CHECK: td.max
  %7 = td.max %a, %b : tensor<2x?xbf16>
  // CHECK: td.min
  %8 = td.min %a, %b : tensor<2x?xbf16>
  // CHECK: td.and
  %9 = td.and %i, %j : tensor<i32>
  // CHECK: td.or
  %10 = td.or %i, %j : tensor<i32>
  // CHECK: td.xor
  %11 = td.xor %m, %m : tensor<2x?xi1>
  // CHECK: td.shl %{{.*}}, %{{.*}} : tensor<i32>
  %14 = td.shl %i, %j : tensor<i32>
  // CHECK: td.shr %{{.*}}, %{{.*}} : tensor<i32>
  %15 = td.shr %i, %j : tensor<i32>
  // CHECK: td.cast %{{.*}} : tensor<i32> to tensor<ui16>
  %16 = td.cast %i : tensor<i32> to tensor<ui16>
  // CHECK: td.cast %{{.*}} : tensor<ui16> to tensor<ui32>
  %17 = td.cast %16 : tensor<ui16> to tensor<ui32>
  // CHECK: td.cast %{{.*}} : tensor<ui32> to tensor<ui64>
  %18 = td.cast %17 : tensor<ui32> to tensor<ui64>
  // CHECK: td.compare ge %{{.*}}, %{{.*}} : tensor<2x?xbf16> -> tensor<2x?xi1>
  %12 = td.compare ge %a, %b : tensor<2x?xbf16> -> tensor<2x?xi1>
  // CHECK: td.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<2x?xi1>, tensor<2x?xbf16>
  %13 = td.select %12, %a, %b : tensor<2x?xi1>, tensor<2x?xbf16>
  return
}

// CHECK-LABEL: func @constructors
func.func @constructors(%v: f64, %i: i64, %n: i64) {
  // CHECK: td.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32, #td.dev<cpu>>
  %0 = td.constant dense<[1.0, 2.0]> : tensor<2xf32, #td.dev<cpu>>
  // CHECK: td.fill %{{.*}} : f64 -> tensor<2xi32>
  %1 = td.fill %v : f64 -> tensor<2xi32>
  // CHECK: td.fill %{{.*}} sizes(%{{.*}}, %{{.*}}) : f64 -> tensor<?x2x?xf32>
  %2 = td.fill %v sizes(%n, %i) : f64 -> tensor<?x2x?xf32>
  // CHECK: td.iota %{{.*}}, %{{.*}} sizes(%{{.*}}) : i64 -> tensor<?xi64>
  %3 = td.iota %i, %n sizes(%n) : i64 -> tensor<?xi64>
  // CHECK: td.random normal %{{.*}}, %{{.*}} : tensor<2xf32>
  %4 = td.random normal %i, %n : tensor<2xf32>
  // CHECK: td.random uniform %{{.*}}, %{{.*}} sizes(%{{.*}}) : tensor<?xf64>
  %5 = td.random uniform %i, %n sizes(%n) : tensor<?xf64>
  // CHECK: td.random randint %{{.*}}, %{{.*}} bounds(%{{.*}}, %{{.*}}) sizes(%{{.*}}) : tensor<?xui8>
  %6 = td.random randint %i, %n bounds(%i, %n) sizes(%n) : tensor<?xui8>
  // CHECK: td.random permutation %{{.*}}, %{{.*}} : tensor<9xi64>
  %7 = td.random permutation %i, %n : tensor<9xi64>
  return
}

// CHECK-LABEL: func @movement
func.func @movement(%x: tensor<4x1x3xf32>, %u: tensor<?x1x3xf32>,
                    %i: i64, %n: i64) {
  // CHECK: td.broadcast %{{.*}} sizes(%{{.*}}) : tensor<4x1x3xf32> to tensor<2x4x?x3xf32>
  %0 = td.broadcast %x sizes(%n) : tensor<4x1x3xf32> to tensor<2x4x?x3xf32>
  // CHECK: td.reshape %{{.*}} : tensor<4x1x3xf32> to tensor<12xf32>
  %1 = td.reshape %x : tensor<4x1x3xf32> to tensor<12xf32>
  // CHECK: td.permute %{{.*}} [2, 0, 1] : tensor<4x1x3xf32> to tensor<3x4x1xf32>
  %2 = td.permute %x [2, 0, 1] : tensor<4x1x3xf32> to tensor<3x4x1xf32>
  // CHECK: td.slice %{{.*}}[%{{.*}}] dim 0 step 2 sizes(%{{.*}}) : tensor<4x1x3xf32> to tensor<?x1x3xf32>
  %3 = td.slice %x[%i] dim 0 step 2 sizes(%n) : tensor<4x1x3xf32> to tensor<?x1x3xf32>
  // CHECK: td.update_slice %{{.*}}, %{{.*}}[%{{.*}}] dim 0 step 1 : tensor<4x1x3xf32>, tensor<?x1x3xf32>
  %4 = td.update_slice %x, %u[%i] dim 0 step 1 : tensor<4x1x3xf32>, tensor<?x1x3xf32>
  // CHECK: td.concat %{{.*}}, %{{.*}} dim 0 : (tensor<4x1x3xf32>, tensor<?x1x3xf32>) -> tensor<?x1x3xf32>
  %5 = td.concat %x, %u dim 0 : (tensor<4x1x3xf32>, tensor<?x1x3xf32>) -> tensor<?x1x3xf32>
  return
}

// CHECK-LABEL: func @indexing
func.func @indexing(%x: tensor<9x3xf32>, %i: tensor<2x?xi64>,
                    %u: tensor<2x?x3xf32>, %along: tensor<9x1xi64>,
                    %v: tensor<9x1xf32>) {
  // CHECK: td.gather %{{.*}}, %{{.*}} dim 0 : tensor<9x3xf32>, tensor<2x?xi64> -> tensor<2x?x3xf32>
  %0 = td.gather %x, %i dim 0 : tensor<9x3xf32>, tensor<2x?xi64> -> tensor<2x?x3xf32>
  // CHECK: td.scatter %{{.*}}, %{{.*}}, %{{.*}} dim 0 combine sum : tensor<9x3xf32>, tensor<2x?xi64>, tensor<2x?x3xf32>
  %1 = td.scatter %x, %i, %u dim 0 combine sum : tensor<9x3xf32>, tensor<2x?xi64>, tensor<2x?x3xf32>
  // CHECK: td.gather_along %{{.*}}, %{{.*}} dim 1 : tensor<9x3xf32>, tensor<9x1xi64> -> tensor<9x1xf32>
  %2 = td.gather_along %x, %along dim 1 : tensor<9x3xf32>, tensor<9x1xi64> -> tensor<9x1xf32>
  // CHECK: td.scatter_along %{{.*}}, %{{.*}}, %{{.*}} dim 1 combine sum : tensor<9x3xf32>, tensor<9x1xi64>, tensor<9x1xf32>
  %3 = td.scatter_along %x, %along, %v dim 1 combine sum : tensor<9x3xf32>, tensor<9x1xi64>, tensor<9x1xf32>
  return
}

// CHECK-LABEL: func @sums_of_coordinates
func.func @sums_of_coordinates(%x: tensor<9x3xf32>, %y: tensor<?xf32>,
                               %w: tensor<8x3x3xf32>, %n: i64, %last: i64) {
  // CHECK: td.window %{{.*}} at #{{.*}} : tensor<9x3xf32> to tensor<4x3x3xf32>
  %0 = td.window %x at affine_map<(d0, d1, d2) -> (d0 * 2 + d1, d2)> : tensor<9x3xf32> to tensor<4x3x3xf32>
  // CHECK: td.window %{{.*}}[%{{.*}}] at #{{.*}} sizes(%{{.*}}) : tensor<?xf32> to tensor<?xf32>
  %1 = td.window %y[%last] at affine_map<(d0)[s0] -> (s0 - d0)> sizes(%n) : tensor<?xf32> to tensor<?xf32>
  // CHECK: td.inset %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}] step [2, 1] : tensor<9x3xf32>, tensor<?x3xf32>
  %u = td.reshape %y sizes(%n) : tensor<?xf32> to tensor<?x3xf32>
  %2 = td.inset %x, %u[%n, %n] step [2, 1] : tensor<9x3xf32>, tensor<?x3xf32>
  // CHECK: td.contract %{{.*}}, %{{.*}} at #{{.*}}, #{{.*}} : tensor<9x3xf32>, tensor<8x3x3xf32> -> tensor<7x8xf32>
  %3 = td.contract %x, %w at affine_map<(d0, d1, d2, d3) -> (d0 + d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d1, d2, d3)> : tensor<9x3xf32>, tensor<8x3x3xf32> -> tensor<7x8xf32>
  // CHECK: td.reduce max first %{{.*}} [1, 2] : tensor<8x3x3xf32> to tensor<8xf32>
  %4 = td.reduce max first %w [1, 2] : tensor<8x3x3xf32> to tensor<8xf32>
  return
}

// CHECK-LABEL: func @reductions
func.func @reductions(%x: tensor<4x?x3xf64>, %y: tensor<4x3x2xf64>,
                      %m: tensor<4xi1>) {
  // CHECK: td.reduce sum %{{.*}} [0, 2] : tensor<4x?x3xf64> to tensor<?xf64>
  %0 = td.reduce sum %x [0, 2] : tensor<4x?x3xf64> to tensor<?xf64>
  // CHECK: td.reduce max %{{.*}} [] : tensor<4x?x3xf64> to tensor<4x?x3xf64>
  %1 = td.reduce max %x [] : tensor<4x?x3xf64> to tensor<4x?x3xf64>
  // CHECK: td.reduce any %{{.*}} [0] : tensor<4xi1> to tensor<i1>
  %2 = td.reduce any %m [0] : tensor<4xi1> to tensor<i1>
  // CHECK: td.arg_reduce max %{{.*}} [2] : tensor<4x?x3xf64> to tensor<4x?xi64>
  %3 = td.arg_reduce max %x [2] : tensor<4x?x3xf64> to tensor<4x?xi64>
  // CHECK: td.matmul %{{.*}}, %{{.*}} : tensor<4x?x3xf64>, tensor<4x3x2xf64> -> tensor<4x?x2xf64>
  %4 = td.matmul %x, %y : tensor<4x?x3xf64>, tensor<4x3x2xf64> -> tensor<4x?x2xf64>
  // CHECK: td.softmax %{{.*}} dim 1 : tensor<4x?x3xf64>
  %5 = td.softmax %x dim 1 : tensor<4x?x3xf64>
  // CHECK: td.log_softmax %{{.*}} dim 1 : tensor<4x?x3xf64>
  %6 = td.log_softmax %x dim 1 : tensor<4x?x3xf64>
  // CHECK: td.scan sum %{{.*}} dim 2 : tensor<4x?x3xf64>
  %7 = td.scan sum %x dim 2 : tensor<4x?x3xf64>
  // CHECK: td.logsumexp %{{.*}} [0, 2] : tensor<4x?x3xf64> to tensor<?xf64>
  %8 = td.logsumexp %x [0, 2] : tensor<4x?x3xf64> to tensor<?xf64>
  return
}

// CHECK-LABEL: func @state
func.func @state(%n: i64, %l: tensor<f32>) {
  // CHECK: %[[W:.*]] = td.read @m.w : tensor<4x3xf32>
  %w = td.read @m.w : tensor<4x3xf32>
  // CHECK: td.write %[[W]], @m.w : tensor<4x3xf32>
  td.write %w, @m.w : tensor<4x3xf32>
  // CHECK: td.seed %{{.*}}
  td.seed %n
  // CHECK: %{{.*}}, %{{.*}} = td.next_random
  %seed, %call = td.next_random
  // CHECK: td.detach %[[W]] : tensor<4x3xf32>
  %d = td.detach %w : tensor<4x3xf32>
  // CHECK: td.round_gradient %[[W]] to bf16 : tensor<4x3xf32>
  %rg = td.round_gradient %w to bf16 : tensor<4x3xf32>
  // CHECK: td.grad %{{.*}} wrt(%[[W]]) : (tensor<f32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  %g = td.grad %l wrt(%w) : (tensor<f32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  // CHECK: td.backward %{{.*}} [@m.w] into [@grad.m.w] : tensor<f32>
  td.backward %l [@m.w] into [@grad.m.w] : tensor<f32>
  return
}

// CHECK-LABEL: func @host
func.func @host(%x: tensor<?x64xf32>, %l: tensor<f32>, %ok: i1, %e: i64) {
  // CHECK: td.dim %{{.*}}, 0 : tensor<?x64xf32>
  %n = td.dim %x, 0 : tensor<?x64xf32>
  // CHECK: td.item %{{.*}} : tensor<f32> -> f64
  %v = td.item %l : tensor<f32> -> f64
  // CHECK: td.format "loss {:.4f} of {} {{[{][{]}}x}}\0A"(%{{.*}}, %{{.*}}) : f64, tensor<f32>
  %s = td.format "loss {:.4f} of {} {{x}}\0A" (%v, %l) : f64, tensor<f32>
  // CHECK: %[[PATH:.*]] = td.format "a.npy"
  %path = td.format "a.npy"
  // CHECK: td.print %{{.*}}
  td.print %s
  // CHECK: td.assert %{{.*}}, %{{.*}}
  td.assert %ok, %s
  // CHECK: td.check_randint %{{.*}}, %{{.*}}, i8
  td.check_randint %n, %e, i8
  // CHECK: td.check_dim %{{.*}}, %{{.*}}, "rows of x"
  td.check_dim %n, %e, "rows of x"
  // CHECK: td.arg "epochs" : i64
  %a = td.arg "epochs" : i64
  // CHECK: td.env %[[PATH]], %{{.*}}
  %env = td.env %path, %s
  // CHECK: td.str_equal %{{.*}}, %[[PATH]]
  %same = td.str_equal %env, %path
  // CHECK: td.pick_text %{{.*}} of ["a", "\C3\A9"]
  %letter = td.pick_text %n of ["a", "é"]
  // CHECK: td.exists %[[PATH]]
  %there = td.exists %path
  // CHECK: td.cuda_device_name %{{.*}}
  %gpu = td.cuda_device_name %a
  // CHECK: td.cuda_total_memory %{{.*}}
  %bytes = td.cuda_total_memory %a
  // CHECK: td.cuda_synchronize
  td.cuda_synchronize
  // CHECK: td.load %[[PATH]] : tensor<?x64xf32>
  %t = td.load %path : tensor<?x64xf32>
  // CHECK: td.load %[[PATH]] key "w" : tensor<4xf32>
  %k = td.load %path key "w" : tensor<4xf32>
  // CHECK: td.save_tensor %[[PATH]], %{{.*}} : tensor<?x64xf32>
  td.save_tensor %path, %t : tensor<?x64xf32>
  // CHECK: td.save %[[PATH]] [@m.w, @stats] as ["w", "stats"] full ["epoch"](%{{.*}}) : i64
  td.save %path [@m.w, @stats] as ["w", "stats"] full ["epoch"] (%e) : i64
  // CHECK: td.save %[[PATH]] [@m.w] as ["w"] []
  td.save %path [@m.w] as ["w"] []
  // CHECK: td.restore %[[PATH]] [@m.w] as ["w"] full lenient cast
  td.restore %path [@m.w] as ["w"] full lenient cast
  // CHECK: td.restore %[[PATH]] [@m.w] as ["w"] full lenient
  td.restore %path [@m.w] as ["w"] full lenient
  // CHECK: td.save %[[PATH]] [@m.w] as ["w"] [] {aliases = {head.w = "w"}}
  td.save %path [@m.w] as ["w"] [] {aliases = {head.w = "w"}}
  // CHECK: td.restore %[[PATH]] [@m.w] as ["w"] {aliases = {head.w = "w"}}
  td.restore %path [@m.w] as ["w"] {aliases = {head.w = "w"}}
  // CHECK: td.restore_scalar %[[PATH]] "epoch" : i64
  %r = td.restore_scalar %path "epoch" : i64
  return
}

// CHECK-LABEL: func @kernels
func.func @kernels(%x: tensor<?xf32>, %v: f64, %n: i64) {
  // CHECK: td.kernel(%{{.*}}, %{{.*}}, %{{.*}}) sizes(%{{.*}}) : (tensor<?xf32>, f64, i64) -> tensor<?xf32> {
  // CHECK: td.yield %{{.*}} : tensor<?xf32>
  %0 = td.kernel (%x, %v, %n) sizes(%n) : (tensor<?xf32>, f64, i64) -> tensor<?xf32> {
  ^bb0(%a: tensor<?xf32>, %b: f64, %m: i64):
    %c = td.fill %b sizes(%m) : f64 -> tensor<?xf32>
    %d = td.add %a, %c : tensor<?xf32>
    td.yield %d : tensor<?xf32>
  }
  // CHECK: td.stage %{{.*}} : tensor<?xf32>
  // CHECK: td.stage %{{.*}} {layouts = [array<i64: 0>]} : tensor<?xf32>
  %staged = td.kernel (%x) sizes(%n) : (tensor<?xf32>) -> tensor<?xf32> {
  ^bb0(%a: tensor<?xf32>):
    %c = td.stage %a : tensor<?xf32>
    %d = td.stage %c {layouts = [array<i64: 0>]} : tensor<?xf32>
    td.yield %d : tensor<?xf32>
  }
  // CHECK: td.kernel() : () -> () {
  // CHECK: td.yield
  td.kernel () : () -> () {
    td.yield
  }
  // CHECK: td.launch @kernel_0(%{{.*}}, %{{.*}}) sizes(%{{.*}}) in_place [0, 0] : (tensor<?xf32>, f64) -> tensor<?xf32>
  %1 = td.launch @kernel_0(%x, %v) sizes(%n) in_place [0, 0] : (tensor<?xf32>, f64) -> tensor<?xf32>
  // CHECK: td.launch @add_0(%{{.*}}, %{{.*}}) sizes(%{{.*}}) blocks(%{{.*}}) in_place [0, 0] starts_as [0, 0] : (tensor<?xf32>, f64) -> tensor<?xf32>
  %2 = td.launch @add_0(%1, %v) sizes(%n) blocks(%n) in_place [0, 0] starts_as [0, 0] : (tensor<?xf32>, f64) -> tensor<?xf32>
  return
}

// CHECK: td.gpu_kernel @add_0 threads 256 shared 0 parameters 4 reports
td.gpu_kernel @add_0 threads 256 shared 0 parameters 4 reports
// CHECK: td.image ptx 80 ".version 8.0"
td.image ptx 80 ".version 8.0"
// CHECK: td.image cubin 90 "\7FELF"
td.image cubin 90 "\7FELF"
