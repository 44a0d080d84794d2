// RUN: tdc-opt %s --td-grad | FileCheck %s

// One rule per op: the ops that its gradient consists of.

// CHECK-LABEL: func.func @neg
// CHECK-SAME: (%[[A0:[a-z0-9_]+]]: tensor<f64>) -> tensor<f64>
// CHECK: %[[V0:[a-z0-9_]+]] = td.neg %[[A0]] : tensor<f64>
// CHECK-NEXT: %[[C0:[a-z0-9_]+]] = arith.constant 1.000000e+00 : f64
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = td.fill %[[C0]] : f64 -> tensor<f64>
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = td.neg %[[V1]] : tensor<f64>
// CHECK-NEXT: return %[[V2]] : tensor<f64>
func.func @neg(%x: tensor<f64>) -> tensor<f64> {
  %y = td.neg %x : tensor<f64>
  %g = td.grad %y wrt(%x) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %g : tensor<f64>
}

// CHECK-LABEL: func.func @abs
// CHECK-SAME: (%[[A0:[a-z0-9_]+]]: tensor<f64>) -> tensor<f64>
// CHECK: %[[V0:[a-z0-9_]+]] = td.abs %[[A0]] : tensor<f64>
// CHECK-NEXT: %[[C0:[a-z0-9_]+]] = arith.constant 1.000000e+00 : f64
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = td.fill %[[C0]] : f64 -> tensor<f64>
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = td.sign %[[A0]] : tensor<f64>
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = td.mul %[[V1]], %[[V2]] : tensor<f64>
// CHECK-NEXT: return %[[V3]] : tensor<f64>
func.func @abs(%x: tensor<f64>) -> tensor<f64> {
  %y = td.abs %x : tensor<f64>
  %g = td.grad %y wrt(%x) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %g : tensor<f64>
}

// CHECK-LABEL: func.func @exp
// CHECK-SAME: (%[[A0:[a-z0-9_]+]]: tensor<f64>) -> tensor<f64>
// CHECK: %[[V0:[a-z0-9_]+]] = td.exp %[[A0]] : tensor<f64>
// CHECK-NEXT: %[[W:[a-z0-9_]+]] = td.watch %[[V0]] : tensor<f64>
// CHECK-NEXT: %[[C0:[a-z0-9_]+]] = arith.constant 1.000000e+00 : f64
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = td.fill %[[C0]] : f64 -> tensor<f64>
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = td.mul %[[V1]], %[[W]] : tensor<f64>
// CHECK-NEXT: return %[[V2]] : tensor<f64>
func.func @exp(%x: tensor<f64>) -> tensor<f64> {
  %y = td.exp %x : tensor<f64>
  %g = td.grad %y wrt(%x) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %g : tensor<f64>
}

// CHECK-LABEL: func.func @expm1
// CHECK-SAME: (%[[A0:[a-z0-9_]+]]: tensor<f64>) -> tensor<f64>
// CHECK: %[[V0:[a-z0-9_]+]] = td.expm1 %[[A0]] : tensor<f64>
// CHECK-NEXT: %[[C0:[a-z0-9_]+]] = arith.constant 1.000000e+00 : f64
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = td.fill %[[C0]] : f64 -> tensor<f64>
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = td.exp %[[A0]] : tensor<f64>
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = td.mul %[[V1]], %[[V2]] : tensor<f64>
// CHECK-NEXT: return %[[V3]] : tensor<f64>
func.func @expm1(%x: tensor<f64>) -> tensor<f64> {
  %y = td.expm1 %x : tensor<f64>
  %g = td.grad %y wrt(%x) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %g : tensor<f64>
}

// CHECK-LABEL: func.func @log
// CHECK-SAME: (%[[A0:[a-z0-9_]+]]: tensor<f64>) -> tensor<f64>
// CHECK: %[[V0:[a-z0-9_]+]] = td.log %[[A0]] : tensor<f64>
// CHECK-NEXT: %[[C0:[a-z0-9_]+]] = arith.constant 1.000000e+00 : f64
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = td.fill %[[C0]] : f64 -> tensor<f64>
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = td.div %[[V1]], %[[A0]] : tensor<f64>
// CHECK-NEXT: return %[[V2]] : tensor<f64>
func.func @log(%x: tensor<f64>) -> tensor<f64> {
  %y = td.log %x : tensor<f64>
  %g = td.grad %y wrt(%x) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %g : tensor<f64>
}

// CHECK-LABEL: func.func @log1p
// CHECK-SAME: (%[[A0:[a-z0-9_]+]]: tensor<f64>) -> tensor<f64>
// CHECK: %[[V0:[a-z0-9_]+]] = td.log1p %[[A0]] : tensor<f64>
// CHECK-NEXT: %[[C0:[a-z0-9_]+]] = arith.constant 1.000000e+00 : f64
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = td.fill %[[C0]] : f64 -> tensor<f64>
// CHECK-NEXT: %[[C1:[a-z0-9_]+]] = arith.constant 1.000000e+00 : f64
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = td.fill %[[C1]] : f64 -> tensor<f64>
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = td.add %[[A0]], %[[V2]] : tensor<f64>
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = td.div %[[V1]], %[[V3]] : tensor<f64>
// CHECK-NEXT: return %[[V4]] : tensor<f64>
func.func @log1p(%x: tensor<f64>) -> tensor<f64> {
  %y = td.log1p %x : tensor<f64>
  %g = td.grad %y wrt(%x) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %g : tensor<f64>
}

// CHECK-LABEL: func.func @sqrt
// CHECK-SAME: (%[[A0:[a-z0-9_]+]]: tensor<f64>) -> tensor<f64>
// CHECK: %[[V0:[a-z0-9_]+]] = td.sqrt %[[A0]] : tensor<f64>
// CHECK-NEXT: %[[W:[a-z0-9_]+]] = td.watch %[[V0]] : tensor<f64>
// CHECK-NEXT: %[[C0:[a-z0-9_]+]] = arith.constant 1.000000e+00 : f64
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = td.fill %[[C0]] : f64 -> tensor<f64>
// CHECK-NEXT: %[[C1:[a-z0-9_]+]] = arith.constant 2.000000e+00 : f64
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = td.fill %[[C1]] : f64 -> tensor<f64>
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = td.mul %[[W]], %[[V2]] : tensor<f64>
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = td.div %[[V1]], %[[V3]] : tensor<f64>
// CHECK-NEXT: return %[[V4]] : tensor<f64>
func.func @sqrt(%x: tensor<f64>) -> tensor<f64> {
  %y = td.sqrt %x : tensor<f64>
  %g = td.grad %y wrt(%x) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %g : tensor<f64>
}

// CHECK-LABEL: func.func @rsqrt
// CHECK-SAME: (%[[A0:[a-z0-9_]+]]: tensor<f64>) -> tensor<f64>
// CHECK: %[[V0:[a-z0-9_]+]] = td.rsqrt %[[A0]] : tensor<f64>
// CHECK-NEXT: %[[W:[a-z0-9_]+]] = td.watch %[[V0]] : tensor<f64>
// CHECK-NEXT: %[[C0:[a-z0-9_]+]] = arith.constant 1.000000e+00 : f64
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = td.fill %[[C0]] : f64 -> tensor<f64>
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = td.mul %[[W]], %[[W]] : tensor<f64>
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = td.mul %[[V2]], %[[W]] : tensor<f64>
// CHECK-NEXT: %[[C1:[a-z0-9_]+]] = arith.constant -5.000000e-01 : f64
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = td.fill %[[C1]] : f64 -> tensor<f64>
// CHECK-NEXT: %[[V5:[a-z0-9_]+]] = td.mul %[[V1]], %[[V4]] : tensor<f64>
// CHECK-NEXT: %[[V6:[a-z0-9_]+]] = td.mul %[[V5]], %[[V3]] : tensor<f64>
// CHECK-NEXT: return %[[V6]] : tensor<f64>
func.func @rsqrt(%x: tensor<f64>) -> tensor<f64> {
  %y = td.rsqrt %x : tensor<f64>
  %g = td.grad %y wrt(%x) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %g : tensor<f64>
}

// CHECK-LABEL: func.func @sin
// CHECK-SAME: (%[[A0:[a-z0-9_]+]]: tensor<f64>) -> tensor<f64>
// CHECK: %[[V0:[a-z0-9_]+]] = td.sin %[[A0]] : tensor<f64>
// CHECK-NEXT: %[[C0:[a-z0-9_]+]] = arith.constant 1.000000e+00 : f64
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = td.fill %[[C0]] : f64 -> tensor<f64>
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = td.cos %[[A0]] : tensor<f64>
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = td.mul %[[V1]], %[[V2]] : tensor<f64>
// CHECK-NEXT: return %[[V3]] : tensor<f64>
func.func @sin(%x: tensor<f64>) -> tensor<f64> {
  %y = td.sin %x : tensor<f64>
  %g = td.grad %y wrt(%x) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %g : tensor<f64>
}

// CHECK-LABEL: func.func @cos
// CHECK-SAME: (%[[A0:[a-z0-9_]+]]: tensor<f64>) -> tensor<f64>
// CHECK: %[[V0:[a-z0-9_]+]] = td.cos %[[A0]] : tensor<f64>
// CHECK-NEXT: %[[C0:[a-z0-9_]+]] = arith.constant 1.000000e+00 : f64
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = td.fill %[[C0]] : f64 -> tensor<f64>
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = td.sin %[[A0]] : tensor<f64>
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = td.mul %[[V1]], %[[V2]] : tensor<f64>
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = td.neg %[[V3]] : tensor<f64>
// CHECK-NEXT: return %[[V4]] : tensor<f64>
func.func @cos(%x: tensor<f64>) -> tensor<f64> {
  %y = td.cos %x : tensor<f64>
  %g = td.grad %y wrt(%x) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %g : tensor<f64>
}

// CHECK-LABEL: func.func @tan
// CHECK-SAME: (%[[A0:[a-z0-9_]+]]: tensor<f64>) -> tensor<f64>
// CHECK: %[[V0:[a-z0-9_]+]] = td.tan %[[A0]] : tensor<f64>
// CHECK-NEXT: %[[W:[a-z0-9_]+]] = td.watch %[[V0]] : tensor<f64>
// CHECK-NEXT: %[[C0:[a-z0-9_]+]] = arith.constant 1.000000e+00 : f64
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = td.fill %[[C0]] : f64 -> tensor<f64>
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = td.mul %[[W]], %[[W]] : tensor<f64>
// CHECK-NEXT: %[[C1:[a-z0-9_]+]] = arith.constant 1.000000e+00 : f64
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = td.fill %[[C1]] : f64 -> tensor<f64>
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = td.add %[[V2]], %[[V3]] : tensor<f64>
// CHECK-NEXT: %[[V5:[a-z0-9_]+]] = td.mul %[[V1]], %[[V4]] : tensor<f64>
// CHECK-NEXT: return %[[V5]] : tensor<f64>
func.func @tan(%x: tensor<f64>) -> tensor<f64> {
  %y = td.tan %x : tensor<f64>
  %g = td.grad %y wrt(%x) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %g : tensor<f64>
}

// CHECK-LABEL: func.func @asin
// CHECK-SAME: (%[[A0:[a-z0-9_]+]]: tensor<f64>) -> tensor<f64>
// CHECK: %[[V0:[a-z0-9_]+]] = td.asin %[[A0]] : tensor<f64>
// CHECK-NEXT: %[[C0:[a-z0-9_]+]] = arith.constant 1.000000e+00 : f64
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = td.fill %[[C0]] : f64 -> tensor<f64>
// CHECK-NEXT: %[[C1:[a-z0-9_]+]] = arith.constant 1.000000e+00 : f64
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = td.fill %[[C1]] : f64 -> tensor<f64>
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = td.sub %[[V2]], %[[A0]] : tensor<f64>
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = td.add %[[V2]], %[[A0]] : tensor<f64>
// CHECK-NEXT: %[[V5:[a-z0-9_]+]] = td.mul %[[V3]], %[[V4]] : tensor<f64>
// CHECK-NEXT: %[[V6:[a-z0-9_]+]] = td.rsqrt %[[V5]] : tensor<f64>
// CHECK-NEXT: %[[V7:[a-z0-9_]+]] = td.mul %[[V1]], %[[V6]] : tensor<f64>
// CHECK-NEXT: return %[[V7]] : tensor<f64>
func.func @asin(%x: tensor<f64>) -> tensor<f64> {
  %y = td.asin %x : tensor<f64>
  %g = td.grad %y wrt(%x) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %g : tensor<f64>
}

// CHECK-LABEL: func.func @acos
// CHECK-SAME: (%[[A0:[a-z0-9_]+]]: tensor<f64>) -> tensor<f64>
// CHECK: %[[V0:[a-z0-9_]+]] = td.acos %[[A0]] : tensor<f64>
// CHECK-NEXT: %[[C0:[a-z0-9_]+]] = arith.constant 1.000000e+00 : f64
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = td.fill %[[C0]] : f64 -> tensor<f64>
// CHECK-NEXT: %[[C1:[a-z0-9_]+]] = arith.constant 1.000000e+00 : f64
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = td.fill %[[C1]] : f64 -> tensor<f64>
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = td.sub %[[V2]], %[[A0]] : tensor<f64>
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = td.add %[[V2]], %[[A0]] : tensor<f64>
// CHECK-NEXT: %[[V5:[a-z0-9_]+]] = td.mul %[[V3]], %[[V4]] : tensor<f64>
// CHECK-NEXT: %[[V6:[a-z0-9_]+]] = td.rsqrt %[[V5]] : tensor<f64>
// CHECK-NEXT: %[[V7:[a-z0-9_]+]] = td.mul %[[V1]], %[[V6]] : tensor<f64>
// CHECK-NEXT: %[[V8:[a-z0-9_]+]] = td.neg %[[V7]] : tensor<f64>
// CHECK-NEXT: return %[[V8]] : tensor<f64>
func.func @acos(%x: tensor<f64>) -> tensor<f64> {
  %y = td.acos %x : tensor<f64>
  %g = td.grad %y wrt(%x) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %g : tensor<f64>
}

// CHECK-LABEL: func.func @sinh
// CHECK-SAME: (%[[A0:[a-z0-9_]+]]: tensor<f64>) -> tensor<f64>
// CHECK: %[[V0:[a-z0-9_]+]] = td.sinh %[[A0]] : tensor<f64>
// CHECK-NEXT: %[[C0:[a-z0-9_]+]] = arith.constant 1.000000e+00 : f64
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = td.fill %[[C0]] : f64 -> tensor<f64>
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = td.cosh %[[A0]] : tensor<f64>
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = td.mul %[[V1]], %[[V2]] : tensor<f64>
// CHECK-NEXT: return %[[V3]] : tensor<f64>
func.func @sinh(%x: tensor<f64>) -> tensor<f64> {
  %y = td.sinh %x : tensor<f64>
  %g = td.grad %y wrt(%x) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %g : tensor<f64>
}

// CHECK-LABEL: func.func @cosh
// CHECK-SAME: (%[[A0:[a-z0-9_]+]]: tensor<f64>) -> tensor<f64>
// CHECK: %[[V0:[a-z0-9_]+]] = td.cosh %[[A0]] : tensor<f64>
// CHECK-NEXT: %[[C0:[a-z0-9_]+]] = arith.constant 1.000000e+00 : f64
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = td.fill %[[C0]] : f64 -> tensor<f64>
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = td.sinh %[[A0]] : tensor<f64>
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = td.mul %[[V1]], %[[V2]] : tensor<f64>
// CHECK-NEXT: return %[[V3]] : tensor<f64>
func.func @cosh(%x: tensor<f64>) -> tensor<f64> {
  %y = td.cosh %x : tensor<f64>
  %g = td.grad %y wrt(%x) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %g : tensor<f64>
}

// CHECK-LABEL: func.func @tanh
// CHECK-SAME: (%[[A0:[a-z0-9_]+]]: tensor<f64>) -> tensor<f64>
// CHECK: %[[V0:[a-z0-9_]+]] = td.tanh %[[A0]] : tensor<f64>
// CHECK-NEXT: %[[W:[a-z0-9_]+]] = td.watch %[[V0]] : tensor<f64>
// CHECK-NEXT: %[[C0:[a-z0-9_]+]] = arith.constant 1.000000e+00 : f64
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = td.fill %[[C0]] : f64 -> tensor<f64>
// CHECK-NEXT: %[[C1:[a-z0-9_]+]] = arith.constant 1.000000e+00 : f64
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = td.fill %[[C1]] : f64 -> tensor<f64>
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = td.sub %[[V2]], %[[W]] : tensor<f64>
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = td.add %[[V2]], %[[W]] : tensor<f64>
// CHECK-NEXT: %[[V5:[a-z0-9_]+]] = td.mul %[[V3]], %[[V4]] : tensor<f64>
// CHECK-NEXT: %[[V6:[a-z0-9_]+]] = td.mul %[[V1]], %[[V5]] : tensor<f64>
// CHECK-NEXT: return %[[V6]] : tensor<f64>
func.func @tanh(%x: tensor<f64>) -> tensor<f64> {
  %y = td.tanh %x : tensor<f64>
  %g = td.grad %y wrt(%x) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %g : tensor<f64>
}

// CHECK-LABEL: func.func @acosh
// CHECK-SAME: (%[[A0:[a-z0-9_]+]]: tensor<f64>) -> tensor<f64>
// CHECK: %[[V0:[a-z0-9_]+]] = td.acosh %[[A0]] : tensor<f64>
// CHECK-NEXT: %[[C0:[a-z0-9_]+]] = arith.constant 1.000000e+00 : f64
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = td.fill %[[C0]] : f64 -> tensor<f64>
// CHECK-NEXT: %[[C1:[a-z0-9_]+]] = arith.constant 1.000000e+00 : f64
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = td.fill %[[C1]] : f64 -> tensor<f64>
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = td.sub %[[A0]], %[[V2]] : tensor<f64>
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = td.sqrt %[[V3]] : tensor<f64>
// CHECK-NEXT: %[[V5:[a-z0-9_]+]] = td.add %[[A0]], %[[V2]] : tensor<f64>
// CHECK-NEXT: %[[V6:[a-z0-9_]+]] = td.sqrt %[[V5]] : tensor<f64>
// CHECK-NEXT: %[[V7:[a-z0-9_]+]] = td.mul %[[V4]], %[[V6]] : tensor<f64>
// CHECK-NEXT: %[[V8:[a-z0-9_]+]] = td.div %[[V1]], %[[V7]] : tensor<f64>
// CHECK-NEXT: return %[[V8]] : tensor<f64>
func.func @acosh(%x: tensor<f64>) -> tensor<f64> {
  %y = td.acosh %x : tensor<f64>
  %g = td.grad %y wrt(%x) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %g : tensor<f64>
}

// CHECK-LABEL: func.func @erf
// CHECK-SAME: (%[[A0:[a-z0-9_]+]]: tensor<f64>) -> tensor<f64>
// CHECK: %[[V0:[a-z0-9_]+]] = td.erf %[[A0]] : tensor<f64>
// CHECK-NEXT: %[[C0:[a-z0-9_]+]] = arith.constant 1.000000e+00 : f64
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = td.fill %[[C0]] : f64 -> tensor<f64>
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = td.mul %[[A0]], %[[A0]] : tensor<f64>
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = td.neg %[[V2]] : tensor<f64>
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = td.exp %[[V3]] : tensor<f64>
// CHECK-NEXT: %[[C1:[a-z0-9_]+]] = arith.constant 1.1283791670955126 : f64
// CHECK-NEXT: %[[V5:[a-z0-9_]+]] = td.fill %[[C1]] : f64 -> tensor<f64>
// CHECK-NEXT: %[[V6:[a-z0-9_]+]] = td.mul %[[V4]], %[[V5]] : tensor<f64>
// CHECK-NEXT: %[[V7:[a-z0-9_]+]] = td.mul %[[V1]], %[[V6]] : tensor<f64>
// CHECK-NEXT: return %[[V7]] : tensor<f64>
func.func @erf(%x: tensor<f64>) -> tensor<f64> {
  %y = td.erf %x : tensor<f64>
  %g = td.grad %y wrt(%x) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %g : tensor<f64>
}

// CHECK-LABEL: func.func @sigmoid
// CHECK-SAME: (%[[A0:[a-z0-9_]+]]: tensor<f64>) -> tensor<f64>
// CHECK: %[[V0:[a-z0-9_]+]] = td.sigmoid %[[A0]] : tensor<f64>
// CHECK-NEXT: %[[W:[a-z0-9_]+]] = td.watch %[[V0]] : tensor<f64>
// CHECK-NEXT: %[[C0:[a-z0-9_]+]] = arith.constant 1.000000e+00 : f64
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = td.fill %[[C0]] : f64 -> tensor<f64>
// CHECK-NEXT: %[[C1:[a-z0-9_]+]] = arith.constant 1.000000e+00 : f64
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = td.fill %[[C1]] : f64 -> tensor<f64>
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = td.sub %[[V2]], %[[W]] : tensor<f64>
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = td.mul %[[V3]], %[[W]] : tensor<f64>
// CHECK-NEXT: %[[V5:[a-z0-9_]+]] = td.mul %[[V1]], %[[V4]] : tensor<f64>
// CHECK-NEXT: return %[[V5]] : tensor<f64>
func.func @sigmoid(%x: tensor<f64>) -> tensor<f64> {
  %y = td.sigmoid %x : tensor<f64>
  %g = td.grad %y wrt(%x) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %g : tensor<f64>
}

// CHECK-LABEL: func.func @relu
// CHECK-SAME: (%[[A0:[a-z0-9_]+]]: tensor<f64>) -> tensor<f64>
// CHECK: %[[V0:[a-z0-9_]+]] = td.relu %[[A0]] : tensor<f64>
// CHECK-NEXT: %[[W:[a-z0-9_]+]] = td.watch %[[V0]] : tensor<f64>
// CHECK-NEXT: %[[C0:[a-z0-9_]+]] = arith.constant 1.000000e+00 : f64
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = td.fill %[[C0]] : f64 -> tensor<f64>
// CHECK-NEXT: %[[C1:[a-z0-9_]+]] = arith.constant 0.000000e+00 : f64
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = td.fill %[[C1]] : f64 -> tensor<f64>
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = td.compare le %[[W]], %[[V2]] : tensor<f64> -> tensor<i1>
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = td.select %[[V3]], %[[V2]], %[[V1]] : tensor<i1>, tensor<f64>
// CHECK-NEXT: return %[[V4]] : tensor<f64>
func.func @relu(%x: tensor<f64>) -> tensor<f64> {
  %y = td.relu %x : tensor<f64>
  %g = td.grad %y wrt(%x) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %g : tensor<f64>
}

// CHECK-LABEL: func.func @floor
// CHECK-SAME: (%[[A0:[a-z0-9_]+]]: tensor<f64>) -> tensor<f64>
// CHECK: %[[V0:[a-z0-9_]+]] = td.floor %[[A0]] : tensor<f64>
// CHECK-NEXT: %[[C0:[a-z0-9_]+]] = arith.constant 1.000000e+00 : f64
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = td.fill %[[C0]] : f64 -> tensor<f64>
// CHECK-NEXT: %[[C1:[a-z0-9_]+]] = arith.constant 0.000000e+00 : f64
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = td.fill %[[C1]] : f64 -> tensor<f64>
// CHECK-NEXT: return %[[V2]] : tensor<f64>
func.func @floor(%x: tensor<f64>) -> tensor<f64> {
  %y = td.floor %x : tensor<f64>
  %g = td.grad %y wrt(%x) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %g : tensor<f64>
}

// CHECK-LABEL: func.func @sub
// CHECK-SAME: (%[[A0:[a-z0-9_]+]]: tensor<f64>, %[[A1:[a-z0-9_]+]]: tensor<f64>) -> (tensor<f64>, tensor<f64>)
// CHECK: %[[V0:[a-z0-9_]+]] = td.sub %[[A0]], %[[A1]] : tensor<f64>
// CHECK-NEXT: %[[C0:[a-z0-9_]+]] = arith.constant 1.000000e+00 : f64
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = td.fill %[[C0]] : f64 -> tensor<f64>
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = td.neg %[[V1]] : tensor<f64>
// CHECK-NEXT: return %[[V1]], %[[V2]] : tensor<f64>, tensor<f64>
func.func @sub(%a: tensor<f64>, %b: tensor<f64>) -> (tensor<f64>, tensor<f64>) {
  %y = td.sub %a, %b : tensor<f64>
  %g:2 = td.grad %y wrt(%a, %b) : (tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  return %g#0, %g#1 : tensor<f64>, tensor<f64>
}

// CHECK-LABEL: func.func @div
// CHECK-SAME: (%[[A0:[a-z0-9_]+]]: tensor<f64>, %[[A1:[a-z0-9_]+]]: tensor<f64>) -> (tensor<f64>, tensor<f64>)
// CHECK: %[[V0:[a-z0-9_]+]] = td.div %[[A0]], %[[A1]] : tensor<f64>
// CHECK-NEXT: %[[W:[a-z0-9_]+]] = td.watch %[[V0]] : tensor<f64>
// CHECK-NEXT: %[[C0:[a-z0-9_]+]] = arith.constant 1.000000e+00 : f64
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = td.fill %[[C0]] : f64 -> tensor<f64>
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = td.div %[[W]], %[[A1]] : tensor<f64>
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = td.div %[[V1]], %[[A1]] : tensor<f64>
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = td.mul %[[V1]], %[[V2]] : tensor<f64>
// CHECK-NEXT: %[[V5:[a-z0-9_]+]] = td.neg %[[V4]] : tensor<f64>
// CHECK-NEXT: return %[[V3]], %[[V5]] : tensor<f64>, tensor<f64>
func.func @div(%a: tensor<f64>, %b: tensor<f64>) -> (tensor<f64>, tensor<f64>) {
  %y = td.div %a, %b : tensor<f64>
  %g:2 = td.grad %y wrt(%a, %b) : (tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  return %g#0, %g#1 : tensor<f64>, tensor<f64>
}

// CHECK-LABEL: func.func @mod
// CHECK-SAME: (%[[A0:[a-z0-9_]+]]: tensor<f64>, %[[A1:[a-z0-9_]+]]: tensor<f64>) -> (tensor<f64>, tensor<f64>)
// CHECK: %[[V0:[a-z0-9_]+]] = td.mod %[[A0]], %[[A1]] : tensor<f64>
// CHECK-NEXT: %[[C0:[a-z0-9_]+]] = arith.constant 1.000000e+00 : f64
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = td.fill %[[C0]] : f64 -> tensor<f64>
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = td.floordiv %[[A0]], %[[A1]] : tensor<f64>
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = td.mul %[[V1]], %[[V2]] : tensor<f64>
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = td.neg %[[V3]] : tensor<f64>
// CHECK-NEXT: return %[[V1]], %[[V4]] : tensor<f64>, tensor<f64>
func.func @mod(%a: tensor<f64>, %b: tensor<f64>) -> (tensor<f64>, tensor<f64>) {
  %y = td.mod %a, %b : tensor<f64>
  %g:2 = td.grad %y wrt(%a, %b) : (tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  return %g#0, %g#1 : tensor<f64>, tensor<f64>
}

// CHECK-LABEL: func.func @pow
// CHECK-SAME: (%[[A0:[a-z0-9_]+]]: tensor<f64>, %[[A1:[a-z0-9_]+]]: tensor<f64>) -> (tensor<f64>, tensor<f64>)
// CHECK: %[[V0:[a-z0-9_]+]] = td.pow %[[A0]], %[[A1]] : tensor<f64>
// CHECK-NEXT: %[[W:[a-z0-9_]+]] = td.watch %[[V0]] : tensor<f64>
// CHECK-NEXT: %[[C0:[a-z0-9_]+]] = arith.constant 1.000000e+00 : f64
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = td.fill %[[C0]] : f64 -> tensor<f64>
// CHECK-NEXT: %[[C1:[a-z0-9_]+]] = arith.constant 0.000000e+00 : f64
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = td.fill %[[C1]] : f64 -> tensor<f64>
// CHECK-NEXT: %[[C2:[a-z0-9_]+]] = arith.constant 1.000000e+00 : f64
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = td.fill %[[C2]] : f64 -> tensor<f64>
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = td.sub %[[A1]], %[[V3]] : tensor<f64>
// CHECK-NEXT: %[[V5:[a-z0-9_]+]] = td.pow %[[A0]], %[[V4]] : tensor<f64>
// CHECK-NEXT: %[[V6:[a-z0-9_]+]] = td.mul %[[A1]], %[[V5]] : tensor<f64>
// CHECK-NEXT: %[[V7:[a-z0-9_]+]] = td.mul %[[V1]], %[[V6]] : tensor<f64>
// CHECK-NEXT: %[[V8:[a-z0-9_]+]] = td.compare eq %[[A1]], %[[V2]] : tensor<f64> -> tensor<i1>
// CHECK-NEXT: %[[V9:[a-z0-9_]+]] = td.log %[[A0]] : tensor<f64>
// CHECK-NEXT: %[[V10:[a-z0-9_]+]] = td.mul %[[W]], %[[V9]] : tensor<f64>
// CHECK-NEXT: %[[V11:[a-z0-9_]+]] = td.mul %[[V1]], %[[V10]] : tensor<f64>
// CHECK-NEXT: %[[V12:[a-z0-9_]+]] = td.compare eq %[[A0]], %[[V2]] : tensor<f64> -> tensor<i1>
// CHECK-NEXT: %[[V13:[a-z0-9_]+]] = td.compare ge %[[A1]], %[[V2]] : tensor<f64> -> tensor<i1>
// CHECK-NEXT: %[[V14:[a-z0-9_]+]] = td.and %[[V12]], %[[V13]] : tensor<i1>
// CHECK-NEXT: %[[V15:[a-z0-9_]+]] = td.select %[[V8]], %[[V2]], %[[V7]] : tensor<i1>, tensor<f64>
// CHECK-NEXT: %[[V16:[a-z0-9_]+]] = td.select %[[V14]], %[[V2]], %[[V11]] : tensor<i1>, tensor<f64>
// CHECK-NEXT: return %[[V15]], %[[V16]] : tensor<f64>, tensor<f64>
func.func @pow(%a: tensor<f64>, %b: tensor<f64>) -> (tensor<f64>, tensor<f64>) {
  %y = td.pow %a, %b : tensor<f64>
  %g:2 = td.grad %y wrt(%a, %b) : (tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  return %g#0, %g#1 : tensor<f64>, tensor<f64>
}

// CHECK-LABEL: func.func @max
// CHECK-SAME: (%[[A0:[a-z0-9_]+]]: tensor<f64>, %[[A1:[a-z0-9_]+]]: tensor<f64>) -> (tensor<f64>, tensor<f64>)
// CHECK: %[[V0:[a-z0-9_]+]] = td.max %[[A0]], %[[A1]] : tensor<f64>
// CHECK-NEXT: %[[C0:[a-z0-9_]+]] = arith.constant 1.000000e+00 : f64
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = td.fill %[[C0]] : f64 -> tensor<f64>
// CHECK-NEXT: %[[C1:[a-z0-9_]+]] = arith.constant 0.000000e+00 : f64
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = td.fill %[[C1]] : f64 -> tensor<f64>
// CHECK-NEXT: %[[C2:[a-z0-9_]+]] = arith.constant 5.000000e-01 : f64
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = td.fill %[[C2]] : f64 -> tensor<f64>
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = td.mul %[[V1]], %[[V3]] : tensor<f64>
// CHECK-NEXT: %[[V5:[a-z0-9_]+]] = td.compare eq %[[A0]], %[[A1]] : tensor<f64> -> tensor<i1>
// CHECK-NEXT: %[[V6:[a-z0-9_]+]] = td.select %[[V5]], %[[V4]], %[[V1]] : tensor<i1>, tensor<f64>
// CHECK-NEXT: %[[V7:[a-z0-9_]+]] = td.compare lt %[[A0]], %[[A1]] : tensor<f64> -> tensor<i1>
// CHECK-NEXT: %[[V8:[a-z0-9_]+]] = td.select %[[V7]], %[[V2]], %[[V6]] : tensor<i1>, tensor<f64>
// CHECK-NEXT: %[[V9:[a-z0-9_]+]] = td.compare gt %[[A0]], %[[A1]] : tensor<f64> -> tensor<i1>
// CHECK-NEXT: %[[V10:[a-z0-9_]+]] = td.select %[[V9]], %[[V2]], %[[V6]] : tensor<i1>, tensor<f64>
// CHECK-NEXT: return %[[V8]], %[[V10]] : tensor<f64>, tensor<f64>
func.func @max(%a: tensor<f64>, %b: tensor<f64>) -> (tensor<f64>, tensor<f64>) {
  %y = td.max %a, %b : tensor<f64>
  %g:2 = td.grad %y wrt(%a, %b) : (tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  return %g#0, %g#1 : tensor<f64>, tensor<f64>
}

// CHECK-LABEL: func.func @min
// CHECK-SAME: (%[[A0:[a-z0-9_]+]]: tensor<f64>, %[[A1:[a-z0-9_]+]]: tensor<f64>) -> (tensor<f64>, tensor<f64>)
// CHECK: %[[V0:[a-z0-9_]+]] = td.min %[[A0]], %[[A1]] : tensor<f64>
// CHECK-NEXT: %[[C0:[a-z0-9_]+]] = arith.constant 1.000000e+00 : f64
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = td.fill %[[C0]] : f64 -> tensor<f64>
// CHECK-NEXT: %[[C1:[a-z0-9_]+]] = arith.constant 0.000000e+00 : f64
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = td.fill %[[C1]] : f64 -> tensor<f64>
// CHECK-NEXT: %[[C2:[a-z0-9_]+]] = arith.constant 5.000000e-01 : f64
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = td.fill %[[C2]] : f64 -> tensor<f64>
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = td.mul %[[V1]], %[[V3]] : tensor<f64>
// CHECK-NEXT: %[[V5:[a-z0-9_]+]] = td.compare eq %[[A0]], %[[A1]] : tensor<f64> -> tensor<i1>
// CHECK-NEXT: %[[V6:[a-z0-9_]+]] = td.select %[[V5]], %[[V4]], %[[V1]] : tensor<i1>, tensor<f64>
// CHECK-NEXT: %[[V7:[a-z0-9_]+]] = td.compare gt %[[A0]], %[[A1]] : tensor<f64> -> tensor<i1>
// CHECK-NEXT: %[[V8:[a-z0-9_]+]] = td.select %[[V7]], %[[V2]], %[[V6]] : tensor<i1>, tensor<f64>
// CHECK-NEXT: %[[V9:[a-z0-9_]+]] = td.compare lt %[[A0]], %[[A1]] : tensor<f64> -> tensor<i1>
// CHECK-NEXT: %[[V10:[a-z0-9_]+]] = td.select %[[V9]], %[[V2]], %[[V6]] : tensor<i1>, tensor<f64>
// CHECK-NEXT: return %[[V8]], %[[V10]] : tensor<f64>, tensor<f64>
func.func @min(%a: tensor<f64>, %b: tensor<f64>) -> (tensor<f64>, tensor<f64>) {
  %y = td.min %a, %b : tensor<f64>
  %g:2 = td.grad %y wrt(%a, %b) : (tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  return %g#0, %g#1 : tensor<f64>, tensor<f64>
}

// CHECK-LABEL: func.func @select
// CHECK-SAME: (%[[A0:[a-z0-9_]+]]: tensor<i1>, %[[A1:[a-z0-9_]+]]: tensor<f64>, %[[A2:[a-z0-9_]+]]: tensor<f64>) -> (tensor<f64>, tensor<f64>)
// CHECK: %[[V0:[a-z0-9_]+]] = td.select %[[A0]], %[[A1]], %[[A2]] : tensor<i1>, tensor<f64>
// CHECK-NEXT: %[[C0:[a-z0-9_]+]] = arith.constant 1.000000e+00 : f64
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = td.fill %[[C0]] : f64 -> tensor<f64>
// CHECK-NEXT: %[[C1:[a-z0-9_]+]] = arith.constant 0.000000e+00 : f64
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = td.fill %[[C1]] : f64 -> tensor<f64>
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = td.select %[[A0]], %[[V1]], %[[V2]] : tensor<i1>, tensor<f64>
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = td.select %[[A0]], %[[V2]], %[[V1]] : tensor<i1>, tensor<f64>
// CHECK-NEXT: return %[[V3]], %[[V4]] : tensor<f64>, tensor<f64>
func.func @select(%c: tensor<i1>, %a: tensor<f64>, %b: tensor<f64>) -> (tensor<f64>, tensor<f64>) {
  %y = td.select %c, %a, %b : tensor<i1>, tensor<f64>
  %g:2 = td.grad %y wrt(%a, %b) : (tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  return %g#0, %g#1 : tensor<f64>, tensor<f64>
}

// CHECK-LABEL: func.func @reduce_prod
// CHECK-SAME: (%[[A0:[a-z0-9_]+]]: tensor<2x3xf32>) -> tensor<2x3xf32>
// CHECK: %[[V0:[a-z0-9_]+]] = td.reduce prod %[[A0]] [1] : tensor<2x3xf32> to tensor<2xf32>
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = td.reduce sum %[[V0]] [0] : tensor<2xf32> to tensor<f32>
// CHECK-NEXT: %[[C0:[a-z0-9_]+]] = arith.constant 1.000000e+00 : f64
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = td.fill %[[C0]] : f64 -> tensor<f32>
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = td.broadcast %[[V2]] : tensor<f32> to tensor<2xf32>
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = td.reshape %[[V3]] : tensor<2xf32> to tensor<2x1xf32>
// CHECK-NEXT: %[[V5:[a-z0-9_]+]] = td.broadcast %[[V4]] : tensor<2x1xf32> to tensor<2x3xf32>
// CHECK-NEXT: %[[C1:[a-z0-9_]+]] = arith.constant 0.000000e+00 : f64
// CHECK-NEXT: %[[V6:[a-z0-9_]+]] = td.fill %[[C1]] : f64 -> tensor<2x3xf32>
// CHECK-NEXT: %[[V7:[a-z0-9_]+]] = td.compare eq %[[A0]], %[[V6]] : tensor<2x3xf32> -> tensor<2x3xi1>
// CHECK-NEXT: %[[V8:[a-z0-9_]+]] = td.sub %[[A0]], %[[A0]] : tensor<2x3xf32>
// CHECK-NEXT: %[[V9:[a-z0-9_]+]] = td.compare ne %[[V8]], %[[V6]] : tensor<2x3xf32> -> tensor<2x3xi1>
// CHECK-NEXT: %[[C2:[a-z0-9_]+]] = arith.constant 1.000000e+00 : f64
// CHECK-NEXT: %[[V10:[a-z0-9_]+]] = td.fill %[[C2]] : f64 -> tensor<2x3xf32>
// CHECK-NEXT: %[[V11:[a-z0-9_]+]] = td.select %[[V7]], %[[V10]], %[[A0]] : tensor<2x3xi1>, tensor<2x3xf32>
// CHECK-NEXT: %[[V12:[a-z0-9_]+]] = td.reduce prod %[[V11]] [1] : tensor<2x3xf32> to tensor<2xf32>
// CHECK-NEXT: %[[V13:[a-z0-9_]+]] = td.reshape %[[V12]] : tensor<2xf32> to tensor<2x1xf32>
// CHECK-NEXT: %[[V14:[a-z0-9_]+]] = td.broadcast %[[V13]] : tensor<2x1xf32> to tensor<2x3xf32>
// CHECK-NEXT: %[[V15:[a-z0-9_]+]] = td.div %[[V14]], %[[V11]] : tensor<2x3xf32>
// CHECK-NEXT: %[[V16:[a-z0-9_]+]] = td.cast %[[V7]] : tensor<2x3xi1> to tensor<2x3xf32>
// CHECK-NEXT: %[[V17:[a-z0-9_]+]] = td.reduce sum %[[V16]] [1] : tensor<2x3xf32> to tensor<2xf32>
// CHECK-NEXT: %[[V18:[a-z0-9_]+]] = td.reshape %[[V17]] : tensor<2xf32> to tensor<2x1xf32>
// CHECK-NEXT: %[[V19:[a-z0-9_]+]] = td.broadcast %[[V18]] : tensor<2x1xf32> to tensor<2x3xf32>
// CHECK-NEXT: %[[V20:[a-z0-9_]+]] = td.sub %[[V19]], %[[V16]] : tensor<2x3xf32>
// CHECK-NEXT: %[[V21:[a-z0-9_]+]] = td.compare ne %[[V20]], %[[V6]] : tensor<2x3xf32> -> tensor<2x3xi1>
// CHECK-NEXT: %[[V22:[a-z0-9_]+]] = td.cast %[[V9]] : tensor<2x3xi1> to tensor<2x3xf32>
// CHECK-NEXT: %[[V23:[a-z0-9_]+]] = td.reduce sum %[[V22]] [1] : tensor<2x3xf32> to tensor<2xf32>
// CHECK-NEXT: %[[V24:[a-z0-9_]+]] = td.reshape %[[V23]] : tensor<2xf32> to tensor<2x1xf32>
// CHECK-NEXT: %[[V25:[a-z0-9_]+]] = td.broadcast %[[V24]] : tensor<2x1xf32> to tensor<2x3xf32>
// CHECK-NEXT: %[[V26:[a-z0-9_]+]] = td.sub %[[V25]], %[[V22]] : tensor<2x3xf32>
// CHECK-NEXT: %[[V27:[a-z0-9_]+]] = td.compare ne %[[V26]], %[[V6]] : tensor<2x3xf32> -> tensor<2x3xi1>
// CHECK-NEXT: %[[C3:[a-z0-9_]+]] = arith.constant 0x7FF8000000000000 : f64
// CHECK-NEXT: %[[V28:[a-z0-9_]+]] = td.fill %[[C3]] : f64 -> tensor<2x3xf32>
// CHECK-NEXT: %[[V29:[a-z0-9_]+]] = td.select %[[V27]], %[[V28]], %[[V6]] : tensor<2x3xi1>, tensor<2x3xf32>
// CHECK-NEXT: %[[V30:[a-z0-9_]+]] = td.select %[[V21]], %[[V29]], %[[V15]] : tensor<2x3xi1>, tensor<2x3xf32>
// CHECK-NEXT: %[[V31:[a-z0-9_]+]] = td.mul %[[V5]], %[[V30]] : tensor<2x3xf32>
// CHECK-NEXT: return %[[V31]] : tensor<2x3xf32>
func.func @reduce_prod(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %y = td.reduce prod %x [1] : tensor<2x3xf32> to tensor<2xf32>
  %l = td.reduce sum %y [0] : tensor<2xf32> to tensor<f32>
  %g = td.grad %l wrt(%x) : (tensor<f32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %g : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @reduce_max
// CHECK-SAME: (%[[A0:[a-z0-9_]+]]: tensor<2x3xf32>) -> tensor<2x3xf32>
// CHECK: %[[V0:[a-z0-9_]+]] = td.reduce max %[[A0]] [1] : tensor<2x3xf32> to tensor<2xf32>
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = td.reduce sum %[[V0]] [0] : tensor<2xf32> to tensor<f32>
// CHECK-NEXT: %[[C0:[a-z0-9_]+]] = arith.constant 1.000000e+00 : f64
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = td.fill %[[C0]] : f64 -> tensor<f32>
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = td.broadcast %[[V2]] : tensor<f32> to tensor<2xf32>
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = td.reshape %[[V3]] : tensor<2xf32> to tensor<2x1xf32>
// CHECK-NEXT: %[[V5:[a-z0-9_]+]] = td.broadcast %[[V4]] : tensor<2x1xf32> to tensor<2x3xf32>
// CHECK-NEXT: %[[V6:[a-z0-9_]+]] = td.reshape %[[V0]] : tensor<2xf32> to tensor<2x1xf32>
// CHECK-NEXT: %[[V7:[a-z0-9_]+]] = td.broadcast %[[V6]] : tensor<2x1xf32> to tensor<2x3xf32>
// CHECK-NEXT: %[[V8:[a-z0-9_]+]] = td.compare eq %[[A0]], %[[V7]] : tensor<2x3xf32> -> tensor<2x3xi1>
// CHECK-NEXT: %[[V9:[a-z0-9_]+]] = td.cast %[[V8]] : tensor<2x3xi1> to tensor<2x3xf32>
// CHECK-NEXT: %[[V10:[a-z0-9_]+]] = td.reduce sum %[[V9]] [1] : tensor<2x3xf32> to tensor<2xf32>
// CHECK-NEXT: %[[V11:[a-z0-9_]+]] = td.reshape %[[V10]] : tensor<2xf32> to tensor<2x1xf32>
// CHECK-NEXT: %[[V12:[a-z0-9_]+]] = td.broadcast %[[V11]] : tensor<2x1xf32> to tensor<2x3xf32>
// CHECK-NEXT: %[[C1:[a-z0-9_]+]] = arith.constant 0.000000e+00 : f64
// CHECK-NEXT: %[[V13:[a-z0-9_]+]] = td.fill %[[C1]] : f64 -> tensor<2x3xf32>
// CHECK-NEXT: %[[V14:[a-z0-9_]+]] = td.select %[[V8]], %[[V5]], %[[V13]] : tensor<2x3xi1>, tensor<2x3xf32>
// CHECK-NEXT: %[[V15:[a-z0-9_]+]] = td.div %[[V14]], %[[V12]] : tensor<2x3xf32>
// CHECK-NEXT: return %[[V15]] : tensor<2x3xf32>
func.func @reduce_max(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %y = td.reduce max %x [1] : tensor<2x3xf32> to tensor<2xf32>
  %l = td.reduce sum %y [0] : tensor<2xf32> to tensor<f32>
  %g = td.grad %l wrt(%x) : (tensor<f32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %g : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @reduce_sum_run_time
// CHECK-SAME: (%[[A0:[a-z0-9_]+]]: tensor<?x3xf32>) -> tensor<?x3xf32>
// CHECK: %[[V0:[a-z0-9_]+]] = td.reduce sum %[[A0]] [1] : tensor<?x3xf32> to tensor<?xf32>
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = td.reduce sum %[[V0]] [0] : tensor<?xf32> to tensor<f32>
// CHECK-NEXT: %[[C0:[a-z0-9_]+]] = arith.constant 1.000000e+00 : f64
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = td.fill %[[C0]] : f64 -> tensor<f32>
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = td.dim %[[V0]], 0 : tensor<?xf32>
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = td.broadcast %[[V2]] sizes(%[[V3]]) : tensor<f32> to tensor<?xf32>
// CHECK-NEXT: %[[V5:[a-z0-9_]+]] = td.dim %[[A0]], 0 : tensor<?x3xf32>
// CHECK-NEXT: %[[V6:[a-z0-9_]+]] = td.reshape %[[V4]] sizes(%[[V5]]) : tensor<?xf32> to tensor<?x1xf32>
// CHECK-NEXT: %[[V7:[a-z0-9_]+]] = td.dim %[[A0]], 0 : tensor<?x3xf32>
// CHECK-NEXT: %[[V8:[a-z0-9_]+]] = td.broadcast %[[V6]] sizes(%[[V7]]) : tensor<?x1xf32> to tensor<?x3xf32>
// CHECK-NEXT: return %[[V8]] : tensor<?x3xf32>
func.func @reduce_sum_run_time(%x: tensor<?x3xf32>) -> tensor<?x3xf32> {
  %y = td.reduce sum %x [1] : tensor<?x3xf32> to tensor<?xf32>
  %l = td.reduce sum %y [0] : tensor<?xf32> to tensor<f32>
  %g = td.grad %l wrt(%x) : (tensor<f32>, tensor<?x3xf32>) -> tensor<?x3xf32>
  return %g : tensor<?x3xf32>
}

// CHECK-LABEL: func.func @matmul
// CHECK-SAME: (%[[A0:[a-z0-9_]+]]: tensor<5x2x3xf32>, %[[A1:[a-z0-9_]+]]: tensor<5x3x4xf32>) -> (tensor<5x2x3xf32>, tensor<5x3x4xf32>)
// CHECK: %[[V0:[a-z0-9_]+]] = td.matmul %[[A0]], %[[A1]] : tensor<5x2x3xf32>, tensor<5x3x4xf32> -> tensor<5x2x4xf32>
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = td.reduce sum %[[V0]] [0, 1, 2] : tensor<5x2x4xf32> to tensor<f32>
// CHECK-NEXT: %[[C0:[a-z0-9_]+]] = arith.constant 1.000000e+00 : f64
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = td.fill %[[C0]] : f64 -> tensor<f32>
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = td.broadcast %[[V2]] : tensor<f32> to tensor<5x2x4xf32>
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = td.permute %[[A1]] [0, 2, 1] : tensor<5x3x4xf32> to tensor<5x4x3xf32>
// CHECK-NEXT: %[[V5:[a-z0-9_]+]] = td.matmul %[[V3]], %[[V4]] : tensor<5x2x4xf32>, tensor<5x4x3xf32> -> tensor<5x2x3xf32>
// CHECK-NEXT: %[[V6:[a-z0-9_]+]] = td.permute %[[A0]] [0, 2, 1] : tensor<5x2x3xf32> to tensor<5x3x2xf32>
// CHECK-NEXT: %[[V7:[a-z0-9_]+]] = td.matmul %[[V6]], %[[V3]] : tensor<5x3x2xf32>, tensor<5x2x4xf32> -> tensor<5x3x4xf32>
// CHECK-NEXT: return %[[V5]], %[[V7]] : tensor<5x2x3xf32>, tensor<5x3x4xf32>
func.func @matmul(%a: tensor<5x2x3xf32>, %b: tensor<5x3x4xf32>) -> (tensor<5x2x3xf32>, tensor<5x3x4xf32>) {
  %y = td.matmul %a, %b : tensor<5x2x3xf32>, tensor<5x3x4xf32> -> tensor<5x2x4xf32>
  %l = td.reduce sum %y [0, 1, 2] : tensor<5x2x4xf32> to tensor<f32>
  %g:2 = td.grad %l wrt(%a, %b) : (tensor<f32>, tensor<5x2x3xf32>, tensor<5x3x4xf32>) -> (tensor<5x2x3xf32>, tensor<5x3x4xf32>)
  return %g#0, %g#1 : tensor<5x2x3xf32>, tensor<5x3x4xf32>
}

// CHECK-LABEL: func.func @softmax
// CHECK-SAME: (%[[A0:[a-z0-9_]+]]: tensor<2x3xf32>) -> tensor<2x3xf32>
// CHECK: %[[V0:[a-z0-9_]+]] = td.softmax %[[A0]] dim 1 : tensor<2x3xf32>
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = td.reduce sum %[[V0]] [0, 1] : tensor<2x3xf32> to tensor<f32>
// CHECK-NEXT: %[[C0:[a-z0-9_]+]] = arith.constant 1.000000e+00 : f64
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = td.fill %[[C0]] : f64 -> tensor<f32>
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = td.broadcast %[[V2]] : tensor<f32> to tensor<2x3xf32>
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = td.mul %[[V3]], %[[V0]] : tensor<2x3xf32>
// CHECK-NEXT: %[[V5:[a-z0-9_]+]] = td.reduce sum %[[V4]] [1] : tensor<2x3xf32> to tensor<2xf32>
// CHECK-NEXT: %[[V6:[a-z0-9_]+]] = td.reshape %[[V5]] : tensor<2xf32> to tensor<2x1xf32>
// CHECK-NEXT: %[[V7:[a-z0-9_]+]] = td.broadcast %[[V6]] : tensor<2x1xf32> to tensor<2x3xf32>
// CHECK-NEXT: %[[V8:[a-z0-9_]+]] = td.mul %[[V0]], %[[V7]] : tensor<2x3xf32>
// CHECK-NEXT: %[[V9:[a-z0-9_]+]] = td.sub %[[V4]], %[[V8]] : tensor<2x3xf32>
// CHECK-NEXT: return %[[V9]] : tensor<2x3xf32>
func.func @softmax(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %y = td.softmax %x dim 1 : tensor<2x3xf32>
  %l = td.reduce sum %y [0, 1] : tensor<2x3xf32> to tensor<f32>
  %g = td.grad %l wrt(%x) : (tensor<f32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %g : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @log_softmax
// CHECK-SAME: (%[[A0:[a-z0-9_]+]]: tensor<2x3xf32>) -> tensor<2x3xf32>
// CHECK: %[[V0:[a-z0-9_]+]] = td.log_softmax %[[A0]] dim 0 : tensor<2x3xf32>
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = td.reduce sum %[[V0]] [0, 1] : tensor<2x3xf32> to tensor<f32>
// CHECK-NEXT: %[[C0:[a-z0-9_]+]] = arith.constant 1.000000e+00 : f64
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = td.fill %[[C0]] : f64 -> tensor<f32>
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = td.broadcast %[[V2]] : tensor<f32> to tensor<2x3xf32>
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = td.reduce sum %[[V3]] [0] : tensor<2x3xf32> to tensor<3xf32>
// CHECK-NEXT: %[[V5:[a-z0-9_]+]] = td.broadcast %[[V4]] : tensor<3xf32> to tensor<2x3xf32>
// CHECK-NEXT: %[[V6:[a-z0-9_]+]] = td.exp %[[V0]] : tensor<2x3xf32>
// CHECK-NEXT: %[[V7:[a-z0-9_]+]] = td.mul %[[V6]], %[[V5]] : tensor<2x3xf32>
// CHECK-NEXT: %[[V8:[a-z0-9_]+]] = td.sub %[[V3]], %[[V7]] : tensor<2x3xf32>
// CHECK-NEXT: return %[[V8]] : tensor<2x3xf32>
func.func @log_softmax(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %y = td.log_softmax %x dim 0 : tensor<2x3xf32>
  %l = td.reduce sum %y [0, 1] : tensor<2x3xf32> to tensor<f32>
  %g = td.grad %l wrt(%x) : (tensor<f32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %g : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @broadcast
// CHECK-SAME: (%[[A0:[a-z0-9_]+]]: tensor<1x3xf32>, %[[A1:[a-z0-9_]+]]: i64) -> tensor<1x3xf32>
// CHECK: %[[V0:[a-z0-9_]+]] = td.broadcast %[[A0]] sizes(%[[A1]]) : tensor<1x3xf32> to tensor<4x?x3xf32>
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = td.reduce sum %[[V0]] [0, 1, 2] : tensor<4x?x3xf32> to tensor<f32>
// CHECK-NEXT: %[[C0:[a-z0-9_]+]] = arith.constant 1.000000e+00 : f64
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = td.fill %[[C0]] : f64 -> tensor<f32>
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = td.dim %[[V0]], 1 : tensor<4x?x3xf32>
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = td.broadcast %[[V2]] sizes(%[[V3]]) : tensor<f32> to tensor<4x?x3xf32>
// CHECK-NEXT: %[[V5:[a-z0-9_]+]] = td.reduce sum %[[V4]] [0, 1] : tensor<4x?x3xf32> to tensor<3xf32>
// CHECK-NEXT: %[[V6:[a-z0-9_]+]] = td.reshape %[[V5]] : tensor<3xf32> to tensor<1x3xf32>
// CHECK-NEXT: return %[[V6]] : tensor<1x3xf32>
func.func @broadcast(%x: tensor<1x3xf32>, %n: i64) -> tensor<1x3xf32> {
  %y = td.broadcast %x sizes(%n) : tensor<1x3xf32> to tensor<4x?x3xf32>
  %l = td.reduce sum %y [0, 1, 2] : tensor<4x?x3xf32> to tensor<f32>
  %g = td.grad %l wrt(%x) : (tensor<f32>, tensor<1x3xf32>) -> tensor<1x3xf32>
  return %g : tensor<1x3xf32>
}

// CHECK-LABEL: func.func @reshape
// CHECK-SAME: (%[[A0:[a-z0-9_]+]]: tensor<?x3xf32>, %[[A1:[a-z0-9_]+]]: i64) -> tensor<?x3xf32>
// CHECK: %[[V0:[a-z0-9_]+]] = td.reshape %[[A0]] sizes(%[[A1]]) : tensor<?x3xf32> to tensor<?xf32>
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = td.reduce sum %[[V0]] [0] : tensor<?xf32> to tensor<f32>
// CHECK-NEXT: %[[C0:[a-z0-9_]+]] = arith.constant 1.000000e+00 : f64
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = td.fill %[[C0]] : f64 -> tensor<f32>
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = td.dim %[[V0]], 0 : tensor<?xf32>
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = td.broadcast %[[V2]] sizes(%[[V3]]) : tensor<f32> to tensor<?xf32>
// CHECK-NEXT: %[[V5:[a-z0-9_]+]] = td.dim %[[A0]], 0 : tensor<?x3xf32>
// CHECK-NEXT: %[[V6:[a-z0-9_]+]] = td.reshape %[[V4]] sizes(%[[V5]]) : tensor<?xf32> to tensor<?x3xf32>
// CHECK-NEXT: return %[[V6]] : tensor<?x3xf32>
func.func @reshape(%x: tensor<?x3xf32>, %n: i64) -> tensor<?x3xf32> {
  %y = td.reshape %x sizes(%n) : tensor<?x3xf32> to tensor<?xf32>
  %l = td.reduce sum %y [0] : tensor<?xf32> to tensor<f32>
  %g = td.grad %l wrt(%x) : (tensor<f32>, tensor<?x3xf32>) -> tensor<?x3xf32>
  return %g : tensor<?x3xf32>
}

// CHECK-LABEL: func.func @permute
// CHECK-SAME: (%[[A0:[a-z0-9_]+]]: tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
// CHECK: %[[V0:[a-z0-9_]+]] = td.permute %[[A0]] [2, 0, 1] : tensor<2x3x4xf32> to tensor<4x2x3xf32>
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = td.reduce sum %[[V0]] [0, 1, 2] : tensor<4x2x3xf32> to tensor<f32>
// CHECK-NEXT: %[[C0:[a-z0-9_]+]] = arith.constant 1.000000e+00 : f64
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = td.fill %[[C0]] : f64 -> tensor<f32>
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = td.broadcast %[[V2]] : tensor<f32> to tensor<4x2x3xf32>
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = td.permute %[[V3]] [1, 2, 0] : tensor<4x2x3xf32> to tensor<2x3x4xf32>
// CHECK-NEXT: return %[[V4]] : tensor<2x3x4xf32>
func.func @permute(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %y = td.permute %x [2, 0, 1] : tensor<2x3x4xf32> to tensor<4x2x3xf32>
  %l = td.reduce sum %y [0, 1, 2] : tensor<4x2x3xf32> to tensor<f32>
  %g = td.grad %l wrt(%x) : (tensor<f32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return %g : tensor<2x3x4xf32>
}

// CHECK-LABEL: func.func @slice
// CHECK-SAME: (%[[A0:[a-z0-9_]+]]: tensor<9xf32>, %[[A1:[a-z0-9_]+]]: i64) -> tensor<9xf32>
// CHECK: %[[V0:[a-z0-9_]+]] = td.slice %[[A0]][%[[A1]]] dim 0 step 2 : tensor<9xf32> to tensor<3xf32>
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = td.reduce sum %[[V0]] [0] : tensor<3xf32> to tensor<f32>
// CHECK-NEXT: %[[C0:[a-z0-9_]+]] = arith.constant 1.000000e+00 : f64
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = td.fill %[[C0]] : f64 -> tensor<f32>
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = td.broadcast %[[V2]] : tensor<f32> to tensor<3xf32>
// CHECK-NEXT: %[[C1:[a-z0-9_]+]] = arith.constant 0.000000e+00 : f64
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = td.fill %[[C1]] : f64 -> tensor<9xf32>
// CHECK-NEXT: %[[V5:[a-z0-9_]+]] = td.update_slice %[[V4]], %[[V3]][%[[A1]]] dim 0 step 2 : tensor<9xf32>, tensor<3xf32>
// CHECK-NEXT: return %[[V5]] : tensor<9xf32>
func.func @slice(%x: tensor<9xf32>, %i: i64) -> tensor<9xf32> {
  %y = td.slice %x[%i] dim 0 step 2 : tensor<9xf32> to tensor<3xf32>
  %l = td.reduce sum %y [0] : tensor<3xf32> to tensor<f32>
  %g = td.grad %l wrt(%x) : (tensor<f32>, tensor<9xf32>) -> tensor<9xf32>
  return %g : tensor<9xf32>
}

// CHECK-LABEL: func.func @update_slice
// CHECK-SAME: (%[[A0:[a-z0-9_]+]]: tensor<9xf32>, %[[A1:[a-z0-9_]+]]: tensor<3xf32>, %[[A2:[a-z0-9_]+]]: i64) -> (tensor<9xf32>, tensor<3xf32>)
// CHECK: %[[V0:[a-z0-9_]+]] = td.update_slice %[[A0]], %[[A1]][%[[A2]]] dim 0 step 2 : tensor<9xf32>, tensor<3xf32>
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = td.reduce sum %[[V0]] [0] : tensor<9xf32> to tensor<f32>
// CHECK-NEXT: %[[C0:[a-z0-9_]+]] = arith.constant 1.000000e+00 : f64
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = td.fill %[[C0]] : f64 -> tensor<f32>
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = td.broadcast %[[V2]] : tensor<f32> to tensor<9xf32>
// CHECK-NEXT: %[[C1:[a-z0-9_]+]] = arith.constant 0.000000e+00 : f64
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = td.fill %[[C1]] : f64 -> tensor<3xf32>
// CHECK-NEXT: %[[V5:[a-z0-9_]+]] = td.update_slice %[[V3]], %[[V4]][%[[A2]]] dim 0 step 2 : tensor<9xf32>, tensor<3xf32>
// CHECK-NEXT: %[[V6:[a-z0-9_]+]] = td.slice %[[V3]][%[[A2]]] dim 0 step 2 : tensor<9xf32> to tensor<3xf32>
// CHECK-NEXT: return %[[V5]], %[[V6]] : tensor<9xf32>, tensor<3xf32>
func.func @update_slice(%x: tensor<9xf32>, %u: tensor<3xf32>, %i: i64) -> (tensor<9xf32>, tensor<3xf32>) {
  %y = td.update_slice %x, %u[%i] dim 0 step 2 : tensor<9xf32>, tensor<3xf32>
  %l = td.reduce sum %y [0] : tensor<9xf32> to tensor<f32>
  %g:2 = td.grad %l wrt(%x, %u) : (tensor<f32>, tensor<9xf32>, tensor<3xf32>) -> (tensor<9xf32>, tensor<3xf32>)
  return %g#0, %g#1 : tensor<9xf32>, tensor<3xf32>
}

// CHECK-LABEL: func.func @concat
// CHECK-SAME: (%[[A0:[a-z0-9_]+]]: tensor<?xf32>, %[[A1:[a-z0-9_]+]]: tensor<3xf32>) -> (tensor<?xf32>, tensor<3xf32>)
// CHECK: %[[V0:[a-z0-9_]+]] = td.concat %[[A0]], %[[A1]] dim 0 : (tensor<?xf32>, tensor<3xf32>) -> tensor<?xf32>
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = td.reduce sum %[[V0]] [0] : tensor<?xf32> to tensor<f32>
// CHECK-NEXT: %[[C0:[a-z0-9_]+]] = arith.constant 1.000000e+00 : f64
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = td.fill %[[C0]] : f64 -> tensor<f32>
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = td.dim %[[V0]], 0 : tensor<?xf32>
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = td.broadcast %[[V2]] sizes(%[[V3]]) : tensor<f32> to tensor<?xf32>
// CHECK-NEXT: %[[C1:[a-z0-9_]+]] = arith.constant 0 : i64
// CHECK-NEXT: %[[V5:[a-z0-9_]+]] = td.dim %[[A0]], 0 : tensor<?xf32>
// CHECK-NEXT: %[[V6:[a-z0-9_]+]] = td.slice %[[V4]][%[[C1]]] dim 0 step 1 sizes(%[[V5]]) : tensor<?xf32> to tensor<?xf32>
// CHECK-NEXT: %[[V7:[a-z0-9_]+]] = td.dim %[[A0]], 0 : tensor<?xf32>
// CHECK-NEXT: %[[V8:[a-z0-9_]+]] = arith.addi %[[C1]], %[[V7]] : i64
// CHECK-NEXT: %[[V9:[a-z0-9_]+]] = td.slice %[[V4]][%[[V8]]] dim 0 step 1 : tensor<?xf32> to tensor<3xf32>
// CHECK-NEXT: return %[[V6]], %[[V9]] : tensor<?xf32>, tensor<3xf32>
func.func @concat(%a: tensor<?xf32>, %b: tensor<3xf32>) -> (tensor<?xf32>, tensor<3xf32>) {
  %y = td.concat %a, %b dim 0 : (tensor<?xf32>, tensor<3xf32>) -> tensor<?xf32>
  %l = td.reduce sum %y [0] : tensor<?xf32> to tensor<f32>
  %g:2 = td.grad %l wrt(%a, %b) : (tensor<f32>, tensor<?xf32>, tensor<3xf32>) -> (tensor<?xf32>, tensor<3xf32>)
  return %g#0, %g#1 : tensor<?xf32>, tensor<3xf32>
}

// CHECK-LABEL: func.func @gather
// CHECK-SAME: (%[[A0:[a-z0-9_]+]]: tensor<9x2xf32>, %[[A1:[a-z0-9_]+]]: tensor<4xi64>) -> tensor<9x2xf32>
// CHECK: %[[V0:[a-z0-9_]+]] = td.gather %[[A0]], %[[A1]] dim 0 : tensor<9x2xf32>, tensor<4xi64> -> tensor<4x2xf32>
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = td.reduce sum %[[V0]] [0, 1] : tensor<4x2xf32> to tensor<f32>
// CHECK-NEXT: %[[C0:[a-z0-9_]+]] = arith.constant 1.000000e+00 : f64
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = td.fill %[[C0]] : f64 -> tensor<f32>
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = td.broadcast %[[V2]] : tensor<f32> to tensor<4x2xf32>
// CHECK-NEXT: %[[C1:[a-z0-9_]+]] = arith.constant 0.000000e+00 : f64
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = td.fill %[[C1]] : f64 -> tensor<9x2xf32>
// CHECK-NEXT: %[[V5:[a-z0-9_]+]] = td.scatter %[[V4]], %[[A1]], %[[V3]] dim 0 combine sum : tensor<9x2xf32>, tensor<4xi64>, tensor<4x2xf32>
// CHECK-NEXT: return %[[V5]] : tensor<9x2xf32>
func.func @gather(%x: tensor<9x2xf32>, %i: tensor<4xi64>) -> tensor<9x2xf32> {
  %y = td.gather %x, %i dim 0 : tensor<9x2xf32>, tensor<4xi64> -> tensor<4x2xf32>
  %l = td.reduce sum %y [0, 1] : tensor<4x2xf32> to tensor<f32>
  %g = td.grad %l wrt(%x) : (tensor<f32>, tensor<9x2xf32>) -> tensor<9x2xf32>
  return %g : tensor<9x2xf32>
}

// CHECK-LABEL: func.func @scatter_add
// CHECK-SAME: (%[[A0:[a-z0-9_]+]]: tensor<9x2xf32>, %[[A1:[a-z0-9_]+]]: tensor<4xi64>, %[[A2:[a-z0-9_]+]]: tensor<4x2xf32>) -> (tensor<9x2xf32>, tensor<4x2xf32>)
// CHECK: %[[V0:[a-z0-9_]+]] = td.scatter %[[A0]], %[[A1]], %[[A2]] dim 0 combine sum : tensor<9x2xf32>, tensor<4xi64>, tensor<4x2xf32>
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = td.reduce sum %[[V0]] [0, 1] : tensor<9x2xf32> to tensor<f32>
// CHECK-NEXT: %[[C0:[a-z0-9_]+]] = arith.constant 1.000000e+00 : f64
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = td.fill %[[C0]] : f64 -> tensor<f32>
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = td.broadcast %[[V2]] : tensor<f32> to tensor<9x2xf32>
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = td.gather %[[V3]], %[[A1]] dim 0 : tensor<9x2xf32>, tensor<4xi64> -> tensor<4x2xf32>
// CHECK-NEXT: return %[[V3]], %[[V4]] : tensor<9x2xf32>, tensor<4x2xf32>
func.func @scatter_add(%x: tensor<9x2xf32>, %i: tensor<4xi64>, %u: tensor<4x2xf32>) -> (tensor<9x2xf32>, tensor<4x2xf32>) {
  %y = td.scatter %x, %i, %u dim 0 combine sum : tensor<9x2xf32>, tensor<4xi64>, tensor<4x2xf32>
  %l = td.reduce sum %y [0, 1] : tensor<9x2xf32> to tensor<f32>
  %g:2 = td.grad %l wrt(%x, %u) : (tensor<f32>, tensor<9x2xf32>, tensor<4x2xf32>) -> (tensor<9x2xf32>, tensor<4x2xf32>)
  return %g#0, %g#1 : tensor<9x2xf32>, tensor<4x2xf32>
}

// An element that was replaced has no gradient.
// CHECK-LABEL: func.func @scatter(
// CHECK-SAME: %[[X:.*]]: tensor<9x2xf32>, %[[I:.*]]: tensor<4xi64>, %[[U:.*]]: tensor<4x2xf32>)
// CHECK: %[[ONES:.*]] = td.broadcast {{.*}} : tensor<f32> to tensor<9x2xf32>
// CHECK: %[[ZEROS:.*]] = td.fill {{.*}} : f64 -> tensor<4x2xf32>
// CHECK-DAG: %[[DX:.*]] = td.scatter %[[ONES]], %[[I]], %[[ZEROS]] dim 0 :
// CHECK-DAG: %[[DU:.*]] = td.gather %[[ONES]], %[[I]] dim 0 :
// CHECK: return %[[DX]], %[[DU]]
func.func @scatter(%x: tensor<9x2xf32>, %i: tensor<4xi64>, %u: tensor<4x2xf32>) -> (tensor<9x2xf32>, tensor<4x2xf32>) {
  %y = td.scatter %x, %i, %u dim 0 : tensor<9x2xf32>, tensor<4xi64>, tensor<4x2xf32>
  %l = td.reduce sum %y [0, 1] : tensor<9x2xf32> to tensor<f32>
  %g:2 = td.grad %l wrt(%x, %u) : (tensor<f32>, tensor<9x2xf32>, tensor<4x2xf32>) -> (tensor<9x2xf32>, tensor<4x2xf32>)
  return %g#0, %g#1 : tensor<9x2xf32>, tensor<4x2xf32>
}

// CHECK-LABEL: func.func @gather_along
// CHECK-SAME: (%[[A0:[a-z0-9_]+]]: tensor<9x2xf32>, %[[A1:[a-z0-9_]+]]: tensor<9x1xi64>) -> tensor<9x2xf32>
// CHECK: %[[V0:[a-z0-9_]+]] = td.gather_along %[[A0]], %[[A1]] dim 1 : tensor<9x2xf32>, tensor<9x1xi64> -> tensor<9x1xf32>
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = td.reduce sum %[[V0]] [0, 1] : tensor<9x1xf32> to tensor<f32>
// CHECK-NEXT: %[[C0:[a-z0-9_]+]] = arith.constant 1.000000e+00 : f64
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = td.fill %[[C0]] : f64 -> tensor<f32>
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = td.broadcast %[[V2]] : tensor<f32> to tensor<9x1xf32>
// CHECK-NEXT: %[[C1:[a-z0-9_]+]] = arith.constant 0.000000e+00 : f64
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = td.fill %[[C1]] : f64 -> tensor<9x2xf32>
// CHECK-NEXT: %[[V5:[a-z0-9_]+]] = td.scatter_along %[[V4]], %[[A1]], %[[V3]] dim 1 combine sum : tensor<9x2xf32>, tensor<9x1xi64>, tensor<9x1xf32>
// CHECK-NEXT: return %[[V5]] : tensor<9x2xf32>
func.func @gather_along(%x: tensor<9x2xf32>, %i: tensor<9x1xi64>) -> tensor<9x2xf32> {
  %y = td.gather_along %x, %i dim 1 : tensor<9x2xf32>, tensor<9x1xi64> -> tensor<9x1xf32>
  %l = td.reduce sum %y [0, 1] : tensor<9x1xf32> to tensor<f32>
  %g = td.grad %l wrt(%x) : (tensor<f32>, tensor<9x2xf32>) -> tensor<9x2xf32>
  return %g : tensor<9x2xf32>
}

// CHECK-LABEL: func.func @scatter_add_along
// CHECK-SAME: (%[[A0:[a-z0-9_]+]]: tensor<9x2xf32>, %[[A1:[a-z0-9_]+]]: tensor<9x1xi64>, %[[A2:[a-z0-9_]+]]: tensor<9x1xf32>) -> (tensor<9x2xf32>, tensor<9x1xf32>)
// CHECK: %[[V0:[a-z0-9_]+]] = td.scatter_along %[[A0]], %[[A1]], %[[A2]] dim 1 combine sum : tensor<9x2xf32>, tensor<9x1xi64>, tensor<9x1xf32>
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = td.reduce sum %[[V0]] [0, 1] : tensor<9x2xf32> to tensor<f32>
// CHECK-NEXT: %[[C0:[a-z0-9_]+]] = arith.constant 1.000000e+00 : f64
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = td.fill %[[C0]] : f64 -> tensor<f32>
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = td.broadcast %[[V2]] : tensor<f32> to tensor<9x2xf32>
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = td.gather_along %[[V3]], %[[A1]] dim 1 : tensor<9x2xf32>, tensor<9x1xi64> -> tensor<9x1xf32>
// CHECK-NEXT: return %[[V3]], %[[V4]] : tensor<9x2xf32>, tensor<9x1xf32>
func.func @scatter_add_along(%x: tensor<9x2xf32>, %i: tensor<9x1xi64>, %u: tensor<9x1xf32>) -> (tensor<9x2xf32>, tensor<9x1xf32>) {
  %y = td.scatter_along %x, %i, %u dim 1 combine sum : tensor<9x2xf32>, tensor<9x1xi64>, tensor<9x1xf32>
  %l = td.reduce sum %y [0, 1] : tensor<9x2xf32> to tensor<f32>
  %g:2 = td.grad %l wrt(%x, %u) : (tensor<f32>, tensor<9x2xf32>, tensor<9x1xf32>) -> (tensor<9x2xf32>, tensor<9x1xf32>)
  return %g#0, %g#1 : tensor<9x2xf32>, tensor<9x1xf32>
}

// CHECK-LABEL: func.func @cast
// CHECK-SAME: (%[[A0:[a-z0-9_]+]]: tensor<3xf64>) -> tensor<3xf64>
// CHECK: %[[V0:[a-z0-9_]+]] = td.cast %[[A0]] : tensor<3xf64> to tensor<3xf32>
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = td.reduce sum %[[V0]] [0] : tensor<3xf32> to tensor<f32>
// CHECK-NEXT: %[[C0:[a-z0-9_]+]] = arith.constant 1.000000e+00 : f64
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = td.fill %[[C0]] : f64 -> tensor<f32>
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = td.broadcast %[[V2]] : tensor<f32> to tensor<3xf32>
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = td.cast %[[V3]] : tensor<3xf32> to tensor<3xf64>
// CHECK-NEXT: return %[[V4]] : tensor<3xf64>
func.func @cast(%x: tensor<3xf64>) -> tensor<3xf64> {
  %y = td.cast %x : tensor<3xf64> to tensor<3xf32>
  %l = td.reduce sum %y [0] : tensor<3xf32> to tensor<f32>
  %g = td.grad %l wrt(%x) : (tensor<f32>, tensor<3xf64>) -> tensor<3xf64>
  return %g : tensor<3xf64>
}

// CHECK-LABEL: func.func @to_device
// CHECK-SAME: (%[[A0:[a-z0-9_]+]]: tensor<f32, #td.dev<cpu>>) -> tensor<f32, #td.dev<cpu>>
// CHECK: %[[V0:[a-z0-9_]+]] = td.to_device %[[A0]] : tensor<f32, #td.dev<cpu>> to tensor<f32, #td.dev<cuda, 0>>
// CHECK-NEXT: %[[C0:[a-z0-9_]+]] = arith.constant 1.000000e+00 : f64
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = td.fill %[[C0]] : f64 -> tensor<f32, #td.dev<cuda, 0>>
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = td.to_device %[[V1]] : tensor<f32, #td.dev<cuda, 0>> to tensor<f32, #td.dev<cpu>>
// CHECK-NEXT: return %[[V2]] : tensor<f32, #td.dev<cpu>>
func.func @to_device(%x: tensor<f32, #td.dev<cpu>>) -> tensor<f32, #td.dev<cpu>> {
  %y = td.to_device %x : tensor<f32, #td.dev<cpu>> to tensor<f32, #td.dev<cuda, 0>>
  %g = td.grad %y wrt(%x) : (tensor<f32, #td.dev<cuda, 0>>, tensor<f32, #td.dev<cpu>>) -> tensor<f32, #td.dev<cpu>>
  return %g : tensor<f32, #td.dev<cpu>>
}

// A square's factor of 2 is applied to the cotangent, which often is a constant.
// CHECK-LABEL: func.func @square
// CHECK-SAME: (%[[X:.*]]: tensor<4xf64>)
// CHECK: %[[C:.*]] = td.broadcast
// CHECK: %[[TWICE:.*]] = td.add %[[C]], %[[C]] : tensor<4xf64>
// CHECK: %[[D:.*]] = td.mul %[[TWICE]], %[[X]] : tensor<4xf64>
// CHECK: return %[[D]]
func.func @square(%x: tensor<4xf64>) -> tensor<4xf64> {
  %y = td.mul %x, %x : tensor<4xf64>
  %s = td.reduce sum %y [0] : tensor<4xf64> to tensor<f64>
  %g = td.grad %s wrt(%x) : (tensor<f64>, tensor<4xf64>) -> tensor<4xf64>
  return %g : tensor<4xf64>
}

// A rule of several ops computes in f32 and rounds once. A rule whose ops round
// only once stays in its dtype.
// CHECK-LABEL: func.func @narrow
// CHECK-SAME: (%[[X:[a-z0-9_]+]]: tensor<3xbf16>)
// CHECK: %[[E:[a-z0-9_]+]] = td.exp %[[X]]
// CHECK: %[[Y:[a-z0-9_]+]] = td.tanh %[[E]]
// CHECK: %[[W:[a-z0-9_]+]] = td.cast %[[Y]] : tensor<3xbf16> to tensor<3xf32>
// CHECK: %[[LESS:[a-z0-9_]+]] = td.sub {{.*}}, %[[W]] : tensor<3xf32>
// CHECK: %[[MORE:[a-z0-9_]+]] = td.add {{.*}}, %[[W]] : tensor<3xf32>
// CHECK: %[[SLOPE:[a-z0-9_]+]] = td.mul %[[LESS]], %[[MORE]] : tensor<3xf32>
// CHECK: %[[DX:[a-z0-9_]+]] = td.mul {{.*}}, %[[SLOPE]] : tensor<3xf32>
// CHECK: %[[ROUNDED:[a-z0-9_]+]] = td.cast %[[DX]] : tensor<3xf32> to tensor<3xbf16>
// CHECK: td.mul %[[ROUNDED]], {{.*}} : tensor<3xbf16>
func.func @narrow(%x: tensor<3xbf16>) -> tensor<3xbf16> {
  %e = td.exp %x : tensor<3xbf16>
  %y = td.tanh %e : tensor<3xbf16>
  %l = td.reduce sum %y [0] : tensor<3xbf16> to tensor<bf16>
  %g = td.grad %l wrt(%x) : (tensor<bf16>, tensor<3xbf16>) -> tensor<3xbf16>
  return %g : tensor<3xbf16>
}
